//! Opening a stock count, and cancelling it.

use stoa_sdk::store::{get, insert, run, update};
use stoa_sdk::{Answer, Call, Instant, Problem, facts, new_id};

use crate::operations::stock_count::input::{CancelStockCount, StockCountInput, check_open};
use crate::records::life::Status;
use crate::records::stock_count::{CountStatus, StockCountRow, receipt};
use crate::records::warehouse::WarehouseRow;
use crate::rules::refusal;
use crate::work::document_number;

pub fn create(call: &Call) -> Answer {
    let body: StockCountInput = call.body()?;
    let warehouse: Option<WarehouseRow> = run(get(body.warehouse_id))?;
    let warehouse = warehouse.ok_or_else(|| Problem::reference_missing("/warehouseId"))?;
    if warehouse.status == Status::Archived {
        return Err(refusal::unusable("/warehouseId", "ARCHIVED"));
    }
    let now = Instant(facts().now);
    let mut count = StockCountRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        number: String::new(),
        number_key: String::new(),
        warehouse_id: warehouse.id,
        legal_entity_id: warehouse.legal_entity_id,
        notes: body.notes.map(String::from),
        status: CountStatus::Open,
        posted_at: None,
    };
    document_number::give("SC", warehouse.legal_entity_id, body.number, |number| {
        count.number = number.to_owned();
        count.number_key = document_number::key(number);
        Ok(run(insert([&count]).unless_taken())?.iter().all(|went_in| *went_in))
    })?;
    Ok(receipt(&count))
}

pub fn cancel(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: CancelStockCount = call.body()?;
    let count: Option<StockCountRow> = run(get(id).locked())?;
    let count = count.ok_or_else(Problem::not_found)?;
    body.expected_version.check(count.version)?;
    check_open(&count)?;
    let after = StockCountRow {
        status: CountStatus::Cancelled,
        version: count.version + 1,
        updated_at: Instant(facts().now),
        ..count
    };
    run(update::<StockCountRow>(id).set(StockCountRow::status, &after.status))?;
    Ok(receipt(&after).changed(vec!["status"]))
}
