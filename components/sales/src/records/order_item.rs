//! Lines of sales orders: as they are kept, and as people and API clients see them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, collection};
use stoa_trade::JsonList;
use stoa_trade::clients::units::Unit;
use stoa_trade::quantity::{Amount, Money, Quantity, Tracking, pieces};

use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::order::OrderStatus;
use crate::records::price_figures::{PriceFigures, PriceOrigin};

collection! {
    /// `line_no` null: taken out of the draft. `product_id`: audit entries are found by it. `agreed_price` null: the line follows the list. `chosen_units`: those that a person
    /// chose before the order is confirmed.
    pub record OrderItemRow in "sales_order_item" {
        order_id: Id,
        variant_id: Id,
        product_id: Id,
        line_no: Option<i64>,
        sku: String,
        description: String,
        tracking: Tracking,
        quantity: Quantity,
        price_id: Id,
        list_price: Money,
        agreed_price: Option<Money>,
        agreed_origin: Option<PriceOrigin>,
        reason: Option<String>,
        unit_price: Money,
        line_total: Amount,
        chosen_units: JsonList<Id>,
        billed: Quantity = "0",
    }
    unique { variant: [order_id, variant_id] }
    checks { billed: [billed >= 0, billed <= quantity] }
    counters [billed]
}

impl OrderItemRow {
    /// How many units the line is of: none unless it is serialized.
    pub fn unit_count(&self) -> usize {
        if self.tracking == Tracking::Serialized { pieces(self.quantity).unwrap_or_default() } else { 0 }
    }

    /// Its place among the lines, from 0.
    pub fn place(&self) -> i64 {
        self.line_no.unwrap_or_default()
    }

    /// Where the line stands in the record.
    pub fn pointer(&self) -> String {
        format!("/items/{}", self.place())
    }
}

/// Stock that a line reserves or has used.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Allocation {
    id: Id,
    reservation_id: Id,
    quantity: Quantity,
    /// Id of the movement that delivered it; null before that.
    movement_id: Option<Id>,
}

/// A line as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiSalesOrderItem {
    id: Id,
    variant_id: Id,
    quantity: Quantity,
    tracking_mode: Tracking,
    #[serde(flatten)]
    price: PriceFigures,
    /// None on an untracked line, one for a quantity, one for each unit.
    #[schemars(length(max = stoa_trade::limits::UNITS))]
    allocations: Vec<Allocation>,
}

/// A line as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesOrderItem {
    #[serde(flatten)]
    line: ApiSalesOrderItem,
    #[schemars(range(min = 1, max = stoa_trade::limits::LINES))]
    line_no: i64,
    sku: String,
    /// Name of the product when the line was last priced.
    description: String,
    /// Units that a user chose for a serialized line; present on drafts only.
    chosen_unit_ids: Vec<Id>,
    billed_quantity: Quantity,
    returned_quantity: Quantity,
    /// Number of units of a serialized line.
    unit_count: usize,
    /// All units, released units included.
    units: Vec<SalesOrderUnit>,
}

/// A unit on an order. Members after `outcome` are present only for callers with `inventory.serials.read`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesOrderUnit {
    unit_id: Id,
    outcome: AllocationOutcome,
    #[serde(flatten)]
    known: Option<KnownUnit>,
}

/// What readers of serial numbers see of a unit, as it is now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KnownUnit {
    serial_number: Option<String>,
    imei1: Option<String>,
    imei2: Option<String>,
    status: String,
}

impl KnownUnit {
    pub fn from_unit(unit: &Unit) -> KnownUnit {
        KnownUnit {
            serial_number: unit.serial_number.clone(),
            imei1: unit.imei1.clone(),
            imei2: unit.imei2.clone(),
            status: unit.status.clone(),
        }
    }
}

impl ApiSalesOrderItem {
    pub fn from_row(row: &OrderItemRow, price: PriceFigures, allocations: &[&AllocationRow]) -> ApiSalesOrderItem {
        let show = |row: &&AllocationRow| Allocation {
            id: row.id,
            reservation_id: row.reservation_id,
            quantity: row.quantity,
            movement_id: row.movement_id,
        };
        let live = allocations.iter().filter(|row| row.outcome != AllocationOutcome::Released);
        ApiSalesOrderItem {
            id: row.id,
            variant_id: row.variant_id,
            quantity: row.quantity,
            tracking_mode: row.tracking,
            price,
            allocations: live.map(show).collect(),
        }
    }
}

impl SalesOrderItem {
    /// `known` says what the reader may know of a unit.
    pub fn from_row(
        row: &OrderItemRow,
        price: PriceFigures,
        status: OrderStatus,
        allocations: &[&AllocationRow],
        known: impl Fn(Id) -> Option<KnownUnit>,
    ) -> SalesOrderItem {
        let unit = |allocation: &&AllocationRow| {
            let unit_id = allocation.unit_id?;
            Some(SalesOrderUnit { unit_id, outcome: allocation.outcome, known: known(unit_id) })
        };
        let returned = allocations.iter().map(|row| row.returned.units()).sum();
        SalesOrderItem {
            line: ApiSalesOrderItem::from_row(row, price, allocations),
            line_no: row.place() + 1,
            sku: row.sku.clone(),
            description: row.description.clone(),
            chosen_unit_ids: if status == OrderStatus::Draft { row.chosen_units.0.clone() } else { Vec::new() },
            billed_quantity: row.billed,
            returned_quantity: Quantity::from_units(returned),
            unit_count: row.unit_count(),
            units: allocations.iter().filter_map(unit).collect(),
        }
    }
}
