//! Codes of items that the module answers beyond the shared ones, and the sentence of each.

/// `errors[].code` and its meaning.
pub const ITEM_CODES: &[(&str, &str)] = &[];
