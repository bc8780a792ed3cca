//! The tree of categories: where one stands, and what a move means for those below it.
//!
//! Each category keeps its lineage, the ids from the root to itself, so that a whole branch is one look-up and a product
//! filter "with descendants" is one condition however large the tree is. Moves are rare and rewrite the branch.

use stoa_sdk::{Id, view};

use crate::records::lookup::LookupRow;

/// Levels from the root to the deepest category.
const DEPTH: usize = 8;

view! { pub Branch of LookupRow { id: Id, lineage: Option<String> } }

/// The lineage of a category under a parent.
pub fn join(parent: &LookupRow, id: Id) -> String {
    match &parent.lineage {
        Some(lineage) => format!("{lineage} {id}"),
        None => format!("{} {id}", parent.id),
    }
}

/// Whether it has more levels than a tree may have.
pub fn is_too_deep(lineage: &str) -> bool {
    lineage.split(' ').count() > DEPTH
}

pub type Relocated = (String, Vec<(Id, Option<String>)>);

/// The new lineages of a branch; None where it would hang below itself or grow too deep.
pub fn relocate(own: &str, lineage: String, branch: Vec<Branch>) -> Option<Relocated> {
    if lineage.matches(own).count() > 1 || is_too_deep(&lineage) {
        return None;
    }
    let mut below = Vec::new();
    for category in branch {
        let (_, rest) = category.lineage.as_deref()?.split_once(own)?;
        if !rest.is_empty() {
            let moved = format!("{lineage}{rest}");
            if is_too_deep(&moved) {
                return None;
            }
            below.push((category.id, Some(moved)));
        }
    }
    Some((lineage, below))
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
        let (at, below) = relocate(&own, lineage(&[7, 2]), branch(&[&[1, 2], &[1, 2, 3], &[1, 2, 3, 4]])).unwrap();
        assert_eq!(at, lineage(&[7, 2]));
        assert_eq!(below, [(Id(3, 0), Some(lineage(&[7, 2, 3]))), (Id(4, 0), Some(lineage(&[7, 2, 3, 4])))]);
    }

    #[test]
    fn neither_cycles_nor_a_ninth_level() {
        let own = Id(2, 0).to_string();
        assert!(relocate(&own, lineage(&[1, 2, 3, 2]), branch(&[&[1, 2]])).is_none());
        assert!(relocate(&own, lineage(&[2, 2]), branch(&[&[1, 2]])).is_none());
        assert!(relocate(&own, lineage(&[10, 11, 12, 13, 14, 15, 16, 2]), branch(&[&[1, 2]])).is_some());
        assert!(relocate(&own, lineage(&[10, 11, 12, 13, 14, 15, 16, 2]), branch(&[&[1, 2], &[1, 2, 3]])).is_none());
        assert!(relocate(&own, lineage(&[10, 11, 12, 13, 14, 15, 16, 17, 2]), branch(&[&[1, 2]])).is_none());
    }
}
