//! The module without a host: what its descriptor says, its states by the clock, and what `verify` finds.

mod descriptor;
mod quotations;
mod verify;
