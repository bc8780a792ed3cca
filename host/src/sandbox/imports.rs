//! The host's side of the contract: what a module's calls to `store`, `context`, `events` and `log` do.

use super::failure::Failure;
use super::journal::{LONGEST_LINE, flatten_text};
use super::module::Module;
use super::state::State;
use crate::database::Session;
use crate::observe::trace::Attributes;
use crate::store::{self, StoreError};
use crate::wit::{arguments, context, events, log, store as wit};

/// Most ids of one call.
const MOST_IDS: u32 = 2_000;
/// Most events of one request.
const MOST_EVENTS: usize = 4_000;
/// Calls of one batch that a trace lists.
const MOST_TOLD: usize = 32;
/// The part of an unknown name that the log shows.
const LONGEST_UNKNOWN: usize = 128;

impl wit::Host for State {
    async fn run(&mut self, calls: Vec<wit::Call>) -> wasmtime::Result<Result<Vec<wit::Reply>, wit::Failure>> {
        self.clock.enter_host();
        let answer = run(self, calls).await;
        self.clock.leave_host();
        answer
    }
}

async fn run(state: &mut State, calls: Vec<wit::Call>) -> wasmtime::Result<Result<Vec<wit::Reply>, wit::Failure>> {
    if state.clock.age() >= state.limits.whole {
        return Err(state.stop(Failure::from_time("whole time", state.limits.whole)));
    }
    state.check_share(calls.len())?;
    let module = state.running.clone();
    let Some(mut session) = state.session.take() else {
        return Err(state.stop(Failure::Fault("the store was called outside a request".into())));
    };
    // On SQLite the thread is the request's, and so is its time. A wait for PostgreSQL is a wait for others too.
    let writes = calls.iter().any(store::is_write);
    state.scope.time = matches!(session, Session::Sqlite(_))
        .then(|| state.limits.call_time_left(state.clock.host_time_spent(), state.clock.age(), state.scope.written));
    let span = state.facts.trail.enter(|| ("store".to_owned(), describe_calls(&module, &session, &calls)));
    let (rows, round_trips) = (state.scope.rows + state.scope.written, state.scope.round_trips);
    let answer = match &state.facts.draft_calls {
        Some(draft_calls) => draft_calls.run(&mut session, &module, &mut state.scope, calls).await,
        None => store::run(&mut session, &module.schema, &mut state.scope, calls).await,
    };
    if let Some(span) = span {
        span.set("stoa.rows", state.scope.rows + state.scope.written - rows);
        if matches!(session, Session::Postgres(_)) {
            span.set("stoa.round_trips", (state.scope.round_trips - round_trips) as usize);
        }
    }
    if let Some(time) = state.scope.time.take() {
        state.clock.add_read_time(time.read);
    }
    state.session = Some(session);
    state.changes += u64::from(writes && answer.is_ok());
    state.check_share(0)?;
    match answer {
        Ok(replies) => Ok(Ok(replies)),
        Err(StoreError::Failure(failure)) => {
            match &failure {
                wit::Failure::Misuse(what) => {
                    let (name, operation) = (&module.name, &state.operation);
                    tracing::warn!(module = name, operation, what, "a module misused the store");
                }
                wit::Failure::Limit(what) => state.store_limit = Some(what.clone()),
                _ => {}
            }
            Ok(Err(failure))
        }
        Err(StoreError::OutOfTime) => Err(state.stop(Failure::from_time("time of store calls", state.limits.host))),
        Err(StoreError::LimitAgain) => {
            let passed = state.store_limit.as_deref().unwrap_or("a limit of the store");
            Err(state.stop(Failure::Limit(format!("{passed}, for the third time"))))
        }
        Err(StoreError::Database(error)) => Err(state.stop(Failure::Database(error))),
    }
}

