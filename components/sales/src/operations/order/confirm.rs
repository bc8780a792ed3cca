//! Confirming a sales order: prices are refreshed a last time and fixed, goods are reserved (sales-pos.md 5.4). The books and
//! extensions are asked before goods are locked: no stock is reserved for an order that could never be posted.

use std::collections::BTreeMap;

use stoa_sdk::store::{insert, run, update_from};
use stoa_sdk::{Answer, Call, Id, Item, Problem, item, map, now};
use stoa_trade::Change;
use stoa_trade::clients::units::{self, Unit};
use stoa_trade::quantity::Tracking;
use stoa_trade::refusal::{refuse, unusable};

use crate::operations::order::input::{ChosenUnits, ConfirmSalesOrder};
use crate::records::order::{OrderRow, OrderStatus, SALE_CONFIRMED, emit_sale, receipt};
use crate::records::order_item::OrderItemRow;
use crate::rules::priced_line::PricedLine;
use crate::rules::total::check_expected;
use crate::work::admission::admit;
use crate::work::extension::check_extensions;
use crate::work::order::{require_status, with_sums};
use crate::work::priced_line::{LockedDocument, lock_document};
use crate::work::references::References;
use crate::work::reservation::{ReservedLine, check_choice, reserve_goods};

pub fn confirm(call: &Call) -> Answer {
    // The contract of API clients has no units.
    let body: ConfirmSalesOrder = call.body()?;
    body.check()?;
    let draft = lock_document::<OrderItemRow>(call.path_id("id")?)?;
    let chosen = Choice::read(&body, &draft)?;
    body.expected_version.check(draft.row.version)?;
    require_status(&draft.row, &[OrderStatus::Draft])?;
    chosen.check(&draft.items)?;
    let lines = draft.restate_lines();
    let references = References::read(&draft.name_references(&lines));
    references.check_again(&lines, &draft.customer)?;
    let items = draft.reprice_lines(&lines, &references)?;
    let now = now();
    let after = OrderRow { status: OrderStatus::Confirmed, confirmed_at: Some(now), ..draft.row.clone() };
    let after = with_sums(after, &items, now)?;
    check_expected(body.expected_total, after.total)?;
    let lines: Vec<ReservedLine<'_>> = items.iter().map(|item| chosen.apply(item)).collect();
    check_choice(&lines)?;
    admit(&after, &items)?;
    check_extensions(&after, &items)?;
    let allocations = reserve_goods(&after, &lines)?;
    let change = Change::new(&draft.row, after)?;
    run((change.update(), update_from(&items, OrderItemRow::REDRAWN), insert(&allocations)))?;
    emit_sale(&SALE_CONFIRMED, change.after());
    let changed = ["status", "total", "pricesAsOf", "confirmedAt", "items"];
    Ok(receipt(change.after()).subjects(references.products()).changed(changed))
}

/// The units that the body names in place of the draft's, by line.
struct Choice<'a> {
    lines: BTreeMap<Id, (usize, &'a ChosenUnits)>,
    known: BTreeMap<Id, Unit>,
}

impl<'a> Choice<'a> {
    /// Refuses with NOT_FOUND lines that are not the order's and units that there are not.
    fn read(body: &'a ConfirmSalesOrder, draft: &LockedDocument<OrderItemRow>) -> Result<Choice<'a>, Problem> {
        let known = units::get_by_id(body.units.iter().flat_map(|chosen| chosen.unit_ids.iter().copied()));
        let mut missing: Vec<Item> = Vec::new();
        for (index, chosen) in body.units.iter().enumerate() {
            if !draft.items.iter().any(|item| item.id == chosen.item_id) {
                missing.push(item(format!("/units/{index}/itemId"), "NOT_FOUND"));
            }
            let unknown = chosen.unit_ids.iter().enumerate().filter(|(_, unit)| !known.contains_key(unit));
            missing.extend(unknown.map(|(nth, _)| item(format!("/units/{index}/unitIds/{nth}"), "NOT_FOUND")));
        }
        refuse("NOT_FOUND", missing)?;
        let lines = body.units.iter().enumerate().map(|(index, chosen)| (chosen.item_id, (index, chosen)));
        Ok(Choice { lines: map(lines), known })
    }

    /// Refuses with REFERENCE_INVALID a unit of another variant than its line's.
    fn check(&self, items: &[OrderItemRow]) -> Result<(), Problem> {
        for line in items.iter().filter(|line| line.tracking == Tracking::Serialized) {
            let Some((index, chosen)) = self.lines.get(&line.id) else { continue };
            let is_other =
                |unit: &Id| self.known.get(unit).is_none_or(|unit| Id::from(unit.variant_id) != line.variant_id);
            if let Some(nth) = chosen.unit_ids.iter().position(is_other) {
                return Err(unusable(format!("/units/{index}/unitIds/{nth}"), "OTHER_VARIANT"));
            }
        }
        Ok(())
    }

    /// The line with the units that are intended.
    fn apply<'i>(&'i self, item: &'i OrderItemRow) -> ReservedLine<'i> {
        let line = ReservedLine::from_row(item);
        match self.lines.get(&item.id) {
            Some((index, chosen)) => {
                ReservedLine { units: &chosen.unit_ids, units_pointer: format!("/units/{index}/unitIds"), ..line }
            }
            None => line,
        }
    }
}
