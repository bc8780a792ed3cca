//! Lines of goods receipts: as they are kept, what changes of them later, and as they are shown.

use stoa_sdk::{Id, collection};
use stoa_trade::clients::units::Unit;
use stoa_trade::quantity::{self, Amount, Money, Quantity, Tracking};
use stoa_trade::resource;

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

impl ReceiptItemRow {
    /// Serialized units that came with the line.
    fn unit_count(&self) -> i64 {
        let units = if self.tracking == Tracking::Serialized { quantity::pieces(self.quantity) } else { None };
        i64::try_from(units.unwrap_or_default()).unwrap_or(i64::MAX)
    }
}

resource! {
    /// A line as returned to API clients: with the number of units, without their serial numbers.
    #[schemars(rename = "PublicGoodsReceiptItem")]
    pub struct ApiGoodsReceiptItem of row: ReceiptItemRow {
        id: Id,
        order_item_id: Id,
        variant_id: Id,
        tracking_mode: Tracking = row.tracking,
        quantity: Quantity,
        unit_cost: Money,
        line_total: Amount,
        /// Serialized units received with the line.
        #[schemars(range(min = 0))]
        unit_count: i64 = row.unit_count(),
    }
}

resource! {
    /// A line as returned to users.
    pub struct GoodsReceiptItem of row: ReceiptItemRow, balance: Option<&ReceiptBalanceRow>, with_costs: bool,
        units: Option<Vec<GoodsReceiptUnit>>
    {
        #[serde(flatten)]
        public: ApiGoodsReceiptItem = ApiGoodsReceiptItem::from_row(row),
        billed_quantity: Quantity = balance.map_or(Quantity::ZERO, |balance| balance.billed),
        /// Import charges in the cost of the line; present only for callers who may read costs.
        #[serde(skip_serializing_if = "Option::is_none")]
        charge_amount: Option<Money> =
            with_costs.then(|| balance.map_or(Money::ZERO, |balance| balance.charge_amount)),
        /// Present only for callers with `inventory.serials.read`.
        #[serde(skip_serializing_if = "Option::is_none")]
        units: Option<Vec<GoodsReceiptUnit>> = units,
    }
}

resource! {
    /// A received unit with its current state.
    pub struct GoodsReceiptUnit of unit: Unit {
        unit_id: Id = unit.id.into(),
        serial_number: Option<String>,
        imei1: Option<String>,
        imei2: Option<String>,
        /// AVAILABLE, RESERVED, SOLD, IN_TRANSIT, DAMAGED, RETURNED, RMA, LOST, QUARANTINED.
        status: String,
    }
}
