//! What the module asks of the store and of other modules, and what it refuses.

pub mod rows;
