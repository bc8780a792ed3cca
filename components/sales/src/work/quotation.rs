//! Quotations as operations begin and end on them: new rows, sums of lines, and the states that allow a change.

use stoa_sdk::{Id, Instant, Problem, new_id, now};
use stoa_trade::document::number::{DocumentNumber, NumberRange, insert_numbered};
use stoa_trade::new_record;
use stoa_trade::text::key;

use crate::records::quotation::{QuotationItemRow, QuotationRow, QuotationStatus};
use crate::rules::line::Named;
use crate::work::owner::name_owner;
use crate::work::priced_line::sum_lines;
use crate::work::references::References;

/// Where numbers of quotations are unique.
pub fn number_range(entity: Id) -> NumberRange<'static> {
    NumberRange { prefix: "QT", entity, pointer: "/number" }
}

/// A DRAFT of what is named, without number and lines yet.
pub fn new_quotation(named: &Named<'_>, references: &References) -> QuotationRow {
    let now = now();
    new_record!(QuotationRow {
        id: new_id(),
        number: String::new(),
        number_key: String::new(),
        legal_entity_id: named.entity,
        customer_id: named.customer,
        warehouse_id: named.warehouse,
        price_list_id: named.price_list,
        currency_code: references.currency_code(),
        status: QuotationStatus::Draft,
        valid_until: None,
        notes: None,
        total: Default::default(),
        prices_as_of: now,
        item_count: 0,
        sent_at: None,
        accepted_at: None,
        rejected_at: None,
        expired_at: None,
        close_reason: None,
        order_id: None,
        revision_of: None,
    })
}

/// The quotation with what is summed over its lines, priced at this instant.
pub fn with_sums(
    row: QuotationRow,
    items: &[QuotationItemRow],
    prices_as_of: Instant,
) -> Result<QuotationRow, Problem> {
    let total = sum_lines(items)?;
    Ok(QuotationRow { total, prices_as_of, item_count: i64::try_from(items.len()).unwrap_or(i64::MAX), ..row })
}

/// Gives the quotation its number and puts it in with its lines. `figure`: one of its range that was asked for before.
pub fn insert_quotation(
    quotation: &mut QuotationRow,
    items: &[QuotationItemRow],
    stated: Option<DocumentNumber>,
    figure: Option<u64>,
) -> Result<(), Problem> {
    let range = number_range(quotation.legal_entity_id);
    let inserted = insert_numbered(quotation, items, range, stated, figure, |quotation, number| {
        quotation.number = number.to_owned();
        quotation.number_key = key(number);
    });
    inserted.map_err(|refusal| name_owner::<QuotationRow>(refusal, range, &quotation.number_key))
}

/// The quotation as it is when its offer ends: at its end where that has come, else now.
pub fn lapse(row: &QuotationRow, now: Instant) -> QuotationRow {
    let expired_at = if row.has_lapsed(now) { row.valid_until } else { Some(now) };
    QuotationRow { status: QuotationStatus::Expired, expired_at, ..row.clone() }
}

/// Refuses with ILLEGAL_STATE what a quotation in another state, by the clock, does not allow.
pub fn require_status(row: &QuotationRow, now: Instant, allowed: &[QuotationStatus]) -> Result<(), Problem> {
    if allowed.contains(&row.status_at(now)) { Ok(()) } else { Err(Problem::new("ILLEGAL_STATE")) }
}
