//! Prices: how they are kept, and what people, API clients and events see of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Decimal, Id, Instant, Reply, collection, facts, view};

use crate::records::price_list::Status;

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "PRICE";

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
}

view! { pub PriceId of PriceRow { id: Id } }

/// Whoever changes which prices of a variant are active in a list, or when, holds this name.
pub fn lock_name(list: Id, variant: Id) -> String {
    format!("price:{list}:{variant}")
}

/// A price as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    pub id: Id,
    pub tenant_id: Id,
    pub status: Status,
    pub archived_at: Option<Instant>,
    pub created_at: Instant,
    pub updated_at: Instant,
    pub price_list_id: Id,
    pub variant_id: Id,
    pub currency_code: String,
    pub amount: Amount,
    pub valid_from: Option<Instant>,
    pub valid_to: Option<Instant>,
}

impl Price {
    pub fn of(row: PriceRow, tenant: Id) -> Price {
        Price {
            id: row.id,
            tenant_id: tenant,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            price_list_id: row.list_id,
            variant_id: row.variant_id,
            currency_code: row.currency_code,
            amount: row.amount,
            valid_from: row.valid_from,
            valid_to: row.valid_to,
        }
    }
}

/// The whole record as an answer to a person; audited under its list.
pub fn show(row: PriceRow) -> Reply {
    let (id, version, list) = (row.id, row.version, row.list_id);
    Reply::json(&Price::of(row, facts().tenant.into())).of(id, version).subject(list)
}

/// A price as API clients read it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicPrice<'a> {
    id: Id,
    status: Status,
    created_at: Instant,
    updated_at: Instant,
    price_list_id: Id,
    variant_id: Id,
    currency_code: &'a str,
    amount: Amount,
    valid_from: Option<Instant>,
    valid_to: Option<Instant>,
}

impl PublicPrice<'_> {
    pub fn of(row: &PriceRow) -> PublicPrice<'_> {
        PublicPrice {
            id: row.id,
            status: row.status,
            created_at: row.created_at,
            updated_at: row.updated_at,
            price_list_id: row.list_id,
            variant_id: row.variant_id,
            currency_code: &row.currency_code,
            amount: row.amount,
            valid_from: row.valid_from,
            valid_to: row.valid_to,
        }
    }
}

/// The public projection as an answer to an API client, whatever is on sale: who writes a price knows it.
pub fn show_public(row: &PriceRow) -> Reply {
    Reply::json(&PublicPrice::of(row)).of(row.id, row.version).subject(row.list_id)
}

/// A price in an event: whole while it is active in a public list, of an article on sale; otherwise ids.
#[derive(Serialize)]
#[serde(untagged)]
pub enum PriceEvent<'a> {
    Public(PublicPrice<'a>),
    Hidden(PriceIdentity),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PriceIdentity {
    id: Id,
    price_list_id: Id,
    variant_id: Id,
}

impl PriceEvent<'_> {
    /// `is_public`: of the list and the article.
    pub fn of(row: &PriceRow, is_public: bool) -> PriceEvent<'_> {
        match row.status == Status::Active && is_public {
            true => PriceEvent::Public(PublicPrice::of(row)),
            false => {
                PriceEvent::Hidden(PriceIdentity { id: row.id, price_list_id: row.list_id, variant_id: row.variant_id })
            }
        }
    }
}
