//! The body of a lookup, and the faults that a schema cannot express.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Bounds, Id, Item, Problem, Text, item, text};
use stoa_trade::refusal::refuse_invalid;

use crate::records::lookup::Kind;

/// Characters of the code of a unit of measure at most.
const UNIT_CODE: usize = 16;

/// A lookup or unit of measure in a request. Codes of units have at most 16 characters and neither `.` nor `-`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CatalogLookupInput {
    pub name: Text<1, 200>,
    /// Unique per kind for ever, archived records included. Immutable.
    #[schemars(regex(pattern = text::CODE), length(max = 64))]
    pub code: String,
    /// Categories only: id of the parent category. Categories have at most 8 levels.
    pub parent_id: Option<Id>,
    /// Units of measure only. Omitted: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", range(min = 0, max = 6))]
    pub decimal_places: Option<i64>,
}

impl CatalogLookupInput {
    /// # Errors
    /// VALIDATION_FAILED: members that do not belong to the kind, and codes that no unit may have.
    pub fn check(&self, kind: Kind) -> Result<(), Problem> {
        let mut faults: Vec<Item> = Vec::new();
        if kind == Kind::Units && self.code.len() > UNIT_CODE {
            faults.push(item("/code", "FORMAT").with_bounds(Bounds::maximum(UNIT_CODE).of_counted("CHARACTERS")));
        } else if kind == Kind::Units && self.code.contains(['.', '-']) {
            faults.push(item("/code", "FORMAT"));
        }
        if kind != Kind::Categories && self.parent_id.is_some() {
            faults.push(item("/parentId", "NOT_ALLOWED"));
        }
        if kind != Kind::Units && self.decimal_places.is_some() {
            faults.push(item("/decimalPlaces", "NOT_ALLOWED"));
        }
        refuse_invalid(faults)
    }

    /// The decimal places: only units have them.
    pub fn places(&self, kind: Kind) -> Option<i64> {
        (kind == Kind::Units).then(|| self.decimal_places.unwrap_or(0))
    }
}
