//! Tills against their moves of cash, collections against their payments (FI7, FI8).

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, read};
use stoa_sdk::{Finding, Id, map, totals};
use stoa_trade::quantity::{Money, sum};

use crate::records::money_move::{MoneyMoveRow, MoveOrigin};
use crate::records::payment::PaymentRow;
use crate::records::till::{CollectionRow, TillRow};
use crate::verify::finding;

totals! { Cash of MoneyMoveRow by [session_id: Option<Id>] { amount: Money = sum(amount) } }

totals! { Components of PaymentRow by [receipt_id: Option<Id>] { amount: Money = sum(amount) } }

/// FI8: the amount that a drawer should hold is the sum of its cash, but for the variance that closing recorded.
pub fn check_tills(rows: &[TillRow]) -> Vec<Finding> {
    let of_sessions = MoneyMoveRow::session_id.one_of(rows.iter().map(|row| row.session_id));
    let cash =
        read(aggregate::<Cash>(of_sessions).when(Cash::amount, MoneyMoveRow::origin.ne(MoveOrigin::Variance)).whole());
    let cash: BTreeMap<Option<Id>, Money> = map(cash.into_iter().map(|group| (group.session_id, group.amount)));
    let differs = |row: &&TillRow| {
        let held = cash.get(&Some(row.session_id)).copied().unwrap_or_default();
        let counted = row.counted.zip(row.variance);
        let is_counted = counted.is_none_or(|(counted, variance)| sum([row.expected, variance]).ok() == Some(counted));
        row.expected != held || !is_counted
    };
    let found = rows.iter().filter(differs);
    found
        .map(|row| {
            finding("FI8", row.session_id, "The expected cash of the drawer differs from its movements of cash.")
        })
        .collect()
}

/// FI7: the components of a receipt add up to what was collected.
pub fn check_collections(rows: &[CollectionRow]) -> Vec<Finding> {
    let of_receipts = PaymentRow::receipt_id.one_of(rows.iter().map(|row| row.receipt_id));
    let paid = read(aggregate::<Components>(of_receipts).whole());
    let paid: BTreeMap<Option<Id>, Money> = map(paid.into_iter().map(|group| (group.receipt_id, group.amount)));
    let differs = |row: &&CollectionRow| paid.get(&Some(row.receipt_id)).copied().unwrap_or_default() != row.total;
    let found = rows.iter().filter(differs);
    let message = "The payments of the receipt differ from what was collected.";
    found.map(|row| finding("FI7", row.receipt_id, message)).collect()
}
