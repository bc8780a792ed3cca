//! The way back that nobody has to take by hand: a module that fails repeatedly after its activation, and fails several companies, is
//! rolled back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::records::{self, Cause};
use super::{Deployment, DeploymentError};
use crate::database::Shard;
use crate::sandbox::Generation;
use crate::sandbox::health::Report;
use crate::sandbox::trial::Trial;

/// How long a new module is watched.
const WATCHED: Duration = Duration::from_secs(10 * 60);
/// So many failures, and more than one call in so many: traps, time-outs, limits.
const FAILURES: u64 = 5;
const ONE_IN: u64 = 20;
/// And so many companies, each by a caller of its own whom the version before would not have failed: whoever can make companies must
/// not choose which version runs.
const COMPANIES: usize = 3;

/// The modules that the last activation brought.
pub struct Watch {
    generation: u64,
    until: Instant,
    trial: Arc<Trial>,
    /// Earlier report of each module: it may have run in an earlier generation.
    before: Vec<Report>,
}

impl Watch {
    /// `None` where nothing is new, or where going back would be going forth: after a rollback.
    pub fn over(before: &Arc<Generation>, after: &Generation, cause: Cause, time: Duration) -> Option<Watch> {
        if cause != Cause::Activation {
            return None;
        }
        let trial = Trial::new(before.clone(), after)?;
        after.trials.store(Arc::new(vec![trial.clone()]));
        let before = trial.modules.iter().map(|module| module.health.report()).collect();
        Some(Watch { generation: after.number, until: Instant::now() + time, trial, before })
    }

    /// The same for all of its time.
    pub fn over_activation(before: &Arc<Generation>, after: &Generation, cause: Cause) -> Option<Watch> {
        Watch::over(before, after, cause, WATCHED)
    }
}

/// Whether so many failures among so many calls are too many.
fn too_many(calls: u64, failures: u64) -> bool {
    failures >= FAILURES && failures.saturating_mul(ONE_IN) > calls
}

impl Deployment {
    /// The generation to go back to, and why, where a watched module fails.
    pub(super) fn rollback_target(&self) -> Option<(u64, String)> {
        let mut slot = self.watch.lock().ok()?;
        let current = self.current.load();
        let watch = slot.as_ref().filter(|watch| watch.generation == current.number)?;
        if watch.until <= Instant::now() {
            // The generation before is released with the trial.
            current.trials.store(Arc::default());
            *slot = None;
            return None;
        }
        watch.trial.modules.iter().zip(&watch.before).find_map(|(module, before)| {
            let now = module.health.report();
            let (calls, failures) = (now.calls - before.calls, now.failures() - before.failures());
            let companies = watch.trial.count_companies(&module.name);
            let reason = || {
                let (name, version) = (&module.name, &module.version);
                format!("module {name} {version} failed {failures} times in {calls} calls, {companies} companies")
            };
            (companies >= COMPANIES && too_many(calls, failures)).then(|| (watch.generation - 1, reason()))
        })
    }

    /// After a start: what an operator activated less than ten minutes ago is watched for the rest of them.
    pub(super) async fn resume_watch(&self) -> Result<(), DeploymentError> {
        let number = self.current.load().number;
        let read = self.database.read_plain(Shard::Global, number, |session, number| {
            Box::pin(async move {
                let now = session.now().await?;
                let Some(activated) = records::activation_by_operator(session, *number).await? else { return Ok(None) };
                let before = records::set(session, number - 1).await?;
                Ok(before.map(|before| (now - activated, before)))
            })
        });
        let Some((age, set)) = read.await? else { return Ok(()) };
        let age = Duration::from_millis(u64::try_from(age).unwrap_or(0));
        let Some(left) = WATCHED.checked_sub(age).filter(|left| !left.is_zero()) else { return Ok(()) };
        let _lock = self.change_lock.lock().await;
        let before = self.link(number - 1, &set).await?.generation;
        let current = self.current.load_full();
        if let (true, Ok(mut slot)) = (current.number == number, self.watch.lock()) {
            *slot = Watch::over(&before, &current, Cause::Activation, left);
            tracing::info!(generation = number, ?left, "what was activated before the start is watched on");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::too_many;

    #[test]
    fn a_module_is_taken_out_for_failing_repeatedly_and_not_for_an_accident() {
        for (calls, failures, expected) in [
            (0, 0, false),
            (4, 4, false),
            (5, 5, true),
            (0, 5, true),
            (99, 5, true),
            (100, 5, false),
            (1_000_000, 50_000, false),
            (1_000_000, 50_001, true),
        ] {
            assert_eq!(too_many(calls, failures), expected, "{failures} of {calls}");
        }
    }
}
