//! The receipt of a drafted or replaced order: it names the lines, so that a caller who cannot read orders knows their ids.

use stoa_sdk::{Id, Reply};
use stoa_trade::{resource, with_lines};

use crate::records::order::{OrderRow, PurchaseOrderWrite};
use crate::records::order_item::OrderItemRow;

resource! {
    /// A line of an order that was written.
    pub struct PurchaseOrderItemWrite of row: OrderItemRow {
        id: Id,
        variant_id: Id,
    }
}

with_lines! {
    /// Receipt of the write of an order and its lines, in the order of the request.
    pub struct PurchaseOrderDraftWrite of row: OrderRow => PurchaseOrderWrite, items: [PurchaseOrderItemWrite; LINES];
}

impl OrderItemRow {
    /// The line as the receipt of its order names it.
    pub fn name(&self) -> PurchaseOrderItemWrite {
        PurchaseOrderItemWrite::from_row(self)
    }
}

/// The answer to the write of an order with these lines.
pub fn show_draft(row: &OrderRow, items: Vec<PurchaseOrderItemWrite>) -> Reply {
    Reply::json(&PurchaseOrderDraftWrite::from_row(row, items)).resource(row.id)
}
