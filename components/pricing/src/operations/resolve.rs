//! The price in effect: of one variant, or of many.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Client, Id, Instant, Operation, Problem, Reply, map, now};
use stoa_trade::Status;

use crate::records::price::{Price, PriceRow, PublicPrice, show, show_public};
use crate::records::price_list::ListRow;
use crate::rules::access::{Asker, READ, require_readable};
use crate::rules::period::{Stated, effective};
use crate::work::articles::{is_variant_on_sale, select_on_sale};

/// The price in effect of a variant.
pub const RESOLVE: &str = "/pricing/price-lists/{listId}/resolve/{variantId}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(RESOLVE, "resolvePrice", one)
        .summary("The price in effect")
        .description("For an active variant of an active and published product, at the instant of the request or at `at`.")
        .needs(READ).query::<ResolveAt>().answers::<Price>().problems(&["PRICE_NOT_IN_EFFECT"]),
    Operation::ask("/pricing/price-lists/{listId}/resolve", "resolvePrices", many)
        .summary("The prices in effect of up to 100 variants")
        .needs(READ).body::<Resolve>().grows_with("/variantIds").answers::<ResolvedPrices>()
        .and_client(Client::new(READ).run(api_many).summary("The prices in effect now of up to 100 variants")
            .body::<ResolveNow>().answers::<PublicResolvedPrices>()),
    // No twin of the person's: another instant cannot be asked for.
    Operation::read(RESOLVE, "apiResolvePrice", api_one)
        .summary("The price in effect now")
        .description("For an active variant of a product on sale, in a public list. `at` is not supported.")
        .machine(READ).answers::<PublicPrice>().problems(&["PRICE_NOT_IN_EFFECT"]),
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveAt {
    /// Omitted: the instant of the request.
    at: Option<Stated>,
}

/// Variants whose prices you request.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resolve {
    #[schemars(length(min = 1, max = 100), extend("uniqueItems" = true))]
    variant_ids: Vec<Id>,
    /// Instant of the prices. Omitted or null: the instant of the request.
    #[serde(default)]
    at: Option<Stated>,
}

/// Prices in effect, and the variants without one.
#[derive(Serialize, JsonSchema)]
pub struct ResolvedPrices {
    items: Vec<Price>,
    missing: Vec<Id>,
}

/// Variants whose prices in effect you request.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResolveNow {
    #[schemars(length(min = 1, max = 100), extend("uniqueItems" = true))]
    variant_ids: Vec<Id>,
}

/// Prices in effect, and the variants without one.
#[derive(Serialize, JsonSchema)]
pub struct PublicResolvedPrices {
    items: Vec<PublicPrice>,
    missing: Vec<Id>,
}

/// The instant that is asked for: the request's own where none is stated.
///
/// # Errors
/// VALIDATION_FAILED at `pointer`.
pub fn instant(stated: Option<&Stated>, pointer: &str) -> Result<Instant, Problem> {
    match stated {
        Some(stated) => stated.read(pointer).map_err(|fault| Problem::invalid(vec![fault])),
        None => Ok(now()),
    }
}

pub fn one(call: &Call) -> Answer {
    let query: ResolveAt = call.query()?;
    let time = instant(query.at.as_ref(), "/query/at")?;
    resolve_as(Asker::Person, call, time).map(show)
}

pub fn api_one(call: &Call) -> Answer {
    resolve_as(Asker::Client, call, now()).map(show_public)
}

/// The price of the path's variant in effect at an instant.
pub fn resolve_as(asker: Asker, call: &Call, time: Instant) -> Result<PriceRow, Problem> {
    let (list_id, variant) = (call.path_id("listId")?, call.path_id("variantId")?);
    let is_sold = is_variant_on_sale(variant);
    let filter = effective(list_id, PriceRow::variant_id.eq(variant), time);
    let (list, price) = run((get::<ListRow>(list_id), select::<PriceRow>(filter).first()))?;
    let list = require_readable(asker, list)?;
    if !is_sold {
        return Err(Problem::not_found());
    }
    let price = price.filter(|_| list.status == Status::Active);
    price.ok_or_else(|| Problem::new("PRICE_NOT_IN_EFFECT"))
}

pub fn many(call: &Call) -> Answer {
    let body: Resolve = call.body()?;
    let time = instant(body.at.as_ref(), "/at")?;
    let (prices, missing) = resolve_many_as(Asker::Person, call, body.variant_ids, time)?;
    let items = prices.into_iter().map(Price::from).collect();
    Ok(Reply::json(&ResolvedPrices { items, missing }))
}

pub fn api_many(call: &Call) -> Answer {
    let ResolveNow { variant_ids } = call.body()?;
    let (prices, missing) = resolve_many_as(Asker::Client, call, variant_ids, now())?;
    Ok(Reply::json(&PublicResolvedPrices { items: prices.into_iter().map(PublicPrice::from).collect(), missing }))
}

/// The prices of variants in effect at an instant, and the variants that have none, both in the order of the request.
fn resolve_many_as(
    asker: Asker,
    call: &Call,
    variants: Vec<Id>,
    time: Instant,
) -> Result<(Vec<PriceRow>, Vec<Id>), Problem> {
    let list_id = call.path_id("listId")?;
    let sold = select_on_sale(variants.iter().copied());
    let filter = effective(list_id, PriceRow::variant_id.one_of(variants.iter().copied()), time);
    let (list, prices) = run((get::<ListRow>(list_id), select::<PriceRow>(filter).whole()))?;
    let is_active = require_readable(asker, list)?.status == Status::Active;
    let prices = prices.into_iter().filter(|price| is_active && sold.contains(&price.variant_id));
    let mut prices = map(prices.map(|price| (price.variant_id, price)));
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for variant in variants {
        match prices.remove(&variant) {
            Some(price) => found.push(price),
            None => missing.push(variant),
        }
    }
    Ok((found, missing))
}
