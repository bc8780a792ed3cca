//! How far the loader is: a bar on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

pub struct Progress {
    bar: ProgressBar,
    /// Lines instead of a bar, and the tenth that was printed last.
    lines: Option<u64>,
}

impl Progress {
    pub fn new(total: u64) -> Progress {
        let lines = (!std::io::stderr().is_terminal()).then_some(0);
        let bar = if lines.is_some() { ProgressBar::hidden() } else { ProgressBar::new(total) };
        bar.set_length(total);
        let style = ProgressStyle::with_template("{msg} [{bar:32}] {pos}/{len} {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message("demo company");
        Progress { bar, lines }
    }

    /// One more step is done.
    pub fn step(&mut self) {
        self.bar.inc(1);
        let (position, total) = (self.bar.position(), self.bar.length().unwrap_or(1).max(1));
        if let Some(reported) = &mut self.lines {
            let tenth = position * 10 / total;
            if tenth > *reported {
                *reported = tenth;
                eprintln!("demo company: {position}/{total}");
            }
        }
    }

    pub fn finish(self) {
        self.bar.finish();
    }
}
