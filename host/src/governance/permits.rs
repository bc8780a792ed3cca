//! Permits in hand: what this host has leased of each subject's window and not yet given out. Pure bookkeeping, no database.

use std::collections::HashMap;

use uuid::Uuid;

use super::window::Span;

/// Subjects kept before those of past windows are dropped.
const CROWD: usize = 10_000;

/// The caller whose requests are counted, and the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subject {
    pub tenant: Uuid,
    /// A user, an API client, or nil for the sum of the company's clients.
    pub id: Uuid,
    pub span: Span,
}

/// A subject and what it may have in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Want {
    pub subject: Subject,
    pub limit: u64,
}

/// Result of a lease.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lease {
    /// Start of the window, milliseconds since 1970.
    pub window: i64,
    /// Permits that this lease gave.
    pub granted: u64,
    /// Permits of the window that all hosts together have taken so far.
    pub taken: u64,
}

/// A subject's window as far as this host knows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    pub window: i64,
    pub limit: u64,
    pub left: u64,
    pub taken: u64,
}

impl Bucket {
    /// Permits that have been used or may be, on another host.
    pub fn count_used(&self) -> u64 {
        self.taken.saturating_sub(self.left)
    }

    pub fn count_remaining(&self) -> u64 {
        self.limit.saturating_sub(self.count_used())
    }

    fn is_drained(&self) -> bool {
        self.left == 0 && self.taken >= self.limit
    }
}

#[derive(Debug, PartialEq)]
pub enum Taken {
    /// One permit of each.
    All,
    /// This one's window is used up; nothing was taken.
    Drained(usize),
    /// These must be leased first; nothing was taken.
    Lacking(Vec<usize>),
}

#[derive(Default)]
pub struct Permits {
    buckets: HashMap<Subject, Bucket>,
}

impl Permits {
    /// Takes one permit of each or none. The first that is used up decides, but one before it that is not known may still.
    pub fn take(&mut self, wants: &[Want], now: i64) -> Taken {
        let mut lacking = Vec::new();
        for (index, want) in wants.iter().enumerate() {
            match self.bucket(want.subject, now) {
                Some(bucket) if bucket.is_drained() && lacking.is_empty() => return Taken::Drained(index),
                Some(bucket) if bucket.left > 0 => {}
                _ => lacking.push(index),
            }
        }
        if !lacking.is_empty() {
            return Taken::Lacking(lacking);
        }
        for want in wants {
            if let Some(bucket) = self.buckets.get_mut(&want.subject) {
                bucket.left -= 1;
            }
        }
        Taken::All
    }

    /// Puts a permit back that was taken in the window around `now`; a past window takes nothing back.
    pub fn put_back(&mut self, subject: Subject, now: i64) {
        if let Some(bucket) = self.buckets.get_mut(&subject)
            && bucket.window == subject.span.start(now)
            && bucket.left < bucket.taken
        {
            bucket.left += 1;
        }
    }

    pub fn add(&mut self, want: Want, lease: Lease) {
        if self.buckets.len() > CROWD {
            self.buckets.retain(|subject, bucket| bucket.window >= subject.span.start(lease.window));
        }
        let fresh = Bucket { window: lease.window, limit: want.limit, left: 0, taken: 0 };
        let bucket = self.buckets.entry(want.subject).or_insert(fresh);
        if bucket.window != lease.window {
            *bucket = fresh;
        }
        bucket.limit = want.limit;
        bucket.left += lease.granted;
        // Two leases of one subject may answer in another order than they were given.
        bucket.taken = bucket.taken.max(lease.taken);
    }

    /// The window around `now`, where this host knows of it.
    pub fn bucket(&self, subject: Subject, now: i64) -> Option<&Bucket> {
        self.buckets.get(&subject).filter(|bucket| bucket.window == subject.span.start(now))
    }

    /// Those of which fewer than `least` are left in the window around `now`, and of which more can be leased.
    pub fn find_low(&self, wants: &[Want], least: u64, now: i64) -> Vec<Want> {
        let is_low = |bucket: &Bucket| bucket.left < least && bucket.taken < bucket.limit;
        wants.iter().filter(|want| self.bucket(want.subject, now).is_some_and(is_low)).copied().collect()
    }

