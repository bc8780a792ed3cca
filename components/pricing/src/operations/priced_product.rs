//! The page of a shop: a product, its variants and their prices in effect, in two round trips: one of the catalog's, one of
//! pricing's.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Client, Id, Limit, Operation, Problem, Reply, map, text_enum};
use stoa_trade::clients::products::{self, ShownVariant, document};
use stoa_trade::{Caller, Status, client_query};

use crate::operations::price::resolve::{ADJUSTMENT, instant};
use crate::records::offer::ApiResolvedPrice;
use crate::records::permission::READ_PRODUCTS;
use crate::records::price::PriceRow;
use crate::records::price_list::{ApiPriceList, ListRow};
use crate::records::priced_product::{PricedProduct, PricedVariant};
use crate::rules::access::require_readable;
use crate::rules::period::{Stated, effective};
use crate::work::offers::adjust;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/pricing/price-lists/{listId}/products/{productId}", "getPricedProduct", read)
        .summary("A product on sale with its variants and their prices in effect")
        .description("Everything for a shop's product page in one call: an active and published product, its active variants, \
            and for each variant the price in effect in the list, or null. The prices are those at `at`, by default now. Users \
            and API clients receive the same data.")
        .needs(READ_PRODUCTS).query::<ReadPricedProduct>().answers::<PricedProduct>().reaches(ADJUSTMENT)
        .and_client(Client::new(READ_PRODUCTS)
            .description("Everything for a shop's product page in one call: a product on sale, its active variants, and for \
                each variant the price in effect now in the public list, or null. `at` is not supported.")
            .query::<ReadPricedProductNow>()),
];

text_enum! {
    /// Additional records in the response.
    pub enum Expanded { Media => "media" }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadPricedProduct {
    /// The `nextCursor` of the previous response, for further variants.
    cursor: Option<Id>,
    /// Maximum number of variants in the response.
    #[serde(default = "default_limit")]
    limit: Limit,
    expand: Option<Expanded>,
    /// Omitted: the instant of the request.
    at: Option<Stated>,
    /// Customer for whom extensions may adjust the prices. It is not checked that there is such a customer.
    customer_id: Option<Id>,
}

client_query! {
    /// As people ask, but at no other instant.
    ReadPricedProductNow of ReadPricedProduct without ["at"]
}

/// Unless they say otherwise, one call shows what one call creates.
fn default_limit() -> Limit {
    Limit(100)
}

pub fn read(call: &Call) -> Answer {
    let query: ReadPricedProduct = call.query()?;
    let time = instant(query.at.as_ref(), "/query/at")?;
    let (list_id, product) = (call.path_id("listId")?, call.path_id("productId")?);
    let with_media = query.expand.is_some();
    let shown = products::show(product, query.cursor, query.limit.0, with_media).ok_or_else(Problem::not_found)?;
    let ids: Vec<Id> = shown.variants.iter().map(|variant| variant.id.into()).collect();
    let filter = effective(list_id, PriceRow::variant_id.one_of(ids.iter().copied()), time);
    let (list, prices) = run((get::<ListRow>(list_id), select::<PriceRow>(filter).whole()))?;
    let list = require_readable(Caller::current(), list)?;
    // Prices of an archived list are in effect no more.
    let prices = prices.into_iter().filter(|_| list.status == Status::Active);
    let offers = adjust(query.customer_id, time, prices.map(|price| (price, None)).collect());
    let mut prices = map(offers.iter().map(|offer| (offer.row.variant_id, ApiResolvedPrice::from_offer(offer))));
    let priced = |variant: ShownVariant| PricedVariant {
        price: prices.remove(&Id::from(variant.id)),
        variant: document(variant.document),
    };
    Ok(Reply::json(&PricedProduct {
        product: document(shown.document),
        price_list: ApiPriceList::from_row(&list),
        variants: shown.variants.into_iter().map(priced).collect(),
        next_cursor: ids.last().copied().filter(|_| shown.more),
        media: with_media.then(|| shown.media.into_iter().map(document).collect()),
    }))
}
