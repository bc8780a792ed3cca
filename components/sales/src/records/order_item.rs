//! Lines of sales orders: as they are kept, and as people and API clients see them.

use stoa_sdk::{Id, collection};
use stoa_trade::clients::units::Unit;
use stoa_trade::goods::PriceAdjustment;
use stoa_trade::quantity::{Amount, Money, Quantity, Tracking, pieces};
use stoa_trade::{JsonList, resource};

use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::order::OrderStatus;
use crate::records::price_figures::{PriceFigures, PriceOrigin};

collection! {
    /// `line_no` null: taken out of the draft. `product_id`: audit entries are found by it. `agreed_price` null: the
    /// line follows the list, which extensions may adjust: `adjusted_price`. `chosen_units`: those that a person chose
    /// before the order is confirmed.
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
        adjusted_price: Option<Money>,
        adjustments: Option<JsonList<PriceAdjustment>>,
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

    /// The position of the line in the record.
    pub fn pointer(&self) -> String {
        format!("/items/{}", self.place())
    }
}

resource! {
    /// Stock that a line reserves or has used.
    pub struct Allocation of row: AllocationRow {
        id: Id,
        reservation_id: Id,
        quantity: Quantity,
        /// Id of the movement that delivered it; null before that.
        movement_id: Option<Id>,
    }
}

resource! {
    /// A line as returned to API clients.
    pub struct ApiSalesOrderItem of row: OrderItemRow, price: PriceFigures, allocations: &[&AllocationRow] {
        id: Id,
        variant_id: Id,
        quantity: Quantity,
        tracking_mode: Tracking = row.tracking,
        #[serde(flatten)]
        price: PriceFigures = price,
        /// Empty for an untracked line. One entry for a quantity, or one for each unit of a serialized line.
        #[schemars(length(max = stoa_trade::limits::UNITS))]
        allocations: Vec<Allocation> =
            allocations.iter().filter(|held| held.is_live()).map(|held| Allocation::from_row(held)).collect(),
    }
}

resource! {
    /// A line of an order in a receipt.
    pub struct SalesOrderItemWrite of row: OrderItemRow {
        id: Id,
        variant_id: Id,
    }
}

resource! {
    /// A line as returned to users.
    pub struct SalesOrderItem of row: OrderItemRow, price: PriceFigures, status: OrderStatus,
        allocations: &[&AllocationRow], known: impl Fn(Id) -> Option<KnownUnit>
    {
        #[serde(flatten)]
        line: ApiSalesOrderItem = ApiSalesOrderItem::from_row(row, price, allocations),
        #[schemars(range(min = 1, max = stoa_trade::limits::LINES))]
        line_no: i64 = row.place() + 1,
        sku: String,
        /// Name of the product when the line was last priced.
        description: String,
        /// Units that a user chose for a serialized line; present on drafts only.
        chosen_unit_ids: Vec<Id> =
            if status == OrderStatus::Draft { row.chosen_units.0.clone() } else { Vec::new() },
        billed_quantity: Quantity = row.billed,
        returned_quantity: Quantity = Quantity::from_units(allocations.iter().map(|held| held.returned.units()).sum()),
        /// Number of units of a serialized line.
        unit_count: usize = row.unit_count(),
        /// All units, released units included.
        units: Vec<SalesOrderUnit> = allocations
            .iter()
            .filter_map(|held| Some(SalesOrderUnit::from_row(held, held.unit_id?, known(held.unit_id?))))
            .collect(),
    }
}

resource! {
    /// A unit on an order. Members after `outcome` are present only for callers with `inventory.serials.read`.
    pub struct SalesOrderUnit of row: AllocationRow, unit_id: Id, known: Option<KnownUnit> {
        unit_id: Id = unit_id,
        outcome: AllocationOutcome,
        #[serde(flatten)]
        known: Option<KnownUnit> = known,
    }
}

resource! {
    /// A unit as readers of serial numbers see it now.
    pub struct KnownUnit of unit: Unit {
        serial_number: Option<String>,
        imei1: Option<String>,
        imei2: Option<String>,
        status: String,
    }
}
