//! Records of the module, and what people, API clients and events see of them.

pub mod entry;
pub mod permission;

use stoa_sdk::Entity;
use stoa_sdk::descriptor::Collection;

/// Every collection.
pub const COLLECTIONS: &[fn() -> Collection] = &[entry::EntryRow::collection];
