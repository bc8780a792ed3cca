//! Prices as they are read: by people with their history, by API clients the ones in effect of what is on sale.

use stoa_sdk::store::{Rows, get, run, select};
use stoa_sdk::{Answer, Call, Client, Filter, Id, Instant, Limit, Operation, Page, Problem, all, any, fit_page, now};
use stoa_trade::Status;
use stoa_trade::ids::{Ids, among};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_kept, answer_page, before_watermark, changed_since};

use crate::records::permission::READ;
use crate::records::price::{ApiPrice, Price, PriceRow, show};
use crate::records::price_list::{ListId, ListRow};
use crate::rules::access::require_price;
use crate::rules::period::{Stated, in_effect};
use crate::work::articles::select_on_sale;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/pricing/price-lists/{listId}/prices", "listPrices", list).summary("Prices of a list")
        .needs(READ).query::<ListPrices>().answers::<Page<Price>>()
        .and_client(Client::new(READ).run(list_in_effect).summary("Prices in effect of a public list")
            .description("Prices of active variants of products on sale. A page may be shorter than `limit`; continue until \
                `nextCursor` is null.")
            .query::<ListApiPrices>().answers::<Page<ApiPrice>>()),
    Operation::read("/pricing/price-lists/{listId}/prices/{priceId}", "getPrice", read)
        .summary("A price").needs(READ).answers::<Price>(),
];

list_query! {
    pub struct ListPrices of Status {
        variant_id: Option<Id>,
        /// Only these variants, at most 100, separated by commas.
        variant_ids: Option<Ids>,
        /// Only prices in effect at this instant.
        at: Option<Stated>,
        /// Only prices in effect at or after this instant.
        from: Option<Stated>,
        /// Only prices in effect at or before this instant.
        to: Option<Stated>,
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
    }
}

list_query! {
    pub struct ListApiPrices of OnlyActive {
        variant_id: Option<Id>,
        /// Only these variants, at most 100, separated by commas.
        variant_ids: Option<Ids>,
        /// Only prices changed, or in effect only since, at or after this instant.
        updated_since: Option<Instant>,
    }
}

pub fn list(call: &Call) -> Answer {
    let list_id = call.path_id("listId")?;
    let query: ListPrices = call.query()?;
    let read = |stated: &Option<Stated>, pointer: &str| stated.as_ref().map(|stated| stated.read(pointer)).transpose();
    let bounds = (read(&query.at, "/query/at"), read(&query.from, "/query/from"), read(&query.to, "/query/to"));
    let (Ok(time), Ok(from), Ok(to)) = bounds else {
        let faults = [bounds.0.err(), bounds.1.err(), bounds.2.err()];
        return Err(Problem::invalid(faults.into_iter().flatten().collect()));
    };
    let wanted = [
        query.variant_id.map(|id| PriceRow::variant_id.eq(id)),
        time.map(in_effect),
        from.map(|from| any([PriceRow::valid_to.is_null(), PriceRow::valid_to.gt(from)])),
        to.map(|to| any([PriceRow::valid_from.is_null(), PriceRow::valid_from.le(to)])),
    ];
    let of_list = [
        PriceRow::list_id.eq(list_id),
        PriceRow::status.eq(query.status),
        among(PriceRow::variant_id, query.variant_ids.as_ref()),
        changed_since(PriceRow::updated_at, query.updated_since),
    ];
    let filter = all(of_list.into_iter().chain(wanted.into_iter().flatten()));
    let (list, rows) = fit_page(query.limit, |limit| {
        run((get::<ListId>(list_id), select::<PriceRow>(filter.clone()).page(query.cursor).limit(limit)))
    })?;
    if list.is_none() {
        return Err(Problem::not_found());
    }
    answer_page(rows, |row| row.id, Price::from)
}

pub fn read(call: &Call) -> Answer {
    let list_id = call.path_id("listId")?;
    require_price(list_id, run(get(call.path_id("priceId")?))?).map(show)
}

/// Lists for an API client. The catalog says page by page which of the variants are on sale; a page may be shorter than
/// its limit.
pub fn list_in_effect(call: &Call) -> Answer {
    let list_id = call.path_id("listId")?;
    let query: ListApiPrices = call.query()?;
    let since = |since| {
        let changed = any([PriceRow::updated_at.ge(since), PriceRow::valid_from.ge(since)]);
        all([changed, before_watermark(PriceRow::updated_at)])
    };
    let effective = [
        PriceRow::list_id.eq(list_id),
        PriceRow::status.eq(Status::Active),
        in_effect(now()),
        query.variant_id.map(|id| PriceRow::variant_id.eq(id)).unwrap_or_default(),
        among(PriceRow::variant_id, query.variant_ids.as_ref()),
        query.updated_since.map(since).unwrap_or_default(),
    ];
    let filter = all(effective);
    answer_kept(
        (query.cursor, query.limit),
        |cursor| {
            let (list, rows) = page(list_id, &filter, cursor, query.limit)?;
            list.filter(ListRow::is_public).ok_or_else(Problem::not_found)?;
            Ok(rows)
        },
        |row| row.variant_id,
        |variants| Ok(select_on_sale(variants)),
        |row| row.id,
        ApiPrice::from,
    )
}

type Read = (Option<ListRow>, Rows<PriceRow>);

fn page(list: Id, filter: &Filter, cursor: Option<Id>, limit: Limit) -> Result<Read, Problem> {
    fit_page(limit, |limit| run((get(list), select(filter.clone()).page(cursor).limit(limit))))
}
