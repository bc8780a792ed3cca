//! Contents of a receipt, from any caller, and the faults that can be found without the order.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Id, Item, item};
use stoa_trade::document::lines::Lines;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::limits::UNITS;
use stoa_trade::quantity::{Money, Positive};
use stoa_trade::text::Prose;
use stoa_trade::unit_identity::{UnitInput, find_faults};

/// Received goods and services of an order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoodsReceiptInput {
    /// The `version` of the order that you read.
    pub expected_version: ExpectedVersion,
    pub reason: Prose<1, 1000>,
    /// Location in the warehouse of the order.
    pub warehouse_location_id: Option<Id>,
    /// Each line of the order at most once.
    #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
    pub items: Vec<GoodsReceiptItemInput>,
    /// Required for an import order, and rejected for any other.
    pub shipment_id: Option<Id>,
    /// Charges of an import order that are known at the receipt: they become part of the cost of the goods.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::CHARGES), extend("default" = []))]
    pub charges: Vec<ReceiptChargeInput>,
}

/// Received quantity of a line of the order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoodsReceiptItemInput {
    pub order_item_id: Id,
    /// At most the outstanding quantity.
    pub quantity: Positive,
    /// New units of a serialized line, as many as its quantity; empty for any other line.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::UNITS), extend("default" = []))]
    pub units: Vec<UnitInput>,
}

/// Part of a charge to allocate to goods of this receipt.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReceiptChargeInput {
    pub charge_id: Id,
    #[schemars(length(min = 1, max = stoa_trade::limits::ALLOCATIONS))]
    pub allocations: Vec<ReceiptAllocationInput>,
}

/// Share of the charge for one line. The service does not divide the charge.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReceiptAllocationInput {
    /// Tracked line of this receipt.
    pub order_item_id: Id,
    pub amount: Positive,
}

impl GoodsReceiptInput {
    /// Its lines with their pointers.
    pub fn lines(&self) -> Lines<'_, GoodsReceiptItemInput> {
        Lines::at("/items", &self.items)
    }

    /// Allocations to a line of the order: every charge's part, with its charge.
    pub fn charges_of(&self, order_item: Id) -> impl Iterator<Item = (Id, Money)> {
        let parts =
            self.charges.iter().flat_map(|charge| charge.allocations.iter().map(|part| (charge.charge_id, part)));
        parts.filter(move |(_, part)| part.order_item_id == order_item).map(|(charge, part)| (charge, part.amount.0))
    }

    /// Faults beyond the schema: a line, charge or identity twice, too many units, invalid identities.
    pub fn find_faults(&self) -> Vec<Item> {
        let mut faults = self.lines().find_repeats("orderItemId", |line| line.order_item_id);
        if self.items.iter().map(|line| line.units.len()).sum::<usize>() > UNITS {
            faults.push(item("/items", "TOO_MANY"));
        }
        let units = self.lines().iter().flat_map(|(pointer, line)| {
            line.units.iter().enumerate().map(move |(nth, unit)| (pointer.entry("units", nth), unit))
        });
        faults.extend(find_faults(units).into_iter().map(point_at_unit));
        let charges = Lines::at("/charges", &self.charges);
        faults.extend(charges.find_repeats("chargeId", |charge| charge.charge_id));
        for (pointer, charge) in charges.iter() {
            let parts_pointer = pointer.member("allocations");
            let parts = Lines::at(&parts_pointer, &charge.allocations);
            faults.extend(parts.find_repeats("orderItemId", |part| part.order_item_id));
        }
        faults
    }
}

/// An identity that is stated twice is reported at its unit, as one that is taken already is.
fn point_at_unit(fault: Item) -> Item {
    let unit = fault.pointer.rsplit_once('/').map(|(unit, _)| unit.to_owned());
    match unit {
        Some(pointer) if fault.code == "REPEATED" => Item { pointer, ..fault },
        _ => fault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(serial: &str, imei1: Option<&str>) -> UnitInput {
        UnitInput { serial_number: Some(serial.to_owned()), imei1: imei1.map(str::to_owned), ..UnitInput::default() }
    }

    fn line(order_item: u64, units: Vec<UnitInput>) -> GoodsReceiptItemInput {
        GoodsReceiptItemInput {
            order_item_id: Id(0, order_item),
            quantity: Positive(Money::from_units(1_000_000)),
            units,
        }
    }

    fn arrival(items: Vec<GoodsReceiptItemInput>, charges: Vec<ReceiptChargeInput>) -> GoodsReceiptInput {
        GoodsReceiptInput {
            expected_version: ExpectedVersion(1),
            reason: Prose("Came".to_owned()),
            warehouse_location_id: None,
            items,
            shipment_id: None,
            charges,
        }
    }

    fn charge(id: u64, items: &[u64]) -> ReceiptChargeInput {
        let part =
            |item: &u64| ReceiptAllocationInput { order_item_id: Id(0, *item), amount: Positive(Money::from_units(1)) };
        ReceiptChargeInput { charge_id: Id(1, id), allocations: items.iter().map(part).collect() }
    }

    fn describe(arrival: &GoodsReceiptInput) -> Vec<String> {
        arrival.find_faults().into_iter().map(|fault| format!("{} {}", fault.pointer, fault.code)).collect()
    }

    #[test]
    fn faults_stand_at_their_places() {
        // [E104]: also between lines, and between slots.
        let (one, other) = ("490154203237518", "356938035643809");
        let lines = vec![
            line(1, vec![unit("A-1", Some(one)), unit("a-1", None)]),
            line(2, vec![unit("B", Some(other)), UnitInput { imei2: Some(one.to_owned()), ..unit("C", None) }]),
            line(1, vec![UnitInput::default(), unit("D", Some("490154203237517"))]),
        ];
        let expected = [
            "/items/2/orderItemId REPEATED",
            "/items/0/units/1 REPEATED",
            "/items/1/units/1 REPEATED",
            "/items/2/units/0 REQUIRED",
            "/items/2/units/1/imei1 FORMAT",
        ];
        assert_eq!(describe(&arrival(lines, Vec::new())), expected);
    }

    #[test]
    fn a_hundred_units_are_enough() {
        let units = |count: usize, prefix: &str| (0..count).map(|nth| unit(&format!("{prefix}{nth}"), None)).collect();
        let arrival_with =
            |extra: usize| arrival(vec![line(1, units(60, "A")), line(2, units(40 + extra, "B"))], Vec::new());
        assert!(describe(&arrival_with(0)).is_empty());
        assert_eq!(describe(&arrival_with(1)), ["/items TOO_MANY"]);
    }

    #[test]
    fn a_charge_is_named_once_and_reaches_a_line_once() {
        let lines = vec![line(1, Vec::new()), line(2, Vec::new())];
        let came = arrival(lines, vec![charge(1, &[1, 2, 1]), charge(2, &[1]), charge(1, &[2])]);
        let expected = ["/charges/2/chargeId REPEATED", "/charges/0/allocations/2/orderItemId REPEATED"];
        assert_eq!(describe(&came), expected);
        let of_first: Vec<Id> = came.charges_of(Id(0, 1)).map(|(charge, _)| charge).collect();
        assert_eq!(of_first, [Id(1, 1), Id(1, 1), Id(1, 2)]);
    }
}
