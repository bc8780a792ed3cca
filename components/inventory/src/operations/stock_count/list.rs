//! Reading stock counts.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Id, Instant, Problem, Reply, Text, holds};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, changed_since, mentions};

use crate::records::permission::SERIALS_READ;
use crate::records::stock_count::{
    CountStatus, StockCount, StockCountHeader, StockCountLine, StockCountLineRow, StockCountRow,
};

list_query! {
    pub struct ListStockCounts of StockCountRow {
        status: Option<CountStatus>,
        warehouse_id: Option<Id>,
        /// Only documents whose number contains the text, ignoring case.
        number: Option<Text<1, 64>> = mentions("number", number.as_deref()),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(StockCountRow::updated_at, updated_since),
    } by creation {}
}

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListStockCounts>()?.page([])?;
    answer_page(rows, |row| row.id, |row| StockCountHeader::from_row(&row))
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let lines = select::<StockCountLineRow>(StockCountLineRow::count_id.eq(id)).whole();
    let (count, lines) = run((get::<StockCountRow>(id), lines))?;
    let count = count.ok_or_else(Problem::not_found)?;
    let with_units = holds(SERIALS_READ);
    let lines = lines.iter().map(|row| StockCountLine::from_row(row, with_units)).collect();
    Ok(Reply::json(&StockCount::from_row(&count, lines)).resource(id))
}
