//! Power cuts: a host is killed and starts again while writers write, and each of them asks until it is answered. The caller
//! judges the final rows.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::parallel::SetOnDrop;
use crate::{Dice, Stoa, eventually};

/// Cuts of a usual run, and of a whole one.
const CUTS: (usize, usize) = (5, 25);

/// How often a test repeats what chance decides: `usual`, or `all` where `cargo xtask test --all` asks for it
/// (`STOA_TEST_ROUNDS=all`).
pub fn rounds(usual: usize, all: usize) -> usize {
    if std::env::var_os("STOA_TEST_ROUNDS").is_some_and(|rounds| rounds == "all") { all } else { usual }
}

/// Writers write, each with its number and dice. `written` counts what was answered; so many more are awaited before
/// each cut, and twice as many after the last.
pub fn survive(
    host: &Stoa,
    name: &str,
    writers: usize,
    between: i64,
    written: impl Fn() -> i64,
    write: impl Fn(usize, &mut Dice) + Sync,
) {
    let mut dice = Dice::new(name);
    let await_writes = |count: i64| {
        let wanted = written() + count;
        eventually(|| (written() >= wanted).then_some(()));
    };
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for writer in 0..writers {
            let (mut dice, write, over) = (dice.fork(), &write, &over);
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    write(writer, &mut dice);
                }
            });
        }
        // Also where a wait fails: else the writers would go on for ever.
        let _ends_the_writers = SetOnDrop(&over);
        for _ in 0..rounds(CUTS.0, CUTS.1) {
            await_writes(between);
            thread::sleep(Duration::from_millis(dice.between(0, 300)));
            host.kill9();
            host.restart();
        }
        await_writes(2 * between);
    });
}
