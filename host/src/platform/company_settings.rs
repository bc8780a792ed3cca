//! `/tenants/{tenantId}/settings`: the company's own row, shown and replaced.

use serde::Deserialize;
use serde_json::{Value as Json, json};
use stoa_descriptor::Route;
use uuid::Uuid;

use super::routes::{body, object, permission, read, reference, text, write};
use super::{Call, Operation, Performed, calendar, shown, wrote};
use crate::database::{Cell, Error, Session};
use crate::pipeline::run::Done;
use crate::problem::{Item, Problem};

/// Largest version of a record.
pub const LAST_VERSION: i64 = 2_147_483_646;

const PATH: &str = "/tenants/{tenantId}/settings";

pub fn routes() -> Vec<(Route, Operation)> {
    let shown = Route {
        access: permission("settings.manage"),
        ..read(PATH, "getTenantSettings", "The company's settings.", reference("TenantSettings"))
    };
    let replaced = Route {
        access: permission("settings.manage"),
        audit: Some("TENANT".into()),
        problems: vec!["VERSION_CONFLICT".into(), "LIMIT_EXCEEDED".into()],
        description: "Full replacement. `status` is the operators' alone. Every record keeps the currency that it has."
            .into(),
        ..write(
            "PUT",
            PATH,
            "replaceTenantSettings",
            "Replace the company's settings.",
            body(
                json!({
                    "name": { "type": "string", "minLength": 1, "maxLength": 200, "x-normalize": ["trim"] },
                    "defaultCurrencyCode": { "type": "string", "pattern": "^[A-Z]{3}$", "description": "ISO 4217." },
                    "timeZone": {
                        "type": "string", "minLength": 1, "maxLength": 64,
                        "description": "A name of the IANA database, as it spells it: `Europe/Berlin`. It decides which day \
                            is today."
                    },
                    "expectedVersion": { "type": "integer", "minimum": 1, "maximum": LAST_VERSION },
                }),
                &["name", "defaultCurrencyCode", "timeZone", "expectedVersion"],
            ),
            reference("TenantSettings"),
        )
    };
    vec![(shown, Operation::ShowSettings), (replaced, Operation::ReplaceSettings)]
}

pub fn schemas() -> Vec<(&'static str, Json)> {
    let settings = object(json!({
        "name": text(), "status": { "enum": ["ACTIVE", "SUSPENDED"] }, "defaultCurrencyCode": text(), "timeZone": text(),
        "version": { "type": "integer", "minimum": 1, "maximum": LAST_VERSION },
    }));
    vec![("TenantSettings", settings)]
}

/// What of a company's row its people see.
struct Settings {
    name: String,
    status: String,
    currency: String,
    time_zone: String,
    version: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    name: String,
    default_currency_code: String,
    time_zone: String,
    expected_version: i64,
}

pub async fn show(session: &mut Session, call: &Call<'_>) -> Performed {
    Ok(shown(settings(session, call.tenant()?).await?.json()))
}

pub async fn replace(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let wanted: Replacement = call.body()?;
    if !calendar::is_zone(&wanted.time_zone) {
        return Err(Problem::of("VALIDATION_FAILED").with(vec![Item::new("/timeZone", "FORMAT")]).into());
    }
    lock(session, tenant).await?;
    let before = settings(session, tenant).await?;
    if before.version != wanted.expected_version {
        return Err(Problem::of("VERSION_CONFLICT").into());
    }
    if before.version >= LAST_VERSION {
        return Err(Problem::of("LIMIT_EXCEEDED").into());
    }
    let after = Settings {
        name: wanted.name,
        currency: wanted.default_currency_code,
        time_zone: wanted.time_zone,
        version: before.version + 1,
        status: before.status.clone(),
    };
    session
        .query(
            "update stoa_tenant set name = $1, default_currency_code = $2, time_zone = $3, version = $4, updated_at = $5
             where id = $6",
            &[
                Cell::text(&after.name),
                Cell::text(&after.currency),
                Cell::text(&after.time_zone),
                Cell::Integer(after.version),
                Cell::Instant(call.opened.now),
                Cell::Id(tenant),
            ],
        )
        .await?;
    let members = [
        ("name", before.name != after.name),
        ("defaultCurrencyCode", before.currency != after.currency),
        ("timeZone", before.time_zone != after.time_zone),
    ];
    let changed = members.iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_string()).collect();
    Ok(Done { changed, ..wrote(tenant, after.json()) })
}

/// Holds the company's row until the end of the transaction: whoever else does waits. SQLite has one writer as it is.
pub async fn lock(session: &mut Session, tenant: Uuid) -> Result<(), Error> {
    if matches!(session, Session::Postgres(_)) {
        session.query("select id from stoa_tenant where id = $1 for update", &[Cell::Id(tenant)]).await?;
    }
    Ok(())
}

async fn settings(session: &mut Session, tenant: Uuid) -> Result<Settings, Error> {
    let rows = session
        .query(
            "select name, status, default_currency_code, time_zone, version from stoa_tenant where id = $1",
            &[Cell::Id(tenant)],
        )
        .await?;
    let row = rows.first().ok_or_else(|| Error::Fault("a company without a row".into()))?;
    Ok(Settings {
        name: row.text(0)?,
        status: row.text(1)?,
        currency: row.text(2)?,
        time_zone: row.text(3)?,
        version: row.integer(4)?,
    })
}

impl Settings {
    fn json(&self) -> Json {
        json!({
            "name": self.name,
            "status": self.status,
            "defaultCurrencyCode": self.currency,
            "timeZone": self.time_zone,
            "version": self.version,
        })
    }
}
