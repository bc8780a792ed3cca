//! Sending goods back: inventory takes them out and returns their cost, the entry is posted here (P24). A return never
//! takes more of a receipt's line than came with it.

use stoa_sdk::store::{Failure, Miss, insert, run, update_by};
use stoa_sdk::{Answer, Bounds, Call, Field, Id, Item, Problem, View, item, new_id, today, view};
use stoa_trade::clients::books::{self, Side as JournalSide};
use stoa_trade::clients::purchases::{self, ReceiptItem};
use stoa_trade::clients::stock::{self, SentBack, SupplierReturn, SupplierReturnLine};
use stoa_trade::document::version::Transition;
use stoa_trade::quantity::{Amount, Quantity, Tracking, pieces, sum, unit_count_mismatch};
use stoa_trade::refusal::refuse;
use stoa_trade::{Change, new_row};

use crate::records::side::SUPPLIER_RETURN;
use crate::records::supplier_return::{
    ReturnProgressRow, SupplierReturnLineRow, SupplierReturnRow, SupplierReturnStatus,
};
use crate::work::ordered::{parse, read_tracking};
use crate::work::posting::{EntrySource, Terms, draw_entry, leg};
use crate::work::supplier_return::{lock_return, products_of};

view! { Returned of ReturnProgressRow { received: Quantity, returned: Quantity } }

pub fn ship(call: &Call) -> Answer {
    let id: Id = call.path_id("id")?;
    let body: Transition = call.body()?;
    let (row, mut lines) = lock_return(id)?;
    body.expected_version.check(row.version)?;
    if row.status != SupplierReturnStatus::Draft {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    lines.sort_by_key(|line| line.line_no);
    let items: Vec<Id> = lines.iter().map(|line| line.receipt_item_id).collect();
    let received = purchases::read_receipt_items(&items);
    check_units(&lines, &received)?;
    let after = SupplierReturnRow { status: SupplierReturnStatus::Shipped, shipped_on: Some(today()), ..row.clone() };
    let change = Change::new(&row, after)?;
    count_returned(&lines, &received)?;
    run(change.update())?;
    // Before any goods are locked: a request that begins books locks them first, and goods then.
    books::admit(row.legal_entity_id)?;
    let sent = send_back(&row, &lines)?;
    let known = sent.iter().filter(|line| line.currency_code.as_deref() == Some(row.currency_code.as_str()));
    let cost: Amount = sum(known.filter_map(|line| line.cost.as_deref()).map(parse))?;
    let terms = Terms::new(row.legal_entity_id, &row.currency_code, today(), "/shippedOn");
    let source = EntrySource { kind: SUPPLIER_RETURN, id: row.id, purpose: "SHIPMENT", number: &row.number };
    let legs = vec![leg("SUPPLIER_RETURNS", JournalSide::Debit, cost), leg("INVENTORY", JournalSide::Credit, cost)];
    books::post(&draw_entry(terms, source, legs))?;
    Ok(change.after().receipt().subjects(products_of(&lines)).changed(change.members()))
}

/// As many units as a serialized line sends back, none of others.
///
/// # Errors
/// UNIT_COUNT_MISMATCH.
fn check_units(lines: &[SupplierReturnLineRow], received: &[ReceiptItem]) -> Result<(), Problem> {
    let serialized = |line: &SupplierReturnLineRow| {
        let came = received.iter().find(|came| Id::from(came.id) == line.receipt_item_id);
        came.is_some_and(|came| read_tracking(came.tracking) == Tracking::Serialized)
    };
    for line in lines {
        let required = if serialized(line) { pieces(line.quantity).unwrap_or_default() } else { 0 };
        if line.unit_ids.0.len() != required {
            let pointer = format!("/lines/{}/unitIds", line.line_no);
            return Err(unit_count_mismatch(pointer, "UNITS_DIFFER_FROM_QUANTITY", required, line.unit_ids.0.len()));
        }
    }
    Ok(())
}

/// Counts what goes back of lines of receipts: rows that are missing are made first.
///
/// # Errors
/// LIMIT_EXCEEDED with BEYOND_RECEIVED.
fn count_returned(lines: &[SupplierReturnLineRow], received: &[ReceiptItem]) -> Result<(), Problem> {
    let row = |came: &ReceiptItem| {
        new_row!(ReturnProgressRow {
            id: new_id(),
            receipt_item_id: came.id.into(),
            received: parse(&came.quantity),
            returned: Default::default(),
        })
    };
    let rows: Vec<ReturnProgressRow> = received.iter().map(row).collect();
    let keys = lines.iter().map(|line| vec![line.receipt_item_id.put()]);
    let returned = update_by::<ReturnProgressRow>("item", keys)
        .add_each(ReturnProgressRow::returned, lines.iter().map(|line| line.quantity))
        .answer::<Returned>();
    match run((insert(&rows).unless_taken(), returned)) {
        Ok(_) => Ok(()),
        Err(Failure::RefusedChange(misses)) => {
            refuse("LIMIT_EXCEEDED", misses.into_iter().map(beyond_received).collect())
        }
        Err(other) => Err(other.into()),
    }
}

/// At most what is left of the receipt's line may go back.
fn beyond_received(miss: Miss) -> Item {
    let fault = item(format!("/lines/{}/quantity", miss.row), "BEYOND_RECEIVED");
    let left = miss.current.and_then(Returned::read).and_then(|row| row.received.checked_sub(row.returned));
    match left {
        Some(left) => fault.with_bounds(Bounds::maximum(left)),
        None => fault,
    }
}

fn send_back(row: &SupplierReturnRow, lines: &[SupplierReturnLineRow]) -> Result<Vec<SentBack>, Problem> {
    let to = SupplierReturn { id: row.id.into(), warehouse_id: row.warehouse_id.into(), reason: row.reason.clone() };
    let line = |line: &SupplierReturnLineRow| SupplierReturnLine {
        receipt_item_id: line.receipt_item_id.into(),
        receipt_id: line.receipt_id.into(),
        variant_id: line.variant_id.into(),
        quantity: line.quantity.to_string(),
        unit_ids: line.unit_ids.0.iter().map(|unit| (*unit).into()).collect(),
    };
    stock::service::return_to_supplier(&to, &lines.iter().map(line).collect::<Vec<_>>())
}
