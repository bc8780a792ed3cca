//! Listing the variants or media of a product.

use serde::Serialize;
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Column, Filter, Id, Instant, Problem, all, fit_page};
use stoa_trade::lists::changed_since;
use stoa_trade::{Archivable, Caller, Status, client_query, list_query};

use crate::records::product::ProductHead;

list_query! {
    pub struct ListParts of Status {
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
    }
}

client_query! {
    ListApiParts of active ListParts without [] but {
        "updatedSince": "Only records changed at or after this instant. Records that were archived or taken off sale are in \
            `GET /api-client/catalog/removals`.",
    }
}

/// A page of a product's parts; for an API client, of the active parts of a product whose parts it reads. `filter`: the parts
/// of the product in a status that the caller sees. Both are read in one round trip.
pub fn list_parts<R: Archivable, P: Serialize, C: Serialize>(
    call: &Call,
    reads: impl Fn(Caller, &ProductHead) -> bool,
    filter: impl Fn(Caller, Id, Status) -> Filter,
    updated_at: Column<Instant>,
    person: impl Fn(&R) -> P,
    client: impl Fn(&R) -> C,
) -> Answer {
    let product = call.path_id("productId")?;
    let caller = Caller::current();
    let ListParts { cursor, limit, status, updated_since } = call.query()?;
    let filter = all([filter(caller, product, status), changed_since(updated_at, updated_since)]);
    let (product, rows) =
        fit_page(limit, |limit| run((get(product), select::<R>(filter.clone()).page(cursor).limit(limit))))?;
    if !reads(caller, &ProductHead::require(product)?) {
        return Err(Problem::not_found());
    }
    caller.answer_page(rows, person, client)
}
