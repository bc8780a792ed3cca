//! Recording a count. Each line keeps the quantity that the system had at that time, so that goods sold while users count stay
//! sold.

use std::collections::BTreeMap;

use stoa_sdk::store::{MOST_ROWS, find, get_all, insert, run, select, update_all};
use stoa_sdk::{Answer, Call, Decimal, Field, Id, Problem, all, map, new_ids, now, view};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::document::lines::Lines;
use stoa_trade::limits::COUNTED;
use stoa_trade::quantity::{Quantity, Tracking, UnitCost, is_countable, scale_fault};
use stoa_trade::refusal::{refuse, refuse_invalid};
use stoa_trade::{Change, new_record};

use crate::operations::stock_count::input::{self, CountedLine, RecordStockCount};
use crate::operations::stock_count::lock::{check_open, lock_count};
use crate::records::stock::StockRow;
use crate::records::stock_count::{CountedUnit, StockCountLineRow, StockCountRow, receipt, units_as_json, units_of};
use crate::records::unit::{UnitRow, UnitStatus};
use crate::rules::unit_count::check_unit_count;
use crate::rules::unknown::find_unknown;

view! { OnHand of StockRow { variant_id: Id, on_hand: Quantity } }

view! {
    UnitSeen of UnitRow {
        id: Id, version: i64, variant_id: Id, status: UnitStatus, legal_entity_id: Id, warehouse_id: Option<Id>,
        transfer_order_id: Option<Id>,
    }
}

impl UnitSeen {
    /// Returns whether a count of this warehouse expects it: it is there, and does not travel on an order.
    fn is_expected(&self, warehouse: Id) -> bool {
        let travels = self.status == UnitStatus::InTransit && self.transfer_order_id.is_some();
        self.warehouse_id == Some(warehouse) && !travels
    }

    /// Returns whether it may be found there.
    fn is_findable(&self, count: &StockCountRow) -> bool {
        let is_lost = self.status == UnitStatus::Lost && self.legal_entity_id == count.legal_entity_id;
        self.is_expected(count.warehouse_id) || is_lost
    }
}

pub fn record(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: RecordStockCount = call.body()?;
    input::check(&body.lines)?;
    let (count, before) = lock_count(id)?;
    let articles = articles::get(body.lines.iter().map(|line| line.variant_id));
    let seen = Seen::read(&count, &body.lines)?;
    let lines = body.lines.iter().map(|line| (line.variant_id, line.unit_ids.as_slice()));
    refuse("NOT_FOUND", find_unknown("/lines", lines, &articles, |id| seen.units.contains_key(&id)))?;
    check_open(&count, body.expected_version)?;
    check_counts(&body.lines, &articles)?;
    check_active(&body.lines, &articles, &seen)?;

    let before = map(before.into_iter().map(|line| (line.variant_id, line)));
    let now = now();
    let mut ids = new_ids(u32::try_from(body.lines.len()).unwrap_or(u32::MAX)).into_iter();
    let (mut new, mut changed) = (Vec::new(), Vec::new());
    for (index, line) in body.lines.iter().enumerate() {
        let tracking = articles.get(&line.variant_id).map_or(Tracking::None, articles::tracking);
        let (expected, counted_units) = seen.line(&count, line, tracking, index)?;
        let earlier = before.get(&line.variant_id);
        let Some(row_id) = earlier.map(|row| row.id).or_else(|| ids.next()) else { continue };
        let row = new_record!(StockCountLineRow {
            id: row_id,
            count_id: count.id,
            variant_id: line.variant_id,
            tracking,
            expected,
            counted: line.counted_quantity,
            unit_cost: line.unit_cost.map(long_cost),
            counted_at: now,
            units: units_as_json(&counted_units),
        });
        if earlier.is_some() { changed.push(row) } else { new.push(row) }
    }
    check_limits(&before, &new, &changed)?;
    let change = update_all::<StockCountLineRow>(changed.iter().map(|row| row.id))
        .set_each(StockCountLineRow::expected, changed.iter().map(|row| row.expected))
        .set_each(StockCountLineRow::counted, changed.iter().map(|row| row.counted))
        .set_each(StockCountLineRow::unit_cost, changed.iter().map(|row| row.unit_cost))
        .set_each(StockCountLineRow::units, changed.iter().map(|row| row.units.clone()))
        .set(StockCountLineRow::counted_at, &now);
    // Only the version changes.
    let touch = Change::new(&count, count.clone())?;
    run((touch.update(), change, insert(&new)))?;
    let products = articles::products_of(body.lines.iter().map(|line| line.variant_id));
    Ok(receipt(touch.after()).subjects(products).changed(vec!["lines"]))
}

fn long_cost(cost: Decimal<6>) -> UnitCost {
    UnitCost::from_units(cost.units().saturating_mul(1_000_000))
}

/// Recorded stock and units of the counted variants in the warehouse.
struct Seen {
    on_hand: BTreeMap<Id, Quantity>,
    /// Units of these variants there, and those that the request names.
    units: BTreeMap<Id, UnitSeen>,
}

