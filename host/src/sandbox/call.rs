//! One call of a module: a fresh store and instance, the limits, the call, and the session back.
//!
//! An instance lives for one request. Reusing one would spare some ten microseconds and bring one tenant's leftovers to the
//! next. A trap ends the request: the store it happened in is never entered again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use uuid::Uuid;
use wasmtime::{AsContextMut as _, Engine, Store, Trap, UpdateDeadline};

use super::facts::RequestFacts;
use super::failure::Failure;
use super::frames::describe_trap;
use super::limits::{Limits, Used};
use super::listeners::{self, ListenerRejection, TransactionListeners};
use super::module::Module;
use super::state::State;
use crate::database::Session;
use crate::store::Scope;
use crate::wit::events::Event;
use crate::wit::exports::commerce::platform::module::Guest as GuestModule;
use crate::wit::extension::{listener, timer};
use crate::wit::module;

/// A guest that has run so long without a host call lets others run.
const STRETCH: Duration = Duration::from_millis(1);
/// wasmtime's words where a list that crosses the boundary is larger than `Limits::hostcall`.
const OUT_OF_ARGUMENTS: &str = "fuel allocated for hostcalls has been exhausted";

/// The result of a call.
pub struct Ran<T> {
    /// `None` where it was lost.
    pub session: Option<Session>,
    /// With the module that emitted each.
    pub emitted: Vec<(Arc<Module>, Event)>,
    pub result: Result<T, Failure>,
    /// A listener that rejected what was done. The transaction must not be committed.
    pub refusal: Option<ListenerRejection>,
    /// The module whose failure it is: the one that was called, or one that it called.
    pub blamed: Arc<Module>,
    /// The extensions that took part.
    pub extensions: Vec<Arc<Module>>,
    /// True if rows were written or events emitted.
    pub has_changes: bool,
    pub used: Used,
}

/// The context that a request brings to its modules.
pub struct CallContext {
    pub module: Arc<Module>,
    pub session: Session,
    pub facts: RequestFacts,
    pub read_only: bool,
    pub limits: Limits,
    /// The modules that receive what is emitted, before the end of the transaction.
    pub listeners: Arc<TransactionListeners>,
}

pub async fn handle(entry: CallContext, call: &module::Call) -> Ran<Result<module::Reply, module::Problem>> {
    #[cfg(feature = "native-modules")]
    if let Some(native) = entry.module.native.clone() {
        let (module, mut state, began) = (entry.module.clone(), begin(entry, &call.operation), Instant::now());
        let result = native.handle(&mut state, call).await;
        return end(module, began, state, result.map(|answer| (answer, None)), Result::is_ok);
    }
    let operation = call.operation.as_str();
    ask(entry, operation, async |guest, store| guest.call_handle(store, call).await, Result::is_ok).await
}

pub async fn provision(entry: CallContext, options: &str) -> Ran<Result<Vec<module::Created>, module::Problem>> {
    ask(entry, "provision", async |guest, store| guest.call_provision(store, options).await, Result::is_ok).await
}

/// The module's steps of a company's checklist.
pub async fn checklist(entry: CallContext) -> Ran<Vec<module::Step>> {
    ask(entry, "checklist", async |guest, store| guest.call_checklist(store).await, |_| true).await
}

/// One bounded batch of a module's own invariants.
pub async fn verify(entry: CallContext, cursor: Option<&str>) -> Ran<module::Findings> {
    ask(entry, "verify", async |guest, store| guest.call_verify(store, cursor).await, |_| true).await
}

/// One bounded batch of a module's backfill; answers where the next begins.
pub async fn upgrade(
    entry: CallContext,
    from_version: &str,
    cursor: Option<&str>,
) -> Ran<Result<Option<String>, module::Problem>> {
    ask(entry, "upgrade", async |guest, store| guest.call_upgrade(store, from_version, cursor).await, Result::is_ok)
        .await
}

