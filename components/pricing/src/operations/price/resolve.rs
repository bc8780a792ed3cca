//! The price in effect: of one variant, or of many.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Client, Id, Instant, Operation, Problem, Reply, map, now};
use stoa_trade::quantity::Positive;
use stoa_trade::{Caller, Status, client_query, points};

use crate::records::offer::{ApiResolvedPrice, ResolvedPrice, show_offer};
use crate::records::permission::READ;
use crate::records::price::PriceRow;
use crate::records::price_list::ListRow;
use crate::rules::access::require_readable;
use crate::rules::period::{Stated, effective};
use crate::work::articles::{is_variant_on_sale, select_on_sale};
use crate::work::offers::{adjust, adjust_one};

/// The price in effect of a variant.
pub const RESOLVE: &str = "/pricing/price-lists/{listId}/resolve/{variantId}";

/// The point at which extensions adjust what an operation returns.
pub const ADJUSTMENT: &[&str] = &[points::PRICE_ADJUSTMENT.0];

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(RESOLVE, "resolvePrice", read)
        .summary("The price in effect")
        .description("For an active variant of an active and published product, at the instant of the request or at `at`.")
        .needs(READ).query::<ResolveAt>().answers::<ResolvedPrice>().problems(&["PRICE_NOT_IN_EFFECT"])
        .reaches(ADJUSTMENT),
    Operation::ask("/pricing/price-lists/{listId}/resolve", "resolvePrices", read_many)
        .summary("The prices in effect of up to 100 variants")
        .needs(READ).body::<Resolve>().grows_with("/variantIds").answers::<ResolvedPrices>().reaches(ADJUSTMENT)
        .and_client(Client::new(READ).summary("The prices in effect now of up to 100 variants")
            .body::<ResolveNow>().answers::<ApiResolvedPrices>()),
    // No twin of the person's: another instant cannot be asked for.
    Operation::read(RESOLVE, "apiResolvePrice", read)
        .summary("The price in effect now")
        .description("For an active variant of a product on sale, in a public list. `at` is not supported.")
        .machine(READ).query::<ResolveFor>().answers::<ApiResolvedPrice>().problems(&["PRICE_NOT_IN_EFFECT"])
        .reaches(ADJUSTMENT),
];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResolveAt {
    /// Omitted: the instant of the request.
    at: Option<Stated>,
    /// Customer for whom extensions may adjust the price. It is not checked that there is such a customer.
    customer_id: Option<Id>,
    /// Quantity for which extensions may adjust the price. `amount` is the price of one unit all the same.
    quantity: Option<Positive>,
}

client_query! {
    /// As people ask, but at no other instant.
    ResolveFor of ResolveAt without ["at"]
}

/// Variants whose prices you request.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resolve {
    #[schemars(length(min = 1, max = stoa_trade::limits::RESOLVED_PRICES), extend("uniqueItems" = true))]
    variant_ids: Vec<Id>,
    /// Instant of the prices. Omitted or null: the instant of the request.
    at: Option<Stated>,
    /// Customer for whom extensions may adjust the prices. It is not checked that there is such a customer.
    customer_id: Option<Id>,
}

/// Prices in effect, and the variants without one.
#[derive(Serialize, JsonSchema)]
pub struct ResolvedPrices {
    items: Vec<ResolvedPrice>,
    missing: Vec<Id>,
}

/// Variants whose prices in effect you request.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code, reason = "the contract of API clients: one handler reads the body of both callers")]
pub struct ResolveNow {
    #[schemars(length(min = 1, max = stoa_trade::limits::RESOLVED_PRICES), extend("uniqueItems" = true))]
    variant_ids: Vec<Id>,
    /// Customer for whom extensions may adjust the prices. It is not checked that there is such a customer.
    customer_id: Option<Id>,
}

/// Prices in effect, and the variants without one.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PublicResolvedPrices")]
pub struct ApiResolvedPrices {
    items: Vec<ApiResolvedPrice>,
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

pub fn read(call: &Call) -> Answer {
    let query: ResolveAt = call.query()?;
    let time = instant(query.at.as_ref(), "/query/at")?;
    let row = resolve(call, time)?;
    Ok(show_offer(&adjust_one(query.customer_id, time, row, query.quantity.map(|quantity| quantity.0))))
}

/// The list's price of the path's variant in effect at an instant.
pub fn resolve(call: &Call, time: Instant) -> Result<PriceRow, Problem> {
    let (list_id, variant) = (call.path_id("listId")?, call.path_id("variantId")?);
    let is_sold = is_variant_on_sale(variant);
    let filter = effective(list_id, PriceRow::variant_id.eq(variant), time);
    let (list, price) = run((get::<ListRow>(list_id), select::<PriceRow>(filter).first()))?;
    let list = require_readable(Caller::current(), list)?;
    if !is_sold {
        return Err(Problem::not_found());
    }
    let price = price.filter(|_| list.status == Status::Active);
    price.ok_or_else(|| Problem::new("PRICE_NOT_IN_EFFECT"))
}

/// Prices, and the variants without one, both in the order of the request.
pub fn read_many(call: &Call) -> Answer {
    let caller = Caller::current();
    let list_id = call.path_id("listId")?;
    let Resolve { variant_ids, at: stated, customer_id } = call.body()?;
    let time = instant(stated.as_ref(), "/at")?;
    let sold = select_on_sale(variant_ids.iter().copied());
    let filter = effective(list_id, PriceRow::variant_id.one_of(variant_ids.iter().copied()), time);
    let (list, prices) = run((get::<ListRow>(list_id), select::<PriceRow>(filter).whole()))?;
    let is_active = require_readable(caller, list)?.status == Status::Active;
    let prices = prices.into_iter().filter(|price| is_active && sold.contains(&price.variant_id));
    let mut prices = map(prices.map(|price| (price.variant_id, price)));
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for variant in variant_ids {
        match prices.remove(&variant) {
            Some(price) => found.push((price, None)),
            None => missing.push(variant),
        }
    }
    let offers = adjust(customer_id, time, found);
    let offers = offers.iter();
    Ok(match caller {
        Caller::Person => {
            Reply::json(&ResolvedPrices { items: offers.map(ResolvedPrice::from_offer).collect(), missing })
        }
        Caller::Client => {
            Reply::json(&ApiResolvedPrices { items: offers.map(ApiResolvedPrice::from_offer).collect(), missing })
        }
    })
}
