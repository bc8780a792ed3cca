//! The wall clock of what runs on SQLite's threads. A statement has no time limit of its own there: a thread of this clock looks
//! at each connection and interrupts what runs beyond its time, until the job has ended.
//!
//! An interrupted read leaves the transaction as it was; after an interrupted write SQLite rolls back the whole
//! transaction, and every request that ran in it gets a 503.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, InterruptHandle};

use super::super::QueueKey;
use crate::watchdog;

/// How often the clock looks.
const TICK: Duration = Duration::from_millis(20);

/// The clock of one database. It ends with the last who holds it: each thread that it watches does until its own end.
pub struct Stopwatch {
    watched: Mutex<Vec<Weak<Watched>>>,
}

/// The watched work of one thread.
#[derive(Default)]
struct Watched(Mutex<Running>);

#[derive(Default)]
struct Running {
    handle: Option<InterruptHandle>,
    /// The job's key, and when it began.
    begun: Option<(QueueKey, Instant)>,
    /// When the job must have ended.
    job: Option<Instant>,
    /// When what the job does now must have ended, where that is earlier.
    part: Option<Instant>,
}

impl Watched {
    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

thread_local! {
    static OWN: RefCell<Option<Arc<Watched>>> = const { RefCell::new(None) };
}

impl Stopwatch {
    pub fn start() -> std::io::Result<(Arc<Stopwatch>, JoinHandle<()>)> {
        let clock = Arc::new(Stopwatch { watched: Mutex::default() });
        let thread_clock = clock.clone();
        let thread = watchdog::spawn_vital_thread("stoa-clock", move || {
            // A thread may come and go between two looks, as that of a command does: whom the clock has seen says nothing.
            while Arc::strong_count(&thread_clock) > 1 {
                std::thread::sleep(TICK);
                let mut watched = thread_clock.watched.lock().unwrap_or_else(PoisonError::into_inner);
                watched.retain(|watched| watched.upgrade().inspect(|watched| watched.look(Instant::now())).is_some());
            }
        })?;
        Ok((clock, thread))
    }

    /// Has the clock watch this thread, until it ends.
    pub fn watch_this_thread(&self) {
        let watched = Arc::new(Watched::default());
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&watched));
        OWN.with(|slot| slot.replace(Some(watched)));
    }

    /// Keys of the jobs that have run this long.
    pub fn find_running(&self, age: Duration) -> Vec<QueueKey> {
        self.clocks().iter().filter_map(|watched| watched.lock().key_of_age(age)).collect()
    }

    /// The time of the jobs that have run this long is over.
    pub fn end_jobs(&self, age: Duration) {
        for watched in self.clocks() {
            let mut running = watched.lock();
            if running.job.is_some() && running.key_of_age(age).is_some() {
                running.job = Some(Instant::now());
            }
        }
    }

    fn clocks(&self) -> Vec<Arc<Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect()
    }
}

impl Running {
    fn key_of_age(&self, age: Duration) -> Option<QueueKey> {
        self.begun.filter(|(_, begun)| begun.elapsed() >= age).map(|(key, _)| key)
    }
}

impl Watched {
    fn look(&self, now: Instant) {
        let running = self.lock();
        let until = running.job.into_iter().chain(running.part).min();
        if let (Some(handle), true) = (&running.handle, until.is_some_and(|until| until <= now)) {
            handle.interrupt();
        }
    }
}

fn change(change: impl FnOnce(&mut Running)) {
    OWN.with_borrow(|slot| {
        if let Some(watched) = slot {
            change(&mut watched.lock());
        }
    });
}

/// A job begins on this thread's connection. Once `end` has returned, nothing is interrupted any more.
pub fn begin(connection: &Connection, key: QueueKey, until: Instant) {
    let handle = connection.get_interrupt_handle();
    let begun = Some((key, Instant::now()));
    change(|running| *running = Running { handle: Some(handle), begun, job: Some(until), part: None });
}

pub fn end() {
    change(|running| *running = Running::default());
}

/// Returns whether the time of this thread's job is over.
pub fn is_over() -> bool {
    OWN.with_borrow(|slot| slot.as_ref().and_then(|watched| watched.lock().job))
        .is_some_and(|until| until <= Instant::now())
}

/// The job goes on as long as it takes: the time to change tables grows with the data, and no caller of the API can start it.
pub fn lift() {
    change(|running| running.job = None);
}

/// Limits the current part of this thread's job to this time. `None`: the job's own limit.
pub fn limit_part(time: Option<Duration>) {
    change(|running| running.part = time.map(|time| Instant::now() + time));
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDLESS: &str =
        "with recursive n(n) as (select 1 union all select n + 1 from n) select count(*) from n where n < 0";

    fn run_endless(connection: &Connection) -> Duration {
        let began = Instant::now();
        let error = connection.query_row(ENDLESS, [], |row| row.get::<_, i64>(0)).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::OperationInterrupted));
        began.elapsed()
    }

    #[test]
    fn a_thread_that_ends_before_it_was_looked_at_holds_up_nobody() {
        let (clock, thread) = Stopwatch::start().unwrap();
        std::thread::spawn(move || clock.watch_this_thread()).join().unwrap();
        let begin = Instant::now();
        while !thread.is_finished() {
            assert!(begin.elapsed() < Duration::from_secs(30), "the clock goes on without a watcher");
            std::thread::sleep(TICK);
        }
    }

    #[test]
    fn what_runs_beyond_its_time_is_interrupted_and_nothing_after_it() {
        let (clock, thread) = Stopwatch::start().unwrap();
        std::thread::spawn(move || {
            clock.watch_this_thread();
            let connection = Connection::open_in_memory().unwrap();
            begin(&connection, QueueKey::Global, Instant::now() + Duration::from_millis(100));
            assert!(run_endless(&connection) >= Duration::from_millis(99));
            // A further try is interrupted too.
            assert!(run_endless(&connection) < Duration::from_secs(5));
            end();
            std::thread::sleep(TICK * 3);
            connection.query_row("select 1", [], |_| Ok(())).unwrap();
            // A part is shorter than its job, and the job goes on after it.
            begin(&connection, QueueKey::Global, Instant::now() + Duration::from_secs(60));
            limit_part(Some(Duration::from_millis(50)));
            assert!(run_endless(&connection) < Duration::from_secs(5));
            limit_part(None);
            std::thread::sleep(TICK * 3);
            connection.query_row("select 1", [], |_| Ok(())).unwrap();
            // Making tables has no time limit.
            begin(&connection, QueueKey::Global, Instant::now());
            lift();
            std::thread::sleep(TICK * 3);
            connection.query_row("select 1", [], |_| Ok(())).unwrap();
            // A job of a certain age ends before its time.
            begin(&connection, QueueKey::Global, Instant::now() + Duration::from_secs(60));
            assert_eq!(clock.find_running(Duration::ZERO), [QueueKey::Global]);
            assert_eq!(clock.find_running(Duration::from_secs(60)), []);
            clock.end_jobs(Duration::from_secs(60));
            std::thread::sleep(TICK * 3);
            connection.query_row("select 1", [], |_| Ok(())).unwrap();
            clock.end_jobs(Duration::ZERO);
            assert!(run_endless(&connection) < Duration::from_secs(5));
            end();
            assert_eq!(clock.find_running(Duration::ZERO), []);
        })
        .join()
        .unwrap();
        thread.join().unwrap();
    }
}
