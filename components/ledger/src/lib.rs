//! The ledger: legal entities and their branches, and the double-entry books of those that keep them. Other modules post
//! through its services.

pub mod bindings;
mod operations;
mod records;
mod rules;
pub mod services;
#[cfg(test)]
mod tests;
mod upkeep;
mod verify;
mod work;

use stoa_sdk::descriptor::{Descriptor, Named};
use stoa_sdk::{Created, Entity, Findings, Module, Operation, Problem, ProvisionOptions, Step};

use crate::records::account::AccountRow;
use crate::records::branch::BranchRow;
use crate::records::entity::EntityRow;
use crate::records::entry::{EntryRow, LineRow};
use crate::records::hold::HoldRow;
use crate::records::mapping::{MappingSetRow, MethodMappingRow, RoleMappingRow};
use crate::records::money_account::MoneyRow;
use crate::records::period::{PeriodRow, TotalRow};

/// The module.
pub struct Ledger;

impl Module for Ledger {
    const OPERATIONS: &'static [Operation] = &operations::OPERATIONS;

    fn describe() -> Descriptor {
        let name = |code: &str, description: &str| Named { code: code.to_owned(), description: description.to_owned() };
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
                name("reports.cost.read", "Read costs and valuations; with margins, the journal and its reports."),
                name("reports.margin.read", "Read margins; with costs, the journal and its reports."),
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
