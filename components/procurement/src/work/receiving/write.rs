//! Writes of a receipt: itself and its lines, how far the order, its shipment and its charges have come, the goods in inventory,
//! and last the entry of the books.

use std::collections::BTreeMap;

use stoa_sdk::store::{insert, run, update, update_all};
use stoa_sdk::{Id, Problem, emit, map, new_id, new_ids, today};
use stoa_trade::clients::books::{self, Cost, Side};
use stoa_trade::clients::stock::{self, NewUnit, ReceiptLine, Received};
use stoa_trade::document::actor::Actor;
use stoa_trade::posting::EntrySource;
use stoa_trade::quantity::{self, Amount, Money, Quantity, Tracking};
use stoa_trade::unit_identity::UnitInput;
use stoa_trade::{JsonList, new_row};

use crate::records::charge::{AllocatedPart, AllocationRow, ChargeRow, Destination};
use crate::records::order::OrderRow;
use crate::records::order_item::OrderItemRow;
use crate::records::receipt::{GoodsReceiptEvent, RECEIPT_CREATED, ReceiptRow};
use crate::records::receipt_item::{ReceiptBalanceRow, ReceiptItemRow};
use crate::records::shipment::{ShipmentItemRow, ShipmentRow, ShipmentStage, ShipmentStep};
use crate::rules::arrival::GoodsReceiptInput;
use crate::work::goods::warehouse_refusal;
use crate::work::order::{LockedOrder, receiving_verb, update_order};
use crate::work::posting::{self, RoleAmount};
use crate::work::receiving::judge::{Judged, judge};
use crate::work::receiving::receivable::Receivable;

/// A receipt as it was written.
pub struct Receipt {
    pub row: ReceiptRow,
    /// In the order of what came.
    pub items: Vec<ReceiptItemRow>,
    /// The units of each line.
    pub units: Vec<Vec<Id>>,
    /// The order after it.
    pub order: LockedOrder,
}

/// Receives what came, all of it or nothing.
///
/// # Errors
/// The codes of [`judge`], DUPLICATE and UNIT_CONDITION_* of units, and the codes of accounting.
pub fn receive(receivable: Receivable, arrival: &GoodsReceiptInput) -> Result<Receipt, Problem> {
    let judged = judge(&receivable, arrival)?;
    let order = &receivable.order.row;
    let (row, items) = draw_up(order, &receivable.order, arrival)?;
    let amounts = amounts(&items, arrival)?;
    let roles = posting::roles_of(&amounts);
    if posting::admit_to_books(order, &roles)? {
        books::admit_costs(order.legal_entity_id, &costs(&receivable.order, &items, &judged))?;
    }
    let after = write(&receivable, arrival, &row, &items)?;
    let units = take_in(&row, &items, arrival)?;
    emit([RECEIPT_CREATED.of(row.id, None, &GoodsReceiptEvent::from_row(&row, after.row.version, &items))]);
    let (kind, purpose) = posting::RECEIPT;
    let branch = judged.warehouse.branch_id.map(Id::from);
    posting::post(order, branch, EntrySource { kind, id: row.id, purpose }, &arrival.reason.0, amounts)?;
    Ok(Receipt { row, items, units, order: after })
}

/// The receipt and its lines, in the order of what came.
fn draw_up(
    order: &OrderRow,
    locked: &LockedOrder,
    arrival: &GoodsReceiptInput,
) -> Result<(ReceiptRow, Vec<ReceiptItemRow>), Problem> {
    let id = new_id();
    let ids = new_ids(u32::try_from(arrival.items.len()).unwrap_or(u32::MAX));
    let mut items = Vec::new();
    for (line, item_id) in arrival.items.iter().zip(ids) {
        // Judged before: every line is one of the order.
        let item = locked.item(line.order_item_id).ok_or_else(Problem::not_found)?;
        items.push(new_row!(ReceiptItemRow {
            id: item_id,
            receipt_id: id,
            order_item_id: item.id,
            variant_id: item.variant_id,
            tracking: item.tracking,
            quantity: line.quantity.0,
            unit_cost: item.unit_cost,
            line_total: quantity::multiply(line.quantity.0, item.unit_cost)?,
        }));
    }
    let Actor { actor_type, actor_id, request_id } = Actor::current();
    let row = new_row!(ReceiptRow {
        id,
        order_id: order.id,
        shipment_id: arrival.shipment_id,
        supplier_id: order.supplier_id,
        legal_entity_id: order.legal_entity_id,
        warehouse_id: order.warehouse_id,
        location_id: arrival.warehouse_location_id,
        currency_code: order.currency_code.clone(),
        reason: arrival.reason.0.clone(),
        total: quantity::sum(items.iter().map(|item| item.line_total))?,
        actor_type,
        actor_id,
        request_id,
    });
    Ok((row, items))
}

