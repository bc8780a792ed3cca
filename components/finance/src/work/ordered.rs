//! Orders as invoices bill them, read in one call of the module that has them: lines, what was received of them, and which units.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::host::fault;
use stoa_sdk::{Id, Problem, map, set};
use stoa_trade::clients::purchases;
use stoa_trade::clients::sales::{self, Outcome, Status};
use stoa_trade::quantity::{Money, Quantity, Tracking};

use crate::records::side::Side;

/// A line of an order of either side.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderedLine {
    pub id: Id,
    pub order: Id,
    pub party: Id,
    pub entity: Id,
    pub currency_code: String,
    /// True if its order may be billed.
    pub is_billable: bool,
    pub variant: Id,
    pub tracking: Tracking,
    /// As much as may be billed: for a cancelled purchase the received quantity.
    pub quantity: Quantity,
    pub billed: Quantity,
    /// Price or cost of one.
    pub unit_amount: Money,
}

/// A line of a goods receipt.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedLine {
    pub id: Id,
    pub order_item: Id,
    pub quantity: Quantity,
    pub billed: Quantity,
    pub units: Vec<Id>,
}

/// A unit as a sales order states it.
#[derive(Debug, Clone, PartialEq)]
pub struct SoldUnit {
    pub unit: Id,
    /// By which its claim goes.
    pub allocation: Id,
    pub outcome: Outcome,
}

/// Orders with what invoices need of them.
#[derive(Debug, Default)]
pub struct Orders {
    pub lines: BTreeMap<Id, OrderedLine>,
    pub received: BTreeMap<Id, ReceivedLine>,
    /// Units of lines of sales orders, those that were released apart.
    pub units: BTreeMap<Id, Vec<SoldUnit>>,
    /// Sales orders that are delivered, those that can be, and whether the register collected them.
    pub states: BTreeMap<Id, OrderState>,
}

/// How far an order has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderState {
    pub is_delivered: bool,
    pub can_be_delivered: bool,
    pub is_collected: bool,
    pub version: i64,
}

/// A decimal that another module answers.
pub fn parse<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| fault("another module answered what is no decimal"))
}

/// The orders of these lines and lines of receipts; unknown ones are absent.
///
/// # Errors
/// LIMIT_EXCEEDED above 100 sales orders.
pub fn read_orders(side: Side, items: &BTreeSet<Id>, receipt_items: &BTreeSet<Id>) -> Result<Orders, Problem> {
    ask(side, items, receipt_items, false)
}

/// As [`read_orders`], held until the transaction ends.
///
/// # Errors
/// LIMIT_EXCEEDED above 100 sales orders.
pub fn lock_orders(side: Side, items: &BTreeSet<Id>, receipt_items: &BTreeSet<Id>) -> Result<Orders, Problem> {
    ask(side, items, receipt_items, true)
}

fn ask(side: Side, items: &BTreeSet<Id>, receipt_items: &BTreeSet<Id>, lock: bool) -> Result<Orders, Problem> {
    let ids = |ids: &BTreeSet<Id>| ids.iter().copied().collect::<Vec<Id>>();
    match side {
        Side::Sales if lock => Ok(of_sales(&sales::lock_orders(&[], &ids(items))?)),
        Side::Sales => Ok(of_sales(&sales::read_orders(&[], &ids(items))?)),
        Side::Purchases => {
            let received = purchases::read_receipt_items(&ids(receipt_items));
            let of_receipts = received.iter().map(|line| Id::from(line.order_item_id));
            let items = ids(&set(items.iter().copied().chain(of_receipts)));
            let orders = if lock { purchases::lock_orders_of(&items) } else { purchases::read_orders_of(&items) };
            Ok(of_purchases(&orders, &received))
        }
    }
}

/// All lines of these sales orders.
pub fn of_sales(orders: &[sales::Order]) -> Orders {
    let mut ordered = Orders::default();
    for order in orders {
        let state = OrderState {
            is_delivered: order.status == Status::Completed,
            can_be_delivered: order.status == Status::Confirmed,
            is_collected: order.receipt_id.is_some(),
            version: order.version,
        };
        ordered.states.insert(order.id.into(), state);
        for item in &order.items {
            let line = OrderedLine {
                id: item.id.into(),
                order: order.id.into(),
                party: order.customer_id.into(),
                entity: order.legal_entity_id.into(),
                currency_code: order.currency_code.clone(),
                is_billable: matches!(order.status, Status::Confirmed | Status::Completed),
                variant: item.variant_id.into(),
                tracking: match item.tracking {
                    sales::Tracking::None => Tracking::None,
                    sales::Tracking::Quantity => Tracking::Quantity,
                    sales::Tracking::Serialized => Tracking::Serialized,
                },
                quantity: parse(&item.quantity),
                billed: parse(&item.billed),
                unit_amount: parse(&item.unit_price),
            };
            let live = item.units.iter().filter(|unit| unit.outcome != Outcome::Released);
            let unit = |unit: &sales::Unit| SoldUnit {
                unit: unit.unit_id.into(),
                allocation: unit.allocation_id.into(),
                outcome: unit.outcome,
            };
            ordered.units.insert(line.id, live.map(unit).collect());
            ordered.lines.insert(line.id, line);
        }
    }
    ordered
}

/// These lines of purchase orders, with these lines of their receipts.
pub fn of_purchases(orders: &[purchases::Order], received: &[purchases::ReceiptItem]) -> Orders {
    let mut ordered = Orders::default();
    for order in orders {
        let state = OrderState {
            is_delivered: false,
            can_be_delivered: matches!(order.status.as_str(), "APPROVED" | "PARTIALLY_RECEIVED"),
            is_collected: false,
            version: order.version,
        };
        ordered.states.insert(order.id.into(), state);
        for item in &order.items {
            let line = OrderedLine {
                id: item.id.into(),
                order: order.id.into(),
                party: order.supplier_id.into(),
                entity: order.legal_entity_id.into(),
                currency_code: order.currency_code.clone(),
                is_billable: order.status != "DRAFT",
                variant: item.variant_id.into(),
                tracking: read_tracking(item.tracking),
                quantity: parse(if order.status == "CANCELLED" { &item.received } else { &item.quantity }),
                billed: parse(&item.billed),
                unit_amount: parse(&item.unit_cost),
            };
            ordered.lines.insert(line.id, line);
        }
    }
    ordered.received = map(received.iter().map(|line| (Id::from(line.id), read_received_line(line))));
    ordered
}

/// A line of a receipt as it is kept here.
pub fn read_received_line(line: &purchases::ReceiptItem) -> ReceivedLine {
    ReceivedLine {
        id: line.id.into(),
        order_item: line.order_item_id.into(),
        quantity: parse(&line.quantity),
        billed: parse(&line.billed),
        units: line.unit_ids.iter().copied().map(Id::from).collect(),
    }
}

/// How a purchased variant is counted.
pub fn read_tracking(tracking: purchases::Tracking) -> Tracking {
    match tracking {
        purchases::Tracking::None => Tracking::None,
        purchases::Tracking::Quantity => Tracking::Quantity,
        purchases::Tracking::Serialized => Tracking::Serialized,
    }
}
