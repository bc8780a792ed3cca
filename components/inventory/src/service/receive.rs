//! Goods that were ordered arrive: one movement and one layer per line, two where charges do not divide evenly.

use stoa_sdk::store::{get, lock_all_shared, run};
use stoa_sdk::{Id, Problem};

use super::orders::{bounded, named};
use crate::articles::{self, Tracking};
use crate::bindings::exports::commerce::inventory::stock as service;
use crate::books;
use crate::cost::deal::{self, Group};
use crate::cost::exact;
use crate::cost::row::CostKind;
use crate::cost::service::{positive, stated};
use crate::goods::delta::Delta;
use crate::goods::{Goods, Inflow, Place, Sku};
use crate::movement::row::{MovementRow, MovementType, ReferenceType};
use crate::terms::{Quantity, Status, UnitCost, gate, location_gate, unusable};
use crate::unit::apply::{self, Known};
use crate::unit::change::Changes;
use crate::unit::condition::{condition, grade};
use crate::unit::cost::Worth;
use crate::unit::identity::UnitInput;
use crate::unit::parts::{self, NewUnits, Receipt};
use crate::warehouse::row::{LocationRow, WarehouseRow};

pub fn receive(from: &service::Receipt, lines: &[service::ReceiptLine]) -> Result<Vec<service::Received>, Problem> {
    bounded(lines.len())?;
    let known = articles::by_variant(lines.iter().map(|line| line.variant_id.into()));
    let (warehouse, location) = (Id::from(from.warehouse_id), from.location_id.map(Id::from));
    let gates = [gate(warehouse)].into_iter().chain(location.map(location_gate));
    let (_, row, place_of) =
        run((lock_all_shared(gates), get::<WarehouseRow>(warehouse), location.map(get::<LocationRow>)))?;
    let row = row.ok_or_else(|| Problem::reference_missing("/warehouseId"))?;
    if row.status == Status::Archived {
        return Err(unusable("/warehouseId", "ARCHIVED"));
    }
    if location.is_some() {
        standing(warehouse, place_of.flatten())?;
    }
    let place = Place::of(&row);
    let grain = if books::admit(place.entity)?.is_some() { 1_000_000 } else { 1 };
    let (mut goods, mut changes) = (Goods::default(), Changes::of(0));
    let mut received = Vec::new();
    let mut serialized = Vec::new();
    for (nth, line) in lines.iter().enumerate() {
        let article = articles::known(&known, line.variant_id.into(), &format!("/lines/{nth}/variantId"))?;
        let quantity = positive(&line.quantity);
        let pointer = format!("/lines/{nth}/quantity");
        articles::measured(article, quantity, &pointer)?;
        named(article, quantity, line.units.len(), nth)?;
        if article.tracking == Tracking::None {
            let receipt_item_id = line.receipt_item_id;
            received.push(service::Received { receipt_item_id, movement_ids: Vec::new(), unit_ids: Vec::new() });
            continue;
        }
        let sku = Sku::of(article);
        let charge = line.charge.as_deref().map(stated).unwrap_or(Quantity::ZERO);
        let costs = charged(quantity, stated(&line.unit_cost), charge, u32::from(article.decimal_places), grain)
            .ok_or_else(|| Problem::at("ACCOUNTING_AMOUNT_PRECISION", format!("/lines/{nth}/charge")))?;
        if article.tracking == Tracking::Serialized {
            goods.change(&place, &sku, Delta::incoming(-quantity.units()), &pointer);
            serialized.push(NewUnits {
                receipt_item: line.receipt_item_id.into(),
                article,
                units: new_units(&line.units, nth)?,
                worth: each(&costs, &from.currency_code),
                pointer: format!("/lines/{nth}"),
            });
            let receipt_item_id = line.receipt_item_id;
            received.push(service::Received { receipt_item_id, movement_ids: Vec::new(), unit_ids: Vec::new() });
            continue;
        }
        let movement = MovementRow {
            to_warehouse_id: Some(warehouse),
            to_location_id: location,
            reference_type: ReferenceType::GoodsReceipt,
            reference_id: Some(from.id.into()),
            purchase_receipt_item_id: Some(line.receipt_item_id.into()),
            ..goods.movement(MovementType::PurchaseReceipt, &sku, quantity, &from.reason)
        };
        let came = Delta::on_hand(quantity.units()).and(Delta::incoming(-quantity.units()));
        goods.change(&place, &sku, came, &pointer);
        for (quantity, unit_cost) in costs {
            goods.bring(Inflow {
                movement: movement.id,
                place,
                sku,
                unit: None,
                quantity,
                unit_cost: Some(unit_cost),
                currency_code: Some(from.currency_code.clone()),
                receipt_item: Some(line.receipt_item_id.into()),
                kind: CostKind::Received,
                document: None,
                source_entry: None,
            });
        }
        received.push(service::Received {
            receipt_item_id: line.receipt_item_id,
            movement_ids: vec![movement.id.into()],
            unit_ids: Vec::new(),
        });
        goods.moved(movement);
    }
    let receipt = Receipt { id: from.id.into(), warehouse: &row, location, reason: &from.reason };
    let (new, of_lines) = parts::receive(&receipt, &serialized, &mut changes)?;
    for (line, units) in serialized.iter().zip(of_lines) {
        let Some(told) = received.iter_mut().find(|told| Id::from(told.receipt_item_id) == line.receipt_item) else {
            continue;
        };
        let moved = changes.all.iter().filter(|change| units.contains(&change.after.id));
        told.movement_ids = moved.filter_map(|change| change.movement.as_ref()).map(|row| row.id.into()).collect();
        told.unit_ids = units.into_iter().map(Into::into).collect();
    }
    apply::put(&changes.all, &mut goods, &Known::with([&row], &known))?;
    let (held, ()) = goods.hold(())?;
    held.write_or(apply::rows(&changes.all, Some(&new)), |failure| apply::refused(failure, Some(&new)))?;
    Ok(received)
}

