//! Stock of sales orders: held at confirmation, let go at cancellation, consumed at delivery. Whole reservations only.

use std::collections::BTreeMap;

use stoa_sdk::store::{get, get_all, insert, run, select};
use stoa_sdk::{Id, Problem, has, map, new_id};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::quantity::{Quantity, Tracking};

use crate::bindings::exports::commerce::inventory::stock as service;
use crate::records::cost::{CostKind, SaleBalanceRow};
use crate::records::movement::{MovementRow, MovementType, ReferenceType};
use crate::records::reservation::{ReservationRow, ReservationSource, ReservationStatus};
use crate::records::warehouse::WarehouseRow;
use crate::rules::delta::Delta;
use crate::services::stock::lines::{check_count, read_goods};
use crate::work::goods::{Closing, Goods, Holder, Outflow, Place, Sku};
use crate::work::units::changes::Changes;
use crate::work::units::effects::{self, Known};
use crate::work::units::sales;

pub fn reserve(
    order: &service::SalesOrder,
    warehouse: Id,
    lines: &[service::ReserveLine],
) -> Result<Vec<service::Reserved>, Problem> {
    check_count(lines.len())?;
    let articles = articles::get(lines.iter().map(|line| line.variant_id.into()));
    let row: WarehouseRow = run(get(warehouse))?.ok_or_else(|| Problem::reference_missing("/warehouse"))?;
    if !row.is_normal() {
        return Err(Problem::at("CUSTODY_CONFLICT", "/warehouse"));
    }
    let place = Place::from_row(&row);
    let (mut goods, mut changes) = (Goods::default(), Changes::new(0));
    let mut reserved = Vec::new();
    let mut serialized = Vec::new();
    for (nth, line) in lines.iter().enumerate() {
        let (article, quantity) =
            read_goods(&articles, nth, line.variant_id.into(), &line.quantity, line.unit_ids.len())?;
        let pointer = format!("/lines/{nth}/quantity");
        match articles::tracking(article) {
            Tracking::None => continue,
            Tracking::Serialized => {
                serialized.push((nth, line));
                continue;
            }
            Tracking::Quantity => {}
        }
        let sku = Sku::new(article);
        let holder = Holder::new(ReservationSource::SalesOrder, order.id.into(), line.line.into());
        let row = goods.reservation(place.warehouse, sku.variant, quantity, holder);
        goods.change(&place, &sku, Delta::of_reserved(quantity.units()), &pointer);
        reserved.push(reservation_to_wire(&row));
        goods.open(row, None);
    }
    let units = sales::reserve_lines(order.id.into(), warehouse, &serialized, &mut goods, &mut changes)?;
    reserved.extend(units.iter().map(reservation_to_wire));
    // In the order of the lines; units of one line in their order.
    reserved.sort_by_key(|reservation| lines.iter().position(|line| line.line == reservation.line));
    effects::write(&changes, goods, &Known::with([&row], &articles), ())?;
    Ok(reserved)
}

fn reservation_to_wire(row: &ReservationRow) -> service::Reserved {
    service::Reserved {
        line: row.line_id.unwrap_or(row.id).into(),
        reservation_id: row.id.into(),
        quantity: row.quantity.to_string(),
        unit_id: row.unit_id.map(Into::into),
    }
}

/// Reservations of an order, locked, with all that is needed to change their stock.
struct OrderReservations {
    rows: BTreeMap<Id, ReservationRow>,
    warehouses: BTreeMap<Id, WarehouseRow>,
    articles: BTreeMap<Id, Article>,
}

impl OrderReservations {
    /// # Errors
    /// ILLEGAL_STATE at what is not active, or another document's.
    fn lock(order: Id, ids: &[Id], pointer: impl Fn(usize) -> String) -> Result<OrderReservations, Problem> {
        let of_these = ReservationRow::id.one_of(ids.iter().copied());
        let warehouses = has::<ReservationRow, _, _>(WarehouseRow::id, ReservationRow::warehouse_id, of_these);
        let (rows, warehouses) =
            run((get_all::<ReservationRow>(ids.iter().copied()).locked(), select::<WarehouseRow>(warehouses).whole()))?;
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
        let articles = articles::get(rows.values().map(|row| row.variant_id));
        Ok(OrderReservations { rows, warehouses: map(warehouses.into_iter().map(|row| (row.id, row))), articles })
    }

    fn known_units(&self) -> Known {
        Known::with(self.warehouses.values(), &self.articles)
    }

    fn find(&self, id: Id) -> Result<(&ReservationRow, Place, Sku), Problem> {
        let row = self.rows.get(&id).ok_or_else(Problem::not_found)?;
        let warehouse = self.warehouses.get(&row.warehouse_id).ok_or_else(Problem::not_found)?;
        let article = articles::require(&self.articles, row.variant_id, "")?;
        Ok((row, Place::from_row(warehouse), Sku::new(article)))
    }
}

