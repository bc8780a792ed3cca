//! The tree of categories: the place of each, and what a move means for those below it.
//!
//! Each category keeps its lineage, the ids from the root to itself, so that a whole branch is one look-up and a product
//! filter "with descendants" is one condition however large the tree is. Moves are rare and rewrite the branch.

use stoa_sdk::store::{MOST_ROWS, Update, get, lock_shared, run, select, update_all};
use stoa_sdk::{Id, Problem, contains, view};
use stoa_trade::Status;
use stoa_trade::pages::read_rest;
use stoa_trade::tree::{depth, lineage, relocate};

use crate::records::lookup::{Kind, LookupRow};

/// Levels from the root to the deepest category.
const DEPTH: usize = 8;
/// Categories below one that is moved, that are written at once.
const STEP: usize = 1_000;
/// Held shared by those that add a category under another, exclusive by those that move or archive one.
pub const LOCK: &str = "categories";

/// The place of a category, and the lineages that change with it.
#[derive(Debug, Default)]
pub struct Place {
    pub parent_id: Option<Id>,
    pub lineage: Option<String>,
    below: Vec<(Id, Option<String>)>,
}

impl Place {
    /// The changes of the categories below, each for a call of its own: the caller cannot bound the number of categories below.
    pub fn descendants(&self) -> impl Iterator<Item = Update<LookupRow>> {
        self.below.chunks(STEP).map(|below| {
            let lineages = below.iter().map(|(_, lineage)| lineage.clone());
            update_all(below.iter().map(|(id, _)| *id)).set_each(LookupRow::lineage, lineages)
        })
    }
}

view! { Branch of LookupRow { id: Id, lineage: Option<String> } }

/// The place of a new category.
pub fn place(id: Id, parent_id: Option<Id>) -> Result<Place, Problem> {
    let Some(parent_id) = parent_id else {
        return Ok(Place { parent_id: None, lineage: Some(lineage(None, id)), below: Vec::new() });
    };
    let (_, parent) = run((lock_shared(LOCK.to_owned()), get::<LookupRow>(parent_id)))?;
    let lineage = place_below(&require_parent(parent)?, id);
    if depth(&lineage) > DEPTH {
        return Err(Problem::illegal_state("/parentId"));
    }
    Ok(Place { parent_id: Some(parent_id), lineage: Some(lineage), below: Vec::new() })
}

/// The place of a category that is replaced, with its branch; anything but a moved category stays where it is.
pub fn relocate_branch(row: &LookupRow, parent_id: Option<Id>) -> Result<Place, Problem> {
    if row.kind != Kind::Categories || row.parent_id == parent_id {
        return Ok(Place { parent_id: row.parent_id, lineage: row.lineage.clone(), below: Vec::new() });
    }
    let below = contains("lineage", &row.id.to_string());
    let (parent, first) = run((parent_id.map(get::<LookupRow>), select::<Branch>(below.clone()).limit(MOST_ROWS)))?;
    let lineage = match parent {
        None => lineage(None, row.id),
        Some(parent) => place_below(&require_parent(parent)?, row.id),
    };
    let below = read_rest(first, &below, |category| category.id)?;
    let branch = below.iter().map(|category| (category.id, category.lineage.as_deref().unwrap_or_default()));
    let below = relocate(row.id, &lineage, branch, DEPTH).ok_or_else(|| Problem::illegal_state("/parentId"))?;
    let below = below.into_iter().map(|(id, lineage)| (id, Some(lineage))).collect();
    Ok(Place { parent_id, lineage: Some(lineage), below })
}

fn require_parent(parent: Option<LookupRow>) -> Result<LookupRow, Problem> {
    match parent {
        Some(row) if row.kind == Kind::Categories && row.status == Status::Active => Ok(row),
        Some(row) if row.kind == Kind::Categories => Err(Problem::reference_invalid("/parentId")),
        _ => Err(Problem::reference_missing("/parentId")),
    }
}

/// The lineage of a category below a parent; one without a lineage is a root.
fn place_below(parent: &LookupRow, id: Id) -> String {
    match parent.lineage.as_deref() {
        None => lineage(Some(&parent.id.to_string()), id),
        stated => lineage(stated, id),
    }
}
