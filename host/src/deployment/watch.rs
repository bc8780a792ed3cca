//! The automatic way back: a module that fails repeatedly in its first ten minutes, and fails several companies, goes
//! back to its version before. Each digest is watched, whatever activated it, on every host that runs it, and whatever
//! is activated meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::records::{self, Digest, Set};
use super::withdrawn::{self, Earlier};
use super::{Deployment, DeploymentError, Edition};
use crate::database::{Error, Session, Shard};
use crate::sandbox::Generation;
use crate::sandbox::health::Report;
use crate::sandbox::trial::Trial;
use crate::watchdog::Pulse;

/// How long a module is watched: so long it is active, in whichever generations.
const WATCHED: Duration = Duration::from_secs(10 * 60);
/// So many failures, and more than one call in so many: traps, time-outs, limits.
const FAILURES: u64 = 5;
const ONE_IN: u64 = 20;
/// And so many companies, each by a caller of its own whom the version before would not have failed: a user who can
/// make companies must not choose which version runs.
const COMPANIES: usize = 3;

/// The modules of the running generation that are watched.
#[derive(Default)]
pub struct Watch {
    /// True if the running generation was searched for young modules.
    complete: bool,
    /// The generation that ran before it, until then: most likely the one to compare with.
    left: Option<Arc<Generation>>,
    watched: Vec<WatchedModule>,
}

#[derive(Clone)]
struct WatchedModule {
    trial: Arc<Trial>,
    until: Instant,
    /// Earlier report of the module: it may have run in an earlier generation.
    before: Report,
}

/// A module that has not been active for ten minutes.
struct Young {
    name: String,
    digest: Digest,
    left: Duration,
    earlier: Earlier,
}

impl Watch {
    /// Has the requests of a generation compared with what was before each watched module.
    fn show(&self, generation: &Generation) {
        generation.trials.store(Arc::new(self.watched.iter().map(|watched| watched.trial.clone()).collect()));
    }
}

/// Returns whether so many failures among so many calls are too many.
fn too_many(calls: u64, failures: u64) -> bool {
    failures >= FAILURES && failures.saturating_mul(ONE_IN) > calls
}

/// A set with an earlier state of one of its modules.
pub(super) fn put_back(set: &Set, name: &str, earlier: Earlier) -> Set {
    let mut set: Set = set.iter().filter(|(module, _)| module != name).cloned().collect();
    if let Earlier::Digest(digest) = earlier {
        set.push((name.to_owned(), digest));
    }
    set.sort();
    set
}

/// The modules of a generation, in the order of their names.
pub(super) fn read_set(generation: &Generation) -> Set {
    let mut set: Set = generation.modules.iter().map(|module| (module.name.clone(), module.digest)).collect();
    set.sort();
    set
}

/// The young modules of the active generation. A host that runs another one has none: it cannot change what is active.
async fn find_young(session: &mut Session, running: u64) -> Result<Vec<Young>, Error> {
    if records::newest(session).await? != Some(running) {
        return Ok(Vec::new());
    }
    let ages = withdrawn::find_ages(session, running).await?;
    let withdrawals = withdrawn::find(session).await?;
    let mut young = Vec::new();
    for (name, digest) in records::set(session, running).await?.unwrap_or_default() {
        let age = ages.get(&digest).map(|age| Duration::from_millis(age.unsigned_abs()));
        let Some(left) = age.and_then(|age| WATCHED.checked_sub(age)).filter(|left| !left.is_zero()) else { continue };
        let earlier = withdrawn::find_earlier(session, &withdrawals, &name, digest).await?;
        young.push(Young { name, digest, left, earlier });
    }
    Ok(young)
}

impl Deployment {
    /// Puts an edition in place, and goes on watching the modules that it shares with the one before.
    pub(super) fn watch_on(&self, edition: Arc<Edition>) {
        let Ok(mut watch) = self.watch.lock() else { return self.current.store(edition) };
        let before = self.current.load().generation.clone();
        before.trials.store(Arc::default());
        let stays = |trial: &Trial| {
            edition.find_vetted(&trial.module.digest).is_some_and(|module| Arc::ptr_eq(&module, &trial.module))
        };
        watch.watched.retain(|watched| stays(&watched.trial));
        watch.show(&edition);
        (watch.complete, watch.left) = (false, Some(before));
        self.current.store(edition);
    }

