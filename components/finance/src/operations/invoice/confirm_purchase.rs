//! Confirming a purchase invoice together with the receipt of its goods: of the order that it bills, or of one that is
//! made for it. Order, receipt, invoice and entries are one transaction (rule 9).

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::{Answer, Bounds, Call, Id, Item, Problem, item};
use stoa_trade::JsonList;
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::clients::purchases::{self, BuyLine, NewUnit, Purchase, ReceiveLine, Received, ReceivedItem};
use stoa_trade::refusal::{illegal, invalid, refuse, refuse_invalid};
use stoa_trade::unit_identity::UnitInput;

use crate::operations::invoice::confirm_sale::{find_order, refuse_members};
use crate::operations::invoice::input::{ConfirmPurchaseInvoice, LineUnits};
use crate::operations::invoice::issue::recognize_on;
use crate::records::invoice_line::{InvoiceLineRow, products_of};
use crate::records::side::Side;
use crate::rules::billed_units::{check_given, check_lines};
use crate::work::invoice::goods::{VariantGoods, gather_goods};
use crate::work::invoice::locked::{LockedInvoice, lock_invoice};
use crate::work::invoice::post::{BilledLines, Posted, post_invoice};

pub fn confirm(call: &Call) -> Answer {
    let body: ConfirmPurchaseInvoice = call.body()?;
    refuse_card_numbers(&[("/reason", Some(&body.reason)), ("/orderNumber", body.order_number.as_deref())])?;
    check_units(&body.units)?;
    let invoice = lock_invoice(Side::Purchases, call.path_id("id")?, body.expected_version)?;
    invoice.require_draft()?;
    check_lines(&invoice.billed_lines())?;
    let how = recognize_on(&invoice.row, body.recognized_on, body.document_reference.clone().into())?;
    let given = Given::from_invoice(&invoice, &body.units)?;
    let (receipt, lines) = match find_order(&invoice)? {
        Some(order) => receive(&invoice, &body, &given, order)?,
        None => buy(&invoice, &body, &given)?,
    };
    // The claim key of a unit that a purchase bills is the unit's own id.
    let claims = stoa_sdk::map(lines.iter().flat_map(|line| line.unit_ids.0.iter().map(|unit| (*unit, *unit))));
    let billed = BilledLines { lines, claims };
    let after = post_invoice(&invoice, billed, &Posted { receipt: Some(receipt), ..how })?;
    Ok(after.receipt().subjects(products_of(&invoice.lines)).changed(["status", "receiptId"]))
}

/// # Errors
/// VALIDATION_FAILED: a line twice.
fn check_units(units: &[LineUnits]) -> Result<(), Problem> {
    let mut seen = BTreeSet::new();
    let again = units.iter().enumerate().filter(|(_, line_units)| !seen.insert(line_units.line_no));
    refuse_invalid(again.map(|(nth, _)| item(format!("/units/{nth}/lineNo"), "REPEATED")).collect())
}

/// The units that the request gives for lines.
struct Given<'a> {
    /// By the place of the line, with the place in the request.
    by_line: BTreeMap<i64, (usize, &'a [UnitInput])>,
}

impl<'a> Given<'a> {
    /// # Errors
    /// VALIDATION_FAILED of a line that there is not; UNIT_COUNT_MISMATCH.
    fn from_invoice(invoice: &LockedInvoice, units: &'a [LineUnits]) -> Result<Given<'a>, Problem> {
        let is_line = |place: i64| invoice.lines.iter().any(|line| line.line_no == place && line.variant_id.is_some());
        let stray = units.iter().enumerate().filter(|(_, line_units)| !is_line(line_units.place()));
        let stray: Vec<Item> = stray
            .map(|(nth, _)| {
                item(format!("/units/{nth}/lineNo"), "RANGE").with_bounds(Bounds::between(1_i64, invoice.lines.len()))
            })
            .collect();
        refuse_invalid(stray)?;
        let by_line =
            units.iter().enumerate().map(|(nth, line_units)| (line_units.place(), (nth, line_units.units.as_slice())));
        let given = Given { by_line: stoa_sdk::map(by_line) };
        let goods: Vec<&InvoiceLineRow> = invoice.lines.iter().filter(|line| line.variant_id.is_some()).collect();
        // A unit that the draft names is there already: it cannot come again.
        let counts: Vec<usize> = goods.iter().map(|line| given.units(line).len() + line.unit_ids.0.len()).collect();
        check_given(&goods, &counts)?;
        Ok(given)
    }

    fn units(&self, line: &InvoiceLineRow) -> &'a [UnitInput] {
        self.by_line.get(&line.line_no).map(|(_, units)| *units).unwrap_or_default()
    }

    fn wire(&self, line: &InvoiceLineRow) -> Vec<NewUnit> {
        let unit = |unit: &UnitInput| NewUnit {
            serial_number: unit.serial_number.clone(),
            imei1: unit.imei1.clone(),
            imei2: unit.imei2.clone(),
            condition: unit.condition.map(|condition| condition.as_str().to_owned()),
            grade: unit.grade.map(|grade| grade.as_str().to_owned()),
        };
        self.units(line).iter().map(unit).collect()
    }

    /// Procurement's rejection of its lines, at the places of the request: units in addition to the lines, all else in
    /// the record.
    fn point(&self, refusal: Problem, lines: &[&InvoiceLineRow]) -> Problem {
        let mut refusal = refusal;
        for (nth, line) in lines.iter().enumerate() {
            if let Some((given, _)) = self.by_line.get(&line.line_no) {
                refusal = refusal.moved(&format!("/lines/{nth}/units"), &format!("/units/{given}/units"));
            }
        }
        let places: Vec<String> = lines.iter().map(|line| line.pointer()).collect();
        refusal
            .moved_each("/lines", &places)
            .moved("/locationId", "/warehouseLocationId")
            .moved("/supplierId", "/partyId")
            .moved("/number", "/orderNumber")
    }
}

