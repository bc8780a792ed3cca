//! The way back that nobody has to take by hand: a module that fails repeatedly after its activation is rolled back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Deployment;
use super::records::Cause;
use crate::sandbox::Generation;
use crate::sandbox::health::{Health, Report};

/// How long a new module is watched.
const WATCHED: Duration = Duration::from_secs(10 * 60);
/// So many failures, and more than one call in so many: traps, time-outs, limits.
const FAILURES: u64 = 5;
const ONE_IN: u64 = 20;

/// The modules that the last activation brought.
pub struct Watch {
    generation: u64,
    since: Instant,
    modules: Vec<Watched>,
}

struct Watched {
    name: String,
    version: String,
    health: Arc<Health>,
    /// What it had done before: it may have run in an earlier generation.
    before: Report,
}

impl Watch {
    /// `None` where nothing is new, or where going back would be going forth: after a rollback.
    pub fn over(before: &Generation, after: &Generation, cause: Cause) -> Option<Watch> {
        let new = after.modules.iter().filter(|module| before.modules.iter().all(|old| old.digest != module.digest));
        let modules: Vec<Watched> = new
            .map(|module| Watched {
                name: module.name.clone(),
                version: module.version.clone(),
                health: module.health.clone(),
                before: module.health.report(),
            })
            .collect();
        let wanted = cause == Cause::Activation && !modules.is_empty();
        wanted.then(|| Watch { generation: after.number, since: Instant::now(), modules })
    }
}

/// Whether so many failures among so many calls are too many.
fn too_many(calls: u64, failures: u64) -> bool {
    failures >= FAILURES && failures.saturating_mul(ONE_IN) > calls
}

impl Deployment {
    /// The generation to go back to, and why, where a watched module fails.
    pub(super) fn rollback_target(&self) -> Option<(u64, String)> {
        let watch = self.watch.lock().ok()?;
        let watch = watch.as_ref().filter(|watch| watch.since.elapsed() < WATCHED)?;
        if watch.generation != self.current.load().number {
            return None;
        }
        watch.modules.iter().find_map(|watched| {
            let Watched { name, version, health, before } = watched;
            let now = health.report();
            let (calls, failures) = (now.calls - before.calls, now.failures() - before.failures());
            let reason = || format!("module {name} {version} failed {failures} times in {calls} calls");
            too_many(calls, failures).then(|| (watch.generation - 1, reason()))
        })
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
