//! Import orders as they are answered: purchase orders with their way here, their shipments and their charges.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::Id;
use stoa_trade::quantity::Amount;
use stoa_trade::resource;

use crate::records::charge::Charge;
use crate::records::order::{Incoterm, OrderRow, PurchaseOrderWrite, TransportMode};
use crate::records::order_item::OrderItemRow;
use crate::records::shipment::Shipment;
use crate::records::shown_order::{ApiPurchaseOrder, ApiPurchaseOrderHeader, PurchaseOrder, PurchaseOrderHeader};

resource! {
    /// The members that an import order has beyond other orders.
    pub struct ImportFacts of row: OrderRow {
        incoterm: Option<Incoterm>,
        transport_mode: Option<TransportMode>,
        /// ISO 3166-1 alpha-2.
        origin_country: Option<String>,
        origin_port: Option<String>,
        destination_port: Option<String>,
        /// Reference only: the service creates no customs document.
        customs_reference: Option<String>,
    }
}

/// The cost of the goods with their charges.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LandedTotals {
    /// Total of the order plus the allocated charges.
    pub landed_total: Amount,
    /// Total of the order plus its charges, cancelled charges excluded.
    pub estimated_total: Amount,
}

resource! {
    /// An import order in a list, as returned to users.
    pub struct ImportOrderHeader of row: OrderRow {
        #[serde(flatten)]
        order: PurchaseOrderHeader = PurchaseOrderHeader::from_row(row),
        #[serde(flatten)]
        import: ImportFacts = ImportFacts::from_row(row),
    }
}

resource! {
    /// An import order in a list, as returned to API clients.
    #[schemars(rename = "PublicImportOrderHeader")]
    pub struct ApiImportOrderHeader of row: OrderRow {
        #[serde(flatten)]
        order: ApiPurchaseOrderHeader = ApiPurchaseOrderHeader::from_row(row),
        #[serde(flatten)]
        import: ImportFacts = ImportFacts::from_row(row),
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

resource! {
    /// An import order as returned to users.
    pub struct ImportOrder of row: OrderRow, items: &[OrderItemRow], parts: ImportParts {
        #[serde(flatten)]
        order: PurchaseOrder = PurchaseOrder::from_row(row, items),
        #[serde(flatten)]
        import: ImportFacts = ImportFacts::from_row(row),
        #[serde(flatten)]
        parts: ImportParts = parts,
    }
}

resource! {
    /// An import order as returned to API clients.
    #[schemars(rename = "PublicImportOrder")]
    pub struct ApiImportOrder of row: OrderRow, items: &[OrderItemRow], parts: ImportParts {
        #[serde(flatten)]
        order: ApiPurchaseOrder = ApiPurchaseOrder::from_row(row, items),
        #[serde(flatten)]
        import: ImportFacts = ImportFacts::from_row(row),
        #[serde(flatten)]
        parts: ImportParts = parts,
    }
}

resource! {
    /// Receipt of a new shipment.
    pub struct ShipmentWrite of order: OrderRow, shipment_id: Id {
        #[serde(flatten)]
        order: PurchaseOrderWrite = PurchaseOrderWrite::from_row(order),
        shipment_id: Id = shipment_id,
    }
}

resource! {
    /// Receipt of a new charge.
    pub struct ChargeWrite of order: OrderRow, charge_id: Id {
        #[serde(flatten)]
        order: PurchaseOrderWrite = PurchaseOrderWrite::from_row(order),
        charge_id: Id = charge_id,
    }
}
