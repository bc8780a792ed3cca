//! Posting an invoice: from here on it is owed. Its orders are billed, its units claimed, its entry written, all in one
//! transaction (P10 and P12 of finance-ledger.md A6).

use std::collections::BTreeMap;

use stoa_sdk::store::{Failure, insert, update};
use stoa_sdk::{Date, Field, Id, Problem, item, new_id, new_ids, now};
use stoa_trade::clients::books::{self, Leg, Posting, Side as JournalSide, Target};
use stoa_trade::clients::{purchases, sales};
use stoa_trade::quantity::{Amount, Money, Quantity, multiply, sum, widen};
use stoa_trade::{JsonList, new_row};

use crate::records::invoice::{InvoiceBalanceRow, InvoiceRow, InvoiceStatus};
use crate::records::invoice_line::InvoiceLineRow;
use crate::records::party_entry::{PartyAccount, PartyAct};
use crate::records::revenue_line::RevenueLineRow;
use crate::records::side::Side;
use crate::rules::day::due_day;
use crate::work::entries::{PartyDocument, entry};
use crate::work::invoice::claim::take_claims;
use crate::work::invoice::collected::read_collected;
use crate::work::invoice::debt::owed_of;
use crate::work::invoice::locked::LockedInvoice;
use crate::work::month_totals::{Lines, write_lines};
use crate::work::ordered::Orders;
use crate::work::party::read_party;
use crate::work::posting::{EntrySource, Terms, draw_entry, leg, of_branch, party_leg};
use crate::work::taken::require_free;

/// How an invoice is posted.
#[derive(Debug, Clone)]
pub struct Posted {
    pub issued_on: Date,
    /// The day of its entry.
    pub posted_on: Date,
    /// Where the request states that day.
    pub on_pointer: &'static str,
    /// The document reference of a purchase.
    pub document_reference: Option<String>,
    /// Revenue of lines without an order is recognised on this day.
    pub recognized_on: Option<Date>,
    pub delivery_order: Option<Id>,
    pub receipt: Option<Id>,
}

/// The lines as the invoice bills them: with these units and, where goods came or went together with it, with the order's lines.
pub struct BilledLines {
    pub lines: Vec<InvoiceLineRow>,
    /// The claim key of each unit.
    pub claims: BTreeMap<Id, Id>,
}

/// The lines with their units; of orders that were read before.
pub fn with_units(invoice: &LockedInvoice, orders: &Orders, units: Vec<Vec<Id>>) -> BilledLines {
    let lines = invoice.lines.iter().cloned().zip(units);
    let lines: Vec<InvoiceLineRow> =
        lines.map(|(line, units)| InvoiceLineRow { unit_ids: JsonList(units), ..line }).collect();
    BilledLines { claims: claims_of(invoice.row.side, orders, &lines), lines }
}

/// The claim key of each billed unit: its allocation in a sale, itself in a purchase.
pub fn claims_of(side: Side, orders: &Orders, lines: &[InvoiceLineRow]) -> BTreeMap<Id, Id> {
    let mut claims = BTreeMap::new();
    for line in lines {
        let sold = line.order_item_id.and_then(|id| orders.units.get(&id)).map(Vec::as_slice).unwrap_or_default();
        for unit in &line.unit_ids.0 {
            let key = match side {
                Side::Sales => {
                    sold.iter().find(|sold_unit| sold_unit.unit == *unit).map(|sold_unit| sold_unit.allocation)
                }
                Side::Purchases => Some(*unit),
            };
            claims.extend(key.map(|key| (*unit, key)));
        }
    }
    claims
}

