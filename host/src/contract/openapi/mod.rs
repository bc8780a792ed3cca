//! The published contract: one OpenAPI 3.1.0 document from the routes and schemas of a generation. OpenAPI 3.1 takes JSON
//! Schema 2020-12 as it is, so what is published is what validates; only the names of schemas move.

mod components;
mod named;
mod operation;
mod schemas;
mod webhooks;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use stoa_descriptor::extension::Shown;
use stoa_descriptor::{Audience, Console, EventKind, Named, ProblemCode, Route, names};

pub use components::{host_schemas, is_general};

use self::schemas::Schemas;
use super::{location, refs};
use crate::problem;

/// The interface's version (conventions.md); the build and the generation are extensions next to it.
pub const VERSION: &str = "1.32.0";

/// One operation and the module that owns it; the host's own are of module `platform`.
#[derive(Debug, Clone, Copy)]
pub struct DocumentedOperation<'a> {
    pub route: &'a Route,
    pub module: &'a str,
    /// The names of the extensions that it may reach.
    pub extensions: &'a [String],
    /// Takes no credential, whatever the route's audience says.
    pub public: bool,
}

/// Contribution of a module to the document besides its routes.
#[derive(Debug, Clone, Copy)]
pub struct DocumentedModule<'a> {
    pub name: &'a str,
    pub description: &'a str,
    /// Schemas by name, for the references `#/$defs/Name` of its routes.
    pub schemas: &'a Map<String, Value>,
    /// The problem codes that it adds to the host's.
    pub problems: &'a [ProblemCode],
    /// The item codes that it adds to the shared ones.
    pub item_codes: &'a [Named],
    /// The event kinds that integrators may receive.
    pub events: &'a [EventKind],
    /// Descriptions of its members that have none of their own.
    pub words: &'a [Named],
    /// The members that it adds to responses of other modules.
    pub shows: &'a [Shown],
    /// How the console shows its records: `x-stoa-console` of its tag.
    pub console: Option<&'a Console>,
    /// True if a partner signed it: then no other module depends on the names of its schemas.
    pub by_partner: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct Info<'a> {
    pub generation: u64,
    /// Version of the host's build.
    pub build: &'a str,
    pub description: &'a str,
}

/// Composes the document. The order of `modules` decides who keeps a schema's plain name where two modules use one name
/// for different schemas: the first; later ones bear their module's name in front. If one of the two is a partner's, it
/// is refused: names of one module depend on no partner's. Refuses what would make a document that lies or that no
/// generator reads: two operations of one id or path, an unknown module, code or schema.
pub fn compose(operations: &[DocumentedOperation], modules: &[DocumentedModule], info: &Info) -> Result<Value, String> {
    let statuses = statuses(modules)?;
    let item_codes = list_item_codes(modules, operations);
    let host = host_schemas(modules.iter().flat_map(|module| module.problems), &item_codes);
    let mut schemas = Schemas::new(&host, modules, operations)?;
    let mut paths = write_paths(operations, &mut schemas, &statuses, &item_codes)?;
    let mut sent = Map::new();
    for (module, kind) in modules.iter().flat_map(|module| module.events.iter().map(|kind| (module.name, kind))) {
        let about = |why: String| format!("event {}: {why}", kind.code);
        let written = webhooks::describe(module, kind, &mut schemas).map_err(about)?;
        if operations.iter().any(|op| written["post"]["operationId"] == op.route.operation.as_str()) {
            return Err(about("an operation has the id of its webhook".into()));
        }
        if sent.insert(kind.code.clone(), written).is_some() {
            return Err(about("two modules have this kind".into()));
        }
    }
    named::name_branches(&mut schemas)?;
    named::name_enumerations(&mut schemas, &mut paths)?;
    let mut used = BTreeSet::new();
    paths.values().for_each(|path| refs::collect(path, &mut used));
    let responses = components::responses(&used);
    let mut parameters = components::parameters();
    if let (false, Some(parameters)) = (sent.is_empty(), parameters.as_object_mut()) {
        parameters.extend(webhooks::parameters());
    }
    let used: BTreeSet<&str> = operations.iter().map(|op| op.module).collect();
    let events = (webhooks::TAG, "Requests that the host sends to webhook endpoints.", None);
    let tags: Vec<Value> = modules
        .iter()
        .filter(|module| used.contains(module.name))
        .map(|module| (module.name, module.description, module.console))
        .chain((!sent.is_empty()).then_some(events))
        .map(|(name, description, console)| describe_tag(name, description, console))
        .collect();
    Ok(json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Stoa",
            "version": VERSION,
            "description": info.description,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "x-stoa-build": info.build,
            "x-stoa-generation": info.generation,
        },
        "servers": [{"url": "/v1"}],
        "tags": tags,
        "paths": paths,
        "webhooks": sent,
        "components": {
            "schemas": schemas.into_components(),
            "responses": responses,
            "parameters": parameters,
            "headers": components::headers(),
            "securitySchemes": components::security_schemes(),
        },
    }))
}

