//! Stored records, and their forms for people, clients and services: everything else builds on them.

pub mod account;
pub mod branch;
pub mod day_total;
pub mod entity;
pub mod entry;
pub mod head;
pub mod hold;
pub mod mapping;
pub mod money_account;
pub mod period;
pub mod permission;
pub mod role;

use stoa_sdk::collections;
use stoa_sdk::descriptor::Collection;
use stoa_trade::snapshot::SummedLinesRow;

/// Every collection of the ledger.
pub const COLLECTIONS: &[fn() -> Collection] = collections! {
    entity::EntityRow, branch::BranchRow, hold::HoldRow, account::AccountRow, mapping::MappingSetRow,
    mapping::RoleMappingRow, mapping::MethodMappingRow, money_account::MoneyRow, period::PeriodRow, period::TotalRow,
    entry::EntryRow, entry::LineRow, day_total::DayTotalRow, SummedLinesRow,
};
