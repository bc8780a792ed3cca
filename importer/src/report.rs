//! The report of a run, as JSON lines: each batch before it is sent, with its key, and how it ended. A second run reads it, skips
//! what is done, and sends what was left without an answer again as it was, with the same key.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::batch::Item;
use crate::fault::Fault;

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
}

#[derive(Debug, Serialize, Deserialize)]
struct Ended {
    batch: u64,
    key: Uuid,
    outcome: Outcome,
    /// Ids of the variants that were made, by SKU.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    variants: BTreeMap<String, String>,
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
    last: u64,
    open: Vec<Sent>,
    /// Digests of items that are done.
    pub done: HashSet<String>,
    /// Ids of variants that were made, by SKU.
    pub variants: HashMap<String, String>,
}

/// A batch under way.
pub struct Underway {
    batch: u64,
    pub key: Uuid,
    items: Vec<String>,
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
        let mut report = Report { file, last: 0, open: Vec::new(), done: HashSet::new(), variants: HashMap::new() };
        for (nth, line) in text.get(..whole).unwrap_or_default().lines().enumerate() {
            let line = serde_json::from_str(line).with_context(|| format!("{}, line {}", report_name(), nth + 1))?;
            if nth == 0 && !matches!(line, Line::Begun { .. }) {
                bail!("{} is no report of an import", report_name());
            }
            report.learn(line, tenant).with_context(report_name)?;
        }
        if whole == 0 {
            report.write(&Line::Begun { report: 1, tenant: tenant.to_owned() })?;
        }
        Ok(report)
    }

    fn learn(&mut self, line: Line, tenant: &str) -> Result<()> {
        match line {
            Line::Begun { tenant: owner, .. } if owner != tenant => {
                bail!("it is of another company: state another by --report")
            }
            Line::Begun { .. } => {}
            Line::Sent(sent) => {
                self.last = self.last.max(sent.batch);
                self.open.retain(|known| known.batch != sent.batch);
                self.open.push(sent);
            }
            Line::Ended(ended) => {
                let position = self.open.iter().position(|sent| sent.batch == ended.batch);
                let sent = position.map(|position| self.open.remove(position));
                if ended.outcome == Outcome::Done {
                    self.done.extend(sent.into_iter().flat_map(|sent| sent.items));
                    self.variants.extend(ended.variants);
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, line: &Line) -> Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes()).context("the report cannot be written")?;
        self.file.sync_data().context("the report cannot be written")
    }

    /// Takes from the items the batches that were sent without an answer, where all their items are still there as they were.
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
            found.push((Underway { batch: sent.batch, key: sent.key, items: sent.items.clone() }, batch));
        }
        found
    }

    /// Records a batch that is about to be sent.
    pub fn record_sending(&mut self, to: &str, batch: &[Item]) -> Result<Underway> {
        self.last += 1;
        let lines =
            batch.iter().flat_map(|item| std::iter::once(item.line).chain(item.parts.iter().map(|part| part.0)));
        let lines = lines.fold((u64::MAX, 0), |(first, last), line| (first.min(line), last.max(line)));
        let items: Vec<String> = batch.iter().map(|item| item.digest.clone()).collect();
        let key = Uuid::new_v4();
        let sent =
            Sent { batch: self.last, key, outcome: Outcome::Sent, to: to.to_owned(), items: items.clone(), lines };
        self.write(&Line::Sent(sent))?;
        Ok(Underway { batch: self.last, key, items })
    }

    pub fn record_success(&mut self, underway: Underway, variants: BTreeMap<String, String>) -> Result<()> {
        let Underway { batch, key, items } = underway;
        self.done.extend(items);
        self.variants.extend(variants.iter().map(|(sku, id)| (sku.clone(), id.clone())));
        let outcome = Outcome::Done;
        self.write(&Line::Ended(Ended { batch, key, outcome, variants, code: None, faults: Vec::new() }))
    }

    pub fn record_refusal(&mut self, underway: &Underway, code: &str, faults: &[Fault]) -> Result<()> {
        let Underway { batch, key, .. } = *underway;
        let (outcome, code, faults) = (Outcome::Refused, Some(code.to_owned()), faults.to_vec());
        self.write(&Line::Ended(Ended { batch, key, outcome, variants: BTreeMap::new(), code, faults }))
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
    fn a_second_run_knows_what_was_done_and_what_is_open() {
        let path = path("second");
        let (key, refused) = {
            let mut report = Report::open(&path, "t").unwrap();
            let done = report.record_sending("products", &[item("a")]).unwrap();
            report.record_success(done, BTreeMap::from([("A".to_owned(), "id".to_owned())])).unwrap();
            let refused = report.record_sending("products", &[item("b")]).unwrap();
            report.record_refusal(&refused, "DUPLICATE", &[Fault::new(2, "sku", "DUPLICATE")]).unwrap();
            (report.record_sending("products", &[item("c"), item("d")]).unwrap().key, refused.key)
        };
        // The beginning of a line that was being written when the machine stopped.
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"batch\":9").unwrap();
        assert!(Report::open(&path, "other").is_err());
        let mut report = Report::open(&path, "t").unwrap();
        assert!(report.done.contains(&item("a").digest) && !report.done.contains(&item("b").digest));
        assert_eq!(report.variants["A"], "id");
        let mut items = vec![item("b"), item("d"), item("c"), item("e")];
        let open = report.take_unanswered("products", &mut items);
        let [(underway, batch)] = open.as_slice() else { panic!("one batch is open") };
        assert_eq!((underway.key, batch.len()), (key, 2));
        assert_eq!(batch[0].digest, item("c").digest, "in the order in which they were sent");
        assert_eq!(items.len(), 2);
        assert_ne!(key, refused);
        assert_eq!(report.record_sending("products", &[item("e")]).unwrap().batch, 4);
        assert!(Report::open(&path, "t").is_err(), "in use");
        drop(report);
        drop(std::fs::remove_file(&path));
    }

    #[test]
    fn a_batch_that_has_changed_is_not_sent_as_it_was() {
        let path = path("changed");
        drop(Report::open(&path, "t").unwrap().record_sending("products", &[item("c"), item("d")]).unwrap());
        let mut report = Report::open(&path, "t").unwrap();
        let mut items = vec![item("c"), item("changed")];
        assert!(report.take_unanswered("products", &mut items).is_empty());
        assert_eq!(items.len(), 2);
        assert!(report.take_unanswered("prices:BASE", &mut vec![item("c"), item("d")]).is_empty());
        drop(std::fs::remove_file(&path));
    }
}
