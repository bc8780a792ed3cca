//! Asking a component what it is, and checking the answer before anything is built on it. Every fault is named.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;
use stoa_descriptor::extension::Shown;
use stoa_descriptor::faults::find_faults;
use stoa_descriptor::{Descriptor, EventKind, Route};
use wasmtime::component::Linker;
use wasmtime::{Engine, Store, UpdateDeadline};

use super::refusal::Refusal;
use crate::contract::weight::{self, Weight};
use crate::contract::{Judged, Schema};
use crate::operations::{HostNames, Operation};
use crate::sandbox::judge::EventSchema;
use crate::sandbox::limits::MemoryLimit;
use crate::sandbox::ticks::Running;
use crate::store::Tables;
use crate::wit::GuestPre;

pub use stoa_descriptor::faults::is_name;

/// Largest descriptor, and the time it may take.
const LARGEST: usize = 4 << 20;
const MEMORY: usize = 64 << 20;
const TICKS: u64 = 2_000;

/// Most declarations of one descriptor. The largest module of this repository has 101 routes and 103 schemas.
const MOST_ROUTES: usize = 500;
const MOST_EVENTS: usize = 200;
const MOST_SCHEMAS: usize = 1_000;
/// The same of points and places, of kinds of events that it receives, and of timers.
const MOST_EXTENSIONS: usize = 25;
const MOST_RECEIVED: usize = 50;
const MOST_TIMERS: usize = 10;
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
    let mut store = Store::new(engine, Silent { memory: MemoryLimit::new(MEMORY) });
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
        // The variant of an enumeration is a member in the text: `/routes/0/access/all/1`.
        Segment::Enum { variant } => format!("/{variant}"),
        Segment::Unknown => "/?".to_owned(),
    };
    let pointer: String = path.iter().map(segment).collect();
    if pointer.is_empty() { pointer } else { format!("{pointer}: ") }
}

/// Compares the section of a component's file, where it has one, with what the component says: authors and operators
/// read the section.
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
    /// The schemas of members that it adds to responses, by their places.
    pub shown: BTreeMap<String, Arc<Schema>>,
}

/// Compiles what a descriptor declares. `Err`: its faults; those of its schemas and examples only where they are judged now.
pub fn compile(judged: Judged, descriptor: &Descriptor, host: &HostNames) -> Result<Declared, Vec<String>> {
    let faults = faults(descriptor, host);
    if !faults.is_empty() {
        return Err(faults);
    }
    let schema = Tables::new(&descriptor.name, &descriptor.collections)?;
    let mut faults = Vec::new();
    let operation = |(index, route): (usize, &Route)| {
        let operation = Operation::compile(judged, route.clone(), &descriptor.schemas);
        let mut operation =
            operation.map_err(|fault| vec![format!("{}: {fault}", find_schema_fault(index, route, descriptor))])?;
        if judged == Judged::Now {
            faults.extend(find_example_faults(index, &operation));
            operation.forget_validators();
        }
        Ok::<_, Vec<String>>(Arc::new(operation))
    };
    let operations = descriptor.routes.iter().enumerate().map(operation).collect::<Result<_, _>>()?;
    if !faults.is_empty() {
        return Err(faults);
    }
    let kind = |(index, kind): (usize, &EventKind)| {
        let schema = EventSchema::compile(judged, kind, &descriptor.schemas);
        let schema = schema.map_err(|fault| vec![format!("/events/{index}: {fault}")])?;
        Ok::<_, Vec<String>>((kind.code.clone(), Arc::new(schema)))
    };
    let events = descriptor.events.iter().enumerate().map(kind).collect::<Result<_, _>>()?;
    let place = |(index, shown): (usize, &Shown)| {
        let schema = Schema::compile_as(judged, &shown.schema, &descriptor.schemas);
        let mut schema = schema.map_err(|fault| vec![format!("/shows/{index}/schema: {fault}")])?;
        schema.forget_validator();
        Ok::<_, Vec<String>>((shown.place.clone(), Arc::new(schema)))
    };
    let shown = descriptor.shows.iter().enumerate().map(place).collect::<Result<_, _>>()?;
    Ok(Declared { schema, operations, events, shown })
}

/// Checks the examples of the routes by the schemas of their operations, and nothing else: for readers of a component's file.
pub fn check_examples(descriptor: &Descriptor) -> Result<(), Refusal> {
    let routes = descriptor.routes.iter().enumerate().filter(|(_, route)| route.example.is_some());
    let faults =
        routes.flat_map(|(index, route)| match Operation::compile(Judged::Now, route.clone(), &descriptor.schemas) {
            Ok(operation) => find_example_faults(index, &operation),
            Err(fault) => vec![format!("{}: {fault}", find_schema_fault(index, route, descriptor))],
        });
    let faults: Vec<String> = faults.collect();
    if faults.is_empty() { Ok(()) } else { Err(invalid(faults.join("; "))) }
}

