//! Stock of sales orders: held at confirmation, let go at cancellation, consumed at delivery. Whole reservations only.

use std::collections::BTreeMap;

use stoa_sdk::store::{get, get_all, insert, run, select};
use stoa_sdk::{Id, Item, Problem, has, item, map, new_id};

use crate::articles::{self, Article, Tracking};
use crate::bindings::exports::commerce::inventory::stock as service;
use crate::cost::row::{CostKind, SaleBalanceRow};
use crate::cost::service::positive;
use crate::goods::delta::Delta;
use crate::goods::{Closing, Goods, Outflow, Place, Sku};
use crate::movement::row::{MovementRow, MovementType, ReferenceType};
use crate::reservation::opened;
use crate::reservation::row::{ReservationRow, ReservationSource, ReservationStatus};
use crate::terms::Quantity;
use crate::warehouse::row::WarehouseRow;

/// Lines of an order at most.
pub const MOST_LINES: usize = 100;

pub fn reserve(
    order: &service::SalesOrder,
    warehouse: Id,
    lines: &[service::ReserveLine],
) -> Result<Vec<service::Reserved>, Problem> {
    bounded(lines.len())?;
    let known = articles::by_variant(lines.iter().map(|line| line.variant_id.into()));
    let row: WarehouseRow = run(get(warehouse))?.ok_or_else(|| Problem::reference_missing("/warehouse"))?;
    if !row.is_normal() {
        return Err(Problem::at("CUSTODY_CONFLICT", "/warehouse"));
    }
    let place = Place::of(&row);
    let mut goods = Goods::default();
    let mut reserved = Vec::new();
    for (nth, line) in lines.iter().enumerate() {
        let article = articles::known(&known, line.variant_id.into(), &format!("/lines/{nth}/variantId"))?;
        let quantity = positive(&line.quantity);
        let pointer = format!("/lines/{nth}/quantity");
        articles::measured(article, quantity, &pointer)?;
        no_units(article, quantity, line.unit_ids.len(), nth)?;
        if article.tracking == Tracking::None {
            continue;
        }
        let sku = Sku::of(article);
        let row = ReservationRow {
            document_id: Some(order.id.into()),
            line_id: Some(line.line.into()),
            ..opened(&goods, &place, &sku, quantity, ReservationSource::SalesOrder)
        };
        goods.change(&place, &sku, Delta::reserved(quantity.units()), &pointer);
        reserved.push(service::Reserved {
            line: line.line,
            reservation_id: row.id.into(),
            quantity: quantity.to_string(),
            unit_id: None,
        });
        goods.open(row, None);
    }
    let (held, ()) = goods.hold(())?;
    held.write(())?;
    Ok(reserved)
}

/// Refuses a line that does not name as many units as it needs.
///
/// # Errors
/// UNIT_COUNT_MISMATCH, UNIT_UNAVAILABLE.
pub fn no_units(article: &Article, quantity: Quantity, named: usize, line: usize) -> Result<(), Problem> {
    let pointer = format!("/lines/{line}/unitIds");
    let needed = match article.tracking {
        Tracking::Serialized => u32::try_from(quantity.units() / 1_000_000).unwrap_or(u32::MAX),
        Tracking::None | Tracking::Quantity => 0,
    };
    let named = u32::try_from(named).unwrap_or(u32::MAX);
    if named != needed {
        let mismatch = Item { required: Some(needed), identified: Some(named), ..item(pointer, "UNIT_COUNT_MISMATCH") };
        return Err(Problem { code: "UNIT_COUNT_MISMATCH".to_owned(), errors: vec![mismatch] });
    }
    // There are no units yet, so none of those that are named is there.
    if needed > 0 { Err(Problem::at("UNIT_UNAVAILABLE", pointer)) } else { Ok(()) }
}

/// A fault of the caller where it is not.
pub fn bounded(lines: usize) -> Result<(), Problem> {
    if lines > MOST_LINES { Err(Problem::limit_exceeded()) } else { Ok(()) }
}

/// Reservations of an order, locked, with all that is needed to change their stock.
struct Ours {
    rows: BTreeMap<Id, ReservationRow>,
    warehouses: BTreeMap<Id, WarehouseRow>,
    articles: BTreeMap<Id, Article>,
}

