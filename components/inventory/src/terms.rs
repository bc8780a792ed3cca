//! The words that every part of the module shares: quantities, costs, statuses, and who acted.

use stoa_sdk::{ActorKind, Decimal, Id, facts, text_enum};

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
        let facts = facts();
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

/// May read what goods cost.
pub const COST_READ: &str = "reports.cost.read";
/// May read which units there are.
pub const SERIALS_READ: &str = "inventory.serials.read";

/// Whether the request's caller holds a permission.
pub fn may(permission: &str) -> bool {
    facts().permissions.iter().any(|held| held == permission)
}
