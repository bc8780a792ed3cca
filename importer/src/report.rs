//! The report of a run, as JSON lines: each batch before it is sent, with its key, and how it ended. The next run reads it and
//! sends a batch without a response again as it was, with the same key. A run that reaches its end removes the report: the
//! comparison with the service's records finds everything else.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::batch::Item;
use crate::fault::Fault;

/// Version of the report's lines.
const VERSION: u32 = 2;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", untagged)]
enum Line {
    Sent(Sent),
    Ended(Ended),
    Begun { report: u32, tenant: String },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Sent {
    batch: u64,
    key: Uuid,
    outcome: Outcome,
    /// `products`, or `prices:CODE`.
    to: String,
    /// Digests of its items.
    items: Vec<String>,
    /// First and last line of the file.
    lines: (u64, u64),
    /// When prices begin that begin with the run.
    from: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Ended {
    batch: u64,
    key: Uuid,
    outcome: Outcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    faults: Vec<Fault>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Sent,
    Done,
    Refused,
}

pub struct Report {
    file: File,
    path: PathBuf,
    last: u64,
    open: Vec<Sent>,
}

/// A batch under way.
pub struct Underway {
    batch: u64,
    pub key: Uuid,
    pub from: String,
}

impl Report {
    /// # Errors
    /// Where the file is another company's, is in use, or cannot be read or written.
    pub fn open(path: &Path, tenant: &str) -> Result<Report> {
        let report_name = || format!("the report {}", path.display());
        let mut file = File::options().read(true).append(true).create(true).open(path).with_context(report_name)?;
        if file.try_lock().is_err() {
            bail!("{} is in use by another run", report_name());
        }
        let mut text = String::new();
        file.read_to_string(&mut text).with_context(report_name)?;
        // A line that was cut off when the machine stopped was not yet acted upon.
        let whole = text.rfind('\n').map_or(0, |newline| newline + 1);
        if whole < text.len() {
            file.set_len(u64::try_from(whole)?)?;
            file.seek(SeekFrom::End(0))?;
        }
        let mut report = Report { file, path: path.to_owned(), last: 0, open: Vec::new() };
        let mut lines = text.get(..whole).unwrap_or_default().lines().enumerate();
        let mut read = |(nth, line)| {
            serde_json::from_str::<Line>(line).with_context(|| format!("{}, line {}", report_name(), nth + 1))
        };
        match lines.next().map(&mut read).transpose()? {
            Some(Line::Begun { tenant: owner, .. }) if owner != tenant => {
                bail!("{} is of another company: state another by --report", report_name())
            }
            Some(Line::Begun { report: VERSION, .. }) => {
                for line in lines {
                    report.learn(read(line)?);
                }
            }
            // An older importer's, whose batches have other bodies: the comparison finds what it did.
            Some(Line::Begun { .. }) => {
                report.file.set_len(0)?;
                report.begin(tenant)?;
            }
            Some(_) => bail!("{} is no report of an import", report_name()),
            None => report.begin(tenant)?,
        }
        Ok(report)
    }

    fn begin(&mut self, tenant: &str) -> Result<()> {
        self.write(&Line::Begun { report: VERSION, tenant: tenant.to_owned() })
    }

    /// Removes the report of a run that has reached its end.
    ///
    /// # Errors
    /// Where the file cannot be removed.
    pub fn remove(self) -> Result<()> {
        std::fs::remove_file(&self.path).with_context(|| format!("cannot remove the report {}", self.path.display()))
    }

    fn learn(&mut self, line: Line) {
        match line {
            Line::Begun { .. } => {}
            Line::Sent(sent) => {
                self.last = self.last.max(sent.batch);
                self.open.retain(|known| known.batch != sent.batch);
                self.open.push(sent);
            }
            Line::Ended(ended) => self.open.retain(|sent| sent.batch != ended.batch),
        }
    }

    fn write(&mut self, line: &Line) -> Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes()).context("the report cannot be written")?;
        self.file.sync_data().context("the report cannot be written")
    }

    /// Takes from the items the batches that got no response, where all their items are still there as they were.
    pub fn take_unanswered(&mut self, to: &str, items: &mut Vec<Item>) -> Vec<(Underway, Vec<Item>)> {
        let mut found = Vec::new();
        for sent in self.open.iter().filter(|sent| sent.to == to) {
            let place = |digest: &String| items.iter().position(|item| item.digest == *digest);
            if !sent.items.iter().all(|digest| place(digest).is_some()) {
                continue;
            }
            let mut batch = Vec::new();
            for digest in &sent.items {
                if let Some(position) = items.iter().position(|item| item.digest == *digest) {
                    batch.push(items.remove(position));
                }
            }
            found.push((Underway { batch: sent.batch, key: sent.key, from: sent.from.clone() }, batch));
        }
        found
    }

