//! The companies that were served last, as far as one question needs them: is there another one than this? Two of them
//! suffice, so a request costs no look at all companies.

use std::time::{Duration, Instant};

use super::QueueKey;

/// A company is active as long as its last request is not older.
pub const ACTIVE: Duration = Duration::from_secs(1);

/// Each with the time of its last request.
#[derive(Debug, Default)]
pub struct Activity {
    latest: Option<(QueueKey, Instant)>,
    /// The latest of those that are not the latest one's.
    other: Option<(QueueKey, Instant)>,
}

impl Activity {
    /// Takes note of a request. The host's own work, and that of callers outside of companies, is no company's.
    pub fn note(&mut self, key: QueueKey, now: Instant) {
        let QueueKey::Company(_) = key else { return };
        if self.latest.is_some_and(|(latest, _)| latest != key) {
            self.other = self.latest;
        }
        self.latest = Some((key, now));
    }

    /// Returns whether a company other than this is active.
    pub fn has_other(&self, key: QueueKey, now: Instant) -> bool {
        let is_other = |(other, at): &(QueueKey, Instant)| *other != key && now.saturating_duration_since(*at) < ACTIVE;
        self.latest.iter().chain(&self.other).any(is_other)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn another_company_is_active_for_a_second() {
        let [one, two, three] = [1, 2, 3].map(|number| QueueKey::Company(Uuid::from_u128(number)));
        let (mut activity, now) = (Activity::default(), Instant::now());
        assert!(!activity.has_other(one, now));
        for _ in 0..2 {
            activity.note(one, now);
        }
        activity.note(QueueKey::Global, now);
        activity.note(QueueKey::Caller(Uuid::from_u128(4)), now);
        assert_eq!([one, two].map(|key| activity.has_other(key, now)), [false, true]);
        let later = now + ACTIVE / 2;
        activity.note(two, later);
        assert_eq!([one, two, three].map(|key| activity.has_other(key, later)), [true; 3]);
        activity.note(two, later);
        assert!(activity.has_other(two, later), "the other one is not forgotten");
        assert_eq!([one, two].map(|key| activity.has_other(key, now + ACTIVE)), [true, false]);
        assert!(!activity.has_other(one, later + ACTIVE));
    }
}
