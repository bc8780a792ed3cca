//! The module against a scripted host: what is read again where a request or another one changes it, and what `verify` finds.

mod day_totals;
mod posting;
mod rows;
mod verify;
