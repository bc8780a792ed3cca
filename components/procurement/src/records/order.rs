//! Purchase orders as they are kept, what a write answers of one, and what events say. An import order is one of them, with more
//! members.

use stoa_sdk::{Date, EventData, Id, Instant, Reply, collection, event_kinds, text_enum};
use stoa_trade::quantity::Amount;
use stoa_trade::resource;

use crate::records::EXAMPLE_ID;

/// Resource type of the audit entries and of the events.
pub const ORDER: &str = "PURCHASE_ORDER";

text_enum! {
    /// Kind of a purchase order. IMPORT orders have shipments and charges.
    pub enum OrderKind { Standard => "STANDARD", Import => "IMPORT" }
}

text_enum! {
    /// DRAFT, APPROVED, PARTIALLY_RECEIVED and RECEIVED follow in this order; PARTIALLY_RECEIVED may be skipped. An order can
    /// become CANCELLED until it is RECEIVED. RECEIVED and CANCELLED are final.
    pub enum OrderStatus {
        Draft => "DRAFT",
        Approved => "APPROVED",
        PartiallyReceived => "PARTIALLY_RECEIVED",
        Received => "RECEIVED",
        Cancelled => "CANCELLED",
    }
}

impl OrderStatus {
    /// Returns whether goods of such an order are still expected.
    pub fn is_open(self) -> bool {
        matches!(self, OrderStatus::Approved | OrderStatus::PartiallyReceived)
    }
}

text_enum! {
    /// Rules of Incoterms 2020.
    pub enum Incoterm {
        Exw => "EXW", Fca => "FCA", Fas => "FAS", Fob => "FOB", Cfr => "CFR", Cif => "CIF", Cpt => "CPT", Cip => "CIP", Dap => "DAP",
        Dpu => "DPU", Ddp => "DDP",
    }
}

text_enum! {
    /// Mode of transport.
    pub enum TransportMode {
        Sea => "SEA", Air => "AIR", Road => "ROAD", Rail => "RAIL", Courier => "COURIER", Multimodal => "MULTIMODAL",
    }
}

collection! {
    /// From `incoterm` on null for STANDARD orders.
    pub record OrderRow in "purchase_order" {
        kind: OrderKind,
        number: String,
        number_key: String,
        legal_entity_id: Id,
        warehouse_id: Id,
        supplier_id: Id,
        currency_code: String,
        notes: Option<String>,
        expected_on: Option<Date>,
        status: OrderStatus,
        item_count: i64,
        total: Amount,
        created_by: String,
        edited_by: String,
        approved_at: Option<Instant>,
        approved_by: Option<String>,
        cancelled_at: Option<Instant>,
        cancel_reason: Option<String>,
        incoterm: Option<Incoterm>,
        transport_mode: Option<TransportMode>,
        origin_country: Option<String>,
        origin_port: Option<String>,
        destination_port: Option<String>,
        customs_reference: Option<String>,
    }
    unique { number: [legal_entity_id, number_key] }
    index { [status, id], [supplier_id, id], [warehouse_id, id], [kind, id], [expected_on], [updated_at], [number_key] }
    search { number: [number] }
    fixed [kind, number, legal_entity_id]
}

resource! {
    /// Receipt of a write.
    pub struct PurchaseOrderWrite of record row: OrderRow {
        status: OrderStatus,
    }
}

/// The answer to a write.
pub fn show_write(row: &OrderRow) -> Reply {
    Reply::json(&PurchaseOrderWrite::from_row(row)).resource(row.id)
}

resource! {
    /// Event data of a purchase order.
    pub struct PurchaseOrderEvent of row: OrderRow {
        order_id: Id = row.id,
        number: String,
        kind: OrderKind,
        status: OrderStatus,
    }
}

impl EventData for PurchaseOrderEvent {
    fn example() -> PurchaseOrderEvent {
        PurchaseOrderEvent {
            order_id: EXAMPLE_ID,
            number: "PO-000001".to_owned(),
            kind: OrderKind::Standard,
            status: OrderStatus::Draft,
        }
    }
}

event_kinds! { PurchaseOrderEvent of ORDER:
    ORDER_CREATED = "procurement.order.created", "A purchase order was drafted.";
    ORDER_UPDATED = "procurement.order.updated", "A purchase order, its shipments or its charges changed.";
    ORDER_APPROVED = "procurement.order.approved", "A purchase order was approved. Its goods are expected.";
    ORDER_CANCELLED = "procurement.order.cancelled",
        "A purchase order was cancelled. Its outstanding goods are no longer expected.";
}
