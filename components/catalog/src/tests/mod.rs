//! The module against a scripted host: a tree larger than a page of the store, and what `verify` finds.

mod lookups;
mod verify;

use stoa_sdk::store::Value;

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}
