//! What the module keeps, and what people and events see of it.

pub mod entry;
