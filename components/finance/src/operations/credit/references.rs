//! References of a credit: looked up when it is saved, and its goods again when it is recognised.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::{get, run};
use stoa_sdk::{Id, Item, Problem, item, map, set};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::clients::purchases::{self, ReceiptItem};
use stoa_trade::clients::units;
use stoa_trade::document::lines::Lines;
use stoa_trade::quantity::{Tracking, is_countable, scale_fault};
use stoa_trade::refusal::{refuse, refuse_invalid, unusable};

use crate::operations::credit::input::{CreditInput, CreditLineInput};
use crate::records::invoice::{InvoiceRow, InvoiceStatus};
use crate::records::side::Side;
use crate::records::supplier_return::SupplierReturnRow;
use crate::work::ordered::read_tracking;

/// Supplier, legal entity and currency of the goods that a correction may name.
#[derive(Debug, Clone, Copy)]
pub struct Supplied<'a> {
    pub supplier: Id,
    pub entity: Id,
    pub currency_code: &'a str,
}

/// Judges what a credit names, and answers the products of the goods among it.
///
/// # Errors
/// NOT_FOUND, VALIDATION_FAILED of quantities, REFERENCE_INVALID.
pub fn check_references(side: Side, body: &CreditInput) -> Result<BTreeSet<Id>, Problem> {
    let (invoice, goods_back) =
        run((body.origin_invoice_id.map(get::<InvoiceRow>), body.supplier_return_id.map(get::<SupplierReturnRow>)))?;
    let missing = |pointer: &str, is_missing: bool| is_missing.then(|| item(pointer, "NOT_FOUND"));
    let lines = Lines::at("/lines", body.lines());
    let variants = set(body.variant_id.into_iter().chain(body.lines().iter().map(|line| line.variant_id)));
    let articles = articles::get(variants.iter().copied());
    let is_unknown = |id: Id| !articles.contains_key(&id);
    let unit = body.inventory_unit_id.and_then(|id| units::get(&[id]).into_iter().next());
    let no_unit = body.inventory_unit_id.is_some() && unit.is_none();
    let missing: Vec<Item> = [
        missing("/originInvoiceId", matches!(invoice, Some(None))),
        missing("/supplierReturnId", matches!(goods_back, Some(None))),
        missing("/variantId", body.variant_id.is_some_and(is_unknown)),
        missing("/inventoryUnitId", no_unit),
    ]
    .into_iter()
    .flatten()
    .chain(lines.faults("variantId", "NOT_FOUND", |line| is_unknown(line.variant_id)))
    .collect();
    refuse("NOT_FOUND", missing)?;
    refuse_invalid(find_fine_quantities(lines, &articles))?;
    if invoice.flatten().is_some_and(|row| !is_origin(&row, side, body)) {
        return Err(unusable("/originInvoiceId", "REFERENCE_INVALID"));
    }
    let of_supplier =
        |row: &SupplierReturnRow| row.party_id == body.party_id && row.legal_entity_id == body.legal_entity_id;
    if goods_back.flatten().is_some_and(|row| !of_supplier(&row)) {
        return Err(unusable("/supplierReturnId", "REFERENCE_INVALID"));
    }
    let supplied =
        Supplied { supplier: body.party_id, entity: body.legal_entity_id, currency_code: &body.currency_code };
    let goods: Vec<(Id, Option<Id>)> =
        body.cost_lines().iter().map(|line| (line.receipt_item_id, line.inventory_unit_id)).collect();
    let corrected = check_goods(supplied, &goods)?;
    let named = variants.into_iter().chain(unit.map(|unit| Id::from(unit.variant_id)));
    Ok(articles::products_of(set(named.chain(corrected))))
}

/// QUANTITY_SCALE of each line whose quantity is finer than the unit of its variant.
fn find_fine_quantities(lines: Lines<'_, CreditLineInput>, articles: &BTreeMap<Id, Article>) -> Vec<Item> {
    let mut faults = Vec::new();
    for (pointer, line) in lines.iter() {
        let Some(article) = articles.get(&line.variant_id) else { continue };
        let (tracking, places) = (articles::tracking(article), article.decimal_places);
        if !is_countable(line.quantity.0, tracking, places) {
            faults.push(scale_fault(pointer.member("quantity"), tracking, places));
        }
    }
    faults
}

fn is_origin(row: &InvoiceRow, side: Side, body: &CreditInput) -> bool {
    row.status == InvoiceStatus::Issued
        && row.side == side
        && row.party_id == body.party_id
        && row.legal_entity_id == body.legal_entity_id
        && row.currency_code == body.currency_code
}

/// Judges the goods of a correction, lines of receipts, with a unit each where they are serialized; and answers their variants.
///
/// # Errors
/// NOT_FOUND, REFERENCE_INVALID at `/costLines`.
pub fn check_goods(supplied: Supplied<'_>, lines: &[(Id, Option<Id>)]) -> Result<BTreeSet<Id>, Problem> {
    if lines.is_empty() {
        return Ok(BTreeSet::new());
    }
    let ids: Vec<Id> = lines.iter().map(|(receipt_item, _)| *receipt_item).collect();
    let received = purchases::read_receipt_items(&ids);
    let received = map(received.into_iter().map(|line| (Id::from(line.id), line)));
    let (mut missing, mut unfit) = (Vec::new(), Vec::new());
    for (nth, (receipt_item, unit)) in lines.iter().enumerate() {
        let pointer = |member: &str| format!("/costLines/{nth}/{member}");
        let Some(line) = received.get(receipt_item) else {
            missing.push(item(pointer("receiptItemId"), "NOT_FOUND"));
            continue;
        };
        if !is_supplied(line, supplied) {
            unfit.push(item(pointer("receiptItemId"), "REFERENCE_INVALID"));
        } else if !names_its_unit(line, *unit) {
            unfit.push(item(pointer("inventoryUnitId"), "REFERENCE_INVALID"));
        }
    }
    refuse("NOT_FOUND", missing)?;
    refuse("REFERENCE_INVALID", unfit)?;
    Ok(set(received.values().map(|line| Id::from(line.variant_id))))
}

/// Goods that are valued, of the supplier.
fn is_supplied(line: &ReceiptItem, supplied: Supplied<'_>) -> bool {
    Id::from(line.supplier_id) == supplied.supplier
        && Id::from(line.legal_entity_id) == supplied.entity
        && line.currency_code == supplied.currency_code
        && read_tracking(line.tracking) != Tracking::None
}

fn names_its_unit(line: &ReceiptItem, unit: Option<Id>) -> bool {
    match unit {
        Some(unit) => line.unit_ids.iter().any(|id| Id::from(*id) == unit),
        None => read_tracking(line.tracking) != Tracking::Serialized,
    }
}
