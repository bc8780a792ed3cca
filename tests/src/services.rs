//! Services of modules as tests call them: by the types of their WIT, through a guest that makes the calls of one request in one
//! transaction.

use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde_json::json;
pub use stoa_wire::{Key, finance, inventory, ledger, procurement, sales};

use crate::host::Settings;
use crate::{Answer, Company, Database, Folder, Stoa, modules};

/// The host with the guests that call services, in addition to the real modules; shared by the tests of this database.
pub fn host(database: Database) -> Stoa {
    static HOSTS: [OnceLock<Result<Stoa, String>>; 2] = [OnceLock::new(), OnceLock::new()];
    let folder = folder();
    let start = || Stoa::try_start(database, Settings::default().modules(folder.path()));
    let started = HOSTS[database as usize].get_or_init(start).clone();
    started.unwrap_or_else(|said| panic!("the host with the guests did not start: {said}"))
}

/// The real modules with the guests next to them.
pub fn folder() -> &'static Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let names = ["porter", "poster", "clerk", "seller", "teller"];
        let guests = names.map(|name| (format!("{name}.wasm"), modules::guest(name)));
        modules::with(&guests.each_ref().map(|(name, bytes)| (name.as_str(), bytes.as_slice())))
    })
}

/// An id as services spell it.
#[track_caller]
pub fn key(id: &str) -> Key {
    let id: uuid::Uuid = id.parse().unwrap_or_else(|_| panic!("no id: {id}"));
    id.as_u64_pair()
}

/// A service's id as the interface spells it.
pub fn id(key: Key) -> String {
    uuid::Uuid::from_u64_pair(key.0, key.1).to_string()
}

/// Ids as services spell them.
pub fn keys(ids: &[String]) -> Vec<Key> {
    ids.iter().map(|id| key(id)).collect()
}

/// An id that nothing has.
pub fn new_key() -> Key {
    uuid::Uuid::now_v7().as_u64_pair()
}

/// The answer of the call at this place.
#[track_caller]
pub fn read_answer<T: DeserializeOwned>(answer: &Answer, index: usize) -> T {
    let said = answer["answers"].get(index).unwrap_or_else(|| panic!("no answer {index}: {answer}"));
    T::deserialize(said).unwrap_or_else(|error| panic!("answer {index} is of another type: {error}: {answer}"))
}

impl Company {
    /// Calls inventory's services in one transaction.
    #[track_caller]
    pub fn try_inventory(&self, calls: &[inventory::Call]) -> Answer {
        self.post("porter/calls", json!({ "calls": calls }))
    }

    /// The same within the limits of an ordinary operation.
    #[track_caller]
    pub fn try_inventory_with_ordinary_limits(&self, calls: &[inventory::Call]) -> Answer {
        self.post("porter/small-calls", json!({ "calls": calls }))
    }

    /// Calls one of inventory's services, as it must succeed.
    #[track_caller]
    pub fn call_inventory<T: DeserializeOwned>(&self, call: inventory::Call) -> T {
        read_answer(&self.try_inventory(&[call]).is(201), 0)
    }

    /// Calls procurement's services in one transaction.
    #[track_caller]
    pub fn try_procurement(&self, calls: &[procurement::Call]) -> Answer {
        self.post("clerk/calls", json!({ "calls": calls }))
    }

    /// Calls one of procurement's services, as it must succeed.
    #[track_caller]
    pub fn call_procurement<T: DeserializeOwned>(&self, call: procurement::Call) -> T {
        read_answer(&self.try_procurement(&[call]).is(201), 0)
    }

    /// Calls the ledger's services in one transaction.
    #[track_caller]
    pub fn try_ledger(&self, calls: &[ledger::Call]) -> Answer {
        self.post("poster/calls", json!({ "calls": calls }))
    }
}
