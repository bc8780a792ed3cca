//! Asking a component what it is, and checking the answer before anything is built on it. Every fault is named.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value as Json;
use stoa_descriptor::{Access, Audience, Descriptor, EventKind, Idempotency, Route};
use wasmtime::component::Linker;
use wasmtime::{Engine, Store, UpdateDeadline};

use super::refusal::Refusal;
use crate::contract::weight::{self, Weight};
use crate::operations::{HostNames, Operation};
use crate::sandbox::judge::EventSchema;
use crate::sandbox::limits::MemoryLimit;
use crate::sandbox::ticks::Running;
use crate::store::Tables;
use crate::wit::GuestPre;

/// Largest descriptor, and the time it may take.
const LARGEST: usize = 4 << 20;
const MEMORY: usize = 64 << 20;
const TICKS: u64 = 2_000;

/// Most declarations of one descriptor. The largest module of this repository has 101 routes and 103 schemas.
const MOST_ROUTES: usize = 500;
const MOST_EVENTS: usize = 200;
const MOST_SCHEMAS: usize = 1_000;
/// The same of every other list.
const MOST_ENTRIES: usize = 1_000;
/// The same of all schemas once they are compiled. That module has 12,644 values and 623 patterns.
const MOST_COMPILED: Weight = Weight { values: 100_000, patterns: 2_000 };

/// Data of the store in which a component describes itself: it has a memory limit and nothing else, so every call to the
/// host's interfaces traps.
struct Silent {
    memory: MemoryLimit,
}

/// Own description of a component. It may call nothing to give it.
pub fn text(engine: &Engine, component: &wasmtime::component::Component) -> Result<String, Refusal> {
    let fault = |error: wasmtime::Error| invalid(format!("describe failed: {error:#}"));
    let mut linker = Linker::<Silent>::new(engine);
    linker.define_unknown_imports_as_traps(component).map_err(fault)?;
    let guest = GuestPre::new(linker.instantiate_pre(component).map_err(fault)?).map_err(fault)?;
    let mut store = Store::new(engine, Silent { memory: MemoryLimit { limit: MEMORY, used: 0, exceeded: false } });
    store.limiter(|silent| &mut silent.memory);
    store.set_hostcall_fuel(LARGEST);
    store.set_epoch_deadline(TICKS);
    store.epoch_deadline_callback(|_| Ok(UpdateDeadline::Interrupt));
    let _running = Running::begin();
    futures_util::FutureExt::now_or_never(Box::pin(async {
        let guest = guest.instantiate_async(&mut store).await?;
        guest.commerce_platform_module().call_describe(&mut store).await
    }))
    .ok_or_else(|| invalid("describe did not finish".into()))?
    .map_err(fault)
}

/// Reads a descriptor; an error names the member by its pointer: `/routes/0/status`.
pub fn read(text: &str) -> Result<Descriptor, Refusal> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let descriptor = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| invalid(format!("{}{}", pointer(error.path()), error.inner())))?;
    reader.end().map_err(|error| invalid(error.to_string()))?;
    Ok(descriptor)
}

/// A path as a JSON pointer, to begin a sentence with; nothing where it leads nowhere.
fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let segment = |segment: &Segment| match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => format!("/{key}"),
        // The variant of an enumeration stands in the text as a member: `/routes/0/access/all/1`.
        Segment::Enum { variant } => format!("/{variant}"),
        Segment::Unknown => "/?".to_owned(),
    };
    let pointer: String = path.iter().map(segment).collect();
    if pointer.is_empty() { pointer } else { format!("{pointer}: ") }
}

