//! A batch of a stage: the rows that it looks at, and what it answers.

use stoa_sdk::store::{Rows, read, select};
use stoa_sdk::{Entity, Filter, Finding, Id};

/// A batch of a stage: what is wrong, and the last id where more follow.
pub type Batch = (Vec<Finding>, Option<Id>);

/// Documents of a batch: their lines stay below what a few calls answer.
const BATCH: u32 = 20;

/// A finding about a row; never with a word of what it holds.
pub fn finding(invariant: &str, resource: Id, message: &str) -> Finding {
    Finding { invariant: invariant.to_owned(), resource: Some(resource.into()), message: message.to_owned() }
}

/// The next rows of a stage, and the last id where more follow.
pub fn read_rows<R: Entity>(after: Option<Id>) -> (Vec<R>, Option<Id>) {
    let page: Rows<R> = read(select(Filter::default()).after(after).limit(BATCH));
    let last = page.items.last().map(Entity::id).filter(|_| page.more);
    (page.items, last)
}