impl Seen {
    fn read(count: &StockCountRow, lines: &[CountedLine]) -> Result<Seen, Problem> {
        let pairs = lines.iter().map(|line| vec![count.warehouse_id.put(), line.variant_id.put()]);
        let there = all([
            UnitRow::variant_id.one_of(lines.iter().map(|line| line.variant_id)),
            UnitRow::warehouse_id.eq(count.warehouse_id),
        ]);
        let named = lines.iter().flat_map(|line| line.unit_ids.iter().copied());
        let (on_hand, there, named) = run((
            find::<OnHand>("pair", pairs),
            select::<UnitSeen>(there).limit(MOST_ROWS),
            get_all::<UnitSeen>(named),
        ))?;
        if there.more {
            return Err(Problem::limit_exceeded("/lines", i64::from(MOST_ROWS), "UNITS"));
        }
        Ok(Seen {
            on_hand: map(on_hand.into_iter().map(|row| (row.variant_id, row.on_hand))),
            units: map(there.items.into_iter().chain(named).map(|unit| (unit.id, unit))),
        })
    }

    /// Returns whether more of a line's variant was counted than there is: a quantity beyond what is on hand, or a unit
    /// that was LOST.
    fn exceeds(&self, line: &CountedLine) -> bool {
        let is_lost = |id: &Id| self.units.get(id).is_some_and(|unit| unit.status == UnitStatus::Lost);
        let on_hand = self.on_hand.get(&line.variant_id).copied().unwrap_or(Quantity::ZERO);
        if line.unit_ids.is_empty() { line.counted_quantity > on_hand } else { line.unit_ids.iter().any(is_lost) }
    }

    /// The expected quantity of a line, and its units: those expected, and those found.
    fn line(
        &self,
        count: &StockCountRow,
        line: &CountedLine,
        tracking: Tracking,
        index: usize,
    ) -> Result<(Quantity, BTreeMap<Id, CountedUnit>), Problem> {
        let is_serialized = tracking == Tracking::Serialized;
        let pointer = format!("/lines/{index}/unitIds");
        check_unit_count(is_serialized, line.counted_quantity, line.unit_ids.len(), &pointer)?;
        if !is_serialized {
            return Ok((self.on_hand.get(&line.variant_id).copied().unwrap_or(Quantity::ZERO), BTreeMap::new()));
        }
        for (nth, id) in line.unit_ids.iter().enumerate() {
            let unit = self.units.get(id).filter(|unit| unit.variant_id == line.variant_id);
            if !unit.is_some_and(|unit| unit.is_findable(count)) {
                return Err(Problem::at("CUSTODY_CONFLICT", format!("{pointer}/{nth}")));
            }
        }
        let of_line = self.units.values().filter(|unit| unit.variant_id == line.variant_id);
        let expected: Vec<&UnitSeen> = of_line.clone().filter(|unit| unit.is_expected(count.warehouse_id)).collect();
        let quantity = Quantity::from_units(i128::try_from(expected.len()).unwrap_or(i128::MAX) * 1_000_000);
        let counted = of_line
            .filter(|unit| unit.is_expected(count.warehouse_id) || line.unit_ids.contains(&unit.id))
            .map(|unit| (unit.id, CountedUnit { version: unit.version, found: line.unit_ids.contains(&unit.id) }));
        Ok((quantity, map(counted)))
    }
}

/// Checks that these variants can be counted so.
fn check_counts(lines: &[CountedLine], articles: &BTreeMap<Id, Article>) -> Result<(), Problem> {
    let mut faults = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(article) = articles.get(&line.variant_id) else { continue };
        if articles::tracking(article) == Tracking::None {
            return Err(Problem::illegal_state(format!("/lines/{index}/variantId")));
        }
        let (tracking, places) = (articles::tracking(article), article.decimal_places);
        if !is_countable(line.counted_quantity, tracking, places) {
            faults.push(scale_fault(format!("/lines/{index}/countedQuantity"), tracking, places));
        }
    }
    refuse_invalid(faults)
}

/// No more of an archived variant comes in than is there.
fn check_active(lines: &[CountedLine], articles: &BTreeMap<Id, Article>, seen: &Seen) -> Result<(), Problem> {
    let is_archived =
        |line: &CountedLine| articles.get(&line.variant_id).is_some_and(|article| !articles::is_active(article));
    let is_refused = |line: &CountedLine| is_archived(line) && seen.exceeds(line);
    refuse("REFERENCE_INVALID", Lines::at("/lines", lines).faults("variantId", "ARCHIVED", is_refused))
}

/// Lines and units of the count as it will be.
fn check_limits(
    before: &BTreeMap<Id, StockCountLineRow>,
    new: &[StockCountLineRow],
    changed: &[StockCountLineRow],
) -> Result<(), Problem> {
    let written = || new.iter().chain(changed);
    let stay = before.values().filter(|row| !changed.iter().any(|other| other.id == row.id));
    let units: usize = stay.chain(written()).map(|row| units_of(row).len()).sum();
    for (count, unit) in [(before.len() + new.len(), "LINES"), (units, "UNITS")] {
        if count > COUNTED {
            return Err(Problem::limit_exceeded("/lines", COUNTED, unit));
        }
    }
    Ok(())
}
