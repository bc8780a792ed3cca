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

/// Current settings. Version 0 and no instant until they are first written.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcurementSettings {
    /// True if the user who drafted an order, or last replaced its draft, cannot approve it.
    require_second_approver: bool,
    #[schemars(range(min = 0))]
    version: i64,
    updated_at: Option<Instant>,
}

impl ProcurementSettings {
    pub fn from_row(row: Option<&SettingsRow>) -> ProcurementSettings {
        ProcurementSettings {
            require_second_approver: row.is_some_and(|row| row.require_second_approver),
            version: row.map_or(0, |row| row.version),
            updated_at: row.map(|row| row.updated_at),
        }
    }
}
