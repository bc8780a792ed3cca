//! The ledger: legal entities and their books.

pub mod bindings;

use stoa_sdk::descriptor::{Descriptor, Named};
use stoa_sdk::{Created, Findings, Module, Operation, Problem, ProvisionOptions, Step};

pub struct Ledger;

impl Module for Ledger {
    const OPERATIONS: &'static [Operation] = &[];

    fn describe() -> Descriptor {
        let named =
            |code: &str, description: &str| Named { code: code.to_owned(), description: description.to_owned() };
        Descriptor {
            name: "ledger".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            description: "Legal entities, branches and double-entry books.".to_owned(),
            routes: Vec::new(),
            collections: Vec::new(),
            permissions: vec![
                named("reports.cost.read", "Read costs, valuations and the journal."),
                named("reports.margin.read", "Read margins; with costs, the journal."),
            ],
            scopes: Vec::new(),
            events: Vec::new(),
            problems: Vec::new(),
            onboarding: None,
            audit_filters: Vec::new(),
            schemas: serde_json::Map::new(),
        }
    }

    fn provision(_: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
        Ok(Vec::new())
    }

    fn checklist() -> Vec<Step> {
        Vec::new()
    }

    fn verify(_: Option<String>) -> Findings {
        Findings { findings: Vec::new(), next: None }
    }
}

stoa_sdk::export_module!(Ledger);
