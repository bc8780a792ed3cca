//! Trees of records: who may hang below whom, how deep, and never below itself. Small trees are read whole, as a map of parents;
//! large ones keep with each record its lineage, the ids from the root to itself, so that a branch is one look-up.

use std::collections::BTreeMap;

use stoa_sdk::Id;

/// Every record of a tree, with what it hangs below; roots hang below nothing.
pub type Parents = BTreeMap<Id, Option<Id>>;

/// The record and what it hangs below, up to the root.
pub fn line(parents: &Parents, from: Id) -> impl Iterator<Item = Id> {
    // One step more than there are records, so that a circle ends.
    std::iter::successors(Some(from), |id| *parents.get(id)?).take(parents.len() + 1)
}

/// Levels of the branch of this record, itself included.
pub fn height(parents: &Parents, record: Id) -> usize {
    let below = |id: Id| line(parents, id).position(|above| above == record).map(|steps| steps + 1);
    parents.keys().filter_map(|id| below(*id)).max().unwrap_or(1)
}

/// Returns whether `record` (`None`: a new one) may hang below `parent`: not below itself, and its branch not deeper than
/// `deepest` levels, the root included. A parent that is not in the tree takes nothing.
pub fn can_hang(parents: &Parents, parent: Id, record: Option<Id>, deepest: usize) -> bool {
    parents.contains_key(&parent)
        && record.is_none_or(|record| line(parents, parent).all(|above| above != record))
        && line(parents, parent).count() + record.map_or(1, |record| height(parents, record)) <= deepest
}

/// The lineage of a record below a parent of this lineage; without one, of a root.
pub fn lineage(parent: Option<&str>, id: Id) -> String {
    match parent {
        Some(parent) => format!("{parent} {id}"),
        None => id.to_string(),
    }
}

/// Levels from the root to the record of this lineage.
pub fn depth(lineage: &str) -> usize {
    lineage.split(' ').count()
}

/// The lineages of a branch whose top moves to `lineage`: of every record below the top, given with its lineage before. None
/// where the top would hang below itself or a record deeper than `deepest` levels.
pub fn relocate<'a>(
    top: Id,
    lineage: &str,
    branch: impl IntoIterator<Item = (Id, &'a str)>,
    deepest: usize,
) -> Option<Vec<(Id, String)>> {
    let top_text = top.to_string();
    if lineage.matches(&top_text).count() > 1 || depth(lineage) > deepest {
        return None;
    }
    let mut moved = Vec::new();
    for (id, before) in branch {
        let (_, rest) = before.split_once(&top_text)?;
        if rest.is_empty() {
            continue;
        }
        let after = format!("{lineage}{rest}");
        if depth(&after) > deepest {
            return None;
        }
        moved.push((id, after));
    }
    Some(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> Id {
        Id(number, 0)
    }

    #[test]
    fn a_record_hangs_neither_below_itself_nor_too_deep() {
        // 1 over 2 over 3 over 4 over 5; 8 has no relatives.
        let mut parents: Parents = (1..=5).map(|number| (id(number), (number > 1).then(|| id(number - 1)))).collect();
        parents.insert(id(8), None);
        for (parent, record, expected) in [
            (4, None, true),
            (5, None, false),
            (9, None, false),
            (3, Some(2), false),
            (2, Some(2), false),
            (8, Some(1), false),
            (8, Some(2), true),
            (1, Some(4), true),
        ] {
            assert_eq!(can_hang(&parents, id(parent), record.map(id), 5), expected, "{record:?} below {parent}");
        }
        assert_eq!([height(&parents, id(1)), height(&parents, id(5)), height(&parents, id(8))], [5, 1, 1]);
        // A circle in the data ends, and takes nothing.
        parents.insert(id(1), Some(id(5)));
        assert!(!can_hang(&parents, id(3), None, 5));
    }

    fn path(numbers: &[u64]) -> String {
        numbers
            .iter()
            .fold(None, |above: Option<String>, number| Some(lineage(above.as_deref(), id(*number))))
            .unwrap_or_default()
    }

    #[test]
    fn a_branch_moves_as_a_whole() {
        let deep = [10, 11, 12, 13, 14, 15, 16, 2];
        for (top_path, branch, expected) in [
            (&[7, 2][..], &[&[1, 2][..], &[1, 2, 3], &[1, 2, 3, 4]][..], Some(vec![vec![7, 2, 3], vec![7, 2, 3, 4]])),
            (&[2], &[&[1, 2], &[1, 2, 3]], Some(vec![vec![2, 3]])),
            (&[1, 2, 3, 2], &[&[1, 2]], None),
            (&[2, 2], &[&[1, 2]], None),
            (&deep, &[&[1, 2]], Some(vec![])),
            (&deep, &[&[1, 2], &[1, 2, 3]], None),
            (&[10, 11, 12, 13, 14, 15, 16, 17, 2], &[&[1, 2]], None),
        ] {
            let before: Vec<(Id, String)> =
                branch.iter().map(|numbers| (id(numbers.last().copied().unwrap_or(0)), path(numbers))).collect();
            let rows = before.iter().map(|(id, lineage)| (*id, lineage.as_str()));
            let moved = relocate(id(2), &path(top_path), rows, 8);
            let moved = moved.map(|rows| rows.into_iter().map(|(_, lineage)| lineage).collect::<Vec<_>>());
            let expected = expected.map(|rows| rows.iter().map(|numbers| path(numbers)).collect::<Vec<_>>());
            assert_eq!(moved, expected, "to {top_path:?}");
        }
        assert_eq!(depth(&path(&deep)), 8);
    }
}