/// Posts the invoice, and answers it as it is after.
///
/// # Errors
/// LIMIT_EXCEEDED with BILLED_BEYOND_ORDER, ILLEGAL_STATE with COLLECTED_AT_REGISTER, DUPLICATE at
/// `/documentReference`, the codes of accounting.
pub fn post_invoice(invoice: &LockedInvoice, billed: BilledLines, how: &Posted) -> Result<InvoiceRow, Problem> {
    let row = &invoice.row;
    let due_on = match row.due_on {
        Some(due) => Some(due),
        None => {
            due_day(None, how.issued_on, read_party(row.side, row.party_id).and_then(|party| party.payment_term_days))
        }
    };
    let collected = read_collected(invoice, &billed.lines)?;
    bill(row.side, &billed.lines)?;
    let are_new = billed.lines != invoice.lines;
    let line_set_id = if are_new { new_id() } else { row.line_set_id };
    let after = InvoiceRow {
        status: InvoiceStatus::Issued,
        line_set_id,
        issued_on: Some(how.issued_on),
        due_on,
        posted_on: Some(how.posted_on),
        document_reference: how.document_reference.clone().or_else(|| row.document_reference.clone()),
        reference_key: how.document_reference.as_deref().map(str::to_lowercase),
        revenue_recognized_on: how.recognized_on,
        delivery_order_id: how.delivery_order,
        receipt_id: how.receipt,
        version: row.version + 1,
        updated_at: now(),
        ..row.clone()
    };
    let lines = if are_new { renew(&billed.lines, line_set_id) } else { Vec::new() };
    let keys: Vec<Id> = billed.claims.values().copied().collect();
    let (taken, claims) = take_claims(row.side, &keys, &invoice.claims, row.id);
    let debtor = row.debtor();
    let document = row.document();
    let owed = owed_of(&after, how.issued_on);
    let mut entries =
        vec![entry(&debtor, &document, PartyAct::Post, PartyAccount::Invoices, Some(owed), how.posted_on, row.total)];
    let mut postings = vec![post_debt(&after, &billed.lines, how)?];
    let revenue = how.recognized_on.map(|day| recognize(&after, &billed.lines, day)).transpose()?;
    let (revenue_lines, recognition) = revenue.map_or((Vec::new(), None), |(lines, posting)| (lines, Some(posting)));
    postings.extend(recognition);
    let settled = collected.map(|collected| collected.settle(&after, owed));
    let mut paid = new_balance(&after, how.posted_on);
    let (mut applications, mut funds) = (Vec::new(), None);
    if let Some(settled) = settled {
        paid = InvoiceBalanceRow {
            applied: row.total,
            balance: Money::ZERO,
            settled_on: Some(settled.on),
            collected: true,
            ..paid
        };
        entries.extend(settled.entries);
        postings.extend(settled.postings);
        applications = settled.applications;
        funds = Some(settled.funds);
    }
    let written = Lines { entries, revenue: revenue_lines, ..Lines::default() };
    let rest = (
        update::<InvoiceRow>(row.id).set_from(&after, POSTED_COLUMNS),
        insert(&lines),
        insert([&paid]),
        taken,
        insert(&claims),
        insert(&applications),
        funds,
    );
    if let Some(reference) = after.reference_key.clone() {
        let key = vec![row.legal_entity_id.put(), row.party_id.put(), reference.put()];
        require_free::<InvoiceRow>(row.side, "reference", key, "/documentReference")?;
    }
    write_lines(row.legal_entity_id, rest, &written).map_err(or_taken)?;
    books::post_all(&postings)?;
    Ok(after)
}

/// The columns that posting may change.
const POSTED_COLUMNS: &[&str] = &[
    "status",
    "line_set_id",
    "issued_on",
    "due_on",
    "posted_on",
    "document_reference",
    "reference_key",
    "revenue_recognized_on",
    "delivery_order_id",
    "receipt_id",
];

/// Another invoice that came meanwhile has the supplier's document, or one of the units.
fn or_taken(failure: Failure) -> Problem {
    match failure {
        Failure::Duplicate(clashes) if clashes.iter().any(|clash| clash.key == "reference") => {
            Problem::duplicate("/documentReference")
        }
        Failure::Duplicate(_) => Problem::new("VERSION_CONFLICT"),
        other => other.into(),
    }
}

/// The lines again, in a set of their own.
fn renew(lines: &[InvoiceLineRow], line_set_id: Id) -> Vec<InvoiceLineRow> {
    let ids = new_ids(u32::try_from(lines.len()).unwrap_or(u32::MAX));
    let line = |(line, id): (&InvoiceLineRow, Id)| new_row!(InvoiceLineRow { id, line_set_id, ..line.clone() });
    lines.iter().zip(ids).map(line).collect()
}

