//! Posting a stock count: differences become movements, missing units are lost and found ones come back. Sales and
//! moves after a line was recorded stay: quantities change by the difference, and a unit that changed since is not touched.

use std::collections::BTreeMap;

use stoa_sdk::store::{get_all, run};
use stoa_sdk::{Answer, Call, Id, Problem, map, now};
use stoa_trade::clients::articles;
use stoa_trade::clients::books::{self, Cost, Terms};
use stoa_trade::document::lines::Lines;
use stoa_trade::posting::EntrySource;
use stoa_trade::quantity::{Quantity, Tracking};
use stoa_trade::refusal::refuse;
use stoa_trade::{Change, Status};

use crate::operations::stock_count::input::PostStockCount;
use crate::operations::stock_count::lock::{check_open, lock_count};
use crate::records::movement::{DocumentType, MovementType};
use crate::records::stock_count::{
    CountStatus, CountedUnit, StockCountLineRow, StockCountRow, receipt, short_cost, units_of,
};
use crate::records::unit::{UnitRow, UnitStatus};
use crate::records::warehouse::WarehouseRow;
use crate::rules::place;
use crate::rules::unit_state::{self, Cause};
use crate::work::adjust::adjust_quantity;
use crate::work::gates;
use crate::work::goods::{Goods, Place, post};
use crate::work::units::changes::{Changes, Why};
use crate::work::units::effects::{self, Known};
use crate::work::units::worth::{self, Worth};

pub fn post(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: PostStockCount = call.body()?;
    let (count, lines) = lock_count(id)?;
    check_open(&count, body.expected_version)?;
    let terms = books::admit(count.legal_entity_id)?;
    let (_, warehouses, _) = run(gates::enter(&[count.warehouse_id], None))?;
    let warehouse = place::require_warehouse(&warehouses, count.warehouse_id, "/warehouseId")?;
    if warehouse.status == Status::Archived {
        return Err(Problem::at("ARCHIVED", "/warehouseId"));
    }
    let posting = Posting::read(&count, warehouse, &body.reason, &lines, terms.as_ref())?;
    let (goods, changes) = posting.collect(&lines)?;

    let settled = goods.settle()?;
    let after = StockCountRow { status: CountStatus::Posted, posted_at: Some(now()), ..count.clone() };
    let change = Change::new(&count, after)?;
    settled.write((effects::rows(&changes.all, None), change.update()))?;
    let (kind, purpose) = post::COUNT;
    let source = EntrySource { kind, id, purpose };
    settled.post_as(terms.as_ref(), count.legal_entity_id, source, &body.reason)?;
    let products = articles::products_of(lines.iter().map(|line| line.variant_id));
    Ok(receipt(change.after()).subjects(products).changed(change.members()))
}

/// State of the count's goods for a posting.
struct Posting<'a> {
    place: Place,
    warehouse: &'a WarehouseRow,
    why_in: Why,
    why_out: Why,
    why_lost: Why,
    known: Known,
    units: BTreeMap<Id, UnitRow>,
    /// Last worth of LOST units.
    last: BTreeMap<Id, Worth>,
    terms: Option<&'a Terms>,
}

