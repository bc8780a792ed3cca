//! Shipments of an import order: planned, replaced and advanced under the lock of the order.

use stoa_sdk::store::{Whole, get_all, insert, run, select, update, update_all, update_from};
use stoa_sdk::{Answer, Bounds, Call, Id, Item, Problem, Reply, has, holds, item, new_id, new_ids, now, set};
use stoa_trade::clients::articles;
use stoa_trade::document::draft::{Kept, replace_lines};
use stoa_trade::document::lines::Lines;
use stoa_trade::document::number::insert_unless_taken;
use stoa_trade::limits::SHIPMENTS;
use stoa_trade::quantity::{Quantity, is_countable, scale_fault};
use stoa_trade::refusal::{refuse, refuse_invalid};
use stoa_trade::text::key;
use stoa_trade::{Change, JsonList, new_record};

use crate::operations::import_order::input::{ShipmentAdvance, ShipmentInput, ShipmentItemInput};
use crate::records::import_order::ShipmentWrite;
use crate::records::order_item::OrderItemRow;
use crate::records::permission::READ;
use crate::records::shipment::{ShipmentItemRow, ShipmentRow, ShipmentStage, ShipmentStep};
use crate::rules::shipment_state::check_advance;
use crate::work::order::{LockedOrder, lock_import_with};

/// An order with all its shipments and what they carry.
struct Shipping {
    order: LockedOrder,
    shipments: Vec<ShipmentRow>,
    /// Also what was taken out of a shipment.
    items: Vec<ShipmentItemRow>,
}

fn lock_shipping(order: Id) -> Result<Shipping, Problem> {
    let of_order = ShipmentRow::order_id.eq(order);
    let items: Whole<ShipmentItemRow> =
        select(has::<ShipmentRow, _, _>(ShipmentItemRow::shipment_id, ShipmentRow::id, of_order.clone())).whole();
    let (order, (shipments, items)) = lock_import_with(order, (select::<ShipmentRow>(of_order).whole(), items))?;
    Ok(Shipping { order, shipments, items })
}

impl Shipping {
    /// The shipment of the path.
    fn shipment(&self, id: Id) -> Result<&ShipmentRow, Problem> {
        self.shipments.iter().find(|shipment| shipment.id == id).ok_or_else(Problem::not_found)
    }

    /// The shipment with this number, named to callers who may read the order.
    fn find_named(&self, number_key: &str) -> Option<Id> {
        let named = self.shipments.iter().find(|shipment| shipment.number_key == number_key);
        named.map(|shipment| shipment.id).filter(|_| READ.iter().all(|permission| holds(permission)))
    }

    /// Quantity of a line on shipments that are not cancelled, without the shipment `but_for`.
    fn sum_on_shipments(&self, order_item: Id, but_for: Option<Id>) -> i128 {
        let counts = |id: Id| {
            let shipment = self.shipments.iter().find(|shipment| shipment.id == id);
            Some(id) != but_for && shipment.is_some_and(|shipment| shipment.stage != ShipmentStage::Cancelled)
        };
        let shipped = self.items.iter().filter(|line| line.order_item_id == order_item && line.line_no.is_some());
        shipped.filter(|line| counts(line.shipment_id)).map(|line| line.quantity.units()).sum()
    }

