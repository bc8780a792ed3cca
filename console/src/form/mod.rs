//! Forms: the fields of an operation's body, as HTML and back to JSON.

pub mod draw;
pub mod fault;
pub mod field;
pub mod read;
pub mod reference;
