//! Pages of the host's own lists: by id, the cursor being the last id of the page before.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Records at which one page of a search looks: no index serves a search, and a company has as many records as it
/// likes.
pub const SEARCHED: u32 = 10_000;

/// How many items a page has at most: the query parameter `limit`, 1 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Limit(pub u32);

impl Default for Limit {
    fn default() -> Limit {
        Limit(50)
    }
}

impl JsonSchema for Limit {
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": 100 })
    }
}

impl Limit {
    /// How many rows to read: one more than the page has, to know whether there are more.
    pub fn rows(self) -> i64 {
        i64::from(self.0) + 1
    }
}

/// One page of a list.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, description = "")]
pub struct Page<T> {
    items: Vec<T>,
    /// Cursor of the next page; null on the last page. A page before it may have fewer items than `limit`, or none: a search
    /// scans at most 10,000 records per request, and the next page continues there.
    next_cursor: Option<Uuid>,
}

impl<T> Page<T> {
    /// The page of at most [`Limit::rows`] items. `id`: an item's, which is the cursor.
    pub fn new(limit: Limit, mut items: Vec<T>, id: impl Fn(&T) -> Uuid) -> Page<T> {
        let most = limit.0 as usize;
        let has_more = items.len() > most;
        items.truncate(most);
        Page { next_cursor: items.last().filter(|_| has_more).map(id), items }
    }

    /// The page of a search that looked no further than this id, though more follows.
    pub fn searched_to(self, end: Option<Uuid>) -> Page<T> {
        Page { next_cursor: self.next_cursor.or(end), ..self }
    }
}

/// A list that is answered at once.
#[derive(Serialize, JsonSchema)]
#[schemars(inline, description = "")]
pub struct Items<T> {
    pub items: Vec<T>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_on_only_where_there_is_more() {
        let ids: Vec<Uuid> = (1..=3).map(Uuid::from_u128).collect();
        let page = |items: &[Uuid]| {
            let page = Page::new(Limit(2), items.to_vec(), |id| *id);
            (page.items, page.next_cursor)
        };
        assert_eq!(page(&ids), (ids[..2].to_vec(), Some(ids[1])));
        assert_eq!(page(&ids[..2]), (ids[..2].to_vec(), None));
        assert_eq!(page(&[]), (Vec::new(), None));
    }
}
