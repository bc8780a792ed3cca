//! Charges of an import order: added, replaced, allocated and cancelled under the lock of the order.

use stoa_sdk::store::{Get, get, insert, select, update};
use stoa_sdk::{Answer, Bounds, Call, Id, Problem, Reply, new_id};
use stoa_trade::document::lines::Lines;
use stoa_trade::document::version::Transition;
use stoa_trade::limits::CHARGES;
use stoa_trade::quantity::Money;
use stoa_trade::refusal::{refuse_invalid, unusable};
use stoa_trade::{Change, new_record, usable};

use crate::operations::import_order::input::{AllocateCharge, ChargeInput};
use crate::records::charge::{ChargeRow, ChargeStatus};
use crate::records::import_order::ChargeWrite;
use crate::records::shipment::ShipmentRow;
use crate::records::supplier::SupplierRow;
use crate::work::charging::allocate_charge;
use crate::work::order::{LockedOrder, lock_import_with, require_approved};

/// An order with its charges, and what a body names in addition.
struct Charging {
    order: LockedOrder,
    charges: Vec<ChargeRow>,
    supplier: Option<SupplierRow>,
    shipment: Option<ShipmentRow>,
}

fn lock_charging(order: Id, supplier: Option<Id>, shipment: Option<Id>) -> Result<Charging, Problem> {
    let supplier: Option<Get<SupplierRow>> = supplier.map(get);
    let shipment: Option<Get<ShipmentRow>> = shipment.map(get);
    let own_charges = select::<ChargeRow>(ChargeRow::order_id.eq(order)).whole();
    let (order, (charges, supplier, shipment)) = lock_import_with(order, (own_charges, supplier, shipment))?;
    Ok(Charging { order, charges, supplier: supplier.flatten(), shipment: shipment.flatten() })
}

impl Charging {
    /// The charge of the path.
    fn charge(&self, id: Id) -> Result<&ChargeRow, Problem> {
        self.charges.iter().find(|charge| charge.id == id).ok_or_else(Problem::not_found)
    }

    /// Checks that the records named by the body exist.
    fn check_existence(&self, body: &ChargeInput) -> Result<(), Problem> {
        if body.supplier_id.is_some() && self.supplier.is_none() {
            return Err(Problem::reference_missing("/supplierId"));
        }
        if body.shipment_id.is_some() && self.shipment.is_none() {
            return Err(Problem::reference_missing("/shipmentId"));
        }
        Ok(())
    }

    /// Checks that the body names an active supplier and a shipment of this order.
    fn check_references(&self, body: &ChargeInput, before: Option<&ChargeRow>) -> Result<(), Problem> {
        // A supplier that was named before may have been archived since.
        let is_new = before.is_none_or(|before| before.supplier_id != body.supplier_id);
        if body.supplier_id.is_some() && is_new {
            usable(self.supplier.clone(), "/supplierId").map_err(|_| unusable("/supplierId", "ARCHIVED"))?;
        }
        match &self.shipment {
            Some(shipment) if shipment.order_id != self.order.row.id => Err(unusable("/shipmentId", "OTHER_ORDER")),
            _ => Ok(()),
        }
    }
}

pub fn add(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: ChargeInput = call.body()?;
    let charging = lock_charging(id, body.supplier_id, body.shipment_id)?;
    charging.check_existence(&body)?;
    body.expected_version.check(charging.order.row.version)?;
    require_approved(charging.order.row.status)?;
    charging.check_references(&body, None)?;
    if charging.charges.len() >= CHARGES {
        return Err(Problem::limit_exceeded("", CHARGES, "CHARGES"));
    }
    let row = draw_charge(id, body, Money::ZERO);
    let after = charging.order.write_parts(insert([&row]))?;
    let reply =
        Reply::json(&ChargeWrite::from_row(&after, row.id)).resource(after.id).subjects(charging.order.subjects());
    Ok(reply.subject(row.id).changed(["charges"]))
}

pub fn replace(call: &Call) -> Answer {
    let (id, charge_id) = (call.path_id("id")?, call.path_id("chargeId")?);
    let body: ChargeInput = call.body()?;
    let charging = lock_charging(id, body.supplier_id, body.shipment_id)?;
    let before = charging.charge(charge_id)?;
    charging.check_existence(&body)?;
    body.expected_version.check(charging.order.row.version)?;
    if !before.status.is_open() {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    charging.check_references(&body, Some(before))?;
    if !before.allocated.is_zero() && before.shipment_id != body.shipment_id {
        return Err(Problem::immutable(vec!["/shipmentId".to_owned()]));
    }
    if body.amount.0 < before.allocated {
        return Err(Problem::beyond("/amount", Bounds::minimum(before.allocated)));
    }
    let drawn = draw_charge(id, body, before.allocated);
    let row = ChargeRow { id: charge_id, version: before.version, created_at: before.created_at, ..drawn };
    let after = charging.order.write_parts(Change::new(before, row)?.update())?;
    Ok(charging.order.show(&after, &["charges"]).subject(charge_id))
}

pub fn allocate(call: &Call) -> Answer {
    let (id, charge_id) = (call.path_id("id")?, call.path_id("chargeId")?);
    let body: AllocateCharge = call.body()?;
    let lines = Lines::at("/allocations", &body.allocations);
    refuse_invalid(lines.find_repeats("receiptItemId", |line| line.receipt_item_id))?;
    let charging = lock_charging(id, None, None)?;
    let charge = charging.charge(charge_id)?;
    let after = allocate_charge(&charging.order, charge, &body.allocations, body.expected_version)?;
    Ok(charging.order.show(&after, &["charges"]).subject(charge_id))
}

pub fn cancel(call: &Call) -> Answer {
    let (id, charge_id) = (call.path_id("id")?, call.path_id("chargeId")?);
    let body: Transition = call.body()?;
    let charging = lock_charging(id, None, None)?;
    let before = charging.charge(charge_id)?;
    body.expected_version.check(charging.order.row.version)?;
    if before.status != ChargeStatus::Estimated {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    let cancelled = update::<ChargeRow>(charge_id).set(ChargeRow::status, &ChargeStatus::Cancelled);
    let after = charging.order.write_parts(cancelled)?;
    Ok(charging.order.show(&after, &["charges"]).subject(charge_id))
}

/// A charge as the body states it, of which this is allocated; its status follows from its amount.
fn draw_charge(order: Id, body: ChargeInput, allocated: Money) -> ChargeRow {
    new_record!(ChargeRow {
        id: new_id(),
        order_id: order,
        shipment_id: body.shipment_id,
        kind: body.kind,
        description: body.description.map(String::from),
        amount: body.amount.0,
        allocated,
        status: ChargeRow::status_when(body.amount.0, allocated),
        supplier_id: body.supplier_id,
        reference: body.reference.map(String::from),
    })
}
