//! Serial units that a document names: everybody sees which, readers of serial numbers see more.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::Id;
use stoa_trade::clients::units::Unit;

/// A unit on a document. Members after `unitId` are present only for callers with `inventory.serials.read`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NamedUnit {
    unit_id: Id,
    #[serde(flatten)]
    known: Option<KnownUnit>,
}

/// What readers of serial numbers see of a unit.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KnownUnit {
    serial_number: Option<String>,
    imei1: Option<String>,
    imei2: Option<String>,
    /// AVAILABLE, RESERVED, SOLD, IN_TRANSIT, DAMAGED, RETURNED, RMA, LOST, QUARANTINED.
    status: String,
}

impl NamedUnit {
    /// `unit`: none where the reader may not see it.
    pub fn new(unit_id: Id, unit: Option<&Unit>) -> NamedUnit {
        let known = unit.map(|unit| KnownUnit {
            serial_number: unit.serial_number.clone(),
            imei1: unit.imei1.clone(),
            imei2: unit.imei2.clone(),
            status: unit.status.clone(),
        });
        NamedUnit { unit_id, known }
    }
}
