//! Sales orders as operations and services begin and end on them: new rows, rows under the order's lock, lines priced anew.

use std::collections::BTreeSet;

use stoa_sdk::store::{MOST_ROWS, Rows, Update, get, run, select, update_all};
use stoa_sdk::{Filter, Id, Instant, Problem, all, has, new_ids, now, set};
use stoa_trade::document::number::{DocumentNumber, NumberRange, insert_numbered};
use stoa_trade::text::key;
use stoa_trade::{Change, JsonList};

use crate::records::customer::CustomerRow;
use crate::records::order::{OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::price_figures::PriceOrigin;
use crate::rules::line::StatedLine;
use crate::rules::price::LinePrice;
use crate::rules::total::{is_collectable, total};
use crate::work::references::{LineTerms, References, restate};

/// Members of a new order besides its lines.
pub struct NewOrder {
    pub id: Id,
    pub entity: Id,
    pub warehouse: Id,
    pub customer: Id,
    pub price_list: Id,
    pub notes: Option<String>,
    pub quotation: Option<Id>,
    pub invoice: Option<Id>,
}

/// Where numbers of orders are unique; `pointer` is where a body states one.
pub fn number_range(entity: Id, pointer: &str) -> NumberRange<'_> {
    NumberRange { prefix: "SO", entity, pointer }
}

/// The lines of a new order, in the order stated.
///
/// # Errors
/// LIMIT_EXCEEDED, which lines of a body never reach.
pub fn new_items(
    order: Id,
    lines: &[StatedLine],
    terms: &[LineTerms],
    origin: PriceOrigin,
) -> Result<Vec<OrderItemRow>, Problem> {
    let ids = new_ids(u32::try_from(lines.len()).unwrap_or(u32::MAX));
    let parts = ids.into_iter().zip(0..).zip(lines.iter().zip(terms));
    parts.map(|((id, line_no), (line, terms))| new_item(id, order, line_no, line, terms, origin)).collect()
}

/// A line of an order.
///
/// # Errors
/// LIMIT_EXCEEDED, which a line of a body never reaches.
pub fn new_item(
    id: Id,
    order_id: Id,
    line_no: i64,
    line: &StatedLine,
    terms: &LineTerms,
    origin: PriceOrigin,
) -> Result<OrderItemRow, Problem> {
    let now = now();
    let row = OrderItemRow {
        id,
        version: 1,
        created_at: now,
        updated_at: now,
        order_id,
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
        agreed_origin: terms.agreed.map(|_| origin),
        reason: line.reason.clone().filter(|_| terms.agreed.is_some()),
        unit_price: terms.list_price,
        line_total: Default::default(),
        chosen_units: JsonList(line.units.clone()),
        billed: Default::default(),
    };
    with_totals(row)
}

/// The line with unit price and total as they follow from list, agreement and quantity.
fn with_totals(row: OrderItemRow) -> Result<OrderItemRow, Problem> {
    let figures = LinePrice::of_order(&row).figures()?;
    Ok(OrderItemRow { unit_price: figures.unit_price, line_total: figures.line_total, ..row })
}

/// The line at what the list asks now; what was agreed stays.
pub fn price_item(row: &OrderItemRow, terms: &LineTerms) -> Result<OrderItemRow, Problem> {
    with_totals(OrderItemRow {
        sku: terms.sku.clone(),
        description: terms.description.clone(),
        price_id: terms.price_id,
        list_price: terms.list_price,
        ..row.clone()
    })
}

/// A DRAFT of these lines, without a number yet.
///
/// # Errors
/// LIMIT_EXCEEDED, which a hundred lines never reach.
pub fn new_order(head: NewOrder, references: &References, items: &[OrderItemRow]) -> Result<OrderRow, Problem> {
    let now = now();
    let row = OrderRow {
        id: head.id,
        version: 1,
        created_at: now,
        updated_at: now,
        number: String::new(),
        number_key: String::new(),
        legal_entity_id: head.entity,
        branch_id: references.branch(),
        warehouse_id: head.warehouse,
        customer_id: head.customer,
        price_list_id: head.price_list,
        currency_code: references.currency_code(),
        status: OrderStatus::Draft,
        notes: head.notes,
        total: Default::default(),
        collectable: false,
        prices_as_of: now,
        item_count: 0,
        unit_count: 0,
        quotation_id: head.quotation,
        invoice_id: head.invoice,
        pos_receipt_id: None,
        confirmed_at: None,
        completed_at: None,
        cancelled_at: None,
        cancel_reason: None,
    };
    with_sums(row, items, now)
}

/// The order with what is summed over its lines, priced at this instant.
pub fn with_sums(row: OrderRow, items: &[OrderItemRow], prices_as_of: Instant) -> Result<OrderRow, Problem> {
    let total = total(items.iter().map(|item| item.line_total))?;
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    Ok(OrderRow {
        total,
        collectable: is_collectable(total),
        prices_as_of,
        item_count: count(items.len()),
        unit_count: count(items.iter().map(OrderItemRow::unit_count).sum()),
        ..row
    })
}

