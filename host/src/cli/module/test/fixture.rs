//! A fixture: calls in their order and what each must answer, as JSON. `components/README.md` is its manual.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fixture {
    pub about: Option<String>,
    /// Makes the company as onboarding does, with these members; absent: the modules find an empty company.
    pub provision: Option<Map<String, Json>>,
    /// An earlier version of the component, in the fixture's folder: the company begins with it and is upgraded.
    pub from: Option<PathBuf>,
    /// On the earlier version, before the upgrade.
    #[serde(default)]
    pub before: Vec<FixtureStep>,
    pub steps: Vec<FixtureStep>,
    /// On the earlier version again, after the way back.
    #[serde(default)]
    pub back: Vec<FixtureStep>,
    /// On the new version again, after a second upgrade.
    #[serde(default)]
    pub again: Vec<FixtureStep>,
}

/// A part of a fixture that runs on one version.
#[derive(Clone, Copy)]
pub struct Phase<'a> {
    pub name: &'static str,
    pub is_old: bool,
    pub steps: &'a [FixtureStep],
}

impl Fixture {
    /// Its phases in their order. The company goes back only where steps run on the way back, or after it.
    pub fn phases(&self) -> anyhow::Result<Vec<Phase<'_>>> {
        let is_plain = self.before.is_empty() && self.back.is_empty() && self.again.is_empty();
        let phase = |name, is_old, steps| Phase { name, is_old, steps };
        let new = phase("steps", false, self.steps.as_slice());
        if self.from.is_none() {
            anyhow::ensure!(is_plain, "`before`, `back` and `again` need `from`");
            return Ok(vec![new]);
        }
        let mut phases = vec![phase("before", true, self.before.as_slice()), new];
        if !self.back.is_empty() || !self.again.is_empty() {
            phases.push(phase("back", true, &self.back));
        }
        if !self.again.is_empty() {
            phases.push(phase("again", false, &self.again));
        }
        Ok(phases)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FixtureStep {
    pub about: Option<String>,
    /// Operation of the module, or of one that it is tested with.
    pub operation: Option<String>,
    /// Instead of an operation: the code of a timer, whose window ends at the instant of the step and begins where its last one ended.
    /// The status is then 200, unless the module rejects.
    pub timer: Option<String>,
    /// Path and query parameters by name: texts, numbers, booleans.
    #[serde(default)]
    pub path: Map<String, Json>,
    #[serde(default)]
    pub query: Map<String, Json>,
    pub body: Option<Json>,
    pub if_match: Option<String>,
    /// Permissions of the caller; absent: all of them.
    pub permissions: Option<Vec<String>>,
    /// Caller: a user's or an API client's id.
    pub actor: Option<uuid::Uuid>,
    /// The instant of the request; absent: noon of 2026-01-01, and a second more with each step.
    pub now: Option<chrono::DateTime<chrono::Utc>>,
    pub expect: Expect,
    /// The name under which later steps find the answer: `$name`, `$name/member/0`.
    pub save: Option<String>,
}

impl FixtureStep {
    /// The operation or timer that it runs, for the output.
    pub fn describe(&self) -> String {
        match (&self.operation, &self.timer) {
            (None, Some(timer)) => format!("timer {timer}"),
            (operation, _) => operation.clone().unwrap_or_default(),
        }
    }
}

/// The expected answer; absent members are not checked.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expect {
    pub status: u16,
    /// The expected body; for a refusal: `code` and `errors`.
    pub body: Option<Json>,
    pub etag: Option<Json>,
    /// In their order: kinds, or whole events.
    pub events: Option<Vec<Json>>,
}
