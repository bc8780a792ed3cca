//! Refusals as values: a code, its status and its one fixed sentence. The host's list holds what the host answers and the
//! words that every module shares; a code of only one trade is declared by the module that responds with it.
//!
//! Which error type to use when: below the pipeline, a function that can be rejected for a reason the caller should receive
//! returns `Problem`; one that fails for a reason only an operator can fix returns its own error (`database::Error`,
//! `anyhow::Error` at start-up), which the pipeline maps to INTERNAL or UNAVAILABLE and logs once.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

/// A problem as the pipeline passes it on; `http::problem` renders it as RFC 9457.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    pub code: Cow<'static, str>,
    pub status: u16,
    pub detail: Cow<'static, str>,
    pub errors: Vec<Item>,
    /// Seconds, for `Retry-After`.
    pub retry_after: Option<u32>,
    /// How much the window that rejects admits, where it is not one of the governor's: `X-RateLimit-*` are then of this window.
    pub window: Option<u32>,
    /// The fault of the credential that came, for `WWW-Authenticate` of a 401 or 403 (RFC 6750, 3).
    pub credential: Option<&'static str>,
}

/// One fault: where, and what kind. Never a value that the caller sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// JSON pointer into the body, or `/path/<name>`, `/query/<name>`, `/header/<name>`.
    pub pointer: String,
    pub code: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identified: Option<u32>,
    /// The rule of the schema that was not met, in its own keywords; of members that it does not know those that it knows. For a
    /// rule that no schema states its bounds, and the unit that they count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// Id of the record that is in the way, if the caller may read it.
    #[serde(rename = "conflictsWith", skip_serializing_if = "Option::is_none")]
    pub conflicts_with: Option<Uuid>,
}

impl Item {
    pub fn new(pointer: impl Into<String>, code: &'static str) -> Item {
        Item {
            pointer: pointer.into(),
            code: Cow::Borrowed(code),
            required: None,
            identified: None,
            expected: None,
            conflicts_with: None,
        }
    }

    /// The fault with what would have been accepted.
    pub fn with_expected(self, expected: Value) -> Item {
        Item { expected: Some(expected), ..self }
    }
}

