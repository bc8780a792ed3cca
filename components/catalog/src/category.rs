//! The tree of categories: where one stands, and what a move means for those below it.
//!
//! Each category keeps its lineage, the ids from the root to itself, so that a whole branch is one look-up and a product
//! filter "with descendants" is one condition however large the tree is. Moves are rare and rewrite the branch.

use stoa_sdk::store::{Update, get, lock_shared, run, select, update_all};
use stoa_sdk::{Id, Problem, contains, view};

use crate::lookup::{Kind, LookupRow, Status};

/// Levels from the root to the deepest category.
const DEPTH: usize = 8;
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

view! { Branch of LookupRow { id: Id, lineage: Option<String> } }

/// The place of a new category.
pub fn place(id: Id, parent_id: Option<Id>) -> Result<Place, Problem> {
    let Some(parent_id) = parent_id else {
        return Ok(Place { parent_id: None, lineage: Some(id.to_string()), below: Vec::new() });
    };
    let (_, parent) = run((lock_shared(LOCK.to_owned()), get::<LookupRow>(parent_id)))?;
    let lineage = under(usable(parent)?, id);
    if depth(&lineage) > DEPTH {
        return Err(Problem::illegal_state("/parentId"));
    }
    Ok(Place { parent_id: Some(parent_id), lineage: Some(lineage), below: Vec::new() })
}

/// The place of a category that is replaced, with its branch; anything but a moved category stays where it is.
pub fn moved(row: &LookupRow, parent_id: Option<Id>) -> Result<Place, Problem> {
    if row.kind != Kind::Categories || row.parent_id == parent_id {
        return Ok(Place { parent_id: row.parent_id, lineage: row.lineage.clone(), below: Vec::new() });
    }
    let own = row.id.to_string();
    let branch = select::<Branch>(contains("lineage", &own)).limit(BRANCH + 1);
    let (parent, branch) = run((parent_id.map(get::<LookupRow>), branch))?;
    let lineage = match parent {
        None => own.clone(),
        Some(parent) => under(usable(parent)?, row.id),
    };
    if branch.more || branch.items.len() > BRANCH as usize {
        return Err(Problem::limit_exceeded());
    }
    relocated(&own, lineage, branch.items)
        .map(|(lineage, below)| Place { parent_id, lineage: Some(lineage), below })
        .ok_or_else(|| Problem::illegal_state("/parentId"))
}

type Relocated = (String, Vec<(Id, Option<String>)>);

/// The new lineages of a branch; None where it would hang below itself or grow too deep.
fn relocated(own: &str, lineage: String, branch: Vec<Branch>) -> Option<Relocated> {
    if lineage.matches(own).count() > 1 || depth(&lineage) > DEPTH {
        return None;
    }
    let mut below = Vec::new();
    for category in branch {
        let (_, rest) = category.lineage.as_deref()?.split_once(own)?;
        if !rest.is_empty() {
            let moved = format!("{lineage}{rest}");
            if depth(&moved) > DEPTH {
                return None;
            }
            below.push((category.id, Some(moved)));
        }
    }
    Some((lineage, below))
}

fn usable(parent: Option<LookupRow>) -> Result<LookupRow, Problem> {
    match parent {
        Some(row) if row.kind == Kind::Categories && row.status == Status::Active => Ok(row),
        Some(row) if row.kind == Kind::Categories => Err(Problem::reference_invalid("/parentId")),
        _ => Err(Problem::reference_missing("/parentId")),
    }
}

fn under(parent: LookupRow, id: Id) -> String {
    match parent.lineage {
        Some(lineage) => format!("{lineage} {id}"),
        None => format!("{} {id}", parent.id),
    }
}

fn depth(lineage: &str) -> usize {
    lineage.split(' ').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lineage(of: &[u64]) -> String {
        of.iter().map(|n| Id(*n, 0).to_string()).collect::<Vec<_>>().join(" ")
    }

    fn branch(of: &[&[u64]]) -> Vec<Branch> {
        of.iter().map(|path| Branch { id: Id(path[path.len() - 1], 0), lineage: Some(lineage(path)) }).collect()
    }

    #[test]
    fn a_branch_moves_as_a_whole() {
        let own = Id(2, 0).to_string();
        let (at, below) = relocated(&own, lineage(&[7, 2]), branch(&[&[1, 2], &[1, 2, 3], &[1, 2, 3, 4]])).unwrap();
        assert_eq!(at, lineage(&[7, 2]));
        assert_eq!(below, [(Id(3, 0), Some(lineage(&[7, 2, 3]))), (Id(4, 0), Some(lineage(&[7, 2, 3, 4])))]);
    }

    #[test]
    fn neither_cycles_nor_a_ninth_level() {
        let own = Id(2, 0).to_string();
        assert!(relocated(&own, lineage(&[1, 2, 3, 2]), branch(&[&[1, 2]])).is_none());
        assert!(relocated(&own, lineage(&[2, 2]), branch(&[&[1, 2]])).is_none());
        assert!(relocated(&own, lineage(&[10, 11, 12, 13, 14, 15, 16, 2]), branch(&[&[1, 2]])).is_some());
        assert!(relocated(&own, lineage(&[10, 11, 12, 13, 14, 15, 16, 2]), branch(&[&[1, 2], &[1, 2, 3]])).is_none());
        assert!(relocated(&own, lineage(&[10, 11, 12, 13, 14, 15, 16, 17, 2]), branch(&[&[1, 2]])).is_none());
    }
}
