//! Pricing: price lists and the prices of variants over time. The table below is the whole module.
//!
//! It is a library too: a module that takes its place builds on it (`components/examples/tiers`).

pub mod articles;
pub mod bindings;
pub mod list;
pub mod machine;
pub mod period;
pub mod price;
pub mod price_change;
pub mod prices;
pub mod public;
pub mod resolve;
pub mod schedule;
#[cfg(test)]
mod tests;
mod upkeep;
mod verify;

use stoa_sdk::currency;
use stoa_sdk::descriptor::{Descriptor, Named};
use stoa_sdk::{Created, Entity, Findings, Module, Operation, Page, Problem, ProvisionOptions, Step};

use crate::list::{ListPriceLists, ListRow, PriceList, PriceListInput};
use crate::machine::{ListPublicPriceLists, ListPublicPrices, PublicResolvedPrices, PublicScheduledPrices, ResolveNow};
use crate::price::{ListPrices, Price, PriceInput, PriceRow};
use crate::public::{PublicPrice, PublicPriceList};
use crate::resolve::{Resolve, ResolveAt, ResolvedPrices};
use crate::schedule::{PriceBatch, ScheduledPrices};

/// Audit and event names of the records.
pub const LIST: &str = "PRICE_LIST";
pub const PRICE: &str = "PRICE";

const LISTS_AT: &str = "/tenants/{tenantId}/pricing/price-lists";
const LIST_AT: &str = "/tenants/{tenantId}/pricing/price-lists/{id}";
const PRICES_AT: &str = "/tenants/{tenantId}/pricing/price-lists/{listId}/prices";
/// A price of a list.
pub const PRICE_AT: &str = "/tenants/{tenantId}/pricing/price-lists/{listId}/prices/{priceId}";
/// The price in effect of a variant.
pub const RESOLVE_AT: &str = "/tenants/{tenantId}/pricing/price-lists/{listId}/resolve/{variantId}";

const CLIENT_LISTS_AT: &str = "/api-client/pricing/price-lists";
const CLIENT_LIST_AT: &str = "/api-client/pricing/price-lists/{listId}";
const CLIENT_PRICES_AT: &str = "/api-client/pricing/price-lists/{listId}/prices";
const CLIENT_PRICE_AT: &str = "/api-client/pricing/price-lists/{listId}/prices/{priceId}";

/// Permissions of people and scopes of API clients alike.
pub const READ: &[&str] = &["pricing.read"];
pub const WRITE: &[&str] = &["pricing.write"];

/// A request body that says nothing: archiving.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmptyBody {}

