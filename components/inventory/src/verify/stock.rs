//! Stock against its ledgers: I1, I2, I3, and that goods are in a pool.

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, get_all, read};
use stoa_sdk::{Filter, Id, all, map, set, totals};
use stoa_trade::Status;
use stoa_trade::clients::holdings;
use stoa_trade::pages::read_every;
use stoa_trade::quantity::Quantity;
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::cost::PoolRow;
use crate::records::movement::MovementRow;
use crate::records::reservation::{ReservationRow, ReservationStatus};
use crate::records::stock::StockRow;
use crate::records::warehouse::WarehouseRow;

/// Rows of a batch: their sums, by warehouse and variant, stay below what one call answers.
const BATCH: u32 = 40;

totals! { Came of MovementRow by [to_warehouse_id: Option<Id>, variant_id: Id] { quantity: Quantity = sum(quantity) } }
totals! { Went of MovementRow by [from_warehouse_id: Option<Id>, variant_id: Id] { quantity: Quantity = sum(quantity) } }
totals! { Held of ReservationRow by [warehouse_id: Id, variant_id: Id] { quantity: Quantity = sum(quantity) } }

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<StockRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let variants = || set(page.rows.iter().map(|row| row.variant_id));
    let warehouses = || set(page.rows.iter().map(|row| row.warehouse_id));
    let came = [MovementRow::variant_id.one_of(variants()), MovementRow::to_warehouse_id.one_of(warehouses())];
    let went = [MovementRow::variant_id.one_of(variants()), MovementRow::from_warehouse_id.one_of(warehouses())];
    let held = [
        ReservationRow::variant_id.one_of(variants()),
        ReservationRow::warehouse_id.one_of(warehouses()),
        ReservationRow::status.eq(ReservationStatus::Active),
    ];
    let (came, went, held, places) = read((
        aggregate::<Came>(all(came)).whole(),
        aggregate::<Went>(all(went)).whole(),
        aggregate::<Held>(all(held)).whole(),
        get_all::<WarehouseRow>(warehouses()),
    ));
    let came = map(came.into_iter().filter_map(|sum| Some(((sum.to_warehouse_id?, sum.variant_id), sum.quantity))));
    let went = map(went.into_iter().filter_map(|sum| Some(((sum.from_warehouse_id?, sum.variant_id), sum.quantity))));
    let held = map(held.into_iter().map(|sum| ((sum.warehouse_id, sum.variant_id), sum.quantity)));
    let pools = read_every(&PoolRow::variant_id.one_of(variants()), |pool: &PoolRow| pool.id);
    let pools = set(pools.into_iter().map(|pool| (pool.legal_entity_id, pool.variant_id)));
    let places = map(places.into_iter().map(|place| (place.id, place)));

    let reported = holdings::read(page.rows.iter().map(|row| (row.warehouse_id, row.variant_id)));
    let mut findings = Vec::new();
    for (row, reported) in page.rows.iter().zip(reported) {
        if reported != (row.on_hand > Quantity::ZERO) {
            findings.push(finding("stock-holding", row.id, "The catalog does not know whether goods are on hand."));
        }
        let pair = (row.warehouse_id, row.variant_id);
        let sum_of = |sums: &BTreeMap<(Id, Id), Quantity>| sums.get(&pair).map_or(0, |quantity| quantity.units());
        let custody = row.custody();
        if custody != sum_of(&came) - sum_of(&went) {
            findings.push(finding("I1", row.id, "Custody is not what movements brought and took."));
        }
        if row.reserved.units() != sum_of(&held) {
            findings.push(finding("I2", row.id, "The reserved quantity differs from the sum of active reservations."));
        }
        if row.reserved.is_negative() || row.reserved > row.on_hand {
            findings.push(finding("I3", row.id, "More is reserved than is on hand."));
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
    (findings, page.last)
}
