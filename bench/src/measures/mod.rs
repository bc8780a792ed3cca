//! The measures, one file each.

pub mod adjustments;
pub mod checkouts;
pub mod costs;
pub mod documents;
pub mod extensions;
pub mod feed;
pub mod idle;
pub mod neighbours;
pub mod orders;
pub mod places;
pub mod pools;
pub mod rates;
pub mod reads;
pub mod receipts;
pub mod reports;
pub mod scale;
pub mod small;
pub mod statements;
pub mod swaps;
pub mod tax;
pub mod traces;
pub mod webhooks;
pub mod writes_postgres;
pub mod writes_sqlite;
