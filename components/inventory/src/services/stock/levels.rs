//! Stock levels for other modules.

use stoa_sdk::store::{MOST_KEYS, find, read};

use crate::records::stock::StockRow;
use crate::rules::delta;
use crate::services::bindings::exports::commerce::inventory::stock::{Level, Pair};

pub fn levels(pairs: &[Pair]) -> Vec<Level> {
    let key = |pair: &Pair| delta::Pair { warehouse: pair.warehouse_id.into(), variant: pair.variant_id.into() }.key();
    let rows = |pairs: &[Pair]| read(find::<StockRow>("pair", pairs.iter().map(key)));
    pairs.chunks(MOST_KEYS).flat_map(rows).map(|row| level(&row)).collect()
}

fn level(row: &StockRow) -> Level {
    Level {
        warehouse_id: row.warehouse_id.into(),
        variant_id: row.variant_id.into(),
        on_hand: row.on_hand.to_string(),
        reserved: row.reserved.to_string(),
        available: row.available().to_string(),
        incoming: row.incoming.to_string(),
        damaged: row.damaged.to_string(),
        quarantined: row.quarantined.to_string(),
        in_transit: row.in_transit.to_string(),
        returned: row.returned.to_string(),
    }
}
