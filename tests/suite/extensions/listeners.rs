//! Modules that receive events, in the transaction and after its commit.