/// The operations by path and method.
fn write_paths(
    operations: &[DocumentedOperation],
    schemas: &mut Schemas,
    statuses: &BTreeMap<&str, u16>,
    item_codes: &[(&str, &str)],
) -> Result<Map<String, Value>, String> {
    let etags: BTreeSet<&str> =
        operations.iter().filter(|op| op.route.if_match).map(|op| op.route.path.as_str()).collect();
    let users: BTreeSet<(&str, &str)> = operations
        .iter()
        .filter(|op| op.route.audience == Audience::User)
        .map(|op| (op.module, op.route.summary.as_str()))
        .collect();
    let mut ids = BTreeSet::new();
    let mut paths = Map::new();
    for op in operations {
        let route = op.route;
        let about = |why: String| format!("{}: {why}", route.operation);
        if !ids.insert(route.operation.as_str()) {
            return Err(about("two operations have this id".into()));
        }
        let method = route.method.to_ascii_lowercase();
        if !["get", "post", "put", "patch", "delete"].contains(&method.as_str()) {
            return Err(about(format!("no operation has the method {}", route.method)));
        }
        let facts = operation::DerivedFacts {
            has_etag: route.if_match || (method == "get" && etags.contains(route.path.as_str())),
            is_located: location::answers_an_id(route, schemas.of_module(op.module).map_err(about)?)
                && operations.iter().any(|other| location::reads_records_of(other.route, route)),
            has_twin: route.audience == Audience::ApiClient && users.contains(&(op.module, route.summary.as_str())),
        };
        let written = operation::describe(op, schemas, statuses, item_codes, facts).map_err(about)?;
        let path_item = paths.entry(route.path.clone()).or_insert_with(|| json!({}));
        if let Some(path_item) = path_item.as_object_mut()
            && path_item.insert(method, written).is_some()
        {
            return Err(about("two operations have this method and path".into()));
        }
    }
    Ok(paths)
}

fn describe_tag(name: &str, description: &str, console: Option<&Console>) -> Value {
    let mut tag = json!({ "name": name, "description": description });
    if let Some(console) = console {
        tag["x-stoa-console"] = json!(console);
    }
    tag
}

/// Every item code and its sentence: the shared ones, then those of the modules, the first of equals. A code of a
/// module that is not active, which an operation lists since it calls that module's services, has no sentence.
fn list_item_codes<'a>(
    modules: &[DocumentedModule<'a>],
    operations: &[DocumentedOperation<'a>],
) -> Vec<(&'a str, &'a str)> {
    let declared = modules.iter().flat_map(|module| module.item_codes);
    let declared = declared.map(|named| (named.code.as_str(), named.description.as_str()));
    let listed = operations.iter().flat_map(|op| &op.route.item_codes).map(|code| (code.as_str(), ""));
    let mut all = names::SHARED_ITEM_CODES.to_vec();
    for added in declared.chain(listed) {
        if !all.iter().any(|(code, _)| *code == added.0) {
            all.push(added);
        }
    }
    all
}

/// The status of every code, the host's and the modules'.
fn statuses<'a>(modules: &[DocumentedModule<'a>]) -> Result<BTreeMap<&'a str, u16>, String> {
    let mut statuses: BTreeMap<&str, u16> = problem::CODES.iter().map(|(code, status, _)| (*code, *status)).collect();
    for added in modules.iter().flat_map(|module| module.problems) {
        let status = *statuses.entry(&added.code).or_insert(added.status);
        if status != added.status {
            return Err(format!("the problem code {} has two statuses", added.code));
        }
    }
    Ok(statuses)
}

#[cfg(test)]
mod tests;
