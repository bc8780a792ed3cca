//! The service `commerce:inventory/units`: what other modules ask of units. Identities are shown only to a caller who may read
//! them.

use stoa_sdk::store::{MOST_KEYS, find, read};
use stoa_sdk::{Column, Field, Id, Problem, View, holds, map, view};
use stoa_trade::pages::read_every;
use stoa_trade::services::read_rows;

use crate::bindings::exports::commerce::inventory::units::{self as service, Found, Guest, Unit, UnitsOf};
use crate::records::permission::SERIALS_READ;
use crate::records::unit::{IdentityKind, UnitIdentityRow, UnitRow};
use crate::services::Services;
use stoa_trade::unit_identity as identity;

view! { OfReceipt of UnitRow { id: Id, receipt_item_id: Option<Id> } }
view! { OfAllocation of UnitRow { id: Id, sale_allocation_id: Option<Id> } }
view! { Identified of UnitIdentityRow { kind: IdentityKind, value_key: String, unit_id: Id } }

/// Units that a find is asked for at once.
const MOST_FINDS: usize = 100;

impl Guest for Services {
    fn get_many(ids: Vec<(u64, u64)>) -> Vec<Unit> {
        let with_identities = holds(SERIALS_READ);
        read_rows(ids).into_iter().map(|row: UnitRow| to_wire(row, with_identities)).collect()
    }

    fn find(identities: Vec<String>) -> Result<Vec<Found>, Problem> {
        if !holds(SERIALS_READ) {
            return Err(Problem::new("PERMISSION_DENIED"));
        }
        if identities.len() > MOST_FINDS {
            return Err(Problem::limit_exceeded("/identities", MOST_FINDS, "IDENTITIES"));
        }
        if identities.is_empty() {
            return Ok(Vec::new());
        }
        let kinds = [IdentityKind::Serial, IdentityKind::Imei];
        let keys = identities.iter().flat_map(|typed| kinds.map(|kind| vec![kind.put(), identity::key(typed).put()]));
        let mut keys: Vec<_> = keys.collect();
        keys.dedup();
        let rows = read(find::<Identified>("value", keys));
        // A serial number of 15 digits may be an IMEI of another unit: the serial number goes first.
        let imeis =
            map(rows.iter().filter(|row| row.kind == IdentityKind::Imei).map(|row| (&row.value_key, row.unit_id)));
        let serials =
            map(rows.iter().filter(|row| row.kind == IdentityKind::Serial).map(|row| (&row.value_key, row.unit_id)));
        let found = |identity: String| {
            let key = identity::key(&identity);
            let unit = serials.get(&key).or(imeis.get(&key));
            Found { unit_id: unit.map(|id| (*id).into()), identity }
        };
        Ok(identities.into_iter().map(found).collect())
    }

    fn of_receipt_items(ids: Vec<(u64, u64)>) -> Vec<UnitsOf> {
        let pair = |row: OfReceipt| Some((row.receipt_item_id?, row.id));
        read_units_of(ids, UnitRow::receipt_item_id, |row| row.id, pair)
    }

    fn of_allocations(ids: Vec<(u64, u64)>) -> Vec<UnitsOf> {
        let pair = |row: OfAllocation| Some((row.sale_allocation_id?, row.id));
        read_units_of(ids, UnitRow::sale_allocation_id, |row| row.id, pair)
    }
}

fn read_units_of<R: View>(
    ids: Vec<(u64, u64)>,
    column: Column<Option<Id>>,
    id: fn(&R) -> Id,
    pair: impl Fn(R) -> Option<(Id, Id)>,
) -> Vec<UnitsOf> {
    let ids: Vec<Id> = ids.into_iter().map(Id::from).collect();
    let rows = ids.chunks(MOST_KEYS).flat_map(|ids| read_every(&column.one_of(ids.iter().copied()), id));
    group_by_id(&ids, rows.filter_map(pair))
}

/// The units of each id that has some, in the order asked.
fn group_by_id(ids: &[Id], pairs: impl Iterator<Item = (Id, Id)>) -> Vec<UnitsOf> {
    let pairs: Vec<(Id, Id)> = pairs.collect();
    let units_of_id = |id: &Id| {
        let units: Vec<(u64, u64)> =
            pairs.iter().filter(|(key, _)| key == id).map(|(_, unit)| (*unit).into()).collect();
        (!units.is_empty()).then(|| UnitsOf { id: (*id).into(), unit_ids: units })
    };
    ids.iter().filter_map(units_of_id).collect()
}

fn to_wire(row: UnitRow, with_identities: bool) -> service::Unit {
    Unit {
        id: row.id.into(),
        variant_id: row.variant_id.into(),
        status: row.status.as_str().to_owned(),
        version: row.version,
        warehouse_id: row.warehouse_id.map(Into::into),
        legal_entity_id: row.legal_entity_id.into(),
        condition: row.condition.map(|condition| condition.as_str().to_owned()),
        grade: row.grade.map(|grade| grade.as_str().to_owned()),
        receipt_item_id: row.receipt_item_id.map(Into::into),
        sale_allocation_id: row.sale_allocation_id.map(Into::into),
        serial_number: row.serial_number.filter(|_| with_identities),
        imei1: row.imei1.filter(|_| with_identities),
        imei2: row.imei2.filter(|_| with_identities),
    }
}
