//! Codes of items that the module answers beyond the shared ones, and the sentence of each.

use stoa_trade::item_codes::{
    BILLED_BEYOND_ORDER, NOT_RECEIVED, OTHER_ORDER, OTHER_WAREHOUSE, UNITS_DIFFER_FROM_QUANTITY,
};

/// `errors[].code` and its meaning.
pub const ITEM_CODES: &[(&str, &str)] = &[
    OTHER_WAREHOUSE,
    OTHER_ORDER,
    NOT_RECEIVED,
    UNITS_DIFFER_FROM_QUANTITY,
    BILLED_BEYOND_ORDER,
    ("OTHER_LINE", "The goods were received for another line of an order. State a receipt line of this order line."),
    ("OTHER_SHIPMENT", "The charge is for another shipment. State a charge of the shipment that the goods came with."),
    ("NOT_TRACKED", "The line is not tracked in stock, so no charge can be allocated to it. State a tracked line."),
    ("DRAFT", "The purchase order is a DRAFT. Approve the order first."),
    ("IMPORT", "The purchase order is of kind IMPORT. Receive its goods with a receipt that names the shipment first."),
];
