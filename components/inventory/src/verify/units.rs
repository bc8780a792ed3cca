//! The invariants of units, in bounded batches: a unit is as its ledger says, versions have no gap, it is in one place, held
//! once, worth what its layer says, and its identities are its own.

use stoa_sdk::store::{Row, aggregate, find, get_all, read, select};
use stoa_sdk::{Field, Filter, Id, all, map, set, totals, view};
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::cost::LayerRow;
use crate::records::reservation::{ReservationRow, ReservationStatus};
use crate::records::unit::{IdentityKind, UnitEntryRow, UnitIdentityRow, UnitRow, UnitStatus};
use stoa_trade::unit_identity as identity;

/// Rows of a batch; its look-ups stay below what one call takes.
const BATCH: u32 = 200;

view! { Held of ReservationRow { id: Id, status: ReservationStatus, active_unit_id: Option<Id> } }

view! { OpenLayer of LayerRow { unit_id: Option<Id>, legal_entity_id: Id, variant_id: Id } }

totals! { Versions of UnitEntryRow by [unit_id: Id] { count: i64 = count } }

pub fn units(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<UnitRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let ids = || page.rows.iter().map(|unit| unit.id);
    let counts = aggregate::<Versions>(UnitEntryRow::unit_id.one_of(ids())).whole();
    let last = find::<UnitEntryRow>("version", page.rows.iter().map(|unit| vec![unit.id.put(), unit.version.put()]));
    let open = all([LayerRow::unit_id.one_of(ids()), LayerRow::spent.eq(false)]);
    let (counts, last, held, layers, identities) = read((
        counts,
        last,
        get_all::<Held>(page.rows.iter().filter_map(|unit| unit.reservation_id)),
        select::<OpenLayer>(open).whole(),
        select::<UnitIdentityRow>(UnitIdentityRow::unit_id.one_of(ids())).whole(),
    ));
    let counts = map(counts.into_iter().map(|versions| (versions.unit_id, versions.count)));
    let last = map(last.into_iter().map(|entry| (entry.unit_id, entry)));
    let held = map(held.into_iter().map(|row| (row.id, row)));
    let mut findings = Vec::new();
    for unit in &page.rows {
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
        let of_unit = || layers.iter().filter(|layer| layer.unit_id == Some(unit.id));
        let fits =
            of_unit().all(|layer| layer.legal_entity_id == unit.legal_entity_id && layer.variant_id == unit.variant_id);
        if of_unit().count() != usize::from(unit.status.is_valued()) || !fits {
            findings.push(finding("unit-layer", unit.id, "The unit's layer does not fit its status."));
        }
        let kept = set(identities.iter().filter(|row| row.unit_id == unit.id).map(key_of));
        if kept != set(keys(unit)) {
            findings.push(finding("unit-identity", unit.id, "The unit's identities are not those kept for it."));
        }
    }
    (findings, page.last)
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
    let Some(page) = read_batch::<UnitEntryRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let later = || page.rows.iter().filter(|entry| entry.unit_version > 1);
    let before: Vec<Row> = later().map(|entry| vec![entry.unit_id.put(), (entry.unit_version - 1).put()]).collect();
    let before = if before.is_empty() { Vec::new() } else { read(find::<UnitEntryRow>("version", before)) };
    let before = map(before.into_iter().map(|entry| ((entry.unit_id, entry.unit_version), entry)));
    let mut findings = Vec::new();
    for entry in &page.rows {
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
    (findings, page.last)
}
