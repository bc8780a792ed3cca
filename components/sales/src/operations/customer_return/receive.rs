//! Receiving a customer return: goods come back at what they cost when they left, and the entry of the delivery's cost
//! is undone by as much (P32 of finance-ledger.md A6). The order is locked first; its version and status stay.

use std::collections::BTreeMap;

use stoa_sdk::store::{get, run, select, update_all};
use stoa_sdk::{Answer, Bound, Bounds, Call, Decimal, Id, Item, Problem, all, item, now, set};
use stoa_trade::clients::books::{self, Side};
use stoa_trade::clients::stock::{self, CustomerReturn, Disposition, Returned};
use stoa_trade::clients::warehouses;
use stoa_trade::document::version::Transition;
use stoa_trade::posting::{EntrySource, new_role_leg, post_today};
use stoa_trade::quantity::{Amount, Quantity, Tracking, pieces, sum};
use stoa_trade::refusal::refuse;
use stoa_trade::{Change, JsonList};

use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::customer_return::{
    CUSTOMER_RETURN, ReturnDisposition, ReturnStatus, SalesReturnItemRow, SalesReturnRow, receipt,
};
use crate::records::delivery::{DeliveryKind, DeliveryLineRow};
use crate::records::order::OrderRow;
use crate::work::delivery::{KnownCost, cost_in, new_delivery_line};
use crate::work::month_totals::write_deliveries;
use crate::work::references::unit_count_fault;

/// The purpose of the entry of a return.
const RECEIPT: &str = "RECEIPT";

pub fn receive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: Transition = call.body()?;
    let coming = lock_return(id)?;
    coming.row.require_draft(body.expected_version)?;
    let parts = coming.divide()?;
    check_warehouse(coming.row.warehouse_id)?;
    // Before any goods are locked, as for a delivery.
    books::admit(coming.row.legal_entity_id)?;
    let returned = take_back(&coming, &parts)?;
    let (lines, cost) = coming.count_costs(&parts, &returned)?;

    let after = SalesReturnRow { status: ReturnStatus::Received, received_at: Some(now()), ..coming.row.clone() };
    let change = Change::new(&coming.row, after)?;
    let back = update_all::<AllocationRow>(parts.iter().map(|part| part.allocation.id))
        .add_each(AllocationRow::returned, parts.iter().map(|part| part.quantity));
    // Those that came without being named.
    let came = coming.items.iter().map(|item| {
        let of_item = parts.iter().filter(|part| part.item.id == item.id);
        of_item.filter_map(|part| part.allocation.unit_id).collect::<JsonList<Id>>()
    });
    let units = update_all::<SalesReturnItemRow>(coming.items.iter().map(|item| item.id))
        .set_each(SalesReturnItemRow::units, came);
    write_deliveries(coming.row.legal_entity_id, (change.update(), back, units), &lines)?;
    coming.post(cost)?;
    let products = set(coming.items.iter().map(|item| item.product_id));
    Ok(receipt(change.after()).subjects(products).changed(change.members()))
}

/// A return under its lock and its order's, with all that is needed to receive it.
struct LockedReturn {
    row: SalesReturnRow,
    /// In their order.
    items: Vec<SalesReturnItemRow>,
    order: OrderRow,
    /// DELIVERED ones of the order, the oldest first.
    delivered: Vec<AllocationRow>,
}

/// A part of an allocation that comes back on a line.
struct ReturnPart<'a> {
    item: &'a SalesReturnItemRow,
    allocation: &'a AllocationRow,
    quantity: Quantity,
    /// Where refusals of this part point.
    pointer: String,
}

fn lock_return(id: Id) -> Result<LockedReturn, Problem> {
    let row: SalesReturnRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let order = row.order_id;
    // The order first: a request that holds a return does not wait for its order.
    let delivered = all([AllocationRow::order_id.eq(order), AllocationRow::outcome.eq(AllocationOutcome::Delivered)]);
    let (order, row, mut items, delivered) = run((
        get::<OrderRow>(order).locked(),
        get::<SalesReturnRow>(id).locked(),
        select::<SalesReturnItemRow>(SalesReturnItemRow::live_of(id)).whole(),
        select::<AllocationRow>(delivered).whole(),
    ))?;
    let (order, row) = order.zip(row).ok_or_else(Problem::not_found)?;
    items.sort_by_key(|item| item.line_no);
    Ok(LockedReturn { row, items, order, delivered })
}