pub fn release(order: Id, reservations: &[(u64, u64)], reason: &str) -> Result<(), Problem> {
    let ids: Vec<Id> = reservations.iter().copied().map(Id::from).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let ours = OrderReservations::lock(order, &ids, |nth| format!("/reservations/{nth}"))?;
    let (mut goods, mut changes) = (Goods::default(), Changes::new(0));
    let rows: Vec<ReservationRow> = ids.iter().filter_map(|id| ours.rows.get(id)).cloned().collect();
    sales::release_lines(&rows, reason, &mut goods, &mut changes)?;
    for (nth, id) in ids.iter().enumerate() {
        let (row, place, sku) = ours.find(*id)?;
        if row.unit_id.is_some() {
            continue;
        }
        goods.change(&place, &sku, Delta::of_reserved(-row.quantity.units()), &format!("/reservations/{nth}"));
        let reservation = row.clone();
        goods.close(Closing { reservation, movement: None, reason: Some(reason.to_owned()), unit_version: None });
    }
    effects::write(&changes, goods, &ours.known_units(), ())?;
    Ok(())
}

pub fn deliver(
    order: &service::SalesOrder,
    lines: &[service::DeliveryLine],
) -> Result<Vec<service::Delivered>, Problem> {
    let ids: Vec<Id> = lines.iter().map(|line| line.reservation_id.into()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ours = OrderReservations::lock(order.id.into(), &ids, |nth| format!("/lines/{nth}/reservationId"))?;
    let (mut goods, mut changes) = (Goods::default(), Changes::new(0));
    let mut delivered = Vec::new();
    let mut balances = Vec::new();
    let sale = |line: &service::DeliveryLine| {
        Some((ours.rows.get(&line.reservation_id.into())?, Id::from(line.sale_allocation_id)))
    };
    let sales: Vec<(&ReservationRow, Id)> = lines.iter().filter_map(sale).collect();
    let by_unit = sales::deliver(order.id.into(), &order.number, &sales, &mut goods, &mut changes)?;
    let costs = effects::collect(&changes.all, &mut goods, &ours.known_units())?;
    let costs = map(changes.all.iter().zip(costs).filter_map(|(change, cost)| Some((change.after.id, cost?))));
    for (nth, line) in lines.iter().enumerate() {
        let (row, place, sku) = ours.find(line.reservation_id.into())?;
        let (movement, cost) = match row.unit_id {
            Some(unit) => {
                let movement = by_unit.get(&row.id).copied().ok_or_else(Problem::not_found)?;
                (movement, costs.get(&unit).copied())
            }
            None => {
                let pointer = format!("/lines/{nth}/reservationId");
                let (movement, cost) = sell_quantity(&mut goods, order, line, row, (place, sku), &pointer);
                (movement, Some(cost))
            }
        };
        balances.push(new_balance(&goods, movement, row.quantity));
        delivered.push((row, movement, cost));
    }
    let settled = goods.settle()?;
    settled.write((effects::rows(&changes.all, None), insert(&balances)))?;
    let to_wire = |(row, movement, cost): (&ReservationRow, Id, Option<usize>)| {
        let cost = cost.and_then(|cost| settled.costs.get(cost)).cloned().unwrap_or_default();
        service::Delivered {
            reservation_id: row.id.into(),
            movement_id: movement.into(),
            variant_id: row.variant_id.into(),
            quantity: row.quantity.to_string(),
            unit_id: row.unit_id.map(Into::into),
            cost: cost.amount.map(|amount| amount.to_string()),
            currency_code: cost.currency_code,
        }
    };
    Ok(delivered.into_iter().map(to_wire).collect())
}

/// Takes a reserved quantity out of its place; answers the movement, and the index of its cost.
fn sell_quantity(
    goods: &mut Goods,
    order: &service::SalesOrder,
    line: &service::DeliveryLine,
    row: &ReservationRow,
    (place, sku): (Place, Sku),
    pointer: &str,
) -> (Id, usize) {
    let quantity = row.quantity;
    let reason = format!("SALES_ORDER {}", order.number);
    let movement = MovementRow {
        from_warehouse_id: Some(place.warehouse),
        reference_type: ReferenceType::SalesOrder,
        reference_id: Some(order.id.into()),
        sale_allocation_id: Some(line.sale_allocation_id.into()),
        ..goods.movement(MovementType::Sale, &sku, quantity, &reason)
    };
    let id = movement.id;
    let gone = Delta::on_hand(-quantity.units()).and(Delta::of_reserved(-quantity.units()));
    goods.change(&place, &sku, gone, pointer);
    let cost = goods.draw(Outflow::new(id, place, sku, quantity, CostKind::Sold));
    goods.close(Closing { reservation: row.clone(), movement: Some(id), reason: Some(reason), unit_version: None });
    goods.record(movement);
    (id, cost)
}

/// How much of a sale came back: nothing yet.
fn new_balance(goods: &Goods, movement_id: Id, sold: Quantity) -> SaleBalanceRow {
    SaleBalanceRow {
        id: new_id(),
        created_at: goods.now(),
        updated_at: goods.now(),
        movement_id,
        sold,
        returned: Quantity::ZERO,
    }
}
