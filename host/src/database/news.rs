//! The companies whose writes this host committed: the tasks that send their events on find them without a look at the database.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;
use uuid::Uuid;

/// Companies that are remembered. Looks at the database find the others.
const MOST: usize = 10_000;

#[derive(Default)]
pub struct News {
    /// A task takes them.
    is_wanted: AtomicBool,
    companies: Mutex<BTreeSet<Uuid>>,
    arrived: Notify,
}

impl News {
    /// Sets whether a task takes the companies from now on.
    pub fn set_wanted(&self, is_wanted: bool) {
        if self.is_wanted.swap(is_wanted, Relaxed) && !is_wanted {
            self.take();
        }
    }

    /// Takes note that a write of the company was committed.
    pub fn add(&self, tenant: Uuid) {
        if tenant.is_nil() || !self.is_wanted.load(Relaxed) {
            return;
        }
        let mut companies = self.companies.lock().unwrap_or_else(PoisonError::into_inner);
        if companies.len() < MOST {
            companies.insert(tenant);
        }
        drop(companies);
        self.arrived.notify_one();
    }

    /// The companies since the last time.
    pub fn take(&self) -> BTreeSet<Uuid> {
        std::mem::take(&mut *self.companies.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until a company is added.
    pub async fn wait(&self) {
        self.arrived.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn companies_are_noted_once_and_only_while_somebody_takes_them() {
        let (news, one, other) = (News::default(), Uuid::from_u128(1), Uuid::from_u128(2));
        news.add(one);
        assert!(news.take().is_empty() && news.wait().now_or_never().is_none());
        news.set_wanted(true);
        [one, other, one, Uuid::nil()].into_iter().for_each(|tenant| news.add(tenant));
        assert!(news.wait().now_or_never().is_some());
        assert_eq!(news.take(), BTreeSet::from([one, other]));
        assert!(news.take().is_empty() && news.wait().now_or_never().is_none());
        news.add(one);
        news.set_wanted(false);
        assert!(news.take().is_empty(), "no task takes them any more");
    }
}