/// A batch for a trace: what is called of which collection. A name that the module does not declare is not repeated,
/// since it may be anything.
fn describe_calls(module: &Module, session: &Session, calls: &[wit::Call]) -> Attributes {
    let statement = |call: &wit::Call| {
        let (verb, collection) = match call {
            wit::Call::Get(call) => ("get", &call.ask.collection),
            wit::Call::Find(call) => ("find", &call.ask.collection),
            wit::Call::Select(call) => ("select", &call.ask.collection),
            wit::Call::Aggregate(call) => ("aggregate", &call.collection),
            wit::Call::Insert(call) => ("insert", &call.collection),
            wit::Call::Update(call) => ("update", &call.collection),
            wit::Call::Lock(_) => return "lock".to_owned(),
            wit::Call::Number(_) => return "number".to_owned(),
        };
        let is_declared = module.schema.has_collection(collection);
        format!("{verb} {}", if is_declared { collection.as_str() } else { "?" })
    };
    let database = match session {
        Session::Sqlite(_) => "sqlite",
        Session::Postgres(_) => "postgresql",
    };
    let most = calls.get(..MOST_TOLD).unwrap_or(calls);
    let statements: Vec<String> = most.iter().map(statement).collect();
    vec![
        ("db.system.name", database.into()),
        ("stoa.module", module.name.clone().into()),
        ("stoa.calls", calls.len().into()),
        ("stoa.statements", statements.join(", ").into()),
    ]
}

impl context::Host for State {
    async fn current(&mut self) -> wasmtime::Result<context::Facts> {
        Ok(self.facts.facts.clone())
    }

    async fn holds(&mut self, permission: String) -> wasmtime::Result<bool> {
        Ok(self.facts.permissions.holds(&permission))
    }

    async fn new_ids(&mut self, count: u32) -> wasmtime::Result<Vec<(u64, u64)>> {
        if count > MOST_IDS {
            return Err(self.stop(Failure::from_limit("ids of one call", MOST_IDS)));
        }
        Ok((0..count).map(|_| self.scope.new_id().as_u64_pair()).collect())
    }
}

impl events::Host for State {
    async fn emit(&mut self, emitted: Vec<events::Event>) -> wasmtime::Result<()> {
        let module = self.running.clone();
        if self.scope.read_only {
            return Err(self.stop(Failure::Fault("a read emitted an event".into())));
        }
        self.changes += u64::from(!emitted.is_empty());
        for event in emitted {
            let Some(kind) = module.events.get(&event.kind) else {
                let kind: String = event.kind.chars().take(LONGEST_UNKNOWN).collect();
                return Err(
                    self.stop(Failure::Fault(format!("the event {kind:?}, which the descriptor does not declare")))
                );
            };
            if let Err(why) = module.judge.event(&module.descriptor, kind, &event) {
                return Err(self.stop(Failure::Fault(why)));
            }
            self.tell(event.kind.len() + event.resource_type.len() + event.data.len())?;
            if self.emitted.len() >= MOST_EVENTS {
                return Err(self.stop(Failure::from_limit("events of one request", MOST_EVENTS)));
            }
            match self
                .emitted
                .iter_mut()
                .find(|(_, earlier)| earlier.resource == event.resource && earlier.kind == event.kind)
            {
                Some((_, earlier)) => *earlier = event,
                None => self.emitted.push((module.clone(), event)),
            }
        }
        Ok(())
    }
}

impl arguments::Host for State {
    async fn reject(&mut self, reason: String) -> wasmtime::Result<()> {
        self.arguments_rejected = true;
        let reason: String = reason.chars().take(LONGEST_LINE).collect();
        Err(self.stop(Failure::Fault(format!("{} rejected an argument: {reason:?}", self.running.name))))
    }
}

impl log::Host for State {
    async fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        let line = flatten_text(&message, LONGEST_LINE);
        if matches!(level, log::Level::Error) {
            self.last_error = Some((self.running.clone(), line.clone()));
        }
        if self.log.take(&self.running, line.len()) {
            self.source().write_line(level, line);
        }
        Ok(())
    }
}

impl crate::wit::commerce::platform::ids::Host for State {}
impl crate::wit::commerce::platform::problems::Host for State {}
