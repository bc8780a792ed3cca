//! Runs tools of others on the served contract.