/// Gives the order its number and puts it in with its lines. `figure`: one of its range that was asked for before.
///
/// # Errors
/// DUPLICATE at the pointer where the stated number is taken.
pub fn insert_order(
    order: &mut OrderRow,
    items: &[OrderItemRow],
    stated: Option<DocumentNumber>,
    figure: Option<u64>,
    pointer: &str,
) -> Result<(), Problem> {
    let range = number_range(order.legal_entity_id, pointer);
    insert_numbered(order, items, range, stated, figure, |order, number| {
        order.number = number.to_owned();
        order.number_key = key(number);
    })
}

/// Lines of an order as they are in it.
pub fn live_items(order: Id) -> Filter {
    all([OrderItemRow::order_id.eq(order), OrderItemRow::line_no.not_null()])
}

/// A draft under its lock, with its lines in order and its customer.
pub struct LockedDraft {
    pub row: OrderRow,
    pub items: Vec<OrderItemRow>,
    pub customer: CustomerRow,
}

/// Holds an order against other writers and reads it.
///
/// # Errors
/// NOT_FOUND.
pub fn lock_draft(id: Id) -> Result<LockedDraft, Problem> {
    let of_order = has::<OrderRow, _, _>(CustomerRow::id, OrderRow::customer_id, OrderRow::id.eq(id));
    let (row, mut items, customer) = run((
        get::<OrderRow>(id).locked(),
        select::<OrderItemRow>(live_items(id)).whole(),
        // All of the one that there is: of a page PostgreSQL hopes to find it among the first of the company.
        select::<CustomerRow>(of_order).whole(),
    ))?;
    let (row, customer) = row.zip(customer.into_iter().next()).ok_or_else(Problem::not_found)?;
    sort_items(&mut items);
    Ok(LockedDraft { row, items, customer })
}

/// The products of the lines: what the audit entry is found by.
pub fn products_of(items: &[OrderItemRow]) -> BTreeSet<Id> {
    set(items.iter().map(|item| item.product_id))
}

/// Brings lines into their order.
pub fn sort_items(items: &mut [OrderItemRow]) {
    items.sort_by_key(|item| item.line_no);
}

/// The lines as a body would state them, at their agreed prices.
pub fn restate_items(items: &[OrderItemRow]) -> Vec<StatedLine> {
    let line = |row: &OrderItemRow| restate(row.variant_id, row.quantity, row.agreed_price, row.reason.clone());
    items.iter().map(line).collect()
}

/// All lines at what the list asks now.
pub fn reprice_items(
    items: &[OrderItemRow],
    lines: &[StatedLine],
    references: &References,
) -> Result<Vec<OrderItemRow>, Problem> {
    let terms = references.price_lines(lines)?;
    items.iter().zip(&terms).map(|(item, terms)| price_item(item, terms)).collect()
}

/// Writes what a draft may change of its lines.
pub fn rewrite_items(rows: &[OrderItemRow]) -> Update<OrderItemRow> {
    let each = || rows.iter();
    update_all::<OrderItemRow>(each().map(|row| row.id))
        .set_each(OrderItemRow::line_no, each().map(|row| row.line_no))
        .set_each(OrderItemRow::sku, each().map(|row| row.sku.clone()))
        .set_each(OrderItemRow::description, each().map(|row| row.description.clone()))
        .set_each(OrderItemRow::tracking, each().map(|row| row.tracking))
        .set_each(OrderItemRow::quantity, each().map(|row| row.quantity))
        .set_each(OrderItemRow::price_id, each().map(|row| row.price_id))
        .set_each(OrderItemRow::list_price, each().map(|row| row.list_price))
        .set_each(OrderItemRow::agreed_price, each().map(|row| row.agreed_price))
        .set_each(OrderItemRow::agreed_origin, each().map(|row| row.agreed_origin))
        .set_each(OrderItemRow::reason, each().map(|row| row.reason.clone()))
        .set_each(OrderItemRow::unit_price, each().map(|row| row.unit_price))
        .set_each(OrderItemRow::line_total, each().map(|row| row.line_total))
        .set_each(OrderItemRow::chosen_units, each().map(|row| row.chosen_units.clone()))
}

/// The change of an order to what it is after an operation.
pub fn change_order(before: &OrderRow, after: OrderRow) -> Result<Change<OrderRow>, Problem> {
    Change::new(before, after)
}

/// Refuses what an order in another state does not allow.
///
/// # Errors
/// ILLEGAL_STATE.
pub fn require_status(row: &OrderRow, allowed: &[OrderStatus]) -> Result<(), Problem> {
    if allowed.contains(&row.status) { Ok(()) } else { Err(Problem::new("ILLEGAL_STATE")) }
}

/// Every row of the draft, those that were taken out of it before among them: of a draft that is replaced again and again there
/// may be more than one call answers.
pub fn first_items(order: Id) -> impl stoa_sdk::store::Batch<Answer = Rows<OrderItemRow>> {
    select::<OrderItemRow>(OrderItemRow::order_id.eq(order)).limit(MOST_ROWS)
}
