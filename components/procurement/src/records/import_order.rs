//! Import orders as they are answered: purchase orders with their way here, their shipments and their charges.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::Id;
use stoa_trade::quantity::Amount;

use crate::records::charge::Charge;
use crate::records::order::{Incoterm, OrderRow, PurchaseOrderWrite, TransportMode};
use crate::records::shipment::Shipment;
use crate::records::shown_order::{ApiPurchaseOrder, ApiPurchaseOrderHeader, PurchaseOrder, PurchaseOrderHeader};

/// What an import order says beyond other orders.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportFacts {
    incoterm: Option<Incoterm>,
    transport_mode: Option<TransportMode>,
    /// ISO 3166-1 alpha-2.
    origin_country: Option<String>,
    origin_port: Option<String>,
    destination_port: Option<String>,
    /// Reference only: the service creates no customs document.
    customs_reference: Option<String>,
}

impl ImportFacts {
    fn from_row(row: &OrderRow) -> ImportFacts {
        ImportFacts {
            incoterm: row.incoterm,
            transport_mode: row.transport_mode,
            origin_country: row.origin_country.clone(),
            origin_port: row.origin_port.clone(),
            destination_port: row.destination_port.clone(),
            customs_reference: row.customs_reference.clone(),
        }
    }
}

/// What the goods cost with their charges.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LandedTotals {
    /// Total of the order plus the allocated charges.
    pub landed_total: Amount,
    /// Total of the order plus its charges, cancelled charges excluded.
    pub estimated_total: Amount,
}

/// An import order in a list, as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportOrderHeader {
    #[serde(flatten)]
    order: PurchaseOrderHeader,
    #[serde(flatten)]
    import: ImportFacts,
}

impl ImportOrderHeader {
    pub fn from_row(row: &OrderRow) -> ImportOrderHeader {
        ImportOrderHeader { order: PurchaseOrderHeader::from_row(row), import: ImportFacts::from_row(row) }
    }
}

/// An import order in a list, as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicImportOrderHeader")]
pub struct ApiImportOrderHeader {
    #[serde(flatten)]
    order: ApiPurchaseOrderHeader,
    #[serde(flatten)]
    import: ImportFacts,
}

impl ApiImportOrderHeader {
    pub fn from_row(row: &OrderRow) -> ApiImportOrderHeader {
        ApiImportOrderHeader { order: ApiPurchaseOrderHeader::from_row(row), import: ImportFacts::from_row(row) }
    }
}

/// Shipments, charges and what follows from them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportParts {
    pub shipments: Vec<Shipment>,
    pub charges: Vec<Charge>,
    #[serde(flatten)]
    pub totals: LandedTotals,
}

/// An import order as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportOrder {
    #[serde(flatten)]
    order: PurchaseOrder,
    #[serde(flatten)]
    import: ImportFacts,
    #[serde(flatten)]
    parts: ImportParts,
}

impl ImportOrder {
    pub fn from_row(row: &OrderRow, order: PurchaseOrder, parts: ImportParts) -> ImportOrder {
        ImportOrder { order, import: ImportFacts::from_row(row), parts }
    }
}

/// An import order as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicImportOrder")]
pub struct ApiImportOrder {
    #[serde(flatten)]
    order: ApiPurchaseOrder,
    #[serde(flatten)]
    import: ImportFacts,
    #[serde(flatten)]
    parts: ImportParts,
}

impl ApiImportOrder {
    pub fn from_row(row: &OrderRow, order: ApiPurchaseOrder, parts: ImportParts) -> ApiImportOrder {
        ApiImportOrder { order, import: ImportFacts::from_row(row), parts }
    }
}

/// Receipt of a new shipment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShipmentWrite {
    #[serde(flatten)]
    pub order: PurchaseOrderWrite,
    pub shipment_id: Id,
}

/// Receipt of a new charge.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChargeWrite {
    #[serde(flatten)]
    pub order: PurchaseOrderWrite,
    pub charge_id: Id,
}
