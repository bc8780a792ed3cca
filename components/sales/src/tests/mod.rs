//! The module without a host: what its descriptor says, its states by the clock, what its ledger sums, and what
//! `verify` finds.

mod descriptor;
mod figures;
mod quotations;
mod verify;
