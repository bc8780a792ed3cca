//! Callable operations: as they are declared, host's and modules' alike, the table of them, and the contract that is
//! published from the same declarations. Nothing here depends on what runs an operation, or how a request comes.

pub mod document;
pub mod names;
pub mod operation;
pub mod table;

pub use document::Document;
pub use names::HostNames;
pub use operation::Operation;
pub use table::{Callable, Found, Table};
