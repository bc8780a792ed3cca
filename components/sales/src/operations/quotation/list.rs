//! Reading quotations: lists of headers, and one with its lines. The clock decides its state.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Problem, Reply, Text, all, any, now};
use stoa_trade::document::currency::CurrencyCode;
use stoa_trade::lists::{at_least, at_most, changed_since, mentions};
use stoa_trade::quantity::StatedTotal;
use stoa_trade::{Caller, list_query};

use crate::records::quotation::{
    ApiQuotation, ApiQuotationHeader, Quotation, QuotationHeader, QuotationItem, QuotationItemRow, QuotationRow,
    QuotationStatus,
};
use crate::rules::priced_line::PricedLine;
use crate::work::priced_line::{live_lines, sort_lines};

list_query! {
    pub struct ListQuotations of QuotationRow {
        /// Current status: a SENT quotation past `validUntil` counts as EXPIRED.
        status: Option<QuotationStatus> = status.map(|status| has_status(status, now())).unwrap_or_default(),
        customer_id: Option<Id>,
        legal_entity_id: Option<Id>,
        currency_code: Option<CurrencyCode>,
        /// Only documents whose number contains the text, ignoring case.
        text: Option<Text<1, 64>> = mentions("number", text.as_deref()),
    } by creation {
        /// Only quotations with `validUntil` at or after this instant.
        valid_from: Option<Instant> = at_least(QuotationRow::valid_until, valid_from),
        /// Only quotations with `validUntil` at or before this instant.
        valid_to: Option<Instant> = at_most(QuotationRow::valid_until, valid_to),
        total_min: Option<StatedTotal> = at_least(QuotationRow::total, total_min.map(|total| total.0)),
        total_max: Option<StatedTotal> = at_most(QuotationRow::total, total_max.map(|total| total.0)),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(QuotationRow::updated_at, updated_since),
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
    let (rows, now) = (call.query::<ListQuotations>()?.page([])?, now());
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
        Caller::Person => Reply::json(&Quotation::from_row(&row, now, items)),
        Caller::Client => Reply::json(&ApiQuotation::from_row(&row, now, items)),
    };
    Ok(reply.resource(id))
}
