//! Which serial units an invoice bills, and whether they are all there (rules 8 and 9, finance-ledger.md B3). An issued
//! invoice is never completed afterwards.

use std::collections::BTreeSet;

use stoa_sdk::{Id, Item, Problem, item, set};
use stoa_trade::refusal::{illegal, refuse};

use crate::records::invoice_line::InvoiceLineRow;
use crate::records::side::Side;

/// Delivery state and units of an order's line.
#[derive(Debug, Clone, Default)]
pub struct Fulfilment {
    /// The order is delivered whole. A purchase needs no such thing: the received quantity counts.
    pub is_delivered: bool,
    /// Units that were delivered or received for the line and that no other invoice bills.
    pub linked: Vec<Id>,
    /// Units that its order holds and did not deliver.
    pub held: Vec<Id>,
}

/// A line with the order behind it; None if there is no order.
pub type BilledLine<'a> = (&'a InvoiceLineRow, Option<Fulfilment>);

/// The counts of a refusal's item: of whole pieces, at most 1,000.
fn count_item(pointer: String, code: &str, required: usize, identified: usize) -> Item {
    let count = |count: usize| Some(u32::try_from(count).unwrap_or(u32::MAX).min(1_000));
    Item { required: count(required), identified: count(identified), ..item(pointer, code) }
}

fn faults<'a>(
    lines: &[BilledLine<'a>],
    code: &str,
    judge: impl Fn(&'a InvoiceLineRow, Option<&Fulfilment>) -> Option<usize>,
) -> Vec<Item> {
    let fault = |(line, behind): &BilledLine<'a>| {
        let identified = judge(line, behind.as_ref())?;
        Some(count_item(line.pointer(), code, line.pieces(), identified))
    };
    lines.iter().filter_map(fault).collect()
}

