//! The running generation: which one is active, how it is changed, and how every host on a database comes to run the same.
//! The database decides; a host holds what it built from it in memory, and requests take that once, at their beginning.

pub mod activation;
mod after_commit;
mod arrange;
pub mod audit;
pub mod backfills;
mod background;
pub mod development;
pub mod edition;
pub mod extensions_shown;
pub mod first;
pub mod follow;
pub mod forget;
mod generation_copy;
mod link;
mod places;
pub mod records;
pub mod reindex;
mod timers;
pub mod trust;
pub mod upgrade;
pub mod verify;
pub mod watch;
pub mod withdrawn;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, Weak};

use arc_swap::ArcSwap;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::database::{Database, Error};
use crate::gate::refusal::Refusal;
use crate::gate::vetting::Gate;
use crate::sandbox::Limits;
use crate::watchdog::Watchdog;

use watch::Watch;

pub use activation::{Activated, ActivationRequest, ComparedModule};
pub use edition::Edition;

pub struct Deployment {
    /// The edition that new requests run on.
    pub current: ArcSwap<Edition>,
    pub database: Arc<Database>,
    pub gate: Arc<Gate>,
    pub limits: Limits,
    /// This host among those on the database.
    pub host: HostIdentity,
    /// Generations that were swapped out, by number, while requests that began on them are under way.
    left: Mutex<Vec<(u64, Weak<()>)>>,
    /// One change at a time on this host; among hosts the database decides.
    change_lock: tokio::sync::Mutex<()>,
    /// Why this host does not run the active generation, where it does not.
    trouble: Mutex<Option<String>>,
    /// The modules that run for the first ten minutes.
    watch: Mutex<Watch>,
    /// Whom this host trusts has changed since what runs was judged.
    unjudged: AtomicBool,
    /// Signals that another generation runs here, which is to be reported to the database.
    changed: Notify,
}

pub struct HostIdentity {
    pub id: Uuid,
    /// For people: the machine's name and the address that it listens on.
    pub name: String,
}

/// Why a change of what runs did not happen.
#[derive(Debug, thiserror::Error)]
pub enum DeploymentError {
    #[error("{0}")]
    Refusal(#[from] Refusal),
    #[error("there is no such {0}")]
    NotFound(&'static str),
    #[error("{0}")]
    Database(#[from] Error),
}

impl Deployment {
    pub fn new(
        edition: Edition,
        database: Arc<Database>,
        gate: Arc<Gate>,
        limits: Limits,
        host: HostIdentity,
    ) -> Deployment {
        Deployment {
            current: ArcSwap::from_pointee(edition),
            database,
            gate,
            limits,
            host,
            left: Mutex::default(),
            change_lock: tokio::sync::Mutex::default(),
            trouble: Mutex::default(),
            watch: Mutex::default(),
            unjudged: AtomicBool::new(false),
            changed: Notify::new(),
        }
    }

    /// Keeps up with the database in the background: with the active generation, backfills, indexes, committed events and timers. Each
    /// place has tasks of its own, so that one that does not answer delays no other.
    pub fn keep(self: &Arc<Self>, watchdog: &Watchdog) {
        let [follower, keeper, sender] = [self.clone(), self.clone(), self.clone()];
        watchdog.spawn("following", move |pulse| follower.clone().follow(pulse));
        watchdog.spawn("listeners", move |pulse| sender.clone().send_committed(pulse));
        for shard in self.database.shards() {
            let [upgrader, reindexer, timekeeper] = [self.clone(), self.clone(), self.clone()];
            watchdog.spawn("backfills", move |pulse| upgrader.clone().upgrade(shard, pulse));
            watchdog.spawn("indexes", move |pulse| reindexer.clone().reindex(shard, pulse));
            watchdog.spawn("timers", move |pulse| timekeeper.clone().run_timers(shard, pulse));
        }
        if !self.database.places().is_empty() {
            watchdog.spawn("tables of places", move |pulse| keeper.clone().keep_places(pulse));
        }
    }

    /// Puts an edition in place: requests that begin from now on run on it, those under way end on theirs.
    fn swap(&self, edition: Edition) {
        // The tables are others, whichever host changed them: the preparations for the old ones are made again.
        if edition.has_other_tables(&self.current.load()) {
            self.database.forget_statements();
        }
        if let Ok(mut left) = self.left.lock() {
            let current = self.current.load();
            left.push((current.number, Arc::downgrade(&current.presence)));
        }
        tracing::info!(generation = edition.number, "the generation changed");
        metrics::gauge!("stoa_generation").set(u32::try_from(edition.number).map_or(f64::MAX, f64::from));
        self.watch_on(Arc::new(edition));
        self.note(None);
        self.changed.notify_waiters();
    }

    /// The oldest generation on which a request is under way here; where none is, the current one.
    fn find_oldest_in_use(&self) -> u64 {
        let current = self.current.load().number;
        let Ok(mut left) = self.left.lock() else { return current };
        left.retain(|(_, presence)| presence.strong_count() > 0);
        left.iter().map(|(number, _)| *number).fold(current, u64::min)
    }

    fn note(&self, trouble: Option<String>) {
        if let Ok(mut slot) = self.trouble.lock() {
            if let (Some(what), true) = (&trouble, *slot != trouble) {
                tracing::error!(what, "this host does not run the active generation");
            }
            *slot = trouble;
        }
    }

    fn trouble(&self) -> Option<String> {
        self.trouble.lock().ok().and_then(|trouble| trouble.clone())
    }
}
