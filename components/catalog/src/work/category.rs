//! Placing and moving categories in their tree (`rules/lineage.rs`).

use stoa_sdk::store::{Update, get, lock_shared, run, select, update_all};
use stoa_sdk::{Id, Problem, contains};

use crate::records::Status;
use crate::records::lookup::{Kind, LookupRow};
use crate::rules::lineage::{Branch, is_too_deep, join, relocate};

/// Categories below one that is moved, at most.
const BRANCH: u32 = 1_900;
/// Held shared by those that add a category under another, exclusive by those that move or archive one.
pub const LOCK: &str = "categories";

/// Where a category stands, and the lineages that change with it.
#[derive(Debug, Default)]
pub struct Place {
    pub parent_id: Option<Id>,
    pub lineage: Option<String>,
    below: Vec<(Id, Option<String>)>,
}

impl Place {
    /// The change of the categories below.
    pub fn descendants(&self) -> Update<LookupRow> {
        let lineages = self.below.iter().map(|(_, lineage)| lineage.clone());
        update_all(self.below.iter().map(|(id, _)| *id)).set_each(LookupRow::lineage, lineages)
    }
}

/// The place of a new category.
pub fn place(id: Id, parent_id: Option<Id>) -> Result<Place, Problem> {
    let Some(parent_id) = parent_id else {
        return Ok(Place { parent_id: None, lineage: Some(id.to_string()), below: Vec::new() });
    };
    let (_, parent) = run((lock_shared(LOCK.to_owned()), get::<LookupRow>(parent_id)))?;
    let lineage = join(&require_parent(parent)?, id);
    if is_too_deep(&lineage) {
        return Err(Problem::illegal_state("/parentId"));
    }
    Ok(Place { parent_id: Some(parent_id), lineage: Some(lineage), below: Vec::new() })
}

/// The place of a category that is replaced, with its branch; anything but a moved category stays where it is.
pub fn relocate_branch(row: &LookupRow, parent_id: Option<Id>) -> Result<Place, Problem> {
    if row.kind != Kind::Categories || row.parent_id == parent_id {
        return Ok(Place { parent_id: row.parent_id, lineage: row.lineage.clone(), below: Vec::new() });
    }
    let own = row.id.to_string();
    let branch = select::<Branch>(contains("lineage", &own)).limit(BRANCH + 1);
    let (parent, branch) = run((parent_id.map(get::<LookupRow>), branch))?;
    let lineage = match parent {
        None => own.clone(),
        Some(parent) => join(&require_parent(parent)?, row.id),
    };
    if branch.more || branch.items.len() > BRANCH as usize {
        return Err(Problem::limit_exceeded());
    }
    relocate(&own, lineage, branch.items)
        .map(|(lineage, below)| Place { parent_id, lineage: Some(lineage), below })
        .ok_or_else(|| Problem::illegal_state("/parentId"))
}

fn require_parent(parent: Option<LookupRow>) -> Result<LookupRow, Problem> {
    match parent {
        Some(row) if row.kind == Kind::Categories && row.status == Status::Active => Ok(row),
        Some(row) if row.kind == Kind::Categories => Err(Problem::reference_invalid("/parentId")),
        _ => Err(Problem::reference_missing("/parentId")),
    }
}
