//! Drafting supplier returns: created, replaced, cancelled. A draft moves nothing.

use stoa_sdk::store::{insert, run};
use stoa_sdk::{Answer, Call, Field, Id, Item, Problem, item, map, new_id, new_ids};
use stoa_trade::clients::purchases::{self, ReceiptItem};
use stoa_trade::clients::{articles, directory, units, warehouses};
use stoa_trade::document::lines::Lines;
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::document::version::Transition;
use stoa_trade::quantity::{Tracking, is_countable, scale_fault};
use stoa_trade::refusal::{refuse, refuse_invalid, require_unchanged};
use stoa_trade::text::key;
use stoa_trade::{Change, JsonList, new_record, new_row};

use crate::operations::supplier_return::input::SupplierReturnInput;
use crate::records::side::Side;
use crate::records::supplier_return::{SupplierReturnLineRow, SupplierReturnRow, SupplierReturnStatus};
use crate::work::ordered::read_tracking;
use crate::work::party::require_party;
use crate::work::supplier_return::{lock_return, products_of};
use crate::work::taken::require_inserted;

pub fn create(call: &Call) -> Answer {
    let body: SupplierReturnInput = call.body()?;
    body.check()?;
    directory::require(body.legal_entity_id, None)?;
    require_party(Side::Purchases, body.party_id)?;
    let (row, lines) = draw_return(new_id(), body)?;
    let (went_in, _) = run((insert([&row]).unless_taken(), insert(&lines)))?;
    let number = vec![row.legal_entity_id.put(), row.number_key.clone().put()];
    require_inserted::<SupplierReturnRow>(Side::Purchases, &went_in, number)?;
    Ok(row.receipt().subjects(products_of(&lines)))
}

/// A return as a body states it, and its lines; its currency is that of their receipts.
///
/// # Errors
/// As [`draw_lines`].
fn draw_return(id: Id, body: SupplierReturnInput) -> Result<(SupplierReturnRow, Vec<SupplierReturnLineRow>), Problem> {
    let line_set_id = new_id();
    let (currency_code, lines) = draw_lines(id, line_set_id, &body)?;
    let row = new_record!(SupplierReturnRow {
        id,
        number_key: key(&body.number.0),
        number: body.number.0,
        legal_entity_id: body.legal_entity_id,
        party_id: body.party_id,
        currency_code,
        warehouse_id: body.warehouse_id,
        status: SupplierReturnStatus::Draft,
        line_set_id,
        reason: body.reason.into(),
        notes: body.notes.map(String::from),
        shipped_on: None,
    });
    Ok((row, lines))
}

