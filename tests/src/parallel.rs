//! Real concurrency: threads that wait for each other at a barrier and then act at once.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Generous: the machine may be busy with the rest of the suite.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs `act(0..n)` on `n` threads that start together; the results in order of the index.
pub fn at_once<T: Send>(n: usize, act: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let barrier = Barrier::new(n);
    let (act, barrier) = (&act, &barrier);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..n)
            .map(|index| {
                scope.spawn(move || {
                    barrier.wait();
                    act(index)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread of the test panicked")).collect()
    })
}

/// What `look` finds once it finds something, within the time that what happens behind an answer may take.
#[track_caller]
pub fn eventually<T>(look: impl FnMut() -> Option<T>) -> T {
    eventually_within(PATIENCE, look)
}

/// As `eventually`, for what takes as long as there is much of it.
#[track_caller]
pub fn eventually_within<T>(patience: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < patience, "it has not happened");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Waits until this many seconds of the minute are ahead, for a burst to fall into one window of a limit.
pub fn room_in_this_minute(wanted: u64) {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let left = 60 - seconds % 60;
    if left < wanted {
        thread::sleep(Duration::from_secs(left) + Duration::from_millis(300));
    }
}