/// The host's codes (conventions.md, "Problem codes"): code, status, detail. The list of a generation is this one and what its
/// modules declare.
pub const CODES: &[(&str, u16, &str)] = &[
    ("VALIDATION_FAILED", 400, "The request breaks a rule. `errors` names the locations and the rules: correct them."),
    ("MALFORMED_JSON", 400, "The body is not well-formed JSON. Correct it and send it again."),
    (
        "IDEMPOTENCY_KEY_REQUIRED",
        400,
        "The operation requires the header Idempotency-Key. Send a new UUID of version 4 or 7.",
    ),
    (
        "IDEMPOTENCY_KEY_INVALID",
        400,
        "Idempotency-Key is not a UUID of version 4 or 7, or its time of version 7 is more than a day ahead. Generate a new one.",
    ),
    ("UNKNOWN_QUERY_PARAMETER", 400, "The operation does not have this query parameter. Remove it."),
    ("UNAUTHENTICATED", 401, "The request has no valid access token or API key. Get a new one."),
    (
        "PERMISSION_DENIED",
        403,
        "The caller lacks a permission that the operation requires. Ask for a role that has it.",
    ),
    ("SCOPE_DENIED", 403, "The API client lacks a scope that the operation requires. Add the scope to the client."),
    (
        "WRONG_IDENTITY_FAMILY",
        403,
        "The operation does not accept this kind of credential. Use an access token instead of an API key, or the reverse.",
    ),
    (
        "IDENTITY_UNVERIFIED",
        403,
        "The identity provider has not reported a verified e-mail address of the user. Verify the address there, or add it to the token, and sign in again.",
    ),
    (
        "MEMBERSHIP_REQUIRED",
        403,
        "The caller has no active membership in this company. Ask its owner to add or resume it.",
    ),
    ("TENANT_SUSPENDED", 403, "The company is suspended. Contact the operator."),
    ("NOT_FOUND", 404, "There is no such resource in this company. Check the path and the ids in it."),
    (
        "METHOD_NOT_ALLOWED",
        405,
        "The resource does not support this method. The header Allow lists the supported ones.",
    ),
    ("NOT_ACCEPTABLE", 406, "The operation responds with application/json. Accept that type."),
    (
        "IDEMPOTENCY_KEY_REUSED",
        409,
        "The Idempotency-Key was used for a different request. Use a new key for a new request.",
    ),
    (
        "IDEMPOTENCY_KEY_EXPIRED",
        409,
        "The Idempotency-Key was used more than 24 hours ago, or its time of version 7 is more than 7 days past. Read the record before \
         you try again with a new key.",
    ),
    (
        "CREDENTIAL_ALREADY_DELIVERED",
        409,
        "The credential was delivered once and cannot be shown again. Issue or rotate it.",
    ),
    (
        "VERSION_CONFLICT",
        409,
        "The record has changed since you read this version. Read it again and send its new version.",
    ),
    ("DUPLICATE", 409, "A record with this code, number or other identity exists. Choose another one."),
    ("ARCHIVED", 409, "The record is archived and cannot change. Use another one."),
    ("IMMUTABLE_FIELD", 409, "A member that cannot change was sent with a different value. Send its current value."),
    ("ILLEGAL_STATE", 409, "The current state of the record does not allow this. Read the record again."),
    ("LAST_MANAGER", 409, "The company would be left without a manager. Give another member the role first."),
    (
        "REFERENCE_INVALID",
        409,
        "A referenced record does not exist, is archived or does not fit here. Correct the locations in `errors`.",
    ),
    (
        "LIMIT_EXCEEDED",
        409,
        "The request would exceed a documented limit. `errors` names it. Split the request or remove records first.",
    ),
    ("PRECONDITION_FAILED", 412, "The record has changed since you read it. Read it again and send its new ETag."),
    ("PAYLOAD_TOO_LARGE", 413, "The body is larger than the operation accepts. Split the request."),
    ("UNSUPPORTED_MEDIA_TYPE", 415, "Send the body as application/json."),
    ("RATE_LIMITED", 429, "Too many requests in this minute. Retry after the number of seconds in Retry-After."),
    (
        "QUOTA_EXCEEDED",
        429,
        "The monthly quota is used up. Wait for the next month or ask the operator for a higher quota.",
    ),
    (
        "COMPANY_LIMIT_REACHED",
        429,
        "The user has reached the limit of new companies in 24 hours. Retry after the number of seconds in Retry-After.",
    ),
    (
        "PUBLIC_API_DISABLED",
        429,
        "The company is not entitled to the public API. Ask the operator for the entitlement.",
    ),
    ("INTERNAL", 500, "The service failed. Retry with the same Idempotency-Key."),
    (
        "MODULE_FAILED",
        500,
        "The module that owns the operation failed and nothing was changed. Retry with the same Idempotency-Key.",
    ),
    ("UNAVAILABLE", 503, "The service is unavailable. Retry later."),
    ("MODULE_UNAVAILABLE", 503, "The module that owns the operation is unavailable. Retry later."),
];

impl Problem {
    /// A problem of the host's list. A code outside it is a fault of the host and answers INTERNAL.
    pub fn new(code: &'static str) -> Problem {
        let (code, status, detail) = CODES.iter().find(|(known, ..)| *known == code).copied().unwrap_or((
            "INTERNAL",
            500,
            "The service failed. Retry with the same Idempotency-Key.",
        ));
        Problem {
            code: Cow::Borrowed(code),
            status,
            detail: Cow::Borrowed(detail),
            errors: Vec::new(),
            retry_after: (status == 503).then_some(1),
            window: None,
            credential: None,
        }
    }

    /// A credential came and is invalid; `why` is for its owner, in ASCII and without quotes.
    pub fn of_credential(why: &'static str) -> Problem {
        Problem { credential: Some(why), ..Problem::new("UNAUTHENTICATED") }
    }

    /// The problem at one position; the item's code is the problem's.
    pub fn at(code: &'static str, pointer: &str) -> Problem {
        Problem::new(code).with(vec![Item::new(pointer, code)])
    }

    /// 409: the request or the record would have more than so many of these.
    pub fn limit_exceeded(most: impl Into<Value>, counted: &str) -> Problem {
        let expected = json!({ "maximum": most.into(), "counted": counted });
        Problem::new("LIMIT_EXCEEDED").with(vec![Item::new("", "LIMIT_EXCEEDED").with_expected(expected)])
    }

    pub fn with(mut self, errors: Vec<Item>) -> Problem {
        self.errors = errors;
        self.errors.truncate(200);
        self
    }
}
