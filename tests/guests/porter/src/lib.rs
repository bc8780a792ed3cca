//! A module that calls inventory's services as procurement, sales and finance do: what the suite says in JSON, in one
//! transaction.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use stoa_sdk::descriptor::Descriptor;
use stoa_sdk::{Answer, Call, Created, Findings, Module, Operation, Problem, ProvisionOptions, Reply, Step};

wit_bindgen::generate!({
    inline: "
        package commerce:porter-module;
        world services {
            import commerce:platform/ids@0.1.0;
            import commerce:platform/problems@0.1.0;
            import commerce:inventory/warehouses@0.1.0;
            import commerce:inventory/stock@0.1.0;
            import commerce:inventory/units@0.1.0;
            import commerce:inventory/costs@0.1.0;
        }
    ",
    path: ["../../../wit/platform", "../../../wit/inventory"],
    with: {
        "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
        "commerce:platform/problems@0.1.0": stoa_sdk::bindings::commerce::platform::problems,
    },
    additional_derives: [serde::Serialize, serde::Deserialize],
    generate_all,
});

use commerce::inventory::{costs, stock, units, warehouses};

/// Services to call, in order.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Carry {
    /// Each a JSON text `[function, arguments...]`: ids are pairs of numbers that no JavaScript could hold.
    calls: Vec<String>,
}

/// What each of them answered, as a JSON text.
#[derive(Serialize, JsonSchema)]
struct Carried {
    answers: Vec<String>,
}

const PROBLEMS: &[&str] = &[
    "INSUFFICIENT_STOCK",
    "UNIT_UNAVAILABLE",
    "UNIT_COUNT_MISMATCH",
    "UNIT_CONDITION_REQUIRED",
    "UNIT_CONDITION_MISMATCH",
    "CUSTODY_CONFLICT",
    "ILLEGAL_STATE",
    "LIMIT_EXCEEDED",
    "REFERENCE_INVALID",
    "DUPLICATE",
    "PERMISSION_DENIED",
    "VALUATION_COST_REQUIRED",
    "ACCOUNTING_AMOUNT_PRECISION",
];

const OPERATIONS: &[Operation] = &[Operation::create("/tenants/{tenantId}/porter/calls", "callInventory", carry)
    .summary("Call inventory's services")
    .needs(&["porter.call"])
    .body::<Carry>()
    .answers::<Carried>()
    .body_limit(16 << 20)
    .writes("PORTER_CALL", &[])
    .problems(PROBLEMS)];

fn carry(call: &Call) -> Answer {
    let Carry { calls } = call.body()?;
    let answers = calls.iter().map(|call| one(call).map(|answer| answer.to_string())).collect::<Result<_, _>>()?;
    Ok(Reply::json(&Carried { answers }))
}

