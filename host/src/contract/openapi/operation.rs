//! One operation of the document.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use stoa_descriptor::{Access, Audience, Idempotency, Route};

use super::{
    DocumentedOperation,
    components::{self, RESPONSES},
    schemas::{Schemas, pascal},
};
use crate::contract::parameters;

/// Describes an operation. `statuses`: of every problem code; `has_etag`: a success tells the record's ETag.
pub fn describe(
    op: &DocumentedOperation,
    schemas: &mut Schemas,
    statuses: &BTreeMap<&str, u16>,
    has_etag: bool,
) -> Result<Value, String> {
    let route = op.route;
    let mut written = Map::new();
    written.insert("operationId".into(), route.operation.clone().into());
    written.insert("tags".into(), json!([op.module]));
    written.insert("summary".into(), route.summary.clone().into());
    written.insert("description".into(), description(op).into());
    written.insert("security".into(), security(op));
    let parameters = parameters_of(op, schemas)?;
    if !parameters.is_empty() {
        written.insert("parameters".into(), parameters.into());
    }
    if let Some(body) = &route.body {
        let schema = schemas.add_named(op.module, body, &format!("{}Request", pascal(&route.operation)))?;
        written.insert(
            "requestBody".into(),
            json!({"required": true, "content": {"application/json": {"schema": schema}}}),
        );
    }
    let mut responses = Map::new();
    responses.insert(route.status.to_string(), success(op, schemas, has_etag)?);
    refusals(op, statuses, &mut responses)?;
    written.insert("responses".into(), responses.into());
    if !op.public {
        written.insert("x-stoa-access".into(), serde_json::to_value(&route.access).map_err(|why| why.to_string())?);
    }
    if !route.events.is_empty() {
        written.insert("x-stoa-events".into(), json!(route.events));
    }
    Ok(written.into())
}

fn description(op: &DocumentedOperation) -> String {
    let route = op.route;
    let mut all: Vec<String> = Vec::new();
    if !route.description.is_empty() {
        all.push(route.description.clone());
    }
    all.push(if op.public { "Requires no credential.".into() } else { access(route) });
    if !route.events.is_empty() {
        all.push(format!("Events: {}.", join_codes(&route.events, ", ")));
    }
    if route.discloses_identifiers {
        all.push("The response contains personal identifiers: every read creates an audit entry.".into());
    }
    if route.audience == Audience::ApiClient && route.takes("cursor") {
        let news = "The list ends before records of transactions that are still open. Continue later with the last `id` as \
            `cursor` and you miss no record.";
        all.push(news.into());
    }
    if route.takes("updatedSince") {
        let news = "A change is listed once all earlier changes are committed. Pass the newest `updatedAt` of the first page \
            as `updatedSince` of the next round and you miss no change; some records come twice.";
        all.push(news.into());
    }
    if route.csv {
        let rows = "With `Accept: text/csv` the response is CSV (RFC 4180) with a header line. Its rows are `items`, or the \
            whole response with one row for each entry of a nested list. Null is empty. A text that a spreadsheet would \
            execute begins with `'`. The next page is in the `Link` header. Errors are JSON.";
        all.push(rows.into());
    }
    if route.body.is_some() {
        all.push(format!("The body is at most {}. Unknown and repeated members are rejected.", size(route.body_limit)));
    }
    all.push("Unknown query parameters are rejected.".into());
    all.join("\n\n")
}

fn access(route: &Route) -> String {
    let (one, many) = match route.audience {
        Audience::User => ("permission", "permissions"),
        Audience::ApiClient => ("scope", "scopes"),
    };
    let needs = match &route.access {
        Access::All(codes) | Access::Any(codes) if codes.is_empty() => match route.audience {
            Audience::User if route.path.contains("{tenantId}") => "Requires an active membership.".to_owned(),
            Audience::User => "Requires a signed-in user.".to_owned(),
            Audience::ApiClient => "Requires an API key.".to_owned(),
        },
        Access::All(codes) | Access::Any(codes) if codes.len() == 1 => {
            format!("Requires the {one} {}.", join_codes(codes, ""))
        }
        Access::All(codes) => format!("Requires the {many} {}.", join_codes(codes, " and ")),
        Access::Any(codes) => format!("Requires one of the {many} {}.", join_codes(codes, ", ")),
    };
    match route.audience {
        Audience::User => needs,
        Audience::ApiClient => format!("{needs} The company must have the entitlement `PUBLIC_API`."),
    }
}

fn join_codes(codes: &[String], between: &str) -> String {
    codes.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(between)
}

fn size(bytes: u64) -> String {
    match bytes {
        _ if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} bytes"),
    }
}

fn security(op: &DocumentedOperation) -> Value {
    match op.route.audience {
        _ if op.public => json!([]),
        Audience::User => json!([{"UserBearer": []}]),
        Audience::ApiClient => json!([{"PlatformApiKey": []}]),
    }
}

