//! Accepting a quotation makes an order at the quoted prices, once. Acceptance and conversion are one step: a state
//! between them would be a promise without an order.

use stoa_sdk::store::run;
use stoa_sdk::{Answer, Call, Problem, Reply, item, now};
use stoa_trade::Change;
use stoa_trade::refusal::{illegal, refuse};

use crate::operations::quotation::input::AcceptQuotation;
use crate::records::order::{OrderRow, SALE_CREATED, emit_sale};
use crate::records::price_figures::PriceOrigin;
use crate::records::quotation::{QuotationAcceptance, QuotationItemRow, QuotationRow, QuotationStatus};
use crate::rules::line::{Named, StatedLine};
use crate::work::order::{insert_order, new_items, new_order, with_sums};
use crate::work::priced_line::lock_document;
use crate::work::quotation::require_status;
use crate::work::references::References;

pub fn accept(call: &Call) -> Answer {
    let body: AcceptQuotation = call.body()?;
    let now = now();
    let offer = lock_document::<QuotationItemRow>(call.path_id("id")?)?;
    let row = &offer.row;
    // Quoted prices are agreed, also where the line followed the list.
    let quoted = |row: &QuotationItemRow| {
        StatedLine::at_price(row.variant_id, row.quantity, Some(row.unit_price), row.reason.clone())
    };
    let lines: Vec<StatedLine> = offer.items.iter().map(quoted).collect();
    let warehouse = body.warehouse_id.or(row.warehouse_id);
    let named = Named { warehouse, ..offer.name_references(&lines) };
    let references = References::read(&named);
    let is_missing = body.warehouse_id.is_some() && references.lacks_warehouse();
    refuse("NOT_FOUND", is_missing.then(|| item("/warehouseId", "NOT_FOUND")).into_iter().collect())?;
    body.expected_version.check(row.version)?;
    if row.has_lapsed(now) {
        return Err(Problem::at("QUOTATION_EXPIRED", "/validUntil"));
    }
    require_status(row, now, &[QuotationStatus::Sent])?;
    let warehouse = warehouse.ok_or_else(|| illegal("/warehouseId", "REQUIRED"))?;
    if body.warehouse_id.is_some() {
        references.check_warehouse(row.legal_entity_id)?;
    }
    references.check_again(&lines, &offer.customer)?;
    let terms = references.price_lines(&lines)?;

    let order = new_order(&named, warehouse, &references);
    let items = new_items(order.id, &lines, &terms, PriceOrigin::Quotation)?;
    let order = OrderRow { notes: row.notes.clone(), quotation_id: Some(row.id), ..order };
    let mut order = with_sums(order, &items, now)?;
    insert_order(&mut order, &items, body.order_number, None, "/orderNumber")?;
    let after = QuotationRow {
        status: QuotationStatus::Accepted,
        accepted_at: Some(now),
        order_id: Some(order.id),
        ..row.clone()
    };
    let change = Change::new(row, after)?;
    run(change.update())?;
    emit_sale(&SALE_CREATED, &order);
    let acceptance = QuotationAcceptance::from_row(change.after(), &order, &items);
    let reply = Reply::json(&acceptance).resource(row.id).subjects([order.id, row.customer_id]);
    Ok(reply.subjects(references.products()).changed(change.members()))
}
