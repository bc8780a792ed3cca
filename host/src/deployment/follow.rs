//! Following: every host asks the database which generation is the active one, builds it where it is another than its
//! own, and reports what it runs and how its modules fare.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json, json};

use super::records::{self, Cause, HostReport};
use super::{ActivationRequest, Deployment, DeploymentError};
use crate::database::Shard;
use crate::watchdog::Pulse;

/// How long another host's activation goes unnoticed here.
const PAUSE: Duration = Duration::from_millis(500);
/// How often a host says that it is there; more often where what it runs changes.
const REPORT: Duration = Duration::from_secs(10);
/// A host that was silent for so long is not there any more.
pub const SILENCE: i64 = 35_000;
/// After a generation that could not be built: the next try.
const RETRY: Duration = Duration::from_secs(5);

impl Deployment {
    /// Runs until it is stopped.
    pub(super) async fn follow(self: Arc<Self>, pulse: Pulse) {
        let mut reported: Option<(Instant, u64, Option<String>)> = None;
        let mut failed: Option<Instant> = None;
        loop {
            if self.unjudged.swap(false, Ordering::AcqRel) {
                pulse.excuse();
                match self.step_off().await {
                    Ok(()) => failed = None,
                    // Without the database the host cannot judge: it asks again.
                    Err(DeploymentError::Database(error)) => {
                        tracing::warn!(%error, "what runs cannot be judged now");
                        self.unjudged.store(true, Ordering::Release);
                    }
                    Err(refused) => self.note(Some(refused.to_string())),
                }
            }
            if failed.is_none_or(|instant| instant.elapsed() > RETRY) {
                let tried = self.report_during(self.catch_up(&pulse)).await;
                failed = tried.is_err().then(Instant::now);
                self.note(tried.err().map(|refused| refused.to_string()));
            }
            pulse.beat();
            if let Err(why) = self.renew_watch(&pulse).await {
                tracing::warn!(%why, "cannot read which modules are to be watched");
            }
            if let Some((module, reason)) = self.find_failing() {
                pulse.excuse();
                self.step_back(module, reason).await;
            }
            let state = (self.find_oldest_in_use(), self.trouble());
            let due = reported.as_ref().is_none_or(|(instant, number, trouble)| {
                instant.elapsed() > REPORT || (*number, trouble) != (state.0, &state.1)
            });
            if due && self.report().await {
                reported = Some((Instant::now(), state.0, state.1));
            }
            pulse.beat();
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = self.changed.notified() => {}
            }
        }
    }

    /// Builds the active generation where it is not the one that runs here.
    async fn catch_up(&self, pulse: &Pulse) -> Result<(), DeploymentError> {
        let newest =
            self.database.read_plain(Shard::Global, (), |session, ()| Box::pin(records::newest(session))).await;
        // A database that does not answer is reported by every request; the active generation goes on running.
        let Ok(Some(number)) = newest else { return Ok(()) };
        if number == self.current.load().number {
            return Ok(());
        }
        // The build of a generation may take minutes; the compiler has limits of its own.
        pulse.excuse();
        let _lock = self.change_lock.lock().await;
        let found =
            self.database.read_plain(Shard::Global, (), |session, ()| Box::pin(records::active(session))).await?;
        let Some((number, set)) = found else { return Ok(()) };
        // It may have been activated here while this waited for the lock.
        if number != self.current.load().number {
            let edition = self.link(number, &set, &[], number).await?;
            self.swap(edition);
        }
        Ok(())
    }

    /// Takes a failing module back, and nothing else; where the others cannot run without it, the whole set.
    async fn step_back(&self, module: String, reason: String) {
        let active = self.current.load().number;
        tracing::error!(active, module, reason, "a module fails in its first minutes: going back");
        let (request, cause) = (ActivationRequest::host(active), Cause::AutomaticRollback);
        let mut went = self.retreat(&module, &request, cause, Some(reason.clone())).await;
        if let Err(why @ (DeploymentError::NotFound(_) | DeploymentError::Refusal(_))) = &went {
            tracing::warn!(module, %why, "the module cannot go back by itself");
            went = self.go_back(&request, cause, Some(module), Some(reason)).await;
        }
        match went {
            Ok(back) => tracing::warn!(generation = back.generation, "went back"),
            Err(refused) => tracing::error!(%refused, "cannot go back"),
        }
    }

    /// Goes on reporting what runs here while a generation is built, which may take longer than a host may be silent.
    async fn report_during<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                () = tokio::time::sleep(REPORT) => {
                    self.report().await;
                }
            }
        }
    }

    async fn report(&self) -> bool {
        let report = HostReport {
            id: self.host.id,
            name: self.host.name.clone(),
            generation: self.find_oldest_in_use(),
            trouble: self.trouble(),
            health: self.health(),
        };
        let written = self.database.write_plain(Shard::Global, report, |session, report| {
            Box::pin(async move {
                let now = session.now().await?;
                records::report(session, now, report).await
            })
        });
        written.await.map_err(|error| tracing::warn!(%error, "this host cannot report what it runs")).is_ok()
    }

    /// The modules of the generation that runs here, by name: version and counts.
    pub fn health(&self) -> Json {
        let generation = self.current.load();
        let modules = generation.modules.iter().map(|module| {
            let mut shown = json!(module.health.report());
            shown["version"] = json!(module.version);
            (module.name.clone(), shown)
        });
        Json::Object(modules.collect::<Map<_, _>>())
    }

    /// Takes this host off the list: it ends in order.
    pub async fn leave(&self) {
        let left = self
            .database
            .write_plain(Shard::Global, self.host.id, |session, id| Box::pin(records::leave(session, *id)));
        if let Err(error) = left.await {
            tracing::debug!(%error, "this host stays on the list for a while");
        }
    }
}
