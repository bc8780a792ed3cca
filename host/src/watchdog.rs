//! Tasks in the background, watched: one that finishes no round for half a minute makes the host not ready and is restarted;
//! where it does not even let itself be stopped, the process ends, so that its supervisor starts another.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, FutureExt as _};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::log_writer;

/// How long a round may take.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks at all tasks.
const LOOK: Duration = Duration::from_secs(1);

/// The sign of life of a task.
#[derive(Clone)]
pub struct Pulse(Arc<Mutex<Option<Instant>>>);

impl Pulse {
    /// The first round begins now.
    pub fn start() -> Pulse {
        Pulse(Arc::new(Mutex::new(Some(Instant::now() + PATIENCE))))
    }

    /// A round is finished, and the next one begins.
    pub fn beat(&self) {
        *lock(&self.0) = Some(Instant::now() + PATIENCE);
    }

    /// Until the next beat the watchdog does not wait: for work that has no end of its own, such as a queue, and what
    /// has another bound.
    pub fn excuse(&self) {
        *lock(&self.0) = None;
    }

    /// A round is finished, and the next one begins after a pause.
    pub async fn rest(&self, pause: Duration) {
        self.excuse();
        tokio::time::sleep(pause).await;
        self.beat();
    }

    /// A round begins where none was waited for; one that is late stays late until it is finished.
    fn begin_round(&self, now: Instant) {
        lock(&self.0).get_or_insert(now + PATIENCE);
    }

    fn is_late(&self, now: Instant) -> bool {
        lock(&self.0).is_some_and(|due| now > due)
    }
}

/// Starts a thread without which the host cannot work. If it panics, the process ends, so that its supervisor starts
/// another: a host whose writer is gone would never answer a write. Nothing more is logged here, since the log may be
/// the cause; the panic's own line is in it.
///
/// # Errors
/// The system has no thread left for it.
pub fn spawn_vital_thread(
    name: impl Into<String>,
    work: impl FnOnce() + Send + 'static,
) -> std::io::Result<std::thread::JoinHandle<()>> {
    std::thread::Builder::new().name(name.into()).spawn(move || {
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            abort();
        }
    })
}

/// The same for a task that no watchdog restarts.
pub fn spawn_vital_task(work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(async move {
        if AssertUnwindSafe(work).catch_unwind().await.is_err() {
            abort();
        }
    })
}

/// Ends the process once the log has the reason, or takes nothing.
fn abort() -> ! {
    log_writer::finish();
    std::process::abort();
}

type Begin = Box<dyn Fn(Pulse) -> BoxFuture<'static, ()> + Send + Sync>;

struct Task {
    name: &'static str,
    pulse: Pulse,
    begin: Begin,
    running: JoinHandle<()>,
    began: Instant,
    stopped: Option<Instant>,
}

/// The result of a look at a task.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// It goes on, or was restarted.
    Runs,
    /// It came to its end.
    Done,
    /// It did not stop when asked.
    Stuck,
}

impl Task {
    fn look(&mut self, handle: &Handle, now: Instant) -> Found {
        if self.running.is_finished() {
            let ended = (&mut self.running).now_or_never();
            if matches!(ended, Some(Ok(()))) {
                return Found::Done;
            }
            tracing::error!(task = self.name, "a task in the background failed and is started again");
            metrics::counter!("stoa_background_restarts_total", "task" => self.name).increment(1);
            self.pulse.begin_round(now);
            self.running = handle.spawn((self.begin)(self.pulse.clone()));
            (self.began, self.stopped) = (now, None);
            return Found::Runs;
        }
        match self.stopped {
            Some(instant) if now > instant + PATIENCE => Found::Stuck,
            None if self.pulse.is_late(now) && now > self.began + PATIENCE => {
                tracing::error!(task = self.name, "a task in the background makes no progress: it is stopped");
                self.running.abort();
                self.stopped = Some(now);
                Found::Runs
            }
            _ => Found::Runs,
        }
    }
}

/// All tasks of a host.
#[derive(Default)]
pub struct Watchdog(Mutex<Vec<Task>>);

