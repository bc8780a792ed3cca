//! Prices: how they are kept, and what people, API clients and events see of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Decimal, EventData, EventKind, Id, Instant, Reply, collection, view};
use stoa_trade::life::{Head, PublicHead};
use stoa_trade::{Archivable, Caller, Status, archivable};

use crate::records::price_list::ListRow;

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "PRICE";

pub const CREATED: EventKind<PriceEvent> = EventKind::new("pricing.price.created", AUDIT, "A price was created.");
pub const UPDATED: EventKind<PriceEvent> = EventKind::new("pricing.price.updated", AUDIT, "A price was changed.");
pub const ARCHIVED: EventKind<PriceIdentity> = EventKind::new("pricing.price.archived", AUDIT, "A price was archived.");

/// Amounts: at most 12 integer digits, exactly 6 after the point.
pub type Amount = Decimal<6>;

collection! {
    pub record PriceRow in "price" {
        list_id: Id,
        variant_id: Id,
        currency_code: String,
        amount: Amount,
        valid_from: Option<Instant>,
        valid_to: Option<Instant>,
        status: Status,
        archived_at: Option<Instant>,
    }
    index { [list_id, variant_id, status, valid_from], [variant_id] }
    fixed [list_id, variant_id, currency_code]
}
archivable!(PriceRow);

view! { pub PriceId of PriceRow { id: Id } }

impl PriceRow {
    /// A price as there may be one, in the list of the same name: what the contract shows, and what tests begin with.
    pub fn example() -> PriceRow {
        let list = ListRow::example();
        PriceRow {
            id: Id(0x0198_2f0a_51c0_7000, 0x8000_0000_0000_0002),
            version: 1,
            created_at: list.created_at,
            updated_at: list.updated_at,
            list_id: list.id,
            variant_id: Id(0x0198_2f0a_51c0_7000, 0x8000_0000_0000_0003),
            currency_code: list.currency_code,
            amount: Amount::from_units(12_500_000),
            valid_from: None,
            valid_to: None,
            status: Status::Active,
            archived_at: None,
        }
    }
}

/// The name of the lock for changes to which prices of a variant are active in a list, or when.
pub fn lock_name(list: Id, variant: Id) -> String {
    format!("price:{list}:{variant}")
}

/// What people, API clients and events see of a price alike.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PriceBody {
    price_list_id: Id,
    variant_id: Id,
    currency_code: String,
    amount: Amount,
    valid_from: Option<Instant>,
    valid_to: Option<Instant>,
}

impl From<PriceRow> for PriceBody {
    fn from(row: PriceRow) -> PriceBody {
        PriceBody {
            price_list_id: row.list_id,
            variant_id: row.variant_id,
            currency_code: row.currency_code,
            amount: row.amount,
            valid_from: row.valid_from,
            valid_to: row.valid_to,
        }
    }
}

/// A price as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Price {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    body: PriceBody,
}

impl From<PriceRow> for Price {
    fn from(row: PriceRow) -> Price {
        Price { head: row.head(), body: row.into() }
    }
}

/// A price as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicPrice")]
pub struct ApiPrice {
    #[serde(flatten)]
    head: PublicHead,
    #[serde(flatten)]
    body: PriceBody,
}

impl From<PriceRow> for ApiPrice {
    fn from(row: PriceRow) -> ApiPrice {
        ApiPrice { head: row.public_head(), body: row.into() }
    }
}

/// The record as an answer, audited under its list. A client that writes a price sees it, whatever is on sale.
pub fn show(row: PriceRow) -> Reply {
    let list = row.list_id;
    Caller::current().show_row::<Price, ApiPrice, _>(row).subject(list)
}

/// Event data of a price: all members while it is active in a public list and its variant is on sale, else ids only.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PriceEvent {
    Public(ApiPrice),
    Hidden(PriceIdentity),
}

/// Event data of a price that is not public: ids only.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceIdentity {
    id: Id,
    price_list_id: Id,
    variant_id: Id,
}

impl From<&PriceRow> for PriceIdentity {
    fn from(row: &PriceRow) -> PriceIdentity {
        PriceIdentity { id: row.id, price_list_id: row.list_id, variant_id: row.variant_id }
    }
}

impl EventData for PriceIdentity {
    fn example() -> PriceIdentity {
        (&PriceRow::example()).into()
    }
}

impl PriceEvent {
    /// `is_public`: of the list and the article.
    pub fn from_row(row: &PriceRow, is_public: bool) -> PriceEvent {
        match row.status == Status::Active && is_public {
            true => PriceEvent::Public(row.clone().into()),
            false => PriceEvent::Hidden(row.into()),
        }
    }
}

impl EventData for PriceEvent {
    fn example() -> PriceEvent {
        PriceEvent::from_row(&PriceRow::example(), true)
    }
}
