//! People who write while something fails, and do not give up: the same request with the same key until there is an answer.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use stoa_tests::Company;
use stoa_tests::company::product;
use stoa_tests::parallel::SetOnDrop;

pub const WRITERS: usize = 8;
/// How long they write before it fails.
const BEFORE: Duration = Duration::from_millis(300);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(20);
/// Longest wait for service to be back.
const PATIENCE: Duration = Duration::from_secs(90);

/// The results of a fault, or of several.
#[derive(Default)]
pub struct Observed {
    /// Names of what was acknowledged.
    pub written: Vec<String>,
    /// The longest time from the end of a fault until a writer was served again.
    pub outage: Duration,
    /// Answers with status 500: a fault is no reason for one.
    pub internal: usize,
}

impl Observed {
    pub fn add(&mut self, other: Observed) {
        self.written.extend(other.written);
        self.outage = self.outage.max(other.outage);
        self.internal += other.internal;
    }
}

#[derive(Default)]
struct Progress {
    /// Acknowledged names, and when each writer was served last.
    written: Vec<String>,
    served: Vec<Option<Instant>>,
    internal: usize,
}

/// Lets something fail under the load of so many writers and waits until each is served again.
pub fn observe(shops: &[Company], writers: usize, tag: &str, fail: impl FnOnce()) -> Observed {
    let progress = Mutex::new(Progress { served: vec![None; writers], ..Progress::default() });
    let stop = AtomicBool::new(false);
    let outage = thread::scope(|scope| {
        for writer in 0..writers {
            let (progress, stop) = (&progress, &stop);
            let shop = &shops[writer % shops.len()];
            scope.spawn(move || {
                for n in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let name = format!("{tag}-{writer}-{n}");
                    let internal = write(shop, &name);
                    let mut progress = progress.lock().expect("no writer panicked");
                    progress.written.push(name);
                    progress.internal += internal;
                    progress.served[writer] = Some(Instant::now());
                }
            });
        }
        let _rest = SetOnDrop(&stop);
        thread::sleep(BEFORE);
        fail();
        let end = Instant::now();
        loop {
            let served = progress.lock().expect("no writer panicked").served.clone();
            // The writer that was served last shows how long it took.
            if served.iter().all(|served| served.is_some_and(|instant| instant > end)) {
                break end.elapsed();
            }
            assert!(end.elapsed() < PATIENCE, "{tag}: service is not back");
            thread::sleep(PAUSE);
        }
    });
    let Progress { written, internal, .. } = progress.into_inner().expect("no writer panicked");
    Observed { written, outage, internal }
}

/// Many more writers than usual, for so long.
pub fn crowd(shops: &[Company], writers: usize, time: Duration) {
    let end = Instant::now() + time;
    thread::scope(|scope| {
        for writer in 0..writers {
            let shop = &shops[writer % shops.len()];
            scope.spawn(move || {
                while Instant::now() < end {
                    // The test does not ask if they are served: it asks for the writers.
                    let name = format!("crowd-{}", uuid::Uuid::new_v4());
                    let _ = shop.request("POST", "catalog/products").json(&product(&name)).unchecked().try_send();
                }
            });
        }
    });
}

/// Returns how many answers had status 500.
fn write(shop: &Company, name: &str) -> usize {
    let (key, begin) = (uuid::Uuid::new_v4().to_string(), Instant::now());
    let mut internal = 0;
    loop {
        let request = shop.request("POST", "catalog/products").key(&key).json(&product(name));
        match request.unchecked().try_send().map(|answer| answer.status) {
            Ok(201) => return internal,
            Ok(500) => internal += 1,
            _ => {}
        }
        assert!(begin.elapsed() < PATIENCE, "{name} is never answered");
        thread::sleep(PAUSE);
    }
}
