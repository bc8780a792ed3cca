//! One call of a module: a fresh store and instance, the limits, the call, and the session back.
//!
//! An instance lives for one request. Reusing one would spare some ten microseconds and bring one tenant's leftovers to the
//! next. A trap ends the request: the store it happened in is never entered again.

use std::sync::Arc;

use uuid::Uuid;
use wasmtime::{AsContextMut as _, Store, Trap, UpdateDeadline};

use super::generation::Generation;
use super::limits::{GuestClock, Limits, MemoryLimit};
use super::state::State;
use crate::database::{self, Session};
use crate::store::Scope;
use crate::wit::context::Facts;
use crate::wit::events::Event;
use crate::wit::{GuestPre, module};

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

pub async fn handle(entry: Entry, call: &module::Call) -> Ran<Result<module::Reply, module::Problem>> {
    let (code, mut store) = match begin(entry) {
        Ok(begun) => begun,
        Err(ran) => return ran,
    };
    let clock = store.data().clock.clone();
    let run = async {
        let guest = code.instantiate_async(&mut store).await?;
        guest.commerce_platform_module().call_handle(&mut store, call).await
    };
    let result = clock.measure(run).await;
    end(store, result)
}

pub async fn provision(entry: Entry, options: &str) -> Ran<Result<Vec<module::Created>, module::Problem>> {
    let (code, mut store) = match begin(entry) {
        Ok(begun) => begun,
        Err(ran) => return ran,
    };
    let clock = store.data().clock.clone();
    let run = async {
        let guest = code.instantiate_async(&mut store).await?;
        guest.commerce_platform_module().call_provision(&mut store, options).await
    };
    let result = clock.measure(run).await;
    end(store, result)
}

fn begin<T>(entry: Entry) -> Result<(GuestPre<State>, Store<State>), Ran<T>> {
    let Entry { generation, module, session, facts, read_only, limits } = entry;
    let Some(code) = generation.modules.get(module).map(|module| module.code.clone()) else {
        let result = Err(Failure::Fault("no such module".into()));
        return Err(Ran { session: Some(session), emitted: Vec::new(), result, closed: false });
    };
    let mut store = store(&generation, session, facts, read_only, limits);
    store.data_mut().stack.push(module);
    Ok((code, store))
}

fn end<T>(store: Store<State>, result: wasmtime::Result<T>) -> Ran<T> {
    let state = store.into_data();
    let result = result.map_err(|error| classify(&state, &error));
    Ran { session: state.session, emitted: state.emitted, result, closed: state.scope.closed }
}

/// A store for one request, with its limits set.
fn store(
    generation: &Arc<Generation>,
    session: Session,
    facts: Facts,
    read_only: bool,
    limits: Limits,
) -> Store<State> {
    let yields = matches!(session, Session::Postgres(_));
    let count = generation.modules.len();
    let mut scope = Scope::new(Uuid::from_u64_pair(facts.tenant.0, facts.tenant.1), facts.now, read_only);
    scope.limits.calls = usize::try_from(limits.store_calls).unwrap_or(usize::MAX);
    scope.limits.rows = usize::try_from(limits.rows).unwrap_or(usize::MAX);
    let state = State {
        session: Some(session),
        scope,
        facts,
        stack: Vec::with_capacity(4),
        instances: vec![None; count],
        emitted: Vec::new(),
        limits,
        memory: MemoryLimit { limit: limits.memory, used: 0, exceeded: false },
        clock: GuestClock::new(),
        failure: None,
        generation: generation.clone(),
    };
    let mut store = Store::new(&generation.engine, state);
    store.limiter(|state| &mut state.memory);
    store.set_hostcall_fuel(limits.hostcall);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |mut context| {
        let mut context = context.as_context_mut();
        let state = context.data_mut();
        if state.clock.spent() >= state.limits.deadline {
            return Err(state.stop(Failure::Deadline));
        }
        // A database thread has nothing else to do; a worker of the runtime has.
        Ok(if yields {
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
