//! Tiers: from which quantity on a price has which amount. How they are kept, and what people see of them.

use pricing::records::price::{Amount, PriceRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Filter, Id, Reply, all, collection};
use stoa_trade::quantity::Quantity;

collection! {
    /// Nothing is ever deleted: places beyond the last tier stay, inactive, for the next longer list.
    pub record TierRow in "price_tier" {
        price_id: Id,
        position: i64,
        from_quantity: Quantity,
        amount: Amount,
        active: bool,
    }
    unique { place: [price_id, position] }
    checks { position: [position >= 0] }
}

/// A tier as it is sent.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TierInput {
    /// Above zero; each once.
    pub from_quantity: Quantity,
    pub amount: Amount,
}

/// The tiers of a price, the lowest quantity first. The entity tag is the price's.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceTiers {
    pub price_id: Id,
    pub price_list_id: Id,
    pub variant_id: Id,
    pub currency_code: String,
    /// Below the first tier.
    pub amount: Amount,
    pub tiers: Vec<Tier>,
}

/// A tier: the amount of each unit from this quantity on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tier {
    pub from_quantity: Quantity,
    pub amount: Amount,
}

/// The tiers of a price.
pub fn of_price(price: Id) -> Filter {
    all([TierRow::price_id.eq(price), TierRow::active.eq(true)])
}

/// The tiers as an answer to a person; audited under the list.
pub fn show(price: PriceRow, tiers: Vec<Tier>) -> Reply {
    let (id, version, list) = (price.id, price.version, price.list_id);
    let body = PriceTiers {
        price_id: id,
        price_list_id: list,
        variant_id: price.variant_id,
        currency_code: price.currency_code,
        amount: price.amount,
        tiers,
    };
    Reply::json(&body).of(id, version).subject(list)
}
