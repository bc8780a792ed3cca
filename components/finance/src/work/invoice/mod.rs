//! Steps of invoices that several operations share: draw up their lines, post them, bill their orders, claim their units.

pub mod claim;
pub mod collected;
pub mod debt;
pub mod draft;
pub mod goods;
pub mod lines;
pub mod locked;
pub mod post;
pub mod unbilled;
