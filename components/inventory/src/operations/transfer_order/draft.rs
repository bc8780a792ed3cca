//! Drafting transfer orders: creating and replacing them. A draft holds nothing.

use stoa_sdk::store::{MOST_ROWS, Update, get, insert, run, select, update, update_all};
use stoa_sdk::{Answer, Call, Id, Instant, Problem, new_id, new_ids, now};
use stoa_trade::clients::articles;
use stoa_trade::document::number::{DocumentNumber, NumberRange, assign_number, insert_unless_taken};
use stoa_trade::limits::UNITS;
use stoa_trade::pages::read_rest;
use stoa_trade::quantity::{Quantity, Tracking};
use stoa_trade::text::key;

use crate::operations::transfer_order::input::{self, TransferItemInput, TransferOrderInput, TransferOrderUpdate};
use crate::operations::transfer_order::references::References;
use crate::records::transfer_order::{TransferItemRow, TransferOrderRow, TransferStatus, TransferUnitRow, receipt};

pub fn create(call: &Call) -> Answer {
    create_for(call, false)
}

pub fn create_as_client(call: &Call) -> Answer {
    create_for(call, true)
}

fn create_for(call: &Call, by_client: bool) -> Answer {
    let body: TransferOrderInput = call.body()?;
    input::check_draft(body.from_warehouse_id, body.to_warehouse_id, &body.items, by_client)?;
    let head = body.head();
    let known = References::read(&head, &body.items)?;
    known.check(&head, &body.items)?;
    let entity = known.entity(&head)?;
    let now = now();
    let mut order = TransferOrderRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        number: String::new(),
        number_key: String::new(),
        legal_entity_id: entity,
        from_warehouse_id: head.from,
        to_warehouse_id: head.to,
        transit_warehouse_id: head.transit,
        expected_on: body.expected_on,
        notes: body.notes.map(String::from),
        status: TransferStatus::Draft,
        item_count: i64::try_from(body.items.len()).unwrap_or(i64::MAX),
        shipped_at: None,
        closed_at: None,
        cancel_reason: None,
    };
    let range = NumberRange { prefix: "TO", entity, pointer: "/number" };
    assign_number(range, head.number, |number| {
        order.number = number.to_owned();
        order.number_key = key(number);
        insert_unless_taken(&order)
    })?;
    let (items, units) = lines(order.id, now, &body.items, &known);
    run((insert(&items), insert(&units)))?;
    Ok(receipt(&order).subjects(articles::products_of(body.items.iter().map(|line| line.variant_id))))
}

pub fn replace(call: &Call) -> Answer {
    replace_for(call, false)
}

pub fn replace_as_client(call: &Call) -> Answer {
    replace_for(call, true)
}

