//! The records that the body of a draft names, and whether it may name them so.

use std::collections::BTreeMap;

use stoa_sdk::store::{get_all, run};
use stoa_sdk::{Id, Item, Problem, item, map};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::document::lines::Lines;
use stoa_trade::limits::UNITS;
use stoa_trade::quantity::{Quantity, Tracking, is_countable, scale_fault};
use stoa_trade::refusal::{self, refuse, refuse_invalid};

use crate::operations::transfer_order::input::TransferOrderInput;
use crate::records::unit::UnitRow;
use crate::records::warehouse::{WarehouseRow, WarehouseType};
use crate::rules::unknown::find_unknown;
use crate::rules::{place, unit_count};

/// The records that a body names.
pub struct References {
    warehouses: Vec<WarehouseRow>,
    articles: BTreeMap<Id, Article>,
    units: BTreeMap<Id, UnitRow>,
}

impl References {
    /// # Errors
    /// NOT_FOUND at the pointer of each record that is missing.
    pub fn read(body: &TransferOrderInput) -> Result<References, Problem> {
        let ends = [
            ("/fromWarehouseId", Some(body.from_warehouse_id)),
            ("/toWarehouseId", Some(body.to_warehouse_id)),
            ("/transitWarehouseId", body.transit_warehouse_id),
        ];
        let warehouses = get_all::<WarehouseRow>(ends.iter().filter_map(|(_, id)| *id));
        let units = get_all::<UnitRow>(body.items.iter().flat_map(|line| line.unit_ids.iter().copied()));
        let (warehouses, units) = run((warehouses, units))?;
        let known = References {
            warehouses,
            articles: articles::get(body.variants()),
            units: map(units.into_iter().map(|unit| (unit.id, unit))),
        };
        let is_missing = |id: Id| !known.warehouses.iter().any(|row| row.id == id);
        let missing = ends.iter().filter(|(_, id)| id.is_some_and(is_missing));
        let mut missing: Vec<Item> = missing.map(|(pointer, _)| item(*pointer, "NOT_FOUND")).collect();
        let lines = body.items.iter().map(|line| (line.variant_id, line.unit_ids.as_slice()));
        missing.extend(find_unknown("/items", lines, &known.articles, |id| known.units.contains_key(&id)));
        refuse("NOT_FOUND", missing)?;
        Ok(known)
    }

    pub fn entity(&self, body: &TransferOrderInput) -> Result<Id, Problem> {
        Ok(place::require_warehouse(&self.warehouses, body.from_warehouse_id, "/fromWarehouseId")?.legal_entity_id)
    }

    pub fn tracking(&self, variant: Id) -> Tracking {
        self.articles.get(&variant).map_or(Tracking::None, articles::tracking)
    }

    /// # Errors
    /// Faults of quantities, then what a warehouse, a variant or a unit cannot be used for.
    pub fn check(&self, body: &TransferOrderInput) -> Result<(), Problem> {
        let items = Lines::at("/items", &body.items);
        let mut fine = Vec::new();
        for (pointer, line) in items.iter() {
            let Some(article) = self.articles.get(&line.variant_id) else { continue };
            let (tracking, places) = (articles::tracking(article), article.decimal_places);
            if !is_countable(line.quantity.0, tracking, places) {
                fine.push(scale_fault(pointer.member("quantity"), tracking, places));
            }
        }
        refuse_invalid(fine)?;
        let mut serialized = Quantity::ZERO;
        for (pointer, line) in items.iter() {
            match self.tracking(line.variant_id) {
                Tracking::None => return Err(Problem::illegal_state(pointer.member("variantId"))),
                Tracking::Quantity if !line.unit_ids.is_empty() => {
                    return Err(unit_count::mismatch(&pointer.member("unitIds"), 0, line.unit_ids.len()));
                }
                Tracking::Quantity => {}
                Tracking::Serialized => {
                    serialized = serialized.checked_add(line.quantity.0).ok_or_else(Quantity::limit_exceeded)?;
                }
            }
            for (nth, id) in line.unit_ids.iter().enumerate() {
                if self.units.get(id).is_some_and(|unit| unit.variant_id != line.variant_id) {
                    return Err(refusal::unusable(pointer.entry("unitIds", nth), "OTHER_VARIANT"));
                }
            }
        }
        if serialized > Quantity::from_units(UNITS as i128 * 1_000_000) {
            return Err(Problem::limit_exceeded("/items", UNITS, "UNITS"));
        }
        check_route(&self.warehouses, body)
    }
}

/// Checks that goods of one entity may take this route.
///
/// # Errors
/// REFERENCE_INVALID: archived, or no transit warehouse of the entity; CUSTODY_CONFLICT: ends that do not fit each other.
fn check_route(warehouses: &[WarehouseRow], body: &TransferOrderInput) -> Result<(), Problem> {
    let require = |id: Id, pointer: &str| place::require_warehouse(warehouses, id, pointer);
    let from = require(body.from_warehouse_id, "/fromWarehouseId")?;
    let to = require(body.to_warehouse_id, "/toWarehouseId")?;
    let transit = body.transit_warehouse_id.map(|id| require(id, "/transitWarehouseId")).transpose()?;
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
