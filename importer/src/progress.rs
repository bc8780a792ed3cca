//! How far a run is: a bar on a terminal, silence elsewhere.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};

pub struct Progress(ProgressBar);

impl Progress {
    pub fn new(total: usize) -> Progress {
        let bar = match std::io::stderr().is_terminal() {
            true => ProgressBar::new(u64::try_from(total).unwrap_or(u64::MAX)),
            false => ProgressBar::hidden(),
        };
        let style = ProgressStyle::with_template("{msg} [{bar:32}] {pos}/{len} {elapsed} (about {eta} to go)");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Progress(bar)
    }

    /// Sets the name of the records that are sent now.
    pub fn of(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    pub fn advance(&self, by: usize) {
        self.0.inc(u64::try_from(by).unwrap_or(u64::MAX));
    }

    pub fn finish(self) {
        self.0.finish_and_clear();
    }
}
