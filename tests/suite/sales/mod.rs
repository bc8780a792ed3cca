//! Sales: customers, quotations, orders, and what comes back of them.

mod customers;
mod disclosure;
mod draft_receipts;
mod failures;
mod lines;
mod order_details;
mod order_races;
mod orders;
mod quotations;
mod returns;
mod services;
