//! `/tenants/{tenantId}/settings`: the company's own row, read and replaced.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_descriptor::LAST_VERSION;
use stoa_descriptor::schemas::CurrencyCode;
use uuid::Uuid;

use super::history::TenantHistory;
use super::operation::{PlatformOperation, on_session};
use super::reply::{answer, answer_about};
use super::values::{Integer, refuse_unknown, text_enum};
use super::{Call, Performed};
use crate::calendar;
use crate::database::{Cell, Error, Session};
use crate::pipeline::outcome::Done;
use crate::problem::Problem;

const PATH: &str = "/tenants/{tenantId}/settings";

pub const OPERATIONS: &[PlatformOperation] = &[
    PlatformOperation::read(PATH, "getTenantSettings", on_session!(get))
        .summary("Settings of the company")
        .needs(&["settings.manage"])
        .answers::<TenantSettings>(),
    PlatformOperation::replace(PATH, "replaceTenantSettings", on_session!(replace))
        .summary("Replace the settings of the company")
        .description("Full replacement. Only operators change `status`. Existing records keep their currency.")
        .needs(&["settings.manage"])
        .body::<Replacement>()
        .answers::<TenantSettings>()
        .writes("TENANT", &[])
        .problems(&["VERSION_CONFLICT", "LIMIT_EXCEEDED"]),
];

text_enum! {
    /// The state of a company: the host serves only ACTIVE ones.
    pub enum TenantStatus { Active => "ACTIVE", Suspended => "SUSPENDED" }
}

// The part of a company's row that its people see.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TenantSettings {
    name: String,
    status: TenantStatus,
    default_currency_code: String,
    time_zone: String,
    /// History that the company imports or imported; null if it began without one.
    history: Option<TenantHistory>,
    #[schemars(with = "Integer", range(min = 1, max = LAST_VERSION))]
    version: i64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
struct Replacement {
    #[schemars(length(min = 1, max = 200), extend("x-normalize" = ["trim"]))]
    name: String,
    /// Active ISO 4217 code.
    #[schemars(with = "CurrencyCode")]
    default_currency_code: String,
    /// IANA time zone name in its exact spelling: `Europe/Berlin`. It decides which day is today.
    #[schemars(length(min = 1, max = 64))]
    time_zone: String,
    #[schemars(with = "Integer", range(min = 1, max = LAST_VERSION))]
    expected_version: i64,
}

async fn get(session: &mut Session, call: &Call<'_>) -> Performed {
    answer(&read_settings(session, call.tenant()?).await?)
}

async fn replace(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let wanted: Replacement = call.body()?;
    refuse_unknown(&[("/timeZone", calendar::is_zone(&wanted.time_zone))])?;
    lock(session, tenant).await?;
    let before = read_settings(session, tenant).await?;
    if before.version != wanted.expected_version {
        return Err(Problem::new("VERSION_CONFLICT").into());
    }
    if before.version >= LAST_VERSION {
        return Err(Problem::limit_exceeded(LAST_VERSION, "VERSIONS").into());
    }
    let after = TenantSettings {
        name: wanted.name,
        default_currency_code: wanted.default_currency_code,
        time_zone: wanted.time_zone,
        version: before.version + 1,
        status: before.status,
        history: before.history,
    };
    session
        .query(
            "update stoa_tenant set name = $1, default_currency_code = $2, time_zone = $3, version = $4, updated_at = $5
             where id = $6",
            &[
                Cell::text(&after.name),
                Cell::text(&after.default_currency_code),
                Cell::text(&after.time_zone),
                Cell::Integer(after.version),
                Cell::Instant(call.opened.now),
                Cell::Id(tenant),
            ],
        )
        .await?;
    let members = [
        ("name", before.name != after.name),
        ("defaultCurrencyCode", before.default_currency_code != after.default_currency_code),
        ("timeZone", before.time_zone != after.time_zone),
    ];
    let changed = members.iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_string()).collect();
    Ok(Done { changed, ..answer_about(tenant, &after)? })
}

/// Holds the company's row until the end of the transaction: others wait. SQLite has one writer as it is.
pub async fn lock(session: &mut Session, tenant: Uuid) -> Result<(), Error> {
    if matches!(session, Session::Postgres(_)) {
        session.query("select id from stoa_tenant where id = $1 for update", &[Cell::Id(tenant)]).await?;
    }
    Ok(())
}

async fn read_settings(session: &mut Session, tenant: Uuid) -> Result<TenantSettings, Error> {
    let rows = session
        .query(
            "select name, status, default_currency_code, time_zone, version, history_from, history_at, history_until
             from stoa_tenant where id = $1",
            &[Cell::Id(tenant)],
        )
        .await?;
    let row = rows.first().ok_or_else(|| Error::Fault("a company without a row".into()))?;
    Ok(TenantSettings {
        name: row.text(0)?,
        status: TenantStatus::read(row, 1)?,
        default_currency_code: row.text(2)?,
        time_zone: row.text(3)?,
        version: row.integer(4)?,
        history: TenantHistory::from_row(row, 5)?,
    })
}
