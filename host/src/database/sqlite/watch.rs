//! Watches over the writes of a company, for work that was prepared on a snapshot: it is of use as long as none followed.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::super::QueueKey;

#[derive(Default)]
pub struct WriteWatches(Mutex<Vec<(QueueKey, Weak<AtomicBool>)>>);

/// Says whether a write was committed since the watch began.
pub struct WriteWatch(Arc<AtomicBool>);

impl WriteWatches {
    /// Begins to watch the writes of this key. A snapshot that is taken later has all that were committed before.
    pub fn begin(&self, key: QueueKey) -> WriteWatch {
        let written = Arc::new(AtomicBool::new(false));
        let mut watches = self.lock();
        watches.retain(|(_, written)| written.strong_count() > 0);
        watches.push((key, Arc::downgrade(&written)));
        WriteWatch(written)
    }

    /// A write of this key was committed.
    pub fn note(&self, key: QueueKey) {
        for (_, written) in self.lock().iter().filter(|(watched, _)| *watched == key) {
            if let Some(written) = written.upgrade() {
                written.store(true, Relaxed);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(QueueKey, Weak<AtomicBool>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WriteWatch {
    pub fn is_written(&self) -> bool {
        self.0.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_watch_sees_later_writes_of_its_key() {
        let [one, two] = [1, 2].map(|number| QueueKey::Company(Uuid::from_u128(number)));
        let watches = WriteWatches::default();
        watches.note(one);
        let watched = [one, two].map(|key| watches.begin(key));
        watches.note(one);
        assert_eq!(watched.each_ref().map(WriteWatch::is_written), [true, false]);
        drop(watched);
        watches.begin(two);
        assert_eq!(watches.lock().len(), 1, "those that ended are forgotten");
    }
}
