//! The metrics that an operator reads.
