//! Parts that every operation of the document shares: problems, headers, parameters and credentials.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use stoa_descriptor::{Audience, Idempotency, ProblemCode, Route};

use crate::contract::parameters;
use crate::problem;

/// Status, component name and meaning of the refusals. Where the codes of a status depend on the operation, the name is
/// the beginning of several components' (`component`).
pub const RESPONSES: &[(u16, &str, &str)] = &[
    (400, "BadRequest", "The request is invalid."),
    (401, "Unauthenticated", "The request has no valid credential."),
    (403, "Forbidden", "The caller is not allowed to do this."),
    (404, "NotFound", "The resource does not exist or belongs to another company."),
    (406, "NotAcceptable", "The header Accept excludes the media types of the operation."),
    (409, "Conflict", "The request conflicts with the current state, or its Idempotency-Key was used before."),
    (412, "PreconditionFailed", "The record has changed since the ETag in If-Match."),
    (413, "PayloadTooLarge", "The body is larger than the operation accepts. Split the request."),
    (415, "UnsupportedMediaType", "The body is not application/json."),
    (429, "TooManyRequests", "A rate limit, a quota or a missing entitlement rejects the request."),
    (500, "InternalError", "The service failed. Nothing was changed."),
    (
        503,
        "Unavailable",
        "The service is unavailable. Nothing was changed. Retry after the number of seconds in Retry-After.",
    ),
];

/// Prefix of a reference to a response.
pub const RESPONSE: &str = "#/components/responses/";

/// A UUID of version 4 or 7 (`IdempotencyKey::parse`).
const KEY: &str = "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[47][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$";

/// Codes of 404 and 409 that any operation may answer; the others of these statuses are reported by the operations
/// themselves. Every write may meet a limit of the store: the last version of a record, the rows of one request.
const GENERAL: &[&str] = &["NOT_FOUND", "IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_KEY_EXPIRED", "LIMIT_EXCEEDED"];

/// The parts of an operation that decide which refusals are possible.
#[derive(Debug, Clone, Copy)]
pub struct OperationShape {
    has_body: bool,
    idempotency: Idempotency,
    /// The callers are API clients; else users.
    is_for_clients: bool,
    names_a_company: bool,
}

impl OperationShape {
    pub fn from_route(route: &Route) -> OperationShape {
        OperationShape {
            has_body: route.body.is_some(),
            idempotency: route.idempotency,
            is_for_clients: route.audience == Audience::ApiClient,
            names_a_company: parameters::names(&route.path).contains(&"tenantId"),
        }
    }

    fn all() -> impl Iterator<Item = OperationShape> {
        let either = [false, true];
        let keys = [Idempotency::None, Idempotency::Optional, Idempotency::Required];
        let with_key = move |has_body| keys.into_iter().map(move |idempotency| (has_body, idempotency));
        either.into_iter().flat_map(with_key).flat_map(move |(has_body, idempotency)| {
            [(true, false), (false, false), (false, true)].map(|(is_for_clients, names_a_company)| OperationShape {
                has_body,
                idempotency,
                is_for_clients,
                names_a_company,
            })
        })
    }

    /// Returns whether an operation of this shape may answer the code, of those that are not bound to single operations.
    fn may_answer(self, code: &str) -> bool {
        match code {
            "MALFORMED_JSON" => self.has_body,
            "IDEMPOTENCY_KEY_REQUIRED" => self.idempotency == Idempotency::Required,
            "IDEMPOTENCY_KEY_INVALID" => self.idempotency != Idempotency::None,
            "PERMISSION_DENIED" => !self.is_for_clients,
            "MEMBERSHIP_REQUIRED" | "TENANT_SUSPENDED" => self.names_a_company,
            "SCOPE_DENIED" | "QUOTA_EXCEEDED" | "PUBLIC_API_DISABLED" => self.is_for_clients,
            // A route that has it lists it.
            "COMPANY_LIMIT_REACHED" => false,
            _ => true,
        }
    }

    /// The codes that a status has for every operation of this shape.
    pub fn codes(self, status: u16) -> Vec<&'static str> {
        let general = |code: &str| !matches!(status, 404 | 409) || GENERAL.contains(&code);
        let codes = problem::CODES.iter().filter(|(code, other, _)| *other == status && general(code));
        codes.map(|(code, ..)| *code).filter(|code| self.may_answer(code)).collect()
    }

    /// The name of the response with these codes: `name` and the parts that the codes of its status depend on.
    pub fn component(self, status: u16, name: &str) -> String {
        let parts = match status {
            400 => match (self.has_body, self.idempotency) {
                (false, Idempotency::None) => "",
                (false, Idempotency::Optional) => "WithOptionalKey",
                (false, Idempotency::Required) => "WithKey",
                (true, Idempotency::None) => "WithBody",
                (true, Idempotency::Optional) => "WithBodyAndOptionalKey",
                (true, Idempotency::Required) => "WithBodyAndKey",
            },
            403 | 429 if self.is_for_clients => "ToClient",
            403 if !self.names_a_company => "OutsideCompany",
            _ => "",
        };
        format!("{name}{parts}")
    }
}

