//! An answer, and what every answer of the service must be: traceable, and on refusal a problem of the documented list.

use std::ops::Index;

use reqwest::header::HeaderMap;
use serde_json::Value as Json;

/// Status, headers and body of an answer, with the request in words for the message of a failed assertion.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    /// Null where the body is not JSON.
    pub body: Json,
    pub bytes: Vec<u8>,
    pub asked: String,
}

impl Answer {
    /// An answer of the private listener: it has manners of its own.
    pub(crate) async fn of_operator(path: &str, response: reqwest::Response) -> Answer {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await.map(|bytes| bytes.to_vec()).unwrap_or_default();
        let body = serde_json::from_slice(&bytes).unwrap_or(Json::Null);
        Answer { status, headers, body, bytes, asked: format!("/operator/{path}") }
    }

    /// Asserts the status.
    #[track_caller]
    pub fn is(self, status: u16) -> Answer {
        assert!(self.status == status, "expected {status}: {self}");
        self
    }

    /// Asserts a refusal with this status and code.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Answer {
        assert!(self.status == status && self.body["code"] == code, "expected {status} {code}: {self}");
        self
    }

    /// Asserts that one of the faults is at this pointer.
    #[track_caller]
    pub fn at(self, pointer: &str) -> Answer {
        assert!(self.pointers().iter().any(|known| known == pointer), "expected a fault at {pointer:?}: {self}");
        self
    }

    /// Asserts that one of the faults is at this pointer with this code.
    #[track_caller]
    pub fn fault(self, pointer: &str, code: &str) -> Answer {
        let found = self.errors().iter().any(|item| item["pointer"] == pointer && item["code"] == code);
        assert!(found, "expected fault {code} at {pointer:?}: {self}");
        self
    }

    /// Asserts that the fault at this pointer names these bounds.
    #[track_caller]
    pub fn bounds(self, pointer: &str, bounds: Json) -> Answer {
        let found = self.errors().iter().any(|item| item["pointer"] == pointer && item["expected"] == bounds);
        assert!(found, "expected bounds {bounds} at {pointer:?}: {self}");
        self
    }

    pub fn errors(&self) -> &[Json] {
        self.body["errors"].as_array().map_or(&[], Vec::as_slice)
    }

    pub fn pointers(&self) -> Vec<String> {
        self.errors().iter().filter_map(|item| item["pointer"].as_str().map(str::to_string)).collect()
    }

    /// The record's id.
    #[track_caller]
    pub fn id(&self) -> String {
        self.body["id"].as_str().unwrap_or_else(|| panic!("no id: {self}")).to_string()
    }

    /// Returns whether its body holds this text.
    pub fn tells(&self, text: &str) -> bool {
        // The request's id is random: a few digits of it may be those.
        let id = self.body["requestId"].as_str().unwrap_or_default();
        String::from_utf8_lossy(&self.bytes).replace(id, "").contains(text)
    }

    /// A text member of the body.
    #[track_caller]
    pub fn text(&self, member: &str) -> String {
        self.body[member].as_str().unwrap_or_else(|| panic!("no text {member}: {self}")).to_string()
    }

    #[track_caller]
    pub fn items(&self) -> &[Json] {
        self.body["items"].as_array().unwrap_or_else(|| panic!("no items: {self}"))
    }

    pub fn ids(&self) -> Vec<String> {
        self.items().iter().filter_map(|item| item["id"].as_str().map(str::to_string)).collect()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub fn etag(&self) -> String {
        self.header("etag").unwrap_or_else(|| panic!("no ETag: {self}")).to_string()
    }

    pub fn replayed(&self) -> bool {
        self.header("idempotency-replayed") == Some("true")
    }

    /// The problem without what differs from request to request, for comparing two refusals.
    pub fn masked(&self) -> (u16, Json) {
        let mut body = self.body.clone();
        if let Some(members) = body.as_object_mut() {
            members.remove("requestId");
        }
        (self.status, body)
    }

    /// Checks the rules of every answer: a request id of ours in the header, and a refusal is a problem that repeats it.
    #[track_caller]
    pub fn check_manners(&self) {
        let id = self.header("x-request-id").unwrap_or_else(|| panic!("no X-Request-Id: {self}"));
        let version = uuid::Uuid::parse_str(id).map(|id| id.get_version_num());
        assert_eq!(version, Ok(7), "X-Request-Id is no UUIDv7: {self}");
        if self.status < 400 || self.asked.starts_with("HEAD ") {
            return;
        }
        let kind = self.header("content-type").unwrap_or_default();
        assert_eq!(kind, "application/problem+json", "a refusal is problem+json: {self}");
        let body = &self.body;
        assert_eq!(body["type"], "about:blank", "{self}");
        assert_eq!(body["status"], self.status, "{self}");
        assert_eq!(body["requestId"], id, "requestId is not X-Request-Id: {self}");
        for member in ["title", "detail", "code"] {
            assert!(body[member].as_str().is_some_and(|text| !text.is_empty()), "no {member}: {self}");
        }
        for item in self.errors() {
            // Rules that no schema states name their bounds as schemas do, but for counts that only a record shows.
            let is_named = item["expected"].as_object().is_some_and(|bounds| !bounds.is_empty());
            let needs_bounds = item["code"] == "RANGE" || item["code"] == "LIMIT_EXCEEDED";
            assert!(is_named || !needs_bounds, "no bounds at {}: {self}", item["pointer"]);
        }
        let known = ["type", "status", "code", "title", "detail", "requestId", "errors"];
        let unknown = body.as_object().into_iter().flatten().find(|(name, _)| !known.contains(&name.as_str()));
        assert!(unknown.is_none(), "unknown member of a problem: {self}");
        assert!(self.errors().len() <= 200, "more than 200 faults: {self}");
        for item in self.errors() {
            assert!(item["pointer"].is_string() && item["code"].is_string(), "fault without pointer or code: {self}");
        }
        let status = CODES.iter().find(|(code, _)| body["code"] == *code).map(|(_, status)| *status);
        assert!(status.is_none_or(|status| status == self.status), "the code belongs to {status:?}: {self}");
        if self.status == 503 || self.status == 429 {
            let seconds = self.header("retry-after").and_then(|text| text.parse::<u32>().ok());
            assert!(seconds.is_some_and(|seconds| seconds >= 1), "no Retry-After: {self}");
        }
        if self.status == 401 {
            let scheme = self.header("www-authenticate").unwrap_or_default();
            assert!(scheme.starts_with("Bearer"), "no WWW-Authenticate: Bearer: {self}");
        }
        if self.status == 405 {
            assert!(self.header("allow").is_some_and(|allow| !allow.is_empty()), "no Allow: {self}");
        }
    }
}

