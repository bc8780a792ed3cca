//! The invariants of units, transfer orders and the stock of serialized variants, in bounded batches: a unit stands as its
//! ledger says, versions have no gap, it is in one place, held once, worth what its layer says, and its identities are its own.

use std::collections::BTreeMap;

use stoa_sdk::store::{Row, Value, aggregate, find, get_all, read, select};
use stoa_sdk::{Field, Filter, Id, all, map, set, view};

use crate::cost::row::LayerRow;
use crate::reservation::row::{ReservationRow, ReservationStatus};
use crate::stock::row::StockRow;
use crate::terms::{Quantity, Tracking};
use crate::transfer_order::row::{TransferItemRow, TransferOrderRow, TransferStatus, TransferUnitRow, UnitOutcome};
use crate::unit::identity;
use crate::unit::row::{IdentityKind, UnitEntryRow, UnitIdentityRow, UnitRow, UnitStatus};
use crate::verify::{Batch, finding};

/// Rows of a batch; its look-ups stay below what one call takes.
const BATCH: u32 = 200;

view! { Held of ReservationRow { id: Id, status: ReservationStatus, active_unit_id: Option<Id> } }
view! { OpenLayer of LayerRow { unit_id: Option<Id>, legal_entity_id: Id, variant_id: Id } }

pub fn units(after: Option<Id>) -> Batch {
    let page = read(select::<UnitRow>(Filter::default()).after(after).limit(BATCH));
    let next = page.items.last().map(|unit| unit.id).filter(|_| page.more);
    if page.items.is_empty() {
        return (Vec::new(), next);
    }
    let ids = || page.items.iter().map(|unit| unit.id);
    let counts = aggregate::<UnitEntryRow>(UnitEntryRow::unit_id.one_of(ids()))
        .by(UnitEntryRow::unit_id)
        .count(Filter::default());
    let last = find::<UnitEntryRow>("version", page.items.iter().map(|unit| vec![unit.id.put(), unit.version.put()]));
    let open = all([LayerRow::unit_id.one_of(ids()), LayerRow::spent.eq(false)]);
    let (counts, last, held, layers, identities) = read((
        counts,
        last,
        get_all::<Held>(page.items.iter().filter_map(|unit| unit.reservation_id)),
        select::<OpenLayer>(open),
        select::<UnitIdentityRow>(UnitIdentityRow::unit_id.one_of(ids())),
    ));
    let counts = map(counts.iter().filter_map(count));
    let last = map(last.into_iter().map(|entry| (entry.unit_id, entry)));
    let held = map(held.into_iter().map(|row| (row.id, row)));
    let mut findings = Vec::new();
    for unit in &page.items {
        // Versions are unique and at least 1, so that as many of them as the last one says leave no gap below it.
        let is_whole = counts.get(&unit.id) == Some(&unit.version);
        if !is_whole || !last.get(&unit.id).is_some_and(|entry| is_fold(unit, entry)) {
            findings.push(finding(
                "unit-ledger",
                unit.id,
                "The unit is not what its ledger says, or a version is missing.",
            ));
        }
        if unit.status.in_custody() != unit.warehouse_id.is_some()
            || (unit.location_id.is_some() && unit.warehouse_id.is_none())
        {
            findings.push(finding("unit-custody", unit.id, "The unit's place does not fit its status."));
        }
        let hold = unit.reservation_id.and_then(|id| held.get(&id));
        let is_held =
            hold.is_some_and(|row| row.status == ReservationStatus::Active && row.active_unit_id == Some(unit.id));
        if (unit.status == UnitStatus::Reserved) != is_held || (unit.reservation_id.is_some() && !is_held) {
            findings.push(finding("unit-reservation", unit.id, "The unit's hold does not fit its status."));
        }
        let of_unit = || layers.items.iter().filter(|layer| layer.unit_id == Some(unit.id));
        let fits =
            of_unit().all(|layer| layer.legal_entity_id == unit.legal_entity_id && layer.variant_id == unit.variant_id);
        if of_unit().count() != usize::from(unit.status.is_valued()) || !fits {
            findings.push(finding("unit-layer", unit.id, "The unit's layer does not fit its status."));
        }
        let kept = set(identities.items.iter().filter(|row| row.unit_id == unit.id).map(key_of));
        if kept != set(keys(unit)) {
            findings.push(finding("unit-identity", unit.id, "The unit's identities are not those kept for it."));
        }
    }
    (findings, next)
}

