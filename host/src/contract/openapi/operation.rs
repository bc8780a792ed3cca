//! One operation of the document.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use stoa_descriptor::{Access, Audience, Idempotency, Route};

use super::{
    DocumentedOperation,
    components::{self, OperationShape, RESPONSE, RESPONSES},
    schemas::{Schemas, pascal},
};
use crate::contract::parameters;

/// Facts of an operation that depend on the others.
#[derive(Debug, Clone, Copy)]
pub struct DerivedFacts {
    /// A success has the record's ETag.
    pub has_etag: bool,
    /// A success says where the new record is.
    pub is_located: bool,
    /// Users have an operation of the same summary.
    pub has_twin: bool,
}

/// Describes an operation. `statuses`: of every problem code; `item_codes`: each with its sentence.
pub fn describe(
    op: &DocumentedOperation,
    schemas: &mut Schemas,
    statuses: &BTreeMap<&str, u16>,
    item_codes: &[(&str, &str)],
    facts: DerivedFacts,
) -> Result<Value, String> {
    let route = op.route;
    let mut written = Map::new();
    written.insert("operationId".into(), route.operation.clone().into());
    written.insert("tags".into(), json!([op.module]));
    let audience = if facts.has_twin { " (API client)" } else { "" };
    written.insert("summary".into(), format!("{}{audience}", route.summary).into());
    let reasons = list_reasons(op, item_codes);
    written.insert("description".into(), description(op, &reasons).into());
    written.insert("security".into(), security(op));
    let parameters = parameters_of(op, schemas)?;
    if !parameters.is_empty() {
        written.insert("parameters".into(), parameters.into());
    }
    if let Some(body) = &route.body {
        let schema = schemas.add_named(op.module, body, &format!("{}Request", pascal(&route.operation)))?;
        let mut content = json!({"schema": schema});
        if let Some(body) = route.example.as_ref().and_then(|example| example.body.as_ref()) {
            content["example"] = body.clone();
        }
        written.insert("requestBody".into(), json!({"required": true, "content": {"application/json": content}}));
    }
    let mut responses = Map::new();
    responses.insert(route.status.to_string(), success(op, schemas, facts)?);
    refusals(op, statuses, &mut responses)?;
    written.insert("responses".into(), responses.into());
    if !op.public {
        written.insert("x-stoa-access".into(), serde_json::to_value(&route.access).map_err(|why| why.to_string())?);
    }
    if !route.events.is_empty() {
        written.insert("x-stoa-events".into(), json!(route.events));
    }
    if !op.extensions.is_empty() {
        written.insert("x-stoa-extensions".into(), json!(op.extensions));
    }
    if !reasons.is_empty() {
        let codes: Map<String, Value> =
            reasons.iter().map(|(code, sentence)| ((*code).clone(), (*sentence).into())).collect();
        written.insert("x-stoa-item-codes".into(), codes.into());
    }
    Ok(written.into())
}

/// The item codes of an operation beyond those that every operation may answer, and their sentences.
fn list_reasons<'a>(op: &DocumentedOperation<'a>, item_codes: &[(&'a str, &'a str)]) -> Vec<(&'a String, &'a str)> {
    let sentence = |code: &'a String| {
        let known = item_codes.iter().find(|(known, _)| known == code);
        (code, known.map_or("", |(_, sentence)| *sentence))
    };
    op.route.item_codes.iter().map(sentence).collect()
}

