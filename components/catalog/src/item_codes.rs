//! Codes of items that the module answers beyond the shared ones, and the sentence of each. Most reasons of the catalog
//! are problem codes, which need no line here.

use stoa_trade::item_codes::ACTIVE_CHILDREN;

/// `errors[].code` and its meaning.
pub const ITEM_CODES: &[(&str, &str)] = &[
    ACTIVE_CHILDREN,
    ("HAS_VARIANTS", "The product has or had variants. Archive it instead."),
    ("HAS_MEDIA", "The product has or had media. Archive it instead."),
];
