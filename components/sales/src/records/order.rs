//! Sales orders: as they are kept, and as people, API clients and events see them (sales-pos.md 5).

use stoa_sdk::descriptor::schemas::never_null;
use stoa_sdk::{Date, EventData, EventKind, Id, Instant, Reply, collection, emit, event_kinds, text_enum};
use stoa_trade::places::SalesOrderExtensions;
use stoa_trade::quantity::Amount;
use stoa_trade::{resource, with_lines};

use crate::records::EXAMPLE_ID;
use crate::records::delivery_address::DeliveryAddress;
use crate::records::order_item::{ApiSalesOrderItem, OrderItemRow, SalesOrderItem, SalesOrderItemWrite};

/// Audit name of sales orders.
pub const SALES_ORDER: &str = "SALES_ORDER";

text_enum! {
    /// A DRAFT becomes CONFIRMED, then COMPLETED by its delivery. A DRAFT or CONFIRMED order can become CANCELLED. COMPLETED
    /// and CANCELLED orders are immutable.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum OrderStatus {
        Draft => "DRAFT", Confirmed => "CONFIRMED", Completed => "COMPLETED", Cancelled => "CANCELLED",
    }
}

collection! {
    /// `number_key` is the number as it is compared. `item_count` and `unit_count` are of its lines and of their serial units.
    pub record OrderRow in "sales_order" {
        number: String,
        number_key: String,
        legal_entity_id: Id,
        branch_id: Option<Id>,
        warehouse_id: Id,
        customer_id: Id,
        price_list_id: Id,
        currency_code: String,
        status: OrderStatus,
        notes: Option<String>,
        total: Amount,
        collectable: bool,
        prices_as_of: Instant,
        item_count: i64,
        unit_count: i64,
        quotation_id: Option<Id>,
        invoice_id: Option<Id>,
        pos_receipt_id: Option<Id>,
        confirmed_at: Option<Instant>,
        completed_at: Option<Instant>,
        cancelled_at: Option<Instant>,
        cancel_reason: Option<String>,
        delivery_address: Option<DeliveryAddress>,
        carrier: Option<String>,
        required_on: Option<Date>,
        salesperson: Option<String>,
    }
    unique {
        number: [legal_entity_id, number_key], quotation: [quotation_id], invoice: [invoice_id], receipt: [pos_receipt_id],
    }
    index {
        [status, id], [customer_id, id], [warehouse_id, status, id], [price_list_id, id], [completed_at], [updated_at],
        [salesperson, id],
    }
    search { number: [number] }
    fixed [number, legal_entity_id]
}

resource! {
    /// An order in a list, as returned to API clients.
    pub struct ApiSalesOrderHeader of row: OrderRow {
        id: Id,
        status: OrderStatus,
        #[schemars(range(min = 1))]
        version: i64,
        created_at: Instant,
        updated_at: Instant,
        number: String,
        customer_id: Id,
        /// Currency of the price list; fixed when the order is confirmed.
        currency_code: String,
        price_list_id: Id,
        /// Exact sum of the lines.
        total: Amount,
    }
}

resource! {
    /// Members of an order that its body states and that name no record. Lists of API clients have none of them.
    pub struct OrderDetails of row: OrderRow {
        /// Address that the goods go to; null if none was stated.
        delivery_address: Option<DeliveryAddress>,
        /// Carrier that brings the goods, as free text; null if none was stated.
        carrier: Option<String>,
        /// Day on which the customer needs the goods; null if none was stated.
        required_on: Option<Date>,
        /// Name of the person who sold the order, as free text; null if none was stated.
        salesperson: Option<String>,
    }
}

resource! {
    /// An order as returned to API clients, without units.
    pub struct ApiSalesOrder of row: OrderRow, items: Vec<ApiSalesOrderItem>, extensions: Option<SalesOrderExtensions> {
        #[serde(flatten)]
        header: ApiSalesOrderHeader = ApiSalesOrderHeader::from_row(row),
        #[serde(flatten)]
        details: OrderDetails = OrderDetails::from_row(row),
        #[schemars(length(max = stoa_trade::limits::LINES))]
        items: Vec<ApiSalesOrderItem> = items,
        /// Members that extensions add.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(transform = never_null)]
        extensions: Option<SalesOrderExtensions> = extensions,
    }
}

