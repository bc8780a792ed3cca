//! Listing the variants or media of a product.

use serde::Serialize;
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Column, Filter, Id, Instant, all, fit_page};
use stoa_trade::lists::changed_since;
use stoa_trade::{Archivable, Caller, Status, list_query};

use crate::records::product::ProductHead;

list_query! {
    pub struct ListParts of Status {}
}

list_query! {
    /// Variants or media of a product.
    pub struct ListApiParts of OnlyActive {
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
    }
}

/// A page of a product's parts; for an API client, of the active parts of a product on sale. `filter`: the parts of the
/// product in a status that the caller sees. Both are read in one round trip.
pub fn list_parts<R: Archivable, P: Serialize, C: Serialize>(
    call: &Call,
    filter: impl Fn(Caller, Id, Status) -> Filter,
    updated_at: Column<Instant>,
    person: impl Fn(&R) -> P,
    client: impl Fn(&R) -> C,
) -> Answer {
    let product = call.path_id("productId")?;
    let caller = Caller::current();
    let (filter, cursor, limit) = match caller {
        Caller::Person => {
            let query: ListParts = call.query()?;
            (filter(caller, product, query.status), query.cursor, query.limit)
        }
        Caller::Client => {
            let query: ListApiParts = call.query()?;
            let changed = changed_since(updated_at, query.updated_since);
            (all([filter(caller, product, Status::Active), changed]), query.cursor, query.limit)
        }
    };
    let (product, rows) =
        fit_page(limit, |limit| run((get(product), select::<R>(filter.clone()).page(cursor).limit(limit))))?;
    let product = ProductHead::require(product)?;
    if caller.is_client() {
        ProductHead::require_public(Some(&product))?;
    }
    caller.answer_page(rows, person, client)
}
