//! Invoices against what was applied to them and what the party's ledger says (FI1, FI3, FI5, FI10).

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, find, get_all, read, select};
use stoa_sdk::{Field, Finding, Id, all, has, map, set, totals};
use stoa_trade::quantity::{Amount, Money, Tracking, narrow, sum};

use crate::records::application::ApplicationRow;
use crate::records::credit::CreditRow;
use crate::records::invoice::{InvoiceBalanceRow, InvoiceRow, InvoiceStatus};
use crate::records::invoice_line::InvoiceLineRow;
use crate::records::party_entry::{PartyAccount, PartyEntryRow};
use crate::records::payment::PaymentRow;
use crate::records::unit_claim::UnitClaimRow;
use crate::verify::finding;

/// Invoices of a batch; each has 100 lines at most.
pub const INVOICES: u32 = 15;

totals! { Applied of ApplicationRow by [invoice_id: Id] { amount: Money = sum(amount) } }

totals! { Claimed of UnitClaimRow by [invoice_id: Option<Id>] { count: i64 = count } }

totals! { Owed of PartyEntryRow by [invoice_id: Option<Id>] { amount: Money = sum(amount) } }

/// FI1: the applied amounts add up, and balance and total with them; FI5: as many units as billed; FI10: settled when
/// nothing is owed.
pub fn check_invoices(rows: &[InvoiceRow]) -> Vec<Finding> {
    let ids = || rows.iter().map(|row| row.id);
    let standing =
        has::<InvoiceRow, _, _>(InvoiceLineRow::line_set_id, InvoiceRow::line_set_id, InvoiceRow::id.one_of(ids()));
    let of_invoices = all([PartyEntryRow::invoice_id.one_of(ids()), PartyEntryRow::account.eq(PartyAccount::Invoices)]);
    let (paid, applied, owed, claimed, lines) = read((
        find::<InvoiceBalanceRow>("invoice", ids().map(|id| vec![id.put()])),
        aggregate::<Applied>(ApplicationRow::invoice_id.one_of(ids())).whole(),
        aggregate::<Owed>(of_invoices).whole(),
        aggregate::<Claimed>(UnitClaimRow::invoice_id.one_of(ids())).whole(),
        select::<InvoiceLineRow>(standing).whole(),
    ));
    let paid: BTreeMap<Id, InvoiceBalanceRow> = map(paid.into_iter().map(|paid| (paid.invoice_id, paid)));
    let applied: BTreeMap<Id, Money> = map(applied.into_iter().map(|group| (group.invoice_id, group.amount)));
    let owed: BTreeMap<Option<Id>, Money> = map(owed.into_iter().map(|group| (group.invoice_id, group.amount)));
    let claimed: BTreeMap<Option<Id>, i64> = map(claimed.into_iter().map(|group| (group.invoice_id, group.count)));
    let mut findings = Vec::new();
    for row in rows {
        let invoice_lines: Vec<&InvoiceLineRow> = lines.iter().filter(|line| line.invoice_id == row.id).collect();
        findings.extend(check_lines(row, &invoice_lines));
        findings.extend(check_claims(row, &invoice_lines, claimed.get(&Some(row.id)).copied().unwrap_or_default()));
        let taken = applied.get(&row.id).copied().unwrap_or_default();
        let entered = owed.get(&Some(row.id)).copied().unwrap_or_default();
        findings.extend(check_balance(row, paid.get(&row.id), taken, entered));
    }
    findings
}

fn check_lines(row: &InvoiceRow, lines: &[&InvoiceLineRow]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let total: Option<Amount> = sum(lines.iter().map(|line| line.line_total)).ok();
    if total.and_then(narrow) != Some(row.total) {
        findings.push(finding("FI1", row.id, "The invoice's total is not the sum of its lines."));
    }
    let is_short =
        |line: &&&InvoiceLineRow| line.tracking == Tracking::Serialized && line.unit_ids.0.len() != line.pieces();
    if row.status == InvoiceStatus::Issued && lines.iter().any(|line| is_short(&line)) {
        findings.push(finding(
            "FI5",
            row.id,
            "A serialized line of the issued invoice names other than as many units.",
        ));
    }
    findings
}

/// An issued invoice has a claim for each unit that it bills, another none.
fn check_claims(row: &InvoiceRow, lines: &[&InvoiceLineRow], claimed: i64) -> Option<Finding> {
    let billed: usize = match row.status {
        InvoiceStatus::Issued => lines.iter().map(|line| line.unit_ids.0.len()).sum(),
        InvoiceStatus::Draft | InvoiceStatus::Void => 0,
    };
    let message = "The invoice claims other than the units that it bills.";
    (usize::try_from(claimed) != Ok(billed)).then(|| finding("FI5", row.id, message))
}

fn check_balance(row: &InvoiceRow, paid: Option<&InvoiceBalanceRow>, taken: Money, entered: Money) -> Vec<Finding> {
    let Some(paid) = paid else {
        let is_missing = row.status == InvoiceStatus::Issued;
        return is_missing.then(|| finding("FI1", row.id, "The issued invoice has no balance.")).into_iter().collect();
    };
    let mut findings = Vec::new();
    let is_issued = row.status == InvoiceStatus::Issued;
    let due = if is_issued { row.total } else { Money::ZERO };
    if paid.applied != taken || sum([paid.balance, taken]).ok() != Some(due) {
        findings.push(finding("FI1", row.id, "Applications, balance and total of the invoice differ."));
    }
    if paid.balance != entered {
        findings.push(finding("FI11", row.id, "The party's ledger has another balance of the invoice."));
    }
    if paid.settled_on.is_some() != (is_issued && paid.balance.is_zero()) {
        findings.push(finding("FI10", row.id, "The invoice is settled and owed, or neither."));
    }
    findings
}

/// FI3: an application joins a source and an invoice of one party, legal entity, currency and side.
pub fn check_applications(rows: &[ApplicationRow]) -> Vec<Finding> {
    let (invoices, payments, credits) = read((
        get_all::<InvoiceRow>(set(rows.iter().map(|row| row.invoice_id))),
        get_all::<PaymentRow>(set(rows.iter().filter_map(|row| row.payment_id))),
        get_all::<CreditRow>(set(rows.iter().filter_map(|row| row.credit_id))),
    ));
    let joins = |row: &ApplicationRow| {
        let invoice = invoices.iter().find(|invoice| invoice.id == row.invoice_id);
        let fits = invoice.is_some_and(|invoice| {
            (invoice.side, invoice.party_id, invoice.legal_entity_id) == (row.side, row.party_id, row.legal_entity_id)
                && invoice.currency_code == row.currency_code
        });
        let payment = payments.iter().find(|payment| Some(payment.id) == row.payment_id);
        let credit = credits.iter().find(|credit| Some(credit.id) == row.credit_id);
        let source = match (payment, credit) {
            (Some(payment), None) => (payment.side, payment.party_id, payment.legal_entity_id, &payment.currency_code),
            (None, Some(credit)) => (credit.side, credit.party_id, credit.legal_entity_id, &credit.currency_code),
            _ => return false,
        };
        fits && source == (row.side, row.party_id, row.legal_entity_id, &row.currency_code)
    };
    let stray = rows.iter().filter(|row| !joins(row));
    let message = "The application joins what is not of one party, legal entity, currency and side.";
    stray.map(|row| finding("FI3", row.id, message)).collect()
}