#[rustfmt::skip]
const OPERATIONS: &[Operation] = &[
    Operation::read(LISTS_AT, "listPriceLists", list::list).summary("Price lists")
        .needs(READ).query::<ListPriceLists>().answers::<Page<PriceList>>(),
    Operation::create(LISTS_AT, "createPriceList", list::create).summary("Create a price list")
        .description("A code stays reserved after archive. PUBLIC opts in to reads by API clients.")
        .needs(WRITE).body::<PriceListInput>().answers::<PriceList>()
        .writes(LIST, &["pricing.list.created"]).problems(&["DUPLICATE"]),
    Operation::read(LIST_AT, "getPriceList", list::read).summary("A price list").needs(READ).answers::<PriceList>(),
    Operation::replace(LIST_AT, "replacePriceList", list::replace).summary("Replace a price list")
        .description("Full replacement: an omitted description becomes null, AN OMITTED VISIBILITY BECOMES INTERNAL, which hides \
            a PUBLIC list from API clients at once. Code and currency must be the stored ones.")
        .needs(WRITE).body::<PriceListInput>().answers::<PriceList>()
        .writes(LIST, &["pricing.list.updated"]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/tenants/{tenantId}/pricing/price-lists/{id}/archive", "archivePriceList", list::archive)
        .summary("Archive a price list").description("Its prices stay as they are and resolve no more.")
        .needs(WRITE).body::<EmptyBody>().answers::<PriceList>()
        .writes(LIST, &["pricing.list.archived"]).problems(&["ARCHIVED"]),

    Operation::read(PRICES_AT, "listPrices", price::list).summary("Prices of a list")
        .needs(READ).query::<ListPrices>().answers::<Page<Price>>(),
    Operation::create(PRICES_AT, "createPrice", price_change::create).summary("Create a price")
        .description("Periods of active prices of one list and variant never overlap; one may begin where another ends.")
        .needs(WRITE).body::<PriceInput>().answers::<Price>().writes(PRICE, &["pricing.price.created"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID", "PRICE_PERIOD_OVERLAP"]),
    Operation::create("/tenants/{tenantId}/pricing/price-lists/{listId}/prices/batch", "schedulePrices", schedule::schedule)
        .summary("Create up to 500 prices")
        .description("All or nothing, in order. With `replace` a price without end that began earlier is closed where the new \
            one begins: the usual price change.")
        .needs(WRITE).body::<PriceBatch>().answers::<ScheduledPrices>()
        .writes(LIST, &["pricing.price.created", "pricing.price.updated"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID", "PRICE_PERIOD_OVERLAP", "LIMIT_EXCEEDED"]),
    Operation::read(PRICE_AT, "getPrice", price::read).summary("A price").needs(READ).answers::<Price>(),
    Operation::replace(PRICE_AT, "replacePrice", price_change::replace).summary("Replace a price")
        .description("Amount and bounds may change; an omitted bound becomes unbounded. Variant and currency must be the stored ones.")
        .needs(WRITE).body::<PriceInput>().answers::<Price>().writes(PRICE, &["pricing.price.updated"])
        .problems(&["ARCHIVED", "IMMUTABLE_FIELD", "PRICE_PERIOD_OVERLAP"]),
    Operation::transition("/tenants/{tenantId}/pricing/price-lists/{listId}/prices/{priceId}/archive", "archivePrice",
        price_change::archive)
        .summary("Archive a price").description("Its period is free again.")
        .needs(WRITE).body::<EmptyBody>().answers::<Price>()
        .writes(PRICE, &["pricing.price.archived"]).problems(&["ARCHIVED"]),

    Operation::read(RESOLVE_AT, "resolvePrice", resolve::one)
        .summary("The price in effect")
        .description("Of an active variant under an active and published product, at the instant of the request or at `at`.")
        .needs(READ).query::<ResolveAt>().answers::<Price>().problems(&["PRICE_NOT_IN_EFFECT"]),
    Operation::ask("/tenants/{tenantId}/pricing/price-lists/{listId}/resolve", "resolvePrices", resolve::many)
        .summary("The prices in effect of up to 100 variants")
        .needs(READ).body::<Resolve>().answers::<ResolvedPrices>(),

    Operation::read(CLIENT_LISTS_AT, "apiListPriceLists", machine::list_lists).summary("Public price lists")
        .machine(READ).query::<ListPublicPriceLists>().answers::<Page<PublicPriceList>>(),
    Operation::read(CLIENT_LIST_AT, "apiGetPriceList", machine::read_list).summary("A public price list")
        .machine(READ).answers::<PublicPriceList>(),
    Operation::read(CLIENT_PRICES_AT, "apiListPrices", machine::list_prices)
        .summary("Prices in effect of a public list")
        .description("Of active variants under products on sale. A page may be shorter than its limit; `nextCursor` leads on.")
        .machine(READ).query::<ListPublicPrices>().answers::<Page<PublicPrice>>(),
    Operation::create(CLIENT_PRICES_AT, "apiCreatePrice", machine::create).summary("Create a price in a public list")
        .description("Periods of active prices of one list and variant never overlap; one may begin where another ends.")
        .machine(WRITE).body::<PriceInput>().answers::<PublicPrice>().writes(PRICE, &["pricing.price.created"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID", "PRICE_PERIOD_OVERLAP"]),
    Operation::create("/api-client/pricing/price-lists/{listId}/prices/batch", "apiSchedulePrices", machine::schedule)
        .summary("Create up to 500 prices in a public list")
        .description("All or nothing, in order. With `replace` a price without end that began earlier is closed where the new \
            one begins: the usual price change.")
        .machine(WRITE).body::<PriceBatch>().answers::<PublicScheduledPrices>()
        .writes(LIST, &["pricing.price.created", "pricing.price.updated"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID", "PRICE_PERIOD_OVERLAP", "LIMIT_EXCEEDED"]),
    Operation::replace(CLIENT_PRICE_AT, "apiReplacePrice", machine::replace).summary("Replace a price of a public list")
        .description("Amount and bounds may change; an omitted bound becomes unbounded. Variant and currency must be the stored ones.")
        .machine(WRITE).body::<PriceInput>().answers::<PublicPrice>().writes(PRICE, &["pricing.price.updated"])
        .problems(&["ARCHIVED", "IMMUTABLE_FIELD", "PRICE_PERIOD_OVERLAP"]),
    Operation::transition("/api-client/pricing/price-lists/{listId}/prices/{priceId}/archive", "apiArchivePrice",
        machine::archive)
        .summary("Archive a price of a public list").description("Its period is free again.")
        .machine(WRITE).body::<EmptyBody>().answers::<PublicPrice>()
        .writes(PRICE, &["pricing.price.archived"]).problems(&["ARCHIVED"]),
    Operation::read("/api-client/pricing/price-lists/{listId}/resolve/{variantId}", "apiResolvePrice",
        machine::resolve_one)
        .summary("The price in effect now")
        .description("Of an active variant under a product on sale, in a public list. Another instant cannot be asked for.")
        .machine(READ).answers::<PublicPrice>().problems(&["PRICE_NOT_IN_EFFECT"]),
    Operation::ask("/api-client/pricing/price-lists/{listId}/resolve", "apiResolvePrices", machine::resolve_many)
        .summary("The prices in effect now of up to 100 variants")
        .machine(READ).body::<ResolveNow>().answers::<PublicResolvedPrices>(),
];

pub struct Pricing;

impl Module for Pricing {
    const OPERATIONS: &'static [Operation] = OPERATIONS;

    fn describe() -> Descriptor {
        let named =
            |code: &str, description: &str| Named { code: code.to_owned(), description: description.to_owned() };
        Descriptor {
            name: "pricing".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            description: "Price lists and the prices of variants over time.".to_owned(),
            routes: Vec::new(),
            collections: vec![ListRow::collection(), PriceRow::collection()],
            permissions: vec![
                named("pricing.read", "Read price lists and prices."),
                named("pricing.write", "Create, change and archive price lists and prices."),
            ],
            scopes: vec![
                named("pricing.read", "Read public price lists and the prices in effect."),
                named("pricing.write", "Create, change and archive prices of public lists."),
            ],
            events: vec![
                named("pricing.list.created", "A price list was created."),
                named("pricing.list.updated", "A price list was replaced."),
                named("pricing.list.archived", "A price list was archived."),
                named("pricing.price.created", "A price was created."),
                named("pricing.price.updated", "A price was changed."),
                named("pricing.price.archived", "A price was archived."),
            ],
            problems: Vec::new(),
            onboarding: None,
            audit_filters: Vec::new(),
            schemas: serde_json::Map::new(),
        }
    }

    fn provision(options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
        upkeep::provision(options)
    }

    fn checklist() -> Vec<Step> {
        upkeep::checklist()
    }

    fn verify(cursor: Option<String>) -> Findings {
        verify::verify(cursor)
    }
}

#[cfg(feature = "component")]
stoa_sdk::export_module!(Pricing);
