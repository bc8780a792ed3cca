//! Facts of the request that a module takes part in: facts to show, and answers to whether the caller holds a permission.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use super::draft_calls::DraftCalls;
use super::generation::Generation;
use crate::observe::trail::RequestTrail;
use crate::wit::context::Facts;

/// The facts of one request.
#[derive(Clone)]
pub struct RequestFacts {
    /// As modules get them. `now` is the company's clock.
    pub facts: Facts,
    /// The database's clock, milliseconds since 1970: new ids are made of it, whatever the company's clock says.
    pub instant: i64,
    pub permissions: Held,
    /// Facts for log lines and the trace.
    pub trail: Arc<RequestTrail>,
    /// Answers the store calls of a draft.
    pub draft_calls: Option<Arc<DraftCalls>>,
}

/// The permissions or scopes of a caller. Modules ask for one at a time, so that no list of them is copied.
#[derive(Clone)]
pub enum Held {
    /// The deployment's own.
    All,
    /// An owner's: those that the modules and the host declare.
    Declared(Arc<Generation>),
    These(Arc<BTreeSet<String>>),
}

impl Held {
    pub fn holds(&self, permission: &str) -> bool {
        match self {
            Held::All => true,
            Held::Declared(generation) => generation.permissions.contains_key(permission),
            Held::These(permissions) => permissions.contains(permission),
        }
    }
}

impl RequestFacts {
    /// The facts in a company whose clock is at `now`.
    pub fn at(mut self, now: i64, today: String) -> RequestFacts {
        (self.facts.now, self.facts.today) = (now, today);
        self
    }
}

impl Deref for RequestFacts {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.facts
    }
}
