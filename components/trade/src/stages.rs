//! Verifying a module's invariants in stages: each looks at its rows batch by batch, every batch in one snapshot. The
//! cursor names the stage and the last id.

use stoa_sdk::store::{Rows, read, select};
use stoa_sdk::{Entity, Filter, Finding, Findings, Id};

/// The findings about the rows of a batch, and the last id where more follow.
pub type Batch = (Vec<Finding>, Option<Id>);

/// A stage's name, and its next batch after the last id of the batch before.
pub type Stage = (&'static str, fn(Option<Id>) -> Batch);

/// A batch in which nothing is wrong, and the last.
pub const NOTHING_LEFT: Batch = (Vec::new(), None);

/// The batch that the cursor names, of these stages in their order.
pub fn verify_stages(stages: &[Stage], cursor: Option<&str>) -> Findings {
    let (name, after) = match cursor.and_then(|cursor| cursor.split_once(':')) {
        Some((name, id)) => (Some(name), id.parse().ok()),
        None => (stages.first().map(|(name, _)| *name), None),
    };
    let position = stages.iter().position(|(stage, _)| Some(*stage) == name);
    let Some((index, (name, stage))) = position.and_then(|index| Some((index, stages.get(index)?))) else {
        return Findings { findings: Vec::new(), next: None };
    };
    let (findings, last) = stage(after);
    let next = match last {
        Some(id) => Some(format!("{name}:{id}")),
        None => stages.get(index + 1).map(|(next, _)| format!("{next}:")),
    };
    Findings { findings, next }
}

/// A finding about a row; never with a word of what it holds.
pub fn finding(invariant: &str, resource: Id, message: &str) -> Finding {
    Finding { invariant: invariant.to_owned(), resource: Some(resource.into()), message: message.to_owned() }
}

/// The rows of a batch, and the last id where more follow.
#[derive(Debug)]
pub struct BatchRows<R> {
    /// In the order of their ids.
    pub rows: Vec<R>,
    /// None where these are the last.
    pub last: Option<Id>,
}

/// Reads the rows of a batch that meet a filter; none if no row is left.
pub fn read_batch<R: Entity>(filter: Filter, after: Option<Id>, limit: u32) -> Option<BatchRows<R>> {
    let page: Rows<R> = read(select(filter).after(after).limit(limit));
    let last = page.items.last().map(Entity::id)?;
    Some(BatchRows { rows: page.items, last: Some(last).filter(|_| page.more) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(after: Option<Id>) -> Batch {
        match after {
            None => (vec![finding("one", Id(0, 1), "It is wrong.")], Some(Id(0, 7))),
            Some(_) => NOTHING_LEFT,
        }
    }

    fn second(_: Option<Id>) -> Batch {
        NOTHING_LEFT
    }

    #[test]
    fn a_cursor_leads_through_every_stage() {
        let stages: &[Stage] = &[("first", first), ("second", second)];
        let mut cursors = Vec::new();
        let (mut cursor, mut found) = (None, 0);
        loop {
            let findings = verify_stages(stages, cursor.as_deref());
            found += findings.findings.len();
            match findings.next {
                Some(next) => cursors.push(next.clone()),
                None => break,
            }
            cursor = cursors.last().cloned();
        }
        assert_eq!(cursors, ["first:00000000-0000-0000-0000-000000000007", "second:"]);
        assert_eq!(found, 1);
        assert!(verify_stages(stages, Some("gone:")).next.is_none());
    }
}