    /// Once for each generation that runs here: finds the modules to watch, and what to compare each with.
    pub(super) async fn renew_watch(&self, pulse: &Pulse) -> Result<(), DeploymentError> {
        let current = self.current.load_full();
        let (known, left) = match self.watch.lock() {
            Ok(watch) if !watch.complete => (watch.watched.clone(), watch.left.clone()),
            _ => return Ok(()),
        };
        pulse.excuse();
        let young = self
            .database
            .read_plain(Shard::Global, current.number, |session, running| Box::pin(find_young(session, *running)));
        let young = young.await?;
        let set = read_set(&current);
        let befores = known.iter().filter_map(|watched| watched.trial.before.clone());
        let nearby: Vec<Arc<Generation>> =
            left.into_iter().chain(befores).chain([current.generation.clone()]).collect();
        let mut watched = Vec::with_capacity(young.len());
        for Young { name, digest, left, earlier } in young {
            let Some(module) = current.find_vetted(&digest) else { continue };
            let before = match earlier {
                Earlier::Nothing => None,
                earlier => self.link_near(&nearby, current.number, &put_back(&set, &name, earlier)).await?,
            };
            let same = known.iter().find(|watched| Arc::ptr_eq(&watched.trial.module, &module));
            watched.push(match same {
                Some(same) => WatchedModule { trial: Arc::new(same.trial.with_before(before)), ..same.clone() },
                None => {
                    tracing::info!(module = name, ?left, "a module is watched");
                    let report = module.health.report();
                    let trial = Arc::new(Trial::new(before, module));
                    WatchedModule { trial, until: Instant::now() + left, before: report }
                }
            });
        }
        if let Ok(mut watch) = self.watch.lock()
            && Arc::ptr_eq(&self.current.load_full(), &current)
        {
            *watch = Watch { complete: true, left: None, watched };
            watch.show(&current);
        }
        Ok(())
    }

    /// The generation of a set, of modules that are in memory where they are. `None`: it cannot run here.
    async fn link_near(
        &self,
        nearby: &[Arc<Generation>],
        number: u64,
        set: &Set,
    ) -> Result<Option<Arc<Generation>>, DeploymentError> {
        if let Some(same) = nearby.iter().find(|generation| read_set(generation) == *set) {
            return Ok(Some(same.clone()));
        }
        let mut vetted = Vec::with_capacity(set.len());
        for (name, digest) in set {
            let found = match nearby.iter().find_map(|generation| generation.find_vetted(digest)) {
                Some(near) => Ok(near),
                None => self.find_or_fetch(*digest).await,
            };
            match found {
                Err(DeploymentError::Refusal(why)) => {
                    tracing::info!(name, %why, "a module is watched without a version to compare it with");
                    return Ok(None);
                }
                found => vetted.push(found?),
            }
        }
        let (gate, arrangement) = (self.gate.clone(), self.current.load().arrangement.clone());
        let linked = tokio::task::spawn_blocking(move || gate.link(number, &vetted, &arrangement)).await;
        let linked = linked.map_err(|error| Error::Fault(format!("linking panicked: {error}")))?;
        let linked = linked.map(Arc::new);
        let linked =
            linked.inspect_err(|why| tracing::info!(%why, "a module is watched without a version to compare it with"));
        Ok(linked.ok())
    }

    /// A watched module that fails, and how.
    pub(super) fn find_failing(&self) -> Option<(String, String)> {
        let mut watch = self.watch.lock().ok()?;
        let count = watch.watched.len();
        watch.watched.retain(|watched| watched.until > Instant::now());
        if watch.watched.len() < count {
            // The generations before are released with their trials.
            watch.show(&self.current.load());
        }
        watch.watched.iter().find_map(|watched| {
            let (module, now) = (&watched.trial.module, watched.trial.module.health.report());
            let (calls, failures) = (now.calls - watched.before.calls, now.failures() - watched.before.failures());
            let companies = watched.trial.count_companies();
            let (name, version) = (&module.descriptor.name, &module.descriptor.version);
            let reason =
                || format!("module {name} {version} failed {failures} times in {calls} calls, {companies} companies");
            (companies >= COMPANIES && too_many(calls, failures)).then(|| (name.clone(), reason()))
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