/// The faults of a route's example: `/routes/0/example/body/name: REQUIRED`.
fn find_example_faults(index: usize, operation: &Operation) -> Vec<String> {
    let place = format!("/routes/{index}/example");
    operation.find_example_faults().into_iter().map(|fault| format!("{place}{fault}")).collect()
}

/// The pointer of a member of the route's schemas, or of those that it may refer to, that is no JSON Schema; else the
/// route's.
fn find_schema_fault(index: usize, route: &Route, descriptor: &Descriptor) -> String {
    let place = format!("/routes/{index}");
    let parts = [
        ("pathSchema", route.path_schema.as_ref()),
        ("query", route.query.as_ref()),
        ("body", route.body.as_ref()),
        ("response", Some(&route.response)),
    ];
    let parts = parts.into_iter().filter_map(|(member, schema)| Some((format!("{place}/{member}"), schema?)));
    let named = descriptor.schemas.iter().map(|(name, schema)| (format!("/schemas/{name}"), schema));
    let fault = parts.chain(named).find_map(|(member, schema)| {
        let error = jsonschema::draft202012::meta::validate(schema).err()?;
        Some(format!("{member}{}", error.instance_path()))
    });
    fault.unwrap_or(place)
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
        ("points that it calls", descriptor.points.len(), MOST_EXTENSIONS),
        ("points that it extends", descriptor.extends.len(), MOST_EXTENSIONS),
        ("kinds of events that it receives", descriptor.receives.len(), MOST_RECEIVED),
        ("timers", descriptor.timers.len(), MOST_TIMERS),
        ("places at which it shows members", descriptor.shows.len(), MOST_EXTENSIONS),
    ];
    let too_many = counts.iter().filter(|(_, count, most)| count > most);
    let mut excesses: Vec<String> =
        too_many.map(|(what, count, most)| format!("it has {count} {what}, at most {most}")).collect();
    let of_routes = descriptor.routes.iter().flat_map(|route| {
        [route.path_schema.as_ref(), route.query.as_ref(), route.body.as_ref(), Some(&route.response)]
    });
    let of_events = descriptor.events.iter().map(|kind| Some(&kind.data));
    let of_places = descriptor.shows.iter().map(|shown| Some(&shown.schema));
    let others = of_places.chain([descriptor.onboarding.as_ref()]);
    let compiled: Vec<&Json> = of_routes.chain(of_events).chain(others).flatten().collect();
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
    faults = find_faults(descriptor);
    if descriptor.name == host.module {
        faults.push(format!("/name: `{}` is reserved", descriptor.name));
    }
    if semver::Version::parse(&descriptor.version).is_err() {
        faults.push(format!("/version: `{}` is not semantic", descriptor.version));
    }
    let is_scope = |code: &str| host.scopes.iter().any(|(taken, _)| *taken == code);
    let is_taken = |code: &str| is_scope(code) || host.events.contains(&code);
    let named = |list: &'static str, codes: Vec<&String>, is_taken: &dyn Fn(&str) -> bool| {
        let taken = codes.into_iter().enumerate().filter(|(_, code)| is_taken(code));
        taken.map(|(index, code)| format!("/{list}/{index}/code: `{code}` is the host's own")).collect::<Vec<_>>()
    };
    faults.extend(named("scopes", descriptor.scopes.iter().map(|scope| &scope.code).collect(), &is_taken));
    faults.extend(named("events", descriptor.events.iter().map(|kind| &kind.code).collect(), &is_taken));
    let filters = descriptor.audit_filters.iter().map(|filter| &filter.code).collect();
    faults.extend(named("auditFilters", filters, &|code| host.audit_filters.contains(&code)));
    faults
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
    fn no_validator_outlives_the_examples() {
        let object = json!({ "type": "object", "properties": { "text": { "type": "string", "maxLength": 10 } } });
        let mut write = route(1, &object);
        let of_writes = json!({ "method": "PUT", "readOnly": false, "body": object, "bodyLimit": 1_000, "audit": "NOTE",
            "example": { "body": { "text": "a" }, "response": { "text": "a" } } });
        write.as_object_mut().unwrap().extend(of_writes.as_object().unwrap().clone());
        let event = json!({ "code": "notes.made", "description": "x", "resourceType": "NOTE", "data": object,
            "example": { "text": "a" } });
        let descriptor = json!({ "name": "notes", "version": "1.0.0", "description": "Notes.", "routes": [write],
            "events": [event] });
        let descriptor = serde_json::from_value(descriptor).unwrap();
        for judged in [Judged::Now, Judged::Before] {
            let declared = compile(judged, &descriptor, &NAMES).map_err(|faults| faults.join("; "));
            let declared = declared.unwrap_or_else(|faults| panic!("{faults}"));
            for operation in &declared.operations {
                let schemas = operation.body.iter().chain([&operation.response]);
                assert_eq!(schemas.map(|schema| schema.has_validator()).collect::<Vec<_>>(), [false, false]);
                assert!(!operation.parameters.has_validator());
            }
            assert!(declared.events.values().all(|event| !event.has_validator()));
        }
    }

    #[test]
    fn what_was_judged_before_is_not_judged_again() {
        let fault = json!({ "type": "object", "properties": { "text": { "type": "string", "maxLength": -1 } } });
        let mut with_example = route(1, &json!({ "type": "object" }));
        with_example["example"] = json!({ "response": [] });
        let kind = json!({ "code": "notes.made", "description": "x", "resourceType": "NOTE",
            "data": { "type": "object", "required": ["text"] }, "example": {} });
        for (member, value) in [("routes", route(1, &fault)), ("routes", with_example), ("events", kind)] {
            let mut whole = json!({ "name": "notes", "version": "1.0.0", "description": "Notes." });
            whole[member] = json!([value]);
            let descriptor = serde_json::from_value(whole).unwrap();
            assert!(compile(Judged::Now, &descriptor, &NAMES).is_err(), "{value}");
            assert!(compile(Judged::Before, &descriptor, &NAMES).is_ok(), "{value}");
        }
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

    /// A route that takes everything, and this example of it.
    fn faults_of_example(example: Json) -> Vec<String> {
        let query = json!({ "type": "object", "properties": { "size": { "type": "integer" } } });
        let body = json!({
            "type": "object", "required": ["name"], "additionalProperties": false,
            "properties": { "name": { "type": "string", "maxLength": 5 } },
        });
        let route = json!({
            "method": "PUT", "path": "/tenants/{tenantId}/notes/{id}", "operation": "replaceNote", "summary": "Replace a note",
            "audience": "user", "access": { "any": [] }, "idempotency": "none", "readOnly": false, "status": 200,
            "query": query, "body": body, "response": { "$ref": "#/$defs/Note" }, "bodyLimit": 1_000, "audit": "NOTE",
            "example": example,
        });
        let whole = json!({
            "name": "notes", "version": "1.0.0", "description": "Notes.", "routes": [route],
            "schemas": { "Note": {
                "type": "object", "required": ["id"], "properties": { "id": { "type": "string", "format": "uuid" } },
            } },
        });
        let descriptor: Descriptor = serde_json::from_value(whole).unwrap();
        let found: Vec<String> = compile(Judged::Now, &descriptor, &NAMES).err().unwrap_or_default();
        let detail = check_examples(&descriptor).err().map(|refusal| refusal.detail);
        assert_eq!(detail.unwrap_or_default(), found.join("; "));
        found
    }

    #[test]
    fn an_example_meets_the_schemas_of_its_operation() {
        const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
        let whole = json!({
            "path": { "id": ID }, "query": { "size": 2 }, "body": { "name": "Buy" }, "response": { "id": ID },
        });
        assert_eq!(faults_of_example(whole.clone()), Vec::<String>::new());
        let with = |member: &str, value: Json| {
            let mut example = whole.clone();
            example[member] = value;
            faults_of_example(example)
        };
        assert_eq!(with("path", json!({})), ["/routes/0/example/path/id: REQUIRED"]);
        assert_eq!(with("path", json!({ "id": "x" })), ["/routes/0/example/path/id: FORMAT"]);
        assert_eq!(with("query", json!({ "size": "two" })), ["/routes/0/example/query/size: TYPE"]);
        assert_eq!(with("body", json!(null)), ["/routes/0/example/body: REQUIRED"]);
        assert_eq!(with("body", json!({})), ["/routes/0/example/body/name: REQUIRED"]);
        assert_eq!(with("body", json!({ "name": "Remember" })), ["/routes/0/example/body/name: RANGE"]);
        assert_eq!(with("response", json!({ "id": 1 })), ["/routes/0/example/response/id: TYPE"]);
        let unknown = with("query", json!({ "colour": "red" }));
        assert!(unknown.len() == 1 && unknown[0].ends_with(": NOT_ALLOWED"), "{unknown:?}");
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
