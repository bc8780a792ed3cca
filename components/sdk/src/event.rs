//! Events for integrators: kinds of events, each declared once with the type of its data, and emitted by that type only.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use stoa_descriptor as descriptor;

use crate::bindings::commerce::platform::events::Event;
use crate::host::{self, fault};
use crate::id::Id;
use stoa_descriptor::Schemas;

/// The data of an event: the public projection of a record where one exists and the record is public, otherwise ids only.
pub trait EventData: Serialize + JsonSchema {
    /// A value as it would be sent: the contract shows it.
    fn example() -> Self;
}

/// A kind of event. One constant per kind, in the file of the record it is about:
///
/// ```text
/// pub const CREATED: EventKind<PublicPrice<'static>> = EventKind::new("pricing.price.created", "PRICE", "A price was created.");
/// ```
#[derive(Debug)]
pub struct EventKind<T> {
    /// As endpoints subscribe to it, and as an operation's `writes` names it.
    pub code: &'static str,
    /// The type of the resource that the event is about, as audit entries spell it.
    pub resource_type: &'static str,
    description: &'static str,
    data: PhantomData<fn() -> T>,
}

impl<T: EventData> EventKind<T> {
    /// `description`: what happened, in a sentence.
    pub const fn new(code: &'static str, resource_type: &'static str, description: &'static str) -> EventKind<T> {
        EventKind { code, resource_type, description, data: PhantomData }
    }

    /// The event that this happened to a resource. `version`: of a versioned document.
    #[track_caller]
    pub fn of(&self, resource: Id, version: Option<i64>, data: &T) -> Event {
        let Ok(data) = serde_json::to_string(data) else { fault("an event's data does not serialize") };
        Event {
            kind: self.code.to_owned(),
            resource_type: self.resource_type.to_owned(),
            resource: resource.into(),
            version,
            data,
        }
    }

    /// For the module's manifest.
    pub const fn declare(&self) -> DeclaredEvent {
        DeclaredEvent {
            code: self.code,
            resource_type: self.resource_type,
            description: self.description,
            data: Schemas::response::<T>,
            example: example::<T>,
        }
    }
}

fn example<T: EventData>() -> Value {
    serde_json::to_value(T::example()).unwrap_or_else(|_| fault("an event's example does not serialize"))
}

/// Declares the kinds of events about one type of resource that have the same data: the constant, its code, and a
/// sentence that says what happened.
///
/// ```text
/// event_kinds! { ApiWarehouse of WAREHOUSE:
///     WAREHOUSE_CREATED = "inventory.warehouse.created", "A warehouse was created.";
/// }
/// ```
#[macro_export]
macro_rules! event_kinds {
    ($data:ident of $resource_type:ident: $($kind:ident = $code:literal, $description:literal;)+) => {
        $(pub const $kind: $crate::EventKind<$data> = $crate::EventKind::new($code, $resource_type, $description);)+
    };
}

/// The events of a module for its manifest, by their kinds.
#[macro_export]
macro_rules! events {
    ($($kind:expr),* $(,)?) => {
        &[$($kind.declare()),*]
    };
}

/// A kind of event without the type of its data, for the manifest.
#[derive(Clone, Copy)]
pub struct DeclaredEvent {
    code: &'static str,
    resource_type: &'static str,
    description: &'static str,
    data: fn(&mut Schemas) -> Value,
    example: fn() -> Value,
}

impl DeclaredEvent {
    pub(crate) fn describe(&self, schemas: &mut Schemas) -> descriptor::EventKind {
        descriptor::EventKind {
            code: self.code.to_owned(),
            description: self.description.to_owned(),
            resource_type: self.resource_type.to_owned(),
            data: (self.data)(schemas),
            example: (self.example)(),
        }
    }
}

/// Puts the events into the transaction's outbox, parents before children.
pub fn emit(events: impl IntoIterator<Item = Event>) {
    let events: Vec<Event> = events.into_iter().collect();
    if !events.is_empty() {
        host::emit(&events);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, JsonSchema)]
    struct Card<'a> {
        code: &'a str,
    }

    impl EventData for Card<'_> {
        fn example() -> Self {
            Card { code: "A" }
        }
    }

    const CREATED: EventKind<Card<'static>> = EventKind::new("cards.card.created", "CARD", "A card was created.");

    #[test]
    fn a_kind_is_declared_and_emitted_by_one_type() {
        let mut schemas = Schemas::default();
        let kind = CREATED.declare().describe(&mut schemas);
        assert_eq!(kind.data, serde_json::json!({ "$ref": "#/$defs/Card" }));
        assert_eq!(kind.example, serde_json::json!({ "code": "A" }));
        let code = "B".to_owned();
        let event = CREATED.of(Id(1, 2), Some(3), &Card { code: &code });
        assert_eq!((event.kind.as_str(), event.data.as_str()), ("cards.card.created", "{\"code\":\"B\"}"));
    }
}
