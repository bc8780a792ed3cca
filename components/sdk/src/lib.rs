//! The API for module authors: ids, instants and decimals, typed collections, store calls in batches, routes whose schemas come
//! from the Rust types that decode them, and the one seam to the host.
//!
//! A module is a type that implements [`Module`] and one line, [`export_module!`]. Its code never names the wire: the same
//! functions run as a component, natively in a benchmark and in unit tests (see [`host`]). `components/README.md` is the guide.
//!
//! A whole module, with one collection and two operations:
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use stoa_sdk::store::{Failure, get, insert, run};
//! use stoa_sdk::{
//!     Answer, Call, Decimal, Entity, EventData, EventKind, Id, Manifest, Module, Operation, Problem, Reply, Text, collection, emit,
//!     new_id, now,
//! };
//!
//! collection! {
//!     pub record CardRow in "card" {
//!         code: String,
//!         balance: Decimal<6>,
//!     }
//!     unique { code: [code] }
//!     checks { balance: [balance >= 0] }
//! }
//!
//! /// The request's body: the comments of input and response are the contract's descriptions.
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct CardInput {
//!     /// Unique in the company.
//!     code: Text<1, 64>,
//!     balance: Decimal<6>,
//! }
//!
//! /// The response, and the data of an event.
//! #[derive(Serialize, JsonSchema)]
//! struct Card {
//!     id: Id,
//!     code: String,
//!     balance: Decimal<6>,
//! }
//!
//! impl EventData for Card {
//!     fn example() -> Card {
//!         Card { id: Id(1, 2), code: "GIFT-50".to_owned(), balance: Decimal::from_units(50_000_000) }
//!     }
//! }
//!
//! const CREATED: EventKind<Card> = EventKind::new("cards.card.created", "CARD", "A card was created.");
//!
//! const OPERATIONS: &[Operation] = &[
//!     Operation::create("/cards", "createCard", create).summary("Create a card")
//!         .needs(&["cards.write"]).body::<CardInput>().answers::<Card>()
//!         .writes("CARD", &[CREATED.code]).problems(&["DUPLICATE"]),
//!     Operation::read("/cards/{id}", "getCard", read).summary("A card")
//!         .needs(&["cards.read"]).answers::<Card>(),
//! ];
//!
//! fn create(call: &Call) -> Answer {
//!     let input: CardInput = call.body()?;
//!     let row = CardRow {
//!         id: new_id(),
//!         version: 1,
//!         created_at: now(),
//!         updated_at: now(),
//!         code: input.code.into(),
//!         balance: input.balance,
//!     };
//!     match run(insert([&row])) {
//!         Err(Failure::Duplicate(_)) => return Err(Problem::duplicate("/code")),
//!         inserted => inserted?,
//!     };
//!     emit([CREATED.of(row.id, None, &card(&row))]);
//!     Ok(Reply::json(&card(&row)).of(row.id, row.version))
//! }
//!
//! fn read(call: &Call) -> Answer {
//!     let row: CardRow = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
//!     Ok(Reply::json(&card(&row)).of(row.id, row.version))
//! }
//!
//! fn card(row: &CardRow) -> Card {
//!     Card { id: row.id, code: row.code.clone(), balance: row.balance }
//! }
//!
//! struct Cards;
//!
//! impl Module for Cards {
//!     const MANIFEST: Manifest = Manifest {
//!         operations: &[OPERATIONS],
//!         collections: &[CardRow::collection],
//!         permissions: &[("cards.read", "Read cards."), ("cards.write", "Create cards.")],
//!         events: &[CREATED.declare()],
//!         ..Manifest::new("cards", "1.0.0", "Cards with a balance.")
//!     };
//! }
//!
//! stoa_sdk::export_module!(Cards);
//!
//! # fn main() {
//! let descriptor = Cards::descriptor();
//! assert_eq!(descriptor.routes[1].operation, "getCard");
//! assert_eq!(descriptor.routes[0].body.as_ref().unwrap()["$ref"], "#/$defs/CardInput");
//! assert!(descriptor.schemas["CardInput"]["properties"].get("balance").is_some());
//! # }
//! ```

#![warn(missing_docs)]

// First: the modules below use its macros by name.
#[macro_use]
mod plain;

#[allow(missing_docs, reason = "generated; the comments are those of the WIT")]
pub mod bindings;
mod call;
mod collection;
mod date;
mod decimal;
mod event;
mod extending;
#[allow(missing_docs, reason = "generated; the comments are those of the WIT")]
pub mod extension;
mod field;
mod filter;
mod hint;
pub mod host;
mod id;
mod instant;
mod json;
mod kept;
mod module;
mod operation;
mod page;
mod problem;
mod reply;
#[cfg(not(target_arch = "wasm32"))]
pub mod scripted;
mod service;
mod service_access;
mod sets;
pub mod store;
pub mod text;

pub use bindings::commerce::platform::context::{ActorKind, Facts};
pub use bindings::commerce::platform::problems::{Bound, Bounds};
pub use bindings::exports::commerce::platform::module::{Call, Created, Finding, Findings, Item, Problem, Reply, Step};
pub use collection::{Entity, Record, View};
pub use date::Date;
pub use decimal::Decimal;
pub use event::{DeclaredEvent, EventData, EventKind, emit};
#[cfg(not(target_arch = "wasm32"))]
pub use extending::stand_in_extended;
pub use extending::{Extends, Received, Receives, Shows, Timer, Window, is_extended, reject_extension, shows_at};
pub use field::{Column, Field};
pub use filter::{Filter, all, any, contains, has};
pub use hint::{Hints, ListHint, ReferenceHint};
pub use host::{facts, holds, new_id, new_ids, now, tenant, today};
pub use id::Id;
pub use instant::Instant;
pub use json::Json;
pub use kept::Kept;
pub use module::{Manifest, Module, ProvisionOptions};
pub use operation::{Client, Operation};
pub use page::{Limit, Page, fit_page};
pub use problem::item;
pub use reply::{Answer, etag};
pub use service_access::ServiceAccess;
pub use sets::{map, set};
pub use stoa_descriptor as descriptor;
pub use stoa_descriptor::schemas::keep_if_omitted;
pub use stoa_descriptor::{Moment, Schemas};
pub use stoa_iso::{country, currency};
pub use text::Text;

/// Exports `$module` as the component's `commerce:platform/module`. Native builds export nothing, so that several modules
/// can be part of one program.
#[macro_export]
macro_rules! export_module {
    ($module:ident) => {
        #[cfg(target_arch = "wasm32")]
        $crate::bindings::export!($module with_types_in $crate::bindings);
    };
}

/// Exports the listener of `$module`, for a manifest that `receives` events: `export_listener!(Loyalty);`
#[macro_export]
macro_rules! export_listener {
    ($module:ident) => {
        #[cfg(target_arch = "wasm32")]
        $crate::extension::listening::export!($module with_types_in $crate::extension::listening);
    };
}

/// Exports the timers of `$module`, for a manifest with `timers`.
#[macro_export]
macro_rules! export_timer {
    ($module:ident) => {
        #[cfg(target_arch = "wasm32")]
        $crate::extension::timed::export!($module with_types_in $crate::extension::timed);
    };
}

/// Exports the views of `$module`, for a manifest that `shows` members in responses of other modules.
#[macro_export]
macro_rules! export_views {
    ($module:ident) => {
        #[cfg(target_arch = "wasm32")]
        $crate::extension::viewing::export!($module with_types_in $crate::extension::viewing);
    };
}

#[doc(hidden)]
pub mod macros {
    pub use schemars;
    pub use serde;
    pub use serde_json;
}
