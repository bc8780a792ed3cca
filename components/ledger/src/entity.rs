//! Legal entities: how they are kept, read and listed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{
    Answer, Call, Date, Id, Instant, Limit, Page, Problem, Reply, Text, all, collection, contains, facts, paged,
    text_enum,
};

text_enum! {
    /// ARCHIVED records are immutable and keep their codes.
    #[derive(Default)]
    pub enum Status { #[default] Active => "ACTIVE", Archived => "ARCHIVED" }
}

collection! {
    pub record EntityRow in "legal_entity" {
        code: String,
        // Lower case: codes are unique in any case.
        code_key: String,
        name: String,
        legal_name: Option<String>,
        tax_id: Option<String>,
        country_code: Option<String>,
        keeps_books: bool,
        currency_code: Option<String>,
        books_start_on: Option<Date>,
        amount_scale: Option<i64>,
        status: Status,
        archived_at: Option<Instant>,
    }
    unique { code: [code_key] }
    index { [status, id] }
    search { text: [name, code, legal_name] }
}

/// What postings and whatever they rely on are kept apart by: posters hold it shared, and whoever changes accounts, mappings,
/// periods or the entity itself holds it alone.
pub fn books_lock(entity: Id) -> String {
    format!("books:{entity}")
}

/// The books that an entity keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct Books {
    pub currency_code: String,
    pub start_on: Date,
    pub scale: u32,
}

impl EntityRow {
    /// None where it keeps no books.
    pub fn books(&self) -> Option<Books> {
        let (true, Some(currency), Some(start_on), Some(scale)) =
            (self.keeps_books, &self.currency_code, self.books_start_on, self.amount_scale)
        else {
            return None;
        };
        Some(Books { currency_code: currency.clone(), start_on, scale: u32::try_from(scale).ok()? })
    }

    /// The entity unless it is archived.
    ///
    /// # Errors
    /// ARCHIVED.
    pub fn unarchived(self) -> Result<EntityRow, Problem> {
        if self.status == Status::Archived { Err(Problem::archived()) } else { Ok(self) }
    }

    /// The active entity that a body names.
    ///
    /// # Errors
    /// NOT_FOUND or REFERENCE_INVALID at the pointer.
    pub fn named(row: Option<EntityRow>, pointer: &str) -> Result<EntityRow, Problem> {
        match row {
            None => Err(Problem::reference_missing(pointer)),
            Some(row) if row.status == Status::Archived => Err(Problem::reference_invalid(pointer)),
            Some(row) => Ok(row),
        }
    }
}

/// A legal entity.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LegalEntity {
    id: Id,
    tenant_id: Id,
    version: i64,
    status: Status,
    archived_at: Option<Instant>,
    created_at: Instant,
    updated_at: Instant,
    code: String,
    name: String,
    legal_name: Option<String>,
    tax_id: Option<String>,
    country_code: Option<String>,
    keeps_books: bool,
    currency_code: Option<String>,
    books_start_on: Option<Date>,
    amount_scale: Option<i64>,
}

impl LegalEntity {
    fn of(row: EntityRow, tenant: Id) -> LegalEntity {
        LegalEntity {
            id: row.id,
            tenant_id: tenant,
            version: row.version,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            code: row.code,
            name: row.name,
            legal_name: row.legal_name,
            tax_id: row.tax_id,
            country_code: row.country_code,
            keeps_books: row.keeps_books,
            currency_code: row.currency_code,
            books_start_on: row.books_start_on,
            amount_scale: row.amount_scale,
        }
    }
}

/// The whole record as an answer.
pub fn answer(row: EntityRow) -> Reply {
    let id = row.id;
    Reply::json(&LegalEntity::of(row, facts().tenant.into())).resource(id)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListLegalEntities {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    status: Status,
    /// Part of a name or code, in any case.
    text: Option<Text<1, 200>>,
}

pub fn list(call: &Call) -> Answer {
    let query: ListLegalEntities = call.query()?;
    let text = query.text.as_deref().map(|text| contains("text", text));
    let filter = all([EntityRow::status.eq(query.status)].into_iter().chain(text));
    let rows = paged(query.limit, |limit| run(select::<EntityRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| LegalEntity::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?;
    row.map(answer).ok_or_else(Problem::not_found)
}