/// Compares the section of a component's file, where it has one, with what the component says: authors and operators read the
/// section.
pub fn compare_with_section(component: &[u8], text: &str) -> Result<(), Refusal> {
    match stoa_kit::section::read(component) {
        Ok(Some(section)) if section != text => {
            Err(invalid("its section stoa:descriptor is not what the component says: build it again".into()))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(invalid(format!("{error:#}"))),
    }
}

/// The parts of a descriptor that a host works with, compiled.
pub struct Declared {
    pub schema: Tables,
    pub operations: Vec<Arc<Operation>>,
    pub events: BTreeMap<String, Arc<EventSchema>>,
}

/// Compiles what a descriptor declares. `Err`: its faults.
pub fn compile(descriptor: &Descriptor, host: &HostNames) -> Result<Declared, Vec<String>> {
    let faults = faults(descriptor, host);
    if !faults.is_empty() {
        return Err(faults);
    }
    let schema = Tables::new(&descriptor.name, &descriptor.collections)?;
    let operation = |route: &Route| Operation::compile(route.clone(), &descriptor.schemas).map(Arc::new);
    let operations = descriptor.routes.iter().map(operation).collect::<Result<_, _>>().map_err(|fault| vec![fault])?;
    let kind = |kind: &EventKind| Ok((kind.code.clone(), Arc::new(EventSchema::compile(kind, &descriptor.schemas)?)));
    let events = descriptor.events.iter().map(kind).collect::<Result<_, _>>().map_err(|fault: String| vec![fault])?;
    Ok(Declared { schema, operations, events })
}

fn invalid(why: String) -> Refusal {
    Refusal::new("DESCRIPTOR_INVALID", why)
}

/// Lists that are longer than a host accepts, and schemas that together are too large to compile.
fn excesses(descriptor: &Descriptor) -> Vec<String> {
    let counts = [
        ("routes", descriptor.routes.len(), MOST_ROUTES),
        ("events", descriptor.events.len(), MOST_EVENTS),
        ("schemas", descriptor.schemas.len(), MOST_SCHEMAS),
        ("collections", descriptor.collections.len(), MOST_ENTRIES),
        ("permissions", descriptor.permissions.len(), MOST_ENTRIES),
        ("scopes", descriptor.scopes.len(), MOST_ENTRIES),
        ("problems", descriptor.problems.len(), MOST_ENTRIES),
        ("audit filters", descriptor.audit_filters.len(), MOST_ENTRIES),
        ("words", descriptor.words.len(), MOST_ENTRIES),
        ("services", descriptor.services.len(), MOST_ENTRIES),
    ];
    let too_many = counts.iter().filter(|(_, count, most)| count > most);
    let mut excesses: Vec<String> =
        too_many.map(|(what, count, most)| format!("it has {count} {what}, at most {most}")).collect();
    let of_routes = descriptor.routes.iter().flat_map(|route| {
        [route.path_schema.as_ref(), route.query.as_ref(), route.body.as_ref(), Some(&route.response)]
    });
    let of_events = descriptor.events.iter().map(|kind| Some(&kind.data));
    let compiled: Vec<&Json> = of_routes.chain(of_events).chain([descriptor.onboarding.as_ref()]).flatten().collect();
    if weight::weigh(compiled.into_iter(), &descriptor.schemas, MOST_COMPILED).exceeds(MOST_COMPILED) {
        let Weight { values, patterns } = MOST_COMPILED;
        excesses.push(format!(
            "the schemas of its routes and events, each with the schemas that it refers to, have more than {values} values \
             or {patterns} patterns"
        ));
    }
    excesses
}

/// Faults of one descriptor by itself; collections and schemas are checked where they are compiled.
pub fn faults(descriptor: &Descriptor, host: &HostNames) -> Vec<String> {
    // Nothing else looks at a descriptor that is too large.
    let mut faults = excesses(descriptor);
    if !faults.is_empty() {
        return faults;
    }
    let mut expect = |holds: bool, what: String| {
        if !holds {
            faults.push(what);
        }
    };
    let name = &descriptor.name;
    expect(
        is_name(name, 32, b"-") && name != "stoa" && name != host.module,
        format!("name `{name}` is reserved or not [a-z][a-z0-9-]{{0,31}}"),
    );
    expect(
        semver::Version::parse(&descriptor.version).is_ok(),
        format!("version `{}` is not semantic", descriptor.version),
    );
    let events: BTreeSet<&str> = descriptor.events.iter().map(|kind| kind.code.as_str()).collect();
    let named = descriptor.permissions.iter().chain(&descriptor.scopes).map(|named| &named.code);
    for code in named.chain(descriptor.events.iter().map(|kind| &kind.code)) {
        expect(is_code(code), format!("`{code}` is no code of lower-case words joined by dots"));
    }
    for kind in &descriptor.events {
        let what =
            format!("event `{}`: the resource type `{}` is not [A-Z][A-Z0-9_]{{0,63}}", kind.code, kind.resource_type);
        expect(
            kind.resource_type.starts_with(|first: char| first.is_ascii_uppercase())
                && is_constant(&kind.resource_type),
            what,
        );
    }
    let host_codes = host.scopes.iter().map(|(code, _)| *code).chain(host.events.iter().copied());
    let taken: BTreeSet<&str> = host_codes.collect();
    let claimed =
        descriptor.scopes.iter().map(|scope| &scope.code).chain(descriptor.events.iter().map(|kind| &kind.code));
    for code in claimed {
        expect(!taken.contains(code.as_str()), format!("`{code}` is the host's own"));
    }
    let mut codes = BTreeSet::new();
    for problem in &descriptor.problems {
        expect(codes.insert(&problem.code), format!("problem `{}` is declared twice", problem.code));
        let ok = matches!(problem.status, 400 | 404 | 409 | 412 | 413) && is_constant(&problem.code);
        expect(ok, format!("problem `{}` with status {}", problem.code, problem.status));
    }
    for filter in &descriptor.audit_filters {
        let ok = is_member(&filter.code) && !host.audit_filters.contains(&filter.code.as_str());
        expect(ok, format!("audit filter `{}` is not camelCase, or the host's own", filter.code));
    }
    for word in &descriptor.words {
        expect(is_member(&word.code), format!("word `{}` is not camelCase", word.code));
    }
    for route in &descriptor.routes {
        for fault in route_faults(route, &events) {
            expect(false, format!("{}: {fault}", route.operation));
        }
    }
    faults
}

fn route_faults(route: &Route, events: &BTreeSet<&str>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut expect = |holds: bool, what: &str, named: &str| {
        if !holds {
            faults.push(format!("{what}: `{named}`"));
        }
    };
    let operation = route.operation.as_bytes();
    expect(
        operation.first().is_some_and(u8::is_ascii_lowercase)
            && operation.iter().all(u8::is_ascii_alphanumeric)
            && operation.len() <= 64,
        "the operation id is not camelCase",
        &route.operation,
    );
    expect(
        matches!(route.method.as_str(), "GET" | "POST" | "PUT" | "PATCH" | "DELETE"),
        "unknown method",
        &route.method,
    );
    let prefix = match route.audience {
        Audience::User => "/tenants/{tenantId}/",
        Audience::ApiClient => "/api-client/",
    };
    expect(route.path.starts_with(prefix), "the path does not begin with its audience's prefix", &route.path);
    expect(is_template(&route.path), "the path is not of plain segments and distinct parameters", &route.path);
    expect((200..300).contains(&route.status), "the success status is not 2xx", &route.status.to_string());
    expect(route.method != "GET" || route.read_only, "a GET that is not read-only", &route.path);
    expect(!route.read_only || route.idempotency == Idempotency::None, "a read takes no idempotency key", &route.path);
    expect(route.read_only || route.audit.is_some(), "a write without an audit resource type", &route.path);
    expect(!route.read_only || route.events.is_empty(), "a read emits no events", &route.events.join(", "));
    expect(route.body_limit <= 64 << 20, "the body limit is above 64 MiB", &route.body_limit.to_string());
    expect(
        route.events.iter().all(|kind| events.contains(kind.as_str())),
        "an event kind that the descriptor does not introduce",
        &route.events.join(", "),
    );
    let (Access::All(codes) | Access::Any(codes)) = &route.access;
    // Any of none: for people, active membership is enough. All of none is a forgotten permission.
    let named = !codes.is_empty() || (route.audience == Audience::User && matches!(route.access, Access::Any(_)));
    expect(named && codes.iter().all(|code| is_code(code)), "no permission, or one that is no code", &codes.join(", "));
    faults
}

/// `/word/{parameter}/...`: lower-case words joined by hyphens, camelCase parameters, none twice.
fn is_template(path: &str) -> bool {
    let mut parameters = BTreeSet::new();
    path.strip_prefix('/').is_some_and(|path| {
        path.split('/').all(|segment| match segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) => {
                name.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
                    && parameters.insert(name)
            }
            None => is_name(segment, 64, b"-"),
        })
    })
}

