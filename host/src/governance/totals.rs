//! Requests of one user in all companies together. Companies cost nothing, so that a limit for each of them is none. It is counted by
//! each host for itself: a bound of what one may cost, not a figure that a caller sees.

use std::collections::HashMap;

use uuid::Uuid;

use super::window::Span;

#[derive(Default)]
pub struct Totals {
    window: i64,
    asked: HashMap<Uuid, u64>,
}

impl Totals {
    /// Counts a request in the minute around `now`; whether it is within the limit.
    pub fn take(&mut self, user: Uuid, limit: u64, now: i64) -> bool {
        let window = Span::Minute.start(now);
        if window != self.window {
            self.window = window;
            self.asked.clear();
        }
        let asked = self.asked.entry(user).or_default();
        let within = *asked < limit.max(1);
        *asked += u64::from(within);
        within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_has_so_many_of_each_user() {
        let mut totals = Totals::default();
        let [one, other] = [1, 2].map(Uuid::from_u128);
        let taken = (0..5).filter(|_| totals.take(one, 3, 59_000)).count();
        assert_eq!(taken, 3);
        assert!(totals.take(other, 3, 59_999));
        assert!(totals.take(one, 3, 60_000), "the next minute begins again at zero");
    }
}
