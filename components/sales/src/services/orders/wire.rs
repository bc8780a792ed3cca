//! Orders as they cross the border.

use stoa_sdk::Problem;
use stoa_trade::quantity::Tracking;

use crate::bindings::exports::commerce::sales::orders as service;
use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::order::{OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::price_figures::PriceOrigin;
use crate::rules::priced_line::PricedLine;
use crate::work::reservation::group_by_item;

/// An order with its lines in order and all that it holds, has taken or let go.
pub fn order_to_wire(
    row: &OrderRow,
    items: &[OrderItemRow],
    allocations: &[AllocationRow],
) -> Result<service::Order, Problem> {
    let by_item = group_by_item(allocations);
    let item = |row: &OrderItemRow| item_to_wire(row, by_item.get(&row.id).map(Vec::as_slice).unwrap_or_default());
    Ok(service::Order {
        id: row.id.into(),
        number: row.number.clone(),
        status: match row.status {
            OrderStatus::Draft => service::Status::Draft,
            OrderStatus::Confirmed => service::Status::Confirmed,
            OrderStatus::Completed => service::Status::Completed,
            OrderStatus::Cancelled => service::Status::Cancelled,
        },
        version: row.version,
        customer_id: row.customer_id.into(),
        legal_entity_id: row.legal_entity_id.into(),
        branch_id: row.branch_id.map(Into::into),
        warehouse_id: row.warehouse_id.into(),
        price_list_id: row.price_list_id.into(),
        currency_code: row.currency_code.clone(),
        total: row.total.to_string(),
        collectable: row.collectable,
        receipt_id: row.pos_receipt_id.map(Into::into),
        completed_at: row.completed_at.map(|time| time.0),
        items: items.iter().map(item).collect::<Result<_, _>>()?,
    })
}

fn item_to_wire(row: &OrderItemRow, allocations: &[&AllocationRow]) -> Result<service::Item, Problem> {
    let price = row.price().figures()?;
    let live = allocations.iter().filter(|row| row.is_live());
    let unit = |row: &&AllocationRow| {
        Some(service::Unit {
            unit_id: row.unit_id?.into(),
            allocation_id: row.id.into(),
            outcome: match row.outcome {
                AllocationOutcome::Reserved => service::Outcome::Reserved,
                AllocationOutcome::Delivered => service::Outcome::Delivered,
                AllocationOutcome::Released => service::Outcome::Released,
            },
        })
    };
    Ok(service::Item {
        id: row.id.into(),
        order_id: row.order_id.into(),
        // 1 to 100.
        line_no: u16::try_from(row.place() + 1).unwrap_or(u16::MAX),
        variant_id: row.variant_id.into(),
        product_id: row.product_id.into(),
        sku: row.sku.clone(),
        description: row.description.clone(),
        tracking: match row.tracking {
            Tracking::None => service::Tracking::None,
            Tracking::Quantity => service::Tracking::Quantity,
            Tracking::Serialized => service::Tracking::Serialized,
        },
        quantity: row.quantity.to_string(),
        price_id: price.price_id.into(),
        unit_price: price.unit_price.to_string(),
        line_total: price.line_total.to_string(),
        list_unit_price: price.list_unit_price.map(|price| price.to_string()),
        negotiated: price.price_negotiated,
        discount_percent: price.discount_percent.map(|percent| percent.to_string()),
        discount_amount: price.discount_amount.map(|amount| amount.to_string()),
        reason: price.price_reason,
        origin: price.price_origin.map(|origin| match origin {
            PriceOrigin::Quotation => service::Origin::Quotation,
            PriceOrigin::SalesOrder => service::Origin::SalesOrder,
            PriceOrigin::SalesInvoice => service::Origin::SalesInvoice,
        }),
        billed: row.billed.to_string(),
        allocations: live.map(|row| allocation_to_wire(row)).collect(),
        units: allocations.iter().filter_map(unit).collect(),
    })
}

fn allocation_to_wire(row: &AllocationRow) -> service::Allocation {
    service::Allocation {
        id: row.id.into(),
        reservation_id: row.reservation_id.into(),
        quantity: row.quantity.to_string(),
        returned: row.returned.to_string(),
        movement_id: row.movement_id.map(Into::into),
        unit_id: row.unit_id.map(Into::into),
    }
}