/// Upper-case letters, digits and underscores: a problem code, a resource type.
fn is_constant(code: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=64).contains(&code.len()) && code.bytes().all(plain)
}

/// camelCase.
fn is_member(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_code(code: &str) -> bool {
    code.len() <= 64 && code.split('.').count() >= 2 && code.split('.').all(|word| is_name(word, 32, b"-_"))
}

/// A lower-case word with digits and the given joiners, a letter first.
pub fn is_name(name: &str, longest: usize, joiners: &[u8]) -> bool {
    name.len() <= longest
        && name.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || joiners.contains(&byte))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::platform::NAMES;

    fn route(number: usize, response: &Json) -> Json {
        json!({
            "method": "GET", "path": format!("/tenants/{{tenantId}}/notes/n{number}"), "operation": format!("read{number}"),
            "summary": "A note", "audience": "user", "access": { "any": [] }, "idempotency": "none", "readOnly": true,
            "status": 200, "response": response, "bodyLimit": 0,
        })
    }

    fn faults_of(member: &str, value: Json, schemas: Json) -> Vec<String> {
        let mut whole = json!({ "name": "notes", "version": "1.0.0", "description": "Notes.", "schemas": schemas });
        whole[member] = value;
        faults(&serde_json::from_value(whole).unwrap(), &NAMES)
    }

    fn routes(count: usize, response: &Json) -> Json {
        (0..count).map(|number| route(number, response)).collect()
    }

    #[test]
    fn a_descriptor_has_limited_lists() {
        let object = json!({ "type": "object" });
        assert_eq!(faults_of("routes", routes(MOST_ROUTES, &object), json!({})), Vec::<String>::new());
        let found = faults_of("routes", routes(MOST_ROUTES + 1, &object), json!({}));
        assert_eq!(found, ["it has 501 routes, at most 500"]);
        let named = |count: usize| -> Json {
            (0..count).map(|n| json!({ "code": format!("word{n}"), "description": "x" })).collect()
        };
        assert_eq!(faults_of("words", named(MOST_ENTRIES), json!({})), Vec::<String>::new());
        assert_eq!(faults_of("words", named(MOST_ENTRIES + 1), json!({})), ["it has 1001 words, at most 1000"]);
        let kind =
            json!({ "code": "notes.made", "description": "x", "resourceType": "NOTE", "data": {}, "example": {} });
        let found = faults_of("events", vec![kind; MOST_EVENTS + 1].into(), json!({}));
        assert_eq!(found, ["it has 201 events, at most 200"]);
        let schemas: serde_json::Map<String, Json> =
            (0..=MOST_SCHEMAS).map(|n| (format!("S{n}"), json!(true))).collect();
        assert_eq!(faults_of("routes", json!([]), schemas.into()), ["it has 1001 schemas, at most 1000"]);
    }

    /// Few patterns and few routes: each route compiles all of the patterns.
    #[test]
    fn the_schemas_of_a_descriptor_have_a_limited_size() {
        let patterns: Vec<Json> = (0..50).map(|n| json!({ "pattern": format!("^{n}$") })).collect();
        let schemas = json!({ "All": { "type": "object", "allOf": patterns } });
        let all = json!({ "$ref": "#/$defs/All" });
        assert_eq!(faults_of("routes", routes(40, &all), schemas.clone()), Vec::<String>::new());
        let found = faults_of("routes", routes(41, &all), schemas);
        assert!(found.len() == 1 && found[0].contains("2000 patterns"), "{found:?}");
        let large = json!({ "Large": { "enum": (0..1_000).collect::<Vec<u32>>() } });
        let found = faults_of("routes", routes(100, &json!({ "$ref": "#/$defs/Large" })), large);
        assert!(found.len() == 1 && found[0].contains("100000 values"), "{found:?}");
    }
}
