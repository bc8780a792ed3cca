//! Incoming goods: the lines of open orders of which tracked goods are outstanding.

use stoa_sdk::store::{WholeTotals, aggregate, get_all, run};
use stoa_sdk::{Answer, Call, Client, Date, Filter, Id, Operation, Page, Reply, all, has, map, set, totals};
use stoa_trade::list_query;
use stoa_trade::lists::{between, equals};
use stoa_trade::quantity::Quantity;

use crate::records::incoming::IncomingGoods;
use crate::records::order::OrderRow;
use crate::records::order_item::OrderItemRow;
use crate::records::permission::{CLIENT_READ, READ};
use crate::records::shipment::{ShipmentItemRow, ShipmentRow, ShipmentStage};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/purchases/incoming", "listIncoming", list).summary("Expected goods")
        .description("Outstanding quantities of open orders, by line. Drafts, cancelled orders and untracked goods are \
            excluded.")
        .needs(READ).query::<ListIncoming>().answers::<Page<IncomingGoods>>()
        .and_client(Client::new(CLIENT_READ)),
];

list_query! {
    pub struct ListIncoming of OrderItemRow {
        variant_id: Option<Id>,
        warehouse_id: Option<Id>,
        supplier_id: Option<Id> = has_order(supplier_id, expected_from, expected_to),
        legal_entity_id: Option<Id>,
        /// Only orders expected on or after this day.
        expected_from: Option<Date> = Filter::default(),
        /// Only orders expected on or before this day.
        expected_to: Option<Date> = Filter::default(),
    }
}

/// Lines of orders of which all is true that is asked of orders.
fn has_order(supplier: Option<Id>, from: Option<Date>, to: Option<Date>) -> Filter {
    let asked = all([equals(OrderRow::supplier_id, supplier), between(OrderRow::expected_on, from, to)]);
    match asked == Filter::default() {
        true => asked,
        false => has::<OrderRow, _, _>(OrderItemRow::order_id, OrderRow::id, asked),
    }
}

totals! {
    UnderWay of ShipmentItemRow by [order_item_id: Id] {
        quantity: Quantity = sum(quantity),
        received: Quantity = sum(received),
    }
}

pub fn list(call: &Call) -> Answer {
    let page = call.query::<ListIncoming>()?.page([OrderItemRow::open.eq(true)])?;
    let orders = get_all::<OrderRow>(set(page.items.iter().map(|item| item.order_id)));
    let (orders, shipped) = run((orders, select_shipped(&page.items)))?;
    let orders = map(orders.into_iter().map(|order| (order.id, order)));
    let shipped = shipped.unwrap_or_default().into_iter();
    let shipped =
        map(shipped.map(|sum| (sum.order_item_id, sum.quantity.checked_sub(sum.received).unwrap_or(Quantity::ZERO))));
    let show = |item: &OrderItemRow| {
        let shipped = shipped.get(&item.id).copied().unwrap_or(Quantity::ZERO);
        Some(IncomingGoods::from_row(orders.get(&item.order_id)?, item, shipped))
    };
    let next_cursor = page.items.last().map(|item| item.id).filter(|_| page.more);
    Ok(Reply::json(&Page { items: page.items.iter().filter_map(show).collect(), next_cursor }))
}

/// Quantities of these lines on shipments under way.
fn select_shipped(items: &[OrderItemRow]) -> Option<WholeTotals<UnderWay>> {
    let under_way = ShipmentRow::stage.one_of(ShipmentStage::UNDER_WAY);
    let of_items = all([
        ShipmentItemRow::order_item_id.one_of(items.iter().map(|item| item.id)),
        ShipmentItemRow::line_no.not_null(),
        has::<ShipmentRow, _, _>(ShipmentItemRow::shipment_id, ShipmentRow::id, under_way),
    ]);
    (!items.is_empty()).then(|| aggregate::<UnderWay>(of_items).whole())
}
