//! Recently rejected credentials: each look into the database for one costs, and any client may try. A rejected one is
//! rejected again for a second without a look, whatever was wrong with it, and a peer has so many looks in a second.

use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;

/// Looks that one peer has in a second for credentials that turn out to be none. A peer is an IPv4 address, or the IPv6
/// network of a subscriber, who has all its addresses.
const LOOKS: u32 = 100;
const SECOND: Duration = Duration::from_secs(1);
/// Refused credentials kept at hand, and peers.
const KEPT: usize = 10_000;

pub struct FailedLookups(Mutex<Kept>);

struct Kept {
    /// By the digest of the whole credential.
    refused: LruCache<[u8; 32], Instant>,
    second: Instant,
    looks: LruCache<IpAddr, u32>,
}

/// The result of earlier looks for a credential.
#[derive(Debug, PartialEq, Eq)]
pub enum PastLookup {
    /// Nothing: look.
    Unknown,
    /// It was none a moment ago.
    Refused,
    /// Its peer has had its looks.
    TooMany,
}

impl Default for FailedLookups {
    fn default() -> FailedLookups {
        let kept = NonZeroUsize::new(KEPT).unwrap_or(NonZeroUsize::MIN);
        let (refused, looks) = (LruCache::new(kept), LruCache::new(kept));
        FailedLookups(Mutex::new(Kept { refused, second: Instant::now(), looks }))
    }
}

impl FailedLookups {
    pub fn recall(&self, digest: &[u8; 32], peer: IpAddr, now: Instant) -> PastLookup {
        let mut kept = self.lock();
        if kept.is_refused(digest, now) {
            return PastLookup::Refused;
        }
        kept.renew(now);
        if kept.looks.get(&peer).is_some_and(|looks| *looks >= LOOKS) {
            PastLookup::TooMany
        } else {
            PastLookup::Unknown
        }
    }

    /// Takes note that a look has found it to be none.
    pub fn note_refusal(&self, digest: [u8; 32], peer: IpAddr, now: Instant) {
        let mut kept = self.lock();
        kept.renew(now);
        kept.refused.put(digest, now);
        *kept.looks.get_or_insert_mut(peer, || 0) += 1;
    }

    /// Takes note that a key of ours is revoked: that is final.
    pub fn note_revoked(&self, digest: [u8; 32], now: Instant) {
        self.lock().refused.put(digest, now);
    }

    /// Returns whether it was none a moment ago.
    pub fn is_refused(&self, digest: &[u8; 32], now: Instant) -> bool {
        self.lock().is_refused(digest, now)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn is_refused(&self, digest: &[u8; 32], now: Instant) -> bool {
        self.refused.peek(digest).is_some_and(|instant| now.duration_since(*instant) < SECOND)
    }

    /// Each second begins with no looks counted.
    fn renew(&mut self, now: Instant) {
        if now.duration_since(self.second) >= SECOND {
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

    #[test]
    fn many_peers_do_not_clear_the_count_of_one() {
        let (failed_lookups, now) = (FailedLookups::default(), Instant::now());
        let attacker = IpAddr::from([10, 0, 0, 1]);
        (0..LOOKS).for_each(|nth| failed_lookups.note_refusal(digest(nth), attacker, now));
        for nth in 0..2 * KEPT as u32 {
            failed_lookups.note_refusal(digest(1_000 + nth), IpAddr::from(nth.to_be_bytes()), now);
            if nth % 1_000 == 0 {
                assert_eq!(failed_lookups.recall(&digest(u32::MAX), attacker, now), PastLookup::TooMany);
            }
        }
        assert!(failed_lookups.lock().looks.len() <= KEPT);
    }

    #[test]
    fn a_revoked_key_costs_a_look_a_second_and_none_of_its_peer() {
        let (failed_lookups, now) = (FailedLookups::default(), Instant::now());
        let peer = IpAddr::from([10, 0, 0, 1]);
        (0..1_000).for_each(|_| failed_lookups.note_revoked([1; 32], now));
        assert!(failed_lookups.is_refused(&[1; 32], now));
        assert!(!failed_lookups.is_refused(&[1; 32], now + SECOND));
        assert_eq!(failed_lookups.recall(&[2; 32], peer, now), PastLookup::Unknown);
    }

    fn digest(number: u32) -> [u8; 32] {
        let mut digest = [0; 32];
        digest[..4].copy_from_slice(&number.to_be_bytes());
        digest
    }
}
