//! Entries: a name that is unique in the company, and a note.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{Failure, get, insert, run, select};
use stoa_sdk::{
    Answer, Call, Id, Instant, Limit, Page, Problem, Reply, Text, collection, contains, emit, event, facts, new_id,
    paged,
};

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "TEMPLATE_ENTRY";
pub const CREATED: &str = "template.entry.created";

collection! {
    pub record EntryRow in "entry" {
        name: String,
        note: Option<String>,
    }
    unique { name: [name] }
    search { text: [name] }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListEntries {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    /// Part of the name, in any case.
    text: Option<Text<1, 200>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TemplateEntryInput {
    /// Unique in the company.
    name: Text<1, 200>,
    #[serde(default)]
    note: Option<Text<0, 2000>>,
}

/// An entry as people read it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateEntry {
    id: Id,
    tenant_id: Id,
    created_at: Instant,
    updated_at: Instant,
    name: String,
    note: Option<String>,
}

impl TemplateEntry {
    fn of(row: EntryRow, tenant: Id) -> TemplateEntry {
        TemplateEntry {
            id: row.id,
            tenant_id: tenant,
            created_at: row.created_at,
            updated_at: row.updated_at,
            name: row.name,
            note: row.note,
        }
    }
}

pub fn list(call: &Call) -> Answer {
    let query: ListEntries = call.query()?;
    let filter = query.text.as_deref().map(|text| contains("text", text)).unwrap_or_default();
    let rows = paged(query.limit, |limit| run(select::<EntryRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| TemplateEntry::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let row = run(get::<EntryRow>(call.path_id("id")?))?;
    Ok(answer(row.ok_or_else(Problem::not_found)?))
}

pub fn create(call: &Call) -> Answer {
    let input: TemplateEntryInput = call.body()?;
    let now = Instant(facts().now);
    let row = EntryRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        name: input.name.into(),
        note: input.note.map(String::from),
    };
    match run(insert([&row])) {
        Err(Failure::Duplicate(_)) => return Err(Problem::duplicate("/name")),
        inserted => inserted?,
    };
    emit(&[event(CREATED, AUDIT, row.id, None, &TemplateEntry::of(row.clone(), Id::from(facts().tenant)))]);
    Ok(answer(row))
}

fn answer(row: EntryRow) -> Reply {
    let (id, version) = (row.id, row.version);
    Reply::json(&TemplateEntry::of(row, Id::from(facts().tenant))).of(id, version)
}

#[cfg(test)]
mod tests;
