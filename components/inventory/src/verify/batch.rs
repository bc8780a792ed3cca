//! A batch of a stage: the rows that it looks at, and what it answers.

use stoa_sdk::store::{Rows, read, select};
use stoa_sdk::{Entity, Filter, Finding, Id};

/// A batch of a stage: what is wrong, and the last id where more follow.
pub type Batch = (Vec<Finding>, Option<Id>);

/// What is wrong with a row; never with a word of what it holds.
pub fn finding(invariant: &str, resource: Id, message: &str) -> Finding {
    Finding { invariant: invariant.to_owned(), resource: Some(resource.into()), message: message.to_owned() }
}

/// Rows of a batch; its look-ups stay below what one call takes.
pub const BATCH: u32 = 200;

/// The next rows of a stage, and the last id where more follow.
pub struct Page<R> {
    pub rows: Vec<R>,
    pub last: Option<Id>,
}

/// Reads the rows of a batch that meet a filter; none where no row is left.
pub fn read_page<R: Entity>(filter: Filter, after: Option<Id>, limit: u32) -> Option<Page<R>> {
    let page: Rows<R> = read(select(filter).after(after).limit(limit));
    let last = page.items.last().map(Entity::id)?;
    Some(Page { rows: page.items, last: Some(last).filter(|_| page.more) })
}

/// A batch in which nothing is wrong, and the last.
pub const NOTHING_LEFT: Batch = (Vec::new(), None);
