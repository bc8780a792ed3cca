//! Prices: what a variant costs in a list, and when. How they are kept, read and listed, and what a body may say of one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{
    Answer, Call, Decimal, Id, Instant, Item, Limit, Page, Problem, Reply, all, any, collection, facts, paged, text,
    view,
};

use crate::list::{ListRow, Status};
use crate::period::{self, Period, Stated};

/// Amounts: at most 12 integer digits, exactly 6 after the point.
pub type Amount = Decimal<6>;

collection! {
    pub record PriceRow in "price" {
        list_id: Id,
        variant_id: Id,
        currency_code: String,
        amount: Amount,
        valid_from: Option<Instant>,
        valid_to: Option<Instant>,
        status: Status,
        archived_at: Option<Instant>,
    }
    index { [list_id, variant_id, status, valid_from], [variant_id] }
}

view! { pub PriceId of PriceRow { id: Id } }
view! { ListId of ListRow { id: Id } }

impl PriceRow {
    pub fn period(&self) -> Period {
        Period { from: self.valid_from, to: self.valid_to }
    }
}

/// Whoever changes which prices of a variant are active in a list, or when, holds this name.
pub fn lock_name(list: Id, variant: Id) -> String {
    format!("price:{list}:{variant}")
}

/// Input of a price.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PriceInput {
    /// Immutable.
    pub variant_id: Id,
    /// Upper-cased; must be the list's.
    #[schemars(regex(pattern = text::ANY_CASE_CURRENCY), extend("x-normalize" = ["upper"]))]
    pub currency_code: String,
    pub amount: Amount,
    /// Inclusive; null: since ever.
    #[serde(default)]
    pub valid_from: Option<Stated>,
    /// Exclusive, after `validFrom`; null: for ever.
    #[serde(default)]
    pub valid_to: Option<Stated>,
}

impl PriceInput {
    /// # Errors
    /// The faults of the bounds, below `pointer`.
    pub fn period(&self, pointer: &str) -> Result<Period, Vec<Item>> {
        Period::read(self.valid_from.as_ref(), self.valid_to.as_ref(), pointer)
    }

    /// A new row.
    pub fn row(&self, id: Id, now: Instant, list: Id, period: Period) -> PriceRow {
        PriceRow {
            id,
            version: 1,
            created_at: now,
            updated_at: now,
            list_id: list,
            variant_id: self.variant_id,
            currency_code: self.currency_code.clone(),
            amount: self.amount,
            valid_from: period.from,
            valid_to: period.to,
            status: Status::Active,
            archived_at: None,
        }
    }
}

/// A price as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    pub id: Id,
    pub tenant_id: Id,
    pub status: Status,
    pub archived_at: Option<Instant>,
    pub created_at: Instant,
    pub updated_at: Instant,
    pub price_list_id: Id,
    pub variant_id: Id,
    pub currency_code: String,
    pub amount: Amount,
    pub valid_from: Option<Instant>,
    pub valid_to: Option<Instant>,
}

impl Price {
    pub fn of(row: PriceRow, tenant: Id) -> Price {
        Price {
            id: row.id,
            tenant_id: tenant,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            price_list_id: row.list_id,
            variant_id: row.variant_id,
            currency_code: row.currency_code,
            amount: row.amount,
            valid_from: row.valid_from,
            valid_to: row.valid_to,
        }
    }
}

/// The whole record as an answer; audited under its list.
pub fn answer(row: PriceRow) -> Reply {
    let (id, version, list) = (row.id, row.version, row.list_id);
    Reply::json(&Price::of(row, facts().tenant.into())).of(id, version).subject(list)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPrices {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    status: Status,
    variant_id: Option<Id>,
    /// Prices in effect at this instant.
    at: Option<Stated>,
    /// Prices that are in effect at or after this instant.
    from: Option<Stated>,
    /// Prices that are in effect at or before this instant.
    to: Option<Stated>,
}

pub fn list(call: &Call) -> Answer {
    let list_id = call.path_id("listId")?;
    let query: ListPrices = call.query()?;
    let read = |stated: &Option<Stated>, pointer: &str| stated.as_ref().map(|stated| stated.read(pointer)).transpose();
    let bounds = (read(&query.at, "/query/at"), read(&query.from, "/query/from"), read(&query.to, "/query/to"));
    let (Ok(at), Ok(from), Ok(to)) = bounds else {
        let faults = [bounds.0.err(), bounds.1.err(), bounds.2.err()];
        return Err(Problem::invalid(faults.into_iter().flatten().collect()));
    };
    let wanted = [
        query.variant_id.map(|id| PriceRow::variant_id.eq(id)),
        at.map(period::in_effect),
        from.map(|from| any([PriceRow::valid_to.is_null(), PriceRow::valid_to.gt(from)])),
        to.map(|to| any([PriceRow::valid_from.is_null(), PriceRow::valid_from.le(to)])),
    ];
    let of_list = [PriceRow::list_id.eq(list_id), PriceRow::status.eq(query.status)];
    let filter = all(of_list.into_iter().chain(wanted.into_iter().flatten()));
    let (list, rows) = paged(query.limit, |limit| {
        run((get::<ListId>(list_id), select::<PriceRow>(filter.clone()).after(query.cursor).limit(limit)))
    })?;
    if list.is_none() {
        return Err(Problem::not_found());
    }
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| Price::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let list_id = call.path_id("listId")?;
    of_list(run(get(call.path_id("priceId")?))?, list_id).map(answer)
}

/// The price, if it is one of the list.
///
/// # Errors
/// NOT_FOUND.
pub fn of_list(row: Option<PriceRow>, list: Id) -> Result<PriceRow, Problem> {
    row.filter(|row| row.list_id == list).ok_or_else(Problem::not_found)
}
