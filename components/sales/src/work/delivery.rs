//! Delivery: everything that an order holds leaves, revenue and cost are posted in one entry (sales-pos.md 5.4 and 15.2, P9 of
//! finance-ledger.md A6).

use std::collections::BTreeMap;

use stoa_sdk::host::fault;
use stoa_sdk::store::{Update, update_all};
use stoa_sdk::{Id, Problem, map, new_id, today};
use stoa_trade::clients::books::{self, Leg, Side};
use stoa_trade::clients::stock::{self, Delivered, DeliveryLine};
use stoa_trade::dates::Month;
use stoa_trade::new_row;
use stoa_trade::posting::{EntrySource, new_role_leg, post_today};
use stoa_trade::quantity::{Amount, Quantity, Tracking, sum};

use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::delivery::{DeliveryKind, DeliveryLineRow, SignedQuantity};
use crate::records::order::{OrderRow, SALES_ORDER};
use crate::records::order_item::OrderItemRow;
use crate::work::reservation::{document, group_by_item};

/// The purpose of the entry of a delivery.
pub const DELIVERY: &str = "DELIVERY";

/// Rows of a delivery, and what its goods cost.
pub struct Delivery {
    /// As they are after it.
    pub allocations: Vec<AllocationRow>,
    /// One for each line of the order.
    pub lines: Vec<DeliveryLineRow>,
    cost: Amount,
}

/// Cost of goods, as far as it is known in a currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KnownCost {
    pub amount: Option<Amount>,
    pub uncosted: Quantity,
}

impl KnownCost {
    /// Adds goods with what inventory says of their cost.
    pub fn add(self, quantity: Quantity, cost: Option<Amount>) -> Result<KnownCost, Problem> {
        Ok(match cost {
            Some(cost) => KnownCost { amount: Some(sum(self.amount.into_iter().chain([cost]))?), ..self },
            None => KnownCost { uncosted: sum([self.uncosted, quantity])?, ..self },
        })
    }
}

/// The cost that inventory answers, where it is in this currency.
pub fn cost_in(currency: &str, cost: Option<&str>, cost_currency: Option<&str>) -> Option<Amount> {
    let cost = cost.filter(|_| cost_currency == Some(currency))?;
    Some(cost.parse().unwrap_or_else(|_| fault("a cost is no decimal")))
}

/// Takes the goods of all these allocations out of stock, under the lock of the books.
pub fn deliver_goods(
    order: &OrderRow,
    items: &[OrderItemRow],
    allocations: &[AllocationRow],
) -> Result<Delivery, Problem> {
    if !order.total.is_zero() || !allocations.is_empty() {
        // Before any goods are locked: a request that begins books locks them first, and goods then.
        books::admit(order.legal_entity_id)?;
    }
    let wire: Vec<DeliveryLine> = allocations
        .iter()
        .map(|row| DeliveryLine { reservation_id: row.reservation_id.into(), sale_allocation_id: row.id.into() })
        .collect();
    let delivered = if wire.is_empty() { Vec::new() } else { stock::service::deliver(&document(order), &wire)? };
    let delivered: BTreeMap<Id, Delivered> =
        map(delivered.into_iter().map(|line| (Id::from(line.reservation_id), line)));
    let after = |row: &AllocationRow| AllocationRow {
        outcome: AllocationOutcome::Delivered,
        live_slot: None,
        movement_id: delivered.get(&row.reservation_id).map(|line| line.movement_id.into()),
        ..row.clone()
    };
    let allocations: Vec<AllocationRow> = allocations.iter().map(after).collect();
    let by_item = group_by_item(&allocations);
    let mut lines = Vec::new();
    let mut costs = Vec::new();
    for item in items {
        let mut cost = KnownCost::default();
        for row in by_item.get(&item.id).into_iter().flatten() {
            let reported = delivered.get(&row.reservation_id);
            let reported_cost = reported
                .and_then(|line| cost_in(&order.currency_code, line.cost.as_deref(), line.currency_code.as_deref()));
            cost = cost.add(row.quantity, reported_cost)?;
        }
        if item.tracking == Tracking::None {
            // Goods that are not tracked have no cost to know.
            cost.amount = Some(Amount::ZERO);
        }
        costs.extend(cost.amount);
        lines.push(DeliveryLineRow {
            revenue: item.line_total,
            document_count: i64::from(item.place() == 0),
            ..new_delivery_line(order, item.id, item.variant_id, item.quantity, cost)
        });
    }
    Ok(Delivery { allocations, lines, cost: sum(costs)? })
}

impl Delivery {
    /// Writes the allocations as they are after the delivery.
    pub fn update_allocations(&self) -> Update<AllocationRow> {
        update_all::<AllocationRow>(self.allocations.iter().map(|row| row.id))
            .set_each(AllocationRow::movement_id, self.allocations.iter().map(|row| row.movement_id))
            .set(AllocationRow::outcome, &AllocationOutcome::Delivered)
            .set(AllocationRow::live_slot, &None)
    }

    /// P9, after all else: what is delivered and neither billed nor collected, against revenue; cost of sales against
    /// goods.
    pub fn post(&self, order: &OrderRow) -> Result<(), Problem> {
        let leg = |role, side, amount| new_role_leg(role, side, amount, order.branch_id);
        let of_total = |leg: Leg| Leg { pointer: Some("/total".to_owned()), ..leg };
        let legs = vec![
            of_total(leg("SALES_CLEARING", Side::Debit, order.total)),
            of_total(leg("REVENUE", Side::Credit, order.total)),
            leg("COST_OF_GOODS_SOLD", Side::Debit, self.cost),
            leg("INVENTORY", Side::Credit, self.cost),
        ];
        let source = EntrySource { kind: SALES_ORDER, id: order.id, purpose: DELIVERY };
        let text = format!("{SALES_ORDER} {}", order.number);
        post_today(order.legal_entity_id, (&order.currency_code, None), source, &text, legs)
    }
}

/// A row of the ledger for goods of an order's line, dated today: a delivery without revenue.
pub fn new_delivery_line(
    order: &OrderRow,
    item: Id,
    variant: Id,
    quantity: Quantity,
    cost: KnownCost,
) -> DeliveryLineRow {
    let today = today();
    new_row!(DeliveryLineRow {
        id: new_id(),
        kind: DeliveryKind::Delivery,
        order_id: order.id,
        item_id: item,
        source_id: item,
        legal_entity_id: order.legal_entity_id,
        branch_id: order.branch_id,
        warehouse_id: order.warehouse_id,
        customer_id: order.customer_id,
        variant_id: variant,
        currency_code: order.currency_code.clone(),
        on_date: today,
        month: Month::from_day(today),
        quantity: SignedQuantity::from_units(quantity.units()),
        revenue: Amount::ZERO,
        cost: cost.amount,
        uncosted_quantity: SignedQuantity::from_units(cost.uncosted.units()),
        document_count: 0,
    })
}
