//! Real concurrency: threads that wait for each other at a barrier and then act at once.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::Answer;

/// Generous: the machine may be busy with the rest of the suite.
const PATIENCE: Duration = Duration::from_secs(20);
/// Two windows in a row are a chance of one burst in twelve at most.
const BURSTS: usize = 8;

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

/// Sets a flag when it is dropped, also where the other work fails: loops that end by the flag would go on for ever.
pub struct SetOnDrop<'a>(pub &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// The first value that `look` finds, within the time that work behind an answer may take.
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

/// The answers of a burst that fell into one window of a limit, as `x-ratelimit-reset` says. Where the minute ended
/// meanwhile the burst is made again: it brings a fresh caller each time.
#[track_caller]
pub fn in_one_window(burst: impl Fn() -> Vec<Answer>) -> Vec<Answer> {
    for _ in 0..BURSTS {
        let answers = burst();
        let windows: BTreeSet<&str> = answers.iter().filter_map(|answer| answer.header("x-ratelimit-reset")).collect();
        assert!(!windows.is_empty(), "no answer states the window of its limit");
        if windows.len() == 1 {
            return answers;
        }
    }
    panic!("{BURSTS} bursts took longer than a minute");
}
