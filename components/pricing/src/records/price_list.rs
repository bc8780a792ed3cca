//! Price lists: how they are kept, and what people, API clients and events see of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{EventData, EventKind, Id, Instant, Reply, collection, text_enum, view};
use stoa_trade::life::{Head, PublicHead};
use stoa_trade::{Archivable, Caller, Identity, Status, archivable};

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "PRICE_LIST";

pub const CREATED: EventKind<PriceListEvent> =
    EventKind::new("pricing.list.created", AUDIT, "A price list was created.");
pub const UPDATED: EventKind<PriceListEvent> =
    EventKind::new("pricing.list.updated", AUDIT, "A price list was replaced.");
pub const ARCHIVED: EventKind<Identity> = EventKind::new("pricing.list.archived", AUDIT, "A price list was archived.");

text_enum! {
    /// API clients can read PUBLIC lists.
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
    fixed [code, currency_code]
}
archivable!(ListRow);

view! { pub ListId of ListRow { id: Id } }

impl ListRow {
    /// Whether API clients may read it.
    pub fn is_public(&self) -> bool {
        self.status == Status::Active && self.visibility == Visibility::Public
    }

    /// A list as there may be one: what the contract shows, and what tests begin with.
    pub fn example() -> ListRow {
        ListRow {
            id: Id(0x0198_2f0a_51c0_7000, 0x8000_0000_0000_0001),
            version: 1,
            created_at: Instant(1_767_225_600_000),
            updated_at: Instant(1_767_225_600_000),
            code: "RETAIL".to_owned(),
            name: "Retail".to_owned(),
            description: None,
            currency_code: "EUR".to_owned(),
            visibility: Visibility::Public,
            status: Status::Active,
            archived_at: None,
        }
    }
}

/// A price list as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceList {
    #[serde(flatten)]
    head: Head,
    code: String,
    name: String,
    description: Option<String>,
    currency_code: String,
    visibility: Visibility,
}

impl From<ListRow> for PriceList {
    fn from(row: ListRow) -> PriceList {
        PriceList {
            head: row.head(),
            code: row.code,
            name: row.name,
            description: row.description,
            currency_code: row.currency_code,
            visibility: row.visibility,
        }
    }
}

/// A price list as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicPriceList")]
pub struct ApiPriceList {
    #[serde(flatten)]
    head: PublicHead,
    code: String,
    name: String,
    currency_code: String,
    visibility: Visibility,
}

impl From<ListRow> for ApiPriceList {
    fn from(row: ListRow) -> ApiPriceList {
        ApiPriceList {
            head: row.public_head(),
            code: row.code,
            name: row.name,
            currency_code: row.currency_code,
            visibility: row.visibility,
        }
    }
}

/// The record as an answer.
pub fn show(row: ListRow) -> Reply {
    Caller::current().show_row::<PriceList, ApiPriceList, _>(row)
}

/// Event data of a price list: all members while it is active and PUBLIC, else its id only.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PriceListEvent {
    Public(ApiPriceList),
    Hidden(Identity),
}

impl PriceListEvent {
    pub fn from_row(row: &ListRow) -> PriceListEvent {
        match row.is_public() {
            true => PriceListEvent::Public(row.clone().into()),
            false => PriceListEvent::Hidden(Identity { id: row.id }),
        }
    }
}

impl EventData for PriceListEvent {
    fn example() -> PriceListEvent {
        PriceListEvent::from_row(&ListRow::example())
    }
}
