//! Tokens without an address of whose person the issuer has just reported none either: it is not asked again at once, however often such a
//! token is sent.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use super::verified::Digest;

const CAPACITY: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();
/// Seconds until the issuer is asked again: the user may have confirmed an address meanwhile.
const REST: u64 = 30;

pub(super) struct AddresslessTokens(Mutex<LruCache<Digest, u64>>);

impl AddresslessTokens {
    pub(super) fn new() -> AddresslessTokens {
        AddresslessTokens(Mutex::new(LruCache::new(CAPACITY)))
    }

    pub(super) fn note(&self, token: Digest, now: u64) {
        self.lock().put(token, now);
    }

    pub(super) fn may_ask(&self, token: &Digest, now: u64) -> bool {
        // A clock that was set back makes no user wait until it has caught up.
        self.lock().peek(token).is_none_or(|noted| now < *noted || now - noted >= REST)
    }

    /// A thread that panicked while holding the lock left a list that is at worst missing an entry.
    fn lock(&self) -> MutexGuard<'_, LruCache<Digest, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