/// Receives exactly what the lines bill of their order; the receipt, and the lines as they bill it.
fn receive(
    invoice: &LockedInvoice,
    body: &ConfirmPurchaseInvoice,
    given: &Given<'_>,
    order: Id,
) -> Result<(Id, Vec<InvoiceLineRow>), Problem> {
    refuse_members(&[("/warehouseId", body.warehouse_id.is_some()), ("/orderNumber", body.order_number.is_some())])?;
    let version = body.expected_order_version.ok_or_else(|| invalid("/expectedOrderVersion", "REQUIRED"))?;
    let state = invoice.orders.states.get(&order).ok_or_else(Problem::not_found)?;
    version.check_at(state.version, "/expectedOrderVersion")?;
    let goods: Vec<&InvoiceLineRow> = invoice.lines.iter().filter(|line| line.order_item_id.is_some()).collect();
    let received = goods.iter().filter(|line| line.receipt_item_id.is_some());
    let received: Vec<Item> =
        received.map(|line| item(format!("{}/receiptItemId", line.pointer()), "ALREADY_RECEIVED")).collect();
    refuse("ILLEGAL_STATE", received)?;
    if !state.can_be_delivered {
        return Err(illegal("/lines", "ORDER_NOT_OPEN"));
    }
    let line = |line: &&InvoiceLineRow| {
        Some(ReceiveLine {
            order_item_id: line.order_item_id?.into(),
            quantity: line.quantity.to_string(),
            units: given.wire(line),
        })
    };
    let wire: Vec<ReceiveLine> = goods.iter().filter_map(line).collect();
    let location = body.warehouse_location_id.map(Into::into);
    let received = purchases::service::receive(order.into(), version.0, &body.reason, location, &wire)
        .map_err(|refusal| given.point(refusal, &goods))?;
    let of_item = |line: &InvoiceLineRow| {
        let item = line.order_item_id?;
        received.items.iter().find(|came| Id::from(came.order_item_id) == item)
    };
    let lines = invoice.lines.iter().map(|line| match of_item(line) {
        Some(came) => InvoiceLineRow {
            receipt_item_id: Some(came.receipt_item_id.into()),
            unit_ids: came.unit_ids.iter().copied().map(Id::from).collect(),
            ..line.clone()
        },
        None => line.clone(),
    });
    Ok((received.receipt_id.into(), lines.collect()))
}

/// Buys the goods by an order of their own, at the invoice's cost.
fn buy(
    invoice: &LockedInvoice,
    body: &ConfirmPurchaseInvoice,
    given: &Given<'_>,
) -> Result<(Id, Vec<InvoiceLineRow>), Problem> {
    refuse_members(&[("/expectedOrderVersion", body.expected_order_version.is_some())])?;
    let warehouse = body.warehouse_id.ok_or_else(|| invalid("/warehouseId", "REQUIRED"))?;
    let units_of_lines = invoice.lines.iter().map(|line| (line, given.wire(line)));
    let goods = gather_goods(units_of_lines, "unitCost", "TWO_COSTS")?;
    let row = &invoice.row;
    let what = Purchase {
        number: Some(body.order_number.clone().unwrap_or_else(|| format!("PI-{}", row.id))),
        supplier_id: row.party_id.into(),
        legal_entity_id: row.legal_entity_id.into(),
        warehouse_id: warehouse.into(),
        currency_code: row.currency_code.clone(),
        reason: String::from(body.reason.clone()),
        location_id: body.warehouse_location_id.map(Into::into),
    };
    let line = |(variant, bought): (&Id, &VariantGoods<'_, NewUnit>)| BuyLine {
        variant_id: (*variant).into(),
        quantity: bought.quantity.to_string(),
        unit_cost: bought.first.unit_amount.to_string(),
        units: bought.units.clone(),
    };
    let wire: Vec<BuyLine> = goods.iter().map(line).collect();
    let firsts: Vec<&InvoiceLineRow> = goods.values().map(|bought| bought.first).collect();
    let received = purchases::service::buy(&what, &wire).map_err(|refusal| given.point(refusal, &firsts))?;
    Ok((received.receipt_id.into(), link_lines(invoice, &goods, &received)))
}

/// The received item of a variant, and its units that no line has taken yet.
type Came<'a> = (&'a ReceivedItem, std::slice::Iter<'a, (u64, u64)>);

/// The lines of the invoice as those of the order and the receipt that were made for them; units in the order of the
/// lines that gave them.
fn link_lines(
    invoice: &LockedInvoice,
    goods: &BTreeMap<Id, VariantGoods<'_, NewUnit>>,
    received: &Received,
) -> Vec<InvoiceLineRow> {
    let mut came: BTreeMap<Id, Came<'_>> = stoa_sdk::map(
        goods.keys().zip(&received.items).map(|(variant, item)| (*variant, (item, item.unit_ids.iter()))),
    );
    let mut lines = Vec::new();
    for line in &invoice.lines {
        let of_variant = line.variant_id.and_then(|variant| came.get_mut(&variant));
        lines.push(match of_variant {
            Some((item, units)) => {
                let count = if line.is_serialized() { line.pieces() } else { 0 };
                InvoiceLineRow {
                    order_id: Some(received.order_id.into()),
                    order_item_id: Some(item.order_item_id.into()),
                    receipt_item_id: Some(item.receipt_item_id.into()),
                    order_unit_cost: Some(line.unit_amount),
                    unit_ids: units.by_ref().take(count).copied().map(Id::from).collect::<JsonList<Id>>(),
                    ..line.clone()
                }
            }
            None => line.clone(),
        });
    }
    lines
}