fn negate<const SCALE: u32, const DIGITS: u8>(number: Decimal<SCALE, DIGITS>) -> Decimal<SCALE, DIGITS> {
    Decimal::from_units(-number.units())
}

/// At most so much of the line may come back.
fn beyond_delivered(line: &str, most: impl Into<Bound>) -> Item {
    item(format!("{line}/quantity"), "BEYOND_DELIVERED").with_bounds(Bounds::maximum(most))
}

impl LockedReturn {
    /// Which allocations the lines come back to: quantities to the oldest first, units each to its own.
    ///
    /// # Errors
    /// UNIT_COUNT_MISMATCH, UNIT_UNAVAILABLE, LIMIT_EXCEEDED with BEYOND_DELIVERED.
    fn divide(&self) -> Result<Vec<ReturnPart<'_>>, Problem> {
        let mut left: BTreeMap<Id, Quantity> =
            stoa_sdk::map(self.delivered.iter().map(|row| (row.id, row.left_to_return())));
        let mut parts = Vec::new();
        let (mut beyond, mut unavailable, mut miscounted): (Vec<Item>, Vec<Item>, Vec<Item>) = Default::default();
        for (nth, line) in self.items.iter().enumerate() {
            let pointer = format!("/items/{nth}");
            let of_item = || self.delivered.iter().filter(|row| row.item_id == line.item_id);
            if line.tracking == Tracking::Serialized {
                let open: Vec<&AllocationRow> =
                    of_item().filter(|row| left.get(&row.id).is_some_and(|left| !left.is_zero())).collect();
                let required = pieces(line.quantity).unwrap_or_default();
                // Keys name no units: then the line takes all that there is.
                let takes_all = line.units.0.is_empty() && open.len() == required;
                if !takes_all && line.units.0.len() != required {
                    match line.units.0.is_empty() && required > open.len() {
                        true => beyond.push(beyond_delivered(&pointer, open.len())),
                        false => miscounted.push(unit_count_fault(pointer.clone(), required, line.units.0.len())),
                    }
                    continue;
                }
                let chosen: Vec<Option<&AllocationRow>> = match takes_all {
                    true => open.into_iter().map(Some).collect(),
                    false => {
                        let allocation_of = |unit: &Id| open.iter().find(|row| row.unit_id == Some(*unit)).copied();
                        line.units.0.iter().map(allocation_of).collect()
                    }
                };
                for (index, chosen) in chosen.into_iter().enumerate() {
                    let pointer = format!("{pointer}/unitIds/{index}");
                    let Some(allocation) = chosen else {
                        unavailable.push(item(pointer, "UNIT_UNAVAILABLE"));
                        continue;
                    };
                    left.insert(allocation.id, Quantity::ZERO);
                    parts.push(ReturnPart { item: line, allocation, quantity: allocation.quantity, pointer });
                }
                continue;
            }
            let mut rest = line.quantity;
            for allocation in of_item() {
                let open = left.get(&allocation.id).copied().unwrap_or_default();
                let quantity = rest.min(open);
                if quantity.is_zero() {
                    continue;
                }
                rest = rest.checked_sub(quantity).unwrap_or_default();
                left.insert(allocation.id, open.checked_sub(quantity).unwrap_or_default());
                parts.push(ReturnPart { item: line, allocation, quantity, pointer: pointer.clone() });
            }
            if !rest.is_zero() {
                beyond.push(beyond_delivered(&pointer, line.quantity.checked_sub(rest).unwrap_or_default()));
            }
        }
        refuse("UNIT_COUNT_MISMATCH", miscounted)?;
        refuse("UNIT_UNAVAILABLE", unavailable)?;
        refuse("LIMIT_EXCEEDED", beyond)?;
        Ok(parts)
    }

    /// A row of the ledger for each line, and what of the cost is posted.
    fn count_costs(
        &self,
        parts: &[ReturnPart<'_>],
        returned: &[Returned],
    ) -> Result<(Vec<DeliveryLineRow>, Amount), Problem> {
        let (mut lines, mut costs) = (Vec::new(), Vec::new());
        for line in &self.items {
            let mut cost = KnownCost::default();
            for (part, back) in parts.iter().zip(returned).filter(|(part, _)| part.item.id == line.id) {
                let is_worthless = part.item.disposition == ReturnDisposition::Damaged;
                let reported = cost_in(&self.order.currency_code, back.cost.as_deref(), back.currency_code.as_deref());
                // The cost of goods that come back damaged stays with the sale.
                let reported = if is_worthless { Some(Amount::ZERO) } else { reported };
                cost = cost.add(part.quantity, reported)?;
            }
            costs.extend(cost.amount);
            lines.push(self.delivery_line(line, cost));
        }
        Ok((lines, sum(costs)?))
    }

    /// A row of the ledger for goods that come back: quantity and cost are below zero.
    fn delivery_line(&self, line: &SalesReturnItemRow, cost: KnownCost) -> DeliveryLineRow {
        let came = new_delivery_line(&self.order, line.item_id, line.variant_id, line.quantity, cost);
        DeliveryLineRow {
            kind: DeliveryKind::Return,
            source_id: line.id,
            warehouse_id: self.row.warehouse_id,
            quantity: negate(came.quantity),
            cost: came.cost.map(negate),
            uncosted_quantity: negate(came.uncosted_quantity),
            ..came
        }
    }

    /// P32: goods against cost of sales.
    fn post(&self, cost: Amount) -> Result<(), Problem> {
        let order = &self.order;
        let legs = vec![
            new_role_leg("INVENTORY", Side::Debit, cost, order.branch_id),
            new_role_leg("COST_OF_GOODS_SOLD", Side::Credit, cost, order.branch_id),
        ];
        let source = EntrySource { kind: CUSTOMER_RETURN, id: self.row.id, purpose: RECEIPT };
        let text = format!("{CUSTOMER_RETURN} {}", order.number);
        post_today(order.legal_entity_id, (&order.currency_code, None), source, &text, legs)
    }
}