/// Steps 1 and 2, which hold of every way to post an invoice: it has lines, and no unit is stated without its variant.
///
/// # Errors
/// ILLEGAL_STATE with LINES_REQUIRED, FULFILMENT_INCOMPLETE with UNITS_DIFFER_FROM_QUANTITY.
pub fn check_lines(lines: &[BilledLine<'_>]) -> Result<(), Problem> {
    if lines.is_empty() {
        return Err(illegal("/lines", "LINES_REQUIRED"));
    }
    let without_units = faults(lines, "UNITS_DIFFER_FROM_QUANTITY", |line, _| {
        (line.variant_id.is_none() && !line.unit_ids.0.is_empty()).then_some(0)
    });
    refuse("FULFILMENT_INCOMPLETE", without_units)
}

/// The units of each line of an invoice that is posted without its goods: those that are named, or all that are linked
/// where none is named.
///
/// # Errors
/// FULFILMENT_REQUIRED, then FULFILMENT_INCOMPLETE, of all failing lines of the first step that fails.
pub fn units_to_issue(side: Side, lines: &[BilledLine<'_>]) -> Result<Vec<Vec<Id>>, Problem> {
    let missing = match side {
        Side::Sales => "DELIVERY_REQUIRED",
        Side::Purchases => "RECEIPT_REQUIRED",
    };
    let no_order = faults(lines, missing, |line, behind| {
        (line.is_serialized() && behind.is_none()).then_some(line.unit_ids.0.len())
    });
    refuse("FULFILMENT_REQUIRED", no_order)?;
    let not_there = faults(lines, missing, |line, behind| {
        let behind = behind.filter(|_| line.is_serialized())?;
        let is_short = match side {
            Side::Sales => !behind.is_delivered,
            Side::Purchases => behind.linked.len() < line.pieces(),
        };
        is_short.then(|| count_linked(line, &behind.linked))
    });
    refuse("FULFILMENT_INCOMPLETE", not_there)?;
    let mut chosen = Vec::new();
    let mut differing = Vec::new();
    for (line, behind) in lines {
        let Some(behind) = behind.as_ref().filter(|_| line.is_serialized()) else {
            chosen.push(Vec::new());
            continue;
        };
        let units = choose(line, &behind.linked);
        differing.extend(find_difference(line, &units));
        chosen.push(units);
    }
    refuse("FULFILMENT_INCOMPLETE", differing)?;
    Ok(chosen)
}

/// A fault where other than as many units were chosen for a line as it bills.
fn find_difference(line: &InvoiceLineRow, units: &[Id]) -> Option<Item> {
    let identified = if line.unit_ids.0.is_empty() { 0 } else { units.len() };
    (units.len() != line.pieces())
        .then(|| count_item(line.pointer(), "UNITS_DIFFER_FROM_QUANTITY", line.pieces(), identified))
}

/// The units of each line of a sales invoice that is confirmed together with the delivery of its order: those that are
/// named, or all that the order holds for it.
///
/// # Errors
/// UNIT_COUNT_MISMATCH of all failing lines.
pub fn units_to_deliver(lines: &[BilledLine<'_>]) -> Result<Vec<Vec<Id>>, Problem> {
    let mut chosen = Vec::new();
    let mut differing = Vec::new();
    for (line, behind) in lines {
        if !line.is_serialized() {
            chosen.push(Vec::new());
            continue;
        }
        let units = match behind {
            Some(behind) => choose(line, &behind.held),
            None => line.unit_ids.0.clone(),
        };
        differing.extend(find_difference(line, &units));
        chosen.push(units);
    }
    refuse("UNIT_COUNT_MISMATCH", differing)?;
    Ok(chosen)
}

/// Refuses serialized lines of a purchase for which another number of units is given than they bill; `given` counts for
/// each line.
///
/// # Errors
/// UNIT_COUNT_MISMATCH.
pub fn check_given(lines: &[&InvoiceLineRow], given: &[usize]) -> Result<(), Problem> {
    let differing = lines.iter().zip(given).filter(|(line, given)| line.is_serialized() && line.pieces() != **given);
    let fault = |(line, given): (&&InvoiceLineRow, &usize)| {
        count_item(line.pointer(), "UNITS_DIFFER_FROM_QUANTITY", line.pieces(), *given)
    };
    refuse("UNIT_COUNT_MISMATCH", differing.map(fault).collect())
}

/// How many units of a line are named and linked; of a line that names none, how many are linked.
fn count_linked(line: &InvoiceLineRow, linked: &[Id]) -> usize {
    if line.unit_ids.0.is_empty() { linked.len() } else { choose(line, linked).len() }
}

/// The named units that are among these; of a line that names none, all of these where it bills as many.
fn choose(line: &InvoiceLineRow, from: &[Id]) -> Vec<Id> {
    if line.unit_ids.0.is_empty() {
        return if from.len() == line.pieces() { from.to_vec() } else { Vec::new() };
    }
    let from: BTreeSet<Id> = set(from.iter().copied());
    line.unit_ids.0.iter().copied().filter(|unit| from.contains(unit)).collect()
}

#[cfg(test)]
mod tests {
    use stoa_trade::JsonList;
    use stoa_trade::quantity::Tracking;

    use super::*;
    use crate::tests::rows::line;

    fn units(ids: &[u64]) -> Vec<Id> {
        ids.iter().map(|id| Id(8, *id)).collect()
    }

    fn phones(place: i64, quantity: &str, named: &[u64]) -> InvoiceLineRow {
        InvoiceLineRow {
            tracking: Tracking::Serialized,
            unit_ids: JsonList(units(named)),
            ..line(place, quantity, "1")
        }
    }

    fn behind(is_delivered: bool, linked: &[u64], held: &[u64]) -> Option<Fulfilment> {
        Some(Fulfilment { is_delivered, linked: units(linked), held: units(held) })
    }

    /// The problem's code, and each item's code with both counts.
    fn refusal(problem: Problem) -> (String, Vec<(String, u32, u32)>) {
        let item = |error: Item| (error.code, error.required.unwrap_or(99), error.identified.unwrap_or(99));
        (problem.code, problem.errors.into_iter().map(item).collect())
    }

    #[test]
    fn f1_an_invoice_has_lines() {
        assert_eq!(
            refusal(check_lines(&[]).unwrap_err()),
            ("ILLEGAL_STATE".to_owned(), vec![("LINES_REQUIRED".to_owned(), 99, 99)])
        );
    }

    #[test]
    fn f24_a_unit_needs_its_variant() {
        let line = InvoiceLineRow { variant_id: None, ..phones(0, "1", &[1]) };
        let reported = refusal(check_lines(&[(&line, None)]).unwrap_err());
        assert_eq!(
            reported,
            ("FULFILMENT_INCOMPLETE".to_owned(), vec![("UNITS_DIFFER_FROM_QUANTITY".to_owned(), 1, 0)])
        );
    }

    #[test]
    fn f22_f26_f27_f29_what_is_billed_must_be_there() {
        for (side, quantity, named, behind, expected) in [
            (Side::Sales, "2", &[][..], None, Err(("FULFILMENT_REQUIRED", "DELIVERY_REQUIRED", 2, 0))),
            (Side::Purchases, "2", &[1], None, Err(("FULFILMENT_REQUIRED", "RECEIPT_REQUIRED", 2, 1))),
            (
                Side::Sales,
                "2",
                &[],
                behind(false, &[], &[1, 2]),
                Err(("FULFILMENT_INCOMPLETE", "DELIVERY_REQUIRED", 2, 0)),
            ),
            (Side::Sales, "2", &[], behind(true, &[1, 2], &[]), Ok(&[1, 2][..])),
            (
                Side::Sales,
                "1",
                &[],
                behind(true, &[1, 2], &[]),
                Err(("FULFILMENT_INCOMPLETE", "UNITS_DIFFER_FROM_QUANTITY", 1, 0)),
            ),
            (Side::Sales, "1", &[2], behind(true, &[1, 2], &[]), Ok(&[2])),
            (
                Side::Sales,
                "2",
                &[1, 9],
                behind(true, &[1, 2], &[]),
                Err(("FULFILMENT_INCOMPLETE", "UNITS_DIFFER_FROM_QUANTITY", 2, 1)),
            ),
            (
                Side::Purchases,
                "3",
                &[],
                behind(false, &[1, 2], &[]),
                Err(("FULFILMENT_INCOMPLETE", "RECEIPT_REQUIRED", 3, 2)),
            ),
            (Side::Purchases, "2", &[], behind(false, &[1, 2], &[]), Ok(&[1, 2])),
        ] {
            let line = phones(0, quantity, named);
            let reported = units_to_issue(side, &[(&line, behind)]).map_err(refusal);
            let expected = match expected {
                Ok(ids) => Ok(vec![units(ids)]),
                Err((code, item, required, identified)) => {
                    Err((code.to_owned(), vec![(item.to_owned(), required, identified)]))
                }
            };
            assert_eq!(reported, expected, "{side:?} {quantity} {named:?}");
        }
    }

    #[test]
    fn f22_f23_a_delivery_takes_what_is_named_or_held() {
        for (quantity, named, behind, expected) in [
            ("2", &[1, 2][..], None, Ok(&[1, 2][..])),
            ("2", &[1], None, Err((2, 1))),
            ("2", &[], behind(false, &[], &[1, 2]), Ok(&[1, 2])),
            ("1", &[], behind(false, &[], &[1, 2]), Err((1, 0))),
            ("1", &[2], behind(false, &[], &[1, 2]), Ok(&[2])),
        ] {
            let line = phones(0, quantity, named);
            let reported = units_to_deliver(&[(&line, behind)]).map_err(refusal);
            let mismatch = |(required, identified)| {
                (
                    "UNIT_COUNT_MISMATCH".to_owned(),
                    vec![("UNITS_DIFFER_FROM_QUANTITY".to_owned(), required, identified)],
                )
            };
            assert_eq!(reported, expected.map(|ids| vec![units(ids)]).map_err(mismatch), "{quantity} {named:?}");
        }
    }

    #[test]
    fn what_is_counted_needs_no_units() {
        let line = line(0, "2", "1");
        assert_eq!(units_to_issue(Side::Sales, &[(&line, None)]), Ok(vec![Vec::new()]));
        assert_eq!(check_given(&[&line], &[0]), Ok(()));
        let line = phones(0, "2", &[]);
        assert_eq!(
            refusal(check_given(&[&line], &[1]).unwrap_err()).1,
            [("UNITS_DIFFER_FROM_QUANTITY".to_owned(), 2, 1)]
        );
    }
}
