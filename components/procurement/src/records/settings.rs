//! The company's settings of procurement: one row, which is not there before it is written for the first time.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Instant, collection};

/// Resource type of the audit entries.
pub const SETTINGS: &str = "PROCUREMENT_SETTINGS";

/// The key of the one row.
pub const KEY: &str = "SETTINGS";

collection! {
    pub record SettingsRow in "settings" {
        key: String,
        require_second_approver: bool,
    }
    unique { key: [key] }
    fixed [key]
}

/// The settings as they are; version 0 and no instant before they are written for the first time.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcurementSettings {
    /// Whether who drafted an order, or replaced its draft last, may not approve it.
    require_second_approver: bool,
    #[schemars(range(min = 0))]
    version: i64,
    updated_at: Option<Instant>,
}

impl ProcurementSettings {
    pub fn of(row: Option<&SettingsRow>) -> ProcurementSettings {
        ProcurementSettings {
            require_second_approver: row.is_some_and(|row| row.require_second_approver),
            version: row.map_or(0, |row| row.version),
            updated_at: row.map(|row| row.updated_at),
        }
    }
}