/// One event that was committed, for a module that receives its kind.
pub async fn receive(entry: CallContext, event: &listener::Event) -> Ran<Result<(), module::Problem>> {
    let operation = format!("receive {}", event.kind);
    ask_module(
        entry,
        &operation,
        async |module, store| {
            let indices = module.receives.as_ref().ok_or_else(lack_function)?;
            let instance = module.code.instance_pre().instantiate_async(&mut *store).await?;
            let guest = indices.load(&mut *store, &instance)?;
            guest.call_receive(store, listener::Moment::AfterCommit, event).await
        },
        Result::is_ok,
    )
    .await
}

/// One bounded batch of a timer's work for a window; answers where the next begins.
pub async fn run_timer(
    entry: CallContext,
    timer: &str,
    window: timer::Window,
    cursor: Option<&str>,
) -> Ran<Result<Option<String>, module::Problem>> {
    let operation = format!("timer {timer}");
    ask_module(
        entry,
        &operation,
        async |module, store| {
            let indices = module.timer.as_ref().ok_or_else(lack_function)?;
            let instance = module.code.instance_pre().instantiate_async(&mut *store).await?;
            let guest = indices.load(&mut *store, &instance)?;
            guest.call_run(store, timer, window, cursor).await
        },
        Result::is_ok,
    )
    .await
}

fn lack_function() -> wasmtime::Error {
    wasmtime::format_err!("the module exports no such function")
}

/// A fresh instance, one call of it, and what is left. `succeeds`: whether an answer would be committed.
async fn ask<T>(
    entry: CallContext,
    operation: &str,
    call: impl AsyncFnOnce(&GuestModule, &mut Store<State>) -> wasmtime::Result<T>,
    succeeds: fn(&T) -> bool,
) -> Ran<T> {
    let call = async move |module: &Arc<Module>, store: &mut Store<State>| {
        let guest = module.code.instantiate_async(&mut *store).await?;
        call(guest.commerce_platform_module(), store).await
    };
    ask_module(entry, operation, call, succeeds).await
}

/// The same of any function: `call` makes the instance.
async fn ask_module<T>(
    entry: CallContext,
    operation: &str,
    call: impl AsyncFnOnce(&Arc<Module>, &mut Store<State>) -> wasmtime::Result<T>,
    succeeds: fn(&T) -> bool,
) -> Ran<T> {
    let (module, listeners) = (entry.module.clone(), entry.listeners.clone());
    let (state, began) = (begin(entry, operation), Instant::now());
    let clock = state.clock.clone();
    let mut store = store(module.code.engine(), state);
    let answer = async {
        let answer = call(&module, &mut store).await?;
        let refusal = if succeeds(&answer) { listeners::notify(&mut store, &listeners).await? } else { None };
        Ok::<_, wasmtime::Error>((answer, refusal))
    };
    let result = clock.measure(answer).await;
    end(module, began, store.into_data(), result, succeeds)
}

/// `operation`: its id, or the name of the function that is not an operation.
fn begin(entry: CallContext, operation: &str) -> State {
    let CallContext { module, session, facts, read_only, limits, .. } = entry;
    let scope = make_scope(&facts, &limits, read_only);
    State { operation: operation.to_owned(), ..State::new(Some(session), scope, facts, module, limits) }
}

/// The scope of a request in the store.
pub fn make_scope(facts: &RequestFacts, limits: &Limits, read_only: bool) -> Scope {
    let mut scope = Scope::new(Uuid::from_u64_pair(facts.tenant.0, facts.tenant.1), facts.now, read_only);
    scope.instant_ms = facts.instant;
    scope.limits.calls = usize::try_from(limits.store_calls).unwrap_or(usize::MAX);
    scope.limits.rows = usize::try_from(limits.rows).unwrap_or(usize::MAX);
    scope
}

