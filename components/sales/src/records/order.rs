//! Sales orders: as they are kept, and as people, API clients and events see them (sales-pos.md 5).

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{EventData, EventKind, Id, Instant, Reply, collection, emit, tenant, text_enum};
use stoa_trade::quantity::Amount;

use crate::records::EXAMPLE_ID;
use crate::records::order_item::{ApiSalesOrderItem, SalesOrderItem};

/// Audit name of sales orders.
pub const SALES_ORDER: &str = "SALES_ORDER";

text_enum! {
    /// COMPLETED and CANCELLED orders are immutable.
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
    }
    unique {
        number: [legal_entity_id, number_key], quotation: [quotation_id], invoice: [invoice_id], receipt: [pos_receipt_id],
    }
    index { [status, id], [customer_id, id], [warehouse_id, status, id], [price_list_id, id], [completed_at], [updated_at] }
    search { number: [number] }
    fixed [number, legal_entity_id]
}

/// An order in a list, as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiSalesOrderHeader {
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

/// An order as returned to API clients, without units.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ApiSalesOrder {
    #[serde(flatten)]
    pub header: ApiSalesOrderHeader,
    #[schemars(length(max = stoa_trade::limits::LINES))]
    pub items: Vec<ApiSalesOrderItem>,
}

/// An order in a list, as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesOrderHeader {
    tenant_id: Id,
    #[serde(flatten)]
    public: ApiSalesOrderHeader,
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
}

/// An order as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SalesOrder {
    #[serde(flatten)]
    pub header: SalesOrderHeader,
    #[schemars(length(max = stoa_trade::limits::LINES))]
    pub items: Vec<SalesOrderItem>,
}

/// Receipt of a write. It contains no identifier of a unit, because replays return it again.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesOrderWrite {
    id: Id,
    number: String,
    status: OrderStatus,
    #[schemars(range(min = 1))]
    version: i64,
    total: Amount,
    created_at: Instant,
    updated_at: Instant,
}

impl ApiSalesOrderHeader {
    pub fn from_row(row: &OrderRow) -> ApiSalesOrderHeader {
        ApiSalesOrderHeader {
            id: row.id,
            status: row.status,
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
            number: row.number.clone(),
            customer_id: row.customer_id,
            currency_code: row.currency_code.clone(),
            price_list_id: row.price_list_id,
            total: row.total,
        }
    }
}

impl SalesOrderHeader {
    pub fn from_row(row: &OrderRow) -> SalesOrderHeader {
        SalesOrderHeader {
            tenant_id: tenant(),
            public: ApiSalesOrderHeader::from_row(row),
            legal_entity_id: row.legal_entity_id,
            branch_id: row.branch_id,
            warehouse_id: row.warehouse_id,
            notes: row.notes.clone(),
            prices_as_of: row.prices_as_of,
            collectable: row.collectable,
            quotation_id: row.quotation_id,
            invoice_id: row.invoice_id,
            pos_receipt_id: row.pos_receipt_id,
            confirmed_at: row.confirmed_at,
            completed_at: row.completed_at,
            cancelled_at: row.cancelled_at,
            cancel_reason: row.cancel_reason.clone(),
            item_count: row.item_count,
            unit_count: row.unit_count,
        }
    }
}

/// The receipt of a write; the audit entry is found by the customer too.
pub fn receipt(row: &OrderRow) -> Reply {
    Reply::json(&SalesOrderWrite {
        id: row.id,
        number: row.number.clone(),
        status: row.status,
        version: row.version,
        total: row.total,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
    .resource(row.id)
    .subject(row.customer_id)
}

/// Event data of a sales order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaleEvent {
    order_id: Id,
    number: String,
    status: OrderStatus,
}

impl EventData for SaleEvent {
    fn example() -> SaleEvent {
        SaleEvent { order_id: EXAMPLE_ID, number: "SO-000001".to_owned(), status: OrderStatus::Draft }
    }
}

pub const SALE_CREATED: EventKind<SaleEvent> =
    EventKind::new("sale.created", SALES_ORDER, "A sales order was created.");
pub const SALE_UPDATED: EventKind<SaleEvent> =
    EventKind::new("sale.updated", SALES_ORDER, "A draft of a sales order was replaced or its prices were refreshed.");
pub const SALE_CONFIRMED: EventKind<SaleEvent> = EventKind::new(
    "sale.confirmed",
    SALES_ORDER,
    "A sales order was confirmed. Its prices are fixed and its goods are reserved.",
);
pub const SALE_COMPLETED: EventKind<SaleEvent> =
    EventKind::new("sale.completed", SALES_ORDER, "A sales order was delivered.");
pub const SALE_CANCELLED: EventKind<SaleEvent> =
    EventKind::new("sale.cancelled", SALES_ORDER, "A sales order was cancelled.");

/// Tells what happened to an order as it stands after it.
pub fn emit_sale(kind: &EventKind<SaleEvent>, row: &OrderRow) {
    let data = SaleEvent { order_id: row.id, number: row.number.clone(), status: row.status };
    emit([kind.of(row.id, Some(row.version), &data)]);
}
