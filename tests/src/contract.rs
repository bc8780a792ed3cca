//! The published contract as a judge: every successful answer, and every body that was accepted, must meet its schema.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value as Json, json};

use crate::Answer;

/// `GET /v1/openapi.json`, with compiled validators.
pub struct Contract {
    pub document: Json,
    pub operations: Vec<Operation>,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// One operation as the contract shows it.
#[derive(Clone, Debug)]
pub struct Operation {
    pub method: String,
    /// With `/v1`: `/v1/tenants/{tenantId}/catalog/products`.
    pub path: String,
    pub id: String,
    pub document: Json,
}

/// The callers of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    Anybody,
    User,
    Machine,
}

impl Contract {
    pub fn new(document: Json) -> Contract {
        let mut operations = Vec::new();
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            let path = if path.starts_with("/v1") { path.clone() } else { format!("/v1{path}") };
            for (method, operation) in item.as_object().into_iter().flatten() {
                if !["get", "post", "put", "patch", "delete"].contains(&method.as_str()) {
                    continue;
                }
                operations.push(Operation {
                    method: method.to_uppercase(),
                    path: path.clone(),
                    id: operation["operationId"].as_str().unwrap_or_default().to_string(),
                    document: operation.clone(),
                });
            }
        }
        Contract { document, operations, validators: Mutex::default() }
    }

    /// The operation that a request reaches; a template without parameters goes before one with.
    pub fn operation(&self, method: &str, path: &str) -> Option<&Operation> {
        let fits = self.operations.iter().filter(|operation| operation.method == method && operation.takes(path));
        fits.min_by_key(|operation| operation.path.matches('{').count())
    }

    /// Fails the test if a success is not what the contract promises, or a body was accepted that it forbids.
    #[track_caller]
    pub fn check(&self, method: &str, path: &str, sent: Option<&Json>, answer: &Answer) {
        let Some(operation) = self.operation(method, path) else {
            // The parts of the reference, and the files next to it.
            let open = answer.status >= 300 || method == "HEAD" || path.starts_with("/v1/docs/");
            assert!(open, "a success that the contract does not show: {answer}");
            return;
        };
        let response = &self.resolve(&operation.document["responses"])[answer.status.to_string()];
        let response = self.resolve(response);
        if answer.status >= 400 {
            let schema = &response["content"]["application/problem+json"]["schema"];
            self.meet(operation, &format!("problem {}", answer.status), schema, &answer.body, answer);
            let code = answer["code"].as_str().unwrap_or_default();
            assert!(
                codes(response).contains(&code),
                "{} does not declare {} {code}: {answer}",
                operation.id,
                answer.status
            );
        }
        if answer.status >= 300 {
            return;
        }
        assert!(!response.is_null(), "a status that the contract does not show: {answer}");
        let shows_location = !response["headers"]["Location"].is_null();
        assert_eq!(answer.header("location").is_some(), shows_location, "Location of {}: {answer}", operation.id);
        let kind = answer.header("content-type").unwrap_or_default();
        if kind.starts_with("text/html") {
            let page = &response["content"]["text/html"];
            assert!(!page.is_null(), "the contract does not show a page: {answer}");
            return;
        }
        if kind.starts_with("text/csv") {
            let rows = &response["content"]["text/csv"];
            assert!(!rows.is_null(), "the contract does not show rows: {answer}");
            return;
        }
        assert_eq!(kind, "application/json", "a success is JSON: {answer}");
        let schema = &response["content"]["application/json"]["schema"];
        assert!(!schema.is_null(), "the contract has no schema of this answer: {answer}");
        self.meet(operation, "answer", schema, &answer.body, answer);
        if let Some(sent) = sent {
            let body = self.resolve(&operation.document["requestBody"]);
            let schema = &body["content"]["application/json"]["schema"];
            assert!(!schema.is_null(), "a body was taken that the contract does not show: {answer}");
            self.meet(operation, "request", schema, sent, answer);
        }
    }

    #[track_caller]
    fn meet(&self, operation: &Operation, part: &str, schema: &Json, value: &Json, answer: &Answer) {
        if schema.is_null() {
            return;
        }
        let validator = self.validator(&format!("{} {part}", operation.id), schema);
        let faults: Vec<String> = validator
            .iter_errors(value)
            .take(5)
            .map(|error| format!("{} at {:?}", error, error.instance_path().to_string()))
            .collect();
        assert!(faults.is_empty(), "{part} of {} breaks the contract: {faults:#?}\n{answer}", operation.id);
    }

    /// Compiles a schema of the document once.
    fn validator(&self, name: &str, schema: &Json) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let whole = json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "allOf": [schema],
                "components": self.components_of(schema),
            });
            let validator = jsonschema::options()
                .with_draft(Draft::Draft202012)
                .should_validate_formats(true)
                .build(&whole)
                .unwrap_or_else(|error| panic!("the contract's schema of {name} is none: {error}"));
            Arc::new(validator)
        };
        validators.entry(name.to_string()).or_insert_with(make).clone()
    }

    /// The parts of the document that a schema refers to, directly or through others: a validator keeps all it is given.
    fn components_of(&self, schema: &Json) -> Json {
        let mut needed = json!({});
        let mut open = Vec::new();
        collect_references(schema, &mut open);
        while let Some(reference) = open.pop() {
            let parts: Vec<&str> = reference.trim_start_matches("#/components/").split('/').collect();
            let [kind, name] = parts[..] else { panic!("a reference into a component: {reference}") };
            if needed[kind][name].is_null() {
                needed[kind][name] = self.document["components"][kind][name].clone();
                collect_references(&needed[kind][name], &mut open);
            }
        }
        needed
    }

    /// A value without the members, at any depth, that a schema does not list.
    pub fn keep_known(&self, schema: &Json, value: &Json) -> Json {
        let schema = self.resolve(schema);
        if let Some(alternatives) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            let is_null = |schema: &&Json| self.resolve(schema)["type"] == "null";
            let alternative = alternatives.iter().find(|one| is_null(one) == value.is_null());
            return alternative.map_or(value.clone(), |one| self.keep_known(one, value));
        }
        match (value, schema["properties"].as_object()) {
            (Json::Object(members), Some(known)) => {
                let kept = members
                    .iter()
                    .filter_map(|(name, value)| Some((name.clone(), self.keep_known(known.get(name)?, value))));
                kept.collect::<Map<_, _>>().into()
            }
            (Json::Array(items), _) => items.iter().map(|item| self.keep_known(&schema["items"], item)).collect(),
            _ => value.clone(),
        }
    }

    /// Returns whether a schema of the document takes a value.
    pub fn takes(&self, schema: &Json, value: &Json) -> bool {
        self.validator(&schema.to_string(), schema).is_valid(value)
    }

    /// The parameters of an operation, references followed.
    pub fn parameters<'a>(&'a self, operation: &'a Operation) -> impl Iterator<Item = &'a Json> {
        operation.document["parameters"].as_array().into_iter().flatten().map(|parameter| self.resolve(parameter))
    }

    /// Follows a reference into the document.
    pub fn resolve<'a>(&'a self, value: &'a Json) -> &'a Json {
        match value["$ref"].as_str().and_then(|text| text.strip_prefix('#')) {
            Some(pointer) => self.document.pointer(pointer).unwrap_or(&Json::Null),
            None => value,
        }
    }
}

