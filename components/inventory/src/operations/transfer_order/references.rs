//! The records that the body of a draft names, and whether it may name them so.

use std::collections::BTreeMap;

use stoa_sdk::store::{get_all, run};
use stoa_sdk::{Id, Item, Problem, item, map};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::limits::UNITS;
use stoa_trade::quantity::{Quantity, Tracking, is_countable};
use stoa_trade::refusal::{self, refuse, refuse_invalid};

use crate::operations::transfer_order::input::{Head, TransferItemInput};
use crate::records::unit::UnitRow;
use crate::records::warehouse::{WarehouseRow, WarehouseType};
use crate::rules::{place, unit_count};

/// The records that a body names.
pub struct References {
    warehouses: Vec<WarehouseRow>,
    articles: BTreeMap<Id, Article>,
    units: BTreeMap<Id, UnitRow>,
}

impl References {
    /// # Errors
    /// NOT_FOUND at what is missing.
    pub fn read(head: &Head, items: &[TransferItemInput]) -> Result<References, Problem> {
        let warehouses: Vec<Id> = [head.from, head.to].into_iter().chain(head.transit).collect();
        let units: Vec<Id> = items.iter().flat_map(|line| line.unit_ids.iter().copied()).collect();
        let (warehouses, units) = run((get_all::<WarehouseRow>(warehouses), get_all::<UnitRow>(units)))?;
        let known = References {
            warehouses,
            articles: articles::get(items.iter().map(|line| line.variant_id)),
            units: map(units.into_iter().map(|unit| (unit.id, unit))),
        };
        let mut missing: Vec<Item> = Vec::new();
        let ends = [("/fromWarehouseId", Some(head.from)), ("/toWarehouseId", Some(head.to))];
        for (pointer, id) in ends.into_iter().chain([("/transitWarehouseId", head.transit)]) {
            if id.is_some_and(|id| known.warehouse(id).is_none()) {
                missing.push(item(pointer, "NOT_FOUND"));
            }
        }
        for (index, line) in items.iter().enumerate() {
            if !known.articles.contains_key(&line.variant_id) {
                missing.push(item(format!("/items/{index}/variantId"), "NOT_FOUND"));
            }
            let absent = line.unit_ids.iter().enumerate().filter(|(_, id)| !known.units.contains_key(id));
            missing.extend(absent.map(|(nth, _)| item(format!("/items/{index}/unitIds/{nth}"), "NOT_FOUND")));
        }
        refuse("NOT_FOUND", missing)?;
        Ok(known)
    }

    fn warehouse(&self, id: Id) -> Option<&WarehouseRow> {
        self.warehouses.iter().find(|row| row.id == id)
    }

    pub fn entity(&self, head: &Head) -> Result<Id, Problem> {
        Ok(place::require_warehouse(&self.warehouses, head.from, "/fromWarehouseId")?.legal_entity_id)
    }

    pub fn tracking(&self, variant: Id) -> Tracking {
        self.articles.get(&variant).map_or(Tracking::None, articles::tracking)
    }

    /// # Errors
    /// Faults of quantities, then what a warehouse, a variant or a unit cannot be used for.
    pub fn check(&self, head: &Head, items: &[TransferItemInput]) -> Result<(), Problem> {
        let scale = items.iter().enumerate().filter(|(_, line)| {
            self.articles.get(&line.variant_id).is_some_and(|article| {
                !is_countable(line.quantity, articles::tracking(article), article.decimal_places)
            })
        });
        let faults: Vec<Item> =
            scale.map(|(index, _)| item(format!("/items/{index}/quantity"), "QUANTITY_SCALE")).collect();
        refuse_invalid(faults)?;
        let mut serialized = Quantity::ZERO;
        for (index, line) in items.iter().enumerate() {
            match self.tracking(line.variant_id) {
                Tracking::None => return Err(Problem::illegal_state(format!("/items/{index}/variantId"))),
                Tracking::Quantity if !line.unit_ids.is_empty() => {
                    return Err(unit_count::mismatch(&format!("/items/{index}/unitIds"), 0, line.unit_ids.len()));
                }
                Tracking::Quantity => {}
                Tracking::Serialized => {
                    serialized = serialized.checked_add(line.quantity).ok_or_else(Quantity::limit_exceeded)?;
                }
            }
            for (nth, id) in line.unit_ids.iter().enumerate() {
                if self.units.get(id).is_some_and(|unit| unit.variant_id != line.variant_id) {
                    return Err(refusal::unusable(format!("/items/{index}/unitIds/{nth}"), "OTHER_VARIANT"));
                }
            }
        }
        if serialized > Quantity::from_units(UNITS as i128 * 1_000_000) {
            return Err(Problem::limit_exceeded("/items", UNITS, "UNITS"));
        }
        check_route(&self.warehouses, head.from, head.to, head.transit)
    }
}

/// Whether goods of one entity may travel so.
///
/// # Errors
/// REFERENCE_INVALID: archived, or no transit warehouse of the entity; CUSTODY_CONFLICT: ends that do not fit each other.
fn check_route(warehouses: &[WarehouseRow], from: Id, to: Id, transit: Option<Id>) -> Result<(), Problem> {
    let from = place::require_warehouse(warehouses, from, "/fromWarehouseId")?;
    let to = place::require_warehouse(warehouses, to, "/toWarehouseId")?;
    let transit = transit.map(|id| place::require_warehouse(warehouses, id, "/transitWarehouseId")).transpose()?;
    let named = [(Some(from), "/fromWarehouseId"), (Some(to), "/toWarehouseId"), (transit, "/transitWarehouseId")];
    for (warehouse, pointer) in named {
        warehouse.map_or(Ok(()), |warehouse| place::check_active(warehouse, pointer))?;
    }
    if let Some(transit) = transit {
        if transit.kind != WarehouseType::InTransit {
            return Err(refusal::unusable("/transitWarehouseId", "NOT_IN_TRANSIT"));
        }
        if transit.legal_entity_id != from.legal_entity_id {
            return Err(refusal::unusable("/transitWarehouseId", "OTHER_ENTITY"));
        }
    }
    if !from.kind.is_normal() {
        return Err(Problem::at("CUSTODY_CONFLICT", "/fromWarehouseId"));
    }
    if to.kind == WarehouseType::InTransit || to.legal_entity_id != from.legal_entity_id {
        return Err(Problem::at("CUSTODY_CONFLICT", "/toWarehouseId"));
    }
    Ok(())
}
