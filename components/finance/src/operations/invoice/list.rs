//! Invoices as they are read: pages of headers, one with its lines, and what paid it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{Rows, find, get, run, select};
use stoa_sdk::{Answer, Call, Date, Field, Filter, Id, Limit, Problem, Reply, Text, all, has, map, set, text};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, between, equals, mentions, read_page};
use stoa_trade::quantity::Money;

use crate::records::application::{Application, ApplicationRow};
use crate::records::invoice::{
    ApiPurchaseInvoiceHeader, ApiSalesInvoiceHeader, InvoiceBalanceRow, InvoiceRow, InvoiceStatus,
    PurchaseInvoiceHeader, SalesInvoiceHeader,
};
use crate::records::invoice_line::{
    ApiPurchaseInvoice, ApiPurchaseInvoiceLine, ApiSalesInvoice, ApiSalesInvoiceLine, InvoiceLineRow, PurchaseInvoice,
    PurchaseInvoiceLine, SalesInvoice, SalesInvoiceLine,
};
use crate::records::side::Side;
use crate::work::invoice::locked::lines_of;
use crate::work::units::{name_units, read_known_units};

list_query! {
    pub struct ListInvoices {
        status: Option<InvoiceStatus>,
        legal_entity_id: Option<Id>,
        party_id: Option<Id>,
        #[schemars(regex(pattern = text::CURRENCY))]
        currency_code: Option<String>,
        /// Only documents whose number contains the text, ignoring case.
        number: Option<Text<1, 64>>,
        /// Only documents whose number or reference contains the text, ignoring case.
        text: Option<Text<1, 200>>,
        /// Only invoices with a line of this order. Together with `variantId`, one line must match both.
        order_id: Option<Id>,
        variant_id: Option<Id>,
        /// True lists invoices with an open balance, false all others.
        open: Option<bool>,
        /// Only documents issued on or after this day.
        from: Option<Date>,
        to: Option<Date>,
        due_from: Option<Date>,
        due_to: Option<Date>,
        total_min: Option<Money>,
        total_max: Option<Money>,
    }
}

impl ListInvoices {
    fn filter(&self, side: Side) -> Filter {
        let line =
            all([equals(InvoiceLineRow::order_id, self.order_id), equals(InvoiceLineRow::variant_id, self.variant_id)]);
        let lines = (self.order_id.is_some() || self.variant_id.is_some())
            .then(|| has::<InvoiceLineRow, _, _>(InvoiceRow::line_set_id, InvoiceLineRow::line_set_id, line));
        let open = self.open.map(|is_open| {
            let settled = InvoiceBalanceRow::settled_on;
            let state = if is_open { settled.is_null() } else { settled.not_null() };
            let paid = has::<InvoiceBalanceRow, _, _>(InvoiceRow::id, InvoiceBalanceRow::invoice_id, state);
            all([InvoiceRow::status.eq(InvoiceStatus::Issued), paid])
        });
        all([
            InvoiceRow::side.eq(side),
            equals(InvoiceRow::status, self.status),
            equals(InvoiceRow::legal_entity_id, self.legal_entity_id),
            equals(InvoiceRow::party_id, self.party_id),
            equals(InvoiceRow::currency_code, self.currency_code.as_deref()),
            mentions("number", self.number.as_deref()),
            mentions("text", self.text.as_deref()),
            lines.unwrap_or_default(),
            open.unwrap_or_default(),
            between(InvoiceRow::issued_on, self.from, self.to),
            between(InvoiceRow::due_on, self.due_from, self.due_to),
            between(InvoiceRow::total, self.total_min, self.total_max),
        ])
    }

    /// The page, with what is paid of each.
    fn page(&self, side: Side) -> Result<(Rows<InvoiceRow>, BTreeMap<Id, InvoiceBalanceRow>), Problem> {
        let rows: Rows<InvoiceRow> = read_page(&self.filter(side), self.cursor, self.limit)?;
        if rows.items.is_empty() {
            return Ok((rows, BTreeMap::new()));
        }
        let ids = rows.items.iter().map(|row| vec![row.id.put()]);
        let paid = run(find::<InvoiceBalanceRow>("invoice", ids))?;
        Ok((rows, map(paid.into_iter().map(|paid| (paid.invoice_id, paid)))))
    }

    fn answer<T: Serialize>(call: &Call, side: Side, show: fn(&InvoiceRow, Option<&InvoiceBalanceRow>) -> T) -> Answer {
        let query: ListInvoices = call.query()?;
        let (rows, paid) = query.page(side)?;
        answer_page(rows, |row| row.id, |row| show(&row, paid.get(&row.id)))
    }
}

