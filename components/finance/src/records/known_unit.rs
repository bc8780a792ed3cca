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

/// A unit as readers of serial numbers see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KnownUnit {
    serial_number: Option<String>,
    imei1: Option<String>,
    imei2: Option<String>,
    /// AVAILABLE, RESERVED, SOLD, IN_TRANSIT, DAMAGED, RETURNED, RMA, LOST, QUARANTINED.
    status: String,
}

/// Declares a line as users see it: the view of API clients, further members, and the units.
macro_rules! line_with_units {
    ($(#[$meta:meta])* $name:ident beyond $public:ident of $row:ident { $($member:tt)* }) => {
        stoa_trade::resource! {
            $(#[$meta])*
            pub struct $name of row: $row, units: Vec<$crate::records::known_unit::NamedUnit> {
                #[serde(flatten)]
                public: $public = $public::from_row(row),
                $($member)*
                units: Vec<$crate::records::known_unit::NamedUnit> = units,
            }
        }
    };
}

pub(crate) use line_with_units;

impl NamedUnit {
    /// `unit`: none if the reader may not see it.
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
