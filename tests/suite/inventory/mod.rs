//! Inventory: warehouses, stock, units, transfers, counts, and what goods cost.

mod adjustments;
mod archiving;
mod concurrency;
mod costs;
mod counts;
mod crash;
mod disclosure;
mod model;
mod reservations;
mod transfer_orders;
mod unit_races;
mod unit_services;
mod units;
mod warehouses;
