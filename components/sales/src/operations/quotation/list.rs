//! Reading quotations: lists of headers, and one with its lines. The clock decides its state.

use stoa_sdk::store::{Rows, get, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Problem, Reply, Text, all, any, now, text};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, between, changed_since, equals, mentions, read_page};
use stoa_trade::quantity::StatedTotal;

use crate::records::quotation::{
    ApiQuotation, ApiQuotationHeader, Quotation, QuotationHeader, QuotationItem, QuotationItemRow, QuotationRow,
    QuotationStatus,
};
use crate::rules::price::LinePrice;
use crate::work::quotation::live_items;

list_query! {
    pub struct ListQuotations {
        /// Current status: a SENT quotation past `validUntil` counts as EXPIRED.
        status: Option<QuotationStatus>,
        customer_id: Option<Id>,
        legal_entity_id: Option<Id>,
        #[schemars(regex(pattern = text::CURRENCY))]
        currency_code: Option<String>,
        /// Only documents whose number contains the text, ignoring case.
        text: Option<Text<1, 64>>,
        /// Only records created at or after this instant.
        from: Option<Instant>,
        /// Only records created at or before this instant.
        to: Option<Instant>,
        /// Only quotations with `validUntil` at or after this instant.
        valid_from: Option<Instant>,
        /// Only quotations with `validUntil` at or before this instant.
        valid_to: Option<Instant>,
        total_min: Option<StatedTotal>,
        total_max: Option<StatedTotal>,
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
    }
}

impl ListQuotations {
    fn filter(&self) -> Filter {
        all([
            self.status.map(|status| has_status(status, now())).unwrap_or_default(),
            equals(QuotationRow::customer_id, self.customer_id),
            equals(QuotationRow::legal_entity_id, self.legal_entity_id),
            equals(QuotationRow::currency_code, self.currency_code.as_deref()),
            mentions("number", self.text.as_deref()),
            between(QuotationRow::created_at, self.from, self.to),
            between(QuotationRow::valid_until, self.valid_from, self.valid_to),
            between(QuotationRow::total, self.total_min.map(|total| total.0), self.total_max.map(|total| total.0)),
            changed_since(QuotationRow::updated_at, self.updated_since),
        ])
    }

    fn page(&self) -> Result<Rows<QuotationRow>, Problem> {
        read_page(&self.filter(), self.cursor, self.limit)
    }
}

/// Quotations in this state at this instant.
fn has_status(status: QuotationStatus, now: Instant) -> Filter {
    let kept = QuotationRow::status.eq(status);
    let sent = QuotationRow::status.eq(QuotationStatus::Sent);
    match status {
        QuotationStatus::Sent => {
            all([kept, any([QuotationRow::valid_until.is_null(), QuotationRow::valid_until.gt(now)])])
        }
        QuotationStatus::Expired => any([kept, all([sent, QuotationRow::valid_until.le(now)])]),
        QuotationStatus::Draft | QuotationStatus::Accepted | QuotationStatus::Rejected => kept,
    }
}

pub fn list(call: &Call) -> Answer {
    let (query, now): (ListQuotations, _) = (call.query()?, now());
    answer_page(query.page()?, |row| row.id, |row| QuotationHeader::from_row(&row, now))
}

pub fn list_as_client(call: &Call) -> Answer {
    let (query, now): (ListQuotations, _) = (call.query()?, now());
    answer_page(query.page()?, |row| row.id, |row| ApiQuotationHeader::from_row(&row, now))
}

fn read_quotation(id: Id) -> Result<(QuotationRow, Vec<QuotationItem>), Problem> {
    let (row, mut rows) = run((get::<QuotationRow>(id), select::<QuotationItemRow>(live_items(id)).whole()))?;
    let row = row.ok_or_else(Problem::not_found)?;
    rows.sort_by_key(|item| item.line_no);
    let item = |row: &QuotationItemRow| Ok(QuotationItem::from_row(row, LinePrice::of_quotation(row).figures()?));
    let items = rows.iter().map(item).collect::<Result<_, Problem>>()?;
    Ok((row, items))
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let (row, items) = read_quotation(id)?;
    Ok(Reply::json(&Quotation { header: QuotationHeader::from_row(&row, now()), items }).resource(id))
}

pub fn read_as_client(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let (row, items) = read_quotation(id)?;
    Ok(Reply::json(&ApiQuotation { header: ApiQuotationHeader::from_row(&row, now()), items }).resource(id))
}
