//! Price lists: how they are kept, and what people, API clients and events see of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, Problem, Reply, collection, facts, text_enum, view};

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "PRICE_LIST";

text_enum! {
    /// ARCHIVED records are immutable.
    #[derive(Default)]
    pub enum Status { #[default] Active => "ACTIVE", Archived => "ARCHIVED" }
}

text_enum! {
    /// PUBLIC lists may be read by API clients.
    #[derive(Default)]
    pub enum Visibility { #[default] Internal => "INTERNAL", Public => "PUBLIC" }
}

collection! {
    pub record ListRow in "price_list" {
        code: String,
        name: String,
        description: Option<String>,
        currency_code: String,
        visibility: Visibility,
        status: Status,
        archived_at: Option<Instant>,
    }
    unique { code: [code] }
    index { [status, id], [visibility, status] }
    search { text: [name, code] }
}

view! { pub ListId of ListRow { id: Id } }

impl ListRow {
    /// Whether API clients may read it.
    pub fn is_public(&self) -> bool {
        self.status == Status::Active && self.visibility == Visibility::Public
    }

    /// The row unless it is archived.
    ///
    /// # Errors
    /// ARCHIVED.
    pub fn unarchived(self) -> Result<ListRow, Problem> {
        if self.status == Status::Archived { Err(Problem::archived()) } else { Ok(self) }
    }
}

/// A price list as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceList {
    pub id: Id,
    pub tenant_id: Id,
    pub status: Status,
    pub archived_at: Option<Instant>,
    pub created_at: Instant,
    pub updated_at: Instant,
    pub code: String,
    pub name: String,
    pub description: Option<String>,
    pub currency_code: String,
    pub visibility: Visibility,
}

impl PriceList {
    pub fn of(row: ListRow, tenant: Id) -> PriceList {
        PriceList {
            id: row.id,
            tenant_id: tenant,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            code: row.code,
            name: row.name,
            description: row.description,
            currency_code: row.currency_code,
            visibility: row.visibility,
        }
    }
}

/// The whole record as an answer to a person.
pub fn show(row: ListRow) -> Reply {
    let (id, version) = (row.id, row.version);
    Reply::json(&PriceList::of(row, facts().tenant.into())).of(id, version)
}

/// A price list as API clients read it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicPriceList<'a> {
    id: Id,
    status: Status,
    created_at: Instant,
    updated_at: Instant,
    code: &'a str,
    name: &'a str,
    currency_code: &'a str,
    visibility: Visibility,
}

impl PublicPriceList<'_> {
    pub fn of(row: &ListRow) -> PublicPriceList<'_> {
        PublicPriceList {
            id: row.id,
            status: row.status,
            created_at: row.created_at,
            updated_at: row.updated_at,
            code: &row.code,
            name: &row.name,
            currency_code: &row.currency_code,
            visibility: row.visibility,
        }
    }
}

/// A price list in an event: whole while it is active and PUBLIC, otherwise its id.
#[derive(Serialize)]
#[serde(untagged)]
pub enum ListEvent<'a> {
    Public(PublicPriceList<'a>),
    Hidden(ListIdentity),
}

impl ListEvent<'_> {
    pub fn of(row: &ListRow) -> ListEvent<'_> {
        if row.is_public() {
            ListEvent::Public(PublicPriceList::of(row))
        } else {
            ListEvent::Hidden(ListIdentity { id: row.id })
        }
    }
}

/// All that events say of a list that is not public.
#[derive(Serialize)]
pub struct ListIdentity {
    pub id: Id,
}
