//! The switch: writes wait, both places are equal, and the directory names the new one.

use std::time::Duration;

use serde_json::Value as Json;
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use uuid::Uuid;

use super::equality::Comparison;
use super::fence::Fence;
use super::record::{Home, MoveStep};
use super::server::Server;
use super::{Ends, Moving, NotYet, carry, tables};

/// The part of the pause that may pass until writes under way have ended.
const DRAIN: f64 = 0.5;
/// The part that may pass until both places are equal: the rest is for the switch itself.
const EQUAL: f64 = 0.8;
/// The code of a statement that took longer than it may.
const STATEMENT_TIMEOUT: &str = "57014";

/// Tries to switch. Returns how long writes waited.
///
/// # Errors
/// [`NotYet`] where it cannot in the time: the company is written where it was, and another attempt may switch.
pub async fn attempt(
    moving: &Moving,
    home: &mut Home,
    ends: &mut Ends,
    comparison: &mut Comparison,
) -> anyhow::Result<Duration> {
    let company = moving.company;
    let place = moving.find(&ends.source.name)?;
    let Some(fence) = Fence::take(place, company, moving.pause.mul_f64(DRAIN)).await? else {
        return Err(NotYet("a write of the company takes longer".into()).into());
    };
    let limit = moving.pause.mul_f64(EQUAL);
    let left = limit.saturating_sub(fence.since.elapsed());
    let (carried, differing) = match compare_within(moving, ends, comparison, left).await {
        Ok(compared) => compared,
        Err(error) => {
            fence.release().await?;
            if is_late(&error) {
                // A statement may be under way, and its limit is still set: the next attempt has other connections.
                *ends = moving.connect(&ends.source.name, &ends.target.name).await?;
                comparison.start_over();
                return Err(NotYet(format!("the comparison takes longer than {} ms", limit.as_millis())).into());
            }
            if error.is::<NotYet>() {
                ends.limit_statements(Duration::ZERO).await?;
            }
            return Err(error);
        }
    };
    if !differing.is_empty() {
        fence.release().await?;
        return Err(NotYet(format!("both places differ in {}", differing.join(", "))).into());
    }
    let switched = async {
        carry::announce(&mut ends.source, &mut ends.target, home, company, &carried).await?;
        carry::close(&mut ends.source, company).await?;
        home.switch(&ends.target.name, &carried).await
    };
    if let Err(error) = switched.await {
        // Where the home server does not say whether it switched, the next command reads it.
        if home.read().await.is_ok_and(|record| record.is_some_and(|record| record.step == MoveStep::Copying)) {
            carry::reopen(&mut ends.source, &mut ends.target, company).await?;
        }
        return Err(error);
    }
    finish(ends, company, &carried).await?;
    let pause = fence.since.elapsed();
    home.note_step(MoveStep::Open).await?;
    (moving.report)(&format!("switched: writes waited {} ms", pause.as_millis()));
    fence.release_behind_old_statements(&mut ends.source).await?;
    Ok(pause)
}

/// Reads the rows that go with the switch and compares both places, for so long. A server ends a statement that takes longer.
async fn compare_within(
    moving: &Moving,
    ends: &mut Ends,
    comparison: &mut Comparison,
    limit: Duration,
) -> anyhow::Result<(Json, Vec<String>)> {
    let compared = async {
        ends.limit_statements(limit).await?;
        let carried = carry::read(&mut ends.source, &mut ends.target, moving.company).await?;
        moving.wait_for_mark(ends, limit).await?;
        let differing = comparison.finish(ends).await?;
        ends.limit_statements(Duration::ZERO).await?;
        Ok((carried, differing))
    };
    timeout(limit, compared).await?
}

/// Returns whether the time was over, here or at a server.
fn is_late(error: &anyhow::Error) -> bool {
    let code =
        error.downcast_ref::<sqlx::Error>().and_then(sqlx::Error::as_database_error).and_then(|error| error.code());
    error.is::<Elapsed>() || code.as_deref() == Some(STATEMENT_TIMEOUT)
}

/// After the directory was switched: the old place drops the company, then the new one opens.
pub async fn finish(ends: &mut Ends, company: Uuid, carried: &Json) -> anyhow::Result<()> {
    carry::leave(&mut ends.source, company).await?;
    carry::open(&mut ends.target, company, carried).await
}

/// Rows of the company at a place.
pub async fn count_rows(server: &mut Server, company: Uuid) -> anyhow::Result<i64> {
    let tables = tables::list(server).await?;
    let part = |table: &tables::MovedTable| {
        format!("(select count(*) from {} where {})", table.name, table.of_company(company))
    };
    let parts: Vec<String> = tables.iter().map(part).collect();
    server.value(format!("select {}", parts.join(" + "))).await
}
