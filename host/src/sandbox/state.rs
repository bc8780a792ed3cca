//! State that a request's guests share while they run: the session, the facts, what was emitted and used. It lives for one request.

use std::sync::Arc;

use uuid::Uuid;
use wasmtime::component::Instance;

use super::facts::RequestFacts;
use super::failure::Failure;
use super::journal::{LineBudget, Source};
use super::limits::{GuestClock, Limits, MemoryLimit};
use super::module::Module;
use super::ticks::Running;
use crate::database::Session;
use crate::store::Scope;
use crate::wit::events::Event;

pub struct State {
    /// Taken out while a store call runs on it.
    pub session: Option<Session>,
    pub scope: Scope,
    pub facts: RequestFacts,
    /// Operation id, or the name of the function that was called and is none.
    pub operation: String,
    /// The module that runs: the one that was called, or one that it called in turn.
    pub running: Arc<Module>,
    /// Instances of the providers that were called so far.
    pub instances: Vec<(Arc<Module>, Instance)>,
    /// With the module that emitted each.
    pub emitted: Vec<(Arc<Module>, Event)>,
    pub limits: Limits,
    pub memory: MemoryLimit,
    pub clock: GuestClock,
    pub running_guest: Running,
    /// Bytes said beside the answer so far.
    pub reported: usize,
    /// Lines that the guests may still log.
    pub log: LineBudget,
    /// The last line that a guest logged as an error: a panic says so before it traps.
    pub last_error: Option<(Arc<Module>, String)>,
    /// The last limit of the store that was passed, by its name.
    pub store_limit: Option<String>,
    /// Calls of the store that wrote, and calls that emitted.
    pub changes: u64,
    /// A service rejected its arguments: the failure is its caller's.
    pub arguments_rejected: bool,
    /// The last service that refused after a change: the request can only end in a problem.
    pub refused: Option<RefusedService>,
    /// Why the guest was stopped, where the host knows better than the trap tells.
    pub failure: Option<Failure>,
}

/// A service that refused after something under its call was written or emitted.
pub struct RefusedService {
    pub service: Arc<str>,
    /// The module that received the refusal, and has to pass it on.
    pub caller: Arc<Module>,
}

impl State {
    /// State of a request that has used nothing yet. `running`: the module that is called.
    pub fn new(
        session: Option<Session>,
        scope: Scope,
        facts: RequestFacts,
        running: Arc<Module>,
        limits: Limits,
    ) -> State {
        State {
            session,
            scope,
            facts,
            operation: String::new(),
            running,
            instances: Vec::new(),
            emitted: Vec::new(),
            limits,
            memory: MemoryLimit { limit: limits.memory, used: 0, exceeded: false },
            clock: GuestClock::default(),
            running_guest: Running::begin(),
            reported: 0,
            log: LineBudget::default(),
            last_error: None,
            store_limit: None,
            changes: 0,
            arguments_rejected: false,
            refused: None,
            failure: None,
        }
    }

    /// The request that its guests take part in.
    pub fn request(&self) -> Uuid {
        let (high, low) = self.facts.request;
        Uuid::from_u64_pair(high, low)
    }

    /// The author of what is logged now.
    pub fn source(&self) -> Source<'_> {
        Source { module: &self.running, operation: &self.operation, request: self.request() }
    }

    /// Counts what a guest says beside its answer: host memory, which no limit of its own memory bounds.
    pub fn tell(&mut self, bytes: usize) -> wasmtime::Result<()> {
        self.reported = self.reported.saturating_add(bytes);
        if self.reported > self.limits.reported {
            let most = self.limits.reported;
            return Err(self.stop(Failure::from_size("events of one request", most)));
        }
        Ok(())
    }

    /// Ends the request for this reason: the guest traps.
    pub fn stop(&mut self, failure: Failure) -> wasmtime::Error {
        let error = wasmtime::format_err!("stopped: {failure}");
        self.failure.get_or_insert(failure);
        error
    }
}
