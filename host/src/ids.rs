//! UUIDv7s: the request's instant, its sequence number in that millisecond, then a number that starts at random and
//! only rises.

use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

/// Bits between the milliseconds and the random part (`rand_a`): which request of its millisecond it is, on this host.
const SEQUENCE_BITS: u32 = 12;
/// Random bits (`rand_b`).
const LOW_BITS: u32 = 62;

/// A clock that is this far behind the last stamp was set back.
const SET_BACK: u64 = 60_000 << SEQUENCE_BITS;

/// The ids of one request, ascending; and above those of the requests that this host served before, so that what a
/// caller makes one after the other is listed in that order, within a millisecond too.
#[derive(Debug)]
pub struct Ids {
    /// Milliseconds and sequence number.
    stamp: u64,
    next: u64,
}

impl Ids {
    /// `now_ms`: the request's instant, milliseconds since 1970.
    pub fn new(now_ms: i64) -> Ids {
        static LAST: AtomicU64 = AtomicU64::new(0);
        // The top bit stays free, so that counting up never wraps.
        Ids { stamp: next_stamp(&LAST, now_ms), next: rand::random::<u64>() >> (65 - LOW_BITS) }
    }

    pub fn make(&mut self) -> Uuid {
        self.next += 1 + u64::from(rand::random::<u32>());
        let (millis, sequence) = (self.stamp >> SEQUENCE_BITS, self.stamp & ((1 << SEQUENCE_BITS) - 1));
        let low = self.next & ((1 << LOW_BITS) - 1);
        Uuid::from_u64_pair(millis << 16 | 0x7 << 12 | sequence, 0b10 << LOW_BITS | low)
    }
}

/// The least UUIDv7 of a millisecond since 1970: ids of rows from before it are below, those from then on are not.
pub fn first_of(ms: i64) -> Uuid {
    let ms = u128::try_from(ms).unwrap_or(0).min((1 << 48) - 1);
    Uuid::from_u128(ms << 80)
}

/// The instant at which an id of version 7 was made, in milliseconds since 1970.
pub fn instant_of(id: Uuid) -> i64 {
    i64::try_from(id.as_u128() >> 80).unwrap_or(i64::MAX)
}

/// Milliseconds and sequence number: above the last, as far as the millisecond goes.
fn next_stamp(last: &AtomicU64, now_ms: i64) -> u64 {
    let first = u64::try_from(now_ms).unwrap_or(0) << SEQUENCE_BITS;
    let full = first | ((1 << SEQUENCE_BITS) - 1);
    let following = |last: u64| last.saturating_add(1).clamp(first, full);
    let set_back = |last: u64| last > full.saturating_add(SET_BACK);
    let next = |last: u64| if set_back(last) { following(last) } else { following(last).max(last) };
    last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last))).map_or(first, following)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_ascend_and_are_version_7() {
        let mut ids = Ids::new(1_700_000_000_000);
        let made: Vec<Uuid> = (0..100_000).map(|_| ids.make()).collect();
        assert!(made.is_sorted_by(|one, next| one < next));
        assert!(made.iter().all(|id| id.get_version_num() == 7 && id.get_variant() == uuid::Variant::RFC4122));
    }

    #[test]
    fn requests_of_one_millisecond_ascend() {
        let (last, now) = (AtomicU64::new(0), 1_800_000_000_000);
        let stamps: Vec<u64> = (0..4_096).map(|_| next_stamp(&last, now)).collect();
        assert!(stamps.is_sorted_by(|one, next| one < next));
        let id = |stamp| Ids { stamp, next: 0 }.make().get_timestamp().map(|timestamp| timestamp.to_unix());
        assert_eq!((id(stamps[0]), id(stamps[4_095])), (Some((1_800_000_000, 0)), Some((1_800_000_000, 0))));
        assert_eq!(next_stamp(&last, now), stamps[4_095], "there is no further number: chance orders the rest");
        assert_eq!(next_stamp(&last, now + 1), stamps[4_095] + 1);
        assert_eq!(next_stamp(&last, now), stamps[4_095], "one that began before and makes its ids now");
        assert_eq!(next_stamp(&last, now + 1), stamps[4_095] + 2, "and disturbs no other id");
        let set_back = next_stamp(&last, now - 3_600_000);
        assert_eq!(next_stamp(&last, now - 3_599_999), (set_back | 0xfff) + 1);
    }
}
