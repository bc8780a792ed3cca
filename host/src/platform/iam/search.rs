//! A page of records of which each may be several rows, searched by a text. The host compares, because the databases disagree
//! about letters beyond ASCII.

use serde_json::Value as Json;
use uuid::Uuid;

use super::super::conditions::Conditions;
use super::super::page::Page;
use super::super::{Call, Performed, shown};
use crate::database::{Cell, Error, Row, Session};
use crate::problem::Problem;

/// Records read at once where only some of them may contain the text.
const BATCH: i64 = 500;

/// One record, and the fields that a text is looked for in.
pub struct Record {
    pub id: Uuid,
    pub shown: Json,
    pub searched: Vec<String>,
}

/// What is listed: which rows, the statement that reads them up to a limit, and how they become records.
pub struct List {
    pub conditions: fn(&Call<'_>, Uuid) -> Conditions,
    /// The condition that the cursor makes.
    pub after: &'static str,
    pub statement: fn(&Conditions, limit: &str) -> String,
    pub records: fn(&Call<'_>, &[Row]) -> Result<Vec<Record>, Error>,
}

pub async fn page(session: &mut Session, call: &Call<'_>, list: &List) -> Performed {
    let tenant = call.tenant()?;
    let page = Page::of(call);
    let text = call.query("text").map(str::to_lowercase);
    let batch = if text.is_some() { BATCH } else { page.rows() };
    let mut after = page.after;
    let mut items = Vec::new();
    loop {
        let mut wanted = (list.conditions)(call, tenant);
        wanted.and_some(list.after, after, Cell::Id);
        let limit = wanted.value(Cell::Integer(batch));
        let rows = session.query_composed((list.statement)(&wanted, &limit), wanted.values()).await?;
        let records = (list.records)(call, &rows)?;
        let last = i64::try_from(records.len()).unwrap_or(i64::MAX) < batch;
        after = records.last().map(|record| record.id);
        let found = records.into_iter().filter(|record| {
            text.as_ref().is_none_or(|text| record.searched.iter().any(|field| field.to_lowercase().contains(text)))
        });
        items.extend(found.map(|record| record.shown));
        if last || items.len() > page.limit {
            return Ok(page.answer_items(items));
        }
    }
}

/// The one record of the path's id.
pub async fn one(session: &mut Session, call: &Call<'_>, list: &List, id: &'static str) -> Performed {
    let mut wanted = (list.conditions)(call, call.tenant()?);
    wanted.and(id, Cell::Id(call.path_id("id")?));
    let limit = wanted.value(Cell::Integer(1));
    let rows = session.query_composed((list.statement)(&wanted, &limit), wanted.values()).await?;
    let record = (list.records)(call, &rows)?.pop().ok_or_else(|| Problem::of("NOT_FOUND"))?;
    Ok(shown(record.shown))
}
