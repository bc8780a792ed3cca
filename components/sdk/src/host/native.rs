//! The host of a native program, one for each thread, and which of its requests runs.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};

use super::Host;

thread_local! {
    static HOST: RefCell<Option<Box<dyn Host>>> = const { RefCell::new(None) };
    static REQUEST: Cell<u64> = const { Cell::new(0) };
}

/// Begins a request of module code on this thread: values that were kept before are of another.
pub fn begin_request() {
    REQUEST.set(REQUEST.get() + 1);
}

static KEEPS: AtomicBool = AtomicBool::new(true);

/// Requests of this program keep nothing in memory from here on: for hosts that move one from thread to thread.
pub fn keep_nothing() {
    KEEPS.store(false, Ordering::Relaxed);
}

pub(super) fn keeps() -> bool {
    KEEPS.load(Ordering::Relaxed)
}

pub(super) fn request() -> u64 {
    REQUEST.get()
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
