//! The part of an order's receipts that no invoice bills yet. A line of an invoice may name the line of a receipt, or
//! only the order's line: then it bills no receipt in particular.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::run;
use stoa_sdk::{Id, Problem, map, set};
use stoa_trade::quantity::{Quantity, Tracking, of_pieces};

use crate::records::side::Side;
use crate::work::invoice::claim::find_claims;
use crate::work::ordered::{OrderedLine, ReceivedLine};

/// The part of a receipt's line that is to be billed.
#[derive(Debug, PartialEq)]
pub struct Unbilled {
    pub order_item: Id,
    pub receipt_item: Id,
    pub quantity: Quantity,
    /// All units to bill of a serialized line.
    pub units: Vec<Id>,
}

/// The quantity still to be billed; none if nothing is left.
pub fn rest_to_bill(quantity: Quantity, billed: Quantity) -> Option<Quantity> {
    quantity.checked_sub(billed).filter(|open| *open > Quantity::ZERO)
}

/// The unbilled parts of these receipts, the oldest receipt first.
pub fn find_unbilled(ordered: &BTreeMap<Id, OrderedLine>, received: &[ReceivedLine]) -> Result<Vec<Unbilled>, Problem> {
    let units: Vec<Id> = received.iter().flat_map(|came| came.units.iter().copied()).collect();
    let claims = run(find_claims(Side::Purchases, &units))?.unwrap_or_default();
    let claimed = set(claims.into_iter().filter(|claim| claim.invoice_id.is_some()).map(|claim| claim.claim_key));
    Ok(subtract_billed(ordered, received, &claimed))
}

/// An invoice bills the units that it claims. For other goods, a quantity that is billed on the order's line and on no receipt's
/// line counts against the oldest receipts.
fn subtract_billed(
    ordered: &BTreeMap<Id, OrderedLine>,
    received: &[ReceivedLine],
    claimed: &BTreeSet<Id>,
) -> Vec<Unbilled> {
    let mut elsewhere: BTreeMap<Id, Quantity> = map(ordered.values().map(|line| (line.id, line.billed)));
    for came in received {
        if let Some(billed) = elsewhere.get_mut(&came.order_item) {
            *billed = billed.checked_sub(came.billed).unwrap_or_default();
        }
    }
    let mut unbilled = Vec::new();
    for came in received {
        let Some((line, elsewhere)) = ordered.get(&came.order_item).zip(elsewhere.get_mut(&came.order_item)) else {
            continue;
        };
        let mut units = Vec::new();
        let quantity = if line.tracking == Tracking::Serialized {
            units.extend(came.units.iter().filter(|unit| !claimed.contains(unit)));
            Some(of_pieces(units.len())).filter(|quantity| !quantity.is_zero())
        } else {
            let open = rest_to_bill(came.quantity, came.billed).unwrap_or_default();
            let taken = open.min(*elsewhere);
            *elsewhere = elsewhere.checked_sub(taken).unwrap_or_default();
            rest_to_bill(open, taken)
        };
        let part = |quantity| Unbilled { order_item: came.order_item, receipt_item: came.id, quantity, units };
        unbilled.extend(quantity.map(part));
    }
    unbilled
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: Id = Id(1, 1);
    const OLD: Id = Id(2, 1);
    const NEW: Id = Id(2, 2);

    fn order_line(tracking: Tracking, billed: usize) -> BTreeMap<Id, OrderedLine> {
        let line = OrderedLine {
            id: LINE,
            order: Id(3, 1),
            party: Id(3, 2),
            entity: Id(3, 3),
            currency_code: "EUR".to_owned(),
            is_billable: true,
            variant: Id(3, 4),
            tracking,
            quantity: of_pieces(9),
            billed: of_pieces(billed),
            unit_amount: Default::default(),
        };
        map([(LINE, line)])
    }

    fn came(id: Id, quantity: usize, billed: usize, units: &[u64]) -> ReceivedLine {
        ReceivedLine {
            id,
            order_item: LINE,
            quantity: of_pieces(quantity),
            billed: of_pieces(billed),
            units: units.iter().map(|unit| Id(4, *unit)).collect(),
        }
    }

    fn rest(
        ordered: &BTreeMap<Id, OrderedLine>,
        received: &[ReceivedLine],
        claimed: &[u64],
    ) -> Vec<(Id, usize, Vec<u64>)> {
        let claimed = claimed.iter().map(|unit| Id(4, *unit)).collect();
        let shown = |unbilled: Unbilled| {
            let pieces = stoa_trade::quantity::pieces(unbilled.quantity).unwrap();
            (unbilled.receipt_item, pieces, unbilled.units.iter().map(|unit| unit.1).collect())
        };
        subtract_billed(ordered, received, &claimed).into_iter().map(shown).collect()
    }

    #[test]
    fn d3_what_names_no_receipt_counts_against_the_oldest() {
        for (billed, of_receipts, expected) in [
            (0, [0, 0], vec![(OLD, 3, vec![]), (NEW, 2, vec![])]),
            (1, [0, 0], vec![(OLD, 2, vec![]), (NEW, 2, vec![])]),
            (4, [0, 0], vec![(NEW, 1, vec![])]),
            (5, [0, 0], vec![]),
            // Billed in advance: more than came.
            (8, [0, 0], vec![]),
            (2, [0, 2], vec![(OLD, 3, vec![])]),
            (4, [1, 1], vec![(NEW, 1, vec![])]),
            (5, [3, 1], vec![]),
        ] {
            let received = [came(OLD, 3, of_receipts[0], &[]), came(NEW, 2, of_receipts[1], &[])];
            assert_eq!(
                rest(&order_line(Tracking::Quantity, billed), &received, &[]),
                expected,
                "{billed} {of_receipts:?}"
            );
        }
    }

    #[test]
    fn d3_units_are_billed_where_they_are_claimed() {
        let received = [came(OLD, 2, 0, &[1, 2]), came(NEW, 1, 0, &[3])];
        for (claimed, expected) in [
            (vec![], vec![(OLD, 2, vec![1, 2]), (NEW, 1, vec![3])]),
            (vec![3], vec![(OLD, 2, vec![1, 2])]),
            (vec![2], vec![(OLD, 1, vec![1]), (NEW, 1, vec![3])]),
            (vec![1, 2, 3], vec![]),
        ] {
            let ordered = order_line(Tracking::Serialized, claimed.len());
            assert_eq!(rest(&ordered, &received, &claimed), expected, "{claimed:?}");
        }
    }
}
