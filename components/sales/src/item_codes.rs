//! Codes of items that the module answers beyond the shared ones, and the sentence of each.

use stoa_trade::item_codes::{
    BEYOND_DELIVERED, BILLED_BEYOND_ORDER, NOT_NORMAL, ORDER_BILLED, OTHER_ENTITY, OTHER_VARIANT, OTHER_WAREHOUSE,
    UNITS_DIFFER_FROM_QUANTITY,
};

/// `errors[].code` and its meaning.
pub const ITEM_CODES: &[(&str, &str)] = &[
    OTHER_ENTITY,
    OTHER_WAREHOUSE,
    OTHER_VARIANT,
    NOT_NORMAL,
    UNITS_DIFFER_FROM_QUANTITY,
    BEYOND_DELIVERED,
    BILLED_BEYOND_ORDER,
    ORDER_BILLED,
];
