//! Pricing as API clients see it: reads show PUBLIC lists and the prices in effect now of what is on sale, writes are those of
//! people on PUBLIC lists alone.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{
    Answer, Call, Filter, Id, Instant, Limit, Page, Problem, Reply, all, any, facts, paged, set, text_enum,
};

use crate::list::{Asker, ListRow, Status, Visibility};
use crate::period::in_effect;
use crate::price::PriceRow;
use crate::public::{PublicPrice, PublicPriceList};
use crate::schedule::Scheduled;
use crate::{articles, price_change, resolve, schedule};

/// Reads of prices that one page may take to fill up: prices of what is not on sale are passed over.
const READS: usize = 4;

text_enum! {
    /// API clients read nothing else.
    #[derive(Default)]
    pub enum OnlyActive { #[default] Active => "ACTIVE" }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPublicPriceLists {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    /// Only ACTIVE ones are shown.
    #[serde(default)]
    #[allow(dead_code, reason = "there is one status to ask for")]
    status: OnlyActive,
    /// Changed at or after this instant.
    updated_since: Option<Instant>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPublicPrices {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    /// Only ACTIVE ones are shown.
    #[serde(default)]
    #[allow(dead_code, reason = "there is one status to ask for")]
    status: OnlyActive,
    variant_id: Option<Id>,
    /// Changed, or in effect only since, at or after this instant.
    updated_since: Option<Instant>,
}

/// Variants whose prices in effect are asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResolveNow {
    #[schemars(length(min = 1, max = 100), extend("uniqueItems" = true))]
    variant_ids: Vec<Id>,
}

/// The prices in effect, and the variants that have none.
#[derive(Serialize, JsonSchema)]
pub struct PublicResolvedPrices<'a> {
    items: Vec<PublicPrice<'a>>,
    missing: Vec<Id>,
}

/// The prices that were created, in the order of the request, and those that were closed for them.
#[derive(Serialize, JsonSchema)]
pub struct PublicScheduledPrices<'a> {
    items: Vec<PublicPrice<'a>>,
    closed: Vec<PublicPrice<'a>>,
}

pub fn list_lists(call: &Call) -> Answer {
    let query: ListPublicPriceLists = call.query()?;
    let shown = [ListRow::visibility.eq(Visibility::Public), ListRow::status.eq(Status::Active)];
    let since = query.updated_since.map(|since| ListRow::updated_at.ge(since));
    let filter = all(shown.into_iter().chain(since));
    let rows = paged(query.limit, |limit| run(select::<ListRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    Ok(Reply::json(&Page::of(&rows.items, rows.more, |row| row.id, PublicPriceList::of)))
}

pub fn read_list(call: &Call) -> Answer {
    let row: Option<ListRow> = run(get(call.path_id("listId")?))?;
    let row = row.filter(ListRow::is_public).ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&PublicPriceList::of(&row)).of(row.id, row.version))
}

/// The catalog is asked page by page which of the variants are on sale; a page may be shorter than its limit.
pub fn list_prices(call: &Call) -> Answer {
    let list_id = call.path_id("listId")?;
    let query: ListPublicPrices = call.query()?;
    let since = |since| any([PriceRow::updated_at.ge(since), PriceRow::valid_from.ge(since)]);
    let effective = [
        PriceRow::list_id.eq(list_id),
        PriceRow::status.eq(Status::Active),
        in_effect(Instant(facts().now)),
        query.variant_id.map(|id| PriceRow::variant_id.eq(id)).unwrap_or_default(),
        query.updated_since.map(since).unwrap_or_default(),
    ];
    let filter = all(effective);
    let limit = query.limit.0 as usize;
    let (mut shown, mut cursor, mut more) = (Vec::new(), query.cursor, true);
    for read in 0..READS {
        if !more || shown.len() == limit {
            break;
        }
        let (list, rows) = page(list_id, &filter, cursor, query.limit)?;
        if read == 0 {
            list.filter(ListRow::is_public).ok_or_else(Problem::not_found)?;
        }
        let sold = sold(&rows.items);
        more = rows.more;
        for row in rows.items {
            if shown.len() == limit {
                more = true;
                break;
            }
            cursor = Some(row.id);
            shown.extend(sold.contains(&row.variant_id).then_some(row));
        }
    }
    let items = shown.iter().map(PublicPrice::of).collect();
    Ok(Reply::json(&Page { items, next_cursor: cursor.filter(|_| more) }))
}

type Read = (Option<ListRow>, stoa_sdk::store::Rows<PriceRow>);

fn page(list: Id, filter: &Filter, cursor: Option<Id>, limit: Limit) -> Result<Read, Problem> {
    paged(limit, |limit| run((get(list), select(filter.clone()).after(cursor).limit(limit))))
}

/// Variants of these prices that are on sale.
fn sold(prices: &[PriceRow]) -> BTreeSet<Id> {
    let variants = set(prices.iter().map(|price| price.variant_id));
    if variants.is_empty() {
        return variants;
    }
    let articles = articles::get_variants(&variants.into_iter().collect::<Vec<_>>());
    set(articles.iter().filter(|article| articles::is_sold(article)).map(|article| Id::from(article.variant_id)))
}

/// The public projection, whatever is on sale: who writes a price knows it.
fn answer(row: &PriceRow) -> Reply {
    Reply::json(&PublicPrice::of(row)).of(row.id, row.version).subject(row.list_id)
}

pub fn resolve_one(call: &Call) -> Answer {
    resolve::resolved(call, Asker::Client, Instant(facts().now)).map(|row| answer(&row))
}

pub fn resolve_many(call: &Call) -> Answer {
    let ResolveNow { variant_ids } = call.body()?;
    let (prices, missing) = resolve::all_resolved(call, Asker::Client, variant_ids, Instant(facts().now))?;
    Ok(Reply::json(&PublicResolvedPrices { items: prices.iter().map(PublicPrice::of).collect(), missing }))
}

pub fn create(call: &Call) -> Answer {
    price_change::created(call, Asker::Client).map(|row| answer(&row))
}

pub fn replace(call: &Call) -> Answer {
    let (row, changed) = price_change::replaced(call, Asker::Client)?;
    Ok(answer(&row).changed(changed))
}

pub fn archive(call: &Call) -> Answer {
    let row = price_change::archived(call, Asker::Client)?;
    Ok(answer(&row).changed(price_change::ARCHIVED.to_vec()))
}

pub fn schedule(call: &Call) -> Answer {
    let Scheduled { list, created, closed } = schedule::scheduled(call, Asker::Client)?;
    let items = created.iter().map(PublicPrice::of).collect();
    let closed = closed.iter().map(PublicPrice::of).collect();
    Ok(Reply::json(&PublicScheduledPrices { items, closed }).resource(list))
}
