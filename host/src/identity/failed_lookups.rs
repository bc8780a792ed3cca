//! Recently rejected credentials: each look into the database for one costs, and anybody may try. A rejected one is
//! rejected again for a second without a look, whatever was wrong with it, and an address has so many looks in a second.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;

/// Looks that one address has in a second for credentials that turn out to be none.
const LOOKS: u32 = 100;
const SECOND: Duration = Duration::from_secs(1);
/// Refused credentials kept at hand.
const KEPT: usize = 10_000;

pub struct FailedLookups(Mutex<Kept>);

struct Kept {
    /// By the digest of the whole credential.
    refused: LruCache<[u8; 32], Instant>,
    second: Instant,
    looks: HashMap<IpAddr, u32>,
}

/// The result of earlier looks for a credential.
#[derive(Debug, PartialEq, Eq)]
pub enum PastLookup {
    /// Nothing: look.
    Unknown,
    /// It was none a moment ago.
    Refused,
    /// Its address has had its looks.
    TooMany,
}

impl Default for FailedLookups {
    fn default() -> FailedLookups {
        let kept = NonZeroUsize::new(KEPT).unwrap_or(NonZeroUsize::MIN);
        FailedLookups(Mutex::new(Kept { refused: LruCache::new(kept), second: Instant::now(), looks: HashMap::new() }))
    }
}

impl FailedLookups {
    pub fn recall(&self, digest: &[u8; 32], peer: IpAddr, now: Instant) -> PastLookup {
        let mut kept = self.lock();
        if kept.refused.peek(digest).is_some_and(|instant| now.duration_since(*instant) < SECOND) {
            return PastLookup::Refused;
        }
        kept.turn(now);
        if kept.looks.get(&peer).is_some_and(|looks| *looks >= LOOKS) {
            PastLookup::TooMany
        } else {
            PastLookup::Unknown
        }
    }

    /// Takes note that a look has found it to be none.
    pub fn note_refusal(&self, digest: [u8; 32], peer: IpAddr, now: Instant) {
        let mut kept = self.lock();
        kept.turn(now);
        kept.refused.put(digest, now);
        *kept.looks.entry(peer).or_default() += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn turn(&mut self, now: Instant) {
        if now.duration_since(self.second) >= SECOND || self.looks.len() > KEPT {
            self.second = now;
            self.looks.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_looks_and_others_have_theirs() {
        let (failed_lookups, now) = (FailedLookups::default(), Instant::now());
        let [one, other] = [1, 2].map(|last| IpAddr::from([10, 0, 0, last]));
        for nth in 0..100 {
            assert_eq!(failed_lookups.recall(&[nth; 32], one, now), PastLookup::Unknown);
            failed_lookups.note_refusal([nth; 32], one, now);
        }
        assert_eq!(failed_lookups.recall(&[200; 32], one, now), PastLookup::TooMany);
        assert_eq!(failed_lookups.recall(&[5; 32], one, now), PastLookup::Refused);
        assert_eq!(failed_lookups.recall(&[200; 32], other, now), PastLookup::Unknown);
        let later = now + SECOND;
        assert_eq!(failed_lookups.recall(&[5; 32], one, later), PastLookup::Unknown);
    }
}
