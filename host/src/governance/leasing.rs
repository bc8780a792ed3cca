//! One lease at a time for each subject: the requests of a caller in a company wait for its lease together, and delay
//! no request of another caller or in another company. The map has an entry for each subject that leases now, and for
//! no other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::permits::Subject;

#[derive(Default)]
pub struct Leasing(Mutex<HashMap<Subject, Arc<tokio::sync::Mutex<()>>>>);

/// A request's share in the lock of a subject. The last one removes the lock.
pub struct Ticket<'a> {
    leasing: &'a Leasing,
    subject: Subject,
    lock: Arc<tokio::sync::Mutex<()>>,
}

impl Leasing {
    /// The lock of this subject's leases.
    pub fn enter(&self, subject: Subject) -> Ticket<'_> {
        let lock = self.locks().entry(subject).or_default().clone();
        Ticket { leasing: self, subject, lock }
    }

    /// Returns whether a lease of this subject is under way, or waits.
    pub fn is_leasing(&self, subject: Subject) -> bool {
        self.locks().contains_key(&subject)
    }

    fn locks(&self) -> MutexGuard<'_, HashMap<Subject, Arc<tokio::sync::Mutex<()>>>> {
        // A map of locks: a panic elsewhere leaves it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket<'_> {
    /// Waits until no other request leases for the subject.
    pub async fn lock(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.lock.lock().await
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut locks = self.leasing.locks();
        // The map's and this one. Tickets are made under the map's mutex only.
        if Arc::strong_count(&self.lock) == 2 {
            locks.remove(&self.subject);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use uuid::Uuid;

    use super::super::window::Span;
    use super::*;

    fn subject(tenant: u128, id: u128) -> Subject {
        Subject { tenant: Uuid::from_u128(tenant), id: Uuid::from_u128(id), span: Span::Minute }
    }

    #[tokio::test]
    async fn a_subject_waits_for_itself_and_for_no_other() {
        let leasing = Leasing::default();
        // Fewer than the locks that a task of tokio takes in one go.
        let tickets: Vec<Ticket<'_>> = (0..100).map(|id| leasing.enter(subject(1, id))).collect();
        let held: Vec<_> =
            tickets.iter().map(|ticket| ticket.lock().now_or_never().expect("a lock of its own")).collect();
        let elsewhere = leasing.enter(subject(2, 7));
        assert!(elsewhere.lock().now_or_never().is_some(), "the same caller in another company");
        let again = leasing.enter(subject(1, 7));
        assert!(again.lock().now_or_never().is_none(), "the second request of the caller");
        drop(held);
        assert!(again.lock().now_or_never().is_some());
    }

    #[test]
    fn nothing_remains_of_a_lease_that_ended() {
        let leasing = Leasing::default();
        let (first, second) = (leasing.enter(subject(1, 1)), leasing.enter(subject(1, 1)));
        drop(first);
        assert_eq!(leasing.locks().len(), 1, "the second still waits");
        drop(second);
        assert!(leasing.locks().is_empty());
    }
}