impl Index<&str> for Answer {
    type Output = Json;
    fn index(&self, member: &str) -> &Json {
        &self.body[member]
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = String::from_utf8_lossy(&self.bytes);
        let short: String = text.chars().take(1500).collect();
        write!(out, "{}\n  answered {} {short}", self.asked, self.status)
    }
}

/// The host's codes (conventions.md) with their status. Those that modules declare are not among them.
pub const CODES: &[(&str, u16)] = &[
    ("VALIDATION_FAILED", 400),
    ("MALFORMED_JSON", 400),
    ("IDEMPOTENCY_KEY_REQUIRED", 400),
    ("IDEMPOTENCY_KEY_INVALID", 400),
    ("UNKNOWN_QUERY_PARAMETER", 400),
    ("UNAUTHENTICATED", 401),
    ("PERMISSION_DENIED", 403),
    ("SCOPE_DENIED", 403),
    ("WRONG_IDENTITY_FAMILY", 403),
    ("IDENTITY_UNVERIFIED", 403),
    ("MEMBERSHIP_REQUIRED", 403),
    ("TENANT_SUSPENDED", 403),
    ("NOT_FOUND", 404),
    ("METHOD_NOT_ALLOWED", 405),
    ("NOT_ACCEPTABLE", 406),
    ("IDEMPOTENCY_KEY_REUSED", 409),
    ("IDEMPOTENCY_KEY_EXPIRED", 409),
    ("CREDENTIAL_ALREADY_DELIVERED", 409),
    ("VERSION_CONFLICT", 409),
    ("DUPLICATE", 409),
    ("ARCHIVED", 409),
    ("IMMUTABLE_FIELD", 409),
    ("ILLEGAL_STATE", 409),
    ("LAST_MANAGER", 409),
    ("REFERENCE_INVALID", 409),
    ("LIMIT_EXCEEDED", 409),
    ("PRECONDITION_FAILED", 412),
    ("PAYLOAD_TOO_LARGE", 413),
    ("UNSUPPORTED_MEDIA_TYPE", 415),
    ("RATE_LIMITED", 429),
    ("QUOTA_EXCEEDED", 429),
    ("COMPANY_LIMIT_REACHED", 429),
    ("PUBLIC_API_DISABLED", 429),
    ("INTERNAL", 500),
    ("MODULE_FAILED", 500),
    ("UNAVAILABLE", 503),
    ("MODULE_UNAVAILABLE", 503),
];
