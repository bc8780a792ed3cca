//! Collections, as the store judges them: what it would do to the tables, and what it refuses.

use stoa_descriptor::{Collection, Descriptor};

use super::{Change, codes};
use crate::store::{self, Tables};

/// Changes in a module's tables. `current`: the collections as they are recorded, or as the active descriptor lists them.
pub fn collections(current: &[Collection], candidate: &Descriptor) -> Vec<Change> {
    let refused = |faults: Vec<String>| {
        let change = |fault: String| {
            let (item, detail) = fault.split_once(": ").unwrap_or((&fault, ""));
            Change::new(codes::SCHEMA_NOT_ADDITIVE, item, detail)
        };
        faults.into_iter().map(change).collect::<Vec<_>>()
    };
    let wanted = match Tables::new(&candidate.name, &candidate.collections) {
        Ok(wanted) => wanted,
        Err(faults) => return refused(faults),
    };
    let mut changes = match store::plan(current, &wanted) {
        Ok(changes) => changes.into_iter().map(translate).collect(),
        Err(faults) => refused(faults),
    };
    for old in current {
        let Some(new) = candidate.collections.iter().find(|new| new.name == old.name) else {
            changes.push(Change::new(codes::COLLECTION_UNUSED, format!("collection {}", old.name), "its rows stay"));
            continue;
        };
        for column in old.columns.iter().filter(|column| !new.columns.iter().any(|other| other.name == column.name)) {
            // A required one without a default is refused above.
            if column.nullable || column.default.is_some() {
                let item = format!("collection {} column {}", old.name, column.name);
                changes.push(Change::new(codes::COLUMN_UNUSED, item, "its values stay"));
            }
        }
    }
    changes
}

fn translate(change: store::TableChange) -> Change {
    use store::TableChange as C;
    let detail = change.to_string();
    let detail = detail.split_once(": ").map_or(detail.as_str(), |(_, detail)| detail).to_owned();
    let (code, item) = match change {
        C::Table { collection } => (codes::COLLECTION_ADDED, format!("collection {collection}")),
        C::Column { collection, column } => (codes::COLUMN_ADDED, format!("collection {collection} column {column}")),
        C::Index { collection, columns } => (codes::INDEX_ADDED, format!("collection {collection} index {columns}")),
        C::Search { collection, group } => (codes::INDEX_ADDED, format!("collection {collection} search {group}")),
        C::Unique { collection, key } => (codes::CONSTRAINT_ADDED, format!("collection {collection} unique {key}")),
        C::Check { collection, check } => (codes::CONSTRAINT_ADDED, format!("collection {collection} check {check}")),
        C::DropUnique { collection, key } => {
            (codes::CONSTRAINT_DROPPED, format!("collection {collection} unique {key}"))
        }
        C::DropCheck { collection, check } => {
            (codes::CONSTRAINT_DROPPED, format!("collection {collection} check {check}"))
        }
    };
    Change::new(code, item, detail)
}
