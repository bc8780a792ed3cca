//! When a delivery is tried again, and when an endpoint that fails is disabled. Pure: time is handed in.

use std::str::FromStr;
use std::time::Duration;

use humantime_serde::re::humantime;

/// Attempts of one delivery at most.
pub const MOST_ATTEMPTS: usize = 5;
/// Deliveries in a row that end FAILED before an endpoint is disabled, and the least time from the first to the last.
const FAILURES: i64 = 5;
const FAILING_MS: i64 = 3 * 24 * 60 * 60 * 1000;
/// How long deliveries wait for a disabled endpoint.
pub const WAITING_MS: i64 = 3 * 24 * 60 * 60 * 1000;
/// A receiver that asks for patience is given that much at most.
const MOST_PATIENCE: Duration = Duration::from_secs(4 * 60 * 60);

/// The waits before each attempt: the first after the event, each other one after the attempt before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule(Vec<Duration>);

impl Default for Schedule {
    fn default() -> Schedule {
        Schedule([0, 30, 5 * 60, 30 * 60, 4 * 60 * 60].map(Duration::from_secs).to_vec())
    }
}

impl FromStr for Schedule {
    type Err = String;

    /// `0s,30s,5m,30m,4h`: one to five waits.
    fn from_str(text: &str) -> Result<Schedule, String> {
        let waits: Result<Vec<Duration>, _> =
            text.split(',').map(|wait| humantime::parse_duration(wait.trim())).collect();
        match waits {
            Ok(waits) if (1..=MOST_ATTEMPTS).contains(&waits.len()) => Ok(Schedule(waits)),
            _ => Err("STOA_WEBHOOK_SCHEDULE holds one to five waits with commas: 0s,30s,5m,30m,4h".to_owned()),
        }
    }
}

impl Schedule {
    /// How long the attempt after `begun` ones waits; none where there is no further one. `chance`: from 0 to 1, so that those that
    /// failed together do not come back together. `patience`: what the receiver asked for.
    pub fn wait(&self, begun: usize, chance: f64, patience: Option<Duration>) -> Option<Duration> {
        let wait = self.0.get(begun)?.mul_f64(0.8 + 0.4 * chance.clamp(0.0, 1.0));
        Some(wait.max(patience.unwrap_or_default().min(MOST_PATIENCE)))
    }

    /// How many attempts there are.
    pub fn attempts(&self) -> usize {
        self.0.len()
    }
}

/// Deliveries of an endpoint in a row that ended FAILED, and when the first of them did, milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Streak {
    pub failures: i64,
    pub since: Option<i64>,
}

impl Streak {
    /// After one more that failed.
    pub fn fail(self, now: i64) -> Streak {
        Streak { failures: self.failures.saturating_add(1), since: Some(self.since.unwrap_or(now)) }
    }

    /// Returns whether the endpoint is to be disabled.
    pub fn disables(self, now: i64) -> bool {
        self.failures >= FAILURES && self.since.is_some_and(|since| now - since >= FAILING_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_waits_jittered() {
        let schedule = Schedule::default();
        assert_eq!("0s, 30s,5m,30m,4h".parse(), Ok(schedule.clone()));
        let seconds = |chance: f64| -> Vec<f64> {
            (0..5).filter_map(|begun| schedule.wait(begun, chance, None)).map(|wait| wait.as_secs_f64()).collect()
        };
        assert_eq!(seconds(0.0), [0.0, 24.0, 240.0, 1440.0, 11_520.0]);
        assert_eq!(seconds(0.5), [0.0, 30.0, 300.0, 1800.0, 14_400.0]);
        assert_eq!(seconds(1.0), [0.0, 36.0, 360.0, 2160.0, 17_280.0]);
        assert_eq!(schedule.wait(5, 0.5, None), None);
    }

    #[test]
    fn patience_lengthens_a_wait_within_bounds_and_adds_no_attempt() {
        let schedule = Schedule::default();
        let wait =
            |begun, asked| schedule.wait(begun, 0.5, Some(Duration::from_secs(asked))).map(|wait| wait.as_secs());
        assert_eq!(
            [wait(1, 1), wait(1, 90), wait(1, 1_000_000), wait(5, 90)],
            [Some(30), Some(90), Some(14_400), None]
        );
    }

    #[test]
    fn five_failures_over_three_days_disable() {
        let day = 24 * 60 * 60 * 1000;
        let after = |instants: &[i64]| instants.iter().fold(Streak::default(), |streak, now| streak.fail(*now));
        let disables = |instants: &[i64]| after(instants).disables(*instants.last().unwrap_or(&0));
        assert!(disables(&[0, 1, 2, 3, 3 * day]));
        assert!(!disables(&[0, 1, 2, 3, 3 * day - 1]), "not three days yet");
        assert!(!disables(&[0, 1, 2, 3 * day]), "only four");
        assert!(disables(&[0, 1, 2, 3, 4, 3 * day]));
    }

    #[test]
    fn what_is_no_schedule() {
        for text in ["", "0s,", "0s,1s,2s,3s,4s,5s", "soon", "30"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
        assert_eq!("10ms".parse::<Schedule>().map(|one| one.attempts()), Ok(1));
    }
}
