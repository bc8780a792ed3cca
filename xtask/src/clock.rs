//! How long the steps of a verb take, printed at its end.

use std::time::{Duration, Instant};

pub struct Clock {
    steps: Vec<(String, Duration)>,
}

impl Clock {
    pub fn start() -> Clock {
        Clock { steps: Vec::new() }
    }

    /// Runs a step and notes its time.
    pub fn time<T>(&mut self, step: &str, run: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let answer = run();
        self.steps.push((step.to_owned(), begin.elapsed()));
        answer
    }

    /// A line for each step, in seconds.
    pub fn print(&self) {
        for (step, took) in &self.steps {
            eprintln!("{:>7.1} s  {step}", took.as_secs_f64());
        }
        let whole: Duration = self.steps.iter().map(|(_, took)| *took).sum();
        eprintln!("{:>7.1} s  together", whole.as_secs_f64());
    }
}
