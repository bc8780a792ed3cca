//! The copy and the attempts to switch. An attempt ends without effect where it would make writes wait for too long.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::equality::Comparison;
use super::record::Home;
use super::switch::attempt;
use super::tables::{self, MovedTable};
use super::{Ends, Moving, NotYet, replication};

/// Between two reports of a copy.
const SECOND: Duration = Duration::from_secs(1);
/// Attempts to switch before the command gives up.
const ATTEMPTS: u32 = 30;
/// Passes over both places before an attempt, and the rows below which another pass saves nothing.
const PASSES: u32 = 6;
const FEW: usize = 2_000;
/// Failures of the copy that PostgreSQL tries again, before the command ends.
const FAILURES: i64 = 5;
/// How long a mark may take while nothing is in a hurry.
pub(super) const LONGEST_LAG: Duration = Duration::from_secs(600);
/// The lag with which an attempt begins.
const SMALL_LAG: Duration = Duration::from_millis(200);

impl Moving {
    /// Copies and switches. Returns how long writes waited.
    pub(super) async fn copy_and_switch(&self, home: &mut Home, ends: &mut Ends) -> anyhow::Result<Duration> {
        let mut attempts = 0;
        loop {
            let tables = tables::list(&mut ends.source).await?;
            let differences = tables::compare(&tables, &tables::list(&mut ends.target).await?);
            anyhow::ensure!(differences.is_empty(), "the company cannot move:\n{}", differences.join("\n"));
            self.copy(ends, &tables).await?;
            let mut comparison = Comparison::new(&mut ends.source, self.company, &tables).await?;
            // An activation may add tables meanwhile: they are copied too.
            while tables::list(&mut ends.source).await? == tables {
                self.check_stop()?;
                anyhow::ensure!(attempts < ATTEMPTS, "{ATTEMPTS} attempts to switch had no effect");
                attempts += 1;
                self.compare(ends, &mut comparison).await?;
                if self.wait_for_mark(ends, LONGEST_LAG).await? > SMALL_LAG {
                    (self.report)("the copy is behind: it catches up first");
                    continue;
                }
                match attempt(self, home, ends, &mut comparison).await {
                    Ok(pause) => return Ok(pause),
                    Err(error) => {
                        let not_yet = error.downcast::<NotYet>()?;
                        (self.report)(&format!("writes are accepted again: {not_yet}"));
                    }
                }
                sleep(SECOND).await;
            }
            (self.report)("the modules' tables have changed: the copy goes on with them");
            // The changes that the comparison follows end with their connection.
            *ends = self.connect(&ends.source.name, &ends.target.name).await?;
        }
    }

    /// Copies all rows, until changes follow at once.
    async fn copy(&self, ends: &mut Ends, tables: &[MovedTable]) -> anyhow::Result<()> {
        replication::publish(&mut ends.source, self.company, tables).await?;
        replication::subscribe(&mut ends.source, &mut ends.target, self.company, tables).await?;
        let mut first_failures = None;
        loop {
            self.check_stop()?;
            let state = replication::read_state(&mut ends.source, &mut ends.target, self.company).await?;
            let failures = state.failures - *first_failures.get_or_insert(state.failures);
            anyhow::ensure!(failures < FAILURES, "{} cannot apply the rows: its log says why", ends.target.name);
            (self.report)(&format!(
                "copying: {} of {} tables, {} KiB behind",
                state.ready,
                state.tables,
                state.behind / 1024
            ));
            if state.tables > 0 && state.ready == state.tables {
                break;
            }
            sleep(SECOND).await;
        }
        let lag = self.wait_for_mark(ends, LONGEST_LAG).await?;
        (self.report)(&format!("copied; changes follow in {} ms", lag.as_millis()));
        Ok(())
    }

    /// Compares both places until few rows are left to compare while writes wait.
    async fn compare(&self, ends: &mut Ends, comparison: &mut Comparison) -> anyhow::Result<()> {
        for _ in 0..PASSES {
            self.check_stop()?;
            let passed = comparison.pass(self, ends).await?;
            (self.report)(&format!("compared {} rows: {} on their way", passed.rows, passed.differing));
            if passed.rows < FEW {
                break;
            }
        }
        Ok(())
    }

    /// Waits until the new place has all that the old one has committed by now; returns how long that took.
    pub(super) async fn wait_for_mark(&self, ends: &mut Ends, limit: Duration) -> anyhow::Result<Duration> {
        let began = Instant::now();
        let mark = replication::write_mark(&mut ends.source, self.company).await?;
        let mut pause = Duration::from_millis(2);
        while !replication::has_mark(&mut ends.target, self.company, mark).await? {
            if began.elapsed() >= limit {
                return Err(NotYet(format!("the copy is more than {} ms behind", limit.as_millis())).into());
            }
            sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(20));
        }
        Ok(began.elapsed())
    }
}
