//! Stock of serialized variants counts their units; units that travel on orders are expected at their destination.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::{MOST_ROWS, Rows, aggregate, get_all, read, select};
use stoa_sdk::{Filter, Id, all, has, map, set, totals};
use stoa_trade::quantity::{Quantity, Tracking};
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::stock::StockRow;
use crate::records::transfer_order::{TransferItemRow, TransferOrderRow, TransferStatus};
use crate::records::unit::{UnitRow, UnitStatus};

/// Rows of a batch; its look-ups stay below what one call takes.
const BATCH: u32 = 200;

/// Statuses that a unit may have.
const STATUSES: usize = 9;

/// Lines of orders that are read at once: their orders are as many ids as one call takes.
const LINES: u32 = 1_000;

totals! {
    Counted of UnitRow by [variant_id: Id, warehouse_id: Option<Id>, status: UnitStatus] { count: i64 = count }
}
totals! { Serialized of UnitRow by [variant_id: Id] { count: i64 = count } }

/// Expected stock of a batch by units and orders, by warehouse and variant.
#[derive(Default)]
struct Expected {
    /// Variants that have units.
    serialized: BTreeSet<Id>,
    /// Units by status.
    units: BTreeMap<(Id, Id, &'static str), i128>,
    /// On transfer orders: what they hold in their transit warehouse, and what they bring to where they go.
    travelling: BTreeMap<(Id, Id), i128>,
    incoming: BTreeMap<(Id, Id), i128>,
}

pub fn stock(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<StockRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let variants = set(page.rows.iter().map(|row| row.variant_id));
    let mut expected = Expected::default();
    expected.count_units(&variants, &set(page.rows.iter().map(|row| row.warehouse_id)));
    expected.add_orders(&variants);
    let Expected { serialized, units, travelling, incoming } = expected;
    let mut findings = Vec::new();
    for row in &page.rows {
        let pair = (row.warehouse_id, row.variant_id);
        let units = |status: UnitStatus| {
            units.get(&(row.variant_id, row.warehouse_id, status.as_str())).copied().unwrap_or(0) * 1_000_000
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
        } else if row.in_transit.units() != travelling.get(&pair).copied().unwrap_or(0) {
            let message = "The goods in transit are not those of the transfer orders.";
            findings.push(finding("transit-stock", row.id, message));
        }
        if row.incoming.units() < incoming.get(&pair).copied().unwrap_or(0) {
            findings.push(finding("incoming", row.id, "Less is expected than transfer orders bring."));
        }
    }
    (findings, page.last)
}

impl Expected {
    /// Counts the units of these variants in these warehouses.
    fn count_units(&mut self, variants: &BTreeSet<Id>, warehouses: &BTreeSet<Id>) {
        let of_variants = UnitRow::variant_id.one_of(variants.iter().copied());
        self.serialized =
            set(read(aggregate::<Serialized>(of_variants).whole()).into_iter().map(|group| group.variant_id));
        let here = UnitRow::warehouse_id.one_of(warehouses.iter().copied());
        // So few variants at once that the units' groups are what one call answers.
        let at_once = (MOST_ROWS as usize / (STATUSES * warehouses.len().max(1))).max(1);
        for variants in variants.iter().copied().collect::<Vec<Id>>().chunks(at_once) {
            let of_these = UnitRow::variant_id.one_of(variants.iter().copied());
            for group in read(aggregate::<Counted>(all([of_these, here.clone()])).whole()) {
                if let Some(warehouse) = group.warehouse_id {
                    self.units.insert((group.variant_id, warehouse, group.status.as_str()), i128::from(group.count));
                }
            }
        }
    }

    /// Adds what transfer orders still bring of these variants, a page at a time.
    fn add_orders(&mut self, variants: &BTreeSet<Id>) {
        let shipped = TransferOrderRow::status.one_of([TransferStatus::InTransit, TransferStatus::PartiallyReceived]);
        let lines = all([
            TransferItemRow::variant_id.one_of(variants.iter().copied()),
            TransferItemRow::line_no.not_null(),
            has::<TransferOrderRow, _, _>(TransferItemRow::order_id, TransferOrderRow::id, shipped),
        ]);
        let mut after = None;
        loop {
            let page: Rows<TransferItemRow> = read(select(lines.clone()).after(after).limit(LINES));
            after = page.items.last().map(|item| item.id);
            let orders = read(get_all::<TransferOrderRow>(set(page.items.iter().map(|item| item.order_id))));
            let orders = map(orders.into_iter().map(|order| (order.id, order)));
            for item in &page.items {
                let Some(order) = orders.get(&item.order_id) else { continue };
                let left = item.left_to_receive().unwrap_or(Quantity::ZERO).units();
                *self.incoming.entry((order.to_warehouse_id, item.variant_id)).or_default() += left;
                if let (Tracking::Quantity, Some(transit)) = (item.tracking, order.transit_warehouse_id) {
                    *self.travelling.entry((transit, item.variant_id)).or_default() += left;
                }
            }
            if !page.more {
                return;
            }
        }
    }
}
