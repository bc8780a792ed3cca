//! Prices as they are read: by people with their history, by API clients the ones in effect of what is on sale.

use stoa_sdk::store::{Rows, get, run, select};
use stoa_sdk::{
    Answer, Call, Client, Filter, Id, Instant, Limit, Operation, Page, Problem, View, all, any, fit_page, now,
};
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::{answer_kept, answer_page, before_watermark, changed_since, equals};
use stoa_trade::refusal::refuse_invalid;
use stoa_trade::{Status, list_query};

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
    pub struct ListPrices of PriceRow {
        #[serde(default)]
        status: Status = PriceRow::status.eq(status),
        /// Only these prices, at most 100, separated by commas.
        ids: Option<Ids> = among(PriceRow::id, ids.as_ref()),
        variant_id: Option<Id>,
        /// Only these variants, at most 100, separated by commas.
        variant_ids: Option<Ids> = among(PriceRow::variant_id, variant_ids.as_ref()),
        /// Only prices in effect at this instant.
        at: Option<Stated> = filter_by(at, in_effect),
        /// Only prices in effect at or after this instant.
        from: Option<Stated> = filter_by(from, |from| any([PriceRow::valid_to.is_null(), PriceRow::valid_to.gt(from)])),
        /// Only prices in effect at or before this instant.
        to: Option<Stated> = filter_by(to, |to| any([PriceRow::valid_from.is_null(), PriceRow::valid_from.le(to)])),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(PriceRow::updated_at, updated_since),
    }
}

/// The filter of a stated instant; that it is one is checked before.
fn filter_by(stated: Option<Stated>, filter: impl Fn(Instant) -> Filter) -> Filter {
    stated.and_then(|stated| stated.read("").ok()).map(filter).unwrap_or_default()
}

list_query! {
    pub struct ListApiPrices of OnlyActive {
        /// Only these prices, at most 100, separated by commas.
        ids: Option<Ids>,
        variant_id: Option<Id>,
        /// Only these variants, at most 100, separated by commas.
        variant_ids: Option<Ids>,
        /// Only prices that changed or came into effect at or after this instant. Prices that are no longer in effect are in
        /// `GET /api-client/pricing/price-lists/{listId}/removals`.
        updated_since: Option<Instant>,
    }
}

pub fn list(call: &Call) -> Answer {
    let list_id = call.path_id("listId")?;
    let query: ListPrices = call.query()?;
    let stated = [("/query/at", &query.at), ("/query/from", &query.from), ("/query/to", &query.to)];
    let faults = stated.into_iter().filter_map(|(pointer, stated)| stated.as_ref()?.read(pointer).err());
    refuse_invalid(faults.collect())?;
    let filter = query.filter([PriceRow::list_id.eq(list_id)]);
    let (list, rows) = read_list_and_page::<ListId>(list_id, &filter, query.cursor, query.limit)?;
    list.ok_or_else(Problem::not_found)?;
    answer_page(rows, |row| row.id, |row| Price::from_row(&row))
}

pub fn read(call: &Call) -> Answer {
    let list_id = call.path_id("listId")?;
    require_price(list_id, run(get(call.path_id("priceId")?))?).map(|row| show(&row))
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
    let filter = all([
        PriceRow::list_id.eq(list_id),
        PriceRow::status.eq(Status::Active),
        in_effect(now()),
        among(PriceRow::id, query.ids.as_ref()),
        equals(PriceRow::variant_id, query.variant_id),
        among(PriceRow::variant_id, query.variant_ids.as_ref()),
        query.updated_since.map(since).unwrap_or_default(),
    ]);
    answer_kept(
        (query.cursor, query.limit),
        |cursor| {
            let (list, rows) = read_list_and_page(list_id, &filter, cursor, query.limit)?;
            list.filter(ListRow::is_public).ok_or_else(Problem::not_found)?;
            Ok(rows)
        },
        |row| row.variant_id,
        |variants| Ok(select_on_sale(variants)),
        |row| row.id,
        |row| ApiPrice::from_row(&row),
    )
}

pub fn read_list_and_page<V: View<Entity = ListRow>>(
    list: Id,
    filter: &Filter,
    cursor: Option<Id>,
    limit: Limit,
) -> Result<(Option<V>, Rows<PriceRow>), Problem> {
    fit_page(limit, |limit| run((get(list), select(filter.clone()).page(cursor).limit(limit))))
}