resource! {
    /// An order in a list, as returned to users.
    pub struct SalesOrderHeader beyond ApiSalesOrderHeader of row: OrderRow {
        legal_entity_id: Id,
        branch_id: Option<Id>,
        warehouse_id: Id,
        notes: Option<String>,
        /// Instant at which its prices were last read from the list.
        prices_as_of: Instant,
        /// True if the total has at most 6 decimals and 12 integer digits, so that it can be invoiced and collected.
        collectable: bool,
        quotation_id: Option<Id>,
        invoice_id: Option<Id>,
        /// Id of the receipt that collected it; null if none did.
        pos_receipt_id: Option<Id>,
        confirmed_at: Option<Instant>,
        completed_at: Option<Instant>,
        cancelled_at: Option<Instant>,
        cancel_reason: Option<String>,
        item_count: i64,
        /// Number of units of a serialized line.
        unit_count: i64,
        #[serde(flatten)]
        details: OrderDetails = OrderDetails::from_row(row),
    }
}

resource! {
    /// An order as returned to users.
    pub struct SalesOrder of row: OrderRow, items: Vec<SalesOrderItem>, extensions: Option<SalesOrderExtensions> {
        #[serde(flatten)]
        header: SalesOrderHeader = SalesOrderHeader::from_row(row),
        #[schemars(length(max = stoa_trade::limits::LINES))]
        items: Vec<SalesOrderItem> = items,
        /// Members that extensions add.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(transform = never_null)]
        extensions: Option<SalesOrderExtensions> = extensions,
    }
}

resource! {
    /// Receipt of a write. It contains no identifier of a unit, because replays return it again.
    pub struct SalesOrderWrite of row: OrderRow {
        id: Id,
        number: String,
        status: OrderStatus,
        #[schemars(range(min = 1))]
        version: i64,
        total: Amount,
        created_at: Instant,
        updated_at: Instant,
    }
}

with_lines! {
    /// Receipt of a draft: its lines in the order of the request. It contains no identifier of a unit.
    pub struct SalesOrderDraftWrite of row: OrderRow => SalesOrderWrite, items: [SalesOrderItemWrite; LINES];
}

/// The receipt of a write; the audit entry is found by the customer too.
pub fn receipt(row: &OrderRow) -> Reply {
    Reply::json(&SalesOrderWrite::from_row(row)).resource(row.id).subject(row.customer_id)
}

/// As [`receipt`], with the ids of the lines that the draft has now.
pub fn draft_receipt(row: &OrderRow, items: &[OrderItemRow]) -> Reply {
    let items = items.iter().map(SalesOrderItemWrite::from_row).collect();
    Reply::json(&SalesOrderDraftWrite::from_row(row, items)).resource(row.id).subject(row.customer_id)
}

resource! {
    /// Event data of a sales order.
    pub struct SaleEvent of row: OrderRow {
        order_id: Id = row.id,
        number: String,
        status: OrderStatus,
    }
}

impl EventData for SaleEvent {
    fn example() -> SaleEvent {
        SaleEvent { order_id: EXAMPLE_ID, number: "SO-000001".to_owned(), status: OrderStatus::Draft }
    }
}

event_kinds! { SaleEvent of SALES_ORDER:
    SALE_CREATED = "sale.created", "A sales order was created.";
    SALE_UPDATED = "sale.updated", "A draft of a sales order was replaced or its prices were refreshed.";
    SALE_CONFIRMED = "sale.confirmed", "A sales order was confirmed. Its prices are fixed and its goods are reserved.";
    SALE_COMPLETED = "sale.completed", "A sales order was delivered.";
    SALE_CANCELLED = "sale.cancelled", "A sales order was cancelled.";
}

/// Emits what happened to an order, with the order as it is afterwards.
pub fn emit_sale(kind: &EventKind<SaleEvent>, row: &OrderRow) {
    emit([kind.of(row.id, Some(row.version), &SaleEvent::from_row(row))]);
}
