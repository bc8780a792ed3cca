//! Writers that go on while something happens to the database, and note which writes were acknowledged, and when.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use chrono::{DateTime, Utc};

use crate::company::fresh;
use crate::parallel::SetOnDrop;
use crate::{Company, eventually};

/// A brand whose creation was answered with success.
pub struct Written {
    pub id: String,
    pub acknowledged: DateTime<Utc>,
}

/// Acts while so many writers create brands: each has created one before the act, and one more after it.
pub fn while_writing<T>(shop: &Company, writers: usize, act: impl FnOnce() -> T) -> (T, Vec<Written>) {
    let (ended, begun) = (AtomicBool::new(false), AtomicUsize::new(0));
    let write = || Written { id: shop.brand(&fresh("W")), acknowledged: Utc::now() };
    thread::scope(|scope| {
        let write_on = || {
            let mut written = vec![write()];
            begun.fetch_add(1, Ordering::Release);
            while !ended.load(Ordering::Acquire) {
                written.push(write());
            }
            written.push(write());
            written
        };
        let threads: Vec<_> = (0..writers).map(|_| scope.spawn(write_on)).collect();
        let done = {
            let _ending = SetOnDrop(&ended);
            eventually(|| (begun.load(Ordering::Acquire) == writers).then_some(()));
            act()
        };
        let written = threads.into_iter().flat_map(|thread| thread.join().expect("a writer failed")).collect();
        (done, written)
    })
}
