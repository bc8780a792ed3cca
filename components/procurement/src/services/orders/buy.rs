//! Receiving and buying on behalf of an invoice that is confirmed together with its goods.

use stoa_sdk::{Id, Problem};
use stoa_trade::arguments::{parse_positive, parse_unsigned};
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::Positive;
use stoa_trade::refusal::{illegal, refuse_invalid};
use stoa_trade::text::Prose;

use crate::bindings::exports::commerce::procurement::orders as service;
use crate::records::order::OrderKind;
use crate::records::receipt_item::ReceiptItemRow;
use crate::rules::arrival::{GoodsReceiptInput, GoodsReceiptItemInput};
use crate::rules::terms::{OrderTerms, PurchaseOrderItemInput, StatedOrder};
use crate::services::orders::wire::units;
use crate::work::approval::approve_order;
use crate::work::draft::insert_order;
use crate::work::receiving::{self, Receipt, Receivable, lock_receivable};

pub fn receive(
    order: Id,
    expected_version: i64,
    reason: String,
    location_id: Option<(u64, u64)>,
    lines: Vec<service::ReceiveLine>,
) -> Result<service::Received, Problem> {
    let line = |(nth, line): (usize, service::ReceiveLine)| {
        Ok(GoodsReceiptItemInput {
            order_item_id: line.order_item_id.into(),
            quantity: Positive(parse_positive(&line.quantity)),
            units: units(line.units, &format!("/items/{nth}"))?,
        })
    };
    let lines: Result<Vec<GoodsReceiptItemInput>, Problem> = lines.into_iter().enumerate().map(line).collect();
    let lines = lines.map_err(point_at_lines)?;
    receive_goods(order, &state_receipt(expected_version, reason, location_id, lines)).map_err(point_at_lines)
}

fn receive_goods(order: Id, arrival: &GoodsReceiptInput) -> Result<service::Received, Problem> {
    refuse_invalid(arrival.find_faults())?;
    let receivable = lock_receivable(order, arrival)?;
    if receivable.order.row.kind == OrderKind::Import {
        // Its goods come with a shipment, which the caller cannot name.
        return Err(illegal("/order", "IMPORT"));
    }
    let receipt = receiving::receive(receivable, arrival)?;
    Ok(to_wire(receipt))
}

pub fn buy(what: service::Purchase, lines: Vec<service::BuyLine>) -> Result<service::Received, Problem> {
    buy_lines(what, lines).map_err(point_at_lines)
}

fn buy_lines(what: service::Purchase, lines: Vec<service::BuyLine>) -> Result<service::Received, Problem> {
    let item = |line: &service::BuyLine| PurchaseOrderItemInput {
        variant_id: line.variant_id.into(),
        quantity: Positive(parse_positive(&line.quantity)),
        unit_cost: parse_unsigned(&line.unit_cost),
    };
    let terms = OrderTerms::new(
        what.legal_entity_id.into(),
        what.warehouse_id.into(),
        what.supplier_id.into(),
        what.currency_code,
        lines.iter().map(item).collect(),
    );
    let stated = StatedOrder { number: what.number.map(DocumentNumber), terms, import: None };
    let (mut order, known) = insert_order(&stated)?;
    let mut came = Vec::new();
    for (nth, (line, item)) in lines.into_iter().zip(&order.items).enumerate() {
        let units = units(line.units, &format!("/items/{nth}"))?;
        came.push(GoodsReceiptItemInput { order_item_id: item.id, quantity: Positive(item.quantity), units });
    }
    // Its approval makes the next version.
    let arrival = state_receipt(order.row.version + 1, what.reason, what.location_id, came);
    refuse_invalid(arrival.find_faults())?;
    approve_order(&mut order, Some(&known.supplier))?;
    let receipt = receiving::receive(Receivable::new(order), &arrival)?;
    Ok(to_wire(receipt))
}

fn state_receipt(
    version: i64,
    reason: String,
    location_id: Option<(u64, u64)>,
    items: Vec<GoodsReceiptItemInput>,
) -> GoodsReceiptInput {
    GoodsReceiptInput {
        expected_version: ExpectedVersion(version),
        reason: Prose(reason),
        warehouse_location_id: location_id.map(Id::from),
        items,
        shipment_id: None,
        charges: Vec::new(),
    }
}

fn to_wire(receipt: Receipt) -> service::Received {
    let lines = receipt.items.iter().zip(receipt.units);
    let item = |(item, units): (&ReceiptItemRow, Vec<Id>)| service::ReceivedItem {
        receipt_item_id: item.id.into(),
        order_item_id: item.order_item_id.into(),
        unit_ids: units.into_iter().map(Into::into).collect(),
    };
    service::Received {
        receipt_id: receipt.row.id.into(),
        order_id: receipt.row.order_id.into(),
        order_version: receipt.order.row.version,
        items: lines.map(item).collect(),
    }
}

/// The service has lines where the operation has items.
fn point_at_lines(problem: Problem) -> Problem {
    problem.moved("/items", "/lines").moved("/warehouseLocationId", "/locationId")
}