impl Ours {
    /// # Errors
    /// ILLEGAL_STATE at what is not active, or another document's.
    fn lock(order: Id, ids: &[Id], pointer: impl Fn(usize) -> String) -> Result<Ours, Problem> {
        let of_these = ReservationRow::id.one_of(ids.iter().copied());
        let warehouses = has::<ReservationRow, _, _>(WarehouseRow::id, ReservationRow::warehouse_id, of_these);
        let (rows, warehouses) =
            run((get_all::<ReservationRow>(ids.iter().copied()).locked(), select::<WarehouseRow>(warehouses)))?;
        let rows = map(rows.into_iter().map(|row| (row.id, row)));
        let mut seen = std::collections::BTreeSet::new();
        for (nth, id) in ids.iter().enumerate() {
            let ours = rows.get(id).is_some_and(|row: &ReservationRow| {
                row.status == ReservationStatus::Active
                    && row.source == ReservationSource::SalesOrder
                    && row.document_id == Some(order)
            });
            if !ours || !seen.insert(*id) {
                return Err(Problem::illegal_state(pointer(nth)));
            }
        }
        let articles = articles::by_variant(rows.values().map(|row| row.variant_id));
        Ok(Ours { rows, warehouses: map(warehouses.items.into_iter().map(|row| (row.id, row))), articles })
    }

    fn of(&self, id: Id) -> Result<(&ReservationRow, Place, Sku), Problem> {
        let row = self.rows.get(&id).ok_or_else(Problem::not_found)?;
        let warehouse = self.warehouses.get(&row.warehouse_id).ok_or_else(Problem::not_found)?;
        let article = articles::known(&self.articles, row.variant_id, "")?;
        Ok((row, Place::of(warehouse), Sku::of(article)))
    }
}

pub fn release(order: Id, reservations: &[(u64, u64)], reason: &str) -> Result<(), Problem> {
    let ids: Vec<Id> = reservations.iter().copied().map(Id::from).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let ours = Ours::lock(order, &ids, |nth| format!("/reservations/{nth}"))?;
    let mut goods = Goods::default();
    for (nth, id) in ids.iter().enumerate() {
        let (row, place, sku) = ours.of(*id)?;
        goods.change(&place, &sku, Delta::reserved(-row.quantity.units()), &format!("/reservations/{nth}"));
        let reservation = row.clone();
        goods.close(Closing { reservation, movement: None, reason: Some(reason.to_owned()), unit_version: None });
    }
    let (held, ()) = goods.hold(())?;
    held.write(())
}

pub fn deliver(
    order: &service::SalesOrder,
    lines: &[service::DeliveryLine],
) -> Result<Vec<service::Delivered>, Problem> {
    let ids: Vec<Id> = lines.iter().map(|line| line.reservation_id.into()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ours = Ours::lock(order.id.into(), &ids, |nth| format!("/lines/{nth}/reservationId"))?;
    let mut goods = Goods::default();
    let mut delivered = Vec::new();
    let mut balances = Vec::new();
    let reason = format!("SALES_ORDER {}", order.number);
    for (nth, line) in lines.iter().enumerate() {
        let (row, place, sku) = ours.of(line.reservation_id.into())?;
        let quantity = row.quantity;
        let movement = MovementRow {
            from_warehouse_id: Some(place.warehouse),
            reference_type: ReferenceType::SalesOrder,
            reference_id: Some(order.id.into()),
            sale_allocation_id: Some(line.sale_allocation_id.into()),
            ..goods.movement(MovementType::Sale, &sku, quantity, &reason)
        };
        let gone = Delta::on_hand(-quantity.units()).and(Delta::reserved(-quantity.units()));
        goods.change(&place, &sku, gone, &format!("/lines/{nth}/reservationId"));
        let outflow =
            Outflow { movement: movement.id, place, sku, unit: None, quantity, kind: CostKind::Sold, document: None };
        let cost = goods.take(outflow);
        goods.close(Closing {
            reservation: row.clone(),
            movement: Some(movement.id),
            reason: Some(reason.clone()),
            unit_version: None,
        });
        balances.push(SaleBalanceRow {
            id: new_id(),
            created_at: goods.now(),
            updated_at: goods.now(),
            movement_id: movement.id,
            sold: quantity,
            returned: Quantity::ZERO,
        });
        delivered.push((cost, row.id, movement.id, sku.variant, quantity));
        goods.moved(movement);
    }
    let (held, ()) = goods.hold(())?;
    held.write(insert(&balances))?;
    let told = |(cost, reservation, movement, variant, quantity): (usize, Id, Id, Id, Quantity)| {
        let cost = held.costs.get(cost).cloned().unwrap_or_default();
        service::Delivered {
            reservation_id: reservation.into(),
            movement_id: movement.into(),
            variant_id: variant.into(),
            quantity: quantity.to_string(),
            unit_id: None,
            cost: cost.amount.map(|amount| amount.to_string()),
            currency_code: cost.currency_code,
        }
    };
    Ok(delivered.into_iter().map(told).collect())
}
