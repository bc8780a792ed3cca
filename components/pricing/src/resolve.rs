//! The price in effect: of one variant, or of many.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Problem, Reply, all, facts, map, set};

use crate::articles;
use crate::list::{Asker, ListRow, Status};
use crate::period::{Stated, in_effect};
use crate::price::{Price, PriceRow, answer};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveAt {
    /// Omitted: the instant of the request.
    at: Option<Stated>,
}

/// Variants whose prices are asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resolve {
    #[schemars(length(min = 1, max = 100), extend("uniqueItems" = true))]
    variant_ids: Vec<Id>,
    /// Omitted or null: the instant of the request.
    #[serde(default)]
    at: Option<Stated>,
}

/// The prices in effect, and the variants that have none.
#[derive(Serialize, JsonSchema)]
pub struct ResolvedPrices {
    items: Vec<Price>,
    missing: Vec<Id>,
}

/// Active prices of a list in effect at an instant.
pub fn effective(list: Id, variants: Filter, at: Instant) -> Filter {
    all([PriceRow::list_id.eq(list), variants, PriceRow::status.eq(Status::Active), in_effect(at)])
}

/// The instant that is asked for: the request's own where none is stated.
///
/// # Errors
/// VALIDATION_FAILED at `pointer`.
pub fn instant(at: Option<&Stated>, pointer: &str) -> Result<Instant, Problem> {
    match at {
        Some(stated) => stated.read(pointer).map_err(|fault| Problem::invalid(vec![fault])),
        None => Ok(Instant(facts().now)),
    }
}

pub fn one(call: &Call) -> Answer {
    let query: ResolveAt = call.query()?;
    let at = instant(query.at.as_ref(), "/query/at")?;
    resolved(call, Asker::Person, at).map(answer)
}

/// The price of the path's variant in effect at an instant.
pub fn resolved(call: &Call, asker: Asker, at: Instant) -> Result<PriceRow, Problem> {
    let (list_id, variant) = (call.path_id("listId")?, call.path_id("variantId")?);
    let article = articles::get_variant(variant);
    let filter = effective(list_id, PriceRow::variant_id.eq(variant), at);
    let (list, price) = run((get::<ListRow>(list_id), select::<PriceRow>(filter).limit(1)))?;
    let list = readable(list, asker)?;
    if !article.as_ref().is_some_and(articles::is_sold) {
        return Err(Problem::not_found());
    }
    let price = price.items.into_iter().next().filter(|_| list.status == Status::Active);
    price.ok_or_else(|| Problem::of("PRICE_NOT_IN_EFFECT"))
}

/// The list, if there is one for whoever asks: people may read archived ones.
fn readable(list: Option<ListRow>, asker: Asker) -> Result<ListRow, Problem> {
    ListRow::known_to(asker, list.filter(|list| asker == Asker::Person || list.status == Status::Active))
}

pub fn many(call: &Call) -> Answer {
    let body: Resolve = call.body()?;
    let at = instant(body.at.as_ref(), "/at")?;
    let (prices, missing) = all_resolved(call, Asker::Person, body.variant_ids, at)?;
    let tenant = Id::from(facts().tenant);
    let items = prices.into_iter().map(|price| Price::of(price, tenant)).collect();
    Ok(Reply::json(&ResolvedPrices { items, missing }))
}

/// The prices of variants in effect at an instant, and the variants that have none, both in the order of the request.
pub fn all_resolved(
    call: &Call,
    asker: Asker,
    variants: Vec<Id>,
    at: Instant,
) -> Result<(Vec<PriceRow>, Vec<Id>), Problem> {
    let list_id = call.path_id("listId")?;
    let articles = articles::get_variants(&variants);
    let sold =
        set(articles.iter().filter(|article| articles::is_sold(article)).map(|article| Id::from(article.variant_id)));
    let filter = effective(list_id, PriceRow::variant_id.one_of(variants.iter().copied()), at);
    let (list, prices) = run((get::<ListRow>(list_id), select::<PriceRow>(filter)))?;
    let is_active = readable(list, asker)?.status == Status::Active;
    let prices = prices.items.into_iter().filter(|price| is_active && sold.contains(&price.variant_id));
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
