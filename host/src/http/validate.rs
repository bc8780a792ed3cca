//! The verdict on a request, before any transaction: 406, 415, then path, query, headers and body, one stage after the other,
//! all faults of a stage at once. It is told only to a caller who may call.

use http::{HeaderMap, header, request::Parts};
use serde_json::Value as Json;

use super::accept;
use crate::contract::{fingerprint, idempotency_key};
use crate::operations::table::Entry;
use crate::pipeline::{Input, Key};
use crate::problem::{Item, Problem};

pub fn request(entry: &Entry, parts: &Parts, path: &[(String, String)], body: &[u8]) -> Result<Input, Problem> {
    let route = &entry.route;
    if !accept::accepts_json(&parts.headers) {
        return Err(Problem::of("NOT_ACCEPTABLE"));
    }
    if entry.body.is_some() && !accept::is_json(&parts.headers) {
        return Err(Problem::of("UNSUPPORTED_MEDIA_TYPE"));
    }
    let path = entry.parameters.path(path.iter().map(|(name, value)| (name.as_str(), value.as_str())))?;
    let query = entry.parameters.query(parts.uri.query().unwrap_or_default())?;
    let keys = parts.headers.get_all("idempotency-key").iter().map(http::HeaderValue::as_bytes);
    let key = idempotency_key::demand(route.idempotency, keys)?;
    let if_match = if_match(&parts.headers, route.if_match)?;
    let body = read_body(entry, body)?;
    let form = match (&entry.body, &body, &key) {
        (Some(schema), Some(body), Some(_)) => Some(schema.fingerprint_form(body)),
        _ => None,
    };
    let key = key.map(|key| Key {
        id: key.uuid,
        made_at: key.made_at.and_then(|at| i64::try_from(at).ok()),
        fingerprint: fingerprint::of(&fingerprint::Request {
            method: &route.method,
            path: &path.canonical,
            query: &query.canonical,
            body: form.as_ref(),
            if_match: if_match.as_deref(),
        }),
    });
    // The company is the host's business: no module is told it by the path.
    let path = path.values.into_iter().filter(|(name, _)| name != "tenantId").collect();
    Ok(Input { path, query: query.values, body, if_match, key })
}

fn if_match(headers: &HeaderMap, taken: bool) -> Result<Option<String>, Problem> {
    if !taken {
        return Ok(None);
    }
    let mut values = headers.get_all(header::IF_MATCH).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) if value.len() <= 1024 => match value.to_str() {
            Ok(value) => Ok(Some(value.to_string())),
            Err(_) => Err(Problem::of("VALIDATION_FAILED").with(vec![Item::new("/header/If-Match", "FORMAT")])),
        },
        _ => Err(Problem::of("VALIDATION_FAILED").with(vec![Item::new("/header/If-Match", "FORMAT")])),
    }
}

fn read_body(entry: &Entry, body: &[u8]) -> Result<Option<Json>, Problem> {
    match &entry.body {
        Some(schema) => schema.read(body).map(Some),
        None if body.is_empty() => Ok(None),
        None => Err(Problem::of("VALIDATION_FAILED").with(vec![Item::new("", "NOT_ALLOWED")])),
    }
}
