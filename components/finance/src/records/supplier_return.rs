//! Goods that go back to their supplier, independent of any credit: the document is kept here, its goods by inventory
//! (finance-ledger.md B8).

use stoa_sdk::{Date, Id, collection, text_enum};
use stoa_trade::quantity::Quantity;
use stoa_trade::{JsonList, resource, with_lines};

use crate::records::known_unit::line_with_units;

text_enum! {
    /// A DRAFT becomes SHIPPED or CANCELLED. Both are final.
    pub enum SupplierReturnStatus { Draft => "DRAFT", Shipped => "SHIPPED", Cancelled => "CANCELLED" }
}

collection! {
    /// Its lines are those of `line_set_id`. The currency is that of the receipts.
    pub record SupplierReturnRow in "supplier_return" {
        number: String,
        number_key: String,
        legal_entity_id: Id,
        party_id: Id,
        currency_code: String,
        warehouse_id: Id,
        status: SupplierReturnStatus,
        line_set_id: Id,
        reason: String,
        notes: Option<String>,
        shipped_on: Option<Date>,
    }
    unique { number: [legal_entity_id, number_key] }
    index { [party_id, id], [status, id], [warehouse_id, id], [line_set_id], [updated_at] }
    search { number: [number], text: [number, reason] }
    fixed [number, legal_entity_id]
}

collection! {
    /// `line_no` is a place and counts from 0; callers count from 1.
    pub ledger SupplierReturnLineRow in "supplier_return_line" {
        return_id: Id,
        line_set_id: Id,
        line_no: i64,
        receipt_item_id: Id,
        receipt_id: Id,
        variant_id: Id,
        product_id: Id,
        quantity: Quantity,
        unit_ids: JsonList<Id>,
    }
    unique { place: [line_set_id, line_no] }
    index { [receipt_item_id], [return_id] }
}

collection! {
    /// The part of a receipt's line that went back. `received` is the line's own quantity.
    pub projection ReturnProgressRow in "return_progress" {
        receipt_item_id: Id,
        received: Quantity,
        returned: Quantity = "0",
    }
    unique { item: [receipt_item_id] }
    checks { returned: [returned >= 0, returned <= received] }
    lock_order [receipt_item_id]
    counters [returned]
}

resource! {
    /// A supplier return in a list, as returned to API clients.
    pub struct ApiSupplierReturnHeader of record row: SupplierReturnRow {
        number: String,
        legal_entity_id: Id,
        party_id: Id,
        /// Currency of the receipts.
        currency_code: String,
        warehouse_id: Id,
        status: SupplierReturnStatus,
        reason: String,
        shipped_on: Option<Date>,
    }
}

resource! {
    /// A supplier return in a list, as returned to users.
    pub struct SupplierReturnHeader beyond ApiSupplierReturnHeader of row: SupplierReturnRow {
        notes: Option<String>,
    }
}

resource! {
    /// A line as returned to API clients.
    pub struct ApiSupplierReturnLine of row: SupplierReturnLineRow {
        id: Id,
        #[schemars(range(min = 1, max = stoa_trade::limits::LINES))]
        line_no: i64 = row.line_no + 1,
        receipt_item_id: Id,
        variant_id: Id,
        quantity: Quantity,
        unit_count: usize = row.unit_ids.0.len(),
    }
}

line_with_units! {
    /// A line as returned to users.
    SupplierReturnLine beyond ApiSupplierReturnLine of SupplierReturnLineRow {}
}

with_lines! {
    /// A supplier return as returned to users.
    pub struct SupplierReturn of row: SupplierReturnRow => SupplierReturnHeader, lines: [SupplierReturnLine; LINES];
    /// A return as returned to API clients, without units.
    pub struct ApiSupplierReturn of row: SupplierReturnRow
        => ApiSupplierReturnHeader, lines: [ApiSupplierReturnLine; LINES];
}
