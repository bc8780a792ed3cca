//! Goods that come back from a completed order: as they are kept, and as people and API clients see them (sales-pos.md 6). It is
//! physical only, independent of any credit.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Filter, Id, Instant, Problem, Reply, all, collection, text_enum};
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::{Quantity, Tracking};
use stoa_trade::{JsonList, resource, with_lines};

use crate::records::order_item::KnownUnit;

/// Audit name of customer returns.
pub const CUSTOMER_RETURN: &str = "CUSTOMER_RETURN";

text_enum! {
    /// A DRAFT becomes RECEIVED or CANCELLED. Both are final.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum ReturnStatus { Draft => "DRAFT", Received => "RECEIVED", Cancelled => "CANCELLED" }
}

text_enum! {
    // Disposition of goods that come back: on sale again, to be inspected, worth nothing. The last two are for units. No doc
    // comment: it would be the description of every member of this type.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum ReturnDisposition { Restock => "RESTOCK", Inspect => "INSPECT", Damaged => "DAMAGED" }
}

collection! {
    pub record SalesReturnRow in "sales_return" {
        order_id: Id,
        customer_id: Id,
        legal_entity_id: Id,
        warehouse_id: Id,
        location_id: Option<Id>,
        reason: String,
        status: ReturnStatus,
        received_at: Option<Instant>,
    }
    index { [order_id, id], [status, id], [customer_id, id], [legal_entity_id, id], [warehouse_id, id] }
}

collection! {
    /// `line_no` null: taken out of the draft. `units`: those that a person named, and once received those that came.
    pub record SalesReturnItemRow in "sales_return_item" {
        return_id: Id,
        line_no: Option<i64>,
        item_id: Id,
        variant_id: Id,
        product_id: Id,
        tracking: Tracking,
        quantity: Quantity,
        disposition: ReturnDisposition,
        units: JsonList<Id>,
    }
    unique { item: [return_id, item_id, disposition] }
}

impl SalesReturnRow {
    /// Refuses with VERSION_CONFLICT another version, with ILLEGAL_STATE what is not a DRAFT.
    pub fn require_draft(&self, expected: ExpectedVersion) -> Result<(), Problem> {
        expected.check(self.version)?;
        if self.status == ReturnStatus::Draft { Ok(()) } else { Err(Problem::new("ILLEGAL_STATE")) }
    }
}

impl SalesReturnItemRow {
    /// The lines of a return as they are in it.
    pub fn live_of(return_id: Id) -> Filter {
        all([SalesReturnItemRow::return_id.eq(return_id), SalesReturnItemRow::line_no.not_null()])
    }
}

resource! {
    /// A customer return in a list, as returned to API clients.
    pub struct ApiSalesReturnHeader of row: SalesReturnRow {
        #[serde(flatten)]
        head: SalesReturnWrite = SalesReturnWrite::from_row(row),
        order_id: Id,
        /// Id of the customer of the order.
        customer_id: Id,
        /// Legal entity of the order.
        legal_entity_id: Id,
        warehouse_id: Id,
        warehouse_location_id: Option<Id> = row.location_id,
        reason: String,
        received_at: Option<Instant>,
    }
}

resource! {
    /// A customer return in a list, as returned to users.
    pub struct SalesReturnHeader beyond ApiSalesReturnHeader of row: SalesReturnRow {}
}

resource! {
    /// A line as returned to API clients.
    pub struct ApiSalesReturnItem of row: SalesReturnItemRow {
        id: Id,
        /// Id of the order line.
        item_id: Id,
        variant_id: Id,
        tracking_mode: Tracking = row.tracking,
        quantity: Quantity,
        disposition: ReturnDisposition,
    }
}

resource! {
    /// A line as returned to users.
    pub struct SalesReturnItem of row: SalesReturnItemRow, known: impl Fn(Id) -> Option<KnownUnit> {
        #[serde(flatten)]
        line: ApiSalesReturnItem = ApiSalesReturnItem::from_row(row),
        unit_count: usize = row.units.0.len(),
        units: Vec<ReturnUnit> =
            row.units.0.iter().map(|&unit_id| ReturnUnit { unit_id, known: known(unit_id) }).collect(),
    }
}

/// A unit that comes back. Members after `unitId` are present only for callers with `inventory.serials.read`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReturnUnit {
    unit_id: Id,
    #[serde(flatten)]
    known: Option<KnownUnit>,
}

with_lines! {
    /// A customer return as returned to users.
    pub struct SalesReturn of row: SalesReturnRow => SalesReturnHeader, items: [SalesReturnItem; LINES];
    /// A return as returned to API clients, without units.
    pub struct ApiSalesReturn of row: SalesReturnRow => ApiSalesReturnHeader, items: [ApiSalesReturnItem; LINES];
}

resource! {
    /// Receipt of a write.
    pub struct SalesReturnWrite of record row: SalesReturnRow {
        status: ReturnStatus,
    }
}

resource! {
    /// A line of a return in a receipt.
    pub struct SalesReturnItemWrite of row: SalesReturnItemRow {
        id: Id,
        /// Id of the order line.
        item_id: Id,
        variant_id: Id,
        disposition: ReturnDisposition,
    }
}

with_lines! {
    /// Receipt of a draft: its lines in the order of the request. It contains no identifier of a unit.
    pub struct SalesReturnDraftWrite of row: SalesReturnRow => SalesReturnWrite, items: [SalesReturnItemWrite; LINES];
}

/// The receipt of a write; the audit entry is found by the order and the customer too.
pub fn receipt(row: &SalesReturnRow) -> Reply {
    Reply::json(&SalesReturnWrite::from_row(row)).resource(row.id).subjects([row.order_id, row.customer_id])
}

/// As [`receipt`], with the ids of the lines that the draft has now.
pub fn draft_receipt(row: &SalesReturnRow, items: Vec<SalesReturnItemWrite>) -> Reply {
    Reply::json(&SalesReturnDraftWrite::from_row(row, items)).resource(row.id).subjects([row.order_id, row.customer_id])
}
