//! Records that the caller of a request reads.

use stoa_sdk::{Id, holds};

use crate::records::permission::READ;

/// The record that is in the way of a write, if its writer may read it too.
pub fn show_readable(record: Id) -> Option<Id> {
    READ.iter().all(|permission| holds(permission)).then_some(record)
}