/// A group of the aggregate: unit, versions.
fn count(row: &Row) -> Option<(Id, i64)> {
    match row.as_slice() {
        [unit, Value::Integer(count)] => Some((Id::take(unit.clone())?, *count)),
        _ => None,
    }
}

fn is_fold(unit: &UnitRow, last: &UnitEntryRow) -> bool {
    last.to_status == unit.status
        && last.to_warehouse_id == unit.warehouse_id
        && last.to_location_id == unit.location_id
        && last.variant_id == unit.variant_id
        && last.condition == unit.condition
        && last.grade == unit.grade
}

fn key_of(row: &UnitIdentityRow) -> (&'static str, String) {
    (row.kind.as_str(), row.value_key.clone())
}

fn keys(unit: &UnitRow) -> impl Iterator<Item = (&'static str, String)> {
    let imeis = unit.imei1.iter().chain(&unit.imei2).map(|imei| (IdentityKind::Imei.as_str(), identity::key(imei)));
    unit.serial_number.iter().map(|serial| (IdentityKind::Serial.as_str(), identity::key(serial))).chain(imeis)
}

/// Every version begins where the one before it ended.
pub fn entries(after: Option<Id>) -> Batch {
    let page = read(select::<UnitEntryRow>(Filter::default()).after(after).limit(BATCH));
    let next = page.items.last().map(|entry| entry.id).filter(|_| page.more);
    let later = || page.items.iter().filter(|entry| entry.unit_version > 1);
    let before: Vec<Row> = later().map(|entry| vec![entry.unit_id.put(), (entry.unit_version - 1).put()]).collect();
    let before = if before.is_empty() { Vec::new() } else { read(find::<UnitEntryRow>("version", before)) };
    let before = map(before.into_iter().map(|entry| ((entry.unit_id, entry.unit_version), entry)));
    let mut findings = Vec::new();
    for entry in &page.items {
        let follows = match entry.unit_version {
            1 => entry.from_status.is_none() && entry.from_warehouse_id.is_none(),
            version => before.get(&(entry.unit_id, version - 1)).is_some_and(|earlier| {
                entry.from_status == Some(earlier.to_status)
                    && entry.from_warehouse_id == earlier.to_warehouse_id
                    && entry.from_location_id == earlier.to_location_id
            }),
        };
        if !follows {
            findings.push(finding("unit-entries", entry.id, "A version does not begin where the one before it ended."));
        }
    }
    (findings, next)
}

/// Stock of serialized variants counts their units; what travels on orders is expected where it goes.
pub fn stock(after: Option<Id>) -> Batch {
    let page = read(select::<StockRow>(Filter::default()).after(after).limit(BATCH));
    let next = page.items.last().map(|row| row.id).filter(|_| page.more);
    let variants = set(page.items.iter().map(|row| row.variant_id));
    if variants.is_empty() {
        return (Vec::new(), next);
    }
    let of_variants = || UnitRow::variant_id.one_of(variants.iter().copied());
    let here = UnitRow::warehouse_id.one_of(set(page.items.iter().map(|row| row.warehouse_id)));
    let counted = aggregate::<UnitRow>(all([of_variants(), here]))
        .by(UnitRow::variant_id)
        .by(UnitRow::warehouse_id)
        .by(UnitRow::status)
        .count(Filter::default());
    let serialized = aggregate::<UnitRow>(of_variants()).by(UnitRow::variant_id).count(Filter::default());
    let shipped = TransferOrderRow::status.one_of([TransferStatus::InTransit, TransferStatus::PartiallyReceived]);
    let (counted, serialized, shipped) = read((counted, serialized, select::<TransferOrderRow>(shipped)));
    let serialized = set(serialized.iter().filter_map(count).map(|(variant, _)| variant));
    let counted = map(counted.iter().filter_map(count_by_status));
    let orders = map(shipped.items.iter().map(|order| (order.id, order)));
    let items = match orders.is_empty() {
        true => Vec::new(),
        false => {
            let ids: Vec<Id> = orders.keys().copied().take(1_000).collect();
            read(select::<TransferItemRow>(all([
                TransferItemRow::order_id.one_of(ids),
                TransferItemRow::variant_id.one_of(variants),
                TransferItemRow::line_no.not_null(),
            ])))
            .items
        }
    };
    let (mut travelling, mut expected) = (BTreeMap::<(Id, Id), i128>::new(), BTreeMap::<(Id, Id), i128>::new());
    for item in &items {
        let Some(order) = orders.get(&item.order_id) else { continue };
        let left = item.outstanding().unwrap_or(Quantity::ZERO).units();
        *expected.entry((order.to_warehouse_id, item.variant_id)).or_default() += left;
        if let (Tracking::Quantity, Some(transit)) = (item.tracking, order.transit_warehouse_id) {
            *travelling.entry((transit, item.variant_id)).or_default() += left;
        }
    }
    // With more open orders than one call reads, what they bring cannot be told here.
    let knows_all = !shipped.more && orders.len() <= 1_000;
    let mut findings = Vec::new();
    for row in &page.items {
        let pair = (row.warehouse_id, row.variant_id);
        let units = |status: UnitStatus| {
            counted.get(&(row.variant_id, row.warehouse_id, status.as_str())).copied().unwrap_or(0) * 1_000_000
        };
        if serialized.contains(&row.variant_id) {
            let fits = row.on_hand.units() == units(UnitStatus::Available) + units(UnitStatus::Reserved)
                && row.reserved.units() == units(UnitStatus::Reserved)
                && row.damaged.units() == units(UnitStatus::Damaged)
                && row.quarantined.units() == units(UnitStatus::Quarantined)
                && row.in_transit.units() == units(UnitStatus::InTransit)
                && row.returned.units() == units(UnitStatus::Returned);
            if !fits {
                findings.push(finding("unit-stock", row.id, "The stock is not the count of the units there."));
            }
        } else if knows_all && row.in_transit.units() != travelling.get(&pair).copied().unwrap_or(0) {
            findings.push(finding(
                "transit-stock",
                row.id,
                "The goods in transit are not those of the transfer orders.",
            ));
        }
        if knows_all && row.incoming.units() < expected.get(&pair).copied().unwrap_or(0) {
            findings.push(finding("incoming", row.id, "Less is expected than transfer orders bring."));
        }
    }
    (findings, next)
}

