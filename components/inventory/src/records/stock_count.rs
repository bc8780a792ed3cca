//! Stock counts: as they are kept, and as they are answered.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Decimal, Id, Instant, Json, Reply, collection, tenant, text_enum};
use stoa_trade::quantity::{Quantity, Tracking, UnitCost};

/// Audit name of counts.
pub const COUNT: &str = "STOCK_COUNT";

text_enum! {
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
    index { [warehouse_id, status], [status, id] }
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

/// Receipt of a write.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StockCountReceipt {
    id: Id,
    status: CountStatus,
    #[schemars(range(min = 1))]
    version: i64,
    created_at: Instant,
    updated_at: Instant,
}

impl StockCountReceipt {
    pub fn from_row(row: &StockCountRow) -> StockCountReceipt {
        StockCountReceipt {
            id: row.id,
            status: row.status,
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// The receipt of a write.
pub fn receipt(count: &StockCountRow) -> Reply {
    Reply::json(&StockCountReceipt::from_row(count)).resource(count.id)
}

/// A stock count in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StockCountHeader {
    id: Id,
    tenant_id: Id,
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

impl StockCountHeader {
    pub fn from_row(row: &StockCountRow) -> StockCountHeader {
        StockCountHeader {
            id: row.id,
            tenant_id: tenant(),
            number: row.number.clone(),
            warehouse_id: row.warehouse_id,
            legal_entity_id: row.legal_entity_id,
            notes: row.notes.clone(),
            status: row.status,
            version: row.version,
            posted_at: row.posted_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// A count whole.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StockCount {
    #[serde(flatten)]
    pub header: StockCountHeader,
    pub lines: Vec<StockCountLine>,
}

/// Counted quantity of a variant, and the quantity that the system held at that instant.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StockCountLine {
    id: Id,
    variant_id: Id,
    tracking_mode: Tracking,
    expected_quantity: Quantity,
    counted_quantity: Quantity,
    /// Counted minus expected quantity.
    difference: Quantity,
    unit_cost: Option<Decimal<6>>,
    counted_at: Instant,
    /// Units that were present.
    unit_count: i64,
    /// Present only for callers with `inventory.serials.read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit_ids: Option<Vec<Id>>,
}

impl StockCountLine {
    pub fn from_row(row: &StockCountLineRow, with_units: bool) -> StockCountLine {
        let found: Vec<Id> = units_of(row).into_iter().filter(|(_, unit)| unit.found).map(|(id, _)| id).collect();
        StockCountLine {
            id: row.id,
            variant_id: row.variant_id,
            tracking_mode: row.tracking,
            expected_quantity: row.expected,
            counted_quantity: row.counted,
            difference: row.counted.checked_sub(row.expected).unwrap_or(Quantity::ZERO),
            unit_cost: row.unit_cost.map(short_cost),
            counted_at: row.counted_at,
            unit_count: i64::try_from(found.len()).unwrap_or(i64::MAX),
            unit_ids: with_units.then_some(found),
        }
    }
}

/// A stated cost has at most six digits after the point.
fn short_cost(cost: UnitCost) -> Decimal<6> {
    Decimal::from_units(cost.units() / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_is_signed_and_found_units_are_told_to_readers_only() {
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
