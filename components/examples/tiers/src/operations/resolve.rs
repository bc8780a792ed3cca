//! The price in effect for a quantity: the built-in module's answer, with the tiers on top.

use pricing::operations::price::resolve::{ADJUSTMENT, RESOLVE, instant, resolve};
use pricing::records::offer::{ResolvedPrice, tag_reply};
use pricing::records::permission::READ;
use pricing::rules::period::Stated;
use pricing::work::offers::adjust_one;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{run, select};
use stoa_sdk::{Answer, Call, Id, Operation, Reply};
use stoa_trade::quantity::Positive;

use crate::records::tier::{Tier, TierRow, of_price};
use crate::rules::tier::{amount_at, sort};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(RESOLVE, "resolvePrice", one).summary("The price in effect")
        .description("Of an active variant under an active and published product, at the instant of the request or at `at`; \
            with `quantity` the amount of the tier that the quantity reaches.")
        .needs(READ).query::<ResolveFor>().answers::<TieredPrice>().problems(&["PRICE_NOT_IN_EFFECT"])
        .reaches(ADJUSTMENT),
];

/// The filters next to the variant.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResolveFor {
    /// Omitted: the instant of the request.
    at: Option<Stated>,
    /// How many are bought at once. Omitted: the price below every tier.
    quantity: Option<Positive>,
    /// Customer for whom extensions may adjust the price. It is not checked that there is such a customer.
    customer_id: Option<Id>,
}

/// A price as people read it, with its tiers. `amount` is what a unit costs at the quantity that was asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TieredPrice {
    #[serde(flatten)]
    pub price: ResolvedPrice,
    /// The lowest quantity first.
    pub quantity_tiers: Vec<Tier>,
}

/// `GET .../resolve/{variantId}`.
pub fn one(call: &Call) -> Answer {
    let query: ResolveFor = call.query()?;
    let time = instant(query.at.as_ref(), "/query/at")?;
    let mut price = resolve(call, time)?;
    let tiers = sort(run(select::<TierRow>(of_price(price.id)).whole())?);
    let quantity = query.quantity.map(|quantity| quantity.0);
    if let Some(quantity) = quantity {
        price.amount = amount_at(quantity, price.amount, &tiers);
    }
    let offer = adjust_one(query.customer_id, time, price, quantity);
    let body = TieredPrice { price: ResolvedPrice::from_offer(&offer), quantity_tiers: tiers };
    Ok(tag_reply(&offer, Reply::json(&body)))
}
