//! Lines of goods receipts: as they are kept, what changes of them later, and as they are shown.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, collection};
use stoa_trade::quantity::{self, Amount, Money, Quantity, Tracking};

collection! {
    pub ledger ReceiptItemRow in "receipt_item" {
        receipt_id: Id,
        order_item_id: Id,
        variant_id: Id,
        tracking: Tracking,
        quantity: Quantity,
        unit_cost: Money,
        line_total: Amount,
    }
    unique { item: [receipt_id, order_item_id] }
    index { [variant_id, id], [order_item_id] }
}

collection! {
    /// Billed quantity of a receipt's line, and the charges that were allocated to it. The quantity is the line's own.
    pub projection ReceiptBalanceRow in "receipt_balance" {
        receipt_item_id: Id,
        quantity: Quantity,
        billed: Quantity = "0",
        charge_amount: Money = "0",
    }
    unique { item: [receipt_item_id] }
    checks { billed: [billed >= 0, billed <= quantity], charge_amount: [charge_amount >= 0] }
    counters [billed, charge_amount]
}

/// A line as returned to API clients: with the number of units, without their serial numbers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicGoodsReceiptItem")]
pub struct ApiGoodsReceiptItem {
    id: Id,
    order_item_id: Id,
    variant_id: Id,
    tracking_mode: Tracking,
    quantity: Quantity,
    unit_cost: Money,
    line_total: Amount,
    /// Serialized units received with the line.
    #[schemars(range(min = 0))]
    unit_count: i64,
}

impl ApiGoodsReceiptItem {
    pub fn from_row(row: &ReceiptItemRow) -> ApiGoodsReceiptItem {
        let units = if row.tracking == Tracking::Serialized { quantity::pieces(row.quantity) } else { None };
        ApiGoodsReceiptItem {
            id: row.id,
            order_item_id: row.order_item_id,
            variant_id: row.variant_id,
            tracking_mode: row.tracking,
            quantity: row.quantity,
            unit_cost: row.unit_cost,
            line_total: row.line_total,
            unit_count: i64::try_from(units.unwrap_or_default()).unwrap_or(i64::MAX),
        }
    }
}

/// A line as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoodsReceiptItem {
    #[serde(flatten)]
    public: ApiGoodsReceiptItem,
    billed_quantity: Quantity,
    /// Import charges in the cost of the line; present only for callers who may read costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    charge_amount: Option<Money>,
    /// Present only for callers with `inventory.serials.read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<Vec<GoodsReceiptUnit>>,
}

impl GoodsReceiptItem {
    /// `units`: none where the reader may not see them.
    pub fn from_row(
        row: &ReceiptItemRow,
        balance: Option<&ReceiptBalanceRow>,
        with_costs: bool,
        units: Option<Vec<GoodsReceiptUnit>>,
    ) -> GoodsReceiptItem {
        let charges = balance.map_or(Money::ZERO, |balance| balance.charge_amount);
        GoodsReceiptItem {
            public: ApiGoodsReceiptItem::from_row(row),
            billed_quantity: balance.map_or(Quantity::ZERO, |balance| balance.billed),
            charge_amount: with_costs.then_some(charges),
            units,
        }
    }
}

/// A received unit with its current state.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoodsReceiptUnit {
    pub unit_id: Id,
    pub serial_number: Option<String>,
    pub imei1: Option<String>,
    pub imei2: Option<String>,
    /// AVAILABLE, RESERVED, SOLD, IN_TRANSIT, DAMAGED, RETURNED, RMA, LOST, QUARANTINED.
    pub status: String,
}
