//! Reading quotations: lists of headers, and one with its lines. The clock decides its state.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Problem, Reply, Text, all, any, now, text};
use stoa_trade::lists::{between, changed_since, equals, mentions, read_page};
use stoa_trade::quantity::StatedTotal;
use stoa_trade::{Caller, list_query};

use crate::records::quotation::{
    ApiQuotation, ApiQuotationHeader, Quotation, QuotationHeader, QuotationItem, QuotationItemRow, QuotationRow,
    QuotationStatus,
};
use crate::rules::priced_line::PricedLine;
use crate::work::priced_line::{live_lines, sort_lines};

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
    let rows = read_page(&query.filter(), query.cursor, query.limit)?;
    let header = |row: &QuotationRow| QuotationHeader::from_row(row, now);
    Caller::current().answer_page(rows, header, |row| ApiQuotationHeader::from_row(row, now))
}

pub fn read(call: &Call) -> Answer {
    let (id, now) = (call.path_id("id")?, now());
    let lines = select::<QuotationItemRow>(live_lines::<QuotationItemRow>(id)).whole();
    let (row, mut rows) = run((get::<QuotationRow>(id), lines))?;
    let row = row.ok_or_else(Problem::not_found)?;
    sort_lines(&mut rows);
    let item = |row: &QuotationItemRow| Ok(QuotationItem::from_row(row, row.price().figures()?));
    let items = rows.iter().map(item).collect::<Result<_, Problem>>()?;
    let reply = match Caller::current() {
        Caller::Person => Reply::json(&Quotation { header: QuotationHeader::from_row(&row, now), items }),
        Caller::Client => Reply::json(&ApiQuotation { header: ApiQuotationHeader::from_row(&row, now), items }),
    };
    Ok(reply.resource(id))
}
