//! The price in effect: of one variant, or of many.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Problem, Reply, all, facts};

use crate::articles;
use crate::list::{ListRow, Status};
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

fn instant(at: Option<&Stated>, pointer: &str) -> Result<Instant, Problem> {
    match at {
        Some(stated) => stated.read(pointer).map_err(|fault| Problem::invalid(vec![fault])),
        None => Ok(Instant(facts().now)),
    }
}

pub fn one(call: &Call) -> Answer {
    let (list_id, variant) = (call.path_id("listId")?, call.path_id("variantId")?);
    let query: ResolveAt = call.query()?;
    let at = instant(query.at.as_ref(), "/query/at")?;
    let article = articles::get_variant(variant);
    let filter = effective(list_id, PriceRow::variant_id.eq(variant), at);
    let (list, price) = run((get::<ListRow>(list_id), select::<PriceRow>(filter).limit(1)))?;
    let list = list.ok_or_else(Problem::not_found)?;
    if !article.as_ref().is_some_and(articles::is_sold) {
        return Err(Problem::not_found());
    }
    let price = price.items.into_iter().next().filter(|_| list.status == Status::Active);
    price.map(answer).ok_or_else(|| Problem::of("PRICE_NOT_IN_EFFECT"))
}

pub fn many(call: &Call) -> Answer {
    let list_id = call.path_id("listId")?;
    let body: Resolve = call.body()?;
    let at = instant(body.at.as_ref(), "/at")?;
    let articles = articles::get_variants(&body.variant_ids);
    let sold: BTreeSet<Id> =
        articles.iter().filter(|article| articles::is_sold(article)).map(|article| article.variant_id.into()).collect();
    let filter = effective(list_id, PriceRow::variant_id.one_of(body.variant_ids.iter().copied()), at);
    let (list, prices) = run((get::<ListRow>(list_id), select::<PriceRow>(filter)))?;
    let list = list.ok_or_else(Problem::not_found)?;
    let is_active = list.status == Status::Active;
    let prices = prices.items.into_iter().filter(|price| is_active && sold.contains(&price.variant_id));
    let mut prices: BTreeMap<Id, PriceRow> = prices.map(|price| (price.variant_id, price)).collect();
    let tenant = Id::from(facts().tenant);
    let mut resolved = ResolvedPrices { items: Vec::new(), missing: Vec::new() };
    for variant in body.variant_ids {
        match prices.remove(&variant) {
            Some(price) => resolved.items.push(Price::of(price, tenant)),
            None => resolved.missing.push(variant),
        }
    }
    Ok(Reply::json(&resolved))
}
