//! Drafting invoices of both sides, by hand and of what an order has not billed.

use std::collections::BTreeMap;

use stoa_sdk::{Answer, Call, Id, Problem};
use stoa_trade::clients::purchases::{self, Selection};
use stoa_trade::clients::sales::{self, Outcome, Status};
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::limits::{LINES, UNITS};
use stoa_trade::quantity::{Quantity, Tracking, pieces};
use stoa_trade::refusal::illegal;

use crate::operations::invoice::input::{BillingBasis, InvoiceBody, PurchaseInvoiceFromOrder, SalesInvoiceFromOrder};
use crate::records::receipt::DraftFromOrder;
use crate::records::side::Side;
use crate::rules::stated::{InvoiceTerms, Remarks, StatedInvoice, StatedLine};
use crate::work::invoice::draft::{Draft, create_draft, open_line, replace_draft};
use crate::work::invoice::unbilled::{Unbilled, find_unbilled, rest_to_bill};
use crate::work::ordered::{OrderedLine, ReceivedLine, of_purchases, of_sales, read_received_line};

pub fn create<B: InvoiceBody>(call: &Call) -> Answer {
    let body: B = call.body()?;
    draft(B::SIDE, body.state())
}

fn draft(side: Side, stated: StatedInvoice) -> Answer {
    Ok(answer(&create_draft(side, stated)?))
}

pub fn replace<B: InvoiceBody>(call: &Call) -> Answer {
    let FullReplacement { expected_version, body }: FullReplacement<B> = call.body()?;
    let draft = replace_draft(B::SIDE, call.path_id("id")?, expected_version, body.state())?;
    Ok(answer(&draft).changed(draft.changed))
}

/// The receipt of a draft; the audit entry is found by its products too.
fn answer(draft: &Draft) -> stoa_sdk::Reply {
    draft.row.receipt().subjects(draft.products())
}

/// Units that are named where they are as many as the line bills; otherwise a person names them.
fn name_all(tracking: Tracking, quantity: Quantity, units: Vec<Id>) -> Vec<Id> {
    let is_whole = tracking == Tracking::Serialized && pieces(quantity) == Some(units.len());
    if is_whole { units } else { Vec::new() }
}

/// # Errors
/// ILLEGAL_STATE with NOTHING_TO_BILL where every line is billed.
fn require_lines(lines: Vec<StatedLine>) -> Result<Vec<StatedLine>, Problem> {
    if lines.is_empty() { Err(illegal("/orderId", "NOTHING_TO_BILL")) } else { Ok(lines) }
}

pub fn of_sales_order(call: &Call) -> Answer {
    let body: SalesInvoiceFromOrder = call.body()?;
    let orders = sales::read_orders(&[body.order_id], &[])?;
    let order = orders.first().ok_or_else(|| Problem::reference_missing("/orderId"))?;
    if !matches!(order.status, Status::Confirmed | Status::Completed) {
        return Err(Problem::illegal_state("/orderId"));
    }
    let ordered = of_sales(&orders);
    let mut lines = Vec::new();
    for item in &order.items {
        let Some(line) = ordered.lines.get(&Id::from(item.id)) else { continue };
        let Some(quantity) = rest_to_bill(line.quantity, line.billed) else { continue };
        let units = ordered.units.get(&line.id).map(Vec::as_slice).unwrap_or_default();
        let delivered = units.iter().filter(|unit| unit.outcome == Outcome::Delivered).map(|unit| unit.unit);
        lines.push(open_line(line.id, None, quantity, name_all(line.tracking, quantity, delivered.collect())));
    }
    draft(
        Side::Sales,
        StatedInvoice {
            terms: InvoiceTerms {
                number: body.number,
                legal_entity_id: order.legal_entity_id.into(),
                branch_id: order.branch_id.map(Id::from),
                party_id: order.customer_id.into(),
                currency_code: order.currency_code.clone(),
                issued_on: body.issued_on,
                due_on: body.due_on,
            },
            remarks: body.remarks,
            document_reference: None,
            lines: require_lines(lines)?,
        },
    )
}

/// As many pieces as an invoice names units.
const MOST_PIECES: Quantity = Quantity::from_units(UNITS as i128 * 1_000_000);

