//! The words that every part of the module shares: quantities, costs, statuses, and who acted.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use stoa_sdk::host::fault;
use stoa_sdk::store::Value;
use stoa_sdk::{ActorKind, Decimal, Facts, Field, Id, Problem, facts, item, text_enum};

/// A quantity: 12 integer digits, 6 after the point.
pub type Quantity = Decimal<6>;
/// What one unit of goods costs. Stated ones have at most 6 digits after the point, corrected ones up to 12.
pub type UnitCost = Decimal<12>;
/// A product of quantity and cost, or a sum of such.
pub type Amount = Decimal<12>;

text_enum! {
    /// ARCHIVED records are immutable.
    #[derive(Default)]
    pub enum Status { #[default] Active => "ACTIVE", Archived => "ARCHIVED" }
}

text_enum! {
    pub enum ActorType { User => "USER", ApiClient => "API_CLIENT", System => "SYSTEM" }
}

text_enum! {
    /// How a variant is counted, as documents remember it.
    pub enum Tracking { None => "NONE", Quantity => "QUANTITY", Serialized => "SERIALIZED" }
}

/// Who acted, and in which request: the last columns of every ledger.
#[derive(Debug, Clone)]
pub struct Actor {
    pub actor_type: ActorType,
    pub actor_id: String,
    pub request_id: Id,
}

impl Actor {
    /// Of the request that is running.
    pub fn current() -> Actor {
        Actor::of(facts())
    }

    /// Of the request with these facts.
    pub fn of(facts: Facts) -> Actor {
        Actor {
            actor_type: match facts.actor_kind {
                ActorKind::User => ActorType::User,
                ActorKind::ApiClient => ActorType::ApiClient,
                ActorKind::System => ActorType::System,
            },
            actor_id: facts.actor,
            request_id: facts.request.into(),
        }
    }
}

/// May read which units there are.
pub const SERIALS_READ: &str = "inventory.serials.read";

/// Whether the request's caller holds a permission.
pub fn may(permission: &str) -> bool {
    facts().permissions.iter().any(|held| held == permission)
}

/// Decimals above zero, of at most 12 integer and 6 fractional digits.
const POSITIVE: &str = "^([1-9][0-9]{0,11}(\\.[0-9]{1,6})?|0\\.([1-9][0-9]{0,5}|0[1-9][0-9]{0,4}|00[1-9][0-9]{0,3}|000[1-9][0-9]{0,2}|0000[1-9][0-9]?|00000[1-9]))$";

/// A quantity above zero, as callers state it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(transparent)]
pub struct Positive(pub Quantity);

impl JsonSchema for Positive {
    fn schema_name() -> Cow<'static, str> {
        "Positive".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": POSITIVE, "x-normalize": ["decimal"] })
    }
}

/// The name that those hold shared who bring goods into a warehouse, and alone who archives it.
pub fn gate(warehouse: Id) -> String {
    format!("warehouse:{warehouse}")
}

/// As `gate`, for a location.
pub fn location_gate(location: Id) -> String {
    format!("location:{location}")
}

/// 409: the record named at the pointer exists and cannot be used; `why`: ARCHIVED or OTHER_ENTITY.
pub fn unusable(pointer: &str, why: &str) -> Problem {
    Problem { code: "REFERENCE_INVALID".to_owned(), errors: vec![item(pointer, why)] }
}

/// A sum of a decimal column as an aggregate answers it; of no rows it is zero.
pub fn sum<const SCALE: u32>(value: Option<Value>) -> Decimal<SCALE> {
    match value {
        Some(Value::Null) | None => Decimal::ZERO,
        Some(value) => Decimal::take(value).unwrap_or_else(|| fault("a sum is no decimal of its column's scale")),
    }
}
