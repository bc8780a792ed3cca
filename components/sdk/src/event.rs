//! What integrators hear of.

use serde::Serialize;

use crate::bindings::commerce::platform::events::Event;
use crate::host::{self, fault};
use crate::id::Id;

/// An event of a resource. `data`: its public projection where one exists and the record is public, otherwise ids only.
pub fn event(kind: &str, resource_type: &str, resource: Id, version: Option<i64>, data: &impl Serialize) -> Event {
    let data = serde_json::to_string(data).unwrap_or_else(|_| fault("an event's data does not serialize"));
    Event { kind: kind.to_owned(), resource_type: resource_type.to_owned(), resource: resource.into(), version, data }
}

/// Puts the events into the transaction's outbox, parents before children.
pub fn emit(events: &[Event]) {
    if !events.is_empty() {
        host::emit(events);
    }
}
