//! Quotations as operations begin and end on them: new rows, rows under the quotation's lock, lines priced anew.

use stoa_sdk::store::{Update, get, run, select, update_all};
use stoa_sdk::{Filter, Id, Instant, Problem, all, has, new_ids, now};
use stoa_trade::document::number::{DocumentNumber, NumberRange, insert_numbered};
use stoa_trade::text::key;

use crate::records::customer::CustomerRow;
use crate::records::quotation::{QuotationItemRow, QuotationRow, QuotationStatus};
use crate::rules::line::StatedLine;
use crate::rules::price::LinePrice;
use crate::rules::total::total;
use crate::work::references::{LineTerms, References, restate};

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

/// The lines of a new quotation, in the order stated.
///
/// # Errors
/// LIMIT_EXCEEDED, which lines of a body never reach.
pub fn new_items(quotation: Id, lines: &[StatedLine], terms: &[LineTerms]) -> Result<Vec<QuotationItemRow>, Problem> {
    let ids = new_ids(u32::try_from(lines.len()).unwrap_or(u32::MAX));
    let parts = ids.into_iter().zip(0..).zip(lines.iter().zip(terms));
    parts.map(|((id, line_no), (line, terms))| new_item(id, quotation, line_no, line, terms)).collect()
}

/// A line of a quotation.
///
/// # Errors
/// LIMIT_EXCEEDED, which a line of a body never reaches.
pub fn new_item(
    id: Id,
    quotation_id: Id,
    line_no: i64,
    line: &StatedLine,
    terms: &LineTerms,
) -> Result<QuotationItemRow, Problem> {
    let now = now();
    let row = QuotationItemRow {
        id,
        version: 1,
        created_at: now,
        updated_at: now,
        quotation_id,
        variant_id: line.variant,
        product_id: terms.product_id,
        line_no: Some(line_no),
        sku: terms.sku.clone(),
        description: terms.description.clone(),
        tracking: terms.tracking,
        quantity: line.quantity,
        price_id: terms.price_id,
        list_price: terms.list_price,
        agreed_price: terms.agreed,
        reason: line.reason.clone().filter(|_| terms.agreed.is_some()),
        unit_price: terms.list_price,
        line_total: Default::default(),
    };
    let figures = LinePrice::of_quotation(&row).figures()?;
    Ok(QuotationItemRow { unit_price: figures.unit_price, line_total: figures.line_total, ..row })
}

/// All lines at what the list asks now; what was agreed stays.
pub fn reprice_items(
    items: &[QuotationItemRow],
    lines: &[StatedLine],
    references: &References,
) -> Result<Vec<QuotationItemRow>, Problem> {
    let terms = references.price_lines(lines)?;
    let parts = items.iter().zip((0..).zip(lines.iter().zip(&terms)));
    parts.map(|(row, (line_no, (line, terms)))| new_item(row.id, row.quotation_id, line_no, line, terms)).collect()
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
    let total = total(items.iter().map(|item| item.line_total))?;
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

/// Lines of a quotation as they are in it.
pub fn live_items(quotation: Id) -> Filter {
    all([QuotationItemRow::quotation_id.eq(quotation), QuotationItemRow::line_no.not_null()])
}

/// A quotation under its lock, with its lines in order and its customer.
pub struct LockedQuotation {
    pub row: QuotationRow,
    pub items: Vec<QuotationItemRow>,
    pub customer: CustomerRow,
}

/// Holds a quotation against other writers and reads it.
///
/// # Errors
/// NOT_FOUND.
pub fn lock_quotation(id: Id) -> Result<LockedQuotation, Problem> {
    let of_quotation = has::<QuotationRow, _, _>(CustomerRow::id, QuotationRow::customer_id, QuotationRow::id.eq(id));
    let (row, mut items, customer) = run((
        get::<QuotationRow>(id).locked(),
        select::<QuotationItemRow>(live_items(id)).whole(),
        // All of the one that there is: of a page PostgreSQL hopes to find it among the first of the company.
        select::<CustomerRow>(of_quotation).whole(),
    ))?;
    let (row, customer) = row.zip(customer.into_iter().next()).ok_or_else(Problem::not_found)?;
    items.sort_by_key(|item| item.line_no);
    Ok(LockedQuotation { row, items, customer })
}

/// The lines as a body would state them, at their agreed prices.
pub fn restate_items(items: &[QuotationItemRow]) -> Vec<StatedLine> {
    let line = |row: &QuotationItemRow| restate(row.variant_id, row.quantity, row.agreed_price, row.reason.clone());
    items.iter().map(line).collect()
}

/// Writes what a draft may change of its lines.
pub fn rewrite_items(rows: &[QuotationItemRow]) -> Update<QuotationItemRow> {
    let each = || rows.iter();
    update_all::<QuotationItemRow>(each().map(|row| row.id))
        .set_each(QuotationItemRow::line_no, each().map(|row| row.line_no))
        .set_each(QuotationItemRow::sku, each().map(|row| row.sku.clone()))
        .set_each(QuotationItemRow::description, each().map(|row| row.description.clone()))
        .set_each(QuotationItemRow::tracking, each().map(|row| row.tracking))
        .set_each(QuotationItemRow::quantity, each().map(|row| row.quantity))
        .set_each(QuotationItemRow::price_id, each().map(|row| row.price_id))
        .set_each(QuotationItemRow::list_price, each().map(|row| row.list_price))
        .set_each(QuotationItemRow::agreed_price, each().map(|row| row.agreed_price))
        .set_each(QuotationItemRow::reason, each().map(|row| row.reason.clone()))
        .set_each(QuotationItemRow::unit_price, each().map(|row| row.unit_price))
        .set_each(QuotationItemRow::line_total, each().map(|row| row.line_total))
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
