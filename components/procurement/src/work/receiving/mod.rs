//! Receiving goods and services of an order: all that came, or nothing. The arrival is judged first; then the receipt is written,
//! inventory takes the goods in, and the books get one entry.

mod judge;
mod receivable;
mod write;

pub use receivable::{Receivable, lock_receivable};
pub use write::{Receipt, receive};
