//! The seam: every call to the host goes through here.
//!
//! In a component it is the generated imports. In a native build it is the host that `install` was given on this
//! thread: the benchmark puts a real store there, a unit test a double. Module code cannot distinguish them.

#[cfg(target_arch = "wasm32")]
mod instance;
#[cfg(not(target_arch = "wasm32"))]
mod native;

use std::rc::Rc;

use crate::bindings::commerce::platform::{context, events, log, store};
use crate::date::Date;
use crate::id::Id;
use crate::instant::Instant;

/// The host as a native program provides it.
#[cfg(not(target_arch = "wasm32"))]
pub trait Host {
    /// Runs store calls and returns one reply for each.
    fn run(&mut self, calls: &[store::Call]) -> Result<Vec<store::Reply>, store::Failure>;
    /// The facts that [`facts`] returns.
    fn facts(&mut self) -> context::Facts;
    /// Returns whether the caller holds a permission.
    fn holds(&mut self, permission: &str) -> bool;
    /// Ascending ids.
    fn new_ids(&mut self, count: u32) -> Vec<(u64, u64)>;
    /// Takes events for the outbox.
    fn emit(&mut self, events: &[events::Event]);
    /// Takes a line for the log.
    fn log(&mut self, level: log::Level, message: &str);
}

#[cfg(not(target_arch = "wasm32"))]
pub use native::{begin_request, install, keep_nothing};

/// Which request of this thread runs: always the same one in a component, whose instance lives for one.
pub(crate) fn request_in_thread() -> u64 {
    #[cfg(target_arch = "wasm32")]
    return 0;
    #[cfg(not(target_arch = "wasm32"))]
    native::request()
}

/// Returns whether a request may keep the rows that it read in memory.
pub(crate) fn keeps() -> bool {
    #[cfg(target_arch = "wasm32")]
    return true;
    #[cfg(not(target_arch = "wasm32"))]
    native::keeps()
}

/// For [`service!`](crate::service): the function has no stand-in.
#[doc(hidden)]
#[cfg(not(target_arch = "wasm32"))]
#[allow(clippy::panic, reason = "a test or benchmark that forgot to put something in the service's place")]
pub fn missing_stand_in(function: &str) -> ! {
    panic!("the service {function} has no stand-in on this thread")
}

pub(crate) fn run(calls: &[store::Call]) -> Result<Vec<store::Reply>, store::Failure> {
    #[cfg(target_arch = "wasm32")]
    return store::run(calls);
    #[cfg(not(target_arch = "wasm32"))]
    native::with(|host| host.run(calls))
}

/// Facts of the request, the same for every module that takes part in it. The host is asked once a request.
pub fn facts() -> Rc<context::Facts> {
    #[cfg(target_arch = "wasm32")]
    return instance::facts();
    #[cfg(not(target_arch = "wasm32"))]
    Rc::new(native::with(|host| host.facts()))
}

/// The one instant of this request.
pub fn now() -> Instant {
    Instant(facts().now)
}

/// The company, to show it.
pub fn tenant() -> Id {
    facts().tenant.into()
}

/// The company's calendar day.
pub fn today() -> Date {
    match facts().today.parse() {
        Ok(day) => day,
        Err(_) => fault("the host gave no day"),
    }
}

/// Returns whether the caller holds a permission, beyond those that the operation needs: for members that only some may read.
pub fn holds(permission: &str) -> bool {
    #[cfg(target_arch = "wasm32")]
    return context::holds(permission);
    #[cfg(not(target_arch = "wasm32"))]
    native::with(|host| host.holds(permission))
}

/// UUIDv7s, ascending.
pub fn new_ids(count: u32) -> Vec<Id> {
    (0..count).map(|_| new_id()).collect()
}

/// One new UUIDv7, above those that this module made before in the request. The host gives several at once.
pub fn new_id() -> Id {
    #[cfg(target_arch = "wasm32")]
    let id = instance::new_id();
    #[cfg(not(target_arch = "wasm32"))]
    let id = native::with(|host| host.new_ids(1)).first().copied();
    match id {
        Some(id) => id.into(),
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

/// Ends the call: a fault of this module or of the host, never of the caller. In a component it traps, and the host
/// rolls back and answers MODULE_FAILED. The log names the line of the caller; a function that ends so for its own
/// caller's fault is `#[track_caller]` too.
#[track_caller]
#[allow(clippy::panic, reason = "a trap is how a component ends a call")]
pub fn fault(message: &str) -> ! {
    panic!("{message}")
}

/// Ends the call of a service: its caller passed what the WIT of the service does not allow. The failure is the caller's, and the
/// host rolls back and answers MODULE_FAILED. `reason`: for the log, without what was passed.
#[track_caller]
pub fn reject_argument(reason: &str) -> ! {
    #[cfg(target_arch = "wasm32")]
    crate::bindings::commerce::platform::arguments::reject(reason);
    fault(reason)
}

/// Sends the message of a panic to the host's log before the trap, which by itself says nothing.
#[cfg(target_arch = "wasm32")]
pub(crate) fn tell_panics() {
    std::panic::set_hook(Box::new(|panic| log(log::Level::Error, &panic.to_string())));
}
