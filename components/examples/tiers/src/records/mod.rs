//! What is kept beside the built-in module's own, and what people see of it.

pub mod tier;
