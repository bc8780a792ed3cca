//! Drafting customer returns: creating and replacing them. A draft moves nothing.

use stoa_sdk::store::{MOST_ROWS, get, insert, run, select, update_all, update_from};
use stoa_sdk::{Answer, Call, Id, Problem, column_names, new_id, new_ids};
use stoa_trade::document::draft::{Kept, replace_lines};
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::pages::read_rest;
use stoa_trade::quantity::pieces;
use stoa_trade::refusal::require_unchanged;
use stoa_trade::{Caller, Change, JsonList, new_record};

use crate::operations::customer_return::input::SalesReturnInput;
use crate::operations::customer_return::references::{ReturnLine, ReturnReferences};
use crate::records::customer_return::{
    ReturnStatus, SalesReturnItemRow, SalesReturnItemWrite, SalesReturnRow, draft_receipt,
};
use crate::work::priced_line::name_changes;

/// Columns that a replacement writes of the lines that stay.
const REDRAWN: &[&str] = column_names!(SalesReturnItemRow { line_no, quantity, units });

pub fn create(call: &Call) -> Answer {
    let body: SalesReturnInput = call.body()?;
    body.check()?;
    let references = ReturnReferences::read(&body)?;
    let lines = references.check(&body)?;
    let row = new_record!(SalesReturnRow {
        id: new_id(),
        order_id: references.order.id,
        customer_id: references.order.customer_id,
        legal_entity_id: references.order.legal_entity_id,
        warehouse_id: references.warehouse_id,
        location_id: body.warehouse_location_id,
        reason: body.reason.clone().into(),
        status: ReturnStatus::Draft,
        received_at: None,
    });
    let ids = new_ids(u32::try_from(lines.len()).unwrap_or(u32::MAX)).into_iter().zip(0..);
    let items: Vec<SalesReturnItemRow> =
        ids.zip(&lines).map(|((id, line_no), line)| new_item(id, row.id, line_no, line)).collect();
    run((insert([&row]), insert(&items)))?;
    let reply = draft_receipt(&row, items.iter().map(SalesReturnItemWrite::from_row).collect());
    Ok(reply.subjects(references.products()))
}

fn new_item(id: Id, return_id: Id, line_no: i64, line: &ReturnLine<'_>) -> SalesReturnItemRow {
    new_record!(SalesReturnItemRow {
        id,
        return_id,
        line_no: Some(line_no),
        item_id: line.item.id,
        variant_id: line.item.variant_id,
        product_id: line.item.product_id,
        tracking: line.item.tracking,
        quantity: line.stated.quantity.0,
        disposition: line.disposition,
        units: JsonList(line.stated.unit_ids.clone()),
    })
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let FullReplacement { expected_version, body }: FullReplacement<SalesReturnInput> = call.body()?;
    body.check()?;
    // Also what was taken out of it before.
    let of_return = SalesReturnItemRow::return_id.eq(id);
    let (before, rows) =
        run((get::<SalesReturnRow>(id).locked(), select::<SalesReturnItemRow>(of_return.clone()).limit(MOST_ROWS)))?;
    let before = before.ok_or_else(Problem::not_found)?;
    let rows = read_rest(rows, &of_return, |row| row.id)?;
    let references = ReturnReferences::read(&body)?;
    before.require_draft(expected_version)?;
    require_unchanged(&before.order_id, &body.order_id, "/orderId")?;
    let lines = references.check(&body)?;

    let kept = |row: &SalesReturnItemRow| Kept {
        id: row.id,
        is_live: row.line_no.is_some(),
        key: (row.item_id, row.disposition as u8),
    };
    let redrawn = replace_lines(&rows, kept, &lines, ReturnLine::key);
    let by_client = Caller::current().is_client();
    let (mut new, mut old, mut written) = (Vec::new(), Vec::new(), Vec::new());
    for (redrawn_line, line) in redrawn.lines.iter().zip(&lines) {
        let mut row = new_item(redrawn_line.id, id, redrawn_line.line_no, line);
        written.push(SalesReturnItemWrite::from_row(&row));
        let Some(before) = redrawn_line.before else {
            new.push(row);
            continue;
        };
        if by_client && before.line_no.is_some() {
            // A key cannot see the units that people named, so it must not take them away.
            let fitting = pieces(row.quantity).unwrap_or_default();
            row.units = before.units.0.iter().copied().take(fitting).collect();
        }
        old.push(row);
    }
    let after = SalesReturnRow {
        warehouse_id: references.warehouse_id,
        location_id: body.warehouse_location_id,
        reason: body.reason.clone().into(),
        ..before.clone()
    };
    let change = Change::new(&before, after)?;
    let dropped =
        update_all::<SalesReturnItemRow>(redrawn.dropped.iter().copied()).set(SalesReturnItemRow::line_no, &None);
    run((change.update(), update_from(&old, REDRAWN), dropped, insert(&new)))?;
    let reply = draft_receipt(change.after(), written);
    Ok(reply.subjects(references.products()).changed(name_changes(&change)))
}
