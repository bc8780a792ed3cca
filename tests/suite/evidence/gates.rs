//! Tools of others judge the served contract.