/// Returns whether an operation may answer the status by what it takes, whatever else its route lists.
pub fn applies(status: u16, route: &Route, public: bool) -> bool {
    let names_a_record = || parameters::names(&route.path).iter().any(|name| *name != "tenantId");
    match status {
        401 | 403 | 429 => !public,
        404 => names_a_record() || (route.body.is_some() && !public),
        409 => route.idempotency != Idempotency::None,
        412 => route.if_match,
        413 | 415 => route.body.is_some(),
        _ => true,
    }
}

/// Returns whether the document has this code for a module's operation that does not list it.
pub fn is_general(code: &str, route: &Route) -> bool {
    let known = problem::CODES.iter().find(|(known, ..)| *known == code);
    known.is_some_and(|(_, status, _)| {
        let is_published = RESPONSES.iter().any(|(published, ..)| published == status);
        is_published
            && applies(*status, route, false)
            && OperationShape::from_route(route).codes(*status).contains(&code)
    })
}

/// The response of a refusal with these codes.
pub fn refusal(status: u16, meaning: &str, codes: &[&str]) -> Value {
    let codes: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
    let mut headers = json!({"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}});
    let extra: &[&str] = match status {
        401 | 403 => &["WWW-Authenticate"],
        429 => &["Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"],
        503 => &["Retry-After"],
        _ => &[],
    };
    for name in extra {
        headers[*name] = json!({"$ref": format!("#/components/headers/{name}")});
    }
    json!({
        "description": if codes.is_empty() { meaning.to_owned() } else { format!("{meaning} Codes: {}.", codes.join(", ")) },
        "headers": headers,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}},
    })
}

/// The responses that operations share, of these names.
pub fn responses(used: &BTreeSet<&str>) -> Value {
    let mut all = Map::new();
    for (status, name, meaning) in RESPONSES {
        for shape in OperationShape::all() {
            let component = shape.component(*status, name);
            all.entry(component).or_insert_with(|| refusal(*status, meaning, &shape.codes(*status)));
        }
    }
    all.insert("Problem".into(), refusal(0, "Any other error.", &[]));
    all.retain(|name, _| used.contains(format!("{RESPONSE}{name}").as_str()));
    Value::Object(all)
}

pub fn headers() -> Value {
    let header = |description: &str, schema: Value| json!({"description": description, "schema": schema});
    let id = json!({"type": "string", "format": "uuid"});
    json!({
        "X-Request-Id": header("Identifies this request: a UUID of version 7 that the host creates.", id),
        "Location": header(
            "Path of the new record, for its GET. Absent if the response has no `id`.",
            json!({"type": "string", "format": "uri-reference"}),
        ),
        "ETag": header("Entity tag of the record's current version, for `If-Match`.", json!({"type": "string"})),
        "Idempotency-Replayed": header(
            "Present if this is the stored response of an earlier request with the same Idempotency-Key.",
            json!({"type": "string", "const": "true"}),
        ),
        "X-RateLimit-Limit": header("Requests per one-minute window.", json!({"type": "integer", "minimum": 1})),
        "X-RateLimit-Remaining": header(
            "Requests left in this window, for the most restrictive limit.",
            json!({"type": "integer", "minimum": 0}),
        ),
        "X-RateLimit-Reset": header("End of the window, in Unix seconds.", json!({"type": "integer"})),
        "Retry-After": header("Seconds to wait before the next attempt.", json!({"type": "integer", "minimum": 1})),
        "WWW-Authenticate": header("Scheme for authentication.", json!({"type": "string"})),
    })
}

pub fn parameters() -> Value {
    let key = |required: bool, rule: &str| {
        json!({
            "name": "Idempotency-Key",
            "in": "header",
            "required": required,
            "description": format!(
                "A UUID of version 4 or 7, made at the first attempt and sent again with every retry. {rule} For 24 hours the \
                 same request with the same key gets the same response and has no second effect. A key of version 7 \
                 contains a time: the host rejects a key that is older than 7 days as expired and one that is more than a \
                 day ahead as invalid."
            ),
            // No `format`: generators would make a type of it that their libraries do not take as a header.
            "schema": {"type": "string", "pattern": KEY},
        })
    };
    json!({
        "TenantId": {
            "name": "tenantId",
            "in": "path",
            "required": true,
            "description": "The company.",
            "schema": {"type": "string", "format": "uuid"},
        },
        "IdempotencyKey": key(true, "Required."),
        "OptionalIdempotencyKey": key(false, "Optional."),
        "IfMatch": {
            "name": "If-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the record. The write is rejected if the record has changed since. Without it the last \
                writer wins.",
            "schema": {"type": "string"},
        },
    })
}

pub fn security_schemes() -> Value {
    json!({
        "UserBearer": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": "Access token of the identity provider, for users.",
        },
        "PlatformApiKey": {
            "type": "http",
            "scheme": "bearer",
            "description": "API key of an API client: `test_` or `live_`, a UUID of version 7, `_` and a secret. For servers \
                            only, never for browsers.",
        },
    })
}

