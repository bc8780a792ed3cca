//! The trial of modules that were just made active: whom their failures hit. One failure counts for each caller, and only if the
//! version before does not fail the same request too: a single caller, or a request made to fail, chooses no version.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use uuid::Uuid;

use super::generation::Generation;
use super::module::Module;

/// So often a caller's failures are looked into, and of so many callers.
const CHECKS: u32 = 3;
const CALLERS: usize = 1_000;

pub struct Trial {
    /// The generation that a way back would lead to: asked whether it fails too.
    pub before: Arc<Generation>,
    /// Modules that `before` has not, or of other bytes.
    pub modules: Vec<Arc<Module>>,
    callers: Mutex<BTreeMap<Uuid, CallerChecks>>,
    /// One request at a time is looked into: each costs as much as it did.
    pub check_lock: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct CallerChecks {
    times: u32,
    /// The company and the module's name, once a failure of this caller counts.
    hit: Option<(Uuid, String)>,
}

impl Trial {
    /// `None`: nothing is new.
    pub fn new(before: Arc<Generation>, after: &Generation) -> Option<Arc<Trial>> {
        let is_new = |module: &&Arc<Module>| before.modules.iter().all(|old| old.digest != module.digest);
        let modules: Vec<Arc<Module>> = after.modules.iter().filter(is_new).cloned().collect();
        let (callers, check_lock) = Default::default();
        (!modules.is_empty()).then(|| Arc::new(Trial { before, modules, callers, check_lock }))
    }

    /// The module on trial that failed in this request.
    pub fn find_failed(&self, request: Uuid) -> Option<&Arc<Module>> {
        self.modules.iter().find(|module| module.health.has_failed(request))
    }

    /// Whether a failure of this caller is still looked into.
    pub fn may_check(&self, caller: Uuid) -> bool {
        self.callers.lock().is_ok_and(|callers| match callers.get(&caller) {
            Some(checks) => checks.hit.is_none() && checks.times < CHECKS,
            None => callers.len() < CALLERS,
        })
    }

    /// Looked into: `hit`, the company and the module, where the failure is the new version's alone.
    pub fn note_check(&self, caller: Uuid, hit: Option<(Uuid, &str)>) {
        if let Ok(mut callers) = self.callers.lock() {
            let checks = callers.entry(caller).or_default();
            checks.times += 1;
            checks.hit = checks.hit.take().or_else(|| hit.map(|(company, module)| (company, module.to_owned())));
        }
    }

    /// Companies whose callers a module failed.
    pub fn count_companies(&self, module: &str) -> usize {
        let count = |callers: &BTreeMap<Uuid, CallerChecks>| {
            let hits = callers.values().filter_map(|checks| checks.hit.as_ref());
            hits.filter(|(_, name)| name == module).map(|(company, _)| *company).collect::<BTreeSet<Uuid>>().len()
        };
        self.callers.lock().map_or(0, |callers| count(&callers))
    }
}
