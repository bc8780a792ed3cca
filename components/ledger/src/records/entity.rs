//! Legal entities, and what people see of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Date, Id, Instant, Reply, collection, new_id, now, tenant, view};
use stoa_trade::{Caller, Status};

/// Name of this record type in the audit log.
pub const LEGAL_ENTITY: &str = "LEGAL_ENTITY";

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
    fixed [code, keeps_books, currency_code, books_start_on, amount_scale]
}
stoa_trade::archivable!(EntityRow);

view! { pub EntityId of EntityRow { id: Id } }

impl EntityRow {
    /// A new active entity without books.
    pub fn new(code: &str, name: String) -> EntityRow {
        let now = now();
        EntityRow {
            id: new_id(),
            version: 1,
            created_at: now,
            updated_at: now,
            code: code.to_owned(),
            code_key: code.to_ascii_lowercase(),
            name,
            legal_name: None,
            tax_id: None,
            country_code: None,
            keeps_books: false,
            currency_code: None,
            books_start_on: None,
            amount_scale: None,
            status: Status::Active,
            archived_at: None,
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
    /// ARCHIVED records are immutable and keep their codes reserved.
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

impl From<EntityRow> for LegalEntity {
    fn from(row: EntityRow) -> LegalEntity {
        LegalEntity {
            id: row.id,
            tenant_id: tenant(),
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

/// A legal entity as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicLegalEntity")]
pub struct ApiLegalEntity {
    id: Id,
    /// New records cannot refer to an ARCHIVED record.
    status: Status,
    code: String,
    name: String,
}

impl From<EntityRow> for ApiLegalEntity {
    fn from(row: EntityRow) -> ApiLegalEntity {
        ApiLegalEntity { id: row.id, status: row.status, code: row.code, name: row.name }
    }
}

/// The record as an answer; it has no entity tag, because its version stands in the body.
pub fn answer(row: EntityRow) -> Reply {
    let id = row.id;
    let reply = match Caller::current() {
        Caller::Person => Reply::json(&LegalEntity::from(row)),
        Caller::Client => Reply::json(&ApiLegalEntity::from(row)),
    };
    reply.resource(id)
}
