//! Who asks: the permissions and scopes of this module, whether the caller holds one, and how ledgers remember who acted.

use stoa_sdk::{ActorKind, Facts, Id, facts, text_enum};

/// Permissions of people and scopes of API clients.
pub const READ: &[&str] = &["inventory.read"];
pub const ADJUST: &[&str] = &["inventory.adjust"];
pub const TRANSFER: &[&str] = &["inventory.transfer"];
pub const READ_UNITS: &[&str] = &["inventory.read", "inventory.serials.read"];
pub const READ_COSTS: &[&str] = &["reports.cost.read"];
pub const CLIENT_READ: &[&str] = &["inventory.read"];
pub const CLIENT_WRITE: &[&str] = &["inventory.write"];

/// May read which units there are.
pub const SERIALS_READ: &str = "inventory.serials.read";

/// Whether the request's caller holds a permission.
pub fn may(permission: &str) -> bool {
    facts().permissions.iter().any(|held| held == permission)
}

/// The tenant of the request, as answers show it.
pub fn tenant() -> Id {
    facts().tenant.into()
}

text_enum! {
    pub enum ActorType { User => "USER", ApiClient => "API_CLIENT", System => "SYSTEM" }
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
