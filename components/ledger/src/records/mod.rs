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

use crate::records::account::AccountRow;
use crate::records::branch::BranchRow;
use crate::records::day_total::DayTotalRow;
use crate::records::entity::EntityRow;
use crate::records::entry::{EntryRow, LineRow};
use crate::records::hold::HoldRow;
use crate::records::mapping::{MappingSetRow, MethodMappingRow, RoleMappingRow};
use crate::records::money_account::MoneyRow;
use crate::records::period::{PeriodRow, TotalRow};

/// Every collection of the ledger.
pub const COLLECTIONS: &[fn() -> Collection] = &[
    EntityRow::collection,
    BranchRow::collection,
    HoldRow::collection,
    AccountRow::collection,
    MappingSetRow::collection,
    RoleMappingRow::collection,
    MethodMappingRow::collection,
    MoneyRow::collection,
    PeriodRow::collection,
    TotalRow::collection,
    EntryRow::collection,
    LineRow::collection,
    DayTotalRow::collection,
    SummedLinesRow::collection,
];
