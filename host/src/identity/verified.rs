//! Tokens that were verified a moment ago. A client sends the same token with every request; checking its signature
//! once is enough as long as its key is still the issuer's and it has not expired.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use super::claims::Claims;
use super::keys::Thumbprint;

/// A few megabytes at most.
const CAPACITY: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();

/// SHA-256 of a whole token. The token itself is not kept: it is a credential.
pub(super) type Digest = [u8; 32];

#[derive(Clone)]
pub(super) struct Verified {
    pub(super) claims: Arc<Claims>,
    /// Which of the verifier's issuers.
    pub(super) issuer: usize,
    /// The very key that verified it.
    pub(super) key: Thumbprint,
}

pub(super) struct VerifiedTokens(Mutex<LruCache<Digest, Verified>>);

impl VerifiedTokens {
    pub(super) fn new() -> VerifiedTokens {
        VerifiedTokens(Mutex::new(LruCache::new(CAPACITY)))
    }

    pub(super) fn get(&self, token: &Digest) -> Option<Verified> {
        self.lock().get(token).cloned()
    }

    pub(super) fn put(&self, token: Digest, verified: Verified) {
        self.lock().put(token, verified);
    }

    pub(super) fn forget(&self, token: &Digest) {
        self.lock().pop(token);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    /// A thread that panicked while holding the lock left a cache that is at worst missing an entry.
    fn lock(&self) -> MutexGuard<'_, LruCache<Digest, Verified>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
