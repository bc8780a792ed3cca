//! The switch: writes wait, both places are equal, and the directory names the new one.

use std::time::Duration;

use serde_json::Value as Json;
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use uuid::Uuid;

use super::equality::{Comparison, TableComparison};
use super::fence::Fence;
use super::record::{Home, MoveStep};
use super::server::Server;
use super::{Ends, Moving, carry, tables};

/// The part of the pause that may pass until writes under way have ended.
const DRAIN: f64 = 0.5;
/// The part that may pass until both places are equal: the rest is for the switch itself.
const EQUAL: f64 = 0.8;
/// The code of a statement that took longer than it may.
const STATEMENT_TIMEOUT: &str = "57014";

/// The result of an attempt.
pub enum SwitchAttempt {
    /// Writes waited for so long.
    Switched(Duration),
    /// The company is written where it was. The text says why.
    Late(String),
}

/// Tries to switch. Where it cannot in the time, nothing has changed.
pub async fn attempt(
    moving: &Moving,
    home: &mut Home,
    ends: &mut Ends,
    comparison: &mut Comparison,
) -> anyhow::Result<SwitchAttempt> {
    let company = moving.company;
    let place = moving.find(&ends.source.name)?;
    let Some(fence) = Fence::take(place, company, moving.pause.mul_f64(DRAIN)).await? else {
        return Ok(SwitchAttempt::Late("a write of the company takes longer".into()));
    };
    let limit = moving.pause.mul_f64(EQUAL);
    let left = limit.saturating_sub(fence.since.elapsed());
    let (carried, pass) = match compare_within(moving, ends, comparison, left).await {
        Ok(compared) => compared,
        Err(error) => {
            fence.release().await?;
            // A statement may be under way: these connections are of no use.
            *ends = moving.connect(&ends.source.name, &ends.target.name).await?;
            let late = || SwitchAttempt::Late(format!("the comparison takes longer than {} ms", limit.as_millis()));
            return if is_late(&error) { Ok(late()) } else { Err(error) };
        }
    };
    ends.limit_statements(Duration::ZERO).await?;
    if !pass.tables.is_empty() {
        fence.release().await?;
        return Ok(SwitchAttempt::Late(format!("both places differ in {}", pass.tables.join(", "))));
    }
    let elapsed = fence.since.elapsed();
    if elapsed > limit {
        fence.release().await?;
        return Ok(SwitchAttempt::Late(format!("the comparison ended after {} ms", elapsed.as_millis())));
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
    Ok(SwitchAttempt::Switched(pause))
}

/// Reads the rows that go with the switch and compares both places, for so long. A server ends a statement that takes longer.
async fn compare_within(
    moving: &Moving,
    ends: &mut Ends,
    comparison: &mut Comparison,
    limit: Duration,
) -> anyhow::Result<(Json, TableComparison)> {
    let compared = async {
        ends.limit_statements(limit).await?;
        let carried = carry::read(&mut ends.source, &mut ends.target, moving.company).await?;
        moving.wait_for_mark(ends, limit).await?;
        Ok((carried, comparison.compare(&mut ends.source, &mut ends.target).await?))
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
