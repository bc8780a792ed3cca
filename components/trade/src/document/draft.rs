//! Replacing the lines of a draft. Rows are never deleted: a line that the replacement leaves out keeps its row with `line_no`
//! null, and when its key (variant, item, receipt item) returns the row is revived with its id, so that a line keeps one id for
//! the life of the document (sales-pos.md 7, inventory-procurement.md B5, E99, E255).

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::{Id, new_ids};

/// How a replacement sees a row of the draft.
#[derive(Debug, Clone, Copy)]
pub struct Kept<K> {
    /// The row's.
    pub id: Id,
    /// True if the line is in the draft: `line_no` is not null.
    pub is_live: bool,
    /// The key of a line; the rows of a draft have distinct keys.
    pub key: K,
}

/// A line of the replacement: what becomes of its row.
#[derive(Debug, PartialEq)]
pub struct Redrawn<'a, R> {
    /// The row's id, old or new.
    pub id: Id,
    /// The line's place in the replacement, from 0.
    pub line_no: i64,
    /// The row as it was, where the draft has had such a line; None: a row to insert.
    pub before: Option<&'a R>,
    /// True if the row comes back after an earlier replacement left it out.
    pub is_revived: bool,
}

/// The effect of a replacement on a draft.
#[derive(Debug, PartialEq)]
pub struct Replacement<'a, R> {
    /// For each stated line, in order.
    pub lines: Vec<Redrawn<'a, R>>,
    /// Rows whose line is in the draft and not in the replacement: their `line_no` becomes null.
    pub dropped: Vec<Id>,
}

/// Compares the rows of a draft, those left out before among them, with the lines of its replacement. `kept` says how a row is
/// known, `key` how a stated line is; the stated lines have distinct keys, which [`Lines::find_repeats`] sees to before.
///
/// It serves whatever a draft lists, such as the units chosen for a line: a unit is its own key.
///
/// [`Lines::find_repeats`]: super::lines::Lines::find_repeats
pub fn replace_lines<'a, R, L, K: Ord>(
    rows: &'a [R],
    kept: impl Fn(&R) -> Kept<K>,
    stated: &[L],
    key: impl Fn(&L) -> K,
) -> Replacement<'a, R> {
    let mut by_key: BTreeMap<K, (Id, bool, &R)> = BTreeMap::new();
    for row in rows {
        let Kept { id, is_live, key } = kept(row);
        by_key.insert(key, (id, is_live, row));
    }
    let found: Vec<Option<(Id, bool, &R)>> = stated.iter().map(|line| by_key.get(&key(line)).copied()).collect();
    let missing = found.iter().filter(|row| row.is_none()).count();
    let mut ids = new_ids(u32::try_from(missing).unwrap_or(u32::MAX)).into_iter();
    let mut lines = Vec::new();
    for (line_no, row) in (0..).zip(&found) {
        // As many ids were made as rows are missing.
        let Some(id) = row.map(|(id, ..)| id).or_else(|| ids.next()) else { continue };
        let is_revived = row.is_some_and(|(_, is_live, _)| !is_live);
        lines.push(Redrawn { id, line_no, before: row.map(|(.., row)| row), is_revived });
    }
    let staying: BTreeSet<Id> = stoa_sdk::set(lines.iter().map(|line| line.id));
    let live = rows.iter().map(kept).filter(|row| row.is_live);
    let dropped = live.map(|row| row.id).filter(|id| !staying.contains(id)).collect();
    Replacement { lines, dropped }
}

#[cfg(test)]
mod tests {
    use stoa_sdk::scripted::script;

    use super::*;

    struct Row {
        id: Id,
        line_no: Option<i64>,
        variant: u64,
    }

    fn row(id: u64, line_no: Option<i64>, variant: u64) -> Row {
        Row { id: Id(0, id), line_no, variant }
    }

    fn replace<'a>(rows: &'a [Row], stated: &[u64]) -> Replacement<'a, Row> {
        let kept = |row: &Row| Kept { id: row.id, is_live: row.line_no.is_some(), key: row.variant };
        replace_lines(rows, kept, stated, |variant| *variant)
    }

    #[test]
    fn lines_stay_come_go_and_return_with_their_ids() {
        let rows = [row(1, Some(0), 10), row(2, Some(1), 20), row(3, None, 30), row(4, None, 40)];
        for (stated, expected, dropped) in [
            // Only the order changes.
            (vec![20, 10], vec![(2, "kept"), (1, "kept")], vec![]),
            // 30 was left out once and comes back; 50 is new; 10 goes.
            (vec![30, 50, 20], vec![(3, "revived"), (101, "new"), (2, "kept")], vec![1]),
            // Rows that were left out before stay so, and are not dropped again.
            (vec![10], vec![(1, "kept")], vec![2]),
            (vec![60, 70], vec![(101, "new"), (102, "new")], vec![1, 2]),
            (vec![], vec![], vec![1, 2]),
        ] {
            // The scripted host counts its ids from 1 again.
            script([]);
            let replacement = replace(&rows, &stated);
            let seen: Vec<(u64, &str)> = replacement
                .lines
                .iter()
                .map(|line| match (line.before, line.is_revived) {
                    (None, _) => (100 + line.id.1, "new"),
                    (Some(_), true) => (line.id.1, "revived"),
                    (Some(_), false) => (line.id.1, "kept"),
                })
                .collect();
            assert_eq!(seen, expected, "{stated:?}");
            assert_eq!(replacement.dropped, dropped.iter().map(|id| Id(0, *id)).collect::<Vec<_>>(), "{stated:?}");
            let line_nos: Vec<i64> = replacement.lines.iter().map(|line| line.line_no).collect();
            assert_eq!(line_nos, (0..).take(stated.len()).collect::<Vec<i64>>());
            let before = replacement.lines.iter().zip(&stated);
            assert!(before.clone().all(|(line, variant)| line.before.is_none_or(|row| row.variant == *variant)));
        }
    }
}
