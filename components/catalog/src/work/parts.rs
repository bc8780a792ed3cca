//! Listing the variants or media of a product.

use serde::Serialize;
use stoa_sdk::store::{Rows, get, run, select};
use stoa_sdk::{Answer, Call, Column, Entity, Filter, Id, Instant, Limit, Problem, View, all, fit_page};
use stoa_trade::Status;
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, changed_since};

use crate::records::product::ProductHead;

list_query! {
    pub struct ListParts of Status {
    }
}

list_query! {
    /// Variants or media of a product.
    pub struct ListApiParts of OnlyActive {
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
    }
}

/// A page of the product's parts for a person.
pub fn list_parts<P: Entity, T: Serialize + From<P>>(call: &Call, filter: impl Fn(Id, Status) -> Filter) -> Answer {
    let product = call.path_id("productId")?;
    let query: ListParts = call.query()?;
    let (product, rows) = read_parts(product, &filter(product, query.status), query.cursor, query.limit)?;
    ProductHead::require(product)?;
    answer_page(rows, P::id, T::from)
}

/// A page of the active parts of a product on sale for an API client. `filter`: which parts of the product are shown.
pub fn list_public_parts<P: Entity, T: Serialize + From<P>>(
    call: &Call,
    filter: impl Fn(Id) -> Filter,
    updated_at: Column<Instant>,
) -> Answer {
    let product = call.path_id("productId")?;
    let query: ListApiParts = call.query()?;
    let filter = all([filter(product), changed_since(updated_at, query.updated_since)]);
    let (product, rows) = read_parts(product, &filter, query.cursor, query.limit)?;
    ProductHead::require_public(product.as_ref())?;
    answer_page(rows, P::id, T::from)
}

/// A page of a product's parts that meet the filter, and the product, if there is one, in one round trip.
fn read_parts<P: View>(
    product: Id,
    filter: &Filter,
    cursor: Option<Id>,
    limit: Limit,
) -> Result<(Option<ProductHead>, Rows<P>), Problem> {
    fit_page(limit, |limit| run((get(product), select(filter.clone()).page(cursor).limit(limit))))
}
