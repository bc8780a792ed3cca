//! Records in addition to the built-in module's own, and what people see of them.

pub mod tier;