    /// Checks that a shipment may carry this: lines of the order, no more of each than is ordered.
    fn check_items(&self, stated: &[ShipmentItemInput], but_for: Option<Id>) -> Result<(), Problem> {
        let lines = Lines::at("/items", stated);
        let strangers = lines.faults("orderItemId", "NOT_FOUND", |line| self.order.item(line.order_item_id).is_none());
        let strangers = self.tell_strangers(strangers, stated)?;
        refuse("REFERENCE_INVALID", strangers)?;
        let articles = articles::get(self.order.items.iter().map(|item| item.variant_id));
        let (mut fine, mut beyond): (Vec<Item>, Vec<Item>) = Default::default();
        for (pointer, line) in lines.iter() {
            let Some(order_item) = self.order.item(line.order_item_id) else { continue };
            let places = articles.get(&order_item.variant_id).map_or(0, |article| article.decimal_places);
            if !is_countable(line.quantity.0, order_item.tracking, places) {
                fine.push(scale_fault(pointer.member("quantity"), order_item.tracking, places));
                continue;
            }
            let left =
                Quantity::from_units(order_item.quantity.units() - self.sum_on_shipments(order_item.id, but_for));
            if line.quantity.0 > left {
                beyond.push(item(pointer.member("quantity"), "LIMIT_EXCEEDED").with_bounds(Bounds::maximum(left)));
            }
        }
        refuse_invalid(fine)?;
        refuse("LIMIT_EXCEEDED", beyond)
    }

    /// Lines of another order; rejects those that no order has.
    fn tell_strangers(&self, absent: Vec<Item>, stated: &[ShipmentItemInput]) -> Result<Vec<Item>, Problem> {
        if absent.is_empty() {
            return Ok(absent);
        }
        let ids = stated.iter().map(|line| line.order_item_id);
        let others = run(get_all::<OrderItemRow>(set(ids)))?;
        let is_there = |line: &ShipmentItemInput| others.iter().any(|other| other.id == line.order_item_id);
        let lines = Lines::at("/items", stated);
        refuse("NOT_FOUND", lines.faults("orderItemId", "NOT_FOUND", |line| !is_there(line)))?;
        let is_own = |line: &ShipmentItemInput| self.order.item(line.order_item_id).is_some();
        Ok(lines.faults("orderItemId", "OTHER_ORDER", |line| !is_own(line)))
    }
}

