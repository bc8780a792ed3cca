//! Codes of items that the module answers beyond the shared ones, and the sentence of each.

use stoa_trade::item_codes::{
    BEYOND_DELIVERED, BOOKS_NOT_KEPT, NOT_RECEIVED, OTHER_ENTITY, OTHER_ORDER, OTHER_VARIANT, OTHER_WAREHOUSE,
};

/// `errors[].code` and its meaning.
pub const ITEM_CODES: &[(&str, &str)] = &[
    OTHER_ENTITY,
    OTHER_WAREHOUSE,
    OTHER_VARIANT,
    OTHER_ORDER,
    BEYOND_DELIVERED,
    NOT_RECEIVED,
    BOOKS_NOT_KEPT,
    (
        "ACCOUNT_UNUSABLE",
        "The account is not an active postable account of the legal entity, or it is a control account. State another one.",
    ),
    ("OTHER_PRODUCT", "The variant is of another product. State a variant of the unit's product."),
    ("NOT_SERIALIZED", "The variant is not serialized. State a serialized variant."),
    ("NOT_SOLD", "Only a SOLD unit can return as another variant. Omit the variant or state the variant of the unit."),
    ("NOT_IN_TRANSIT", "The warehouse is not of type IN_TRANSIT. State a warehouse of this type."),
    ("NONE", "The legal entity has no active warehouse of type IN_TRANSIT. Create one."),
    ("SEVERAL", "The legal entity has several active warehouses of type IN_TRANSIT. State one of them on the order."),
    ("NOT_OUTSTANDING", "The unit is not in transit on this line. State a unit of the line that is still outstanding."),
    ("UNCOSTED", "The cost of the goods is unknown, so it cannot change. State goods with a known cost."),
    ("EXCEEDS_COST", "The amount is above the cost of the goods. State a smaller amount."),
];