    /// Returns whether this host has leased for all of these before, in whatever window.
    pub fn knows(&self, wants: &[Want]) -> bool {
        wants.iter().all(|want| self.buckets.contains_key(&want.subject))
    }

    /// Everything in hand, which then is not in hand any more.
    pub fn surrender(&mut self) -> Vec<(Subject, Bucket)> {
        self.buckets.drain().filter(|(_, bucket)| bucket.left > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn want(id: u128, span: Span, limit: u64) -> Want {
        Want { subject: Subject { tenant: Uuid::nil(), id: Uuid::from_u128(id), span }, limit }
    }

    #[test]
    fn all_or_none_is_taken() {
        let (month, minute) = (want(1, Span::Month, 10), want(1, Span::Minute, 2));
        let wants = [month, minute];
        let mut permits = Permits::default();
        let now = Span::Month.start(1_700_000_000_000);
        assert_eq!(permits.take(&wants, now), Taken::Lacking(vec![0, 1]));
        permits.add(month, Lease { window: now, granted: 5, taken: 5 });
        permits.add(minute, Lease { window: now, granted: 2, taken: 2 });
        assert_eq!(permits.take(&wants, now), Taken::All);
        assert_eq!(permits.take(&wants, now), Taken::All);
        assert_eq!(permits.take(&wants, now), Taken::Drained(1));
        assert_eq!(permits.bucket(month.subject, now).map(Bucket::count_used), Some(2), "a refusal costs no quota");
        // The next minute begins at zero, the month goes on.
        assert_eq!(permits.take(&wants, now + 60_000), Taken::Lacking(vec![1]));
    }

    #[test]
    fn what_is_unknown_decides_before_what_is_used_up_behind_it() {
        let (month, minute) = (want(1, Span::Month, 10), want(1, Span::Minute, 1));
        let mut permits = Permits::default();
        let now = Span::Month.start(1_700_000_000_000);
        permits.add(minute, Lease { window: now, granted: 0, taken: 1 });
        assert_eq!(permits.take(&[month, minute], now), Taken::Lacking(vec![0, 1]));
        assert_eq!(permits.take(&[minute, month], now), Taken::Drained(0));
    }

    #[test]
    fn a_block_is_low_until_all_of_the_window_is_leased() {
        let minute = want(1, Span::Minute, 20);
        let mut permits = Permits::default();
        assert_eq!(permits.find_low(&[minute], 5, 0), [], "a window that is not known is leased by its request");
        permits.add(minute, Lease { window: 0, granted: 10, taken: 10 });
        for _ in 0..5 {
            assert_eq!(permits.find_low(&[minute], 5, 0), []);
            permits.take(&[minute], 0);
        }
        permits.take(&[minute], 0);
        assert_eq!(permits.find_low(&[minute], 5, 0), [minute]);
        permits.add(minute, Lease { window: 0, granted: 10, taken: 20 });
        for _ in 0..14 {
            permits.take(&[minute], 0);
        }
        assert_eq!(permits.take(&[minute], 0), Taken::Drained(0));
        assert_eq!(permits.find_low(&[minute], 5, 0), [], "there is no more");
    }

    #[test]
    fn a_permit_comes_back_to_its_own_window_only() {
        let minute = want(1, Span::Minute, 1);
        let mut permits = Permits::default();
        permits.add(minute, Lease { window: 0, granted: 1, taken: 1 });
        assert_eq!(permits.take(&[minute], 0), Taken::All);
        permits.put_back(minute.subject, 60_000);
        assert_eq!(permits.take(&[minute], 1), Taken::Drained(0));
        permits.put_back(minute.subject, 59_999);
        assert_eq!(permits.take(&[minute], 1), Taken::All);
        permits.put_back(minute.subject, 2);
        permits.put_back(minute.subject, 2);
        assert_eq!(permits.bucket(minute.subject, 0).map(|bucket| bucket.left), Some(1), "never more than were leased");
    }
}
