//! An order that is created, confirmed and delivered at once, for an invoice without one. It locks nothing before its
//! own rows: its goods are reserved and taken, and its rows written together at the end.

use stoa_sdk::store::{Failure, insert, update};
use stoa_sdk::{Id, Problem, now};
use stoa_trade::Caller;
use stoa_trade::arguments::{parse_positive, parse_unsigned};
use stoa_trade::document::lines::Lines;
use stoa_trade::quantity::Money;
use stoa_trade::refusal::refuse;
use stoa_trade::text::key;

use crate::bindings::exports::commerce::sales::orders::{Order, Sale, SellLine};
use crate::records::order::{OrderRow, OrderStatus, SALE_COMPLETED, SALE_CONFIRMED, SALE_CREATED, emit_sale};
use crate::records::order_item::OrderItemRow;
use crate::records::price_figures::PriceOrigin;
use crate::rules::line::{Named, StatedLine};
use crate::services::orders::wire::order_to_wire;
use crate::work::admission::admit;
use crate::work::delivery::deliver_goods;
use crate::work::extension::check_extensions;
use crate::work::month_totals::write_deliveries;
use crate::work::order::{new_items, new_order, with_sums};
use crate::work::references::References;
use crate::work::reservation::{ReservedLine, check_choice, reserve_goods};

/// Sells, and says so three times.
///
/// # Errors
/// The codes of creating, confirming and completing, at the pointers of the lines; DUPLICATE at `/number` or `/invoice`.
pub fn sell(sale: Sale) -> Result<Order, Problem> {
    let pointers: Vec<String> = sale.lines.iter().map(|line| line.pointer.clone()).collect();
    sell_lines(sale).map_err(|refusal| refusal.moved_each("/items", &pointers))
}

fn sell_lines(sale: Sale) -> Result<Order, Problem> {
    let lines: Vec<StatedLine> = sale.lines.iter().map(state).collect();
    refuse("REFERENCE_INVALID", Lines::at("/items", &lines).find_repeats("variantId", |line| line.variant))?;
    let named = Named {
        entity: sale.legal_entity_id.into(),
        warehouse: Some(sale.warehouse_id.into()),
        customer: sale.customer_id.into(),
        price_list: sale.price_list_id.into(),
        lines: &lines,
    };
    // A caller that may sell for an invoice may name what people see.
    let (references, terms, _) = References::read_new(&named, Caller::Person, None)?;

    let order = new_order(&named, sale.warehouse_id.into(), &references);
    let items = new_items(order.id, &lines, &terms, PriceOrigin::SalesInvoice)?;
    let invoice_id = Some(sale.invoice_id.into());
    let order = OrderRow { number_key: key(&sale.number), number: sale.number, invoice_id, ..order };
    write(with_sums(order, &items, now())?, items)
}

/// Reserves, takes and writes the order whole: three versions of it, in one request.
fn write(created: OrderRow, items: Vec<OrderItemRow>) -> Result<Order, Problem> {
    let lines: Vec<ReservedLine<'_>> = items.iter().map(ReservedLine::from_row).collect();
    check_choice(&lines)?;
    admit(&created, &items)?;
    check_extensions(&created, &items)?;
    let reserved = reserve_goods(&created, &lines)?;
    let now = now();
    let confirmed = OrderRow { status: OrderStatus::Confirmed, confirmed_at: Some(now), version: 2, ..created.clone() };
    let delivery = deliver_goods(&confirmed, &items, &reserved)?;
    let completed =
        OrderRow { status: OrderStatus::Completed, completed_at: Some(now), version: 3, ..confirmed.clone() };
    // As many changes as there are events: the row has the version that they name.
    let confirm = update::<OrderRow>(created.id).set(OrderRow::confirmed_at, &completed.confirmed_at);
    let complete = update::<OrderRow>(created.id)
        .set(OrderRow::status, &completed.status)
        .set(OrderRow::completed_at, &completed.completed_at);
    let rest = (insert([&created]), insert(&items), insert(&delivery.allocations), confirm, complete);
    write_deliveries(created.legal_entity_id, rest, &delivery.lines).map_err(or_taken)?;
    delivery.post(&completed)?;
    emit_sale(&SALE_CREATED, &created);
    emit_sale(&SALE_CONFIRMED, &confirmed);
    emit_sale(&SALE_COMPLETED, &completed);
    order_to_wire(&completed, &items, &delivery.allocations)
}

fn state(line: &SellLine) -> StatedLine {
    let price = line.unit_price.as_deref().map(parse_unsigned::<Money>);
    let stated =
        StatedLine::at_price(line.variant_id.into(), parse_positive(&line.quantity), price, line.reason.clone());
    StatedLine { units: line.unit_ids.iter().copied().map(Id::from).collect(), ..stated }
}

/// An order of this number or this invoice is there already.
fn or_taken(failure: Failure) -> Problem {
    match failure {
        Failure::Duplicate(clashes) => {
            let of_invoice = clashes.iter().any(|clash| clash.key == "invoice");
            Problem::duplicate(if of_invoice { "/invoice" } else { "/number" })
        }
        other => other.into(),
    }
}
