//! Request bodies of a stock count, and the faults that a schema cannot find.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Decimal, Id, Item, Problem, Text, item};
use stoa_trade::document::lines::{Lines, find_repeated_ids};
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::limits::COUNTED;
use stoa_trade::quantity::Quantity;
use stoa_trade::refusal::refuse_invalid;

/// A stock count to open.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StockCountInput {
    /// Unique in the legal entity, ignoring case. Immutable. Omitted or null: `SC-` and the next number.
    pub number: Option<DocumentNumber>,
    pub warehouse_id: Id,
    pub notes: Option<Text<0, 2000>>,
}

/// Counted lines. A line of a variant replaces its earlier line, and the expected quantity is read again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordStockCount {
    pub expected_version: ExpectedVersion,
    #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
    pub lines: Vec<CountedLine>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CountedLine {
    pub variant_id: Id,
    pub counted_quantity: Quantity,
    /// Cost of one surplus unit of measure; required for a surplus if the legal entity keeps books.
    pub unit_cost: Option<Decimal<6>>,
    /// Serialized variants only: every unit that is present, including a unit that was LOST.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::COUNTED), extend("uniqueItems" = true, "default" = []))]
    pub unit_ids: Vec<Id>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PostStockCount {
    pub expected_version: ExpectedVersion,
    pub reason: Text<1, 1000>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelStockCount {
    pub expected_version: ExpectedVersion,
}

/// # Errors
/// VALIDATION_FAILED: a variant or unit twice, too many units.
pub fn check(lines: &[CountedLine]) -> Result<(), Problem> {
    let mut faults: Vec<Item> = Vec::new();
    let (mut variants, mut units) = (BTreeSet::new(), BTreeSet::new());
    for (pointer, line) in Lines::at("/lines", lines).iter() {
        if !variants.insert(line.variant_id) {
            faults.push(item(pointer.member("variantId"), "REPEATED"));
        }
        faults.extend(find_repeated_ids(&pointer.member("unitIds"), &line.unit_ids, &mut units));
    }
    if units.len() > COUNTED {
        faults.push(item("/lines", "TOO_MANY"));
    }
    refuse_invalid(faults)
}