impl Watchdog {
    /// A watchdog that looks for as long as it is held.
    pub fn start() -> std::io::Result<Arc<Watchdog>> {
        let watchdog = Arc::new(Watchdog::default());
        let (watched, handle) = (Arc::downgrade(&watchdog), Handle::current());
        // A thread of its own: it sees what holds all of the runtime's.
        spawn_vital_thread("stoa-watchdog", move || {
            while let Some(watchdog) = watched.upgrade() {
                if let Some(task) = watchdog.look(&handle, Instant::now()) {
                    tracing::error!(task, "a task in the background cannot be stopped: the process ends");
                    abort();
                }
                drop(watchdog);
                std::thread::sleep(LOOK);
            }
        })?;
        Ok(watchdog)
    }

    /// Runs a task until it ends or all are stopped.
    pub fn spawn<F>(&self, name: &'static str, begin: impl Fn(Pulse) -> F + Send + Sync + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let pulse = Pulse::start();
        let begin: Begin = Box::new(move |pulse| begin(pulse).boxed());
        let running = tokio::spawn(begin(pulse.clone()));
        // It begins at 0, so that the first restart is an increase.
        metrics::counter!("stoa_background_restarts_total", "task" => name).increment(0);
        lock(&self.0).push(Task { name, pulse, begin, running, began: Instant::now(), stopped: None });
    }

    /// Returns whether every task has finished its rounds in time so far.
    pub fn is_well(&self, now: Instant) -> bool {
        !lock(&self.0).iter().any(|task| task.pulse.is_late(now))
    }

    /// Stops all.
    pub fn stop(&self) {
        for task in lock(&self.0).drain(..) {
            task.running.abort();
        }
    }

    /// Restarts a task that makes no progress or failed; answers a task that cannot be stopped.
    fn look(&self, handle: &Handle, now: Instant) -> Option<&'static str> {
        let mut stuck = None;
        lock(&self.0).retain_mut(|task| {
            let is_late = task.pulse.is_late(now);
            metrics::gauge!("stoa_background_task_late", "task" => task.name).set(u8::from(is_late));
            match task.look(handle, now) {
                Found::Runs => true,
                Found::Done => false,
                Found::Stuck => {
                    stuck = Some(task.name);
                    true
                }
            }
        });
        stuck
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use super::*;

    /// Names the vital work that panics, in the process that it ends.
    const PANIC_OF: &str = "STOA_TEST_PANIC_OF";

    /// The test runs itself again, in a process that each kind of vital work ends.
    #[test]
    fn a_panic_of_vital_work_ends_the_process() {
        use std::os::unix::process::ExitStatusExt as _;
        match std::env::var(PANIC_OF).as_deref() {
            Ok("thread") => spawn_vital_thread("vital", || panic!("a fault")).unwrap().join().unwrap_or_default(),
            Ok("task") => {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                let _ = runtime.block_on(async { spawn_vital_task(async { panic!("a fault") }).await });
            }
            _ => {
                for kind in ["thread", "task"] {
                    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
                    command.args(["--exact", "watchdog::tests::a_panic_of_vital_work_ends_the_process"]);
                    let status = command.env(PANIC_OF, kind).output().unwrap().status;
                    assert_eq!(status.signal(), Some(libc::SIGABRT), "{kind}: {status}");
                }
            }
        }
    }

    /// Just within a round's time, and just beyond it.
    const WITHIN: Duration = Duration::from_secs(29);
    const BEYOND: Duration = Duration::from_secs(31);

    /// A watchdog over one task, and how often that was begun.
    fn watch_task<F>(task: impl Fn(usize, Pulse) -> F + Send + Sync + 'static) -> (Watchdog, Arc<AtomicUsize>)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (watchdog, begun) = (Watchdog::default(), Arc::new(AtomicUsize::new(0)));
        let count = begun.clone();
        watchdog.spawn("task", move |pulse| task(count.fetch_add(1, SeqCst), pulse));
        (watchdog, begun)
    }

