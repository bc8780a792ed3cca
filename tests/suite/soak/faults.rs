//! The faults of a soak, each as it begins and ends.

use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use stoa_tests::Database;

use super::ground::Ground;
use super::load::{WRITERS, crowd};

pub struct Fault {
    pub name: &'static str,
    pub databases: &'static [Database],
    /// Lets it happen; it has ended with the answer.
    pub happen: fn(&Ground),
}

const BOTH: &[Database] = &[Database::Sqlite, Database::Postgres];
const POSTGRES: &[Database] = &[Database::Postgres];

pub const FAULTS: &[Fault] = &[
    Fault { name: "kill -9 of the host", databases: BOTH, happen: |ground| ground.host.restart() },
    Fault { name: "SIGTERM under load", databases: BOTH, happen: terminate },
    Fault { name: "kill -9 of the database", databases: POSTGRES, happen: kill_database },
    Fault { name: "silent database", databases: POSTGRES, happen: silence },
    Fault { name: "cut between COMMIT and its reply", databases: POSTGRES, happen: cut_commits },
    Fault { name: "disk full", databases: BOTH, happen: fill_disk },
    // PostgreSQL ends by itself then, and its supervisor starts it again.
    Fault { name: "failing fsync", databases: BOTH, happen: break_sync },
    Fault { name: "clock an hour ahead, and right", databases: BOTH, happen: |ground| step_clock(ground, 3_600) },
    Fault { name: "clock an hour behind, and right", databases: BOTH, happen: |ground| step_clock(ground, -3_600) },
    Fault { name: "no descriptor left", databases: BOTH, happen: exhaust_descriptors },
    Fault { name: "four times the load", databases: BOTH, happen: |ground| crowd(&ground.shops, 4 * WRITERS, LONG) },
];

/// How long what lasts lasts.
const LONG: Duration = Duration::from_secs(1);

fn terminate(ground: &Ground) {
    assert_eq!(ground.host.terminate(Duration::from_secs(30)), Some(0), "SIGTERM drains and exits 0");
    ground.host.restart();
}

fn kill_database(ground: &Ground) {
    let cluster = ground.cluster.as_ref().expect("a server of our own");
    cluster.kill9().expect("the server is killed");
    ground.repair();
}

fn silence(ground: &Ground) {
    ground.link.block();
    thread::sleep(LONG);
    ground.link.unblock();
}

fn cut_commits(ground: &Ground) {
    ground.link.cut_commits(WRITERS);
    let begin = Instant::now();
    while ground.link.cuts_left() > 0 {
        assert!(begin.elapsed() < Duration::from_secs(30), "no request commits");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The log is on the same disk.
fn fill_disk(ground: &Ground) {
    ground.preload.fill_streams(true);
    ground.preload.fill_disk(true);
    thread::sleep(LONG);
    ground.preload.fill_disk(false);
    ground.preload.fill_streams(false);
    ground.repair();
}

fn break_sync(ground: &Ground) {
    ground.preload.break_sync(true);
    thread::sleep(LONG);
    ground.preload.break_sync(false);
    ground.repair();
}

fn step_clock(ground: &Ground, seconds: i64) {
    ground.preload.shift_clock(seconds);
    thread::sleep(LONG);
    ground.preload.shift_clock(0);
}

/// The host may open nothing more, while strangers knock.
#[allow(unsafe_code, reason = "no library of the workspace sets limits")]
fn exhaust_descriptors(ground: &Ground) {
    let process = libc::pid_t::try_from(ground.host.process()).expect("a process");
    let open = std::fs::read_dir(format!("/proc/{process}/fd")).map_or(64, Iterator::count) as u64;
    let mut before = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: prlimit writes the struct that it is given and keeps nothing of it.
    let read = unsafe { libc::prlimit(process, libc::RLIMIT_NOFILE, std::ptr::null(), &raw mut before) };
    let set = |limit: libc::rlimit| {
        // SAFETY: prlimit reads the struct that it is given and keeps nothing of it.
        unsafe { libc::prlimit(process, libc::RLIMIT_NOFILE, &raw const limit, std::ptr::null_mut()) }
    };
    assert_eq!((read, set(libc::rlimit { rlim_cur: open, ..before })), (0, 0), "the limit can be set");
    let knocking: Vec<_> = (0..50).map(|_| TcpStream::connect(ground.host.address())).collect();
    thread::sleep(LONG);
    drop(knocking);
    assert_eq!(set(before), 0, "the limit can be set");
}
