//! Reading stock counts.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Id, Instant, Limit, Page, Problem, Reply, Text, all, contains, paged};

use crate::records::caller::{SERIALS_READ, may, tenant};
use crate::records::stock_count::{
    CountStatus, StockCount, StockCountHeader, StockCountLine, StockCountLineRow, StockCountRow,
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListStockCounts {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    status: Option<CountStatus>,
    warehouse_id: Option<Id>,
    /// Part of the number, in any case.
    number: Option<Text<1, 64>>,
    /// Created at or after this instant.
    from: Option<Instant>,
    /// Created at or before this instant.
    to: Option<Instant>,
}

pub fn list(call: &Call) -> Answer {
    let query: ListStockCounts = call.query()?;
    let wanted = [
        query.status.map(|status| StockCountRow::status.eq(status)),
        query.warehouse_id.map(|id| StockCountRow::warehouse_id.eq(id)),
        query.number.as_deref().map(|number| contains("number", number)),
        query.from.map(|from| StockCountRow::created_at.ge(from)),
        query.to.map(|to| StockCountRow::created_at.le(to)),
    ];
    let filter = all(wanted.into_iter().flatten());
    let rows =
        paged(query.limit, |limit| run(select::<StockCountRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    let tenant = tenant();
    Ok(Reply::json(&Page::of(&rows.items, rows.more, |row| row.id, |row| StockCountHeader::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let lines = select::<StockCountLineRow>(StockCountLineRow::count_id.eq(id));
    let (count, lines) = run((get::<StockCountRow>(id), lines))?;
    let count = count.ok_or_else(Problem::not_found)?;
    let with_units = may(SERIALS_READ);
    let lines = lines.items.iter().map(|row| StockCountLine::of(row, with_units)).collect();
    Ok(Reply::json(&StockCount { header: StockCountHeader::of(&count, tenant()), lines }).resource(id))
}
