//! Lines of a body with their pointers, and the faults that are found line by line.

use std::collections::BTreeSet;
use std::fmt;

use stoa_sdk::{Id, Item, item};

/// The lines of a body, and the pointer of their list.
#[derive(Debug)]
pub struct Lines<'a, T> {
    pointer: &'a str,
    lines: &'a [T],
}

impl<T> Clone for Lines<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Lines<'_, T> {}

/// Where a line is; shown, it is the pointer `/items/3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePointer<'a> {
    pointer: &'a str,
    nth: usize,
}

impl fmt::Display for LinePointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.pointer, self.nth)
    }
}

impl LinePointer<'_> {
    /// The pointer of a member: `/items/3/quantity`.
    pub fn member(self, name: &str) -> String {
        format!("{self}/{name}")
    }

    /// The pointer of an entry of a member: `/items/3/unitIds/0`.
    pub fn entry(self, name: &str, nth: usize) -> String {
        format!("{self}/{name}/{nth}")
    }

    /// The line's place in its list, from 0: what `line_no` keeps.
    pub fn line_no(self) -> i64 {
        i64::try_from(self.nth).unwrap_or(i64::MAX)
    }
}

impl<'a, T> Lines<'a, T> {
    /// The lines at this pointer, such as `/items`.
    pub fn at(pointer: &'a str, lines: &'a [T]) -> Self {
        Lines { pointer, lines }
    }

    /// Each line with its pointer.
    pub fn iter(self) -> impl Iterator<Item = (LinePointer<'a>, &'a T)> + Clone {
        let pointer = self.pointer;
        self.lines.iter().enumerate().map(move |(nth, line)| (LinePointer { pointer, nth }, line))
    }

    /// A fault at the member of each line that is wrong.
    pub fn faults(self, member: &str, code: &str, is_wrong: impl Fn(&T) -> bool) -> Vec<Item> {
        let wrong = self.iter().filter(|(_, line)| is_wrong(line));
        wrong.map(|(pointer, _)| item(pointer.member(member), code)).collect()
    }

    /// REPEATED at the member of each line whose key an earlier line has: "distinct lines".
    pub fn find_repeats<K: Ord>(self, member: &str, key: impl Fn(&T) -> K) -> Vec<Item> {
        let mut seen = BTreeSet::new();
        let again = self.iter().filter(|(_, line)| !seen.insert(key(line)));
        again.map(|(pointer, _)| item(pointer.member(member), "REPEATED")).collect()
    }

    /// A fault at each wrong id of a member that lists ids, such as the units of a line.
    pub fn id_faults(
        self,
        member: &str,
        code: &str,
        ids: impl Fn(&T) -> &[Id],
        is_wrong: impl Fn(&T, Id) -> bool,
    ) -> Vec<Item> {
        let mut faults = Vec::new();
        for (pointer, line) in self.iter() {
            let wrong = ids(line).iter().enumerate().filter(|(_, id)| is_wrong(line, **id));
            faults.extend(wrong.map(|(nth, _)| item(pointer.entry(member, nth), code)));
        }
        faults
    }

    /// REPEATED at each id that is stated earlier in the lists of all lines.
    pub fn repeated_ids(self, member: &str, ids: impl Fn(&T) -> &[Id]) -> Vec<Item> {
        let mut seen = BTreeSet::new();
        let mut faults = Vec::new();
        for (pointer, line) in self.iter() {
            faults.extend(find_repeated_ids(&pointer.member(member), ids(line), &mut seen));
        }
        faults
    }
}

/// REPEATED at each id of the list at this pointer that was seen before, in it or in an earlier list.
pub fn find_repeated_ids(pointer: &str, ids: &[Id], seen: &mut BTreeSet<Id>) -> Vec<Item> {
    let again = ids.iter().enumerate().filter(|(_, id)| !seen.insert(**id));
    again.map(|(nth, _)| item(format!("{pointer}/{nth}"), "REPEATED")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Line {
        variant: Id,
        quantity: i64,
        units: Vec<Id>,
    }

    fn line(variant: u64, quantity: i64, units: &[u64]) -> Line {
        Line { variant: Id(0, variant), quantity, units: units.iter().map(|id| Id(1, *id)).collect() }
    }

    fn describe(faults: Vec<Item>) -> Vec<String> {
        faults.into_iter().map(|fault| format!("{} {}", fault.pointer, fault.code)).collect()
    }

    #[test]
    fn faults_point_at_their_lines() {
        let body = [line(1, 0, &[1, 2]), line(2, 1, &[2, 3]), line(1, 0, &[3]), line(1, 5, &[])];
        let items = Lines::at("/items", &body);
        for (faults, expected) in [
            (
                items.faults("quantity", "RANGE", |line| line.quantity == 0),
                vec!["/items/0/quantity RANGE", "/items/2/quantity RANGE"],
            ),
            (
                items.find_repeats("variantId", |line| line.variant),
                vec!["/items/2/variantId REPEATED", "/items/3/variantId REPEATED"],
            ),
            (
                items.repeated_ids("unitIds", |line| &line.units),
                vec!["/items/1/unitIds/0 REPEATED", "/items/2/unitIds/0 REPEATED"],
            ),
            (
                items.id_faults(
                    "unitIds",
                    "NOT_FOUND",
                    |line| &line.units,
                    |line, id| line.quantity == 0 && id == Id(1, 2),
                ),
                vec!["/items/0/unitIds/1 NOT_FOUND"],
            ),
            (items.faults("quantity", "RANGE", |_| false), vec![]),
        ] {
            assert_eq!(describe(faults), expected);
        }
        let places: Vec<(String, i64)> =
            items.iter().map(|(pointer, _)| (pointer.to_string(), pointer.line_no())).collect();
        assert_eq!(places[3], ("/items/3".to_owned(), 3));
    }
}