fn replace_for(call: &Call, by_client: bool) -> Answer {
    let id = call.path_id("id")?;
    let body: TransferOrderUpdate = call.body()?;
    input::check_draft(body.from_warehouse_id, body.to_warehouse_id, &body.items, by_client)?;
    // Also what was taken out of it since: of a draft that is changed again and again there is any number.
    let (of_items, of_units) = (TransferItemRow::order_id.eq(id), TransferUnitRow::order_id.eq(id));
    let (order, items, chosen) = run((
        get::<TransferOrderRow>(id).locked(),
        select::<TransferItemRow>(of_items.clone()).limit(MOST_ROWS),
        select::<TransferUnitRow>(of_units.clone()).limit(MOST_ROWS),
    ))?;
    let order = order.ok_or_else(Problem::not_found)?;
    let items = read_rest(items, &of_items, |item| item.id)?;
    let chosen = read_rest(chosen, &of_units, |unit| unit.id)?;
    let head = body.head();
    let known = References::read(&head, &body.items)?;
    body.expected_version.check(order.version)?;
    if order.status != TransferStatus::Draft {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    let fixed = [
        ("/number", head.number.as_ref().is_some_and(|DocumentNumber(number)| *number != order.number)),
        ("/fromWarehouseId", head.from != order.from_warehouse_id),
    ];
    let fixed: Vec<String> =
        fixed.into_iter().filter(|(_, differs)| *differs).map(|(pointer, _)| pointer.to_owned()).collect();
    if !fixed.is_empty() {
        return Err(Problem::immutable(fixed));
    }
    known.check(&head, &body.items)?;

    let now = now();
    let mut change = Redraft::default();
    let count = u32::try_from(body.items.len() * 2 + UNITS).unwrap_or(u32::MAX);
    let mut ids = new_ids(count).into_iter();
    let mut live: Vec<Id> = Vec::new();
    for (index, line) in body.items.iter().enumerate() {
        let line_no = Some(i64::try_from(index).unwrap_or(i64::MAX));
        let tracking = known.tracking(line.variant_id);
        let item_id = match items.iter().find(|item| item.variant_id == line.variant_id) {
            Some(item) => {
                change.kept.push((item.id, line_no, line.quantity));
                item.id
            }
            None => {
                let Some(id) = ids.next() else { continue };
                change.items.push(new_item(id, now, order.id, line_no, line, tracking));
                id
            }
        };
        live.push(item_id);
        let of_line = chosen.iter().filter(|unit| unit.item_id == item_id);
        if by_client {
            // The units that people chose stay, as far as they fit.
            let fitting = usize::try_from(line.quantity.units() / 1_000_000).unwrap_or(0);
            let surplus = of_line.filter(|unit| !unit.dropped).skip(fitting);
            change.dropped.extend(surplus.map(|unit| unit.id));
            continue;
        }
        let of_line: Vec<&TransferUnitRow> = of_line.collect();
        for unit in &of_line {
            match (line.unit_ids.contains(&unit.unit_id), unit.dropped) {
                (true, true) => change.taken_back.push(unit.id),
                (false, false) => change.dropped.push(unit.id),
                _ => {}
            }
        }
        let new = line.unit_ids.iter().filter(|id| !of_line.iter().any(|unit| unit.unit_id == **id));
        for (unit, id) in new.zip(ids.by_ref()) {
            change.units.push(new_unit(id, now, order.id, item_id, *unit));
        }
    }
    let gone = items.iter().filter(|item| !live.contains(&item.id));
    change.gone.extend(gone.filter(|item| item.line_no.is_some()).map(|item| item.id));
    let left = chosen.iter().filter(|unit| !live.contains(&unit.item_id) && !unit.dropped);
    change.dropped.extend(left.map(|unit| unit.id));

    let after = TransferOrderRow {
        to_warehouse_id: head.to,
        transit_warehouse_id: head.transit,
        expected_on: body.expected_on,
        notes: body.notes.map(String::from),
        item_count: i64::try_from(body.items.len()).unwrap_or(i64::MAX),
        version: order.version + 1,
        updated_at: now,
        ..order.clone()
    };
    let order_change = update::<TransferOrderRow>(order.id)
        .set(TransferOrderRow::to_warehouse_id, &after.to_warehouse_id)
        .set(TransferOrderRow::transit_warehouse_id, &after.transit_warehouse_id)
        .set(TransferOrderRow::expected_on, &after.expected_on)
        .set(TransferOrderRow::notes, &after.notes)
        .set(TransferOrderRow::item_count, &after.item_count);
    change.write(order_change)?;
    // Also those of the lines that are gone now.
    let before = items.iter().filter(|item| item.line_no.is_some()).map(|item| item.variant_id);
    let products = articles::products_of(before.chain(body.items.iter().map(|line| line.variant_id)));
    Ok(receipt(&after).subjects(products).changed(changed_members(&order, &after)))
}

/// Changes of lines and chosen units by a replacement.
#[derive(Default)]
struct Redraft {
    kept: Vec<(Id, Option<i64>, Quantity)>,
    gone: Vec<Id>,
    items: Vec<TransferItemRow>,
    units: Vec<TransferUnitRow>,
    dropped: Vec<Id>,
    taken_back: Vec<Id>,
}

impl Redraft {
    fn write(self, order: Update<TransferOrderRow>) -> Result<(), Problem> {
        let kept = update_all::<TransferItemRow>(self.kept.iter().map(|(id, ..)| *id))
            .set_each(TransferItemRow::line_no, self.kept.iter().map(|(_, line_no, _)| *line_no))
            .set_each(TransferItemRow::quantity, self.kept.iter().map(|(.., quantity)| *quantity));
        let gone = update_all::<TransferItemRow>(self.gone).set(TransferItemRow::line_no, &None);
        let dropped = update_all::<TransferUnitRow>(self.dropped).set(TransferUnitRow::dropped, &true);
        let back = update_all::<TransferUnitRow>(self.taken_back).set(TransferUnitRow::dropped, &false);
        run((order, kept, gone, insert(&self.items), dropped, back, insert(&self.units)))?;
        Ok(())
    }
}

fn changed_members(before: &TransferOrderRow, after: &TransferOrderRow) -> Vec<&'static str> {
    let members = [
        ("toWarehouseId", before.to_warehouse_id != after.to_warehouse_id),
        ("transitWarehouseId", before.transit_warehouse_id != after.transit_warehouse_id),
        ("expectedOn", before.expected_on != after.expected_on),
        ("notes", before.notes != after.notes),
        // Lines are named as one: which of them changed is in the record.
        ("items", true),
    ];
    members.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

fn lines(
    order: Id,
    now: Instant,
    items: &[TransferItemInput],
    known: &References,
) -> (Vec<TransferItemRow>, Vec<TransferUnitRow>) {
    let count = items.len() + items.iter().map(|line| line.unit_ids.len()).sum::<usize>();
    let mut ids = new_ids(u32::try_from(count).unwrap_or(u32::MAX)).into_iter();
    let (mut rows, mut units) = (Vec::new(), Vec::new());
    for (index, line) in items.iter().enumerate() {
        let Some(id) = ids.next() else { continue };
        let line_no = Some(i64::try_from(index).unwrap_or(i64::MAX));
        rows.push(new_item(id, now, order, line_no, line, known.tracking(line.variant_id)));
        for (unit, unit_row) in line.unit_ids.iter().zip(ids.by_ref()) {
            units.push(new_unit(unit_row, now, order, id, *unit));
        }
    }
    (rows, units)
}

fn new_item(
    id: Id,
    now: Instant,
    order_id: Id,
    line_no: Option<i64>,
    line: &TransferItemInput,
    tracking: Tracking,
) -> TransferItemRow {
    TransferItemRow {
        id,
        version: 1,
        created_at: now,
        updated_at: now,
        order_id,
        line_no,
        variant_id: line.variant_id,
        tracking,
        quantity: line.quantity,
        received: Quantity::ZERO,
        lost: Quantity::ZERO,
        returned: Quantity::ZERO,
    }
}

fn new_unit(id: Id, now: Instant, order_id: Id, item_id: Id, unit_id: Id) -> TransferUnitRow {
    TransferUnitRow {
        id,
        version: 1,
        created_at: now,
        updated_at: now,
        order_id,
        item_id,
        unit_id,
        outcome: None,
        dropped: false,
        live_slot: None,
    }
}
