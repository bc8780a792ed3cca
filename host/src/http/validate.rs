//! The verdict on a request, before any transaction: 406, 415, then path, query, headers and body, one stage after the other,
//! all faults of a stage at once. It is reported only to a caller who may call.

use http::{HeaderMap, header, request::Parts};
use serde_json::Value as Json;

use super::accept;
use crate::contract::{fingerprint, idempotency_key};
use crate::operations::Operation;
use crate::pipeline::{Input, Key};
use crate::problem::{Item, Problem};
use crate::wit::module;

pub fn request(operation: &Operation, parts: &Parts, path: &[(String, String)], body: &[u8]) -> Result<Input, Problem> {
    let route = &operation.route;
    if accept::choose_media_type(&parts.headers, operation.csv.is_some()).is_none() {
        return Err(Problem::new("NOT_ACCEPTABLE"));
    }
    if operation.body.is_some() && !accept::is_json(&parts.headers) {
        return Err(Problem::new("UNSUPPORTED_MEDIA_TYPE"));
    }
    let path = operation.parameters.path(path.iter().map(|(name, value)| (name.as_str(), value.as_str())))?;
    let query = operation.parameters.query(parts.uri.query().unwrap_or_default())?;
    let keys = parts.headers.get_all("idempotency-key").iter().map(http::HeaderValue::as_bytes);
    let key = idempotency_key::demand(route.idempotency, keys)?;
    let if_match = if_match(&parts.headers, route.if_match)?;
    let body = read_body(operation, body)?;
    // Printed once, for the code that runs the operation; of the value only the fingerprint is made besides.
    let text = body.as_ref().map(ToString::to_string);
    let lines = body.as_ref().map_or(0, |body| operation.count_lines(body));
    let key = key.map(|key| {
        let form = operation.body.as_ref().zip(body).map(|(schema, body)| schema.fingerprint_form(body));
        Key {
            id: key.uuid,
            made_at: key.made_at.and_then(|time| i64::try_from(time).ok()),
            fingerprint: fingerprint::compute(&fingerprint::CanonicalRequest {
                method: &route.method,
                path: &path.canonical,
                query: &query.canonical,
                body: form.as_ref(),
                if_match: if_match.as_deref(),
            }),
        }
    });
    let call = module::Call {
        operation: route.operation.clone(),
        // The company is the host's business: no module receives it in the path.
        path: path.values.into_iter().filter(|(name, _)| name != "tenantId").collect(),
        query: query.values,
        body: text,
        if_match,
    };
    Ok(Input { call, lines, key })
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
            Err(_) => Err(Problem::new("VALIDATION_FAILED").with(vec![Item::new("/header/If-Match", "FORMAT")])),
        },
        _ => Err(Problem::new("VALIDATION_FAILED").with(vec![Item::new("/header/If-Match", "FORMAT")])),
    }
}

fn read_body(operation: &Operation, body: &[u8]) -> Result<Option<Json>, Problem> {
    match &operation.body {
        Some(schema) => schema.read(body).map(Some),
        None if body.is_empty() => Ok(None),
        None => Err(Problem::new("VALIDATION_FAILED").with(vec![Item::new("", "NOT_ALLOWED")])),
    }
}
