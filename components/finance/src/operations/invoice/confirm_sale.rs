//! Confirming a sales invoice together with the delivery of its goods: of the order that it bills, or of one that is
//! made for it. Order, delivery, invoice and entries are one transaction (rule 9).

use stoa_sdk::{Answer, Call, Id, Item, Problem, item, set};
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::clients::sales::{self, Order, Sale, SellLine};
use stoa_trade::refusal::{illegal, invalid, refuse_invalid, unusable};
use stoa_trade::text::key;

use crate::operations::invoice::input::ConfirmSalesInvoice;
use crate::operations::invoice::issue::issue_on;
use crate::records::invoice_line::{InvoiceLineRow, products_of};
use crate::records::side::Side;
use crate::rules::billed_units::{check_lines, units_to_deliver};
use crate::work::invoice::goods::{VariantGoods, gather_goods};
use crate::work::invoice::locked::{LockedInvoice, lock_invoice};
use crate::work::invoice::post::{BilledLines, Posted, claims_of, post_invoice, with_units};
use crate::work::ordered::of_sales;

pub fn confirm(call: &Call) -> Answer {
    let body: ConfirmSalesInvoice = call.body()?;
    refuse_card_numbers(&[("/reason", body.reason.as_deref()), ("/orderNumber", body.order_number.as_deref())])?;
    let invoice = lock_invoice(Side::Sales, call.path_id("id")?, body.expected_version)?;
    invoice.require_draft()?;
    check_lines(&invoice.billed_lines())?;
    let how = issue_on(&invoice.row, body.issued_on)?;
    let (order, billed) = match find_order(&invoice)? {
        Some(order) => deliver(&invoice, &body, order)?,
        None => sell(&invoice, &body)?,
    };
    let after = post_invoice(&invoice, billed, &Posted { delivery_order: Some(order), ..how })?;
    Ok(after.receipt().subjects(products_of(&invoice.lines)).changed(["status", "deliveryOrderId"]))
}

/// The one order whose lines all lines with a variant bill; none if no such line bills any.
///
/// # Errors
/// ILLEGAL_STATE: no goods, or lines of several orders, or of one and none.
pub fn find_order(invoice: &LockedInvoice) -> Result<Option<Id>, Problem> {
    let goods = || invoice.lines.iter().filter(|line| line.variant_id.is_some());
    let orders = set(goods().map(|line| line.order_id));
    let mut orders = orders.into_iter();
    match (orders.next(), orders.next()) {
        (None, _) => Err(illegal("/lines", "NO_GOODS")),
        (Some(order), None) => Ok(order),
        (Some(_), Some(_)) => Err(illegal("/lines", "MIXED_FULFILMENT")),
    }
}

/// Members that are stated only where an order is made for the invoice, or only where it has one.
///
/// # Errors
/// VALIDATION_FAILED with NOT_ALLOWED.
pub fn refuse_members(members: &[(&str, bool)]) -> Result<(), Problem> {
    let stated = members.iter().filter(|(_, is_stated)| *is_stated);
    refuse_invalid(stated.map(|(pointer, _)| item(*pointer, "NOT_ALLOWED")).collect::<Vec<Item>>())
}

/// Delivers the whole order; the lines bill what it held for them.
fn deliver(invoice: &LockedInvoice, body: &ConfirmSalesInvoice, order: Id) -> Result<(Id, BilledLines), Problem> {
    refuse_members(&[
        ("/warehouseId", body.warehouse_id.is_some()),
        ("/priceListId", body.price_list_id.is_some()),
        ("/orderNumber", body.order_number.is_some()),
    ])?;
    let version = body.expected_order_version.ok_or_else(|| invalid("/expectedOrderVersion", "REQUIRED"))?;
    let state = invoice.orders.states.get(&order).ok_or_else(Problem::not_found)?;
    version.check_at(state.version, "/expectedOrderVersion")?;
    if !state.can_be_delivered {
        return Err(illegal("/lines", "ORDER_NOT_CONFIRMED"));
    }
    let units = units_to_deliver(&invoice.billed_lines())?;
    let delivered = sales::service::deliver(order.into(), version.0, None)?;
    Ok((order, with_units(invoice, &of_sales(&[delivered]), units)))
}

/// Sells the goods by an order of their own.
fn sell(invoice: &LockedInvoice, body: &ConfirmSalesInvoice) -> Result<(Id, BilledLines), Problem> {
    refuse_members(&[("/expectedOrderVersion", body.expected_order_version.is_some())])?;
    let warehouse = body.warehouse_id.ok_or_else(|| invalid("/warehouseId", "REQUIRED"))?;
    let price_list = body.price_list_id.ok_or_else(|| invalid("/priceListId", "REQUIRED"))?;
    let units = units_to_deliver(&invoice.billed_lines())?;
    let units_of_lines = invoice.lines.iter().zip(&units).map(|(line, units)| (line, units.iter().copied()));
    let goods = gather_goods(units_of_lines, "unitPrice", "TWO_PRICES")?;
    let line = |(variant, sold): (&Id, &VariantGoods<'_, Id>)| SellLine {
        variant_id: (*variant).into(),
        quantity: sold.quantity.to_string(),
        unit_price: Some(sold.first.unit_amount.to_string()),
        reason: sold.first.price_reason.clone().or_else(|| body.reason.clone().map(String::from)),
        unit_ids: sold.units.iter().map(|unit| (*unit).into()).collect(),
        pointer: sold.first.pointer(),
    };
    let row = &invoice.row;
    let sale = Sale {
        invoice_id: row.id.into(),
        number: body.order_number.clone().unwrap_or_else(|| format!("SI-{}", row.id)),
        customer_id: row.party_id.into(),
        legal_entity_id: row.legal_entity_id.into(),
        warehouse_id: warehouse.into(),
        price_list_id: price_list.into(),
        lines: goods.iter().map(line).collect(),
    };
    let order = sales::service::sell(&sale)
        .map_err(|refusal| refusal.moved("/customerId", "/partyId").moved("/number", "/orderNumber"))?;
    if key(&order.currency_code) != key(&row.currency_code) {
        return Err(unusable("/priceListId", "OTHER_CURRENCY"));
    }
    let billed = link_lines(invoice, &order, units);
    Ok((order.id.into(), billed))
}

/// The lines of the invoice as those of the order that was made for them.
fn link_lines(invoice: &LockedInvoice, order: &Order, units: Vec<Vec<Id>>) -> BilledLines {
    let mut lines = Vec::new();
    for (line, units) in invoice.lines.iter().zip(units) {
        let of_order = line.variant_id.and_then(|variant| {
            let line = order.items.iter().find(|item| Id::from(item.variant_id) == variant)?;
            Some((Id::from(order.id), Id::from(line.id)))
        });
        lines.push(InvoiceLineRow {
            order_id: of_order.map(|(order, _)| order),
            order_item_id: of_order.map(|(_, line)| line),
            unit_ids: stoa_trade::JsonList(units),
            ..line.clone()
        });
    }
    BilledLines { claims: claims_of(Side::Sales, &of_sales(std::slice::from_ref(order)), &lines), lines }
}
