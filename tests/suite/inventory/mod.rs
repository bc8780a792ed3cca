//! Inventory: warehouses, stock, units, transfers, counts, and what goods cost.

mod adjustment_batches;
mod adjustments;
mod archiving;
mod concurrency;
mod costs;
mod counter_accounts;
mod counts;
mod crash;
mod disclosure;
mod duplicates;
mod lists;
mod model;
mod reservations;
mod transfer_orders;
mod unit_races;
mod unit_services;
mod units;
mod warehouses;
