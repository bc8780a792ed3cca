//! What a module author writes against: ids, instants and decimals, typed collections, store calls in batches, routes whose
//! schemas come from the Rust types that decode them, and the one seam to the host.
//!
//! A module is a type that implements [`Module`] and one line, [`export_module!`]. Its code never names the wire: the same
//! functions run as a component, natively in a benchmark and in unit tests (see [`host`]).

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
mod query;
mod reply;
mod schema;
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
pub use schema::Schemas;
pub use service::NativeService;
pub use sets::{map, set};
pub use stoa_descriptor as descriptor;
pub use text::Text;

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
