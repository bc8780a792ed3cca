//! The coroutine that a native module runs on, and what it may ask of the host.

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use stoa::sandbox::Module;
use stoa::sandbox::state::State;
use stoa::wit::{context, events, log, store};
use stoa_sdk::bindings::commerce::platform as sdk;
use stoa_sdk::bindings::exports::commerce::platform::module::Call;

use super::{Handle, convert};

/// Room for a module's deepest calls; pages that are never touched cost nothing.
const STACK: usize = 512 << 10;

/// A call to the host.
enum Ask {
    Run(Vec<store::Call>),
    Facts,
    Holds(String),
    Ids(u32),
    Emit(Vec<events::Event>),
    Log(log::Level, String),
    /// A service of this module is entered, and left.
    Enter(&'static str),
    Leave,
}

/// Its answer.
enum HostAnswer {
    Nothing,
    Replies(Result<Vec<store::Reply>, store::Failure>),
    Facts(context::Facts),
    Holds(bool),
    Ids(Vec<(u64, u64)>),
}

type Link = Yielder<HostAnswer, Ask>;

/// A suspended module. Stacks are used again, as the sandbox's are.
struct Guest(Option<Coroutine<HostAnswer, Ask, stoa_sdk::Answer, DefaultStack>>);

// SAFETY: the values on the stack of a suspended module were put there by module code, the SDK and the functions below. That is
// plain data (strings, vectors, ids) without a tie to a thread; the thread's own places are read again after every suspension,
// by functions that are never inlined.
unsafe impl Send for Guest {}

static STACKS: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

thread_local! {
    /// The coroutine that runs on this thread.
    static CURRENT: Cell<*const Link> = const { Cell::new(std::ptr::null()) };
}

#[inline(never)]
fn current() -> *const Link {
    CURRENT.get()
}

#[inline(never)]
fn set_current(link: *const Link) {
    CURRENT.set(link);
}

/// Suspends the running module until the host has answered.
fn ask(ask: Ask) -> HostAnswer {
    let link = current();
    assert!(!link.is_null(), "module code runs outside a call");
    // SAFETY: set by the coroutine that runs here, which lives until it returns.
    let reported = unsafe { &*link }.suspend(ask);
    // Perhaps on another thread by now.
    set_current(link);
    reported
}

/// The SDK's host, for whichever coroutine runs.
struct Seam;

impl stoa_sdk::host::Host for Seam {
    fn run(&mut self, calls: &[sdk::store::Call]) -> Result<Vec<sdk::store::Reply>, sdk::store::Failure> {
        match ask(Ask::Run(calls.iter().map(convert::store_call).collect())) {
            HostAnswer::Replies(Ok(replies)) => Ok(replies.into_iter().map(convert::store_reply).collect()),
            HostAnswer::Replies(Err(failure)) => Err(convert::failure(failure)),
            _ => stoa_sdk::host::fault("another answer than was asked for"),
        }
    }

    fn facts(&mut self) -> sdk::context::Facts {
        match ask(Ask::Facts) {
            HostAnswer::Facts(facts) => convert::facts(facts),
            _ => stoa_sdk::host::fault("another answer than was asked for"),
        }
    }

    fn holds(&mut self, permission: &str) -> bool {
        match ask(Ask::Holds(permission.to_owned())) {
            HostAnswer::Holds(holds) => holds,
            _ => stoa_sdk::host::fault("another answer than was asked for"),
        }
    }

    fn new_ids(&mut self, count: u32) -> Vec<(u64, u64)> {
        match ask(Ask::Ids(count)) {
            HostAnswer::Ids(ids) => ids,
            _ => stoa_sdk::host::fault("another answer than was asked for"),
        }
    }

    fn emit(&mut self, events: &[sdk::events::Event]) {
        ask(Ask::Emit(events.iter().map(convert::event).collect()));
    }

    fn log(&mut self, level: sdk::log::Level, message: &str) {
        ask(Ask::Log(convert::level(level), message.to_owned()));
    }
}

/// Links pricing's import to the catalog's function, on this thread: to be called by every thread that runs modules.
pub fn install_services() {
    // A coroutine may go on in another thread, whose memory is not its request's.
    stoa_sdk::host::keep_nothing();
    stoa_trade::clients::articles::service::stand_in::get_variants(|variants| {
        use catalog::bindings::exports::commerce::catalog::articles::Guest as _;
        ask(Ask::Enter("catalog"));
        let articles = catalog::services::Services::get_variants(variants.to_vec());
        ask(Ask::Leave);
        articles.into_iter().map(convert::article).collect()
    });
}

/// Runs a module to its answer.
pub async fn run(
    handle: Handle,
    call: Call,
    state: &mut State,
    providers: &[Arc<Module>],
) -> wasmtime::Result<stoa_sdk::Answer> {
    let mut callers = Vec::new();
    let stack = STACKS.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let stack = match stack {
        Some(stack) => stack,
        None => DefaultStack::new(STACK)?,
    };
    let coroutine = Coroutine::with_stack(stack, move |link: &Link, _begin| {
        set_current(link);
        stoa_sdk::host::install(Some(Box::new(Seam)));
        handle(&call)
    });
    let mut guest = Guest(Some(coroutine));
    let mut reported = HostAnswer::Nothing;
    loop {
        match guest.resume(reported) {
            CoroutineResult::Yield(ask) => reported = answer(state, ask, providers, &mut callers).await?,
            CoroutineResult::Return(answer) => return Ok(answer),
        }
    }
}

impl Guest {
    fn resume(&mut self, reported: HostAnswer) -> CoroutineResult<Ask, stoa_sdk::Answer> {
        match &mut self.0 {
            Some(coroutine) => coroutine.resume(reported),
            None => unreachable!("taken when the guest is dropped"),
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // One that is still suspended (a time-out, a failed host call) is unwound by its own drop, and its stack goes too.
        if let Some(coroutine) = self.0.take_if(|coroutine| coroutine.done()) {
            STACKS.lock().unwrap_or_else(PoisonError::into_inner).push(coroutine.into_stack());
        }
    }
}

/// The same functions that a component's imports lead to.
async fn answer(
    state: &mut State,
    ask: Ask,
    providers: &[Arc<Module>],
    callers: &mut Vec<Arc<Module>>,
) -> wasmtime::Result<HostAnswer> {
    Ok(match ask {
        Ask::Run(calls) => HostAnswer::Replies(store::Host::run(state, calls).await?),
        Ask::Facts => HostAnswer::Facts(context::Host::current(state).await?),
        Ask::Holds(permission) => HostAnswer::Holds(context::Host::holds(state, permission).await?),
        Ask::Ids(count) => HostAnswer::Ids(context::Host::new_ids(state, count).await?),
        Ask::Emit(emitted) => {
            events::Host::emit(state, emitted).await?;
            HostAnswer::Nothing
        }
        Ask::Log(level, message) => {
            log::Host::write(state, level, message).await?;
            HostAnswer::Nothing
        }
        Ask::Enter(name) => {
            let found = providers.iter().find(|module| module.name == name);
            let found = found.ok_or_else(|| wasmtime::format_err!("no module {name}"))?;
            callers.push(std::mem::replace(&mut state.running, found.clone()));
            HostAnswer::Nothing
        }
        Ask::Leave => {
            if let Some(caller) = callers.pop() {
                state.running = caller;
            }
            HostAnswer::Nothing
        }
    })
}