/// Amounts of the entry: goods in stock with their charges, purchases used up as they come, the debt for them (P1, P2).
fn amounts(items: &[ReceiptItemRow], arrival: &GoodsReceiptInput) -> Result<Vec<RoleAmount>, Problem> {
    let total = |is_tracked: bool| {
        let lines = items.iter().filter(|item| (item.tracking != Tracking::None) == is_tracked);
        quantity::sum(lines.map(|item| item.line_total))
    };
    let (goods, services) = (total(true)?, total(false)?);
    let charges = arrival.charges.iter().flat_map(|charge| &charge.allocations);
    let charges: Amount = quantity::sum(charges.map(|part| quantity::widen(part.amount.0)))?;
    Ok(vec![
        (posting::INVENTORY, Side::Debit, quantity::sum([goods, charges])?),
        (posting::EXPENSE, Side::Debit, services),
        (posting::RECEIVED_NOT_BILLED, Side::Credit, quantity::sum([goods, services])?),
        (posting::CHARGES, Side::Credit, charges),
    ])
}

/// Costs of the lines, for the books to check: an order may have been approved before the books were begun.
fn costs(order: &LockedOrder, items: &[ReceiptItemRow], judged: &Judged) -> Vec<Cost> {
    let article = |item: &ReceiptItemRow| judged.articles.get(&item.variant_id);
    let cost = |item: &ReceiptItemRow| {
        posting::new_cost(item.unit_cost, item.tracking, article(item), &order.pointer(item.order_item_id))
    };
    items.iter().map(cost).collect()
}

/// Writes all that is procurement's own; the order as it is after it.
fn write(
    receivable: &Receivable,
    arrival: &GoodsReceiptInput,
    row: &ReceiptRow,
    items: &[ReceiptItemRow],
) -> Result<LockedOrder, Problem> {
    let came: BTreeMap<Id, &ReceiptItemRow> = map(items.iter().map(|item| (item.order_item_id, item)));
    let mut after = receivable.order.clone();
    for item in &mut after.items {
        let Some(line) = came.get(&item.id) else { continue };
        item.received = quantity::sum([item.received, line.quantity])?;
        item.settled = item.is_settled(line.line_total, Amount::ZERO);
        item.received_value = quantity::sum([item.received_value, line.line_total])?;
        item.open = item.is_tracked() && !item.left_to_receive().is_zero();
    }
    after.row = receivable.order.after(receiving_verb(&after.items))?;
    let is = |flag: fn(&OrderItemRow) -> bool| {
        items.iter().map(|line| after.item(line.order_item_id).is_some_and(flag)).collect::<Vec<bool>>()
    };
    let order_items = update_all::<OrderItemRow>(items.iter().map(|line| line.order_item_id))
        .set_each(OrderItemRow::open, is(|item| item.open))
        .set_each(OrderItemRow::settled, is(|item| item.settled))
        .add_each(OrderItemRow::received, items.iter().map(|line| line.quantity))
        .add_each(OrderItemRow::received_value, items.iter().map(|line| line.line_total));
    let balances = balances(items, arrival)?;
    let allocations = allocations(items, arrival);
    let charges = changed_charges(receivable, arrival)?;
    let charges = update_all::<ChargeRow>(charges.iter().map(|(charge, _)| charge.id))
        .set_each(ChargeRow::status, charges.iter().map(|(charge, _)| charge.status))
        .add_each(ChargeRow::allocated, charges.iter().map(|(_, added)| *added));
    let shipped: Vec<&ShipmentItemRow> =
        receivable.shipment_items.iter().filter(|shipped| came.contains_key(&shipped.order_item_id)).collect();
    let quantity_of =
        |shipped: &ShipmentItemRow| came.get(&shipped.order_item_id).map_or(Quantity::ZERO, |line| line.quantity);
    let shipment_items = update_all::<ShipmentItemRow>(shipped.iter().map(|shipped| shipped.id))
        .add_each(ShipmentItemRow::received, shipped.iter().map(|shipped| quantity_of(shipped)));
    let is_here = receivable.shipment_items.iter().all(|shipped| shipped.left_to_receive() == quantity_of(shipped));
    let shipment = receivable.shipment.as_ref().filter(|_| is_here).map(|shipment| {
        let step =
            ShipmentStep { stage: ShipmentStage::Received, occurred_on: today(), note: None, at: row.created_at };
        let history: JsonList<ShipmentStep> = shipment.history.0.iter().cloned().chain([step]).collect();
        update::<ShipmentRow>(shipment.id)
            .set(ShipmentRow::stage, &ShipmentStage::Received)
            .set(ShipmentRow::history, &history)
    });
    run((
        insert([row]),
        insert(items),
        insert(&balances),
        order_items,
        update_order(&after.row),
        (charges, insert(&allocations), shipment_items, shipment),
    ))?;
    Ok(after)
}

