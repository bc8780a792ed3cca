//! State that a request's guests share while they run: the session, the facts, what was emitted and used. It lives for
//! one request.

use std::sync::Arc;

use uuid::Uuid;
use wasmtime::component::Instance;

use super::facts::RequestFacts;
use super::failure::Failure;
use super::journal::{LineBudget, Source};
use super::limits::{GuestClock, LimitShare, Limits, MemoryLimit, OpenShare, ShareUse};
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
    /// Operation id, or the name of the function that was called and is not an operation.
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
    /// Bytes said in addition to the response so far.
    pub reported: usize,
    /// Lines that the guests may still log.
    pub log: LineBudget,
    /// The last line that a guest logged as an error: a panic says so before it traps.
    pub last_error: Option<(Arc<Module>, String)>,
    /// The last limit of the store that was passed, by its name.
    pub store_limit: Option<String>,
    /// Calls of the store that wrote, and calls that emitted.
    pub changes: u64,
    /// The extensions that took part so far, each once.
    pub extensions: Vec<Arc<Module>>,
    /// The point at which an extension failed.
    pub point: Option<Arc<str>>,
    /// The parts of the limits that extensions have used.
    pub shares: Vec<LimitShare>,
    /// The share of the extension that runs, with the services that it calls.
    pub share: Option<OpenShare>,
    /// A service rejected its arguments: the failure is its caller's.
    pub arguments_rejected: bool,
    /// The last service that refused after a change: the request can only end in a problem.
    pub refused: Option<RefusedService>,
    /// Why the guest was stopped, where the host knows more than the trap.
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
            memory: MemoryLimit::new(limits.memory),
            clock: GuestClock::default(),
            running_guest: Running::begin(),
            reported: 0,
            log: LineBudget::default(),
            last_error: None,
            store_limit: None,
            changes: 0,
            extensions: Vec::new(),
            point: None,
            shares: Vec::new(),
            share: None,
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

    /// Counts what a guest says in addition to its response: host memory, which no limit of its own memory bounds.
    pub fn tell(&mut self, bytes: usize) -> wasmtime::Result<()> {
        self.reported = self.reported.saturating_add(bytes);
        if self.reported > self.limits.reported {
            let most = self.limits.reported;
            return Err(self.stop(Failure::from_size("events of one request", most)));
        }
        Ok(())
    }

    /// Notes that an extension took part in the request.
    pub fn note_extension(&mut self, extension: &Arc<Module>) {
        if !self.extensions.iter().any(|known| Arc::ptr_eq(known, extension)) {
            self.extensions.push(extension.clone());
        }
    }

    /// The use of the limits by all modules of the request so far.
    fn read_use(&self) -> ShareUse {
        ShareUse {
            time: self.clock.time_spent(),
            memory: self.memory.used,
            calls: self.scope.calls,
            rows: self.scope.rows + self.scope.written,
        }
    }

    /// Begins a call of an extension by its share of the limits. Returns the share of the extension around it, for `end_share`.
    pub fn begin_share(&mut self, extension: &Arc<Module>) -> Option<OpenShare> {
        let known = self.shares.iter().position(|share| Arc::ptr_eq(&share.module, extension));
        let index = known.unwrap_or_else(|| {
            self.shares.push(LimitShare { module: extension.clone(), used: ShareUse::default() });
            self.shares.len() - 1
        });
        let used = self.shares.get(index).map_or(0, |share| share.used.memory);
        let left = self.limits.share_of_memory().saturating_sub(used);
        let until = self.memory.used.saturating_add(left).min(self.memory.until);
        self.memory.until = until;
        let open = OpenShare { index, entry: self.read_use(), until };
        self.share.replace(open)
    }

    /// Ends it: the extension has used what the request used meanwhile.
    pub fn end_share(&mut self, outer: Option<OpenShare>) {
        let used = self.share_use();
        if let Some(share) = self.share.as_ref().and_then(|open| self.shares.get_mut(open.index)) {
            share.used = used;
        }
        self.memory.until = outer.as_ref().map_or(usize::MAX, |outer| outer.until);
        self.share = outer;
    }

    /// The use of the limits by the extension that runs, in all its calls of this request.
    pub fn share_use(&self) -> ShareUse {
        let open = self.share.as_ref().and_then(|open| Some((open, self.shares.get(open.index)?)));
        open.map_or_else(ShareUse::default, |(open, share)| share.used.with(self.read_use().since(open.entry)))
    }

    /// Ends the request if the extension that runs has used its share of a limit. `calls`: of the store, which it is
    /// about to make.
    pub fn check_share(&mut self, calls: usize) -> wasmtime::Result<()> {
        let Some(open) = &self.share else { return Ok(()) };
        let Some(module) = self.shares.get(open.index).map(|share| share.module.clone()) else { return Ok(()) };
        let used = self.share_use();
        let used = ShareUse { calls: used.calls.saturating_add(calls), ..used };
        match self.limits.find_excess_of_share(&used) {
            Some(failure) => {
                self.running = module;
                Err(self.stop(failure))
            }
            None => Ok(()),
        }
    }

    /// The extension whose share of the memory a guest passed.
    pub fn find_memory_culprit(&self) -> Option<Arc<Module>> {
        let open = self.share.as_ref().filter(|_| self.memory.share_exceeded)?;
        self.shares.get(open.index).map(|share| share.module.clone())
    }

    /// Ends the request for this reason: the guest traps.
    pub fn stop(&mut self, failure: Failure) -> wasmtime::Error {
        let error = wasmtime::format_err!("stopped: {failure}");
        self.failure.get_or_insert(failure);
        error
    }
}
