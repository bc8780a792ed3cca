//! The module against a scripted host.

mod changes;
mod day_totals;
mod posting;
mod rows;
mod verify;

use stoa_sdk::Module;

use crate::Ledger;

#[test]
fn the_descriptor_can_be_written() {
    let descriptor = Ledger::descriptor();
    assert_eq!(descriptor.collections.len(), 14);
    assert!(descriptor.routes.iter().all(|route| route.read_only || route.audit.is_some()));
}
