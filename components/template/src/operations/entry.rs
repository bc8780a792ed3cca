//! Listing, reading and creating entries.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, insert, run};
use stoa_sdk::{Answer, Call, Client, Operation, Page, Problem, Text, emit, new_id};
use stoa_trade::lists::mentions;
use stoa_trade::refusal::or_duplicate;
use stoa_trade::{Caller, list_query, new_record};

use crate::records::entry::{AUDIT, ApiTemplateEntry, CREATED, EntryRow, TemplateEntry, show};
use crate::records::permission::{READ, WRITE};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/template/entries", "listTemplateEntries", list).summary("Entries")
        .needs(READ).query::<ListEntries>().answers::<Page<TemplateEntry>>()
        .and_client(Client::new(READ).answers::<Page<ApiTemplateEntry>>()),
    Operation::create("/template/entries", "createTemplateEntry", create).summary("Create an entry")
        .needs(WRITE).body::<TemplateEntryInput>().answers::<TemplateEntry>()
        .writes(AUDIT, &[CREATED.code]).problems(&["DUPLICATE"]),
    Operation::read("/template/entries/{id}", "getTemplateEntry", read).summary("An entry")
        .needs(READ).answers::<TemplateEntry>()
        .and_client(Client::new(READ).answers::<ApiTemplateEntry>()),
];

list_query! {
    pub struct ListEntries of EntryRow {
        /// Part of the name, in any case.
        text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TemplateEntryInput {
    /// Unique in the company.
    name: Text<1, 200>,
    note: Option<Text<0, 2000>>,
}

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListEntries>()?.page([])?;
    Caller::current().answer_page(rows, TemplateEntry::from_row, ApiTemplateEntry::from_row)
}

pub fn read(call: &Call) -> Answer {
    let row: Option<EntryRow> = run(get(call.path_id("id")?))?;
    row.as_ref().map(show).ok_or_else(Problem::not_found)
}

pub fn create(call: &Call) -> Answer {
    let input: TemplateEntryInput = call.body()?;
    let (id, note) = (new_id(), input.note.map(String::from));
    let row = new_record!(EntryRow { id, name: input.name.into(), note });
    run(insert([&row])).map_err(or_duplicate("/name"))?;
    emit([CREATED.of(row.id, None, &ApiTemplateEntry::from_row(&row))]);
    Ok(show(&row))
}