fn end<T>(
    module: Arc<Module>,
    began: Instant,
    mut state: State,
    result: wasmtime::Result<(T, Option<ListenerRejection>)>,
    succeeds: fn(&T) -> bool,
) -> Ran<T> {
    let (result, refusal) = match result {
        Err(error) => (Err(classify(&mut state, &error)), None),
        // The writes are rolled back, whatever the answer was.
        Ok((answer, Some(rejection))) => (Ok(answer), Some(rejection)),
        Ok((answer, None)) if succeeds(&answer) => (check_success(&mut state).map(|()| answer), None),
        Ok((answer, None)) => (Ok(answer), None),
    };
    let request = state.request();
    state.log.report_dropped(&state.operation, request);
    if let (Err(_), Some(point)) = (&result, &state.point) {
        state.operation = format!("{} at {point}", state.operation);
    }
    let result = result.map_err(|failure| failure.in_operation(&state.operation));
    if let Err(failure) = &result {
        state.source().write_failure(failure);
    }
    module.health.count_call(began.elapsed());
    let used = Used {
        guest_time: state.clock.time_spent(),
        memory: state.memory.used,
        store_calls: state.scope.calls,
        rows: state.scope.rows + state.scope.written,
        reported: state.reported,
    };
    Ran {
        session: state.session,
        emitted: state.emitted,
        result,
        refusal,
        extensions: state.extensions,
        has_changes: state.changes > 0,
        // A trap leaves the innermost module as the one that runs.
        blamed: state.running,
        used,
    }
}

/// Checks that a success may be committed: not after a failure of the store, and not after a service rejected a half-done write.
/// All that the request wrote is then rolled back, and the module that kept the refusal to itself has failed.
fn check_success(state: &mut State) -> Result<(), Failure> {
    if let Some(refused) = state.refused.take() {
        state.running = refused.caller;
        return Err(Failure::Fault(format!("it answered a success after {} had refused", refused.service)));
    }
    if state.scope.closed {
        return Err(Failure::Fault("it answered a success after a store failure".into()));
    }
    Ok(())
}

/// A store for one request, with its limits set.
fn store(engine: &Engine, state: State) -> Store<State> {
    let yields = matches!(state.session, Some(Session::Postgres(_)));
    let limits = state.limits;
    let mut store = Store::new(engine, state);
    store.limiter(|state| {
        state.memory.limit = state.limits.memory_after(state.scope.full_pages);
        &mut state.memory
    });
    store.set_hostcall_fuel(limits.hostcall);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |mut context| {
        let mut context = context.as_context_mut();
        let state = context.data_mut();
        let guest_time = state.limits.deadline_after(state.scope.rows + state.scope.written);
        if state.clock.time_spent() >= guest_time {
            return Err(state.stop(Failure::from_time("guest time", guest_time)));
        }
        state.check_share(0)?;
        if state.clock.age() >= state.limits.whole {
            return Err(state.stop(Failure::from_time("whole time", state.limits.whole)));
        }
        // A database thread has nothing else to do; a worker of the runtime has. A tick that fell into a wait for the database
        // is not a reason to give way: only a long stretch of the guest's own is.
        if !yields || state.clock.stretch() < STRETCH {
            return Ok(UpdateDeadline::Continue(1));
        }
        let permit = state.session.as_ref().and_then(Session::heavy_permit).cloned();
        let stand_aside = async move {
            tokio::task::yield_now().await;
            if let Some(permit) = permit {
                permit.take_slice().await;
            }
        };
        Ok(UpdateDeadline::YieldCustom(1, Box::pin(stand_aside)))
    });
    store
}

/// A limit that an extension passed is its failure, whichever of its services ran.
fn classify(state: &mut State, error: &wasmtime::Error) -> Failure {
    if let Some(failure) = &state.failure {
        return failure.clone();
    }
    if let Some(extension) = state.find_memory_culprit() {
        state.running = extension;
        return Failure::from_size("memory of an extension", state.limits.share_of_memory());
    }
    if state.memory.exceeded {
        return Failure::from_size("memory", state.memory.limit);
    }
    if error.is::<wasmtime::PoolConcurrencyLimitError>() {
        return Failure::Exhausted;
    }
    // wasmtime has no type for it.
    if error.root_cause().to_string().contains(OUT_OF_ARGUMENTS) {
        return Failure::from_size("arguments of one host call, or the answer", state.limits.hostcall);
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::Interrupt) => Failure::from_time("guest time", state.limits.deadline),
        _ => Failure::Fault(describe_trap(state, error)),
    }
}
