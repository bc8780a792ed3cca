//! Services that a module offers, as Rust.

use stoa_sdk::store::{MOST_KEYS, get_all, read};
use stoa_sdk::{Entity, Id};

use crate::clients::Key;

/// The rows of these ids, read in as few calls as the store allows; unknown ids are absent.
pub fn read_rows<R: Entity>(ids: Vec<Key>) -> Vec<R> {
    let ids: Vec<Id> = ids.into_iter().map(Id::from).collect();
    ids.chunks(MOST_KEYS).flat_map(|ids| read(get_all::<R>(ids.iter().copied()))).collect()
}

/// Generates the services of a module from its world: text of WIT, and the folder of its package. Ids and problems are
/// those of the SDK; the module's crate depends on `wit-bindgen`.
#[macro_export]
macro_rules! offered_services {
    ($package:tt, $world:tt) => {
        wit_bindgen::generate!({
            inline: $world,
            path: ["../../wit/platform", $package],
            with: {
                "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
                "commerce:platform/problems@0.1.0": stoa_sdk::bindings::commerce::platform::problems,
            },
            additional_derives: [PartialEq],
            generate_all,
        });
    };
}
