//! The company's settings of procurement.

use schemars::{JsonSchema, json_schema};
use serde::Deserialize;
use stoa_sdk::store::{find, run};
use stoa_sdk::{Answer, Call, Field, Operation, Problem, Reply, inline_schema, new_id, now};
use stoa_trade::Change;
use stoa_trade::document::number::insert_unless_taken;
use stoa_trade::document::version::LAST;

use crate::records::permission::SETTINGS as MANAGE;
use crate::records::settings::{KEY, ProcurementSettings, SETTINGS, SettingsRow};

const PATH: &str = "/purchases/settings";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(PATH, "getProcurementSettings", read).summary("Settings of procurement")
        .needs(MANAGE).answers::<ProcurementSettings>(),
    Operation::replace(PATH, "replaceProcurementSettings", replace).summary("Replace the settings of procurement")
        .description("Version 0 until they are first written.")
        .needs(MANAGE).body::<ProcurementSettingsUpdate>().answers::<ProcurementSettings>()
        .writes(SETTINGS, &[]).without_if_match().problems(&["VERSION_CONFLICT"]),
];

/// The version that the caller believes to be current; 0: never written.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(transparent)]
pub struct ExpectedSettingsVersion(pub i64);

inline_schema!([] ExpectedSettingsVersion, |_| json_schema!({ "type": "integer", "minimum": 0, "maximum": LAST }));

/// All settings of procurement.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProcurementSettingsUpdate {
    pub expected_version: ExpectedSettingsVersion,
    /// True if the user who drafted an order, or last replaced its draft, cannot approve it.
    pub require_second_approver: bool,
}

pub fn read(_: &Call) -> Answer {
    let row = run(find::<SettingsRow>("key", [vec![KEY.to_owned().put()]]))?.into_iter().next();
    Ok(Reply::json(&ProcurementSettings::from_row(row.as_ref())))
}

pub fn replace(call: &Call) -> Answer {
    let ProcurementSettingsUpdate { expected_version, require_second_approver } = call.body()?;
    let before = run(find::<SettingsRow>("key", [vec![KEY.to_owned().put()]]).locked())?.into_iter().next();
    let conflict = || Problem::new("VERSION_CONFLICT");
    if expected_version.0 != before.as_ref().map_or(0, |row| row.version) {
        return Err(conflict());
    }
    let Some(before) = before else {
        let now = now();
        let key = KEY.to_owned();
        let row =
            SettingsRow { id: new_id(), version: 1, created_at: now, updated_at: now, key, require_second_approver };
        // Another request may write them for the first time at the same moment.
        return if insert_unless_taken(&row)? {
            Ok(show(&row).changed(["requireSecondApprover"]))
        } else {
            Err(conflict())
        };
    };
    let after = SettingsRow { require_second_approver, ..before.clone() };
    let change = Change::new(&before, after)?;
    run(change.update())?;
    Ok(change.show(|row| show(&row)))
}

fn show(row: &SettingsRow) -> Reply {
    Reply::json(&ProcurementSettings::from_row(Some(row))).resource(row.id)
}
