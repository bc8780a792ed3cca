//! The clock by which guests are interrupted. It rests while no guest runs: a host without requests costs no
//! thousand wake-ups a second.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use wasmtime::EngineWeak;

/// How often the epoch advances, hence how late an endless loop can be noticed.
const TICK: Duration = Duration::from_millis(1);
/// Ticks without a guest after which a clock stops: the requests of a busy host start and stop none.
const IDLE: u32 = 100;
/// How late a clock at rest notices that its engine is gone.
const GONE: Duration = Duration::from_secs(1);

/// The guests of this process, whatever their engine.
static GUESTS: Guests =
    Guests { running: AtomicUsize::new(0), standing: AtomicUsize::new(0), gate: Mutex::new(()), wake: Condvar::new() };

struct Guests {
    running: AtomicUsize,
    /// Clocks that are at rest, or are about to be.
    standing: AtomicUsize,
    gate: Mutex<()>,
    wake: Condvar,
}

/// Held for as long as a guest may run.
pub struct Running(());

impl Running {
    pub fn begin() -> Running {
        // Either this sees a clock that is about to rest, or that sees this guest.
        if GUESTS.running.fetch_add(1, SeqCst) == 0 && GUESTS.standing.load(SeqCst) > 0 {
            drop(GUESTS.gate.lock());
            GUESTS.wake.notify_all();
        }
        Running(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        GUESTS.running.fetch_sub(1, SeqCst);
    }
}

/// Advances the epoch of an engine while guests run and the engine is there.
pub fn keep_ticking(engine: &EngineWeak) {
    let mut idle = 0;
    while let Some(engine) = engine.upgrade() {
        engine.increment_epoch();
        drop(engine);
        idle = if GUESTS.running.load(SeqCst) > 0 { 0 } else { idle + 1 };
        if idle > IDLE {
            stand();
        } else {
            std::thread::sleep(TICK);
        }
    }
}

/// Waits for a guest, for a while.
fn stand() {
    GUESTS.standing.fetch_add(1, SeqCst);
    if let Ok(gate) = GUESTS.gate.lock() {
        drop(GUESTS.wake.wait_timeout_while(gate, GONE, |()| GUESTS.running.load(SeqCst) == 0));
    }
    GUESTS.standing.fetch_sub(1, SeqCst);
}