/// The problem codes that a response of the contract lists: `Codes: `A`, `B`.` at the end of its description.
pub fn codes(response: &Json) -> Vec<&str> {
    let description = response["description"].as_str().unwrap_or_default();
    let listed = description.split_once("Codes: ").map_or("", |(_, listed)| listed);
    listed.split('`').skip(1).step_by(2).collect()
}

/// The texts of all references in a schema.
fn collect_references(schema: &Json, found: &mut Vec<String>) {
    match schema {
        Json::Object(members) => {
            found.extend(members.get("$ref").and_then(Json::as_str).map(str::to_string));
            members.values().for_each(|member| collect_references(member, found));
        }
        Json::Array(items) => items.iter().for_each(|item| collect_references(item, found)),
        _ => {}
    }
}

impl Operation {
    fn takes(&self, path: &str) -> bool {
        let (mut wanted, mut given) = (self.path.split('/'), path.split('/'));
        loop {
            match (wanted.next(), given.next()) {
                (None, None) => return true,
                (Some(wanted), Some(given)) if wanted.starts_with('{') || wanted == given => {}
                _ => return false,
            }
        }
    }

    /// The path with every parameter filled in: `tenantId` by the tenant, others by `fill(name)`.
    pub fn filled(&self, tenant: &str, fill: impl Fn(&str) -> String) -> String {
        let parts = self.path.split('/').map(|part| match part.strip_prefix('{').and_then(|p| p.strip_suffix('}')) {
            Some("tenantId") => tenant.to_string(),
            Some(name) => fill(name),
            None => part.to_string(),
        });
        parts.collect::<Vec<_>>().join("/")
    }

    /// Names of the path's parameters, `tenantId` among them.
    pub fn path_parameters(&self) -> Vec<&str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect()
    }

    /// Returns whether people call it in a tenant.
    pub fn of_tenant(&self) -> bool {
        self.path.starts_with("/v1/tenants/{tenantId}/")
    }

    /// Its callers, by the scheme of its credential.
    pub fn audience(&self) -> Audience {
        let schemes = self.document["security"].as_array().into_iter().flatten();
        let names: Vec<&str> =
            schemes.filter_map(|scheme| scheme.as_object()?.keys().next()).map(String::as_str).collect();
        match names[..] {
            [] => Audience::Anybody,
            ["UserBearer"] => Audience::User,
            ["PlatformApiKey"] => Audience::Machine,
            _ => panic!("{}: its callers are unknown: {names:?}", self.id),
        }
    }

    /// Sets of permissions, or scopes, each of which lets a caller in; no code at all where belonging is enough.
    pub fn admitting(&self) -> Vec<Vec<String>> {
        let codes = |kind: &str| -> Vec<String> {
            let listed = self.document["x-stoa-access"][kind].as_array().into_iter().flatten();
            listed.filter_map(Json::as_str).map(String::from).collect()
        };
        match (codes("all"), codes("any")) {
            (all, any) if any.is_empty() => vec![all],
            (_, any) => any.into_iter().map(|code| vec![code]).collect(),
        }
    }
}
