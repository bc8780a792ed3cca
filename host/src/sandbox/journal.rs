//! The last lines and failures of each module on this host, for operators. All versions of a module share one journal,
//! so that who follows it sees a swap. It is kept in memory and is bounded; the host's log has the lines as well.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{SecondsFormat, Utc};
use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::timeout;
use uuid::Uuid;

use super::failure::Failure;
use super::module::Module;
use crate::wit::log::Level;

/// Lines and failures that a journal keeps, and bytes of the lines' texts.
const LINES: usize = 2_000;
const BYTES: usize = 1 << 20;
const FAILURES: usize = 50;
/// Longest line of a module.
pub const LONGEST_LINE: usize = 2_000;
/// Lines and bytes that all modules of one request may log. The host adds some 100 bytes to each line, even to an empty
/// one.
const REQUEST_LINES: usize = 100;
const REQUEST_BYTES: usize = 64 << 10;

/// The journals of this process, by the modules' names.
static JOURNALS: LazyLock<Mutex<BTreeMap<String, Arc<Journal>>>> = LazyLock::new(Mutex::default);

/// A line, or a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    /// Lines and failures of a journal are counted together, from 1.
    seq: u64,
    at: String,
    version: String,
    request: Uuid,
    operation: String,
    /// Level of a line; of a failure `fault`, `limit` or `time`.
    kind: &'static str,
    text: String,
}

/// A part of a journal.
#[derive(Debug, Serialize)]
pub struct JournalPage {
    lines: Vec<Entry>,
    failures: Vec<Entry>,
    /// Number of the newest entry: the next page is asked after it.
    next: u64,
    /// Entries after the asked one that are not kept any more.
    lost: u64,
}

pub struct Journal {
    entries: Mutex<Entries>,
    written: Notify,
}

#[derive(Default)]
struct Entries {
    newest: u64,
    lines: VecDeque<Entry>,
    bytes: usize,
    failures: VecDeque<Entry>,
}

/// The author of an entry: a module, in a request.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub module: &'a Module,
    pub operation: &'a str,
    pub request: Uuid,
}

/// The lines that the modules of a request may still log, and the number of those that each logged beyond.
pub struct LineBudget {
    lines: usize,
    bytes: usize,
    dropped: Vec<(Arc<Module>, u64)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The journal of the module of this name, made if there is none.
pub fn open_journal(module: &str) -> Arc<Journal> {
    let mut journals = lock(&JOURNALS);
    if let Some(journal) = journals.get(module) {
        return journal.clone();
    }
    let journal = Arc::new(Journal { entries: Mutex::default(), written: Notify::new() });
    journals.insert(module.to_owned(), journal.clone());
    journal
}

/// The journal of a module that has written.
pub fn find_journal(module: &str) -> Option<Arc<Journal>> {
    lock(&JOURNALS).get(module).cloned()
}

/// A module's words, which stay on their line and command no terminal.
pub fn flatten_text(text: &str, longest: usize) -> String {
    let plain = |letter: char| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter };
    text.chars().take(longest).map(plain).collect()
}

impl Default for LineBudget {
    fn default() -> LineBudget {
        LineBudget { lines: REQUEST_LINES, bytes: REQUEST_BYTES, dropped: Vec::new() }
    }
}

impl LineBudget {
    /// Returns whether a line may be written. A line that may not is counted.
    pub fn take(&mut self, module: &Arc<Module>, bytes: usize) -> bool {
        if self.lines > 0 && self.bytes >= bytes {
            (self.lines, self.bytes) = (self.lines - 1, self.bytes - bytes);
            return true;
        }
        // A module that passed the bound writes no further line: a hole in the middle would mislead.
        self.lines = 0;
        match self.dropped.iter_mut().find(|(dropped, _)| Arc::ptr_eq(dropped, module)) {
            Some((_, count)) => *count += 1,
            None => self.dropped.push((module.clone(), 1)),
        }
        false
    }

    /// Writes how many lines of each module were dropped.
    pub fn report_dropped(&mut self, operation: &str, request: Uuid) {
        for (module, count) in self.dropped.drain(..) {
            let bounds = format!("{REQUEST_LINES} lines or {} KiB", REQUEST_BYTES >> 10);
            let source = Source { module: &module, operation, request };
            source.write_line(Level::Warn, format!("{count} lines dropped: a request logs at most {bounds}"));
        }
    }
}

impl Source<'_> {
    /// Writes a line to the host's log and to the module's journal. The text is flat.
    pub fn write_line(&self, level: Level, text: String) {
        let Source { module, operation, request } = *self;
        let name = module.name.as_str();
        let kind = match level {
            Level::Debug => {
                tracing::debug!(target: "stoa::module", module = name, %request, operation, "{text}");
                "debug"
            }
            Level::Info => {
                tracing::info!(target: "stoa::module", module = name, %request, operation, "{text}");
                "info"
            }
            Level::Warn => {
                tracing::warn!(target: "stoa::module", module = name, %request, operation, "{text}");
                "warn"
            }
            Level::Error => {
                tracing::error!(target: "stoa::module", module = name, %request, operation, "{text}");
                "error"
            }
        };
        open_journal(name).add(|entries| {
            let entry = self.entry(entries, kind, text);
            entries.add_line(entry);
        });
    }

    /// Writes a failure that is the module's own to its journal; the host's log has it where the request ends.
    pub fn write_failure(&self, failure: &Failure) {
        let Some(kind) = failure.kind() else { return };
        open_journal(&self.module.name).add(|entries| {
            let entry = self.entry(entries, kind, failure.to_string());
            entries.add_failure(entry);
        });
    }

    fn entry(&self, entries: &mut Entries, kind: &'static str, text: String) -> Entry {
        entries.newest += 1;
        Entry {
            seq: entries.newest,
            at: Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true),
            version: self.module.version.clone(),
            request: self.request,
            operation: self.operation.to_owned(),
            kind,
            text,
        }
    }
}

