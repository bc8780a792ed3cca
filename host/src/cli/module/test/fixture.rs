//! A fixture: calls in their order and what each must answer, as JSON. `components/README.md` is its manual.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fixture {
    pub about: Option<String>,
    /// Makes the company as onboarding does, with these members; absent: the modules find an empty company.
    pub provision: Option<Map<String, Json>>,
    pub steps: Vec<FixtureStep>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FixtureStep {
    pub about: Option<String>,
    /// Operation of the module, or of one that it is tested with.
    pub operation: String,
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