fn description(op: &DocumentedOperation, reasons: &[(&String, &str)]) -> String {
    let route = op.route;
    let mut all: Vec<String> = Vec::new();
    if !route.description.is_empty() {
        all.push(route.description.clone());
    }
    all.push(if op.public { "Requires no credential.".into() } else { access(route) });
    if !route.events.is_empty() {
        all.push(format!("Events: {}.", join_codes(&route.events, ", ")));
    }
    if !reasons.is_empty() {
        let line = |(code, sentence): &(&String, &str)| match *sentence {
            "" => format!("- `{code}`"),
            sentence => format!("- `{code}`: {sentence}"),
        };
        let codes: Vec<String> = reasons.iter().map(line).collect();
        all.push(format!("Codes in `errors`, beyond those that every operation has:\n\n{}", codes.join("\n")));
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
    let example = route.example.as_ref();
    let required: Vec<&str> =
        query.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, schema) in query.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let schema = schemas.rewrite_parameter(op.module, name, schema)?;
        all.push(parameter(name, "query", required.contains(&name.as_str()), schema));
    }
    for (stated, location) in [(example.map(|one| &one.path), "path"), (example.map(|one| &one.query), "query")] {
        for parameter in all.iter_mut().filter(|parameter| parameter["in"] == location) {
            let value = stated.zip(parameter["name"].as_str()).and_then(|(values, name)| values.get(name));
            if let Some(value) = value.cloned() {
                parameter["example"] = value;
            }
        }
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

/// A parameter of the path that its route does not describe: the id of the noun in its name (`variantId`), or of a record of the
/// collection before it. In `/lookups/{kind}/{id}` that is `lookups`.
fn id_in(path: &str, name: &str) -> Value {
    let before = path.split('/').take_while(|step| step.trim_matches(['{', '}']) != name);
    let collection = before.filter(|step| !step.starts_with('{')).last().unwrap_or_default();
    let noun = name.strip_suffix("Id").filter(|noun| !collection.contains(noun));
    let description = match noun.filter(|noun| noun.bytes().all(|letter| letter.is_ascii_lowercase())) {
        Some(noun) => format!("Id of the {noun}."),
        None => format!("Id of one of the {}.", collection.replace('-', " ").replace("api ", "API ")),
    };
    json!({"type": "string", "format": "uuid", "description": description})
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

fn success(op: &DocumentedOperation, schemas: &mut Schemas, facts: DerivedFacts) -> Result<Value, String> {
    let route = op.route;
    let phrase = http::StatusCode::from_u16(route.status).ok().filter(http::StatusCode::is_success);
    let phrase = phrase.and_then(|status| status.canonical_reason()).ok_or("the success status is none")?;
    let shared = |name: &str| json!({"$ref": format!("#/components/headers/{name}")});
    let mut headers = json!({"X-Request-Id": shared("X-Request-Id")});
    if facts.has_etag {
        headers["ETag"] = shared("ETag");
    }
    if facts.is_located {
        headers["Location"] = shared("Location");
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
        if let Some(example) = route.example.as_ref().and_then(|example| example.response.as_ref()) {
            response["content"][media]["example"] = example.clone();
        }
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
    let (route, shape) = (op.route, OperationShape::from_route(op.route));
    let mut named: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in &route.problems {
        let status = statuses.get(code.as_str()).ok_or_else(|| format!("there is no problem code {code}"))?;
        named.entry(*status).or_default().push(code);
    }
    for (status, component, meaning) in RESPONSES {
        let applies = components::applies(*status, route, op.public);
        let response = match named.remove(status) {
            None if !applies => continue,
            None => json!({"$ref": format!("{RESPONSE}{}", shape.component(*status, component))}),
            Some(mut codes) => {
                let general = if applies { shape.codes(*status) } else { Vec::new() };
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
    responses.insert("default".into(), json!({"$ref": format!("{RESPONSE}Problem")}));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::id_in;

    #[test]
    fn an_id_of_a_path_is_described_by_its_collection_or_by_the_noun_in_its_name() {
        for (path, name, expected) in [
            ("/products/{id}", "id", "Id of one of the products."),
            ("/price-lists/{listId}/prices", "listId", "Id of one of the price lists."),
            ("/api-clients/{clientId}", "clientId", "Id of one of the API clients."),
            ("/price-lists/{listId}/resolve/{variantId}", "variantId", "Id of the variant."),
            ("/lookups/{kind}/{id}", "id", "Id of one of the lookups."),
        ] {
            assert_eq!(id_in(path, name)["description"], expected, "{path}");
        }
    }
}
