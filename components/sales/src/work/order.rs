//! Sales orders as operations and services begin and end on them: new rows, sums of lines, and the states that allow a
//! change.

use stoa_sdk::{Id, Instant, Problem, new_id, now};
use stoa_trade::document::number::{DocumentNumber, NumberRange, insert_numbered};
use stoa_trade::text::key;
use stoa_trade::{JsonList, new_record};

use crate::records::order::{OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::price_figures::PriceOrigin;
use crate::rules::line::{LineTerms, Named, StatedLine};
use crate::rules::total::is_collectable;
use crate::work::owner::name_owner;
use crate::work::priced_line::{new_lines, sum_lines};
use crate::work::references::References;

/// Where numbers of orders are unique; `pointer` is where a body states one.
pub fn number_range(entity: Id, pointer: &str) -> NumberRange<'_> {
    NumberRange { prefix: "SO", entity, pointer }
}

/// The lines of a new order, in the order stated.
pub fn new_items(
    order: Id,
    lines: &[StatedLine],
    terms: &[LineTerms],
    origin: PriceOrigin,
) -> Result<Vec<OrderItemRow>, Problem> {
    let items = new_lines(order, lines, terms)?.into_iter().zip(lines);
    Ok(items.map(|(item, line)| complete_item(item, line, origin)).collect())
}

/// The line with what only lines of orders have: origin of an agreed price, and units that were chosen.
pub fn complete_item(item: OrderItemRow, line: &StatedLine, origin: PriceOrigin) -> OrderItemRow {
    OrderItemRow {
        agreed_origin: item.agreed_price.map(|_| origin),
        chosen_units: JsonList(line.units.clone()),
        ..item
    }
}

/// A DRAFT of what is named, to be sold from this warehouse, without number and lines yet.
pub fn new_order(named: &Named<'_>, warehouse: Id, references: &References) -> OrderRow {
    let now = now();
    new_record!(OrderRow {
        id: new_id(),
        number: String::new(),
        number_key: String::new(),
        legal_entity_id: named.entity,
        branch_id: references.branch(),
        warehouse_id: warehouse,
        customer_id: named.customer,
        price_list_id: named.price_list,
        currency_code: references.currency_code(),
        status: OrderStatus::Draft,
        notes: None,
        total: Default::default(),
        collectable: false,
        prices_as_of: now,
        item_count: 0,
        unit_count: 0,
        quotation_id: None,
        invoice_id: None,
        pos_receipt_id: None,
        confirmed_at: None,
        completed_at: None,
        cancelled_at: None,
        cancel_reason: None,
        delivery_address: None,
        carrier: None,
        required_on: None,
        salesperson: None,
    })
}

/// The order with what is summed over its lines, priced at this instant.
pub fn with_sums(row: OrderRow, items: &[OrderItemRow], prices_as_of: Instant) -> Result<OrderRow, Problem> {
    let total = sum_lines(items)?;
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
pub fn insert_order(
    order: &mut OrderRow,
    items: &[OrderItemRow],
    stated: Option<DocumentNumber>,
    figure: Option<u64>,
    pointer: &str,
) -> Result<(), Problem> {
    let range = number_range(order.legal_entity_id, pointer);
    let inserted = insert_numbered(order, items, range, stated, figure, |order, number| {
        order.number = number.to_owned();
        order.number_key = key(number);
    });
    inserted.map_err(|refusal| name_owner::<OrderRow>(refusal, range, &order.number_key))
}

/// Refuses with ILLEGAL_STATE what an order in another state does not allow.
pub fn require_status(row: &OrderRow, allowed: &[OrderStatus]) -> Result<(), Problem> {
    if allowed.contains(&row.status) { Ok(()) } else { Err(Problem::new("ILLEGAL_STATE")) }
}
