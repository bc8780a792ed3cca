//! The record of a test that `cargo xtask test` reads: its name, its seconds, how it ended, and why it failed. A test
//! that passes its time limit ends the program, after it has said what was going on: libtest has no limit, and a test
//! that hangs would hold up the whole run.

use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::panic;
use std::path::Path;
use std::sync::Once;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Database, shared_hosts};

/// Names the file.
const FILE: &str = "STOA_TEST_RECORD";
/// Far beyond what the slowest test takes on a busy machine. `STOA_TEST_LIMIT` says otherwise, in seconds.
const LIMIT: Duration = Duration::from_secs(600);
/// Status of the program that a hanging test ended.
const HUNG: i32 = 86;
/// Characters of a failure's message that are recorded.
const LONGEST_FAULT: usize = 1_000;

thread_local! {
    /// The last panic of this thread.
    static FAULT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Has every panic noted for the record, in addition to what libtest prints of it.
fn note_panics() {
    static HOOKED: Once = Once::new();
    HOOKED.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |panicked| {
            let what = panicked.payload_as_str().unwrap_or_default();
            let place = panicked.location().map(ToString::to_string).unwrap_or_default();
            FAULT.set(format!("{place}: {what}").chars().take(LONGEST_FAULT).collect());
            print(panicked);
        }));
    });
}

/// A test that runs. When it is dropped, the test has ended.
pub struct Running {
    name: &'static str,
    begin: Instant,
    // Its end ends the watch.
    _ended: Sender<()>,
}

impl Running {
    /// `database`: whose shared host is shown if the test hangs.
    pub fn begin(name: &'static str, database: Option<Database>) -> Running {
        note_panics();
        let (ended, watched) = mpsc::channel();
        thread::spawn(move || {
            if watched.recv_timeout(limit()) == Err(RecvTimeoutError::Timeout) {
                end_program(name, database);
            }
        });
        Running { name, begin: Instant::now(), _ended: ended }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let (end, why) = if thread::panicking() { ("failed", FAULT.take()) } else { ("passed", String::new()) };
        note(self.name, self.begin.elapsed(), end, &why);
    }
}

/// Reports that a part of the suite cannot run on this machine, and why: past the harness, which would swallow it, and
/// in the record, of which `cargo xtask test` repeats it at its end.
pub fn tell_not_run(part: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "NOT RUN {part}: {why}");
    note(part, Duration::ZERO, "not run", why);
}

fn limit() -> Duration {
    let stated = std::env::var("STOA_TEST_LIMIT").ok().and_then(|text| text.parse().ok());
    stated.map_or(LIMIT, Duration::from_secs)
}

/// Appends a line in one write, so that lines of tests that end at once do not mix.
fn note(name: &str, took: Duration, end: &str, why: &str) {
    let Some(file) = std::env::var_os(FILE) else { return };
    let why = why.escape_debug();
    let line = format!("{name}\t{:.3}\t{end}\t{why}\n", took.as_secs_f64());
    let written =
        OpenOptions::new().create(true).append(true).open(file).and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        let _ = writeln!(std::io::stderr(), "the record of {name} cannot be written: {error}");
    }
}

#[allow(clippy::exit, reason = "nothing else ends a thread that hangs")]
fn end_program(name: &str, database: Option<Database>) {
    let log = database.map(shared_hosts::tail_of_shared).unwrap_or_default();
    let said = format!(
        "test {name} has run for {} s and is ended with the program\n--- threads of the suite ---\n{}--- shared host ---\n{log}\n",
        limit().as_secs(),
        threads(),
    );
    // Not `eprintln!`: that is captured, and would be lost.
    let _ = std::io::stderr().write_all(said.as_bytes());
    note(name, limit(), "hung", "");
    std::process::exit(HUNG);
}

/// Where the threads of this program wait in the kernel, one a line; nothing where the system does not say.
fn threads() -> String {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return String::new() };
    let line = |task: &Path| {
        let read = |file: &str| std::fs::read_to_string(task.join(file)).unwrap_or_default().trim().to_owned();
        format!("{}: {}\n", read("comm"), read("wchan"))
    };
    tasks.flatten().map(|task| line(&task.path())).collect()
}
