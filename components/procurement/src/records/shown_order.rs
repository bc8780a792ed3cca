//! Purchase orders as they are answered: headers in lists, records with their lines; to API clients without tenant and names of
//! people.

use stoa_sdk::{Date, Id, Instant, tenant};
use stoa_trade::quantity::Amount;
use stoa_trade::resource;

use crate::records::order::{OrderKind, OrderRow, OrderStatus};
use crate::records::order_item::{ApiPurchaseOrderItem, OrderItemRow, PurchaseOrderItem};

resource! {
    /// An order as returned to API clients, without its lines.
    #[schemars(rename = "PublicPurchaseOrderHeader")]
    pub struct ApiPurchaseOrderHeader of row: OrderRow {
        id: Id,
        kind: OrderKind,
        number: String,
        legal_entity_id: Id,
        warehouse_id: Id,
        supplier_id: Id,
        currency_code: String,
        notes: Option<String>,
        expected_on: Option<Date>,
        status: OrderStatus,
        #[schemars(range(min = 1))]
        version: i64,
        total: Amount,
        approved_at: Option<Instant>,
        cancelled_at: Option<Instant>,
        cancel_reason: Option<String>,
        created_at: Instant,
        updated_at: Instant,
    }
}

resource! {
    /// The members of an order, without its lines, that only people see.
    pub struct PurchaseOrderFacts of row: OrderRow {
        tenant_id: Id = tenant(),
        /// Id of the user who drafted the order.
        created_by: String,
        approved_by: Option<String>,
    }
}

resource! {
    /// An order in a list, as returned to users.
    pub struct PurchaseOrderHeader of row: OrderRow {
        #[serde(flatten)]
        public: ApiPurchaseOrderHeader = ApiPurchaseOrderHeader::from_row(row),
        #[serde(flatten)]
        facts: PurchaseOrderFacts = PurchaseOrderFacts::from_row(row),
        item_count: i64,
    }
}

resource! {
    /// An order as returned to users.
    pub struct PurchaseOrder of row: OrderRow, items: &[OrderItemRow] {
        #[serde(flatten)]
        public: ApiPurchaseOrderHeader = ApiPurchaseOrderHeader::from_row(row),
        #[serde(flatten)]
        facts: PurchaseOrderFacts = PurchaseOrderFacts::from_row(row),
        items: Vec<PurchaseOrderItem> =
            items.iter().map(|item| PurchaseOrderItem::from_row(item, row.status)).collect(),
    }
}

resource! {
    /// An order as returned to API clients.
    #[schemars(rename = "PublicPurchaseOrder")]
    pub struct ApiPurchaseOrder of row: OrderRow, items: &[OrderItemRow] {
        #[serde(flatten)]
        header: ApiPurchaseOrderHeader = ApiPurchaseOrderHeader::from_row(row),
        items: Vec<ApiPurchaseOrderItem> =
            items.iter().map(|item| ApiPurchaseOrderItem::from_row(item, row.status)).collect(),
    }
}