impl Entries {
    fn add_line(&mut self, line: Entry) {
        self.bytes += line.text.len();
        self.lines.push_back(line);
        while self.lines.len() > LINES || self.bytes > BYTES {
            let Some(oldest) = self.lines.pop_front() else { break };
            self.bytes -= oldest.text.len();
        }
    }

    fn add_failure(&mut self, failure: Entry) {
        self.failures.push_back(failure);
        if self.failures.len() > FAILURES {
            self.failures.pop_front();
        }
    }

    /// The entries after this number. A number that is not reached yet is of the process before: everything is new.
    fn read_after(&self, seq: u64) -> JournalPage {
        let after = if seq > self.newest { 0 } else { seq };
        let read = |entries: &VecDeque<Entry>| -> Vec<Entry> {
            entries.iter().filter(|entry| entry.seq > after).cloned().collect()
        };
        let (lines, failures) = (read(&self.lines), read(&self.failures));
        let kept = u64::try_from(lines.len() + failures.len()).unwrap_or(u64::MAX);
        // A caller that asks for the first time misses nothing.
        let lost = if after == 0 { 0 } else { (self.newest - after).saturating_sub(kept) };
        JournalPage { lines, failures, next: self.newest, lost }
    }
}

impl Journal {
    fn add(&self, write: impl FnOnce(&mut Entries)) {
        write(&mut lock(&self.entries));
        self.written.notify_waiters();
    }

    /// The entries after this number; where there are none, those that come within this time.
    pub async fn read_after(&self, seq: u64, wait: Duration) -> JournalPage {
        // Before the look, so that nothing is missed between the look and the wait.
        let mut written = std::pin::pin!(self.written.notified());
        written.as_mut().enable();
        let page = lock(&self.entries).read_after(seq);
        if page.next != seq || wait.is_zero() {
            return page;
        }
        // A wait that ends without an entry answers an empty page.
        let _ = timeout(wait, written).await;
        lock(&self.entries).read_after(seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(entries: &mut Entries, text: &str) -> Entry {
        entries.newest += 1;
        Entry {
            seq: entries.newest,
            at: String::new(),
            version: "1.0.0".to_owned(),
            request: Uuid::nil(),
            operation: "sell".to_owned(),
            kind: "info",
            text: text.to_owned(),
        }
    }

    fn add_line(entries: &mut Entries, text: &str) {
        let line = entry(entries, text);
        entries.add_line(line);
    }

    fn texts(page: &JournalPage) -> Vec<&str> {
        page.lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn a_page_has_what_came_after_the_one_before() {
        let mut entries = Entries::default();
        add_line(&mut entries, "a");
        let failure = entry(&mut entries, "f");
        entries.add_failure(failure);
        add_line(&mut entries, "b");
        let all = entries.read_after(0);
        assert_eq!((texts(&all), all.failures.len(), all.next, all.lost), (vec!["a", "b"], 1, 3, 0));
        let rest = entries.read_after(2);
        assert_eq!((texts(&rest), rest.failures.len(), rest.next, rest.lost), (vec!["b"], 0, 3, 0));
        assert_eq!(texts(&entries.read_after(3)), Vec::<&str>::new());
        assert_eq!(texts(&entries.read_after(99)), vec!["a", "b"], "the host began again");
    }

    #[test]
    fn a_journal_keeps_so_many_lines_and_so_many_bytes() {
        let mut entries = Entries::default();
        for n in 0..=LINES {
            add_line(&mut entries, &n.to_string());
        }
        let page = entries.read_after(1);
        assert_eq!((page.lines.len(), page.lost), (LINES, 0), "the first is the one that went");
        add_line(&mut entries, "x");
        assert_eq!(entries.read_after(1).lost, 1);
        let wide = "x".repeat(BYTES / 2);
        (0..3).for_each(|_| add_line(&mut entries, &wide));
        assert_eq!((entries.lines.len(), entries.bytes), (2, BYTES));
        for n in 0..=FAILURES {
            let failure = entry(&mut entries, &n.to_string());
            entries.add_failure(failure);
        }
        assert_eq!(entries.failures.len(), FAILURES);
        assert_eq!(entries.failures[0].text, "1");
    }

    #[test]
    fn words_stay_on_their_line() {
        assert_eq!(flatten_text("a\nb\u{1b}[31m", 4), "a\u{fffd}b\u{fffd}");
    }

    #[tokio::test]
    async fn a_reader_waits_for_what_comes() {
        let journal = Journal { entries: Mutex::default(), written: Notify::new() };
        journal.add(|entries| add_line(entries, "a"));
        let hour = Duration::from_secs(3_600);
        let written = async {
            tokio::task::yield_now().await;
            journal.add(|entries| add_line(entries, "b"));
        };
        let (page, ()) = tokio::join!(journal.read_after(1, hour), written);
        assert_eq!(texts(&page), ["b"]);
        assert_eq!(texts(&journal.read_after(2, Duration::from_millis(1)).await), Vec::<&str>::new());
    }
}
