//! Drafting sales orders: creating and replacing them, priced now. A draft holds nothing.

use std::collections::BTreeMap;

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Id, Problem, all, has, map, new_id, now, set, view};
use stoa_trade::change::{find_fixed, refuse_immutable};
use stoa_trade::quantity::Money;
use stoa_trade::text::restate_code;
use stoa_trade::{Caller, Change};

use crate::operations::order::input::{SalesOrderInput, SalesOrderUpdate};
use crate::records::customer::CustomerRow;
use crate::records::order::{OrderRow, OrderStatus, SALE_CREATED, SALE_UPDATED, emit_sale, receipt};
use crate::records::order_item::OrderItemRow;
use crate::records::price_figures::PriceOrigin;
use crate::records::quotation::QuotationItemRow;
use crate::work::order::{
    NewOrder, complete_item, insert_order, new_items, new_order, number_range, require_status, with_sums,
};
use crate::work::priced_line::{first_lines, read_lines, redraw_lines};
use crate::work::references::References;

pub fn create(call: &Call) -> Answer {
    let stated = call.body::<SalesOrderInput>()?.state()?;
    let range = stated.number.is_none().then(|| number_range(stated.entity, "/number"));
    let (references, terms, figure) =
        References::read_new(&stated.name_references(), stated.customer, Caller::current(), range)?;

    let head = NewOrder {
        id: new_id(),
        entity: stated.entity,
        warehouse: stated.warehouse,
        customer: stated.customer,
        price_list: stated.price_list,
        notes: stated.notes,
        quotation: None,
        invoice: None,
    };
    let items = new_items(head.id, &stated.lines, &terms, PriceOrigin::SalesOrder)?;
    let mut order = new_order(head, &references, &items)?;
    insert_order(&mut order, &items, stated.number, figure, "/number")?;
    emit_sale(&SALE_CREATED, &order);
    Ok(receipt(&order).subjects(references.products()))
}

view! {
    Quoted of QuotationItemRow { variant_id: Id, unit_price: Money, reason: Option<String> }
}

pub fn replace(call: &Call) -> Answer {
    let (id, caller) = (call.path_id("id")?, Caller::current());
    let body: SalesOrderUpdate = call.body()?;
    let expected = body.expected_version;
    let stated = body.state()?;
    let quotation = has::<OrderRow, _, _>(QuotationItemRow::quotation_id, OrderRow::quotation_id, OrderRow::id.eq(id));
    let (before, rows, customer, offer) = run((
        get::<OrderRow>(id).locked(),
        first_lines::<OrderItemRow>(id),
        get::<CustomerRow>(stated.customer),
        select::<Quoted>(all([quotation, QuotationItemRow::line_no.not_null()])).whole(),
    ))?;
    let before = before.ok_or_else(Problem::not_found)?;
    let rows = read_lines(id, rows)?;
    let named = stated.name_references();
    let references = References::read(&named);
    let customer = references.require(&named, customer, caller)?;
    expected.check(before.version)?;
    require_status(&before, &[OrderStatus::Draft])?;
    let after = OrderRow {
        number: restate_code(&before.number, stated.number.as_ref().map(|number| number.0.clone())),
        legal_entity_id: stated.entity,
        branch_id: references.branch(),
        warehouse_id: stated.warehouse,
        customer_id: stated.customer,
        price_list_id: stated.price_list,
        currency_code: references.currency_code(),
        notes: stated.notes.clone(),
        ..before.clone()
    };
    refuse_immutable(find_fixed(&before, &after, &[]))?;
    references.check(&named, &customer)?;
    let terms = references.price_lines(&stated.lines)?;

    let offer = Offer(map(offer.into_iter().map(|quoted| (quoted.variant_id, quoted))));
    let redrawn = redraw_lines(id, &rows, &stated.lines, &terms, |item, line, was: Option<&OrderItemRow>| {
        let item = offer.apply(complete_item(item, line, PriceOrigin::SalesOrder));
        // A key cannot see the units that people chose, so it must not take them away.
        let was = was.filter(|was| caller.is_client() && was.line_no.is_some());
        let chosen = was.map(|was| was.chosen_units.0.iter().copied().take(item.unit_count()).collect());
        OrderItemRow { chosen_units: chosen.unwrap_or(item.chosen_units.clone()), ..item }
    })?;
    let change = Change::new(&before, with_sums(after, &redrawn.lines, now())?)?;
    run((change.update(), redrawn.write()))?;
    emit_sale(&SALE_UPDATED, change.after());
    // Also those of the lines that are gone now.
    let products = set(rows.iter().filter(|row| row.line_no.is_some()).map(|row| row.product_id));
    // Lines are named as one: which of them changed is in the record.
    let changed = change.members().into_iter().chain(["items".to_owned()]);
    Ok(receipt(change.after()).subjects(products).subjects(references.products()).changed(changed))
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
