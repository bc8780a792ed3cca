//! Quotations as operations begin and end on them: new rows, sums of lines, and the states that allow a change.

use stoa_sdk::{Id, Instant, Problem, now};
use stoa_trade::document::number::{DocumentNumber, NumberRange, insert_numbered};
use stoa_trade::text::key;

use crate::records::quotation::{QuotationItemRow, QuotationRow, QuotationStatus};
use crate::work::priced_line::sum_lines;
use crate::work::references::References;

/// Members of a new quotation besides its lines.
pub struct NewQuotation {
    pub id: Id,
    pub entity: Id,
    pub customer: Id,
    pub price_list: Id,
    pub warehouse: Option<Id>,
    pub valid_until: Option<Instant>,
    pub notes: Option<String>,
    pub revision_of: Option<Id>,
}

/// Where numbers of quotations are unique.
pub fn number_range(entity: Id) -> NumberRange<'static> {
    NumberRange { prefix: "QT", entity, pointer: "/number" }
}

/// A DRAFT of these lines, without a number yet.
///
/// # Errors
/// LIMIT_EXCEEDED, which a hundred lines never reach.
pub fn new_quotation(
    head: NewQuotation,
    references: &References,
    items: &[QuotationItemRow],
) -> Result<QuotationRow, Problem> {
    let now = now();
    let row = QuotationRow {
        id: head.id,
        version: 1,
        created_at: now,
        updated_at: now,
        number: String::new(),
        number_key: String::new(),
        legal_entity_id: head.entity,
        customer_id: head.customer,
        warehouse_id: head.warehouse,
        price_list_id: head.price_list,
        currency_code: references.currency_code(),
        status: QuotationStatus::Draft,
        valid_until: head.valid_until,
        notes: head.notes,
        total: Default::default(),
        prices_as_of: now,
        item_count: 0,
        sent_at: None,
        accepted_at: None,
        rejected_at: None,
        expired_at: None,
        close_reason: None,
        order_id: None,
        revision_of: head.revision_of,
    };
    with_sums(row, items, now)
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
///
/// # Errors
/// DUPLICATE at `/number` where the stated one is taken.
pub fn insert_quotation(
    quotation: &mut QuotationRow,
    items: &[QuotationItemRow],
    stated: Option<DocumentNumber>,
    figure: Option<u64>,
) -> Result<(), Problem> {
    let range = number_range(quotation.legal_entity_id);
    insert_numbered(quotation, items, range, stated, figure, |quotation, number| {
        quotation.number = number.to_owned();
        quotation.number_key = key(number);
    })
}

/// The quotation as it is when its offer ends: at its end where that has come, else now.
pub fn lapse(row: &QuotationRow, now: Instant) -> QuotationRow {
    let expired_at = if row.has_lapsed(now) { row.valid_until } else { Some(now) };
    QuotationRow { status: QuotationStatus::Expired, expired_at, ..row.clone() }
}

/// Refuses what a quotation in another state, by the clock, does not allow.
///
/// # Errors
/// ILLEGAL_STATE.
pub fn require_status(row: &QuotationRow, now: Instant, allowed: &[QuotationStatus]) -> Result<(), Problem> {
    if allowed.contains(&row.status_at(now)) { Ok(()) } else { Err(Problem::new("ILLEGAL_STATE")) }
}
