//! Checks that modules keep the promises of their descriptors: a response meets its operation's schema, an event its kind's,
//! and the route lists every status, event and problem that the operation has. A host that refuses breaches judges
//! before anything is committed. A host that counts them judges samples next to the requests, in a small share of one core:
//! a sample that finds no room is not judged, and no request waits.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use stoa_descriptor::{Descriptor, EventKind, Route};
use tokio::sync::mpsc;

use crate::contract::{Judged, Schema, openapi, refs};
use crate::problem::Item;
use crate::watchdog;
use crate::wit::events::Event;

/// Samples that wait for the judge, and the largest that is taken: together what they may keep in memory.
const WAITING: usize = 32;
const LARGEST: usize = 1 << 20;
/// The judge rests this many times as long as it has worked: a twentieth of one core.
const REST: u32 = 19;
/// Breaches that are reported in the log, each once; all are counted.
const REPORTED: usize = 1_000;
/// Places that one breach names.
const MOST_FAULTS: usize = 5;
/// References and combinations that are followed to see that a schema is one of objects.
const DEEPEST: u32 = 16;

/// The consequence of a breach of a module's own declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Breaches {
    /// The request fails, as by any failure of the module.
    Refuse,
    /// The request goes on; the breach is counted and logged.
    Count,
}

/// The host's way with breaches. One serves all modules of a process.
pub struct Judge {
    /// None: breaches are refused.
    queue: Option<Queue>,
}

/// Where samples wait.
struct Queue {
    samples: mpsc::Sender<Sample>,
    dropped: metrics::Counter,
}

/// An event kind as it is judged.
pub struct EventSchema {
    resource_type: String,
    data: Schema,
}

/// A module's output, and the schema by which it is judged.
enum Said {
    Answer {
        schema: Arc<Schema>,
        body: String,
    },
    Event {
        kind: Arc<EventSchema>,
        event: Event,
    },
    /// The breach itself: a route is judged at once.
    Unlisted {
        what: &'static str,
        why: String,
    },
}

