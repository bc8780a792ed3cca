//! What a module may know of the request.

use uuid::Uuid;

use super::opening::Opened;
use super::request::{Caller, Request};
use crate::calendar;
use crate::sandbox::Generation;
use crate::wit::context::{ActorKind, Facts};

/// Of a caller's request.
pub fn facts(request: &Request, opened: &Opened, tenant: Uuid) -> Facts {
    let permissions = match &opened.standing {
        Some(standing) if standing.owner => request.generation.permissions.keys().cloned().collect(),
        Some(standing) => standing.permissions.iter().cloned().collect(),
        None => Vec::new(),
    };
    let zone = opened.standing.as_ref().map_or("UTC", |standing| standing.time_zone.as_str());
    Facts {
        tenant: tenant.as_u64_pair(),
        actor_kind: match request.caller {
            Caller::User(_) => ActorKind::User,
            Caller::Client(_) => ActorKind::ApiClient,
        },
        actor: request.caller.id().to_string(),
        request: request.request_id.as_u64_pair(),
        now: opened.now,
        today: calendar::day(opened.now, zone),
        permissions,
    }
}

/// Of what the deployment does by itself, which may do everything. `actor`: `system:...`.
pub fn of_system(actor: &str, generation: &Generation, tenant: Uuid, request: Uuid, now: i64) -> Facts {
    Facts {
        tenant: tenant.as_u64_pair(),
        actor_kind: ActorKind::System,
        actor: actor.into(),
        request: request.as_u64_pair(),
        now,
        today: calendar::day(now, "UTC"),
        permissions: generation.permissions.keys().cloned().collect(),
    }
}