impl<'a> Posting<'a> {
    /// Locks the units of the lines and asks whether what comes in can be posted.
    fn read(
        count: &StockCountRow,
        warehouse: &'a WarehouseRow,
        reason: &str,
        lines: &[StockCountLineRow],
        terms: Option<&'a Terms>,
    ) -> Result<Posting<'a>, Problem> {
        let ids: Vec<Id> = lines.iter().flat_map(|line| units_of(line).into_keys()).collect();
        let rows = run(get_all::<UnitRow>(ids).locked())?;
        let lost: Vec<Id> = rows.iter().filter(|unit| unit.status == UnitStatus::Lost).map(|unit| unit.id).collect();
        let last = if lost.is_empty() || terms.is_some() { BTreeMap::new() } else { worth::read_last_worth(&lost)? };
        let why = |kind| Why::manual(kind, reason, None).of_document(DocumentType::StockCount, count.id);
        let posting = Posting {
            place: Place::from_row(warehouse),
            warehouse,
            why_in: why(MovementType::AdjustmentIn),
            why_out: why(MovementType::AdjustmentOut),
            why_lost: why(MovementType::Loss),
            known: Known::from_row([warehouse], lines.iter().map(|line| line.variant_id)),
            units: map(rows.into_iter().map(|unit| (unit.id, unit))),
            last,
            terms,
        };
        posting.check_active(lines)?;
        posting.admit(count, lines)?;
        Ok(posting)
    }

    /// A unit of a line as it is, unless it changed since the line was recorded.
    fn find_unchanged(&self, id: Id, counted: CountedUnit) -> Option<&UnitRow> {
        self.units.get(&id).filter(|unit| unit.version == counted.version)
    }

    fn brings(&self, line: &StockCountLineRow) -> bool {
        let found = |(id, counted): (Id, CountedUnit)| {
            counted.found && self.find_unchanged(id, counted).is_some_and(|unit| unit.status == UnitStatus::Lost)
        };
        match line.tracking {
            Tracking::Serialized => units_of(line).into_iter().any(found),
            _ => line.counted > line.expected,
        }
    }

    /// Nothing more comes in of what was archived since it was counted.
    fn check_active(&self, lines: &[StockCountLineRow]) -> Result<(), Problem> {
        let articles = articles::get(lines.iter().map(|line| line.variant_id));
        let is_archived = |line: &StockCountLineRow| !articles.get(&line.variant_id).is_some_and(articles::is_active);
        let is_refused = |line: &StockCountLineRow| self.brings(line) && is_archived(line);
        refuse("ARCHIVED", Lines::at("/lines", lines).faults("variantId", "ARCHIVED", is_refused))
    }

    /// With books, every surplus has a cost that can be posted.
    fn admit(&self, count: &StockCountRow, lines: &[StockCountLineRow]) -> Result<(), Problem> {
        if self.terms.is_none() {
            return Ok(());
        }
        let articles = articles::get(lines.iter().map(|line| line.variant_id));
        let (mut missing, mut costs) = (Vec::new(), Vec::new());
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| self.brings(line)) {
            let pointer = format!("/lines/{index}");
            match line.unit_cost {
                None => missing.push(stoa_sdk::item(pointer, "VALUATION_COST_REQUIRED")),
                Some(unit_cost) => costs.push(Cost {
                    unit_cost: short_cost(unit_cost).to_string(),
                    decimal_places: articles.get(&line.variant_id).map_or(0, |article| article.decimal_places),
                    pointer,
                }),
            }
        }
        refuse("VALUATION_COST_REQUIRED", missing)?;
        books::admit_costs(count.legal_entity_id, &costs)
    }

    fn worth(&self, line: &StockCountLineRow) -> Worth {
        Worth { unit_cost: line.unit_cost, currency_code: self.terms.map(|terms| terms.currency_code.clone()) }
    }

    /// Collects the changes of goods and units.
    fn collect(&self, lines: &[StockCountLineRow]) -> Result<(Goods, Changes), Problem> {
        let (mut goods, mut changes) = (Goods::default(), Changes::new(self.units.len()));
        for (index, line) in lines.iter().enumerate() {
            let pointer = format!("/lines/{index}");
            match line.tracking {
                Tracking::Serialized => self.count_units(line, &pointer, &mut changes)?,
                _ => self.count_quantity(line, &pointer, &mut goods)?,
            }
        }
        effects::collect(&changes.all, &mut goods, &self.known)?;
        Ok((goods, changes))
    }

    fn count_units(&self, line: &StockCountLineRow, pointer: &str, changes: &mut Changes) -> Result<(), Problem> {
        for (id, counted) in units_of(line) {
            let Some(unit) = self.find_unchanged(id, counted).cloned() else { continue };
            if counted.found && unit.status == UnitStatus::Lost {
                let status = unit_state::status_in(self.warehouse.kind);
                let after = unit.in_place(status, self.warehouse.id, None);
                let worth = match line.unit_cost {
                    None => self.last.get(&id).cloned().unwrap_or_default(),
                    Some(_) => self.worth(line),
                };
                changes.record_move(unit, after, &self.why_in, worth);
            } else if !counted.found {
                unit_state::check(Cause::Loss, &unit, Some(pointer))?;
                let after = unit.without_place(UnitStatus::Lost);
                changes.record_move(unit, after, &self.why_lost, Worth::default());
            }
        }
        Ok(())
    }

    fn count_quantity(&self, line: &StockCountLineRow, pointer: &str, goods: &mut Goods) -> Result<(), Problem> {
        let difference = line.counted.checked_sub(line.expected).ok_or_else(Quantity::limit_exceeded)?;
        if difference == Quantity::ZERO {
            return Ok(());
        }
        let sku = self.known.skus.get(&line.variant_id).ok_or_else(Problem::not_found)?;
        let why = if difference.is_negative() { &self.why_out } else { &self.why_in };
        adjust_quantity(goods, why, (self.place, *sku), difference, self.worth(line), pointer);
        Ok(())
    }
}