pub fn of_purchase_order(call: &Call) -> Answer {
    let body: PurchaseInvoiceFromOrder = call.body()?;
    let orders = purchases::service::items(&Selection::OfOrders(vec![body.order_id.into()]), false);
    let order = orders.first().ok_or_else(|| Problem::reference_missing("/orderId"))?;
    if order.status == "DRAFT" {
        return Err(Problem::illegal_state("/orderId"));
    }
    let ordered = of_purchases(&orders, &[]);
    let lines: Vec<StatedLine> = match body.basis {
        BillingBasis::Ordered => {
            order.items.iter().filter_map(|item| ordered_line(ordered.lines.get(&item.id.into())?)).collect()
        }
        BillingBasis::Received => {
            let received: Vec<ReceivedLine> =
                purchases::read_received(&[body.order_id]).iter().map(read_received_line).collect();
            let line = |unbilled: Unbilled| {
                open_line(unbilled.order_item, Some(unbilled.receipt_item), unbilled.quantity, unbilled.units)
            };
            find_unbilled(&ordered.lines, &received)?.into_iter().map(line).collect()
        }
    };
    let (mut lines, mut remaining_lines) = cut(lines);
    remaining_lines += clip(&mut lines, &ordered.lines);
    let draft = draft_purchase(body, order, lines)?;
    let shown = DraftFromOrder { receipt: draft.row.show_receipt(), remaining_lines };
    Ok(draft.row.reply(&shown).subjects(draft.products()))
}

/// The first lines, as many as one invoice holds and names the units of, and how many remain.
fn cut(mut lines: Vec<StatedLine>) -> (Vec<StatedLine>, usize) {
    let mut units = 0;
    let fit = lines.iter().take(LINES).take_while(|line| {
        units += line.units.len();
        units <= UNITS
    });
    let fit = fit.count();
    let remaining = lines.len() - fit;
    lines.truncate(fit);
    (lines, remaining)
}

/// Leaves at most 100 pieces on each serialized line, and counts the lines that had more.
fn clip(lines: &mut [StatedLine], ordered: &BTreeMap<Id, OrderedLine>) -> usize {
    let of_units = |line: &StatedLine| {
        let ordered = line.order_item.and_then(|item| ordered.get(&item));
        ordered.is_some_and(|ordered| ordered.tracking == Tracking::Serialized)
    };
    let long = lines.iter_mut().filter(|line| line.quantity > MOST_PIECES && of_units(line));
    long.map(|line| line.quantity = MOST_PIECES).count()
}

fn ordered_line(line: &OrderedLine) -> Option<StatedLine> {
    Some(open_line(line.id, None, rest_to_bill(line.quantity, line.billed)?, Vec::new()))
}

fn draft_purchase(
    body: PurchaseInvoiceFromOrder,
    order: &purchases::Order,
    lines: Vec<StatedLine>,
) -> Result<Draft, Problem> {
    create_draft(
        Side::Purchases,
        StatedInvoice {
            terms: InvoiceTerms {
                number: body.number,
                legal_entity_id: order.legal_entity_id.into(),
                branch_id: None,
                party_id: order.supplier_id.into(),
                currency_code: order.currency_code.clone(),
                issued_on: body.issued_on,
                due_on: body.due_on,
            },
            remarks: Remarks::default(),
            document_reference: body.document_reference,
            lines: require_lines(lines)?,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_has_as_many_lines_as_an_invoice_holds() {
        let draft_line =
            |units: usize| open_line(Id(1, 1), None, Quantity::ZERO, (0..units as u64).map(|id| Id(2, id)).collect());
        for (units, drafted, remaining) in [
            (vec![0; 100], 100, 0),
            (vec![0; 101], 100, 1),
            (vec![0; 250], 100, 150),
            (vec![100], 1, 0),
            (vec![60, 40, 0, 1], 3, 1),
            (vec![60, 41, 0], 1, 2),
            (vec![], 0, 0),
        ] {
            let (lines, rest) = cut(units.iter().map(|units| draft_line(*units)).collect());
            assert_eq!((lines.len(), rest), (drafted, remaining), "{units:?}");
        }
    }
}
