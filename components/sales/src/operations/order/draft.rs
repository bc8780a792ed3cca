//! Drafting sales orders: creating and replacing them, priced now. A draft holds nothing.

use std::collections::BTreeMap;

use stoa_sdk::store::{run, select};
use stoa_sdk::{Answer, Call, Id, all, has, map, now, view};
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::quantity::Money;
use stoa_trade::text::restate_code;
use stoa_trade::{Caller, Change, points};

use crate::operations::order::input::SalesOrderInput;
use crate::records::order::{OrderRow, OrderStatus, SALE_CREATED, SALE_UPDATED, draft_receipt, emit_sale};
use crate::records::order_item::OrderItemRow;
use crate::records::price_figures::PriceOrigin;
use crate::records::quotation::QuotationItemRow;
use crate::rules::line::read_lines;
use crate::work::order::{complete_item, insert_order, new_items, new_order, number_range, require_status, with_sums};
use crate::work::priced_line::{lock_draft, name_changes};
use crate::work::references::References;

pub fn create(call: &Call) -> Answer {
    let (caller, body): (_, SalesOrderInput) = (Caller::current(), call.body()?);
    let lines = read_lines(&body.items, caller)?;
    let named = body.name_references(&lines);
    // A figure is asked for together with the last read, unless an extension may return the number.
    let is_generated = body.number.is_none() && !points::numbers_are_extended();
    let range = is_generated.then(|| number_range(named.entity, "/number"));
    let (references, terms, figure) = References::read_new(&named, caller, range)?;

    let order = new_order(&named, body.warehouse_id, &references);
    let items = new_items(order.id, &lines, &terms, PriceOrigin::SalesOrder)?;
    let mut order = with_sums(body.fill_in(order), &items, now())?;
    insert_order(&mut order, &items, body.number, figure, "/number")?;
    emit_sale(&SALE_CREATED, &order);
    Ok(draft_receipt(&order, &items).subjects(references.products()))
}

view! {
    Quoted of QuotationItemRow { variant_id: Id, unit_price: Money, reason: Option<String> }
}

pub fn replace(call: &Call) -> Answer {
    let (id, caller) = (call.path_id("id")?, Caller::current());
    let FullReplacement { expected_version, body }: FullReplacement<SalesOrderInput> = call.body()?;
    let lines = read_lines(&body.items, caller)?;
    let named = body.name_references(&lines);
    let quotation = has::<OrderRow, _, _>(QuotationItemRow::quotation_id, OrderRow::quotation_id, OrderRow::id.eq(id));
    let offer = select::<Quoted>(all([quotation, QuotationItemRow::line_no.not_null()])).whole();
    let (draft, offer) = lock_draft::<OrderItemRow, _>(id, &named, offer)?;
    let before = &draft.row;
    expected_version.check(before.version)?;
    require_status(before, &[OrderStatus::Draft])?;
    let after = body.fill_in(OrderRow {
        number: restate_code(&before.number, body.number.clone().map(|number| number.0)),
        legal_entity_id: named.entity,
        branch_id: draft.references.branch(),
        warehouse_id: body.warehouse_id,
        customer_id: named.customer,
        price_list_id: named.price_list,
        currency_code: draft.references.currency_code(),
        ..before.clone()
    });
    let offer = Offer(map(offer.into_iter().map(|quoted| (quoted.variant_id, quoted))));
    let redrawn = draft.redraw_lines(&named, &after, |item, line, was| {
        let item = offer.apply(complete_item(item, line, PriceOrigin::SalesOrder));
        // A key cannot see the units that people chose, so it must not take them away.
        let was = was.filter(|was| caller.is_client() && was.line_no.is_some());
        let chosen = was.map(|was| was.chosen_units.0.iter().copied().take(item.unit_count()).collect());
        OrderItemRow { chosen_units: chosen.unwrap_or(item.chosen_units.clone()), ..item }
    })?;
    let change = Change::new(before, with_sums(after, &redrawn.lines, now())?)?;
    run((change.update(), redrawn.write()))?;
    emit_sale(&SALE_UPDATED, change.after());
    let reply = draft_receipt(change.after(), &redrawn.lines);
    Ok(reply.subjects(draft.products()).changed(name_changes(&change)))
}

/// The quoted lines by variant, where the order came from a quotation.
struct Offer(BTreeMap<Id, Quoted>);

impl Offer {
    /// The line as quoted, if this is its price.
    fn apply(&self, item: OrderItemRow) -> OrderItemRow {
        match self.0.get(&item.variant_id).filter(|quoted| Some(quoted.unit_price) == item.agreed_price) {
            Some(quoted) => OrderItemRow {
                agreed_origin: Some(PriceOrigin::Quotation),
                reason: item.reason.or_else(|| quoted.reason.clone()),
                ..item
            },
            None => item,
        }
    }
}
