//! Balances, statements and reports (finance-ledger.md B9): sums of ledgers, never of stored balances.

pub mod ageing;
pub mod cash;
pub mod goods;
pub mod party;
mod period;
pub mod reconciliation;
pub mod revenue;
pub mod settlement;
