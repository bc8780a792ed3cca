//! Decides if an arrival can be received: the records that the receipt names, the order's version and state, and each
//! line, unit and charge (inventory-procurement.md B2, "receipt rule").

use std::collections::BTreeMap;

use stoa_sdk::store::{get_all, run};
use stoa_sdk::{Bounds, Id, Item, Problem, item, set};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::clients::warehouses::{self, Location, Warehouse};
use stoa_trade::document::lines::Lines;
use stoa_trade::quantity::{Money, Quantity, Tracking, is_countable, pieces, scale_fault, unit_count_mismatch};
use stoa_trade::refusal::{refuse, refuse_invalid, unusable};

use crate::records::charge::{ChargeRow, ChargeStatus};
use crate::records::order::OrderKind;
use crate::records::order_item::OrderItemRow;
use crate::records::shipment::ShipmentStage;
use crate::rules::arrival::{GoodsReceiptInput, ReceiptChargeInput};
use crate::rules::order_state::OrderVerb;
use crate::work::receiving::receivable::Receivable;

/// Records that a receipt relies on in addition to the order.
pub struct Judged {
    pub warehouse: Warehouse,
    pub articles: BTreeMap<Id, Article>,
}

/// Judges what came.
///
/// # Errors
/// NOT_FOUND, VERSION_CONFLICT, ILLEGAL_STATE, ARCHIVED, REFERENCE_INVALID, LIMIT_EXCEEDED, UNIT_COUNT_MISMATCH, and faults that
/// only the order shows.
pub fn judge(receivable: &Receivable, arrival: &GoodsReceiptInput) -> Result<Judged, Problem> {
    let row = &receivable.order.row;
    check_kind(receivable, arrival)?;
    let warehouse = warehouses::get([row.warehouse_id]).remove(&row.warehouse_id);
    let location = arrival.warehouse_location_id.and_then(|id| warehouses::locations(&[id]).into_iter().next());
    check_existence(receivable, arrival, location.as_ref())?;
    receivable.order.check(arrival.expected_version, OrderVerb::ReceivePart)?;
    if receivable.shipment.as_ref().is_some_and(|shipment| shipment.stage != ShipmentStage::Cleared) {
        return Err(Problem::illegal_state("/shipmentId"));
    }
    let articles = articles::get(receivable.order.items.iter().map(|item| item.variant_id));
    let warehouse = warehouse.filter(|warehouse| warehouse.active);
    let warehouse = warehouse.ok_or_else(|| Problem::at("ARCHIVED", "/warehouseId"))?;
    check_references(receivable, arrival, location.as_ref())?;
    check_lines(receivable, arrival, &articles)?;
    check_units(receivable, arrival)?;
    for (pointer, charge) in Lines::at("/charges", &arrival.charges).iter() {
        check_charge(receivable, arrival, charge, &pointer.to_string())?;
    }
    Ok(Judged { warehouse, articles })
}

/// Shipments and charges are an import order's, which names its shipment.
fn check_kind(receivable: &Receivable, arrival: &GoodsReceiptInput) -> Result<(), Problem> {
    let mut faults = Vec::new();
    match receivable.order.row.kind {
        OrderKind::Standard => {
            faults.extend(arrival.shipment_id.map(|_| item("/shipmentId", "NOT_ALLOWED")));
            faults.extend((!arrival.charges.is_empty()).then(|| item("/charges", "NOT_ALLOWED")));
        }
        OrderKind::Import => faults.extend(arrival.shipment_id.is_none().then(|| item("/shipmentId", "REQUIRED"))),
    }
    refuse_invalid(faults)
}

fn check_existence(
    receivable: &Receivable,
    arrival: &GoodsReceiptInput,
    location: Option<&Location>,
) -> Result<(), Problem> {
    let strangers =
        arrival.items.iter().map(|line| line.order_item_id).filter(|id| receivable.order.item(*id).is_none());
    let others = run(get_all::<OrderItemRow>(set(strangers)))?;
    let is_known = |id: Id| receivable.order.item(id).is_some() || others.iter().any(|item| item.id == id);
    let mut missing = arrival.lines().faults("orderItemId", "NOT_FOUND", |line| !is_known(line.order_item_id));
    if arrival.shipment_id.is_some() && receivable.shipment.is_none() {
        missing.push(item("/shipmentId", "NOT_FOUND"));
    }
    if arrival.warehouse_location_id.is_some() && location.is_none() {
        missing.push(item("/warehouseLocationId", "NOT_FOUND"));
    }
    let charges = Lines::at("/charges", &arrival.charges);
    missing.extend(charges.faults("chargeId", "NOT_FOUND", |named| find_charge(receivable, named.charge_id).is_none()));
    refuse("NOT_FOUND", missing)
}

fn find_charge(receivable: &Receivable, id: Id) -> Option<&ChargeRow> {
    receivable.charges.iter().find(|charge| charge.id == id)
}

