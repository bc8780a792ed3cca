//! Records of the module, and what people and events see of them.

pub mod entry;
