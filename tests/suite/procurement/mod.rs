//! Procurement by the specification's edge cases [E76]..[E131]: suppliers, orders, receipts, imports and charges, and what other
//! modules see of them.

mod adventureworks;
mod approvals;
mod charges;
mod crash;
mod disclosure;
mod imports;
mod orders;
mod postings;
mod races;
mod receipts;
mod services;
mod sorted;
mod suppliers;
mod written;