    /// Lets the tasks run until they wait, then looks at them.
    async fn look(watchdog: &Watchdog, now: Instant) -> Option<&'static str> {
        for _ in 0..16 {
            tokio::task::yield_now().await;
        }
        watchdog.look(&Handle::current(), now)
    }

    #[tokio::test]
    async fn what_waits_for_work_is_left_alone() {
        let (watchdog, begun) = watch_task(|_, pulse| async move { pulse.rest(PATIENCE * 100).await });
        let now = Instant::now();
        assert_eq!(look(&watchdog, now + BEYOND).await, None);
        assert_eq!(look(&watchdog, now + PATIENCE * 9).await, None);
        assert_eq!((begun.load(SeqCst), watchdog.is_well(now + PATIENCE * 9)), (1, true));
    }

    #[tokio::test]
    async fn what_makes_no_progress_is_not_well_and_is_started_anew() {
        let (watchdog, begun) = watch_task(|nth, pulse| async move {
            if nth == 2 {
                pulse.excuse();
            }
            std::future::pending::<()>().await;
        });
        let now = Instant::now();
        assert_eq!(look(&watchdog, now + WITHIN).await, None);
        assert_eq!((begun.load(SeqCst), watchdog.is_well(now + WITHIN)), (1, true));
        let mut now = now;
        for again in 2..4 {
            now += BEYOND;
            assert!(!watchdog.is_well(now));
            assert_eq!(look(&watchdog, now).await, None, "it stops");
            assert_eq!(look(&watchdog, now).await, None, "it has stopped, and is started");
            assert_eq!(look(&watchdog, now + WITHIN).await, None, "it has its time");
            assert_eq!(begun.load(SeqCst), again);
        }
        assert!(watchdog.is_well(now), "the third finished a round");
    }

    #[tokio::test]
    async fn what_panics_is_started_anew() {
        let (watchdog, begun) = watch_task(|nth, pulse| async move {
            pulse.excuse();
            assert!(nth > 1, "a fault");
            std::future::pending::<()>().await;
        });
        for _ in 0..5 {
            assert_eq!(look(&watchdog, Instant::now()).await, None);
        }
        assert_eq!(begun.load(SeqCst), 3);
    }

    #[tokio::test]
    async fn what_panics_while_nobody_waits_is_watched_again() {
        let (watchdog, begun) = watch_task(|nth, pulse| async move {
            if nth == 0 {
                pulse.excuse();
            }
            assert!(nth > 0, "a fault");
            std::future::pending::<()>().await;
        });
        let now = Instant::now();
        assert_eq!(look(&watchdog, now).await, None);
        assert_eq!(begun.load(SeqCst), 2);
        assert_eq!((watchdog.is_well(now + WITHIN), watchdog.is_well(now + BEYOND)), (true, false));
    }

    #[tokio::test]
    async fn what_is_done_stays_done() {
        let (watchdog, begun) = watch_task(|_, _| async {});
        let now = Instant::now() + BEYOND;
        assert_eq!(look(&watchdog, now).await, None);
        assert_eq!((begun.load(SeqCst), watchdog.is_well(now)), (1, true));
    }

    #[test]
    fn what_cannot_be_stopped_is_named() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let (began, begun) = std::sync::mpsc::channel();
        let (held, began) = (Arc::new(Mutex::new(held)), Mutex::new(began));
        let watchdog = Watchdog::default();
        runtime.block_on(async {
            watchdog.spawn("task", move |_| {
                let (held, began) = (held.clone(), lock(&began).clone());
                async move {
                    began.send(()).unwrap();
                    let _ = lock(&held).recv();
                }
            });
        });
        begun.recv().unwrap();
        let now = Instant::now() + BEYOND;
        assert_eq!(watchdog.look(runtime.handle(), now), None, "it stops");
        assert_eq!(watchdog.look(runtime.handle(), now + WITHIN), None, "it has its time");
        assert_eq!(watchdog.look(runtime.handle(), now + BEYOND), Some("task"));
        drop(release);
    }
}
