//! Replacing a draft, priced now.

use std::collections::BTreeMap;

use stoa_sdk::store::{get, insert, run, select, update_all};
use stoa_sdk::{Answer, Call, Id, Problem, all, has, item, map, now, set, view};
use stoa_trade::JsonList;
use stoa_trade::document::draft::{Kept, Redrawn, replace_lines};
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::pages::read_rest;
use stoa_trade::quantity::Money;
use stoa_trade::refusal::refuse;
use stoa_trade::text::key;

use crate::operations::order::input::{SalesOrderUpdate, StatedOrder};
use crate::records::customer::CustomerRow;
use crate::records::order::{OrderRow, OrderStatus, SALE_UPDATED, emit_sale, receipt};
use crate::records::order_item::OrderItemRow;
use crate::records::price_figures::PriceOrigin;
use crate::records::quotation::QuotationItemRow;
use crate::rules::line::StatedLine;
use crate::work::order::{change_order, first_items, new_item, require_status, rewrite_items, with_sums};
use crate::work::references::{LineTerms, Named, References};

view! {
    Quoted of QuotationItemRow { variant_id: Id, unit_price: Money, reason: Option<String> }
}

pub fn replace(call: &Call) -> Answer {
    replace_for(call, false)
}

pub fn replace_as_client(call: &Call) -> Answer {
    replace_for(call, true)
}

fn replace_for(call: &Call, by_client: bool) -> Answer {
    let id = call.path_id("id")?;
    let body: SalesOrderUpdate = call.body()?;
    let expected = body.expected_version;
    let stated = body.state(by_client)?;
    let quotation = has::<OrderRow, _, _>(QuotationItemRow::quotation_id, OrderRow::quotation_id, OrderRow::id.eq(id));
    let (order, rows, customer, offer) = run((
        get::<OrderRow>(id).locked(),
        first_items(id),
        get::<CustomerRow>(stated.customer),
        select::<Quoted>(all([quotation, QuotationItemRow::line_no.not_null()])).whole(),
    ))?;
    let order = order.ok_or_else(Problem::not_found)?;
    let rows = read_rest(rows, &OrderItemRow::order_id.eq(id), |row| row.id)?;
    let named = Named {
        entity: stated.entity,
        warehouse: Some(stated.warehouse),
        price_list: stated.price_list,
        lines: &stated.lines,
    };
    let references = References::read(&named);
    let mut missing = references.find_missing(&named, by_client);
    missing.extend(customer.is_none().then(|| item("/customerId", "NOT_FOUND")));
    refuse("NOT_FOUND", missing)?;
    let customer = customer.ok_or_else(|| Problem::reference_missing("/customerId"))?;
    expected.check(order.version)?;
    require_status(&order, &[OrderStatus::Draft])?;
    check_fixed(&order, &stated)?;
    references.check(&named, &customer)?;
    let terms = references.price_lines(&stated.lines)?;

    let offer = Offer(map(offer.into_iter().map(|quoted| (quoted.variant_id, quoted))));
    let kept = |row: &OrderItemRow| Kept { id: row.id, is_live: row.line_no.is_some(), key: row.variant_id };
    let redrawn = replace_lines(&rows, kept, &stated.lines, |line| line.variant);
    let parts = redrawn.lines.iter().zip(stated.lines.iter().zip(&terms));
    let items = parts.map(|(line, (stated, terms))| redraw(&order, line, stated, terms, &offer, by_client));
    let items: Vec<OrderItemRow> = items.collect::<Result<_, Problem>>()?;
    let is_new = |index: usize| redrawn.lines.get(index).is_some_and(|line| line.before.is_none());
    let (new, old): (Vec<_>, Vec<_>) = items.iter().cloned().enumerate().partition(|(index, _)| is_new(*index));
    let [new, old] = [new, old].map(|rows| rows.into_iter().map(|(_, row)| row).collect::<Vec<_>>());

    let after = OrderRow {
        branch_id: references.branch(),
        warehouse_id: stated.warehouse,
        customer_id: stated.customer,
        price_list_id: stated.price_list,
        currency_code: references.currency_code(),
        notes: stated.notes,
        ..order.clone()
    };
    let change = change_order(&order, with_sums(after, &items, now())?)?;
    let dropped = update_all::<OrderItemRow>(redrawn.dropped.iter().copied()).set(OrderItemRow::line_no, &None);
    run((change.update(), rewrite_items(&old), dropped, insert(&new)))?;
    emit_sale(&SALE_UPDATED, change.after());
    let mut changed = change.members();
    // Lines are named as one: which of them changed is in the record.
    changed.push("items".to_owned());
    // Also those of the lines that are gone now.
    let before = set(rows.iter().filter(|row| row.line_no.is_some()).map(|row| row.product_id));
    Ok(receipt(change.after()).subjects(before).subjects(references.products()).changed(changed))
}

/// # Errors
/// IMMUTABLE_FIELD where the body states another number, but for its case, or another entity.
fn check_fixed(order: &OrderRow, stated: &StatedOrder) -> Result<(), Problem> {
    let is_other = |number: &DocumentNumber| key(&number.0) != order.number_key;
    let fixed = [
        ("/number", stated.number.as_ref().is_some_and(is_other)),
        ("/legalEntityId", stated.entity != order.legal_entity_id),
    ];
    let fixed: Vec<String> =
        fixed.into_iter().filter(|(_, differs)| *differs).map(|(pointer, _)| pointer.to_owned()).collect();
    if fixed.is_empty() { Ok(()) } else { Err(Problem::immutable(fixed)) }
}

/// The quoted lines by variant, where the order came from a quotation.
struct Offer(BTreeMap<Id, Quoted>);

impl Offer {
    /// The quoted line of this variant, if this is its price.
    fn at_price(&self, variant: Id, price: Option<Money>) -> Option<&Quoted> {
        self.0.get(&variant).filter(|quoted| Some(quoted.unit_price) == price)
    }
}

/// The line as the replacement makes it.
fn redraw(
    order: &OrderRow,
    line: &Redrawn<'_, OrderItemRow>,
    stated: &StatedLine,
    terms: &LineTerms,
    offer: &Offer,
    by_client: bool,
) -> Result<OrderItemRow, Problem> {
    let row = new_item(line.id, order.id, line.line_no, stated, terms, PriceOrigin::SalesOrder)?;
    let quoted = offer.at_price(stated.variant, terms.agreed);
    // A key cannot see the units that people chose, so it must not take them away.
    let chosen = line.before.filter(|before| by_client && before.line_no.is_some());
    let chosen = chosen.map(|before| before.chosen_units.0.iter().copied().take(row.unit_count()).collect());
    Ok(OrderItemRow {
        agreed_origin: quoted.map(|_| PriceOrigin::Quotation).or(row.agreed_origin),
        reason: row.reason.or_else(|| quoted.and_then(|item| item.reason.clone())),
        chosen_units: JsonList(chosen.unwrap_or(row.chosen_units.0)),
        ..row
    })
}
