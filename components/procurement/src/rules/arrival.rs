//! Contents of a receipt, from any caller, and the faults that can be found without the order.

use std::collections::BTreeSet;

use stoa_sdk::{Id, Item, item};
use stoa_trade::document::lines::Lines;
use stoa_trade::limits::UNITS;
use stoa_trade::quantity::{Money, Quantity};
use stoa_trade::unit_identity::{UnitInput, find_faults};

/// Received goods.
#[derive(Debug, Clone)]
pub struct Arrival {
    pub reason: String,
    /// Location in the warehouse of the order.
    pub location: Option<Id>,
    /// Only for an IMPORT order.
    pub shipment: Option<Id>,
    pub lines: Vec<ArrivedLine>,
    /// Only for an IMPORT order.
    pub charges: Vec<ArrivedCharge>,
}

/// Received quantity of a line of the order.
#[derive(Debug, Clone)]
pub struct ArrivedLine {
    pub order_item: Id,
    /// Above zero.
    pub quantity: Quantity,
    pub units: Vec<UnitInput>,
}

/// Parts of a charge that are allocated to received goods.
#[derive(Debug, Clone)]
pub struct ArrivedCharge {
    pub charge: Id,
    /// Lines of the order, each once, and an amount above zero.
    pub allocations: Vec<(Id, Money)>,
}

impl Arrival {
    /// Its lines with their pointers.
    pub fn lines(&self) -> Lines<'_, ArrivedLine> {
        Lines::at("/items", &self.lines)
    }

    /// Allocations to a line of the order: every charge's part, with its charge.
    pub fn charges_of(&self, order_item: Id) -> impl Iterator<Item = (Id, Money)> {
        let of_charge = move |charge: &ArrivedCharge| {
            let parts = charge.allocations.iter().filter(move |(item, _)| *item == order_item);
            parts.map(|(_, amount)| (charge.charge, *amount)).collect::<Vec<_>>()
        };
        self.charges.iter().flat_map(of_charge)
    }

    /// Faults beyond the schema: a line, charge or identity twice, too many units, invalid identities.
    pub fn find_faults(&self) -> Vec<Item> {
        let mut faults = self.lines().find_repeats("orderItemId", |line| line.order_item);
        if self.lines.iter().map(|line| line.units.len()).sum::<usize>() > UNITS {
            faults.push(item("/items", "TOO_MANY"));
        }
        let units = self.lines().iter().flat_map(|(pointer, line)| {
            line.units.iter().enumerate().map(move |(nth, unit)| (pointer.entry("units", nth), unit))
        });
        faults.extend(find_faults(units).into_iter().map(point_at_unit));
        let charges = Lines::at("/charges", &self.charges);
        faults.extend(charges.find_repeats("chargeId", |charge| charge.charge));
        for (charge_pointer, charge) in charges.iter() {
            let mut seen = BTreeSet::new();
            let again = charge.allocations.iter().enumerate().filter(|(_, (order_item, _))| !seen.insert(*order_item));
            let pointer = |nth: usize| format!("{}/orderItemId", charge_pointer.entry("allocations", nth));
            faults.extend(again.map(|(nth, _)| item(pointer(nth), "REPEATED")));
        }
        faults
    }
}

/// An identity that stands twice is reported at its unit, as one that is taken already is.
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

    fn line(order_item: u64, units: Vec<UnitInput>) -> ArrivedLine {
        ArrivedLine { order_item: Id(0, order_item), quantity: Quantity::from_units(1_000_000), units }
    }

    fn arrival(lines: Vec<ArrivedLine>, charges: Vec<ArrivedCharge>) -> Arrival {
        Arrival { reason: "Came".to_owned(), location: None, shipment: None, lines, charges }
    }

    fn charge(id: u64, items: &[u64]) -> ArrivedCharge {
        let allocations = items.iter().map(|item| (Id(0, *item), Money::from_units(1))).collect();
        ArrivedCharge { charge: Id(1, id), allocations }
    }

    fn describe(arrival: &Arrival) -> Vec<String> {
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
