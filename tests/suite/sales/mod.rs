//! Sales: customers, quotations, orders, and what comes back of them.

mod customers;
mod disclosure;
mod failures;
mod lines;
mod order_races;
mod orders;
mod quotations;
mod returns;
mod services;
