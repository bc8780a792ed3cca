//! One call of a module: a fresh store and instance, the limits, the call, and the session back.
//!
//! An instance lives for one request. Reusing one would spare some ten microseconds and bring one tenant's leftovers to the
//! next. A trap ends the request: the store it happened in is never entered again.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use uuid::Uuid;
use wasmtime::{AsContextMut as _, Store, Trap, UpdateDeadline};

use super::generation::{Code, Generation};
use super::limits::{GuestClock, Limits, MemoryLimit};
use super::state::State;
use crate::database::{self, Session};
use crate::store::Scope;
use crate::wit::context::Facts;
use crate::wit::events::Event;
use crate::wit::module;

/// A guest that has run so long without a host call lets others run.
const STRETCH: Duration = Duration::from_millis(1);

/// Why a module gave no answer.
#[derive(Debug, Clone)]
pub enum Failure {
    /// The database ended the request: run it again or answer 503.
    Database(database::Error),
    /// Guest time is used up: 503.
    Deadline,
    /// A limit was passed: 500.
    Limit(String),
    /// A trap, or an answer that breaks the contract: 500. For the log.
    Fault(String),
    /// No instance could be had: 503.
    Exhausted,
}

/// What came of a call.
pub struct Ran<T> {
    /// `None` where it was lost.
    pub session: Option<Session>,
    pub emitted: Vec<(usize, Event)>,
    pub result: Result<T, Failure>,
    /// A store call failed: the request can only be refused.
    pub closed: bool,
}

/// What a request brings to its modules.
pub struct Entry {
    pub generation: Arc<Generation>,
    pub module: usize,
    pub session: Session,
    pub facts: Facts,
    pub read_only: bool,
    pub limits: Limits,
}

/// A module without a sandbox. It calls the host's interfaces on `State`, as a component does through the linker.
pub trait Native: Send + Sync {
    fn handle<'a>(
        &'a self,
        state: &'a mut State,
        call: &'a module::Call,
    ) -> BoxFuture<'a, wasmtime::Result<Result<module::Reply, module::Problem>>>;
}

pub async fn handle(entry: Entry, call: &module::Call) -> Ran<Result<module::Reply, module::Problem>> {
    let (code, mut state) = begin(entry);
    match code {
        None => end(state, Err(wasmtime::format_err!("no such module"))),
        Some(Code::Component(code)) => {
            let clock = state.clock.clone();
            let mut store = store(state);
            let run = async {
                let guest = code.instantiate_async(&mut store).await?;
                guest.commerce_platform_module().call_handle(&mut store, call).await
            };
            let result = clock.measure(run).await;
            end(store.into_data(), result)
        }
        Some(Code::Native(native)) => {
            let result = native.handle(&mut state, call).await;
            end(state, result)
        }
    }
}

pub async fn provision(entry: Entry, options: &str) -> Ran<Result<Vec<module::Created>, module::Problem>> {
    let (code, state) = begin(entry);
    let code = match code {
        Some(Code::Component(code)) => code,
        Some(Code::Native(_)) => return end(state, Ok(Ok(Vec::new()))),
        None => return end(state, Err(wasmtime::format_err!("no such module"))),
    };
    let clock = state.clock.clone();
    let mut store = store(state);
    let run = async {
        let guest = code.instantiate_async(&mut store).await?;
        guest.commerce_platform_module().call_provision(&mut store, options).await
    };
    let result = clock.measure(run).await;
    end(store.into_data(), result)
}

/// The module's steps of a company's checklist.
pub async fn checklist(entry: Entry) -> Ran<Vec<module::Step>> {
    let (code, state) = begin(entry);
    let code = match code {
        Some(Code::Component(code)) => code,
        Some(Code::Native(_)) => return end(state, Ok(Vec::new())),
        None => return end(state, Err(wasmtime::format_err!("no such module"))),
    };
    let clock = state.clock.clone();
    let mut store = store(state);
    let run = async {
        let guest = code.instantiate_async(&mut store).await?;
        guest.commerce_platform_module().call_checklist(&mut store).await
    };
    let result = clock.measure(run).await;
    end(store.into_data(), result)
}

/// One bounded batch of a module's own invariants.
pub async fn verify(entry: Entry, cursor: Option<&str>) -> Ran<module::Findings> {
    let (code, state) = begin(entry);
    let code = match code {
        Some(Code::Component(code)) => code,
        Some(Code::Native(_)) => return end(state, Ok(module::Findings { findings: Vec::new(), next: None })),
        None => return end(state, Err(wasmtime::format_err!("no such module"))),
    };
    let clock = state.clock.clone();
    let mut store = store(state);
    let run = async {
        let guest = code.instantiate_async(&mut store).await?;
        guest.commerce_platform_module().call_verify(&mut store, cursor).await
    };
    let result = clock.measure(run).await;
    end(store.into_data(), result)
}

fn begin(entry: Entry) -> (Option<Code>, State) {
    let Entry { generation, module, session, facts, read_only, limits } = entry;
    let code = generation.modules.get(module).map(|module| module.code.clone());
    let mut scope = Scope::new(Uuid::from_u64_pair(facts.tenant.0, facts.tenant.1), facts.now, read_only);
    scope.limits.calls = usize::try_from(limits.store_calls).unwrap_or(usize::MAX);
    scope.limits.rows = usize::try_from(limits.rows).unwrap_or(usize::MAX);
    let state = State {
        session: Some(session),
        scope,
        facts,
        stack: vec![module],
        instances: vec![None; generation.modules.len()],
        emitted: Vec::new(),
        limits,
        memory: MemoryLimit { limit: limits.memory, used: 0, exceeded: false },
        clock: GuestClock::default(),
        failure: None,
        generation,
    };
    (code, state)
}

fn end<T>(state: State, result: wasmtime::Result<T>) -> Ran<T> {
    let result = result.map_err(|error| classify(&state, &error));
    Ran { session: state.session, emitted: state.emitted, result, closed: state.scope.closed }
}

/// A store for one request, with its limits set.
fn store(state: State) -> Store<State> {
    let yields = matches!(state.session, Some(Session::Postgres(_)));
    let limits = state.limits;
    let mut store = Store::new(&state.generation.engine.clone(), state);
    store.limiter(|state| &mut state.memory);
    store.set_hostcall_fuel(limits.hostcall);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |mut context| {
        let mut context = context.as_context_mut();
        let state = context.data_mut();
        if state.clock.spent() >= state.limits.deadline {
            return Err(state.stop(Failure::Deadline));
        }
        // A database thread has nothing else to do; a worker of the runtime has. A tick that fell into a wait for the database
        // is no reason to stand aside: only a long stretch of the guest's own is.
        Ok(if yields && state.clock.stretch() >= STRETCH {
            UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now()))
        } else {
            UpdateDeadline::Continue(1)
        })
    });
    store
}

fn classify(state: &State, error: &wasmtime::Error) -> Failure {
    if let Some(failure) = &state.failure {
        return failure.clone();
    }
    if state.memory.exceeded {
        return Failure::Limit("memory".into());
    }
    if error.is::<wasmtime::PoolConcurrencyLimitError>() {
        return Failure::Exhausted;
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::Interrupt) => Failure::Deadline,
        _ => Failure::Fault(format!("{error:#}")),
    }
}
