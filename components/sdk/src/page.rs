//! Pages of lists: a cursor is the last id of the page before.

use schemars::{JsonSchema, json_schema};
use serde::{Deserialize, Serialize};

use crate::bindings::commerce::platform::store::Failure;
use crate::bindings::exports::commerce::platform::module::Problem;
use crate::id::Id;

/// How many items a page has at most: the query parameter `limit`, 1 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Limit(pub u32);

impl Default for Limit {
    fn default() -> Limit {
        Limit(50)
    }
}

inline_schema!([] Limit, |_| json_schema!({ "type": "integer", "minimum": 1, "maximum": 100 }));

/// One page of a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "{T}Page")]
pub struct Page<T> {
    /// Items in the order of the list.
    pub items: Vec<T>,
    /// Cursor of the next page; null on the last page. A page before it may have fewer items than `limit`, or none: a text
    /// search scans at most 10,000 records per request, and the next page continues there.
    pub next_cursor: Option<Id>,
}

impl<T> Page<T> {
    /// A page of rows, or of references to them. `has_more`: rows follow the last of `rows`.
    pub fn from_rows<R>(
        rows: impl IntoIterator<Item = R>,
        has_more: bool,
        id: impl Fn(&R) -> Id,
        item: impl Fn(R) -> T,
    ) -> Page<T> {
        let mut last = None;
        let shown = |row: R| {
            last = Some(id(&row));
            item(row)
        };
        let items = rows.into_iter().map(shown).collect();
        Page { items, next_cursor: last.filter(|_| has_more) }
    }
}

/// Reads a page of `limit` rows, or, where their bytes pass what the store answers at once, of an eighth of that: a page may
/// be shorter than its limit, and the cursor leads on.
#[track_caller]
pub fn fit_page<T>(limit: Limit, read: impl Fn(u32) -> Result<T, Failure>) -> Result<T, Problem> {
    match read(limit.0) {
        Err(Failure::Limit(_)) if limit.0 > 1 => Ok(read(limit.0.div_ceil(8))?),
        answer => Ok(answer?),
    }
}
