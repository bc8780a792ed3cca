//! Payments and credits against what was taken of them (FI2), and credits against what reports have of their lines (FI12).

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, find, read};
use stoa_sdk::{Field, Finding, Id, all, map, totals};
use stoa_trade::quantity::{Money, sum};

use crate::records::application::ApplicationRow;
use crate::records::credit::{CreditLineRow, CreditRow, CreditStatus, CreditedLineRow};
use crate::records::funds::FundsRow;
use crate::records::payment::{PaymentOrigin, PaymentRow, PaymentStatus};
use crate::records::refund::{RefundRow, RefundStatus};
use crate::verify::finding;

totals! { AppliedOfPayment of ApplicationRow by [payment_id: Option<Id>] { amount: Money = sum(amount) } }
totals! { AppliedOfCredit of ApplicationRow by [credit_id: Option<Id>] { amount: Money = sum(amount) } }
totals! { RefundedOfPayment of RefundRow by [payment_id: Option<Id>] { amount: Money = sum(amount) } }
totals! { RefundedOfCredit of RefundRow by [credit_id: Option<Id>] { amount: Money = sum(amount) } }
totals! { LinesOfSet of CreditLineRow by [line_set_id: Id] { amount: Money = sum(amount) } }
totals! { LinesOfCredit of CreditedLineRow by [credit_id: Id] { amount: Money = sum(amount) } }

/// The amount of a document, and the amounts taken of it.
struct Taken {
    id: Id,
    /// The most that invoices and refunds may take in all; none if it is not money.
    most: Option<Money>,
    /// True if its applications are its own, as those of a register's payment are.
    is_of_register: bool,
    applied: Money,
    refunded: Money,
}

fn judge(taken: &Taken, funds: Option<&FundsRow>) -> Option<Finding> {
    let Some(funds) = funds else {
        return taken.most.map(|_| finding("FI2", taken.id, "The document is posted and has no available amount."));
    };
    let adds_up = funds.applied == taken.applied && funds.refunded == taken.refunded;
    let left = match taken.most {
        Some(most) if !taken.is_of_register => sum([funds.available, taken.applied, taken.refunded]).ok() == Some(most),
        _ => funds.available.is_zero(),
    };
    (!(adds_up && left)).then(|| {
        finding("FI2", taken.id, "Applications, refunds and the available amount do not add up to the amount.")
    })
}

fn check(documents: Vec<Taken>) -> Vec<Finding> {
    if documents.is_empty() {
        return Vec::new();
    }
    let funds = read(find::<FundsRow>("source", documents.iter().map(|document| vec![document.id.put()])));
    let funds: BTreeMap<Id, FundsRow> = map(funds.into_iter().map(|funds| (funds.source_id, funds)));
    documents.iter().filter_map(|document| judge(document, funds.get(&document.id))).collect()
}

/// FI2 of payments.
pub fn check_payments(rows: &[PaymentRow]) -> Vec<Finding> {
    let ids = || rows.iter().map(|row| row.id);
    let refunds = all([RefundRow::payment_id.one_of(ids()), RefundRow::status.eq(RefundStatus::Recorded)]);
    let (applied, refunded) = read((
        aggregate::<AppliedOfPayment>(ApplicationRow::payment_id.one_of(ids())).whole(),
        aggregate::<RefundedOfPayment>(refunds).whole(),
    ));
    let applied: BTreeMap<Option<Id>, Money> = map(applied.into_iter().map(|group| (group.payment_id, group.amount)));
    let refunded: BTreeMap<Option<Id>, Money> = map(refunded.into_iter().map(|group| (group.payment_id, group.amount)));
    let taken = |row: &PaymentRow| Taken {
        id: row.id,
        most: matches!(row.status, PaymentStatus::Recorded | PaymentStatus::Confirmed).then_some(row.amount),
        is_of_register: row.origin == PaymentOrigin::PosReceipt,
        applied: applied.get(&Some(row.id)).copied().unwrap_or_default(),
        refunded: refunded.get(&Some(row.id)).copied().unwrap_or_default(),
    };
    check(rows.iter().map(taken).collect())
}

/// FI2 and FI12 of credits.
pub fn check_credits(rows: &[CreditRow]) -> Vec<Finding> {
    let mut findings = check_used_credits(rows);
    findings.extend(check_credited_lines(rows));
    findings
}

/// FI12: reports have the lines of a credit while it is RECOGNIZED, and nothing otherwise.
fn check_credited_lines(rows: &[CreditRow]) -> Vec<Finding> {
    let (stated, credited) = read((
        aggregate::<LinesOfSet>(CreditLineRow::line_set_id.one_of(rows.iter().map(|row| row.line_set_id))).whole(),
        aggregate::<LinesOfCredit>(CreditedLineRow::credit_id.one_of(rows.iter().map(|row| row.id))).whole(),
    ));
    let stated: BTreeMap<Id, Money> = map(stated.into_iter().map(|group| (group.line_set_id, group.amount)));
    let credited: BTreeMap<Id, Money> = map(credited.into_iter().map(|group| (group.credit_id, group.amount)));
    let differs = |row: &&CreditRow| {
        let due = stated.get(&row.line_set_id).filter(|_| row.status == CreditStatus::Recognized);
        due.copied().unwrap_or_default() != credited.get(&row.id).copied().unwrap_or_default()
    };
    let message = "Reports of sales have other amounts of the credit than its lines.";
    rows.iter().filter(differs).map(|row| finding("FI12", row.id, message)).collect()
}

fn check_used_credits(rows: &[CreditRow]) -> Vec<Finding> {
    let ids = || rows.iter().map(|row| row.id);
    let refunds = all([RefundRow::credit_id.one_of(ids()), RefundRow::status.eq(RefundStatus::Recorded)]);
    let (applied, refunded) = read((
        aggregate::<AppliedOfCredit>(ApplicationRow::credit_id.one_of(ids())).whole(),
        aggregate::<RefundedOfCredit>(refunds).whole(),
    ));
    let applied: BTreeMap<Option<Id>, Money> = map(applied.into_iter().map(|group| (group.credit_id, group.amount)));
    let refunded: BTreeMap<Option<Id>, Money> = map(refunded.into_iter().map(|group| (group.credit_id, group.amount)));
    let taken = |row: &CreditRow| Taken {
        id: row.id,
        most: (row.status == CreditStatus::Recognized).then_some(row.amount),
        is_of_register: false,
        applied: applied.get(&Some(row.id)).copied().unwrap_or_default(),
        refunded: refunded.get(&Some(row.id)).copied().unwrap_or_default(),
    };
    check(rows.iter().map(taken).collect())
}
