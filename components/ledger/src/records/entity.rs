//! Legal entities, and what people see of them.

use stoa_sdk::{Date, Id, Instant, Reply, collection, new_id, tenant, view};
use stoa_trade::{Caller, Status, archivable, new_record, resource};

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
archivable!(EntityRow);

view! { pub EntityId of EntityRow { id: Id } }

impl EntityRow {
    /// A new active entity without books.
    pub fn new(code: &str, name: String) -> EntityRow {
        new_record!(EntityRow {
            id: new_id(),
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
        })
    }
}

resource! {
    /// A legal entity.
    pub struct LegalEntity of row: EntityRow {
        id: Id,
        tenant_id: Id = tenant(),
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
}

resource! {
    /// A legal entity as returned to API clients.
    #[schemars(rename = "PublicLegalEntity")]
    pub struct ApiLegalEntity of row: EntityRow {
        id: Id,
        /// New records cannot refer to an ARCHIVED record.
        status: Status,
        code: String,
        name: String,
    }
}

/// The record as an answer; it has no entity tag, because its version is in the body.
pub fn answer(row: &EntityRow) -> Reply {
    Caller::current().show(|| LegalEntity::from_row(row), || ApiLegalEntity::from_row(row)).resource(row.id)
}