/// Initial balances of the lines: nothing is billed, and the charges are those that came with them.
fn balances(items: &[ReceiptItemRow], arrival: &GoodsReceiptInput) -> Result<Vec<ReceiptBalanceRow>, Problem> {
    let ids = new_ids(u32::try_from(items.len()).unwrap_or(u32::MAX));
    let balance = |(item, id): (&ReceiptItemRow, Id)| {
        Ok(ReceiptBalanceRow {
            id,
            created_at: item.created_at,
            updated_at: item.created_at,
            receipt_item_id: item.id,
            quantity: item.quantity,
            billed: Quantity::ZERO,
            charge_amount: quantity::sum(arrival.charges_of(item.order_item_id).map(|(_, amount)| amount))?,
        })
    };
    items.iter().zip(ids).map(balance).collect()
}

/// The charges that came with the goods: all of them are on hand.
fn allocations(items: &[ReceiptItemRow], arrival: &GoodsReceiptInput) -> Vec<AllocationRow> {
    let of_item = |item: &ReceiptItemRow| {
        let receipt_item_id = item.id;
        let row = |(charge_id, amount): (Id, Money)| {
            let part = AllocatedPart { destination: Destination::OnHand, amount: quantity::widen(amount) };
            AllocationRow {
                id: new_id(),
                created_at: item.created_at,
                updated_at: item.created_at,
                charge_id,
                receipt_item_id,
                amount,
                destinations: JsonList(vec![part]),
            }
        };
        arrival.charges_of(item.order_item_id).map(row).collect::<Vec<_>>()
    };
    items.iter().flat_map(of_item).collect()
}

/// The charges as they are after the receipt, each with what was allocated of it.
fn changed_charges(receivable: &Receivable, arrival: &GoodsReceiptInput) -> Result<Vec<(ChargeRow, Money)>, Problem> {
    let mut changed = Vec::new();
    for named in arrival.charges.iter().filter(|named| !named.allocations.is_empty()) {
        let Some(charge) = receivable.charges.iter().find(|charge| charge.id == named.charge_id) else { continue };
        let added = quantity::sum(named.allocations.iter().map(|part| part.amount.0))?;
        let allocated = quantity::sum([charge.allocated, added])?;
        let status = ChargeRow::status_when(charge.amount, allocated);
        changed.push((ChargeRow { allocated, status, ..charge.clone() }, added));
    }
    Ok(changed)
}

/// Has inventory take the tracked goods in; the units of every line. Pointers of inventory's rejections lead into the arrival.
fn take_in(row: &ReceiptRow, items: &[ReceiptItemRow], arrival: &GoodsReceiptInput) -> Result<Vec<Vec<Id>>, Problem> {
    let came = items.iter().zip(&arrival.items).enumerate().map(|(index, (item, line))| (index, item, line));
    let tracked: Vec<_> = came.filter(|(_, item, _)| item.tracking != Tracking::None).collect();
    let mut units: Vec<Vec<Id>> = vec![Vec::new(); items.len()];
    if tracked.is_empty() {
        return Ok(units);
    }
    let from = stock::Receipt {
        id: row.id.into(),
        warehouse_id: row.warehouse_id.into(),
        location_id: row.location_id.map(Into::into),
        currency_code: row.currency_code.clone(),
        reason: row.reason.clone(),
    };
    let mut lines = Vec::new();
    for (_, item, line) in &tracked {
        let charge: Money = quantity::sum(arrival.charges_of(item.order_item_id).map(|(_, amount)| amount))?;
        lines.push(ReceiptLine {
            receipt_item_id: item.id.into(),
            variant_id: item.variant_id.into(),
            quantity: item.quantity.to_string(),
            unit_cost: item.unit_cost.to_string(),
            charge: (!charge.is_zero()).then(|| charge.to_string()),
            units: line.units.iter().map(new_unit).collect(),
        });
    }
    let places: Vec<String> = tracked.iter().map(|(index, ..)| format!("/items/{index}")).collect();
    let received = stock::service::receive(&from, &lines).map_err(|problem| {
        let problem = warehouse_refusal(problem).moved("/locationId", "/warehouseLocationId");
        let mut problem = problem.moved_each("/lines", &places);
        // A charge is stated in addition to the lines.
        problem.errors.iter_mut().filter(|error| error.pointer.ends_with("/charge")).for_each(|error| {
            error.pointer = "/charges".to_owned();
        });
        problem
    })?;
    let received: BTreeMap<Id, Received> = map(received.into_iter().map(|line| (line.receipt_item_id.into(), line)));
    for (index, item, _) in tracked {
        if let (Some(units), Some(line)) = (units.get_mut(index), received.get(&item.id)) {
            units.extend(line.unit_ids.iter().map(|id| Id::from(*id)));
        }
    }
    Ok(units)
}

fn new_unit(unit: &UnitInput) -> NewUnit {
    NewUnit {
        serial_number: unit.serial_number.clone(),
        imei1: unit.imei1.clone(),
        imei2: unit.imei2.clone(),
        condition: unit.condition.map(|condition| condition.as_str().to_owned()),
        grade: unit.grade.map(|grade| grade.as_str().to_owned()),
    }
}