/// The schemas that the host itself publishes: `ProblemDetails` and its parts. `added`: the codes of the active
/// modules. `item_codes`: those of items and their sentences; every problem code is one too.
pub fn host_schemas<'a>(
    added: impl Iterator<Item = &'a ProblemCode>,
    item_codes: &[(&'a str, &'a str)],
) -> Map<String, Value> {
    let mut codes: Vec<(&str, &str)> = problem::CODES.iter().map(|(code, _, detail)| (*code, *detail)).collect();
    for problem in added {
        if !codes.iter().any(|(code, _)| *code == problem.code) {
            codes.push((&problem.code, &problem.detail));
        }
    }
    let mut of_items = item_codes.to_vec();
    of_items.extend(codes.iter().filter(|(code, _)| !item_codes.iter().any(|(known, _)| known == code)));
    let list = |description: &str, codes: Vec<(&str, &str)>| {
        let (names, meanings): (Vec<&str>, Vec<&str>) = codes.into_iter().unzip();
        json!({"type": "string", "description": description, "enum": names, "x-enum-descriptions": meanings})
    };
    let problem_code = list("Kind of the error, for API clients.", codes);
    let item_code = list(
        "Kind of one fault. An operation lists its own codes in its description and in `x-stoa-item-codes`.",
        of_items,
    );
    let schemas = [
        ("ProblemDetails", describe_problem()),
        ("ProblemItem", describe_problem_item()),
        ("ProblemCode", problem_code),
        ("ItemCode", item_code),
    ];
    schemas.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

fn describe_problem() -> Value {
    json!({
        "type": "object",
        "description": "Reason for a rejected request (RFC 9457). It repeats no value that the caller sent.",
        "required": ["type", "title", "status", "detail", "code", "requestId", "errors"],
        "properties": {
            "type": {"type": "string", "const": "about:blank"},
            "status": {"type": "integer", "minimum": 400, "maximum": 599, "description": "The HTTP status."},
            "code": {"$ref": "#/$defs/ProblemCode"},
            "title": {"type": "string", "description": "Name of the HTTP status, such as `Bad Request`."},
            "detail": {"type": "string", "description": "Explanation of `code` for users; fixed for each code."},
            "requestId": {"type": "string", "format": "uuid", "description": "Same value as `X-Request-Id`."},
            "errors": {"type": "array", "maxItems": 200, "items": {"$ref": "#/$defs/ProblemItem"}},
        },
    })
}

fn describe_problem_item() -> Value {
    let count =
        |description: &str| json!({"type": "integer", "minimum": 0, "maximum": 1000, "description": description});
    json!({
        "type": "object",
        "description": "One fault: its location and its kind.",
        "required": ["pointer", "code"],
        "properties": {
            "pointer": {
                "type": "string",
                "description": "JSON pointer into the body or record, or `/path/<name>`, `/query/<name>`, `/header/<name>`. It never \
                    contains an unknown name: it then points to the object that contains the name.",
            },
            "code": {"$ref": "#/$defs/ItemCode"},
            "conflictsWith": {
                "type": "string",
                "format": "uuid",
                "description": "Id of the record that is in the way, if the caller may read it.",
            },
            "required": count("Number of identified records that the line needs."),
            "identified": count("Number of records that are identified for the line."),
            "expected": {
                "type": "object",
                "description": "The violated keyword of the schema (`minLength`, `pattern`, `enum`, ...). For a limit that no \
                    schema states: `minimum`, `maximum` or both, and `counted`, the things that they count (DAYS, LINES, \
                    INTEGER_DIGITS, FRACTION_DIGITS, ...) unless they bound the value itself. For an unknown \
                    member or parameter: `members`, the allowed names, and `nearest`, the allowed names most similar to \
                    the sent one. For an address: `scheme`, `port` and, on a development host, `setting`.",
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::idempotency_key::IdempotencyKey;

    #[test]
    fn the_published_form_of_a_key_is_the_one_that_is_judged() {
        let published = jsonschema::draft202012::options().offline().build(&json!({"pattern": KEY})).unwrap();
        for key in [
            "0f8fad5b-d9cb-469f-a165-70867728950e",
            "017F22E2-79B0-7CC3-98C4-DC0C0C07398F",
            "0f8fad5b-d9cb-169f-a165-70867728950e",
            "0f8fad5b-d9cb-469f-c165-70867728950e",
            "0f8fad5bd9cb469fa16570867728950e",
            "{0f8fad5b-d9cb-469f-a165-70867728950e}",
            " 0f8fad5b-d9cb-469f-a165-70867728950e",
            "0f8fad5b-d9cb-469f-a165-70867728950g",
            "",
        ] {
            assert_eq!(published.is_valid(&json!(key)), IdempotencyKey::parse(key.as_bytes()).is_some(), "{key:?}");
        }
    }
}
