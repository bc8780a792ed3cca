//! A module that calls the ledger's services as its caller tells it: several calls of one request are one transaction, as
//! those of a document's module are.

#[cfg(target_arch = "wasm32")]
mod calls;

#[cfg(target_arch = "wasm32")]
mod bindings {
    wit_bindgen::generate!({
        inline: "
            package commerce:poster-module;
            world services {
                import commerce:platform/ids@0.1.0;
                import commerce:platform/problems@0.1.0;
                import commerce:ledger/directory@0.1.0;
                import commerce:ledger/books@0.1.0;
                import commerce:ledger/money@0.1.0;
            }
        ",
        path: ["../../../wit/platform", "../../../wit/ledger"],
        with: {
            "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
            "commerce:platform/problems@0.1.0": stoa_sdk::bindings::commerce::platform::problems,
        },
        additional_derives: [PartialEq],
        generate_all,
    });
}

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use stoa_sdk::descriptor::{Descriptor, Named};
use stoa_sdk::{Answer, Call, Created, Findings, Module, Operation, Problem, ProvisionOptions, Reply, Step};

/// What to call, in order; the answers come in the same order.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Calls {
    calls: Vec<Json>,
}

#[derive(Serialize, JsonSchema)]
struct Answers {
    answers: Vec<Json>,
}

fn run(call: &Call) -> Answer {
    let calls: Calls = call.body()?;
    let answers = calls.calls.iter().map(make).collect::<Result<Vec<Json>, Problem>>()?;
    Ok(Reply::json(&Answers { answers }))
}

#[cfg(target_arch = "wasm32")]
fn make(call: &Json) -> Result<Json, Problem> {
    calls::make(call)
}

#[cfg(not(target_arch = "wasm32"))]
fn make(_: &Json) -> Result<Json, Problem> {
    Err(Problem::not_found())
}

const OPERATIONS: &[Operation] = &[Operation::transition("/tenants/{tenantId}/poster/calls", "callLedger", run)
    .summary("Call the ledger's services")
    .without_if_match()
    .needs(&["poster.write"])
    .body::<Calls>()
    .answers::<Answers>()
    .writes("POSTER", &[])
    .problems(&[
        "ACCOUNTING_SETUP_REQUIRED",
        "ACCOUNTING_PERIOD_CLOSED",
        "ACCOUNTING_CURRENCY_UNSUPPORTED",
        "ACCOUNTING_AMOUNT_PRECISION",
        "PAYMENT_ACCOUNT_INVALID",
        "REFERENCE_INVALID",
        "ILLEGAL_STATE",
        "ARCHIVED",
        "DUPLICATE",
        "LIMIT_EXCEEDED",
        "VERSION_CONFLICT",
    ])];

pub struct Poster;

impl Module for Poster {
    const OPERATIONS: &'static [Operation] = OPERATIONS;

    fn describe() -> Descriptor {
        let write = Named { code: "poster.write".to_owned(), description: "Call the ledger.".to_owned() };
        Descriptor {
            name: "poster".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            description: "Calls the ledger's services.".to_owned(),
            routes: Vec::new(),
            collections: Vec::new(),
            permissions: vec![write],
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

stoa_sdk::export_module!(Poster);
