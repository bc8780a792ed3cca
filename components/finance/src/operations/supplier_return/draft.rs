//! Drafting supplier returns: created, replaced, cancelled. A draft moves nothing.

use stoa_sdk::store::{insert, run};
use stoa_sdk::{Answer, Call, Id, Item, Problem, item, map, new_id, new_ids, now};
use stoa_trade::clients::purchases::{self, ReceiptItem};
use stoa_trade::clients::{articles, directory, units, warehouses};
use stoa_trade::document::lines::Lines;
use stoa_trade::document::version::Transition;
use stoa_trade::quantity::{Tracking, is_countable, scale_fault};
use stoa_trade::refusal::{or_duplicate, refuse, refuse_invalid};
use stoa_trade::text::key;
use stoa_trade::{Change, JsonList};

use crate::operations::supplier_return::input::{StatedReturn, SupplierReturnInput, SupplierReturnUpdate};
use crate::records::side::Side;
use crate::records::supplier_return::{SupplierReturnLineRow, SupplierReturnRow, SupplierReturnStatus};
use crate::work::ordered::read_tracking;
use crate::work::party::require_party;
use crate::work::supplier_return::{lock_return, products_of};

pub fn create(call: &Call) -> Answer {
    let stated = call.body::<SupplierReturnInput>()?.state()?;
    directory::require(stated.entity, None)?;
    require_party(Side::Purchases, stated.party)?;
    let row = draw_return(&stated);
    let (currency_code, lines) = draw_lines(&row, &stated)?;
    let row = SupplierReturnRow { currency_code, ..row };
    run((insert([&row]), insert(&lines))).map_err(or_duplicate("/number"))?;
    Ok(row.receipt().subjects(products_of(&lines)))
}

fn draw_return(stated: &StatedReturn) -> SupplierReturnRow {
    let now = now();
    SupplierReturnRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        number: stated.number.clone(),
        number_key: key(&stated.number),
        legal_entity_id: stated.entity,
        party_id: stated.party,
        currency_code: String::new(),
        warehouse_id: stated.warehouse,
        status: SupplierReturnStatus::Draft,
        line_set_id: new_id(),
        reason: stated.reason.clone(),
        notes: stated.notes.clone(),
        shipped_on: None,
    }
}

/// The lines, and the currency of their receipts.
///
/// # Errors
/// NOT_FOUND, REFERENCE_INVALID, VALIDATION_FAILED of quantities.
fn draw_lines(row: &SupplierReturnRow, stated: &StatedReturn) -> Result<(String, Vec<SupplierReturnLineRow>), Problem> {
    let ids: Vec<Id> = stated.lines.iter().map(|line| line.receipt_item_id).collect();
    let received = purchases::read_receipt_items(&ids);
    let received = map(received.into_iter().map(|line| (Id::from(line.id), line)));
    let unit_ids: Vec<Id> = stated.lines.iter().flat_map(|line| line.unit_ids.iter().copied()).collect();
    let known = if unit_ids.is_empty() { Vec::new() } else { units::get(&unit_ids) };
    let known = stoa_sdk::set(known.into_iter().map(|unit| Id::from(unit.id)));
    let warehouse = warehouses::get([stated.warehouse]).remove(&stated.warehouse);
    let lines = Lines::at("/lines", &stated.lines);
    let mut missing: Vec<Item> =
        lines.faults("receiptItemId", "NOT_FOUND", |line| !received.contains_key(&line.receipt_item_id));
    missing.extend(lines.id_faults("unitIds", "NOT_FOUND", |line| &line.unit_ids, |_, unit| !known.contains(&unit)));
    missing.extend(warehouse.is_none().then(|| item("/warehouseId", "NOT_FOUND")));
    refuse("NOT_FOUND", missing)?;
    // A body has a line at least.
    let first = ids.first().and_then(|id| received.get(id));
    let currency_code = first.map(|line| line.currency_code.clone()).unwrap_or_default();
    let is_usable = |line: &ReceiptItem| {
        Id::from(line.supplier_id) == stated.party
            && Id::from(line.legal_entity_id) == stated.entity
            && line.currency_code == currency_code
            && read_tracking(line.tracking) != Tracking::None
    };
    let mut unfit = lines.faults("receiptItemId", "REFERENCE_INVALID", |line| {
        received.get(&line.receipt_item_id).is_some_and(|came| !is_usable(came))
    });
    let is_own =
        warehouse.is_some_and(|warehouse| warehouse.active && Id::from(warehouse.legal_entity_id) == stated.entity);
    unfit.extend((!is_own).then(|| item("/warehouseId", "REFERENCE_INVALID")));
    refuse("REFERENCE_INVALID", unfit)?;
    let goods = articles::get(received.values().map(|line| Id::from(line.variant_id)));
    let mut faults = Vec::new();
    for (pointer, line) in lines.iter() {
        let Some(came) = received.get(&line.receipt_item_id) else { continue };
        let places = goods.get(&came.variant_id.into()).map_or(6, |article| article.decimal_places);
        if !is_countable(line.quantity.0, read_tracking(came.tracking), places) {
            faults.push(scale_fault(pointer.member("quantity")));
        }
    }
    refuse_invalid(faults)?;
    let new = new_ids(u32::try_from(stated.lines.len()).unwrap_or(u32::MAX));
    let rows = lines.iter().zip(new).filter_map(|((pointer, line), id)| {
        let came = received.get(&line.receipt_item_id)?;
        Some(SupplierReturnLineRow {
            id,
            created_at: row.updated_at,
            updated_at: row.updated_at,
            return_id: row.id,
            line_set_id: row.line_set_id,
            line_no: pointer.line_no(),
            receipt_item_id: line.receipt_item_id,
            receipt_id: came.receipt_id.into(),
            variant_id: came.variant_id.into(),
            product_id: goods.get(&came.variant_id.into())?.product_id.into(),
            quantity: line.quantity.0,
            unit_ids: JsonList(line.unit_ids.clone()),
        })
    });
    let rows = rows.collect();
    Ok((currency_code, rows))
}

pub fn replace(call: &Call) -> Answer {
    let body: SupplierReturnUpdate = call.body()?;
    let expected = body.expected_version;
    let stated = body.state()?;
    let (before, lines_before) = lock_return(call.path_id("id")?)?;
    expected.check(before.version)?;
    require_draft(&before)?;
    if stated.entity != before.legal_entity_id {
        return Err(Problem::immutable(vec!["/legalEntityId".to_owned()]));
    }
    require_party(Side::Purchases, stated.party)?;
    let drawn = draw_return(&stated);
    let drawn = SupplierReturnRow { id: before.id, version: before.version, created_at: before.created_at, ..drawn };
    let (currency_code, lines) = draw_lines(&drawn, &stated)?;
    let change = Change::new(&before, SupplierReturnRow { currency_code, ..drawn })?;
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