fn parameters_of(op: &DocumentedOperation, schemas: &Schemas) -> Result<Vec<Value>, String> {
    let route = op.route;
    let defs = schemas.of_module(op.module)?;
    let object = |schema: &Option<Value>| parameters::object(schema.as_ref(), defs);
    let (path, query) = (object(&route.path_schema)?, object(&route.query)?);
    let shared = |name: &str| json!({"$ref": format!("#/components/parameters/{name}")});
    let mut all = Vec::new();
    for name in parameters::names(&route.path) {
        all.push(match path.get("properties").and_then(|stated| stated.get(name)) {
            Some(schema) => parameter(name, "path", true, schemas.rewrite_parameter(op.module, name, schema)?),
            None if name == "tenantId" => shared("TenantId"),
            None => parameter(name, "path", true, id_in(&route.path, name)),
        });
    }
    let required: Vec<&str> =
        query.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, schema) in query.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let schema = schemas.rewrite_parameter(op.module, name, schema)?;
        all.push(parameter(name, "query", required.contains(&name.as_str()), schema));
    }
    match route.idempotency {
        Idempotency::None => {}
        Idempotency::Optional => all.push(shared("OptionalIdempotencyKey")),
        Idempotency::Required => all.push(shared("IdempotencyKey")),
    }
    if route.if_match {
        all.push(shared("IfMatch"));
    }
    Ok(all)
}

/// A parameter of the path that its route says nothing of: the id of one of what the path names before it.
fn id_in(path: &str, name: &str) -> Value {
    let before = path.split('/').take_while(|step| step.trim_matches(['{', '}']) != name).last().unwrap_or_default();
    json!({"type": "string", "format": "uuid", "description": format!("Id of one of the {}.", before.replace('-', " "))})
}

/// A parameter; its schema's description becomes its own, where readers look for it.
fn parameter(name: &str, location: &str, required: bool, mut schema: Value) -> Value {
    let mut parameter = json!({"name": name, "in": location, "required": required});
    if let Some(description) = schema.as_object_mut().and_then(|keywords| keywords.shift_remove("description")) {
        parameter["description"] = description;
    }
    parameter["schema"] = schema;
    parameter
}

fn success(op: &DocumentedOperation, schemas: &mut Schemas, has_etag: bool) -> Result<Value, String> {
    let route = op.route;
    let phrase = http::StatusCode::from_u16(route.status).ok().filter(http::StatusCode::is_success);
    let phrase = phrase.and_then(|status| status.canonical_reason()).ok_or("the success status is none")?;
    let shared = |name: &str| json!({"$ref": format!("#/components/headers/{name}")});
    let mut headers = json!({"X-Request-Id": shared("X-Request-Id")});
    if has_etag {
        headers["ETag"] = shared("ETag");
    }
    if route.idempotency != Idempotency::None {
        headers["Idempotency-Replayed"] = shared("Idempotency-Replayed");
    }
    if let Some(value) = &route.cache_control {
        headers["Cache-Control"] =
            json!({"description": "Caching rules of the response.", "schema": {"type": "string", "const": value}});
    }
    if !op.public {
        for name in ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] {
            headers[name] = shared(name);
        }
    }
    let mut response = json!({"description": phrase, "headers": headers});
    if route.status != 204 {
        let media = route.response.get("contentMediaType").and_then(Value::as_str).unwrap_or("application/json");
        let schema = schemas.add_named(op.module, &route.response, &format!("{}Response", pascal(&route.operation)))?;
        response["content"] = json!({media: {"schema": schema}});
    }
    if route.csv {
        response["content"]["text/csv"] = json!({"schema": {"type": "string"}});
        response["headers"]["Link"] =
            json!({"description": "CSV only: link to the next page, as `rel=\"next\"`.", "schema": {"type": "string"}});
    }
    Ok(response)
}

/// The refusals that the operation may answer: what any of its kind may, and the codes that its route names.
fn refusals(
    op: &DocumentedOperation,
    statuses: &BTreeMap<&str, u16>,
    responses: &mut Map<String, Value>,
) -> Result<(), String> {
    let route = op.route;
    let mut named: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in &route.problems {
        let status = statuses.get(code.as_str()).ok_or_else(|| format!("there is no problem code {code}"))?;
        named.entry(*status).or_default().push(code);
    }
    for (status, component, meaning) in RESPONSES {
        let applies = components::applies(*status, route, op.public);
        let response = match named.remove(status) {
            None if !applies => continue,
            None => json!({"$ref": format!("#/components/responses/{component}")}),
            Some(mut codes) => {
                let general = if applies { components::codes(*status) } else { Vec::new() };
                codes.extend(general);
                let mut seen = BTreeSet::new();
                codes.retain(|code| seen.insert(*code));
                components::refusal(*status, meaning, &codes)
            }
        };
        responses.insert(status.to_string(), response);
    }
    // Statuses that only a module's own code has.
    for (status, codes) in named {
        responses.insert(status.to_string(), components::refusal(status, "An error of this operation.", &codes));
    }
    responses.insert("default".into(), json!({"$ref": "#/components/responses/Problem"}));
    Ok(())
}
