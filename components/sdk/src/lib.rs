//! What a module author writes against: ids, instants and decimals, typed collections, store calls in batches, routes whose
//! schemas come from the Rust types that decode them, and the one seam to the host.
//!
//! A module is a type that implements [`Module`] and one line, [`export_module!`]. Its code never names the wire: the same
//! functions run as a component, natively in a benchmark and in unit tests (see [`host`]). `components/README.md` is the guide.
//!
//! A whole module, with one collection and two operations:
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use stoa_sdk::descriptor::{Descriptor, Named};
//! use stoa_sdk::store::{Failure, get, insert, run};
//! use stoa_sdk::{
//!     Answer, Call, Created, Decimal, Entity, Findings, Id, Instant, Module, Operation, Problem, ProvisionOptions, Reply, Step,
//!     Text, collection, emit, event, facts, new_id,
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
//! /// What a caller sends: the comments of input and answer are the contract's descriptions.
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct CardInput {
//!     /// Unique in the company.
//!     code: Text<1, 64>,
//!     balance: Decimal<6>,
//! }
//!
//! /// What a caller gets.
//! #[derive(Serialize, JsonSchema)]
//! struct Card {
//!     id: Id,
//!     code: String,
//!     balance: Decimal<6>,
//! }
//!
//! const OPERATIONS: &[Operation] = &[
//!     Operation::create("/tenants/{tenantId}/cards", "createCard", create).summary("Create a card")
//!         .needs(&["cards.write"]).body::<CardInput>().answers::<Card>()
//!         .writes("CARD", &["cards.card.created"]).problems(&["DUPLICATE"]),
//!     Operation::read("/tenants/{tenantId}/cards/{id}", "getCard", read).summary("A card")
//!         .needs(&["cards.read"]).answers::<Card>(),
//! ];
//!
//! fn create(call: &Call) -> Answer {
//!     let input: CardInput = call.body()?;
//!     let now = Instant(facts().now);
//!     let row = CardRow {
//!         id: new_id(),
//!         version: 1,
//!         created_at: now,
//!         updated_at: now,
//!         code: input.code.into(),
//!         balance: input.balance,
//!     };
//!     match run(insert([&row])) {
//!         Err(Failure::Duplicate(_)) => return Err(Problem::duplicate("/code")),
//!         inserted => inserted?,
//!     };
//!     emit(&[event("cards.card.created", "CARD", row.id, None, &card(&row))]);
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
//!     const OPERATIONS: &'static [Operation] = OPERATIONS;
//!
//!     fn describe() -> Descriptor {
//!         let named = |code: &str, description: &str| Named { code: code.to_owned(), description: description.to_owned() };
//!         Descriptor {
//!             name: "cards".to_owned(),
//!             version: "1.0.0".to_owned(),
//!             description: "Cards with a balance.".to_owned(),
//!             routes: Vec::new(), // made from OPERATIONS
//!             collections: vec![CardRow::collection()],
//!             permissions: vec![named("cards.read", "Read cards."), named("cards.write", "Create cards.")],
//!             scopes: Vec::new(),
//!             events: vec![named("cards.card.created", "A card was created.")],
//!             problems: Vec::new(),
//!             onboarding: None,
//!             audit_filters: Vec::new(),
//!             schemas: serde_json::Map::new(), // likewise
//!         }
//!     }
//!
//!     fn provision(_: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
//!         Ok(Vec::new())
//!     }
//!
//!     fn checklist() -> Vec<Step> {
//!         Vec::new()
//!     }
//!
//!     fn verify(_: Option<String>) -> Findings {
//!         Findings { findings: Vec::new(), next: None }
//!     }
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

#[allow(missing_docs, reason = "generated; the comments are those of the WIT")]
pub mod bindings;
mod call;
pub mod card_number;
mod collection;
pub mod currency;
mod date;
mod decimal;
mod event;
mod field;
mod filter;
pub mod host;
mod id;
mod instant;
mod json;
mod module;
mod operation;
mod page;
mod problem;
mod reply;
#[cfg(not(target_arch = "wasm32"))]
pub mod scripted;
mod service;
mod sets;
pub mod store;
pub mod text;

pub use bindings::commerce::platform::context::{ActorKind, Facts};
pub use bindings::exports::commerce::platform::module::{Call, Created, Finding, Findings, Item, Problem, Reply, Step};
pub use collection::{Entity, View};
pub use date::Date;
pub use decimal::Decimal;
pub use event::{emit, event};
pub use field::{Column, Field};
pub use filter::{Filter, all, any, contains, has};
pub use host::{facts, new_id, new_ids};
pub use id::Id;
pub use instant::Instant;
pub use json::Json;
pub use module::{Module, ProvisionOptions};
pub use operation::{Operation, count, extend, extended_count, join};
pub use page::{Limit, Page, paged};
pub use problem::item;
pub use reply::{Answer, etag};
pub use service::NativeService;
pub use sets::{map, set};
pub use stoa_descriptor as descriptor;
pub use stoa_descriptor::Schemas;
pub use text::Text;

use stoa_descriptor::query;

/// Exports `$module` as the component's `commerce:platform/module`. Native builds export nothing, so that several modules
/// can stand in one program.
#[macro_export]
macro_rules! export_module {
    ($module:ident) => {
        #[cfg(target_arch = "wasm32")]
        $crate::bindings::export!($module with_types_in $crate::bindings);
    };
}

#[doc(hidden)]
pub mod macros {
    pub use schemars;
    pub use serde;
    pub use serde_json;
}
