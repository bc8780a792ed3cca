//! Rounds: two sides measured in turn, so that a machine that is slow for a while is slow for both.

use std::time::Duration;

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub struct Rounds {
    pub count: usize,
    pub time: Duration,
}

impl Rounds {
    pub fn full() -> Rounds {
        Rounds { count: 9, time: Duration::from_millis(1500) }
    }

    pub fn quick() -> Rounds {
        Rounds { count: 3, time: Duration::from_millis(800) }
    }

    /// Times to repeat a small operation that is timed separately.
    pub fn repeats(&self, full: usize) -> usize {
        if self.count < 5 { full / 5 } else { full }
    }
}

/// The middle value; 0 if there are no values.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        count if count % 2 == 1 => values[count / 2],
        count => (values[count / 2 - 1] + values[count / 2]) / 2.0,
    }
}

/// Median of the rounds' own ratios: each compares neighbours in time.
pub fn ratio(above: &[f64], below: &[f64]) -> f64 {
    median(above.iter().zip(below).map(|(above, below)| above / below))
}
