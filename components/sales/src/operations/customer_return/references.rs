//! The records that the body of a customer return names, and whether it may name them so.

use std::collections::BTreeMap;

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Id, Item, Problem, item, map};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::clients::units::{self, Unit};
use stoa_trade::clients::warehouses::{self, Location, Warehouse};
use stoa_trade::document::lines::Lines;
use stoa_trade::quantity::{Tracking, is_countable, scale_fault};
use stoa_trade::refusal::{illegal, list_faults, refuse, refuse_invalid};

use crate::operations::customer_return::input::{SalesReturnInput, SalesReturnItemInput};
use crate::records::customer_return::ReturnDisposition;
use crate::records::order::{OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::work::priced_line::live_lines;
use crate::work::references::check_unit_counts;

/// The records that a body names.
pub struct ReturnReferences {
    pub order: OrderRow,
    /// Where goods come back.
    pub warehouse_id: Id,
    items: BTreeMap<Id, OrderItemRow>,
    warehouse: Option<Warehouse>,
    location: Option<Location>,
    units: BTreeMap<Id, Unit>,
    articles: BTreeMap<Id, Article>,
}

/// A line as it is judged: of which line of the order, and what becomes of its goods.
pub struct ReturnLine<'a> {
    pub stated: &'a SalesReturnItemInput,
    pub item: &'a OrderItemRow,
    pub disposition: ReturnDisposition,
}

impl ReturnLine<'_> {
    /// No other line of the return has it.
    pub fn key(&self) -> (Id, u8) {
        (self.item.id, self.disposition as u8)
    }
}

impl ReturnReferences {
    /// Reads them; NOT_FOUND at what is missing.
    pub fn read(stated: &SalesReturnInput) -> Result<ReturnReferences, Problem> {
        let (order, items) = run((
            get::<OrderRow>(stated.order_id),
            select::<OrderItemRow>(live_lines::<OrderItemRow>(stated.order_id)).whole(),
        ))?;
        let order = order.ok_or_else(|| Problem::reference_missing("/orderId"))?;
        let warehouse_id = stated.warehouse_id.unwrap_or(order.warehouse_id);
        let items = map(items.into_iter().map(|item| (item.id, item)));
        let variants = stated.items.iter().filter_map(|line| Some(items.get(&line.item_id)?.variant_id));
        let known = ReturnReferences {
            warehouse_id,
            warehouse: warehouses::get([warehouse_id]).remove(&warehouse_id),
            location: stated.warehouse_location_id.and_then(|id| warehouses::locations(&[id]).into_iter().next()),
            units: units::get_by_id(stated.items.iter().flat_map(|line| line.unit_ids.iter().copied())),
            articles: articles::get(variants),
            order,
            items,
        };
        let named = [
            ("/warehouseId", known.warehouse.is_none()),
            ("/warehouseLocationId", stated.warehouse_location_id.is_some() && known.location.is_none()),
        ];
        let mut missing = list_faults("NOT_FOUND", named);
        let lines = stated.lines();
        missing.extend(lines.faults("itemId", "NOT_FOUND", |line| !known.items.contains_key(&line.item_id)));
        missing.extend(lines.id_faults(
            "unitIds",
            "NOT_FOUND",
            |line| &line.unit_ids,
            |_, unit| !known.units.contains_key(&unit),
        ));
        refuse("NOT_FOUND", missing)?;
        Ok(known)
    }

    /// # Errors
    /// ILLEGAL_STATE of the order, of untracked lines and of dispositions; faults of quantities; REFERENCE_INVALID;
    /// UNIT_COUNT_MISMATCH; LIMIT_EXCEEDED.
    pub fn check<'a>(&'a self, stated: &'a SalesReturnInput) -> Result<Vec<ReturnLine<'a>>, Problem> {
        if self.order.status != OrderStatus::Completed {
            return Err(Problem::illegal_state("/orderId"));
        }
        let judged: Vec<ReturnLine<'_>> = stated.items.iter().filter_map(|line| self.find_item(line)).collect();
        let lines = Lines::at("/items", &judged);
        let untracked = lines.faults("itemId", "ILLEGAL_STATE", |line| line.item.tracking == Tracking::None);
        refuse("ILLEGAL_STATE", untracked)?;
        let fine = lines.iter().filter_map(|(pointer, line)| {
            let places = self.articles.get(&line.item.variant_id)?.decimal_places;
            let is_too_fine = !is_countable(line.stated.quantity.0, line.item.tracking, places);
            is_too_fine.then(|| scale_fault(pointer.member("quantity"), line.item.tracking, places))
        });
        let mut faults: Vec<Item> = fine.collect();
        faults.extend(lines.find_repeats("itemId", ReturnLine::key));
        refuse_invalid(faults)?;
        for (pointer, line) in lines.iter() {
            if line.item.tracking == Tracking::Quantity && line.disposition != ReturnDisposition::Restock {
                return Err(illegal(pointer.member("disposition"), "NOT_ALLOWED"));
            }
        }
        self.check_place()?;
        let is_other = |line: &ReturnLine<'_>, unit: Id| {
            self.units.get(&unit).is_some_and(|unit| Id::from(unit.variant_id) != line.item.variant_id)
        };
        refuse(
            "REFERENCE_INVALID",
            lines.id_faults("unitIds", "OTHER_VARIANT", |line| &line.stated.unit_ids, is_other),
        )?;
        check_unit_counts(lines, |line| (line.item.tracking, line.stated.quantity.0, line.stated.unit_ids.len()))?;
        Ok(judged)
    }

    /// The stated line with its line of the order, which `read` has found.
    fn find_item<'a>(&'a self, stated: &'a SalesReturnItemInput) -> Option<ReturnLine<'a>> {
        let item = self.items.get(&stated.item_id)?;
        let usual = match item.tracking {
            Tracking::Serialized => ReturnDisposition::Inspect,
            Tracking::None | Tracking::Quantity => ReturnDisposition::Restock,
        };
        Some(ReturnLine { stated, item, disposition: stated.disposition.unwrap_or(usual) })
    }

    fn check_place(&self) -> Result<(), Problem> {
        let mut faults = Vec::new();
        if let Some(warehouse) = &self.warehouse {
            let is_ours = Id::from(warehouse.legal_entity_id) == self.order.legal_entity_id;
            faults.extend((!is_ours).then(|| item("/warehouseId", "OTHER_ENTITY")));
            faults.extend((is_ours && !warehouse.active).then(|| item("/warehouseId", "ARCHIVED")));
        }
        if let Some(location) = &self.location {
            let is_there = Id::from(location.warehouse_id) == self.warehouse_id;
            faults.extend((!is_there).then(|| item("/warehouseLocationId", "OTHER_WAREHOUSE")));
            faults.extend((is_there && !location.active).then(|| item("/warehouseLocationId", "ARCHIVED")));
        }
        refuse("REFERENCE_INVALID", faults)
    }

    /// The products of the lines: the audit entry is found by them.
    pub fn products(&self) -> impl Iterator<Item = Id> {
        self.articles.values().map(|article| Id::from(article.product_id))
    }
}
