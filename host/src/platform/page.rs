//! Pages of the host's own lists: by id, the cursor being the last id of the page before.

use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::{Call, shown};
use crate::database::{Error, Row};
use crate::pipeline::run::Done;

/// Which page is asked for.
pub struct Page {
    /// `None`: the first.
    pub after: Option<Uuid>,
    pub limit: usize,
}

impl Page {
    pub fn of(call: &Call<'_>) -> Page {
        Page {
            after: call.query("cursor").and_then(|cursor| Uuid::try_parse(cursor).ok()),
            limit: call.query("limit").and_then(|limit| limit.parse().ok()).unwrap_or(50),
        }
    }

    /// How many rows to read: one more than shown, to know whether there are more.
    pub fn rows(&self) -> i64 {
        i64::try_from(self.limit).unwrap_or(100) + 1
    }

    /// The page's answer from at most [`Page::rows`] rows. `item` shows one; its `id` is the cursor.
    pub fn answer(&self, rows: &[Row], item: impl Fn(&Row) -> Result<Json, Error>) -> Result<Done, Error> {
        Ok(self.answer_items(rows.iter().map(item).collect::<Result<Vec<Json>, Error>>()?))
    }

    /// As `answer`, of items that are ready.
    pub fn answer_items(&self, mut items: Vec<Json>) -> Done {
        let more = items.len() > self.limit;
        items.truncate(self.limit);
        let next = if more { items.last().map(|last| last["id"].clone()) } else { None };
        shown(json!({ "items": items, "nextCursor": next }))
    }
}
