//! The records that the terms of an order name, and whether they may be named so.

use std::collections::BTreeMap;

use stoa_sdk::store::{get, run};
use stoa_sdk::{Id, Problem};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::clients::directory::{self, Entity};
use stoa_trade::clients::warehouses::{self, Warehouse};
use stoa_trade::quantity::{Tracking, is_countable, scale_fault};
use stoa_trade::refusal::{list_faults, refuse, refuse_invalid, unusable};
use stoa_trade::{Archivable, Status};

use crate::records::supplier::SupplierRow;
use crate::rules::terms::OrderTerms;

/// The records that terms name.
pub struct References {
    entity: Entity,
    warehouse: Warehouse,
    pub supplier: SupplierRow,
    articles: BTreeMap<Id, Article>,
}

impl References {
    /// Reads them; NOT_FOUND at everything that is missing.
    pub fn read(terms: &OrderTerms) -> Result<References, Problem> {
        let supplier: Option<SupplierRow> = run(get(terms.supplier_id))?;
        let entity = directory::entities(&[terms.legal_entity_id]).into_iter().next();
        let warehouse = warehouses::get([terms.warehouse_id]).remove(&terms.warehouse_id);
        let articles = articles::get(terms.items.iter().map(|line| line.variant_id));
        let heads = [
            ("/legalEntityId", entity.is_none()),
            ("/warehouseId", warehouse.is_none()),
            ("/supplierId", supplier.is_none()),
        ];
        let mut missing = list_faults("NOT_FOUND", heads);
        missing.extend(terms.lines().faults("variantId", "NOT_FOUND", |line| !articles.contains_key(&line.variant_id)));
        refuse("NOT_FOUND", missing)?;
        match (entity, warehouse, supplier) {
            (Some(entity), Some(warehouse), Some(supplier)) => Ok(References { entity, warehouse, supplier, articles }),
            // Refused above.
            _ => Err(Problem::not_found()),
        }
    }

    /// How the variant is counted.
    pub fn tracking(&self, variant: Id) -> Tracking {
        self.articles.get(&variant).map_or(Tracking::None, articles::tracking)
    }

    /// The products that the terms name.
    pub fn products(&self) -> impl Iterator<Item = Id> {
        self.articles.values().map(|article| article.product_id.into())
    }

    /// Checks that the terms may name these records.
    ///
    /// # Errors
    /// VALIDATION_FAILED at quantities that are too fine, REFERENCE_INVALID at what is archived, CUSTODY_CONFLICT at a
    /// warehouse of another entity.
    pub fn check(&self, terms: &OrderTerms) -> Result<(), Problem> {
        let mut fine = Vec::new();
        for (pointer, line) in terms.lines().iter() {
            let Some(article) = self.articles.get(&line.variant_id) else { continue };
            let (tracking, places) = (articles::tracking(article), article.decimal_places);
            if !is_countable(line.quantity.0, tracking, places) {
                fine.push(scale_fault(pointer.member("quantity"), tracking, places));
            }
        }
        refuse_invalid(fine)?;
        if !self.entity.active {
            return Err(unusable("/legalEntityId", "ARCHIVED"));
        }
        if !self.warehouse.active {
            return Err(unusable("/warehouseId", "ARCHIVED"));
        }
        if self.warehouse.legal_entity_id != self.entity.id {
            return Err(Problem::at("CUSTODY_CONFLICT", "/warehouseId"));
        }
        if self.supplier.status() == Status::Archived {
            return Err(unusable("/supplierId", "ARCHIVED"));
        }
        let is_archived = |id: Id| self.articles.get(&id).is_some_and(|article| !articles::is_active(article));
        refuse("REFERENCE_INVALID", terms.lines().faults("variantId", "ARCHIVED", |line| is_archived(line.variant_id)))
    }
}
