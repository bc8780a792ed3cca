//! Invoices as they are read: pages of headers, one with its lines, and what paid it.

use std::collections::BTreeMap;

use stoa_sdk::store::{Rows, find, get, run, select};
use stoa_sdk::{Answer, Call, Date, Field, Filter, Id, Instant, Problem, Reply, all, has, map, set};
use stoa_trade::Caller;
use stoa_trade::clients::units::{self, Unit};
use stoa_trade::lists::{ask_nothing, at_least, at_most, changed_since, equals};

use crate::operations::application::answer_applications;
use crate::operations::document_list::{document_list, read_changed};
use crate::records::application::ApplicationRow;
use crate::records::invoice::{
    ApiPurchaseInvoiceHeader, ApiSalesInvoiceHeader, InvoiceBalanceRow, InvoiceRow, InvoiceStatus,
    PurchaseInvoiceHeader, SalesInvoiceHeader,
};
use crate::records::invoice_line::{
    ApiPurchaseInvoice, ApiPurchaseInvoiceLine, ApiSalesInvoice, ApiSalesInvoiceLine, InvoiceLineRow, PurchaseInvoice,
    PurchaseInvoiceLine, SalesInvoice, SalesInvoiceLine,
};
use crate::records::known_unit::NamedUnit;
use crate::records::side::Side;
use crate::work::invoice::locked::lines_of;
use crate::work::units::name_units;

document_list! {
    ListInvoices of InvoiceRow, InvoiceStatus {
        /// Only documents whose number or reference contains the text, ignoring case.
        text;
        /// Only invoices with a line of this order. Together with `variantId`, one line must match both.
        order_id: Option<Id> = filter_line(order_id, variant_id),
        variant_id: Option<Id> = Filter::default(),
        /// True lists invoices with an open balance, false all others.
        open: Option<bool> = open.map(filter_open).unwrap_or_default(),
    } dated {
        /// Only documents issued on or after this day.
        issued_on;
        due_from: Option<Date> = at_least(InvoiceRow::due_on, due_from),
        due_to: Option<Date> = at_most(InvoiceRow::due_on, due_to),
        /// Only invoices changed at or after this instant; one to which a payment or credit is applied counts.
        updated_since: Option<Instant> = ask_nothing(updated_since),
    } of total
}

/// One line of the invoice is of the stated order and variant.
fn filter_line(order: Option<Id>, variant: Option<Id>) -> Filter {
    let line = all([equals(InvoiceLineRow::order_id, order), equals(InvoiceLineRow::variant_id, variant)]);
    match line == Filter::default() {
        true => line,
        false => has::<InvoiceLineRow, _, _>(InvoiceRow::line_set_id, InvoiceLineRow::line_set_id, line),
    }
}

fn filter_open(is_open: bool) -> Filter {
    let settled = InvoiceBalanceRow::settled_on;
    let state = if is_open { settled.is_null() } else { settled.not_null() };
    let paid = has::<InvoiceBalanceRow, _, _>(InvoiceRow::id, InvoiceBalanceRow::invoice_id, state);
    all([InvoiceRow::status.eq(InvoiceStatus::Issued), paid])
}

/// The page that is asked for. Payments change the row of the invoice's balance and not the invoice.
fn read_page(side: Side, query: &ListInvoices) -> Result<Rows<InvoiceRow>, Problem> {
    let of_side = InvoiceRow::side.eq(side);
    if query.updated_since.is_none() {
        return query.page([of_side]);
    }
    let paid =
        all([InvoiceBalanceRow::side.eq(side), changed_since(InvoiceBalanceRow::updated_at, query.updated_since)]);
    let changed = [
        changed_since(InvoiceRow::updated_at, query.updated_since),
        has::<InvoiceBalanceRow, _, _>(InvoiceRow::id, InvoiceBalanceRow::invoice_id, paid),
    ];
    read_changed(&query.filter([of_side]), changed, query.cursor, query.limit)
}

/// A page of headers, with what is paid of each.
pub fn list(side: Side, call: &Call) -> Answer {
    let rows = read_page(side, &call.query()?)?;
    let keys: Vec<_> = rows.items.iter().map(|row| vec![row.id.put()]).collect();
    let paid = run((!keys.is_empty()).then(|| find::<InvoiceBalanceRow>("invoice", keys)))?.unwrap_or_default();
    let paid: BTreeMap<Id, InvoiceBalanceRow> = map(paid.into_iter().map(|paid| (paid.invoice_id, paid)));
    let paid_of = |row: &InvoiceRow| paid.get(&row.id);
    let caller = Caller::current();
    match side {
        Side::Sales => caller.answer_page(
            rows,
            |row| SalesInvoiceHeader::from_row(row, paid_of(row)),
            |row| ApiSalesInvoiceHeader::from_row(row, paid_of(row)),
        ),
        Side::Purchases => caller.answer_page(
            rows,
            |row| PurchaseInvoiceHeader::from_row(row, paid_of(row)),
            |row| ApiPurchaseInvoiceHeader::from_row(row, paid_of(row)),
        ),
    }
}

/// An invoice with its lines; a person who reads serial numbers sees those of its units.
pub fn read(side: Side, call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let (row, paid, mut rows) = run((
        get::<InvoiceRow>(id),
        find::<InvoiceBalanceRow>("invoice", [vec![id.put()]]),
        select::<InvoiceLineRow>(lines_of(id)).whole(),
    ))?;
    let row = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    rows.sort_by_key(|line| line.line_no);
    let (paid, caller) = (paid.first(), Caller::current());
    let known: BTreeMap<Id, Unit> = match caller {
        Caller::Person => units::read_known(set(rows.iter().flat_map(|line| line.unit_ids.0.iter().copied()))),
        Caller::Client => BTreeMap::new(),
    };
    let units = |line: &InvoiceLineRow| -> Vec<NamedUnit> { name_units(&line.unit_ids.0, &known) };
    let reply = match (side, caller) {
        (Side::Sales, Caller::Person) => {
            let lines = rows.iter().map(|line| SalesInvoiceLine::from_row(line, units(line))).collect();
            Reply::json(&SalesInvoice::from_row(&row, paid, lines))
        }
        (Side::Sales, Caller::Client) => {
            let lines = rows.iter().map(ApiSalesInvoiceLine::from_row).collect();
            Reply::json(&ApiSalesInvoice::from_row(&row, paid, lines))
        }
        (Side::Purchases, Caller::Person) => {
            let lines = rows.iter().map(|line| PurchaseInvoiceLine::from_row(line, units(line))).collect();
            Reply::json(&PurchaseInvoice::from_row(&row, paid, lines))
        }
        (Side::Purchases, Caller::Client) => {
            let lines = rows.iter().map(ApiPurchaseInvoiceLine::from_row).collect();
            Reply::json(&ApiPurchaseInvoice::from_row(&row, paid, lines))
        }
    };
    Ok(reply.resource(id))
}

pub fn list_applications(side: Side, call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let row: Option<InvoiceRow> = run(get(id))?;
    row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    answer_applications(call, ApplicationRow::invoice_id.eq(id))
}
