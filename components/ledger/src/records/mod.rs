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

use stoa_sdk::Entity;
use stoa_sdk::descriptor::Collection;
use stoa_trade::snapshot::SummedLinesRow;

/// Every collection of the ledger.
pub const COLLECTIONS: &[fn() -> Collection] = &[
    entity::EntityRow::collection,
    branch::BranchRow::collection,
    hold::HoldRow::collection,
    account::AccountRow::collection,
    mapping::MappingSetRow::collection,
    mapping::RoleMappingRow::collection,
    mapping::MethodMappingRow::collection,
    money_account::MoneyRow::collection,
    period::PeriodRow::collection,
    period::TotalRow::collection,
    entry::EntryRow::collection,
    entry::LineRow::collection,
    day_total::DayTotalRow::collection,
    SummedLinesRow::collection,
];
