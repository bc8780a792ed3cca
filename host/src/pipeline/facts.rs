//! Facts of the request that a module may read.

use std::sync::Arc;

use uuid::Uuid;

use super::opening::Opened;
use super::request::{Caller, Request};
use crate::calendar;
use crate::observe::trail::RequestTrail;
use crate::sandbox::{Held, RequestFacts};
use crate::wit::context::{ActorKind, Facts};

/// Facts of a caller's request.
pub fn facts(request: &Request, opened: &Opened, tenant: Uuid) -> RequestFacts {
    let permissions = match &opened.standing {
        Some(standing) if standing.owner => Held::Declared(request.generation.clone()),
        Some(standing) => Held::These(standing.permissions.clone()),
        None => Held::These(Arc::default()),
    };
    let zone = opened.standing.as_ref().map_or("UTC", |standing| standing.time_zone.as_str());
    let facts = Facts {
        tenant: tenant.as_u64_pair(),
        actor_kind: match request.caller {
            Caller::User(_) => ActorKind::User,
            Caller::Client(_) => ActorKind::ApiClient,
        },
        actor: request.caller.id().to_string(),
        request: request.request_id.as_u64_pair(),
        now: opened.company_now(),
        today: calendar::day(opened.company_now(), zone),
        horizon: None,
    };
    RequestFacts { facts, instant: opened.now, permissions, trail: request.trail.clone(), draft_calls: None }
}

/// Facts of the deployment's own actions, which may do everything. `actor`: `system:...`.
pub fn of_system(actor: &str, tenant: Uuid, request: Uuid, now: i64) -> RequestFacts {
    let facts = Facts {
        tenant: tenant.as_u64_pair(),
        actor_kind: ActorKind::System,
        actor: actor.into(),
        request: request.as_u64_pair(),
        now,
        today: calendar::day(now, "UTC"),
        horizon: None,
    };
    RequestFacts {
        facts,
        instant: now,
        permissions: Held::All,
        trail: Arc::new(RequestTrail::new(request)),
        draft_calls: None,
    }
}
