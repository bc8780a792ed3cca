//! `/tenants/{tenantId}/history`: a company that moves in brings its past with it. It is created with a clock that is
//! in the past (`historyFrom`), its people enter what happened in the order in which it happened and move the clock
//! forward, and end the history once. All rules hold meanwhile, by that clock.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::company_settings::lock;
use super::operation::{PlatformOperation, on_session};
use super::reply::answer_about;
use super::values::Instant;
use super::{Call, Performed};
use crate::calendar::time;
use crate::database::{Cell, Error, Row, Session};
use crate::pipeline::outcome::{Done, Refused};
use crate::problem::{Item, Problem};

pub const OPERATIONS: &[PlatformOperation] = &[
    PlatformOperation::transition("/tenants/{tenantId}/history/advance", "advanceHistory", on_session!(advance))
        .summary("Move the clock of the company's history forward")
        .description(
            "Sets the company's clock to `to`. Every later record has this time until the next move. The clock never goes back. \
             Open writes finish first. Rejected with ILLEGAL_STATE without an open history.",
        )
        .needs(&["settings.manage"])
        .body::<Advance>()
        .answers::<TenantHistory>()
        .writes("TENANT", &[])
        .problems(&["ILLEGAL_STATE"]),
    PlatformOperation::transition("/tenants/{tenantId}/history/end", "endHistory", on_session!(end))
        .summary("End the company's history")
        .description(
            "From then on the company has the present time. A history cannot be opened again. Without an open history: \
             ILLEGAL_STATE.",
        )
        .needs(&["settings.manage"])
        .answers::<TenantHistory>()
        .writes("TENANT", &[])
        .problems(&["ILLEGAL_STATE"]),
];

/// Imported history of a company. Records that were created at or before `until`, or while `at` is set, belong to it.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantHistory {
    /// Instant at which the history began.
    from: Instant,
    /// Current instant of the company's clock; null once the history has ended.
    at: Option<Instant>,
    /// Instant of the clock at the end of the history; null before that.
    until: Option<Instant>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct Advance {
    /// Not before the clock and not in the future.
    to: Instant,
}

async fn advance(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let Advance { to } = call.body()?;
    lock(session, tenant).await?;
    let (history, clock) = read_open(session, tenant).await?;
    check_bounds(to, "/to", clock.0, call.opened.now)?;
    set(session, tenant, "update stoa_tenant set history_at = $2 where id = $1", to).await?;
    answer_change(tenant, &TenantHistory { at: Some(to), ..history })
}

async fn end(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    lock(session, tenant).await?;
    let (history, clock) = read_open(session, tenant).await?;
    set(session, tenant, "update stoa_tenant set history_at = null, history_until = $2 where id = $1", clock).await?;
    answer_change(tenant, &TenantHistory { at: None, until: Some(clock), ..history })
}

fn answer_change(tenant: Uuid, history: &TenantHistory) -> Performed {
    Ok(Done { changed: vec!["history".to_owned()], ..answer_about(tenant, history)? })
}

async fn set(session: &mut Session, tenant: Uuid, sql: &'static str, instant: Instant) -> Result<(), Error> {
    session.query(sql, &[Cell::Id(tenant), Cell::Instant(instant.0)]).await.map(drop)
}

/// The history that is open, and the time of its clock.
async fn read_open(session: &mut Session, tenant: Uuid) -> Result<(TenantHistory, Instant), Refused> {
    let sql = "select history_from, history_at, history_until from stoa_tenant where id = $1";
    let rows = session.query(sql, &[Cell::Id(tenant)]).await?;
    let history = rows.first().map(|row| TenantHistory::from_row(row, 0)).transpose()?.flatten();
    let open = history.and_then(|history| Some((history, history.at?)));
    open.ok_or_else(|| Problem::new("ILLEGAL_STATE").into())
}

impl TenantHistory {
    /// Reads a company's row: three columns from `first` on.
    pub fn from_row(row: &Row, first: usize) -> Result<Option<TenantHistory>, Error> {
        let instant = |index| Ok::<_, Error>(row.optional(index, Row::instant)?.map(Instant));
        let Some(from) = instant(first)? else { return Ok(None) };
        Ok(Some(TenantHistory { from, at: instant(first + 1)?, until: instant(first + 2)? }))
    }
}

/// Refuses a clock that would begin before 1970 or in the future.
pub fn check_begin(from: Instant, now: i64) -> Result<(), Problem> {
    check_bounds(from, "/historyFrom", 0, now)
}

fn check_bounds(instant: Instant, pointer: &str, earliest: i64, latest: i64) -> Result<(), Problem> {
    if (earliest..=latest).contains(&instant.0) {
        return Ok(());
    }
    let expected = json!({ "minimum": time(earliest), "maximum": time(latest) });
    Err(Problem::new("VALIDATION_FAILED").with(vec![Item::new(pointer, "RANGE").with_expected(expected)]))
}
