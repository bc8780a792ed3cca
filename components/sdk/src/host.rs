//! The seam: every call to the host goes through this file.
//!
//! In a component it is the generated imports. In a native build it is whatever `install` was given on this thread: the
//! benchmark puts a real store there, a unit test a double. Module code cannot tell them apart.

use crate::bindings::commerce::platform::{context, events, log, store};
use crate::id::Id;

/// The host as a native program provides it.
#[cfg(not(target_arch = "wasm32"))]
pub trait Host {
    /// # Errors
    /// The failures of the contract.
    fn run(&mut self, calls: &[store::Call]) -> Result<Vec<store::Reply>, store::Failure>;
    /// What [`facts`] answers.
    fn facts(&mut self) -> context::Facts;
    /// Ascending ids.
    fn new_ids(&mut self, count: u32) -> Vec<(u64, u64)>;
    /// Takes events for the outbox.
    fn emit(&mut self, events: &[events::Event]);
    /// Takes a line for the log.
    fn log(&mut self, level: log::Level, message: &str);
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::cell::RefCell;

    use super::Host;

    thread_local! {
        static HOST: RefCell<Option<Box<dyn Host>>> = const { RefCell::new(None) };
    }

    /// Makes this the host of module code that runs on this thread; answers the one before.
    // Never inlined: a host may suspend its caller and go on with it on another thread, whose slot is another.
    #[inline(never)]
    pub fn install(host: Option<Box<dyn Host>>) -> Option<Box<dyn Host>> {
        HOST.with_borrow_mut(|slot| std::mem::replace(slot, host))
    }

    /// The slot is empty during the call: a host that suspends its caller may meanwhile run other module code here.
    #[allow(clippy::panic, reason = "a test or benchmark that forgot to install its host")]
    pub(super) fn with<T>(call: impl FnOnce(&mut dyn Host) -> T) -> T {
        let Some(mut host) = install(None) else { panic!("no host is installed on this thread") };
        let answer = call(host.as_mut());
        install(Some(host));
        answer
    }
}

#[cfg(not(target_arch = "wasm32"))]
pub use native::install;

pub(crate) fn run(calls: &[store::Call]) -> Result<Vec<store::Reply>, store::Failure> {
    #[cfg(target_arch = "wasm32")]
    return store::run(calls);
    #[cfg(not(target_arch = "wasm32"))]
    native::with(|host| host.run(calls))
}

/// Facts of the request, the same for every module that takes part in it.
pub fn facts() -> context::Facts {
    #[cfg(target_arch = "wasm32")]
    return context::current();
    #[cfg(not(target_arch = "wasm32"))]
    native::with(|host| host.facts())
}

/// Ids that the host gives at once.
const MOST_IDS: u32 = 2_000;

/// UUIDv7s, ascending.
pub fn new_ids(count: u32) -> Vec<Id> {
    let mut ids = Vec::new();
    let mut left = count;
    while left > 0 {
        let some = left.min(MOST_IDS);
        #[cfg(target_arch = "wasm32")]
        ids.extend(context::new_ids(some).into_iter().map(Id::from));
        #[cfg(not(target_arch = "wasm32"))]
        ids.extend(native::with(|host| host.new_ids(some)).into_iter().map(Id::from));
        left -= some;
    }
    ids
}

/// One new UUIDv7.
pub fn new_id() -> Id {
    match new_ids(1).first() {
        Some(id) => *id,
        None => fault("the host gave no id"),
    }
}

pub(crate) fn emit(events: &[events::Event]) {
    #[cfg(target_arch = "wasm32")]
    events::emit(events);
    #[cfg(not(target_arch = "wasm32"))]
    native::with(|host| host.emit(events));
}

/// A line in the host's log; never anything that a caller typed.
pub fn log(level: log::Level, message: &str) {
    #[cfg(target_arch = "wasm32")]
    log::write(level, message);
    #[cfg(not(target_arch = "wasm32"))]
    native::with(|host| host.log(level, message));
}

/// Ends the call: a fault of this module or of the host, never of the caller. In a component it traps, and the host rolls
/// back and answers MODULE_FAILED.
#[allow(clippy::panic, reason = "a trap is how a component ends a call")]
pub fn fault(message: &str) -> ! {
    panic!("{message}")
}

/// Sends the message of a panic to the host's log before the trap, which by itself says nothing.
#[cfg(target_arch = "wasm32")]
pub(crate) fn tell_panics() {
    std::panic::set_hook(Box::new(|panic| log(log::Level::Error, &panic.to_string())));
}
