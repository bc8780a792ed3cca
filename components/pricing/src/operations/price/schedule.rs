//! Many prices at once: a price change of an assortment, in a fixed number of round trips.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{MOST_ROWS, get, insert, lock_all, run, select, update_all};
use stoa_sdk::{Answer, Call, Client, Id, Item, Operation, Problem, Reply, emit, item, new_ids, now, set};
use stoa_trade::clients::articles;
use stoa_trade::pages::read_rest;
use stoa_trade::refusal::{refuse, refuse_invalid};
use stoa_trade::taken::show_readable;
use stoa_trade::{Caller, require_unarchived};

use crate::operations::price::change::PriceInput;
use crate::records::permission::{READ, WRITE};
use crate::records::price::{ApiPrice, CREATED, Price, PriceEvent, PriceRow, UPDATED, lock_name};
use crate::records::price_list::{self, ListRow};
use crate::rules::access::require_list;
use crate::rules::period::{Period, overlap_filter};
use crate::rules::plan::{Overlap, Plan};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create("/pricing/price-lists/{listId}/prices/batch", "schedulePrices", schedule)
        .summary("Create up to 500 prices")
        .description("All or nothing, in order. With `replace`, an earlier price without an end ends when the new price \
            begins: the usual way to change prices.")
        .needs(WRITE).body::<PriceBatch>().grows_with("/prices").answers::<ScheduledPrices>()
        .writes(price_list::AUDIT, &[CREATED.code, UPDATED.code])
        .problems(&["ARCHIVED", "REFERENCE_INVALID", "PRICE_PERIOD_OVERLAP", "LIMIT_EXCEEDED"])
        .and_client(Client::new(WRITE).summary("Create up to 500 prices in a public list")
            .answers::<ApiScheduledPrices>()),
];

/// Prices to create, in this order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PriceBatch {
    #[schemars(length(min = 1, max = stoa_trade::limits::BATCH))]
    prices: Vec<PriceInput>,
    /// True ends an earlier price without an end at the instant at which the new price begins.
    #[serde(default)]
    replace: bool,
}

/// Created prices in the order of the request, and the prices that they ended.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScheduledPrices {
    items: Vec<Price>,
    closed: Vec<Price>,
}

/// Created prices in the order of the request, and the prices that they ended.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PublicScheduledPrices")]
pub struct ApiScheduledPrices {
    items: Vec<ApiPrice>,
    closed: Vec<ApiPrice>,
}

pub fn schedule(call: &Call) -> Answer {
    let caller = Caller::current();
    let list_id = call.path_id("listId")?;
    let batch: PriceBatch = call.body()?;
    let periods = check(&batch.prices)?;
    let variants = set(batch.prices.iter().map(|price| price.variant_id));
    let variants: Vec<Id> = variants.into_iter().collect();
    let articles = articles::get(variants.iter().copied());

    let named = PriceRow::variant_id.one_of(variants.iter().copied());
    let filter = overlap_filter(list_id, named, Period::hull(&periods));
    let locks = lock_all(variants.iter().map(|variant| lock_name(list_id, *variant)));
    let (_, list, first) = run((locks, get::<ListRow>(list_id), select::<PriceRow>(filter.clone()).limit(MOST_ROWS)))?;
    let list = require_list(caller, list)?;
    refuse_each(&batch.prices, "NOT_FOUND", "variantId", |price| !articles.contains_key(&price.variant_id))?;
    let list = require_unarchived(list)?;
    refuse_each(&batch.prices, "REFERENCE_INVALID", "variantId", |price| {
        !articles.get(&price.variant_id).is_some_and(articles::is_active)
    })?;
    refuse_each(&batch.prices, "REFERENCE_INVALID", "currencyCode", |price| price.currency_code != list.currency_code)?;
    // No request adds to them: this one holds all names.
    let rows = read_rest(first, &filter, |row| row.id)?;

    let mut plan = Plan::from_rows(&rows);
    let wanted = batch.prices.iter().map(|price| price.variant_id).zip(periods);
    let overlapping = plan.add_all(wanted, batch.replace);
    let overlap = |Overlap { index, standing }: Overlap| {
        let fault = item(format!("/prices/{index}/validFrom"), "PRICE_PERIOD_OVERLAP");
        match standing.and_then(|standing| rows.get(standing)).and_then(|row| show_readable(row.id, READ)) {
            Some(price) => fault.with_conflict(price),
            None => fault,
        }
    };
    refuse("PRICE_PERIOD_OVERLAP", overlapping.into_iter().map(overlap).collect())?;
    let (created, closed) = write(list_id, &batch.prices, rows, &plan)?;

    let is_sold = |variant: Id| articles.get(&variant).is_some_and(articles::is_on_sale);
    let data = |row: &PriceRow| PriceEvent::from_row(row, list.is_public() && is_sold(row.variant_id));
    let closings = closed.iter().map(|row| UPDATED.of(row.id, None, &data(row)));
    emit(closings.chain(created.iter().map(|row| CREATED.of(row.id, None, &data(row)))));
    let reply = match caller {
        Caller::Person => Reply::json(&ScheduledPrices {
            items: created.iter().map(Price::from_row).collect(),
            closed: closed.iter().map(Price::from_row).collect(),
        }),
        Caller::Client => Reply::json(&ApiScheduledPrices {
            items: created.iter().map(ApiPrice::from_row).collect(),
            closed: closed.iter().map(ApiPrice::from_row).collect(),
        }),
    };
    Ok(reply.resource(list_id).subjects(articles::products_of(variants)))
}

/// The periods, or every fault that the schema cannot find.
fn check(prices: &[PriceInput]) -> Result<Vec<Period>, Problem> {
    let mut faults: Vec<Item> = Vec::new();
    let mut periods = Vec::new();
    for (index, price) in prices.iter().enumerate() {
        match price.check(&format!("/prices/{index}")) {
            Ok(period) => periods.push(period),
            Err(found) => faults.extend(found),
        }
    }
    refuse_invalid(faults)?;
    Ok(periods)
}

/// Refuses with every price for which `is_wrong` holds.
fn refuse_each(
    prices: &[PriceInput],
    code: &str,
    member: &str,
    is_wrong: impl Fn(&PriceInput) -> bool,
) -> Result<(), Problem> {
    let wrong = prices.iter().enumerate().filter(|(_, price)| is_wrong(price));
    refuse(code, wrong.map(|(index, _)| item(format!("/prices/{index}/{member}"), code)).collect())
}

type Written = (Vec<PriceRow>, Vec<PriceRow>);

/// Closes and inserts in one round trip.
fn write(list: Id, prices: &[PriceInput], rows: Vec<PriceRow>, plan: &Plan) -> Result<Written, Problem> {
    let close = |(index, row): (usize, PriceRow)| {
        let to = plan.closed.get(&index)?;
        Some(PriceRow { valid_to: Some(*to), updated_at: now(), version: row.version + 1, ..row })
    };
    let closed: Vec<PriceRow> = rows.into_iter().enumerate().filter_map(close).collect();
    let periods = plan.periods();
    let ids = new_ids(u32::try_from(prices.len()).unwrap_or(u32::MAX));
    let created: Vec<PriceRow> = prices
        .iter()
        .zip(ids)
        .enumerate()
        .filter_map(|(index, (price, id))| Some(price.row(id, list, *periods.get(&index)?)))
        .collect();
    let ends = closed.iter().map(|row| row.valid_to);
    let close = update_all::<PriceRow>(closed.iter().map(|row| row.id)).set_each(PriceRow::valid_to, ends);
    run((close, insert(&created)))?;
    Ok((created, closed))
}
