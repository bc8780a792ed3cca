//! The price in effect for a quantity: the built-in module's answer, with the tiers on top.

use pricing::operations::price::resolve::{RESOLVE, instant, resolve};
use pricing::records::permission::READ;
use pricing::records::price::Price;
use pricing::rules::period::Stated;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{run, select};
use stoa_sdk::{Answer, Call, Operation, Reply};
use stoa_trade::quantity::Quantity;

use crate::records::tier::{Tier, TierRow, of_price};
use crate::rules::tier::{amount_at, sort};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(RESOLVE, "resolvePrice", one).summary("The price in effect")
        .description("Of an active variant under an active and published product, at the instant of the request or at `at`; \
            with `quantity` the amount of the tier that the quantity reaches.")
        .needs(READ).query::<ResolveFor>().answers::<TieredPrice>().problems(&["PRICE_NOT_IN_EFFECT"]),
];

/// The filters next to the variant.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveFor {
    /// Omitted: the instant of the request.
    at: Option<Stated>,
    /// How many are bought at once. Omitted: the price below every tier.
    quantity: Option<Quantity>,
}

/// A price as people read it, with its tiers. `amount` is what a unit costs at the quantity that was asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TieredPrice {
    #[serde(flatten)]
    pub price: Price,
    /// The lowest quantity first.
    pub quantity_tiers: Vec<Tier>,
}

/// `GET .../resolve/{variantId}`.
pub fn one(call: &Call) -> Answer {
    let query: ResolveFor = call.query()?;
    let time = instant(query.at.as_ref(), "/query/at")?;
    let mut price = resolve(call, time)?;
    let tiers = sort(run(select::<TierRow>(of_price(price.id)).whole())?);
    if let Some(quantity) = query.quantity {
        price.amount = amount_at(quantity, price.amount, &tiers);
    }
    let (id, version, list) = (price.id, price.version, price.list_id);
    let body = TieredPrice { price: Price::from_row(&price), quantity_tiers: tiers };
    Ok(Reply::json(&body).of(id, version).subject(list))
}
