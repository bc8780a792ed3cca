//! J3: inventory expects the goods that open lines and shipped transfer orders will bring.

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, read};
use stoa_sdk::{Id, all, map, set, totals};
use stoa_trade::clients::stock::{self, Pair};
use stoa_trade::quantity::{Quantity, Tracking};
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::order_item::OrderItemRow;

/// Lines of a batch: the pairs of their variants and warehouses stay below what one call answers.
const BATCH: u32 = 40;

totals! {
    Pending of OrderItemRow by [warehouse_id: Id, variant_id: Id] {
        quantity: Quantity = sum(quantity),
        received: Quantity = sum(received),
    }
}

pub fn verify(after: Option<Id>) -> Batch {
    // Every pair of which something was ever ordered is that of a line.
    let tracked = OrderItemRow::tracking.ne(Tracking::None);
    let Some(page) = read_batch::<OrderItemRow>(tracked, after, BATCH) else { return NOTHING_LEFT };
    let pending = aggregate::<Pending>(all([
        OrderItemRow::open.eq(true),
        OrderItemRow::variant_id.one_of(set(page.rows.iter().map(|item| item.variant_id))),
        OrderItemRow::warehouse_id.one_of(set(page.rows.iter().map(|item| item.warehouse_id))),
    ]));
    let pending = read(pending.whole()).into_iter();
    let pending =
        map(pending.map(|sum| ((sum.warehouse_id, sum.variant_id), sum.quantity.units() - sum.received.units())));
    let pairs: BTreeMap<(Id, Id), Id> =
        map(page.rows.iter().map(|item| ((item.warehouse_id, item.variant_id), item.id)));
    let wire: Vec<Pair> = pairs
        .keys()
        .map(|(warehouse, variant)| Pair { warehouse_id: (*warehouse).into(), variant_id: (*variant).into() })
        .collect();
    let units = |text: &str| text.parse::<Quantity>().map_or(0, Quantity::units);
    let levels = stock::service::levels(&wire).into_iter();
    let expected =
        map(levels.map(|level| ((level.warehouse_id.into(), level.variant_id.into()), units(&level.incoming))));
    let transfers = stock::service::transferred_incoming(&wire).into_iter();
    let transfers = map(transfers.map(|sum| ((sum.warehouse_id.into(), sum.variant_id.into()), units(&sum.quantity))));
    let sum_of = |sums: &BTreeMap<(Id, Id), i128>, pair: &(Id, Id)| sums.get(pair).copied().unwrap_or(0);
    let differs = |pair: &(Id, Id)| sum_of(&expected, pair) != sum_of(&pending, pair) + sum_of(&transfers, pair);
    let wrong = pairs.iter().filter(|(pair, _)| differs(pair));
    let message = "Inventory expects other than what is pending of the line's goods.";
    (wrong.map(|(_, item)| finding("J3", *item, message)).collect(), page.last)
}
