//! Codes of items that the module answers beyond the shared ones, and the sentence of each.

use stoa_trade::item_codes::NOT_NORMAL;

/// `errors[].code` and its meaning.
pub const ITEM_CODES: &[(&str, &str)] = &[
    NOT_NORMAL,
    (
        "MISMATCH",
        "The value of the order differs from that of the session. Use a session of a register that fits the order.",
    ),
];
