//! What may be seen without a person's rights: the projections of machine reads and of events.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant};

use crate::list::{ListRow, Status, Visibility};
use crate::price::{Amount, PriceRow};

/// All that is told of a record that is not public.
#[derive(Serialize)]
pub struct Identity {
    pub id: Id,
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
pub enum List<'a> {
    Public(PublicPriceList<'a>),
    Hidden(Identity),
}

impl List<'_> {
    pub fn of(row: &ListRow) -> List<'_> {
        if row.is_public() { List::Public(PublicPriceList::of(row)) } else { List::Hidden(Identity { id: row.id }) }
    }
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

/// A price in an event: whole while it is active in a public list, of an article on sale; otherwise ids.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Price<'a> {
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

impl Price<'_> {
    /// `is_public`: of the list and the article.
    pub fn of(row: &PriceRow, is_public: bool) -> Price<'_> {
        match row.status == Status::Active && is_public {
            true => Price::Public(PublicPrice::of(row)),
            false => {
                Price::Hidden(PriceIdentity { id: row.id, price_list_id: row.list_id, variant_id: row.variant_id })
            }
        }
    }
}
