//! Opening a stock count, and cancelling it.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Id, Problem, new_id, view};
use stoa_trade::clients::articles;
use stoa_trade::document::number::{NumberRange, assign_number, insert_unless_taken};
use stoa_trade::text::key;
use stoa_trade::{Change, new_record};

use crate::operations::stock_count::input::{CancelStockCount, StockCountInput};
use crate::operations::stock_count::lock::{check_open, lock_count};
use crate::records::stock_count::{CountStatus, StockCountRow, receipt};
use crate::records::warehouse::WarehouseRow;
use crate::rules::place;
use crate::work::documents::name_owner;

view! { CountId of StockCountRow { id: Id } }

pub fn create(call: &Call) -> Answer {
    let body: StockCountInput = call.body()?;
    let warehouse: Option<WarehouseRow> = run(get(body.warehouse_id))?;
    let warehouse = warehouse.ok_or_else(|| Problem::reference_missing("/warehouseId"))?;
    place::check_active(&warehouse, "/warehouseId")?;
    let mut count = new_record!(StockCountRow {
        id: new_id(),
        number: String::new(),
        number_key: String::new(),
        warehouse_id: warehouse.id,
        legal_entity_id: warehouse.legal_entity_id,
        notes: body.notes.map(String::from),
        status: CountStatus::Open,
        posted_at: None,
    });
    let range = NumberRange { prefix: "SC", entity: warehouse.legal_entity_id, pointer: "/number" };
    assign_number(range, body.number, |number| {
        count.number = number.to_owned();
        count.number_key = key(number);
        insert_unless_taken(&count)
    })
    .or_else(|refusal| Err(name_owner::<CountId>(refusal, range.entity, &count.number_key, |other| other.id)?))?;
    Ok(receipt(&count))
}

pub fn cancel(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: CancelStockCount = call.body()?;
    let (count, lines) = lock_count(id)?;
    check_open(&count, body.expected_version)?;
    let change = Change::new(&count, StockCountRow { status: CountStatus::Cancelled, ..count.clone() })?;
    run(change.update())?;
    let products = articles::products_of(lines.iter().map(|line| line.variant_id));
    Ok(receipt(change.after()).subjects(products).changed(change.members()))
}
