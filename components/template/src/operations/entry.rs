//! Listing, reading and creating entries.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, insert, run};
use stoa_sdk::{Answer, Call, Id, Limit, Operation, Page, Problem, Text, emit, new_id, now};
use stoa_trade::lists::{answer_page, mentions, read_page};
use stoa_trade::refusal::or_duplicate;

use crate::records::entry::{AUDIT, CREATED, EntryRow, TemplateEntry, show};

const READ: &[&str] = &["template.read"];
const WRITE: &[&str] = &["template.write"];

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/template/entries", "listTemplateEntries", list).summary("Entries")
        .needs(READ).query::<ListEntries>().answers::<Page<TemplateEntry>>(),
    Operation::create("/template/entries", "createTemplateEntry", create).summary("Create an entry")
        .needs(WRITE).body::<TemplateEntryInput>().answers::<TemplateEntry>()
        .writes(AUDIT, &[CREATED.code]).problems(&["DUPLICATE"]),
    Operation::read("/template/entries/{id}", "getTemplateEntry", read).summary("An entry")
        .needs(READ).answers::<TemplateEntry>(),
];

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

pub fn list(call: &Call) -> Answer {
    let query: ListEntries = call.query()?;
    let rows = read_page(&mentions("text", query.text.as_deref()), query.cursor, query.limit)?;
    answer_page(rows, |row: &EntryRow| row.id, TemplateEntry::from)
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?;
    row.map(show).ok_or_else(Problem::not_found)
}

pub fn create(call: &Call) -> Answer {
    let input: TemplateEntryInput = call.body()?;
    let row = EntryRow {
        id: new_id(),
        version: 1,
        created_at: now(),
        updated_at: now(),
        name: input.name.into(),
        note: input.note.map(String::from),
    };
    run(insert([&row])).map_err(or_duplicate("/name"))?;
    emit([CREATED.of(row.id, None, &row.clone().into())]);
    Ok(show(row))
}