pub fn list_sales(call: &Call) -> Answer {
    ListInvoices::answer(call, Side::Sales, SalesInvoiceHeader::from_row)
}

pub fn list_sales_as_client(call: &Call) -> Answer {
    ListInvoices::answer(call, Side::Sales, ApiSalesInvoiceHeader::from_row)
}

pub fn list_purchases(call: &Call) -> Answer {
    ListInvoices::answer(call, Side::Purchases, PurchaseInvoiceHeader::from_row)
}

pub fn list_purchases_as_client(call: &Call) -> Answer {
    ListInvoices::answer(call, Side::Purchases, ApiPurchaseInvoiceHeader::from_row)
}

/// An invoice with all that is read of it.
struct WholeInvoice {
    row: InvoiceRow,
    paid: Option<InvoiceBalanceRow>,
    lines: Vec<InvoiceLineRow>,
}

fn read_invoice(side: Side, id: Id) -> Result<WholeInvoice, Problem> {
    let (row, paid, mut lines) = run((
        get::<InvoiceRow>(id),
        find::<InvoiceBalanceRow>("invoice", [vec![id.put()]]),
        select::<InvoiceLineRow>(lines_of(id)).whole(),
    ))?;
    let row = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    lines.sort_by_key(|line| line.line_no);
    Ok(WholeInvoice { row, paid: paid.into_iter().next(), lines })
}

pub fn read_sales(call: &Call) -> Answer {
    let invoice = read_invoice(Side::Sales, call.path_id("id")?)?;
    let known = read_known_units(set(invoice.lines.iter().flat_map(|line| line.unit_ids.0.iter().copied())));
    let line = |row: &InvoiceLineRow| SalesInvoiceLine::from_row(row, name_units(&row.unit_ids.0, &known));
    let header = SalesInvoiceHeader::from_row(&invoice.row, invoice.paid.as_ref());
    let answer = SalesInvoice { header, lines: invoice.lines.iter().map(line).collect() };
    Ok(Reply::json(&answer).resource(invoice.row.id))
}

pub fn read_sales_as_client(call: &Call) -> Answer {
    let invoice = read_invoice(Side::Sales, call.path_id("id")?)?;
    let header = ApiSalesInvoiceHeader::from_row(&invoice.row, invoice.paid.as_ref());
    let lines = invoice.lines.iter().map(ApiSalesInvoiceLine::from_row).collect();
    Ok(Reply::json(&ApiSalesInvoice { header, lines }).resource(invoice.row.id))
}

pub fn read_purchase(call: &Call) -> Answer {
    let invoice = read_invoice(Side::Purchases, call.path_id("id")?)?;
    let known = read_known_units(set(invoice.lines.iter().flat_map(|line| line.unit_ids.0.iter().copied())));
    let line = |row: &InvoiceLineRow| PurchaseInvoiceLine::from_row(row, name_units(&row.unit_ids.0, &known));
    let header = PurchaseInvoiceHeader::from_row(&invoice.row, invoice.paid.as_ref());
    let answer = PurchaseInvoice { header, lines: invoice.lines.iter().map(line).collect() };
    Ok(Reply::json(&answer).resource(invoice.row.id))
}

pub fn read_purchase_as_client(call: &Call) -> Answer {
    let invoice = read_invoice(Side::Purchases, call.path_id("id")?)?;
    let header = ApiPurchaseInvoiceHeader::from_row(&invoice.row, invoice.paid.as_ref());
    let lines = invoice.lines.iter().map(ApiPurchaseInvoiceLine::from_row).collect();
    Ok(Reply::json(&ApiPurchaseInvoice { header, lines }).resource(invoice.row.id))
}

/// A page and nothing else.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListApplications {
    pub cursor: Option<Id>,
    #[serde(default)]
    pub limit: Limit,
}

pub fn list_sales_applications(call: &Call) -> Answer {
    list_applications(Side::Sales, call)
}

pub fn list_purchase_applications(call: &Call) -> Answer {
    list_applications(Side::Purchases, call)
}

fn list_applications(side: Side, call: &Call) -> Answer {
    let query: ListApplications = call.query()?;
    let id = call.path_id("id")?;
    let row: Option<InvoiceRow> = run(get(id))?;
    row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    let rows = read_page::<ApplicationRow>(&ApplicationRow::invoice_id.eq(id), query.cursor, query.limit)?;
    answer_page(rows, |row| row.id, |row| Application::from_row(&row))
}
