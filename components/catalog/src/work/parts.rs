//! Listing the variants or media of a product.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Rows, get, run, select};
use stoa_sdk::{Filter, Id, Instant, Limit, Problem, View, paged};
use stoa_trade::Status;
use stoa_trade::life::OnlyActive;

use crate::records::product::ProductHead;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListParts {
    pub cursor: Option<Id>,
    #[serde(default)]
    pub limit: Limit,
    #[serde(default)]
    pub status: Status,
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

/// A page of a product's parts that meet the filter, and the product, if there is one, in one round trip.
pub fn read_parts<P: View>(
    product: Id,
    filter: &Filter,
    cursor: Option<Id>,
    limit: Limit,
) -> Result<(Option<ProductHead>, Rows<P>), Problem> {
    paged(limit, |limit| run((get(product), select(filter.clone()).after(cursor).limit(limit))))
}
