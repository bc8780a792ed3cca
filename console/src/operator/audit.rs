//! The audit of operators.
