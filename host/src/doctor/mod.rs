//! Checks of settings, database and deployment, each with a remedy. They only read. No secret is printed: settings and
//! modules by name, and counts.
//!
//! A host that starts rejects much of this, one fault after the other. Here all faults are listed at once, and those
//! that come later: a disk that fills up, a clock that is wrong, deliveries that are late.

mod clocks;
mod database;
mod deployment;
mod files;
mod network;
mod places;
mod postgres;
pub mod probes;
mod settings;
mod tables;
mod webhooks;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use serde::Serialize;

use self::probes::PROBES;
use crate::database::Error;
use crate::deployment::development;
use crate::settings::Settings;

/// For all checks together. Those that have not ended then are skipped.
const LIMIT: Duration = Duration::from_millis(2_500);
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Pass,
    /// Hosts serve, and an operator should look.
    Warn,
    /// Hosts do not start, or do not do what they promise.
    Fail,
    Skipped,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    status: Status,
    /// One sentence about what was found.
    says: String,
}

/// A check with its result, as it is printed.
#[derive(Debug, Serialize)]
pub struct Examined {
    pub id: &'static str,
    pub status: Status,
    pub says: String,
    /// Absent where there is nothing to do.
    pub remedy: Option<&'static str>,
}

impl Diagnosis {
    fn pass(says: impl Into<String>) -> Diagnosis {
        Diagnosis { status: Status::Pass, says: says.into() }
    }

    fn warn(says: impl Into<String>) -> Diagnosis {
        Diagnosis { status: Status::Warn, says: says.into() }
    }

    fn fail(says: impl Into<String>) -> Diagnosis {
        Diagnosis { status: Status::Fail, says: says.into() }
    }

    fn skip(says: impl Into<String>) -> Diagnosis {
        Diagnosis { status: Status::Skipped, says: says.into() }
    }

    /// A check that cannot be made is skipped: another one names the reason.
    fn from_error(error: &Error) -> Diagnosis {
        Diagnosis::skip(format!("the database did not answer: {error}"))
    }

    /// `wrong` names what is wrong, at most a few of them.
    fn fail_if_any(wrong: &[String], what: &str, else_says: &str) -> Diagnosis {
        const SHOWN: usize = 5;
        if wrong.is_empty() {
            return Diagnosis::pass(else_says);
        }
        let shown: Vec<&str> = wrong.iter().take(SHOWN).map(String::as_str).collect();
        let rest = if wrong.len() > SHOWN { ", ..." } else { "" };
        Diagnosis::fail(format!("{} {what}: {}{rest}", wrong.len(), shown.join(", ")))
    }
}

impl From<Result<Diagnosis, Error>> for Diagnosis {
    fn from(result: Result<Diagnosis, Error>) -> Diagnosis {
        result.unwrap_or_else(|error| Diagnosis::from_error(&error))
    }
}

/// Results so far. Clones share them.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<BTreeMap<&'static str, Diagnosis>>>);

impl Notes {
    fn note(&self, id: &'static str, diagnosis: impl Into<Diagnosis>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, diagnosis.into());
    }

    /// Every check, in the order of [`PROBES`].
    fn list(&self) -> Vec<Examined> {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let list = PROBES.iter().map(|probe| {
            let missing = || Diagnosis::skip("not checked: an earlier check failed, or the time was over");
            let Diagnosis { status, says } = notes.remove(probe.id).unwrap_or_else(missing);
            let remedy = matches!(status, Status::Warn | Status::Fail).then_some(probe.remedy);
            Examined { id: probe.id, status, says, remedy }
        });
        list.collect()
    }
}

/// Makes every check. It takes less than three seconds.
pub async fn examine(settings: Settings) -> Vec<Examined> {
    // Next to a --dev host is its data folder, with the key that it trusts.
    let dev = settings.dev || development::signing_key_file(&settings.data_dir).exists();
    let settings = Arc::new(Settings { dev, ..settings });
    let notes = Notes::default();
    settings::examine(&settings, &notes);
    files::examine(&settings, &notes);
    let parts = [
        tokio::spawn(database::examine(settings.clone(), notes.clone())),
        tokio::spawn(places::examine(settings.clone(), notes.clone())),
        tokio::spawn(network::examine_issuers(settings.clone(), notes.clone())),
        tokio::spawn(network::examine_host(settings, notes.clone())),
    ];
    // Late ones are left behind: their findings so far are noted.
    let _ = tokio::time::timeout(LIMIT, join_all(parts)).await;
    notes.list()
}

/// The list where the settings cannot be read.
pub fn explain_unread(error: &anyhow::Error) -> Vec<Examined> {
    let notes = Notes::default();
    notes.note("settings.valid", settings::explain_unread(error));
    notes.list()
}
