//! What can be called: the table of operations that host and modules declare.

pub mod table;
