//! The operations: one file per noun, its table at the top.

mod account;
mod balance_sheet;
mod branch;
mod chart;
mod entity;
mod entry;
mod general_ledger;
mod income_statement;
mod manual_entry;
mod mapping;
mod money_account;
mod period;
mod role;
mod statement;
mod trial_balance;

use stoa_sdk::Operation;

/// Every operation of the ledger.
pub const TABLES: &[&[Operation]] = &[
    entity::OPERATIONS,
    branch::OPERATIONS,
    account::OPERATIONS,
    chart::OPERATIONS,
    role::OPERATIONS,
    mapping::OPERATIONS,
    money_account::OPERATIONS,
    period::OPERATIONS,
    entry::OPERATIONS,
    manual_entry::OPERATIONS,
    trial_balance::OPERATIONS,
    general_ledger::OPERATIONS,
    statement::OPERATIONS,
    income_statement::OPERATIONS,
    balance_sheet::OPERATIONS,
];