/// Rejects references that exist and cannot be used here.
fn check_references(
    receivable: &Receivable,
    arrival: &GoodsReceiptInput,
    location: Option<&Location>,
) -> Result<(), Problem> {
    let row = &receivable.order.row;
    let mut faults = arrival
        .lines()
        .faults("orderItemId", "OTHER_ORDER", |line| receivable.order.item(line.order_item_id).is_none());
    if receivable.shipment.as_ref().is_some_and(|shipment| shipment.order_id != row.id) {
        faults.push(item("/shipmentId", "OTHER_ORDER"));
    }
    match location {
        Some(location) if Id::from(location.warehouse_id) != row.warehouse_id => {
            faults.push(item("/warehouseLocationId", "OTHER_WAREHOUSE"));
        }
        Some(location) if !location.active => faults.push(item("/warehouseLocationId", "ARCHIVED")),
        _ => {}
    }
    refuse("REFERENCE_INVALID", faults)
}

/// Products that are still sold, and quantities that can have come.
fn check_lines(
    receivable: &Receivable,
    arrival: &GoodsReceiptInput,
    articles: &BTreeMap<Id, Article>,
) -> Result<(), Problem> {
    let (mut archived, mut fine, mut beyond): (Vec<Item>, Vec<Item>, Vec<Item>) = Default::default();
    for (pointer, line) in arrival.lines().iter() {
        let Some(item) = receivable.order.item(line.order_item_id) else { continue };
        let article = articles.get(&item.variant_id).filter(|article| article.product_active);
        match article {
            None => {
                archived.push(stoa_sdk::item(format!("{}/variantId", receivable.order.pointer(item.id)), "ARCHIVED"))
            }
            Some(article) if !is_countable(line.quantity.0, item.tracking, article.decimal_places) => {
                fine.push(scale_fault(pointer.member("quantity"), item.tracking, article.decimal_places));
            }
            Some(_) if line.quantity.0 > receivable_quantity(receivable, item) => {
                let most = Bounds::maximum(receivable_quantity(receivable, item));
                beyond.push(stoa_sdk::item(pointer.member("quantity"), "LIMIT_EXCEEDED").with_bounds(most));
            }
            Some(_) => {}
        }
    }
    refuse_invalid(fine)?;
    refuse("ARCHIVED", archived)?;
    refuse("LIMIT_EXCEEDED", beyond)
}

/// The quantity that may come of a line: its outstanding quantity, and no more than the shipment brings.
fn receivable_quantity(receivable: &Receivable, item: &OrderItemRow) -> Quantity {
    let outstanding = item.left_to_receive();
    match &receivable.shipment {
        None => outstanding,
        Some(_) => {
            let shipped = receivable.shipment_items.iter().find(|shipped| shipped.order_item_id == item.id);
            shipped.map_or(Quantity::ZERO, |shipped| shipped.left_to_receive().min(outstanding))
        }
    }
}

/// As many units as the quantity of a serialized line, and none of others.
fn check_units(receivable: &Receivable, arrival: &GoodsReceiptInput) -> Result<(), Problem> {
    let mut faults = Vec::new();
    for (pointer, line) in arrival.lines().iter() {
        let Some(item) = receivable.order.item(line.order_item_id) else { continue };
        let is_serialized = item.tracking == Tracking::Serialized;
        let required = if is_serialized { pieces(line.quantity.0).unwrap_or_default() } else { 0 };
        if required != line.units.len() {
            let mismatch =
                |pointer| unit_count_mismatch(pointer, "UNITS_DIFFER_FROM_QUANTITY", required, line.units.len());
            faults.extend(mismatch(pointer.member("units")).errors);
        }
    }
    refuse("UNIT_COUNT_MISMATCH", faults)
}

/// A charge of this order and shipment, allocated to tracked goods of this receipt, and no more than is left of it.
fn check_charge(
    receivable: &Receivable,
    arrival: &GoodsReceiptInput,
    named: &ReceiptChargeInput,
    charge_pointer: &str,
) -> Result<(), Problem> {
    let Some(charge) = find_charge(receivable, named.charge_id) else { return Ok(()) };
    let pointer = || format!("{charge_pointer}/chargeId");
    if charge.order_id != receivable.order.row.id {
        return Err(unusable(pointer(), "OTHER_ORDER"));
    }
    if charge.shipment_id.is_some() && charge.shipment_id != arrival.shipment_id {
        return Err(unusable(pointer(), "OTHER_SHIPMENT"));
    }
    if charge.status == ChargeStatus::Cancelled {
        return Err(Problem::illegal_state(pointer()));
    }
    let mut sum = Money::ZERO;
    for (nth, part) in named.allocations.iter().enumerate() {
        let member = |name: &str| format!("{charge_pointer}/allocations/{nth}/{name}");
        if !arrival.items.iter().any(|line| line.order_item_id == part.order_item_id) {
            return Err(unusable(member("orderItemId"), "NOT_RECEIVED"));
        }
        if !receivable.order.item(part.order_item_id).is_some_and(OrderItemRow::is_tracked) {
            return Err(unusable(member("orderItemId"), "NOT_TRACKED"));
        }
        let beyond = || Problem::beyond(member("amount"), Bounds::maximum(charge.rest()));
        sum = sum.checked_add(part.amount.0).ok_or_else(beyond)?;
        if sum > charge.rest() {
            return Err(beyond());
        }
    }
    Ok(())
}