/// A part of a module's answer that the operation's route has to list.
#[derive(Debug, Clone, Copy)]
pub enum Listed<'a> {
    /// Status of a success.
    Status(u16),
    /// Kind of an event that the module emitted itself; those of a service are listed only by the service.
    Event(&'a str),
    /// Code of a problem.
    Problem(&'a str),
    /// Code of an item of a problem, beyond those that every operation may answer.
    ItemCode(&'a str),
}

struct Sample {
    module: Arc<Descriptor>,
    /// Operation id or event kind.
    name: String,
    said: Said,
}

impl Listed<'_> {
    fn breach(self, route: &Route) -> Option<(&'static str, String)> {
        let Route { operation, status: published, events, problems, item_codes, .. } = route;
        let lists = |codes: &[String], code: &str| codes.iter().any(|listed| listed == code);
        match self {
            Listed::Status(status) => (status != *published).then(|| {
                ("status", format!("{operation} answered the status {status}, its route publishes {published}"))
            }),
            Listed::Event(kind) => (!lists(events, kind))
                .then(|| ("event", format!("{operation} emitted the event {kind}, which its route does not list"))),
            Listed::Problem(code) => (!lists(problems, code) && !is_general(code, route)).then(|| {
                ("problem", format!("{operation} answered the problem {code}, which its route does not list"))
            }),
            Listed::ItemCode(code) => (!lists(item_codes, code)).then(|| {
                ("item code", format!("{operation} answered the item code {code}, which its route does not list"))
            }),
        }
    }
}

/// Returns whether the contract has this code for every operation of the route's kind: NOT_FOUND for one that names a record
/// or takes a body, LIMIT_EXCEEDED for a write. The host judges idempotency keys itself.
fn is_general(code: &str, route: &Route) -> bool {
    openapi::is_general(code, route) && !code.starts_with("IDEMPOTENCY_KEY_")
}

impl EventSchema {
    /// `Err`: what is wrong with the declaration. `schemas`: what its schema refers to.
    pub fn compile(judged: Judged, kind: &EventKind, schemas: &Map<String, Json>) -> Result<EventSchema, String> {
        let invalid = |what: &str, why: String| format!("event `{}`: {what}: {why}", kind.code);
        let mut data = Schema::compile_as(judged, &kind.data, schemas).map_err(|why| invalid("data", why))?;
        if !is_of_objects(&kind.data, schemas, DEEPEST) {
            return Err(invalid("data", "it is no object schema".into()));
        }
        if judged == Judged::Now
            && let Some(why) = breach(&data.faults(&kind.example))
        {
            return Err(invalid("example", why));
        }
        data.forget_validator();
        Ok(EventSchema { resource_type: kind.resource_type.clone(), data })
    }

    #[cfg(test)]
    pub fn has_validator(&self) -> bool {
        self.data.has_validator()
    }

    fn breach(&self, event: &Event) -> Option<String> {
        if event.resource_type != self.resource_type {
            return Some(format!("its resource type is not {}", self.resource_type));
        }
        breach_of_text(&self.data, &event.data)
    }
}

impl Judge {
    /// A host that refuses breaches.
    pub fn strict() -> Judge {
        Judge { queue: None }
    }

    /// A host that counts them judges in a thread of its own, which ends with the judge.
    pub fn new(breaches: Breaches) -> std::io::Result<Judge> {
        if breaches == Breaches::Refuse {
            return Ok(Judge::strict());
        }
        let (samples, waiting) = mpsc::channel(WAITING);
        watchdog::spawn_vital_thread("stoa-judge", move || count(waiting))?;
        Ok(Judge { queue: Some(Queue::new(samples)) })
    }

    /// Judges a success of an operation. `Err`: where it breaks its schema, and the request must fail for it.
    pub fn answer(
        &self,
        module: &Arc<Descriptor>,
        operation: &str,
        schema: &Arc<Schema>,
        body: &str,
    ) -> Result<(), String> {
        let Some(queue) = &self.queue else {
            let why = breach_of_text(schema, body);
            return why.map_or(Ok(()), |why| Err(format!("the answer of {operation} breaks its schema: {why}")));
        };
        if body.len() <= LARGEST {
            queue.take(module, operation, || Said::Answer { schema: schema.clone(), body: body.to_owned() });
        }
        Ok(())
    }

    /// Judges a document that an extension shows at a place of a response, likewise. One that is not an object is
    /// refused by every host: the module that shows it could not read it.
    pub fn document(
        &self,
        module: &Arc<Descriptor>,
        place: &str,
        schema: &Arc<Schema>,
        json: &str,
    ) -> Result<(), String> {
        match is_object(json) {
            true => self.answer(module, place, schema, json),
            false => Err(format!("the document shown at {place} is no object")),
        }
    }

    /// Judges a part of an answer by the operation's route, likewise.
    pub fn judge_by_route(&self, module: &Arc<Descriptor>, route: &Route, part: Listed<'_>) -> Result<(), String> {
        match (part.breach(route), &self.queue) {
            (None, _) => Ok(()),
            (Some((_, why)), None) => Err(why),
            (Some((what, why)), Some(queue)) => {
                queue.take(module, &route.operation, || Said::Unlisted { what, why });
                Ok(())
            }
        }
    }

    /// Judges an event, likewise. Data that is not an object is refused by every host: no receiver could read it.
    pub fn event(&self, module: &Arc<Descriptor>, kind: &Arc<EventSchema>, event: &Event) -> Result<(), String> {
        let Some(queue) = &self.queue else {
            let why = kind.breach(event);
            return why.map_or(Ok(()), |why| Err(format!("the event {} breaks its declaration: {why}", event.kind)));
        };
        if !is_object(&event.data) {
            return Err(format!("the data of the event {} is no object", event.kind));
        }
        if event.data.len() <= LARGEST {
            queue.take(module, &event.kind, || Said::Event { kind: kind.clone(), event: event.clone() });
        }
        Ok(())
    }
}

impl Queue {
    fn new(samples: mpsc::Sender<Sample>) -> Queue {
        Queue { samples, dropped: metrics::counter!("stoa_contract_samples_total", "outcome" => "dropped") }
    }

    /// Copies what was said only where there is room for it.
    fn take(&self, module: &Arc<Descriptor>, name: &str, said: impl FnOnce() -> Said) {
        match self.samples.try_reserve() {
            Ok(room) => room.send(Sample { module: module.clone(), name: name.to_owned(), said: said() }),
            Err(_) => self.dropped.increment(1),
        }
    }
}

/// Judges what comes until every sender is gone.
fn count(mut samples: mpsc::Receiver<Sample>) {
    let judged = metrics::counter!("stoa_contract_samples_total", "outcome" => "judged");
    let mut reported = HashSet::new();
    while let Some(sample) = samples.blocking_recv() {
        let began = Instant::now();
        // A panic over a module's own data ends this look, not the process.
        let breach = catch_unwind(AssertUnwindSafe(|| sample.breach())).unwrap_or_default();
        if let Some((what, why)) = breach {
            let Descriptor { name: module, version, .. } = &*sample.module;
            let labels = [("module", module.clone()), ("version", version.clone()), ("what", what.to_owned())];
            metrics::counter!("stoa_contract_breaches_total", &labels).increment(1);
            let name = &sample.name;
            let line = (module.clone(), version.clone(), name.clone(), why.clone());
            if reported.len() < REPORTED && reported.insert(line) {
                tracing::warn!(module, version, what, name, why, "a module broke its own contract");
            }
        }
        judged.increment(1);
        std::thread::sleep(began.elapsed().saturating_mul(REST).min(Duration::from_secs(1)));
    }
}

impl Sample {
    fn breach(&self) -> Option<(&'static str, String)> {
        match &self.said {
            Said::Answer { schema, body } => Some(("answer", breach_of_text(schema, body)?)),
            Said::Event { kind, event } => Some(("event", kind.breach(event)?)),
            Said::Unlisted { what, why } => Some((*what, why.clone())),
        }
    }
}

/// Returns whether a schema takes only objects: it says so, or each of its alternatives does.
fn is_of_objects(schema: &Json, schemas: &Map<String, Json>, depth: u32) -> bool {
    let Some(deeper) = depth.checked_sub(1) else { return false };
    let reference = schema.get("$ref").and_then(Json::as_str).and_then(refs::name);
    let is = |schema: &Json| is_of_objects(schema, schemas, deeper);
    let branches = |keyword: &str| schema.get(keyword).and_then(Json::as_array);
    schema.get("type").is_some_and(|kind| kind == "object")
        || reference.and_then(|name| schemas.get(name)).is_some_and(is)
        || branches("allOf").is_some_and(|all| all.iter().any(is))
        || ["anyOf", "oneOf"].into_iter().filter_map(branches).any(|all| !all.is_empty() && all.iter().all(is))
}

fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn breach_of_text(schema: &Schema, text: &str) -> Option<String> {
    match serde_json::from_str::<Json>(text) {
        Ok(value) => breach(&schema.faults(&value)),
        Err(_) => Some("it is no JSON".to_owned()),
    }
}

/// The first faults, by position and kind: never a value.
fn breach(faults: &[Item]) -> Option<String> {
    let parts: Vec<String> =
        faults.iter().take(MOST_FAULTS).map(|item| format!("{:?} {}", item.pointer, item.code)).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schemas() -> Map<String, Json> {
        let note = json!({
            "type": "object", "required": ["id"], "additionalProperties": false,
            "properties": { "id": { "type": "string", "format": "uuid" }, "label": { "type": "string" } },
        });
        [("Note".to_owned(), note)].into_iter().collect()
    }

    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    fn kind(changes: Json) -> EventKind {
        let mut whole = json!({
            "code": "notes.note.made", "description": "A note was made.", "resourceType": "NOTE",
            "data": { "$ref": "#/$defs/Note" }, "example": { "id": ID },
        });
        whole.as_object_mut().unwrap().extend(changes.as_object().cloned().unwrap());
        serde_json::from_value(whole).unwrap()
    }

    fn event(resource_type: &str, data: &str) -> Event {
        let (kind, resource_type) = ("notes.note.made".to_owned(), resource_type.to_owned());
        Event { kind, resource_type, resource: (1, 2), version: None, data: data.to_owned() }
    }

    fn module() -> Arc<Descriptor> {
        Arc::new(serde_json::from_value(json!({ "name": "notes", "version": "1.0.0", "description": "" })).unwrap())
    }

    #[test]
    fn a_kind_declares_an_object_and_an_example_of_it() {
        let bare = json!({ "type": "object", "required": ["label"], "properties": { "label": { "type": "string" } } });
        for changes in [
            json!({}),
            json!({ "data": { "anyOf": [{ "$ref": "#/$defs/Note" }, bare] } }),
            json!({ "data": { "allOf": [{ "$ref": "#/$defs/Note" }, { "required": ["id"] }] } }),
        ] {
            let compiled = EventSchema::compile(Judged::Now, &kind(changes), &schemas());
            assert!(compiled.is_ok(), "{:?}", compiled.err());
        }
        for (changes, what) in [
            (json!({ "data": { "type": "string" }, "example": "x" }), "no object schema"),
            (json!({ "data": true, "example": {} }), "no object schema"),
            (json!({ "data": { "anyOf": [{ "$ref": "#/$defs/Note" }, { "type": "null" }] } }), "no object schema"),
            (json!({ "data": { "$ref": "#/$defs/Other" } }), "Other"),
            (json!({ "data": { "type": "object", "properties": { "a": { "pattern": "(" } } } }), "data"),
            (json!({ "example": { "label": "x" } }), "example: \"/id\" REQUIRED"),
            (json!({ "example": { "id": ID, "other": 1 } }), "example: \"\" NOT_ALLOWED"),
        ] {
            let Err(why) = EventSchema::compile(Judged::Now, &kind(changes), &schemas()) else { panic!("{what}") };
            assert!(why.contains(what) && why.contains("notes.note.made"), "{why}");
        }
    }

    #[test]
    fn a_strict_judge_names_the_place_and_never_the_value() {
        let (judge, kind) =
            (Judge::strict(), Arc::new(EventSchema::compile(Judged::Now, &kind(json!({})), &schemas()).unwrap()));
        let said = |resource_type: &str, data: &str| judge.event(&module(), &kind, &event(resource_type, data));
        assert_eq!(said("NOTE", &json!({ "id": ID, "label": "x" }).to_string()), Ok(()));
        for (resource_type, data, what) in [
            ("PAGE", json!({ "id": ID }).to_string(), "resource type is not NOTE"),
            ("NOTE", json!({ "id": "secret" }).to_string(), "\"/id\" FORMAT"),
            ("NOTE", json!({ "id": ID, "secret": "secret" }).to_string(), "\"\" NOT_ALLOWED"),
            ("NOTE", "{".to_owned(), "no JSON"),
        ] {
            let why = said(resource_type, &data).unwrap_err();
            assert!(why.contains(what) && !why.contains("secret"), "{why}");
        }
        let schema = Arc::new(Schema::compile(&json!({ "$ref": "#/$defs/Note" }), &schemas()).unwrap());
        let answered = |body: &str| judge.answer(&module(), "getNote", &schema, body);
        assert_eq!(answered(&json!({ "id": ID }).to_string()), Ok(()));
        assert!(answered("{}").unwrap_err().contains("getNote"));
        assert!(answered("").unwrap_err().contains("no JSON"));
    }

    fn route() -> Route {
        serde_json::from_value(json!({
            "method": "POST", "path": "/tenants/{tenantId}/notes", "operation": "createNote", "summary": "Create a note",
            "audience": "user", "access": { "all": [] }, "idempotency": "required", "readOnly": false, "status": 201,
            "body": { "type": "object" }, "response": true, "bodyLimit": 100, "events": ["notes.note.made"],
            "problems": ["DUPLICATE", "NOTES_FULL"], "itemCodes": ["NOTES_LONG"],
        }))
        .unwrap()
    }

    /// A read of this path, which lists no problem.
    fn read(path: &str) -> Route {
        serde_json::from_value(json!({
            "method": "GET", "path": path, "operation": "readNotes", "summary": "Notes", "audience": "user",
            "access": { "all": [] }, "idempotency": "none", "readOnly": true, "status": 200, "response": true,
            "bodyLimit": 0,
        }))
        .unwrap()
    }

    #[test]
    fn a_general_code_is_one_of_the_routes_kind() {
        let (list, one) = (read("/tenants/{tenantId}/notes"), read("/tenants/{tenantId}/notes/{id}"));
        let if_match = Route { if_match: true, ..route() };
        for (route, code, is_one) in [
            (&list, "NOT_FOUND", false),
            (&one, "NOT_FOUND", true),
            (&route(), "NOT_FOUND", true),
            (&one, "LIMIT_EXCEEDED", false),
            (&route(), "LIMIT_EXCEEDED", true),
            (&route(), "PRECONDITION_FAILED", false),
            (&if_match, "PRECONDITION_FAILED", true),
            (&if_match, "METHOD_NOT_ALLOWED", false),
            (&route(), "IDEMPOTENCY_KEY_REUSED", false),
            (&list, "VALIDATION_FAILED", true),
            (&list, "PERMISSION_DENIED", true),
        ] {
            let judged = Judge::strict().judge_by_route(&module(), route, Listed::Problem(code));
            assert_eq!(judged.is_ok(), is_one, "{} {code}", route.operation);
        }
    }

    #[test]
    fn a_strict_judge_refuses_what_the_route_does_not_list() {
        let judge = |part: Listed<'_>| Judge::strict().judge_by_route(&module(), &route(), part);
        for part in [
            Listed::Status(201),
            Listed::Event("notes.note.made"),
            Listed::Problem("NOTES_FULL"),
            Listed::Problem("DUPLICATE"),
            Listed::Problem("NOT_FOUND"),
            Listed::Problem("VALIDATION_FAILED"),
            Listed::Problem("LIMIT_EXCEEDED"),
            Listed::ItemCode("NOTES_LONG"),
        ] {
            assert_eq!(judge(part), Ok(()), "{part:?}");
        }
        for (part, named) in [
            (Listed::Status(299), "createNote answered the status 299"),
            (Listed::Event("notes.note.gone"), "createNote emitted the event notes.note.gone"),
            (Listed::Problem("NOTES_GONE"), "createNote answered the problem NOTES_GONE"),
            (Listed::Problem("ILLEGAL_STATE"), "createNote answered the problem ILLEGAL_STATE"),
            (Listed::ItemCode("NOTES_LOST"), "createNote answered the item code NOTES_LOST"),
        ] {
            let why = judge(part).unwrap_err();
            assert!(why.starts_with(named), "{why}");
        }
    }

    #[test]
    fn a_counting_judge_samples_what_the_route_does_not_list() {
        let (samples, mut waiting) = mpsc::channel(1);
        let judge = Judge { queue: Some(Queue::new(samples)) };
        assert_eq!(judge.judge_by_route(&module(), &route(), Listed::Status(201)), Ok(()));
        assert!(waiting.try_recv().is_err(), "what is listed is no sample");
        assert_eq!(judge.judge_by_route(&module(), &route(), Listed::Status(299)), Ok(()));
        let sample = waiting.try_recv().unwrap();
        assert_eq!((sample.name.as_str(), sample.breach().map(|(what, _)| what)), ("createNote", Some("status")));
    }

    #[test]
    fn a_counting_judge_lets_everything_pass_and_drops_what_finds_no_room() {
        let (samples, mut waiting) = mpsc::channel(1);
        let judge = Judge { queue: Some(Queue::new(samples)) };
        let kind = Arc::new(EventSchema::compile(Judged::Now, &kind(json!({})), &schemas()).unwrap());
        for _ in 0..3 {
            assert_eq!(judge.event(&module(), &kind, &event("PAGE", "{}")), Ok(()));
        }
        let sample = waiting.try_recv().unwrap();
        assert_eq!(sample.breach(), Some(("event", "its resource type is not NOTE".to_owned())));
        assert!(waiting.try_recv().is_err(), "one had room");
        let schema = Arc::new(Schema::compile(&json!({ "type": "object" }), &Map::new()).unwrap());
        assert_eq!(judge.answer(&module(), "getNote", &schema, &"x".repeat(LARGEST + 1)), Ok(()));
        assert!(waiting.try_recv().is_err(), "too large to keep");
        assert_eq!(judge.answer(&module(), "getNote", &schema, "[]"), Ok(()));
        assert_eq!(waiting.try_recv().unwrap().breach(), Some(("answer", "\"\" TYPE".to_owned())));
    }

    #[test]
    fn data_that_is_no_object_is_refused_even_where_breaches_are_counted() {
        let (samples, mut waiting) = mpsc::channel(1);
        let counting = Judge { queue: Some(Queue::new(samples)) };
        let kind = Arc::new(EventSchema::compile(Judged::Now, &kind(json!({})), &schemas()).unwrap());
        for judge in [counting, Judge::strict()] {
            for data in ["", "{", "[]", "{} {}", "null", "\"{}\""] {
                assert!(judge.event(&module(), &kind, &event("NOTE", data)).is_err(), "{data}");
            }
        }
        assert!(waiting.try_recv().is_err(), "what is refused is not sampled");
    }

    #[test]
    fn the_thread_ends_with_the_judge() {
        let (samples, waiting) = mpsc::channel(1);
        let thread = std::thread::spawn(move || count(waiting));
        let schema = Arc::new(Schema::compile(&json!({ "type": "object" }), &Map::new()).unwrap());
        let judge = Judge { queue: Some(Queue::new(samples)) };
        assert_eq!(judge.answer(&module(), "getNote", &schema, "[]"), Ok(()));
        drop(judge);
        thread.join().unwrap();
    }
}
