//! The account of a run: how each line ended, and how many records were written.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

use crate::fault::Fault;

/// Numbers of records.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Counts {
    /// Created products.
    pub products: usize,
    /// Variants that existing products gained.
    pub variants: usize,
    /// Products and variants that were replaced.
    pub changed: usize,
    /// Lookups that were created.
    pub lookups: usize,
    pub prices: usize,
    pub media: usize,
    /// Stock levels that were counted.
    pub stock: usize,
    /// Products, prices, media and stock levels that the service had as the file states them.
    pub unchanged: usize,
}

/// Numbers of lines. The first is the sum of the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LineCounts {
    pub lines: usize,
    pub imported_lines: usize,
    pub unchanged_lines: usize,
    pub failed_lines: usize,
    /// Lines that a stopped run did not come to.
    pub unsent_lines: usize,
}

#[derive(Default)]
pub struct Tally {
    pub counts: Counts,
    pub faults: Vec<Fault>,
    /// Lines with an error that is reported once for several.
    pub failed: HashSet<u64>,
    /// Lines of which something was written.
    pub written: HashSet<u64>,
    /// Lines of which something is as the service has it.
    pub same: HashSet<u64>,
    /// Lines of products that were not created: their prices have no variant.
    pub left_out: HashSet<u64>,
}

impl Tally {
    /// Leaves out a product: each of its rows that has no fault of its own is reported with the bad one.
    pub fn leave_out(&mut self, rows: &[u64], faults: Vec<Fault>) {
        let is_bad = |line: &u64| faults.iter().any(|fault| fault.line == *line) || self.failed.contains(line);
        let first = rows.iter().copied().find(|line| is_bad(line));
        let rest = rows.iter().filter(|line| !is_bad(line));
        let skipped: Vec<Fault> = rest.map(|line| Fault::new_skipped(*line, first.unwrap_or(*line))).collect();
        self.faults.extend(faults);
        self.faults.extend(skipped);
        self.left_out.extend(rows);
    }

    /// How each line ended: with an error, else written, else as it was. `states_nothing`: lines that state nothing are as
    /// they were, once everything was sent.
    pub fn count_lines(&self, lines: &BTreeSet<u64>, states_nothing: &HashSet<u64>) -> LineCounts {
        let faulty: HashSet<u64> = self.faults.iter().map(|fault| fault.line).collect();
        let mut counts = LineCounts { lines: lines.len(), ..LineCounts::default() };
        for line in lines {
            let count = if faulty.contains(line) || self.failed.contains(line) {
                &mut counts.failed_lines
            } else if self.written.contains(line) {
                &mut counts.imported_lines
            } else if self.same.contains(line) || states_nothing.contains(line) {
                &mut counts.unchanged_lines
            } else {
                &mut counts.unsent_lines
            };
            *count += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_ends_in_one_way() {
        let mut tally = Tally::default();
        tally.failed.insert(4);
        tally.leave_out(&[3, 4, 5], Vec::new());
        tally.leave_out(&[6, 7], vec![Fault::new(7, "sku", "FORMAT")]);
        tally.written.extend([2, 5, 8]);
        tally.same.extend([8, 9]);
        let reported: Vec<_> = tally.faults.iter().map(|fault| (fault.line, fault.because_of)).collect();
        assert_eq!(reported, [(3, Some(4)), (5, Some(4)), (7, None), (6, Some(7))]);
        let counts = tally.count_lines(&(2..=11).collect(), &HashSet::from([10]));
        let expected =
            LineCounts { lines: 10, imported_lines: 2, unchanged_lines: 2, failed_lines: 5, unsent_lines: 1 };
        assert_eq!(counts, expected);
        assert!(tally.left_out.contains(&6));
    }
}