/// The balance of an invoice that was just posted: nothing is paid, or all of it where it is worth nothing.
fn new_balance(row: &InvoiceRow, posted_on: Date) -> InvoiceBalanceRow {
    new_row!(InvoiceBalanceRow {
        id: new_id(),
        invoice_id: row.id,
        side: row.side,
        legal_entity_id: row.legal_entity_id,
        party_id: row.party_id,
        currency_code: row.currency_code.clone(),
        applied: Money::ZERO,
        balance: row.total,
        settled_on: row.total.is_zero().then_some(posted_on),
        collected: false,
    })
}

/// Counts what the lines bill of their orders.
///
/// # Errors
/// LIMIT_EXCEEDED with BILLED_BEYOND_ORDER at a line; other rejections of the order, there too.
fn bill(side: Side, lines: &[InvoiceLineRow]) -> Result<(), Problem> {
    change_billed(side, lines, |quantity| quantity)
}

/// Takes back what the lines billed of their orders.
pub fn unbill(side: Side, lines: &[InvoiceLineRow]) -> Result<(), Problem> {
    change_billed(side, lines, |quantity| Quantity::from_units(-quantity.units()))
}

fn change_billed(side: Side, lines: &[InvoiceLineRow], sign: fn(Quantity) -> Quantity) -> Result<(), Problem> {
    // Several lines of an invoice that was confirmed with its goods may bill one line of the order.
    let mut by_item: BTreeMap<(Id, Option<Id>), (Quantity, String)> = BTreeMap::new();
    for line in lines {
        let Some(order_item) = line.order_item_id else { continue };
        let counted = by_item.entry((order_item, line.receipt_item_id)).or_insert((Quantity::ZERO, line.pointer()));
        counted.0 = sum([counted.0, line.quantity])?;
    }
    if by_item.is_empty() {
        return Ok(());
    }
    let pointers: Vec<&str> = by_item.values().map(|(_, pointer)| pointer.as_str()).collect();
    let changed = match side {
        Side::Sales => {
            let line = |((order_item, _), (quantity, _)): (&(Id, Option<Id>), &(Quantity, String))| sales::BillLine {
                item_id: (*order_item).into(),
                quantity: sign(*quantity).to_string(),
            };
            sales::service::bill(&by_item.iter().map(line).collect::<Vec<_>>())
        }
        Side::Purchases => {
            let line = |((order_item, receipt), (quantity, _)): (&(Id, Option<Id>), &(Quantity, String))| {
                purchases::BillLine {
                    order_item_id: (*order_item).into(),
                    receipt_item_id: receipt.map(Into::into),
                    quantity: sign(*quantity).to_string(),
                }
            };
            purchases::service::bill(&by_item.iter().map(line).collect::<Vec<_>>())
        }
    };
    changed.map_err(|refusal| {
        let mut refusal = refusal.moved_each("/lines", &pointers);
        if refusal.code == "LIMIT_EXCEEDED" {
            // One word of both sides; no counts, which the order's own record shows.
            for error in &mut refusal.errors {
                let line = error.pointer.trim_end_matches("/quantity").to_owned();
                *error = item(line, "BILLED_BEYOND_ORDER");
            }
        }
        refusal
    })
}

fn line_sum<'a>(lines: impl Iterator<Item = &'a InvoiceLineRow>) -> Result<Amount, Problem> {
    sum(lines.map(|line| line.line_total))
}

