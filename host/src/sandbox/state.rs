//! What a request's guests share while they run: the session, the facts, what was emitted and used. It lives for one request.

use std::sync::Arc;

use wasmtime::component::Instance;

use super::call::Failure;
use super::generation::Generation;
use super::limits::{GuestClock, Limits, MemoryLimit};
use crate::database::Session;
use crate::store::Scope;
use crate::wit::context::Facts;
use crate::wit::events::Event;

pub struct State {
    /// Taken out while a store call runs on it.
    pub session: Option<Session>,
    pub generation: Arc<Generation>,
    pub scope: Scope,
    pub facts: Facts,
    /// The modules that are running, outermost first.
    pub stack: Vec<usize>,
    /// By module: a provider is instantiated at its first call.
    pub instances: Vec<Option<Instance>>,
    pub emitted: Vec<(usize, Event)>,
    pub limits: Limits,
    pub memory: MemoryLimit,
    pub clock: GuestClock,
    /// Why the guest was stopped, where the host knows better than the trap tells.
    pub failure: Option<Failure>,
}

impl State {
    /// The running module.
    pub fn module(&self) -> wasmtime::Result<usize> {
        self.stack.last().copied().ok_or_else(|| wasmtime::format_err!("no module is running"))
    }

    /// Ends the request for this reason: the guest traps.
    pub fn stop(&mut self, failure: Failure) -> wasmtime::Error {
        let error = wasmtime::format_err!("stopped: {failure:?}");
        self.failure.get_or_insert(failure);
        error
    }
}
