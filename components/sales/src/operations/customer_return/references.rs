//! The records that the body of a customer return names, and whether it may name them so.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Id, Problem, item, map};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::clients::units::{self, Unit};
use stoa_trade::clients::warehouses::{self, Location, Warehouse};
use stoa_trade::document::lines::Lines;
use stoa_trade::quantity::{Tracking, is_countable};
use stoa_trade::refusal::{illegal, list_faults, refuse, refuse_invalid};

use crate::operations::customer_return::input::{SalesReturnItemInput, StatedReturn};
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
    pub item: &'a OrderItemRow,
    pub disposition: ReturnDisposition,
}

impl ReturnReferences {
    /// # Errors
    /// NOT_FOUND at what is missing.
    pub fn read(stated: &StatedReturn) -> Result<ReturnReferences, Problem> {
        let (order, items) = run((
            get::<OrderRow>(stated.order),
            select::<OrderItemRow>(live_lines::<OrderItemRow>(stated.order)).whole(),
        ))?;
        let order = order.ok_or_else(|| Problem::reference_missing("/orderId"))?;
        let warehouse_id = stated.warehouse.unwrap_or(order.warehouse_id);
        let named: Vec<Id> = stated.lines.iter().flat_map(|line| line.unit_ids.iter().copied()).collect();
        let items = map(items.into_iter().map(|item| (item.id, item)));
        let variants = stated.lines.iter().filter_map(|line| Some(items.get(&line.item_id)?.variant_id));
        let known = ReturnReferences {
            warehouse_id,
            warehouse: warehouses::get([warehouse_id]).remove(&warehouse_id),
            location: stated.location.and_then(|id| warehouses::locations(&[id]).into_iter().next()),
            units: map(units::get(&named).into_iter().map(|unit| (Id::from(unit.id), unit))),
            articles: articles::get(variants),
            order,
            items,
        };
        let named = [
            ("/warehouseId", known.warehouse.is_none()),
            ("/warehouseLocationId", stated.location.is_some() && known.location.is_none()),
        ];
        let mut missing = list_faults("NOT_FOUND", named);
        let lines = Lines::at("/items", &stated.lines);
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
    pub fn check<'a>(&'a self, stated: &StatedReturn) -> Result<Vec<ReturnLine<'a>>, Problem> {
        if self.order.status != OrderStatus::Completed {
            return Err(Problem::illegal_state("/orderId"));
        }
        let pairs = self.pair(stated);
        let lines = Lines::at("/items", &pairs);
        let untracked = lines.faults("itemId", "ILLEGAL_STATE", |(_, line)| line.item.tracking == Tracking::None);
        refuse("ILLEGAL_STATE", untracked)?;
        let mut faults = lines.faults("quantity", "QUANTITY_SCALE", |(input, line)| !self.is_countable(input, line));
        let mut seen = BTreeSet::new();
        let again = |(_, line): &(&SalesReturnItemInput, ReturnLine<'_>)| (line.item.id, line.disposition as u8);
        for (pointer, pair) in lines.iter() {
            faults.extend((!seen.insert(again(pair))).then(|| item(pointer.member("itemId"), "REPEATED")));
        }
        refuse_invalid(faults)?;
        for (pointer, (_, line)) in lines.iter() {
            if line.item.tracking == Tracking::Quantity && line.disposition != ReturnDisposition::Restock {
                return Err(illegal(pointer.member("disposition"), "NOT_ALLOWED"));
            }
        }
        self.check_place()?;
        let other = lines.id_faults(
            "unitIds",
            "OTHER_VARIANT",
            |(input, _)| &input.unit_ids,
            |(_, line), unit| {
                self.units.get(&unit).is_some_and(|unit| Id::from(unit.variant_id) != line.item.variant_id)
            },
        );
        refuse("REFERENCE_INVALID", other)?;
        let counted = |(input, line): &(&SalesReturnItemInput, ReturnLine<'_>)| {
            (line.item.tracking, input.quantity.0, input.unit_ids.len())
        };
        check_unit_counts(lines, counted)?;
        Ok(pairs.into_iter().map(|(_, line)| line).collect())
    }

    /// Each stated line with its line of the order, which `read` has found.
    fn pair<'a, 'b>(&'a self, stated: &'b StatedReturn) -> Vec<(&'b SalesReturnItemInput, ReturnLine<'a>)> {
        let to_line = |input: &'b SalesReturnItemInput| {
            let item = self.items.get(&input.item_id)?;
            let usual = match item.tracking {
                Tracking::Serialized => ReturnDisposition::Inspect,
                Tracking::None | Tracking::Quantity => ReturnDisposition::Restock,
            };
            Some((input, ReturnLine { item, disposition: input.disposition.unwrap_or(usual) }))
        };
        stated.lines.iter().filter_map(to_line).collect()
    }

    fn is_countable(&self, input: &SalesReturnItemInput, line: &ReturnLine<'_>) -> bool {
        let article = self.articles.get(&line.item.variant_id);
        article.is_none_or(|article| is_countable(input.quantity.0, line.item.tracking, article.decimal_places))
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

    /// The products of the lines: what the audit entry is found by.
    pub fn products(&self) -> impl Iterator<Item = Id> {
        self.articles.values().map(|article| Id::from(article.product_id))
    }
}
