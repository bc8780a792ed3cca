//! Variants as they are read: by people, and by API clients the active ones of what is on sale.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Id, Instant, Limit, Operation, Page, Problem, Reply, all, facts, has, paged};

use crate::records::product::{ProductHead, ProductRow};
use crate::records::variant::{PublicVariant, Variant, VariantRow, show};
use crate::records::{OnlyActive, Status};
use crate::rules::access::READ;

const PRODUCT_VARIANTS_AT: &str = "/tenants/{tenantId}/catalog/products/{productId}/variants";
const VARIANT_AT: &str = "/tenants/{tenantId}/catalog/variants/{id}";
const CLIENT_PRODUCT_VARIANTS_AT: &str = "/api-client/catalog/products/{productId}/variants";
const CLIENT_VARIANT_AT: &str = "/api-client/catalog/variants/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(PRODUCT_VARIANTS_AT, "listProductVariants", list).summary("Variants of a product")
        .needs(READ).query::<ListVariants>().answers::<Page<Variant>>(),
    Operation::read(VARIANT_AT, "getVariant", read).summary("A variant").needs(READ).answers::<Variant>(),
    Operation::read(CLIENT_PRODUCT_VARIANTS_AT, "apiListProductVariants", api_list)
        .summary("Active variants of a product on sale")
        .machine(READ).query::<ListPublicParts>().answers::<Page<PublicVariant>>(),
    Operation::read(CLIENT_VARIANT_AT, "apiGetVariant", api_read)
        .summary("An active variant of a product on sale").machine(READ).answers::<PublicVariant>(),
];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListVariants {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    status: Status,
}

/// Variants or media of a product.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPublicParts {
    pub cursor: Option<Id>,
    #[serde(default)]
    pub limit: Limit,
    /// Only ACTIVE ones are shown.
    #[serde(default)]
    #[allow(dead_code, reason = "there is one status to ask for")]
    status: OnlyActive,
    /// Changed at or after this instant.
    pub updated_since: Option<Instant>,
}

pub fn list(call: &Call) -> Answer {
    let product_id = call.path_id("productId")?;
    let query: ListVariants = call.query()?;
    let filter = all([VariantRow::product_id.eq(product_id), VariantRow::status.eq(query.status)]);
    let (product, rows) = paged(query.limit, |limit| {
        run((get::<ProductHead>(product_id), select::<VariantRow>(filter.clone()).after(query.cursor).limit(limit)))
    })?;
    ProductHead::require(product)?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| Variant::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?;
    row.map(show).ok_or_else(Problem::not_found)
}

pub fn api_list(call: &Call) -> Answer {
    let product_id = call.path_id("productId")?;
    let query: ListPublicParts = call.query()?;
    let since = query.updated_since.map(|since| VariantRow::updated_at.ge(since));
    let active = [VariantRow::product_id.eq(product_id), VariantRow::status.eq(Status::Active)];
    let filter = all(active.into_iter().chain(since));
    let (product, rows) = paged(query.limit, |limit| {
        run((get(product_id), select::<VariantRow>(filter.clone()).after(query.cursor).limit(limit)))
    })?;
    ProductHead::require_public(product.as_ref())?;
    Ok(Reply::json(&Page::of(&rows.items, rows.more, |row| row.id, PublicVariant::of)))
}

pub fn api_read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let product = has::<VariantRow, _, _>(ProductRow::id, VariantRow::product_id, VariantRow::id.eq(id));
    let (row, product) = run((get::<VariantRow>(id), select(product).limit(1)))?;
    ProductHead::require_public(product.items.first())?;
    let row = row.filter(|row| row.status == Status::Active).ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&PublicVariant::of(&row)).of(row.id, row.version))
}