    /// Records a batch that is about to be sent. `from`: when its prices begin that begin with the run.
    pub fn record_sending(&mut self, to: &str, batch: &[Item], from: &str) -> Result<Underway> {
        self.last += 1;
        let lines = batch.iter().flat_map(Item::rows);
        let lines = lines.fold((u64::MAX, 0), |(first, last), line| (first.min(line), last.max(line)));
        let items = batch.iter().map(|item| item.digest.clone()).collect();
        let (batch, key, from) = (self.last, Uuid::new_v4(), from.to_owned());
        let sent = Sent { batch, key, outcome: Outcome::Sent, to: to.to_owned(), items, lines, from: from.clone() };
        self.write(&Line::Sent(sent))?;
        Ok(Underway { batch, key, from })
    }

    pub fn record_success(&mut self, underway: &Underway) -> Result<()> {
        let Underway { batch, key, .. } = *underway;
        self.write(&Line::Ended(Ended { batch, key, outcome: Outcome::Done, code: None, faults: Vec::new() }))
    }

    pub fn record_refusal(&mut self, underway: &Underway, code: &str, faults: &[Fault]) -> Result<()> {
        let Underway { batch, key, .. } = *underway;
        let (code, faults) = (Some(code.to_owned()), faults.to_vec());
        self.write(&Line::Ended(Ended { batch, key, outcome: Outcome::Refused, code, faults }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::batch::Place;

    fn item(name: &str) -> Item {
        Item::new(Place::Product, "products", json!({ "name": name }), 2, Vec::new(), "")
    }

    fn path(name: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("stoa-report-{}-{name}.jsonl", std::process::id()));
        drop(std::fs::remove_file(&path));
        path
    }

    #[test]
    fn the_next_run_finds_the_batch_without_an_answer() {
        let path = path("second");
        let (key, refused) = {
            let mut report = Report::open(&path, "t").unwrap();
            let done = report.record_sending("products", &[item("a")], "then").unwrap();
            report.record_success(&done).unwrap();
            let refused = report.record_sending("products", &[item("b")], "then").unwrap();
            report.record_refusal(&refused, "DUPLICATE", &[Fault::new(2, "sku", "DUPLICATE")]).unwrap();
            (report.record_sending("products", &[item("c"), item("d")], "then").unwrap().key, refused.key)
        };
        // The beginning of a line that was being written when the machine stopped.
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"batch\":9").unwrap();
        assert!(Report::open(&path, "other").is_err());
        let mut report = Report::open(&path, "t").unwrap();
        let mut items = vec![item("a"), item("b"), item("d"), item("c"), item("e")];
        let open = report.take_unanswered("products", &mut items);
        let [(underway, batch)] = open.as_slice() else { panic!("one batch is open") };
        assert_eq!((underway.key, underway.from.as_str(), batch.len()), (key, "then", 2));
        assert_eq!(batch[0].digest, item("c").digest, "in the order in which they were sent");
        assert_eq!(items.len(), 3);
        assert_ne!(key, refused);
        assert_eq!(report.record_sending("products", &[item("e")], "now").unwrap().batch, 4);
        assert!(Report::open(&path, "t").is_err(), "in use");
        report.remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn the_report_of_an_older_importer_is_begun_anew() {
        let path = path("older");
        let old = "{\"report\":1,\"tenant\":\"t\"}\n{\"batch\":1,\"key\":\"0190c1a0-0000-4000-8000-000000000000\",\"outcome\":\"sent\",\"to\":\"products\",\"items\":[],\"lines\":[2,2]}\n";
        std::fs::write(&path, old).unwrap();
        let mut report = Report::open(&path, "t").unwrap();
        assert!(report.take_unanswered("products", &mut vec![item("a")]).is_empty());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"report\":2,\"tenant\":\"t\"}\n");
        report.remove().unwrap();
    }

    #[test]
    fn a_batch_that_has_changed_is_not_sent_as_it_was() {
        let path = path("changed");
        drop(Report::open(&path, "t").unwrap().record_sending("products", &[item("c"), item("d")], "then").unwrap());
        let mut report = Report::open(&path, "t").unwrap();
        let mut items = vec![item("c"), item("changed")];
        assert!(report.take_unanswered("products", &mut items).is_empty());
        assert_eq!(items.len(), 2);
        assert!(report.take_unanswered("prices:BASE", &mut vec![item("c"), item("d")]).is_empty());
        report.remove().unwrap();
    }
}