/// The units of a line as they are stated.
fn new_units(units: &[service::NewUnit], line: usize) -> Result<Vec<UnitInput>, Problem> {
    let unit = |(nth, unit): (usize, &service::NewUnit)| {
        let unknown = |member: &str| {
            Problem::invalid(vec![stoa_sdk::item(format!("/lines/{line}/units/{nth}/{member}"), "FORMAT")])
        };
        let condition = unit.condition.as_deref().map(|text| condition(text).ok_or_else(|| unknown("condition")));
        let grade = unit.grade.as_deref().map(|text| grade(text).ok_or_else(|| unknown("grade")));
        Ok(UnitInput {
            serial_number: unit.serial_number.clone(),
            imei1: unit.imei1.clone(),
            imei2: unit.imei2.clone(),
            condition: condition.transpose()?,
            grade: grade.transpose()?,
        })
    };
    units.iter().enumerate().map(unit).collect()
}

/// What each piece of a line costs.
fn each(costs: &[(Quantity, UnitCost)], currency_code: &str) -> Vec<Worth> {
    let pieces = |(quantity, unit_cost): &(Quantity, UnitCost)| {
        let worth = Worth { unit_cost: Some(*unit_cost), currency_code: Some(currency_code.to_owned()) };
        std::iter::repeat_n(worth, usize::try_from(quantity.units() / 1_000_000).unwrap_or(0))
    };
    costs.iter().flat_map(pieces).collect()
}

/// Refuses a location that is not the warehouse's, or archived.
///
/// # Errors
/// NOT_FOUND, REFERENCE_INVALID at `/locationId`.
pub fn standing(warehouse: Id, row: Option<LocationRow>) -> Result<(), Problem> {
    let row = row.ok_or_else(|| Problem::reference_missing("/locationId"))?;
    if row.warehouse_id != warehouse {
        return Err(unusable("/locationId", "OTHER_WAREHOUSE"));
    }
    if row.status == Status::Archived {
        return Err(unusable("/locationId", "ARCHIVED"));
    }
    Ok(())
}

/// The quantities of a line with what one of them costs, charges dealt over it. None where a share has no exact cost.
fn charged(
    quantity: Quantity,
    unit_cost: Quantity,
    charge: Quantity,
    places: u32,
    grain: i128,
) -> Option<Vec<(Quantity, UnitCost)>> {
    let unit_cost = exact::cost(unit_cost);
    if charge == Quantity::ZERO {
        return Some(vec![(quantity, unit_cost)]);
    }
    let (step, per_step) = (10_i128.pow(6_u32.checked_sub(places)?), 10_i128.pow(places));
    let line = [Group { steps: quantity.units() / step, step_cost: 0 }];
    let shares = deal::raise(&line, exact::cost(charge).units(), grain).ok()?;
    let part = |share: deal::Share| {
        let more = share.amount.checked_mul(per_step)?;
        let cost = UnitCost::from_units(unit_cost.units().checked_add(more)?);
        Some((Quantity::from_units(share.steps.checked_mul(step)?), cost))
    };
    shares.into_iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_are_dealt_exactly() {
        let texts = |quantity: &str, cost: &str, charge: &str, places: u32| -> Vec<(String, String)> {
            let [quantity, cost, charge] = [quantity, cost, charge].map(|text| text.parse().unwrap());
            let parts = charged(quantity, cost, charge, places, 1_000_000).unwrap();
            parts.into_iter().map(|(quantity, cost)| (quantity.to_string(), cost.to_string())).collect()
        };
        let pair = |quantity: &str, cost: &str| (quantity.to_owned(), cost.to_owned());
        assert_eq!(texts("3", "1", "0", 0), [pair("3.000000", "1.000000000000")]);
        // [E122]
        let expected = [pair("1.000000", "4.333334000000"), pair("2.000000", "4.333333000000")];
        assert_eq!(texts("3", "1", "10", 0), expected);
        assert_eq!(texts("2.5", "0", "10", 1), [pair("2.500000", "4.000000000000")]);
    }
}
