//! Drafting purchase orders: creating and replacing them. A draft has no obligations and expects no goods.

use stoa_sdk::store::{MOST_ROWS, Update, get, insert, run, select, update_all, update_from};
use stoa_sdk::{Field, Id, Problem, Reply, column_names, emit, new_id, new_ids};
use stoa_trade::change::{find_fixed, refuse_immutable};
use stoa_trade::clients::articles;
use stoa_trade::document::actor::Actor;
use stoa_trade::document::draft::{Kept, replace_lines};
use stoa_trade::document::number::{NumberRange, insert_numbered};
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::pages::read_rest;
use stoa_trade::quantity::{self, Quantity, Tracking};
use stoa_trade::refusal::refuse_invalid;
use stoa_trade::taken::find_taken;
use stoa_trade::text::{key, restate_code};
use stoa_trade::{Change, new_record};

use crate::records::draft_write::{PurchaseOrderItemWrite, show_draft};
use crate::records::order::{ORDER_CREATED, ORDER_UPDATED, OrderKind, OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::permission::READ;
use crate::rules::terms::{OrderTerms, PurchaseOrderItemInput, StatedOrder};
use crate::work::order::{LockedOrder, order_event};
use crate::work::references::References;

/// Columns that a replacement writes of the lines that stay.
const REDRAWN: &[&str] = column_names! {
    OrderItemRow { line_no, tracking, quantity, unit_cost, line_total, warehouse_id, currency_code }
};

/// Columns of an approved import order that a replacement may no longer change.
const APPROVED: &[&str] =
    column_names!(OrderRow { warehouse_id, supplier_id, currency_code, incoterm, origin_country });

/// Generated numbers are `PO-000001`.
const PREFIX: &str = "PO";

/// Drafts an order; answers it and its supplier.
///
/// # Errors
/// Faults of the terms, NOT_FOUND, REFERENCE_INVALID, CUSTODY_CONFLICT, DUPLICATE at `/number`.
pub fn insert_order(stated: &StatedOrder) -> Result<(LockedOrder, References), Problem> {
    refuse_invalid(stated.find_faults())?;
    let terms = &stated.terms;
    let known = References::read(terms)?;
    known.check(terms)?;
    let actor = Actor::current().actor_id;
    let row = new_record!(OrderRow {
        id: new_id(),
        kind: stated.kind(),
        number: String::new(),
        number_key: String::new(),
        legal_entity_id: terms.legal_entity_id,
        warehouse_id: terms.warehouse_id,
        supplier_id: terms.supplier_id,
        currency_code: terms.currency_code.clone(),
        notes: None,
        expected_on: None,
        status: OrderStatus::Draft,
        item_count: 0,
        total: Default::default(),
        created_by: actor.clone(),
        edited_by: actor,
        approved_at: None,
        approved_by: None,
        cancelled_at: None,
        cancel_reason: None,
        incoterm: None,
        transport_mode: None,
        origin_country: None,
        origin_port: None,
        destination_port: None,
        customs_reference: None,
    });
    let mut row = redraw(row, stated)?;
    let range = NumberRange { prefix: PREFIX, entity: terms.legal_entity_id, pointer: "/number" };
    let ids = new_ids(u32::try_from(terms.items.len()).unwrap_or(u32::MAX));
    let lines = terms.items.iter().zip(0..).zip(ids);
    let items: Vec<OrderItemRow> = lines
        .map(|((line, line_no), id)| item_row(id, &row, line_no, line, known.tracking(line.variant_id)))
        .collect::<Result<_, _>>()?;
    let inserted = insert_numbered(&mut row, &items, range, stated.number.clone(), None, |row, number| {
        row.number = number.to_owned();
        row.number_key = key(number);
    });
    inserted.or_else(|problem| match problem.code.as_str() {
        "DUPLICATE" => {
            let taken = vec![row.legal_entity_id.put(), row.number_key.put()];
            Err(find_taken::<OrderRow>("number", taken, "/number", READ)?)
        }
        _ => Err(problem),
    })?;
    emit([order_event(&ORDER_CREATED, &row)]);
    Ok((LockedOrder { row, items }, known))
}

/// Replaces an order of the stated kind: a draft whole; an approved import order only in the members that say how its goods
/// travel.
///
/// # Errors
/// Faults of the terms, NOT_FOUND, VERSION_CONFLICT, ILLEGAL_STATE, IMMUTABLE_FIELD, REFERENCE_INVALID, CUSTODY_CONFLICT.
pub fn replace_order(id: Id, expected: ExpectedVersion, stated: &StatedOrder) -> Result<Reply, Problem> {
    refuse_invalid(stated.find_faults())?;
    let (kind, terms) = (stated.kind(), &stated.terms);
    // Also lines that were taken out of it since: a draft that is changed again and again has any number of them.
    let of_order = OrderItemRow::order_id.eq(id);
    let (order, rows) = run((get::<OrderRow>(id).locked(), select::<OrderItemRow>(of_order.clone()).limit(MOST_ROWS)))?;
    let order = order.ok_or_else(Problem::not_found)?;
    if kind == OrderKind::Import && order.kind != kind {
        return Err(Problem::not_found());
    }
    let rows = read_rest(rows, &of_order, |item| item.id)?;
    let known = References::read(terms)?;
    expected.check(order.version)?;
    let is_draft = order.status == OrderStatus::Draft;
    if order.kind != kind || !(is_draft || kind == OrderKind::Import && order.status.is_open()) {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    let number = stated.number.clone().map(|number| number.0);
    let mut after = OrderRow { number: restate_code(&order.number, number), ..redraw(order.clone(), stated)? };
    let (change, items) = if is_draft {
        after.edited_by = Actor::current().actor_id;
        let change = Change::new(&order, after)?;
        known.check(terms)?;
        let items = replace_items(change.update(), change.after(), &rows, terms, &known)?;
        (change, items)
    } else {
        let live = live_items(&rows);
        refuse_fixed(&order, &after, &live, terms)?;
        let change = Change::new(&order, after)?;
        run(change.update())?;
        (change, live.iter().map(|row| row.name()).collect())
    };
    emit([order_event(&ORDER_UPDATED, change.after())]);
    let before = rows.iter().filter(|row| row.line_no.is_some()).map(|row| row.variant_id);
    // Also those of the lines that are gone now.
    let products = articles::products_of(before).into_iter().chain(known.products());
    let reply = show_draft(change.after(), items).subjects(products).subject(terms.supplier_id);
    Ok(reply.changed(name_members(change.members(), is_draft)))
}

/// The order as it is stated, but for its number.
fn redraw(row: OrderRow, stated: &StatedOrder) -> Result<OrderRow, Problem> {
    let StatedOrder { terms, import, .. } = stated;
    let import = import.clone().unwrap_or_default();
    Ok(OrderRow {
        legal_entity_id: terms.legal_entity_id,
        warehouse_id: terms.warehouse_id,
        supplier_id: terms.supplier_id,
        currency_code: terms.currency_code.clone(),
        notes: terms.notes.clone().map(String::from),
        expected_on: terms.expected_on,
        item_count: terms.count(),
        total: terms.total()?,
        incoterm: import.incoterm,
        transport_mode: import.transport_mode,
        origin_country: import.origin_country,
        origin_port: import.origin_port.map(String::from),
        destination_port: import.destination_port.map(String::from),
        customs_reference: import.customs_reference.map(String::from),
        ..row
    })
}

/// Writes the order's change and its lines: those that stay, come, go and return. The lines as they are named, in the
/// order of the terms.
fn replace_items(
    change: Update<OrderRow>,
    after: &OrderRow,
    rows: &[OrderItemRow],
    terms: &OrderTerms,
    known: &References,
) -> Result<Vec<PurchaseOrderItemWrite>, Problem> {
    let kept = |row: &OrderItemRow| Kept { id: row.id, is_live: row.line_no.is_some(), key: row.variant_id };
    let replacement = replace_lines(rows, kept, &terms.items, |line| line.variant_id);
    let (mut stay, mut come, mut named) = (Vec::new(), Vec::new(), Vec::new());
    for (line, new) in terms.items.iter().zip(&replacement.lines) {
        let tracking = known.tracking(line.variant_id);
        let row = item_row(new.id, after, new.line_no, line, tracking)?;
        named.push(row.name());
        if new.before.is_some() { stay.push(row) } else { come.push(row) }
    }
    let gone = update_all::<OrderItemRow>(replacement.dropped).set(OrderItemRow::line_no, &None);
    run((change, update_from(&stay, REDRAWN), gone, insert(&come)))?;
    Ok(named)
}

/// The lines that are in the order, in their order.
fn live_items(rows: &[OrderItemRow]) -> Vec<&OrderItemRow> {
    let mut live: Vec<&OrderItemRow> = rows.iter().filter(|row| row.line_no.is_some()).collect();
    live.sort_by_key(|row| row.line_no);
    live
}

/// Refuses a replacement of an approved import order that changes more than how its goods travel.
fn refuse_fixed(order: &OrderRow, after: &OrderRow, live: &[&OrderItemRow], terms: &OrderTerms) -> Result<(), Problem> {
    let is_same = |(row, line): (&&OrderItemRow, &PurchaseOrderItemInput)| {
        (row.variant_id, row.quantity, row.unit_cost) == (line.variant_id, line.quantity.0, line.unit_cost)
    };
    let same_items = live.len() == terms.items.len() && live.iter().zip(&terms.items).all(is_same);
    let mut fixed = find_fixed(order, after, APPROVED);
    fixed.extend((!same_items).then(|| "/items".to_owned()));
    refuse_immutable(fixed)
}

/// The names of what changed, as callers know them. Lines are named as one: which of them changed is in the record.
fn name_members(columns: Vec<String>, with_items: bool) -> Vec<String> {
    let shown = columns.into_iter().filter(|name| !matches!(name.as_str(), "editedBy" | "itemCount" | "total"));
    shown.chain(with_items.then(|| "items".to_owned())).collect()
}

fn item_row(
    id: Id,
    order: &OrderRow,
    line_no: i64,
    line: &PurchaseOrderItemInput,
    tracking: Tracking,
) -> Result<OrderItemRow, Problem> {
    Ok(OrderItemRow {
        id,
        version: 1,
        created_at: order.updated_at,
        updated_at: order.updated_at,
        order_id: order.id,
        line_no: Some(line_no),
        variant_id: line.variant_id,
        tracking,
        quantity: line.quantity.0,
        unit_cost: line.unit_cost,
        line_total: quantity::multiply(line.quantity.0, line.unit_cost)?,
        received: Quantity::ZERO,
        billed: Quantity::ZERO,
        received_value: Default::default(),
        billed_value: Default::default(),
        legal_entity_id: order.legal_entity_id,
        warehouse_id: order.warehouse_id,
        currency_code: order.currency_code.clone(),
        open: false,
        settled: true,
    })
}