/// The lines, and the currency of their receipts.
///
/// # Errors
/// NOT_FOUND, REFERENCE_INVALID, VALIDATION_FAILED of quantities.
fn draw_lines(
    return_id: Id,
    line_set_id: Id,
    body: &SupplierReturnInput,
) -> Result<(String, Vec<SupplierReturnLineRow>), Problem> {
    let ids: Vec<Id> = body.lines.iter().map(|line| line.receipt_item_id).collect();
    let received = purchases::read_receipt_items(&ids);
    let received = map(received.into_iter().map(|line| (Id::from(line.id), line)));
    let unit_ids: Vec<Id> = body.lines.iter().flat_map(|line| line.unit_ids.iter().copied()).collect();
    let known = if unit_ids.is_empty() { Vec::new() } else { units::get(&unit_ids) };
    let known = stoa_sdk::set(known.into_iter().map(|unit| Id::from(unit.id)));
    let warehouse = warehouses::get([body.warehouse_id]).remove(&body.warehouse_id);
    let lines = Lines::at("/lines", &body.lines);
    let mut missing: Vec<Item> =
        lines.faults("receiptItemId", "NOT_FOUND", |line| !received.contains_key(&line.receipt_item_id));
    missing.extend(lines.id_faults("unitIds", "NOT_FOUND", |line| &line.unit_ids, |_, unit| !known.contains(&unit)));
    missing.extend(warehouse.is_none().then(|| item("/warehouseId", "NOT_FOUND")));
    refuse("NOT_FOUND", missing)?;
    // A body has a line at least.
    let first = ids.first().and_then(|id| received.get(id));
    let currency_code = first.map(|line| line.currency_code.clone()).unwrap_or_default();
    let is_usable = |line: &ReceiptItem| {
        Id::from(line.supplier_id) == body.party_id
            && Id::from(line.legal_entity_id) == body.legal_entity_id
            && line.currency_code == currency_code
            && read_tracking(line.tracking) != Tracking::None
    };
    let mut unfit = lines.faults("receiptItemId", "REFERENCE_INVALID", |line| {
        received.get(&line.receipt_item_id).is_some_and(|came| !is_usable(came))
    });
    let is_own = warehouse
        .is_some_and(|warehouse| warehouse.active && Id::from(warehouse.legal_entity_id) == body.legal_entity_id);
    unfit.extend((!is_own).then(|| item("/warehouseId", "REFERENCE_INVALID")));
    refuse("REFERENCE_INVALID", unfit)?;
    let goods = articles::get(received.values().map(|line| Id::from(line.variant_id)));
    let mut faults = Vec::new();
    for (pointer, line) in lines.iter() {
        let Some(came) = received.get(&line.receipt_item_id) else { continue };
        let places = goods.get(&came.variant_id.into()).map_or(6, |article| article.decimal_places);
        let tracking = read_tracking(came.tracking);
        if !is_countable(line.quantity.0, tracking, places) {
            faults.push(scale_fault(pointer.member("quantity"), tracking, places));
        }
    }
    refuse_invalid(faults)?;
    let new = new_ids(u32::try_from(body.lines.len()).unwrap_or(u32::MAX));
    let rows = lines.iter().zip(new).filter_map(|((pointer, line), id)| {
        let came = received.get(&line.receipt_item_id)?;
        Some(new_row!(SupplierReturnLineRow {
            id,
            return_id,
            line_set_id,
            line_no: pointer.line_no(),
            receipt_item_id: line.receipt_item_id,
            receipt_id: came.receipt_id.into(),
            variant_id: came.variant_id.into(),
            product_id: goods.get(&came.variant_id.into())?.product_id.into(),
            quantity: line.quantity.0,
            unit_ids: JsonList(line.unit_ids.clone()),
        }))
    });
    let rows = rows.collect();
    Ok((currency_code, rows))
}

pub fn replace(call: &Call) -> Answer {
    let FullReplacement { expected_version, body }: FullReplacement<SupplierReturnInput> = call.body()?;
    body.check()?;
    let (before, lines_before) = lock_return(call.path_id("id")?)?;
    expected_version.check(before.version)?;
    require_draft(&before)?;
    require_unchanged(&before.legal_entity_id, &body.legal_entity_id, "/legalEntityId")?;
    require_party(Side::Purchases, body.party_id)?;
    let (drawn, lines) = draw_return(before.id, body)?;
    let after = SupplierReturnRow { version: before.version, created_at: before.created_at, ..drawn };
    let change = Change::new(&before, after)?;
    run((change.update(), insert(&lines)))?;
    let mut changed = change.members();
    changed.retain(|member| member != "lineSetId");
    changed.push("lines".to_owned());
    let reply = change.after().receipt().subjects(products_of(&lines_before)).subjects(products_of(&lines));
    Ok(reply.changed(changed))
}

fn require_draft(row: &SupplierReturnRow) -> Result<(), Problem> {
    if row.status == SupplierReturnStatus::Draft { Ok(()) } else { Err(Problem::new("ILLEGAL_STATE")) }
}

pub fn cancel(call: &Call) -> Answer {
    let body: Transition = call.body()?;
    let (row, lines) = lock_return(call.path_id("id")?)?;
    body.expected_version.check(row.version)?;
    require_draft(&row)?;
    let change = Change::new(&row, SupplierReturnRow { status: SupplierReturnStatus::Cancelled, ..row.clone() })?;
    run(change.update())?;
    Ok(change.after().receipt().subjects(products_of(&lines)).changed(change.members()))
}
