//! Variants and units that the lines of a document name and that do not exist.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Item, item};
use stoa_trade::clients::articles::Article;

/// Faults at the variants and units of lines that are not there; `pointer` is that of the lines.
pub fn find_unknown<'a>(
    pointer: &str,
    lines: impl Iterator<Item = (Id, &'a [Id])>,
    articles: &BTreeMap<Id, Article>,
    is_known_unit: impl Fn(Id) -> bool,
) -> Vec<Item> {
    let mut missing = Vec::new();
    for (index, (variant, units)) in lines.enumerate() {
        if !articles.contains_key(&variant) {
            missing.push(item(format!("{pointer}/{index}/variantId"), "NOT_FOUND"));
        }
        let absent = units.iter().enumerate().filter(|(_, id)| !is_known_unit(**id));
        missing.extend(absent.map(|(nth, _)| item(format!("{pointer}/{index}/unitIds/{nth}"), "NOT_FOUND")));
    }
    missing
}
