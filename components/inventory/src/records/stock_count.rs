//! Stock counts: as they are kept, and as they are answered.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stoa_sdk::{Decimal, Id, Instant, Json, Reply, collection, tenant, text_enum};
use stoa_trade::quantity::{Quantity, Tracking, UnitCost};
use stoa_trade::{resource, with_lines};

/// Audit name of counts.
pub const COUNT: &str = "STOCK_COUNT";

text_enum! {
    /// An OPEN count becomes POSTED or CANCELLED. Both are final.
    pub enum CountStatus { Open => "OPEN", Posted => "POSTED", Cancelled => "CANCELLED" }
}

collection! {
    pub record StockCountRow in "stock_count" {
        number: String,
        number_key: String,
        warehouse_id: Id,
        legal_entity_id: Id,
        notes: Option<String>,
        status: CountStatus,
        posted_at: Option<Instant>,
    }
    unique { number: [legal_entity_id, number_key] }
    index { [warehouse_id, status], [status, id], [updated_at] }
    search { number: [number] }
}

collection! {
    /// `units`: an object of the unit's id to its version and whether it was found.
    pub record StockCountLineRow in "stock_count_line" {
        count_id: Id,
        variant_id: Id,
        tracking: Tracking,
        expected: Quantity,
        counted: Quantity,
        unit_cost: Option<UnitCost>,
        counted_at: Instant,
        units: Json,
    }
    unique { variant: [count_id, variant_id] }
}

/// A unit of a line as it was when the line was recorded: its version then, and whether it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedUnit {
    pub version: i64,
    pub found: bool,
}

/// The units of a line by id.
pub fn units_of(row: &StockCountLineRow) -> BTreeMap<Id, CountedUnit> {
    let texts: BTreeMap<String, CountedUnit> = row.units.parse().unwrap_or_default();
    stoa_sdk::map(texts.into_iter().filter_map(|(id, unit)| Some((id.parse().ok()?, unit))))
}

/// The units of a line as they are kept.
pub fn units_as_json(units: &BTreeMap<Id, CountedUnit>) -> Json {
    let members = units
        .iter()
        .map(|(id, unit)| (id.to_string(), serde_json::json!({ "version": unit.version, "found": unit.found })));
    Json::from_value(&serde_json::Value::Object(members.collect()))
}

resource! {
    /// Receipt of a write.
    pub struct StockCountReceipt of record row: StockCountRow {
        status: CountStatus,
    }
}

/// The receipt of a write.
pub fn receipt(count: &StockCountRow) -> Reply {
    Reply::json(&StockCountReceipt::from_row(count)).resource(count.id)
}

resource! {
    /// A stock count in a list.
    pub struct StockCountHeader of row: StockCountRow {
        id: Id,
        tenant_id: Id = tenant(),
        number: String,
        warehouse_id: Id,
        legal_entity_id: Id,
        notes: Option<String>,
        status: CountStatus,
        #[schemars(range(min = 1))]
        version: i64,
        posted_at: Option<Instant>,
        created_at: Instant,
        updated_at: Instant,
    }
}

with_lines! {
    /// A stock count with its lines.
    pub struct StockCount of row: StockCountRow => StockCountHeader, lines: [StockCountLine];
}

resource! {
    /// Counted quantity of a variant, and the quantity that the system held at that instant.
    pub struct StockCountLine of row: StockCountLineRow, with_units: bool {
        id: Id,
        variant_id: Id,
        tracking_mode: Tracking = row.tracking,
        expected_quantity: Quantity = row.expected,
        counted_quantity: Quantity = row.counted,
        /// Counted minus expected quantity.
        difference: Quantity = row.counted.checked_sub(row.expected).unwrap_or(Quantity::ZERO),
        unit_cost: Option<Decimal<6>> = row.unit_cost.map(short_cost),
        counted_at: Instant,
        /// Units that were present.
        unit_count: i64 = i64::try_from(found_units(row).count()).unwrap_or(i64::MAX),
        /// Present only for callers with `inventory.serials.read`.
        #[serde(skip_serializing_if = "Option::is_none")]
        unit_ids: Option<Vec<Id>> = with_units.then(|| found_units(row).collect()),
    }
}

/// The units of a line that were found.
fn found_units(row: &StockCountLineRow) -> impl Iterator<Item = Id> {
    units_of(row).into_iter().filter(|(_, unit)| unit.found).map(|(id, _)| id)
}

/// A stated cost has at most six digits after the point.
pub fn short_cost(cost: UnitCost) -> Decimal<6> {
    Decimal::from_units(cost.units() / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_is_signed_and_found_units_are_shown_to_readers_only() {
        let mut counted = BTreeMap::new();
        counted.insert(Id(1, 1), CountedUnit { version: 3, found: true });
        counted.insert(Id(1, 2), CountedUnit { version: 1, found: false });
        let row = StockCountLineRow {
            id: Id(9, 9),
            version: 1,
            created_at: Instant(0),
            updated_at: Instant(0),
            count_id: Id(8, 8),
            variant_id: Id(7, 7),
            tracking: Tracking::Serialized,
            expected: "2".parse().unwrap(),
            counted: "1".parse().unwrap(),
            unit_cost: "0.123456".parse().ok(),
            counted_at: Instant(0),
            units: units_as_json(&counted),
        };
        assert_eq!(units_of(&row), counted);
        let shown = serde_json::to_value(StockCountLine::from_row(&row, true)).unwrap();
        assert_eq!(shown["difference"], "-1.000000");
        assert_eq!(shown["unitCost"], "0.123456");
        assert_eq!(shown["unitIds"], serde_json::json!([Id(1, 1)]));
        let hidden = serde_json::to_value(StockCountLine::from_row(&row, false)).unwrap();
        assert_eq!((hidden["unitCount"].as_i64(), hidden.get("unitIds")), (Some(1), None));
    }
}