pub fn add(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: ShipmentInput = call.body()?;
    check_body(&body)?;
    let shipping = lock_shipping(id)?;
    body.expected_version.check(shipping.order.row.version)?;
    if !shipping.order.row.status.is_open() {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    if shipping.shipments.len() >= SHIPMENTS {
        return Err(Problem::limit_exceeded("", SHIPMENTS, "SHIPMENTS"));
    }
    shipping.check_items(&body.items, None)?;
    let row = redraw(
        new_record!(ShipmentRow {
            id: new_id(),
            order_id: id,
            number_key: key(&body.number.0),
            number: body.number.0.clone(),
            stage: ShipmentStage::Planned,
            reference: None,
            carrier: None,
            containers: JsonList::default(),
            departs_on: None,
            arrives_on: None,
            history: JsonList::default(),
        }),
        &body,
    );
    if !insert_unless_taken(&row)? {
        // Shipments are named within their order, and have no read of their own.
        return Err(Problem::conflict("DUPLICATE", "/number", shipping.find_named(&row.number_key)));
    }
    let ids = new_ids(u32::try_from(body.items.len()).unwrap_or(u32::MAX));
    let lines = body.items.iter().zip(0..).zip(ids);
    let items: Vec<_> = lines.map(|((line, line_no), id)| new_item(id, &row, line_no, line)).collect();
    let after = shipping.order.write_parts(insert(&items))?;
    let reply = Reply::json(&ShipmentWrite::from_row(&after, row.id)).resource(after.id);
    Ok(reply.subjects(shipping.order.subjects()).subject(row.id).changed(["shipments"]))
}

pub fn replace(call: &Call) -> Answer {
    let (id, shipment_id) = (call.path_id("id")?, call.path_id("shipmentId")?);
    let body: ShipmentInput = call.body()?;
    check_body(&body)?;
    let shipping = lock_shipping(id)?;
    let before = shipping.shipment(shipment_id)?;
    body.expected_version.check(shipping.order.row.version)?;
    if before.stage.is_closed() {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    if key(&body.number.0) != before.number_key {
        return Err(Problem::immutable(vec!["/number".to_owned()]));
    }
    let change = Change::new(before, redraw(before.clone(), &body))?;
    let rows: Vec<ShipmentItemRow> =
        shipping.items.iter().filter(|line| line.shipment_id == shipment_id).cloned().collect();
    let kept = |row: &ShipmentItemRow| Kept { id: row.id, is_live: row.line_no.is_some(), key: row.order_item_id };
    let replacement = replace_lines(&rows, kept, &body.items, |line| line.order_item_id);
    let (mut stay, mut come) = (Vec::new(), Vec::new());
    for (line, new) in body.items.iter().zip(&replacement.lines) {
        let row = new_item(new.id, before, new.line_no, line);
        if new.before.is_some() { stay.push(row) } else { come.push(row) }
    }
    let is_same = |row: &&ShipmentItemRow| rows.iter().any(|old| is_same_line(old, row));
    let same_items = come.is_empty() && replacement.dropped.is_empty() && stay.iter().all(|row| is_same(&row));
    if !same_items {
        if before.stage != ShipmentStage::Planned {
            return Err(Problem::illegal_state("/items"));
        }
        shipping.check_items(&body.items, Some(shipment_id))?;
    }
    let stay = update_from(&stay, &[ShipmentItemRow::line_no.name(), ShipmentItemRow::quantity.name()]);
    let gone = update_all::<ShipmentItemRow>(replacement.dropped.iter().copied()).set(ShipmentItemRow::line_no, &None);
    let after = shipping.order.write_parts((change.update(), stay, gone, insert(&come)))?;
    Ok(shipping.order.show(&after, &["shipments"]).subject(shipment_id))
}

pub fn advance(call: &Call) -> Answer {
    let (id, shipment_id) = (call.path_id("id")?, call.path_id("shipmentId")?);
    let body: ShipmentAdvance = call.body()?;
    let shipping = lock_shipping(id)?;
    let before = shipping.shipment(shipment_id)?;
    body.expected_version.check(shipping.order.row.version)?;
    let is_touched = shipping.items.iter().any(|line| line.shipment_id == shipment_id && !line.received.is_zero());
    check_advance(before.stage, body.stage, is_touched)?;
    let note = body.note.map(String::from);
    let step = ShipmentStep { stage: body.stage, occurred_on: body.occurred_on, note, at: now() };
    let history: JsonList<ShipmentStep> = before.history.0.iter().cloned().chain([step]).collect();
    let shipment =
        update::<ShipmentRow>(shipment_id).set(ShipmentRow::stage, &body.stage).set(ShipmentRow::history, &history);
    let after = shipping.order.write_parts(shipment)?;
    Ok(shipping.order.show(&after, &["shipments"]).subject(shipment_id))
}

/// Checks beyond the schema: a line of the order twice.
fn check_body(body: &ShipmentInput) -> Result<(), Problem> {
    refuse_invalid(Lines::at("/items", &body.items).find_repeats("orderItemId", |line| line.order_item_id))
}

/// The shipment as the body says it is.
fn redraw(row: ShipmentRow, body: &ShipmentInput) -> ShipmentRow {
    ShipmentRow {
        reference: body.reference.clone().map(String::from),
        carrier: body.carrier.clone().map(String::from),
        containers: body.containers.iter().cloned().map(String::from).collect(),
        departs_on: body.departs_on,
        arrives_on: body.arrives_on,
        ..row
    }
}

fn is_same_line(one: &ShipmentItemRow, other: &ShipmentItemRow) -> bool {
    (one.id, one.quantity) == (other.id, other.quantity) && one.line_no.is_some()
}

fn new_item(id: Id, shipment: &ShipmentRow, line_no: i64, line: &ShipmentItemInput) -> ShipmentItemRow {
    new_record!(ShipmentItemRow {
        id,
        shipment_id: shipment.id,
        order_item_id: line.order_item_id,
        line_no: Some(line_no),
        quantity: line.quantity.0,
        received: Quantity::ZERO,
    })
}
