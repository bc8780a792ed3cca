//! The trial of a module that is watched: whom its failures hit. One failure counts for each caller, and only if the
//! version before does not fail the same request too: a single caller, or a request made to fail, chooses no version.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use uuid::Uuid;

use super::generation::Generation;
use super::module::{Module, Vetted};

/// So often a caller's failures are looked into, and of so many callers.
const CHECKS: u32 = 3;
const CALLERS: usize = 1_000;

pub struct Trial {
    /// The generation that a way back would lead to: asked whether it fails too. `None`: it cannot run here.
    pub before: Option<Arc<Generation>>,
    pub module: Arc<Vetted>,
    callers: Arc<Mutex<BTreeMap<Uuid, CallerChecks>>>,
    /// One request at a time is looked into: each costs as much as it did.
    pub check_lock: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct CallerChecks {
    times: u32,
    /// The company, once a failure of this caller counts.
    hit: Option<Uuid>,
}

impl Trial {
    pub fn new(before: Option<Arc<Generation>>, module: Arc<Vetted>) -> Trial {
        let (callers, check_lock) = Default::default();
        Trial { before, module, callers, check_lock }
    }

    /// The same trial, compared with another generation: other modules changed.
    pub fn with_before(&self, before: Option<Arc<Generation>>) -> Trial {
        let (module, callers) = (self.module.clone(), self.callers.clone());
        Trial { before, module, callers, check_lock: Default::default() }
    }

    /// Returns whether a failure of this caller is still looked into.
    pub fn may_check(&self, caller: Uuid) -> bool {
        self.callers.lock().is_ok_and(|callers| match callers.get(&caller) {
            Some(checks) => checks.hit.is_none() && checks.times < CHECKS,
            None => callers.len() < CALLERS,
        })
    }

    /// Counts a check: `hit` is the company, where only the new version fails.
    pub fn note_check(&self, caller: Uuid, hit: Option<Uuid>) {
        if let Ok(mut callers) = self.callers.lock() {
            let checks = callers.entry(caller).or_default();
            checks.times += 1;
            checks.hit = checks.hit.or(hit);
        }
    }

    /// Companies whose callers the module failed.
    pub fn count_companies(&self) -> usize {
        let count = |callers: &BTreeMap<Uuid, CallerChecks>| {
            callers.values().filter_map(|checks| checks.hit).collect::<BTreeSet<Uuid>>().len()
        };
        self.callers.lock().map_or(0, |callers| count(&callers))
    }
}

impl Generation {
    /// Takes note that a module on trial failed in work that no caller asked for, such as an event or a timer. It counts for the
    /// company, as a trap does where there is no version before: there is no request that another version could be asked.
    pub fn note_background_failure(&self, module: &Module, tenant: Uuid) {
        let trials = self.trials.load();
        let trial = trials.iter().find(|trial| Arc::ptr_eq(&trial.module, &module.vetted));
        if let Some(trial) = trial.filter(|trial| trial.may_check(tenant)) {
            trial.note_check(tenant, Some(tenant));
        }
    }
}