fn one(text: &str) -> Result<Json, Problem> {
    let Ok(Json::Array(parts)) = serde_json::from_str(text) else { return Err(unread("a call")) };
    let mut parts = parts.into_iter();
    let function = parts.next().unwrap_or_default();
    let mut arguments = Arguments(parts);
    Ok(match function.as_str().unwrap_or_default() {
        "warehouses" => json!(warehouses::get_many(&arguments.next::<Vec<Id>>()?)),
        "locations" => json!(warehouses::locations(&arguments.next::<Vec<Id>>()?)),
        "levels" => json!(stock::levels(&arguments.next::<Vec<stock::Pair>>()?)),
        "reserve" => {
            let (order, warehouse): (stock::SalesOrder, Id) = (arguments.next()?, arguments.next()?);
            json!(stock::reserve(&order, warehouse, &arguments.next::<Vec<stock::ReserveLine>>()?)?)
        }
        "release" => {
            let (order, reservations): (Id, Vec<Id>) = (arguments.next()?, arguments.next()?);
            json!(stock::release(order, &reservations, &arguments.next::<String>()?)?)
        }
        "deliver" => {
            let order: stock::SalesOrder = arguments.next()?;
            json!(stock::deliver(&order, &arguments.next::<Vec<stock::DeliveryLine>>()?)?)
        }
        "return-from-customer" => {
            let to: stock::CustomerReturn = arguments.next()?;
            json!(stock::return_from_customer(&to, &arguments.next::<Vec<stock::ReturnLine>>()?)?)
        }
        "receive" => {
            let from: stock::Receipt = arguments.next()?;
            json!(stock::receive(&from, &arguments.next::<Vec<stock::ReceiptLine>>()?)?)
        }
        "change-incoming" => json!(stock::change_incoming(&arguments.next::<Vec<stock::IncomingLine>>()?)?),
        "return-to-supplier" => {
            let to: stock::SupplierReturn = arguments.next()?;
            json!(stock::return_to_supplier(&to, &arguments.next::<Vec<stock::SupplierReturnLine>>()?)?)
        }
        "units" => json!(units::get_many(&arguments.next::<Vec<Id>>()?)),
        "find" => json!(units::find(&arguments.next::<Vec<String>>()?)?),
        "of-receipt-items" => json!(units::of_receipt_items(&arguments.next::<Vec<Id>>()?)),
        "of-allocations" => json!(units::of_allocations(&arguments.next::<Vec<Id>>()?)),
        "correct" => {
            let credit: Id = arguments.next()?;
            json!(costs::correct(credit, &arguments.next::<Vec<costs::CorrectionLine>>()?)?)
        }
        "charge" => {
            let charge: Id = arguments.next()?;
            json!(costs::charge(charge, &arguments.next::<Vec<costs::ChargeLine>>()?)?)
        }
        "open" => {
            let (entity, currency): (Id, String) = (arguments.next()?, arguments.next()?);
            json!(costs::open(entity, &currency, &arguments.next::<Vec<costs::Stated>>()?)?)
        }
        "valuation" => {
            let (entity, as_of): (Id, Option<String>) = (arguments.next()?, arguments.next()?);
            let (variant, cursor): (Option<Id>, Option<Id>) = (arguments.next()?, arguments.next()?);
            json!(costs::valuation(entity, as_of.as_deref(), variant, cursor, arguments.next()?)?)
        }
        "flows" => {
            let (entity, since): (Id, String) = (arguments.next()?, arguments.next()?);
            let (until, variant): (String, Option<Id>) = (arguments.next()?, arguments.next()?);
            let cursor: Option<Id> = arguments.next()?;
            json!(costs::flows(entity, &since, &until, variant, cursor, arguments.next()?)?)
        }
        _ => return Err(unread("a function")),
    })
}

type Id = (u64, u64);

struct Arguments(std::vec::IntoIter<Json>);

impl Arguments {
    fn next<T: serde::de::DeserializeOwned>(&mut self) -> Result<T, Problem> {
        let argument = self.0.next().unwrap_or_default();
        T::deserialize(argument).map_err(|error| unread(&error.to_string()))
    }
}

/// The suite said something that is no call: a fault that it can read.
fn unread(what: &str) -> Problem {
    Problem::invalid(vec![stoa_sdk::item(format!("/{}", what.replace(['~', '/'], "-")), "TYPE")])
}

/// The module.
pub struct Porter;

impl Module for Porter {
    const OPERATIONS: &'static [Operation] = OPERATIONS;

    fn describe() -> Descriptor {
        Descriptor {
            name: "porter".to_owned(),
            version: "1.0.0".to_owned(),
            description: "Calls inventory's services for the suite.".to_owned(),
            routes: Vec::new(),
            collections: Vec::new(),
            permissions: vec![stoa_sdk::descriptor::Named {
                code: "porter.call".to_owned(),
                description: "Call inventory's services.".to_owned(),
            }],
            scopes: Vec::new(),
            events: Vec::new(),
            problems: Vec::new(),
            onboarding: None,
            audit_filters: Vec::new(),
            schemas: serde_json::Map::new(),
        }
    }

    fn provision(_options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
        Ok(Vec::new())
    }

    fn checklist() -> Vec<Step> {
        Vec::new()
    }

    fn verify(_cursor: Option<String>) -> Findings {
        Findings { findings: Vec::new(), next: None }
    }
}

stoa_sdk::export_module!(Porter);