/// Refuses with ARCHIVED a warehouse that was archived since the return was drafted.
fn check_warehouse(id: Id) -> Result<(), Problem> {
    let is_open = warehouses::get([id]).get(&id).is_some_and(|warehouse| warehouse.active);
    if is_open { Ok(()) } else { Err(Problem::at("ARCHIVED", "/warehouseId")) }
}

fn take_back(coming: &LockedReturn, parts: &[ReturnPart<'_>]) -> Result<Vec<Returned>, Problem> {
    let to = CustomerReturn {
        id: coming.row.id.into(),
        order_id: coming.order.id.into(),
        warehouse_id: coming.row.warehouse_id.into(),
        location_id: coming.row.location_id.map(Into::into),
        reason: coming.row.reason.clone(),
    };
    let to_wire = |part: &ReturnPart<'_>| stock::ReturnLine {
        // Every delivered allocation has its movement.
        movement_id: part.allocation.movement_id.unwrap_or(part.allocation.id).into(),
        sale_allocation_id: part.allocation.id.into(),
        unit_id: part.allocation.unit_id.map(Into::into),
        quantity: part.quantity.to_string(),
        disposition: match part.item.disposition {
            ReturnDisposition::Restock => Disposition::Restock,
            ReturnDisposition::Inspect => Disposition::Inspect,
            ReturnDisposition::Damaged => Disposition::Damaged,
        },
    };
    let wire: Vec<stock::ReturnLine> = parts.iter().map(to_wire).collect();
    let returned = stock::service::return_from_customer(&to, &wire);
    returned.map_err(|refusal| {
        let units = |nth: usize| format!("/lines/{nth}/unitId");
        let places: Vec<&str> = parts.iter().map(|part| part.pointer.as_str()).collect();
        let at_units = parts.iter().enumerate().filter(|(_, part)| part.allocation.unit_id.is_some());
        let refusal = at_units.fold(refusal, |refusal, (nth, part)| refusal.moved(&units(nth), &part.pointer));
        refusal.moved_each("/lines", &places).moved("/locationId", "/warehouseLocationId")
    })
}