/// P10: a customer owes what was cleared by delivery. P12: goods received, or an expense, are owed to a supplier; a
/// difference between the bill and the order's cost is a variance.
fn post_debt(row: &InvoiceRow, lines: &[InvoiceLineRow], how: &Posted) -> Result<Posting, Problem> {
    let terms = Terms::new(row.legal_entity_id, &row.currency_code, how.posted_on, how.on_pointer);
    let purpose = match row.side {
        Side::Sales => "ISSUE",
        Side::Purchases => RECOGNITION,
    };
    let source = EntrySource { kind: row.side.invoice(), id: row.id, purpose, number: &row.number };
    let party = row.side.party(row.party_id);
    let legs = match row.side {
        Side::Sales => vec![
            party_leg("RECEIVABLE", JournalSide::Debit, row.total, party),
            leg("SALES_CLEARING", JournalSide::Credit, widen(row.total)),
        ],
        Side::Purchases => purchase_legs(row, lines)?,
    };
    Ok(draw_entry(terms, source, legs.into_iter().map(|leg| of_branch(leg, row.branch_id)).collect()))
}

/// The purpose of the entry of a recognition.
const RECOGNITION: &str = "RECOGNITION";

fn purchase_legs(row: &InvoiceRow, lines: &[InvoiceLineRow]) -> Result<Vec<Leg>, Problem> {
    let mut legs = Vec::new();
    let (mut ordered, mut at_cost) = (Vec::new(), Vec::new());
    for line in lines {
        match line.order_unit_cost {
            Some(cost) => {
                ordered.push(line.line_total);
                at_cost.push(multiply(line.quantity, cost)?);
            }
            None => legs.push(account_leg(line, "PURCHASE_EXPENSE", JournalSide::Debit)),
        }
    }
    let (ordered, at_cost) = (sum(ordered)?, sum(at_cost)?);
    legs.push(leg("GOODS_RECEIVED_NOT_INVOICED", JournalSide::Debit, at_cost));
    let variance = ordered.checked_sub(at_cost).ok_or_else(Amount::limit_exceeded)?;
    let side = if variance.is_negative() { JournalSide::Credit } else { JournalSide::Debit };
    legs.push(leg("PURCHASE_VARIANCE", side, Amount::from_units(variance.units().abs())));
    legs.push(party_leg("PAYABLE", JournalSide::Credit, row.total, row.side.party(row.party_id)));
    Ok(legs)
}

/// The total of a line on the account that it names, or on that of a role.
fn account_leg(line: &InvoiceLineRow, role: &str, side: JournalSide) -> Leg {
    let target = match line.account_id {
        Some(account) => Target::Account(account.into()),
        None => Target::Role(role.to_owned()),
    };
    Leg { target, pointer: Some(line.pointer()), ..leg(role, side, line.line_total) }
}

/// P11: revenue of what no order delivers, with the lines of the ledger of revenue.
///
/// # Errors
/// LIMIT_EXCEEDED.
pub fn recognize(
    row: &InvoiceRow,
    lines: &[InvoiceLineRow],
    on: Date,
) -> Result<(Vec<RevenueLineRow>, Posting), Problem> {
    let free: Vec<&InvoiceLineRow> = lines.iter().filter(|line| line.order_item_id.is_none()).collect();
    let total = line_sum(free.iter().copied())?;
    let mut legs = vec![leg("SALES_CLEARING", JournalSide::Debit, total)];
    legs.extend(free.iter().map(|line| account_leg(line, "REVENUE", JournalSide::Credit)));
    let terms = Terms::new(row.legal_entity_id, &row.currency_code, on, "/recognizedOn");
    let source = EntrySource { kind: row.side.invoice(), id: row.id, purpose: RECOGNITION, number: &row.number };
    let posting = draw_entry(terms, source, legs.into_iter().map(|leg| of_branch(leg, row.branch_id)).collect());
    let revenue = |(nth, line): (usize, &&InvoiceLineRow)| {
        new_row!(RevenueLineRow {
            id: new_id(),
            invoice_id: row.id,
            line_no: line.line_no,
            undo: false,
            legal_entity_id: row.legal_entity_id,
            branch_id: row.branch_id,
            customer_id: row.party_id,
            variant_id: line.variant_id,
            currency_code: row.currency_code.clone(),
            on_date: on,
            month: stoa_trade::dates::Month::from_day(on),
            quantity: line.quantity,
            revenue: line.line_total,
            document_count: i64::from(nth == 0),
        })
    };
    Ok((free.iter().enumerate().map(revenue).collect(), posting))
}
