//! The ledger: legal entities and their branches, and the double-entry books of those that keep them. The table below is the
//! whole module; other modules post through its services.

pub mod account;
mod account_change;
mod balance;
pub mod bindings;
mod books;
mod branch;
mod directory;
pub mod entity;
mod entity_change;
mod entry;
mod financial;
mod hold;
mod install;
mod journal;
mod manual;
mod mapping;
mod mapping_change;
mod mirror;
mod money;
mod money_account;
mod money_account_change;
mod month;
mod operations;
mod period;
mod period_change;
mod posting;
mod refusal;
mod role;
pub mod services;
mod setup;
mod statement;
mod template;
mod template_detailed;
#[cfg(test)]
mod tests;
mod tree;
mod trial_balance;
mod upkeep;
mod verify;

use stoa_sdk::descriptor::{Descriptor, Named};
use stoa_sdk::{Created, Entity, Findings, Module, Operation, Problem, ProvisionOptions, Step};

use crate::account::AccountRow;
use crate::branch::BranchRow;
use crate::entity::EntityRow;
use crate::entry::{EntryRow, LineRow};
use crate::hold::HoldRow;
use crate::mapping::{MappingSetRow, MethodMappingRow, RoleMappingRow};
use crate::money_account::MoneyRow;
use crate::period::{PeriodRow, TotalRow};

/// Audit names of the records.
const LEGAL_ENTITY: &str = "LEGAL_ENTITY";
const BRANCH: &str = "BRANCH";
const ACCOUNT: &str = "LEDGER_ACCOUNT";
const MAPPING: &str = "ACCOUNT_MAPPING";
const MONEY_ACCOUNT: &str = "MONEY_ACCOUNT";
const PERIOD: &str = "ACCOUNTING_PERIOD";
const ENTRY: &str = "JOURNAL_ENTRY";

pub struct Ledger;

impl Module for Ledger {
    const OPERATIONS: &'static [Operation] = operations::OPERATIONS;

    fn describe() -> Descriptor {
        let named =
            |code: &str, description: &str| Named { code: code.to_owned(), description: description.to_owned() };
        Descriptor {
            name: "ledger".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            description: "Legal entities, branches and double-entry books.".to_owned(),
            routes: Vec::new(),
            collections: vec![
                EntityRow::collection(),
                BranchRow::collection(),
                HoldRow::collection(),
                AccountRow::collection(),
                MappingSetRow::collection(),
                RoleMappingRow::collection(),
                MethodMappingRow::collection(),
                MoneyRow::collection(),
                PeriodRow::collection(),
                TotalRow::collection(),
                EntryRow::collection(),
                LineRow::collection(),
            ],
            permissions: vec![
                named("reports.cost.read", "Read costs and valuations; with margins, the journal and its reports."),
                named("reports.margin.read", "Read margins; with costs, the journal and its reports."),
            ],
            scopes: Vec::new(),
            events: Vec::new(),
            problems: Vec::new(),
            onboarding: Some(upkeep::onboarding()),
            audit_filters: Vec::new(),
            schemas: serde_json::Map::new(),
        }
    }

    fn provision(options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
        upkeep::provision(options)
    }

    fn checklist() -> Vec<Step> {
        upkeep::checklist()
    }

    fn verify(cursor: Option<String>) -> Findings {
        verify::verify(cursor)
    }
}

stoa_sdk::export_module!(Ledger);
