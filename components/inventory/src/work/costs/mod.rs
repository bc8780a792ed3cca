//! Costs of goods: exact, first in first out, units at their own.

pub mod entry;
pub mod flows;
pub mod opening;
pub mod recost;
pub mod totals;
pub mod valuation;