/// A group of the aggregate: variant, warehouse, status, units.
fn count_by_status(row: &Row) -> Option<((Id, Id, &'static str), i128)> {
    match row.as_slice() {
        [variant, warehouse, status, Value::Integer(count)] => {
            let status = UnitStatus::take(status.clone())?.as_str();
            Some(((Id::take(variant.clone())?, Id::take(warehouse.clone())?, status), i128::from(*count)))
        }
        _ => None,
    }
}

/// Each line of an order has come to an end as far as the order has, and its units with it.
pub fn transfers(after: Option<Id>) -> Batch {
    let page = read(select::<TransferOrderRow>(Filter::default()).after(after).limit(20));
    let next = page.items.last().map(|order| order.id).filter(|_| page.more);
    if page.items.is_empty() {
        return (Vec::new(), next);
    }
    let ids = || page.items.iter().map(|order| order.id);
    let (items, units) = read((
        select::<TransferItemRow>(all([TransferItemRow::order_id.one_of(ids()), TransferItemRow::line_no.not_null()])),
        select::<TransferUnitRow>(all([
            TransferUnitRow::order_id.one_of(ids()),
            TransferUnitRow::live_slot.not_null(),
        ])),
    ));
    let mut findings = Vec::new();
    for order in &page.items {
        let of_order = || items.items.iter().filter(|item| item.order_id == order.id);
        let left = |item: &TransferItemRow| item.outstanding().map(Quantity::units);
        let is_right = match order.status {
            TransferStatus::Draft | TransferStatus::Approved | TransferStatus::InTransit => {
                of_order().all(|item| item.outstanding() == Some(item.quantity))
            }
            TransferStatus::PartiallyReceived => of_order().any(|item| left(item) > Some(0)),
            TransferStatus::Received => of_order().all(|item| left(item) == Some(0)),
            TransferStatus::Cancelled => of_order().all(|item| left(item).is_some()),
        };
        if !is_right || of_order().any(|item| left(item).is_none()) {
            findings.push(finding("transfer-lines", order.id, "The lines do not fit the order's status."));
        }
        let live = match order.status {
            TransferStatus::Approved => Some(UnitOutcome::Reserved),
            TransferStatus::InTransit | TransferStatus::PartiallyReceived => Some(UnitOutcome::InTransit),
            _ => None,
        };
        let fits = |item: &TransferItemRow| {
            let mut of_line = units.items.iter().filter(|unit| unit.item_id == item.id);
            let wanted = if item.tracking == Tracking::Serialized && live.is_some() { left(item) } else { Some(0) };
            let count = i128::try_from(of_line.clone().count()).ok().map(|count| count * 1_000_000);
            count == wanted && of_line.all(|unit| unit.outcome == live)
        };
        if !of_order().all(fits) {
            findings.push(finding("transfer-units", order.id, "The units on the order are not those of its lines."));
        }
    }
    (findings, next)
}
