//! Stock against its ledgers: I1, I2, I3, and that goods are in a pool.

use std::collections::BTreeMap;

use stoa_sdk::store::{Row, aggregate, get_all, read, select};
use stoa_sdk::{Field, Filter, Id, all, map, set};

use crate::records::cost::PoolRow;
use crate::records::life::Status;
use crate::records::movement::MovementRow;
use crate::records::quantity::Quantity;
use crate::records::reservation::{ReservationRow, ReservationStatus};
use crate::records::stock::StockRow;
use crate::records::warehouse::WarehouseRow;
use crate::rules::sum::sum;
use crate::verify::finding::{Batch, finding};

/// Rows of a batch: their sums, by warehouse and variant, stay below what one call answers.
const BATCH: u32 = 40;

pub fn verify(after: Option<Id>) -> Batch {
    let page = read(select::<StockRow>(Filter::default()).after(after).limit(BATCH));
    let last = page.items.last().map(|row| row.id).filter(|_| page.more);
    if page.items.is_empty() {
        return (Vec::new(), None);
    }
    let variants = || set(page.items.iter().map(|row| row.variant_id));
    let warehouses = || set(page.items.iter().map(|row| row.warehouse_id));
    let came = aggregate::<MovementRow>(all([
        MovementRow::variant_id.one_of(variants()),
        MovementRow::to_warehouse_id.one_of(warehouses()),
    ]))
    .by(MovementRow::to_warehouse_id)
    .by(MovementRow::variant_id)
    .sum(MovementRow::quantity, Filter::default());
    let went = aggregate::<MovementRow>(all([
        MovementRow::variant_id.one_of(variants()),
        MovementRow::from_warehouse_id.one_of(warehouses()),
    ]))
    .by(MovementRow::from_warehouse_id)
    .by(MovementRow::variant_id)
    .sum(MovementRow::quantity, Filter::default());
    let held = aggregate::<ReservationRow>(all([
        ReservationRow::variant_id.one_of(variants()),
        ReservationRow::warehouse_id.one_of(warehouses()),
        ReservationRow::status.eq(ReservationStatus::Active),
    ]))
    .by(ReservationRow::warehouse_id)
    .by(ReservationRow::variant_id)
    .sum(ReservationRow::quantity, Filter::default());
    let pools = select::<PoolRow>(PoolRow::variant_id.one_of(variants()));
    let (came, went, held, pools, places) = read((came, went, held, pools, get_all::<WarehouseRow>(warehouses())));
    let (came, went, held) = (sums(came), sums(went), sums(held));
    let pools = set(pools.items.into_iter().map(|pool| (pool.legal_entity_id, pool.variant_id)));
    let places = map(places.into_iter().map(|place| (place.id, place)));

    let mut findings = Vec::new();
    for row in &page.items {
        let pair = (row.warehouse_id, row.variant_id);
        let of = |sums: &BTreeMap<(Id, Id), i128>| sums.get(&pair).copied().unwrap_or_default();
        let custody = row.custody();
        if custody != of(&came) - of(&went) {
            findings.push(finding("I1", row.id, "Custody is not what movements brought and took."));
        }
        if row.reserved.units() != of(&held) {
            findings.push(finding("I2", row.id, "What is reserved is not the sum of active reservations."));
        }
        if row.reserved.is_negative() || row.reserved > row.on_hand {
            findings.push(finding("I3", row.id, "More is reserved than there is."));
        }
        if custody > 0 && !pools.contains(&(row.legal_entity_id, row.variant_id)) {
            findings.push(finding("I8", row.id, "Goods without a cost pool."));
        }
        match places.get(&row.warehouse_id) {
            None => findings.push(finding("stock-warehouse", row.id, "The warehouse is missing.")),
            Some(place) => {
                let idle = custody == 0 && row.reserved == Quantity::ZERO && row.incoming == Quantity::ZERO;
                if place.status == Status::Archived && !idle {
                    findings.push(finding("I14", row.id, "An archived warehouse holds or expects goods."));
                }
                if place.legal_entity_id != row.legal_entity_id || place.kind.is_normal() != row.sellable {
                    findings.push(finding("stock-warehouse", row.id, "The row is not its warehouse's."));
                }
            }
        }
    }
    (findings, last)
}

/// Sums by warehouse and variant.
fn sums(rows: Vec<Row>) -> BTreeMap<(Id, Id), i128> {
    let read = |row: Row| {
        let mut values = row.into_iter();
        let (warehouse, variant) = (<Option<Id> as Field>::take(values.next()?)??, Id::take(values.next()?)?);
        Some(((warehouse, variant), sum::<6>(values.next()).units()))
    };
    map(rows.into_iter().filter_map(read))
}
