//! Seeded changes of one surface, as data: a breaking change is named by its code and item, and any other change is let in.
//!
//! A case is its name, its edits, and the codes and items expected. An edit is a pointer and a value to put there (`-` adds to
//! an array), or only a pointer: the value there is removed. `{"$base": pointer}` means a part of the base.

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::contract;
use crate::gate::describe;
use crate::sandbox::judge::EventSchema;

mod recursion;

fn base() -> Value {
    serde_json::from_str(include_str!("base.json")).expect("the base")
}

struct Case {
    name: String,
    candidate: Surface,
    expected: BTreeSet<(String, String)>,
}

fn cases(text: &str) -> Vec<Case> {
    let rows: Vec<Vec<Value>> = serde_json::from_str(text).expect("a table");
    rows.into_iter().map(case).collect()
}

fn case(row: Vec<Value>) -> Case {
    let word = |value: &Value| value.as_str().expect("a text").to_owned();
    let [name, edits, expected @ ..] = row.as_slice() else { panic!("a row of two at least") };
    let mut surface = base();
    for change in edits.as_array().expect("edits") {
        edit(&mut surface, change.as_array().expect("an edit"));
    }
    let expected = expected.iter().map(|pair| (word(&pair[0]), word(&pair[1]))).collect();
    assert_ne!(surface, base(), "{name}: nothing is edited");
    let candidate: Surface = serde_json::from_value(surface).unwrap_or_else(|why| panic!("{name}: {why}"));
    Case { name: word(name), candidate, expected }
}

fn edit(surface: &mut Value, edit: &[Value]) {
    let pointer = edit[0].as_str().expect("a pointer");
    let (parent, last) = pointer.rsplit_once('/').expect("a pointer");
    let last = last.replace("~1", "/");
    let parent = surface.pointer_mut(parent).unwrap_or_else(|| panic!("nothing at {parent}"));
    match (parent, edit.get(1)) {
        (Value::Array(items), Some(value)) if last == "-" => items.push(whole(value)),
        (Value::Array(items), Some(value)) => items[last.parse::<usize>().expect("an index")] = whole(value),
        (Value::Array(items), None) => drop(items.remove(last.parse().expect("an index"))),
        (Value::Object(members), Some(value)) => drop(members.insert(last, whole(value))),
        (Value::Object(members), None) => drop(members.shift_remove(&last).unwrap_or_else(|| panic!("no {pointer}"))),
        _ => panic!("nothing can be edited at {pointer}"),
    }
}

/// The value with parts of the base in their places.
fn whole(value: &Value) -> Value {
    match value {
        Value::Object(members) => match members.get("$base").and_then(Value::as_str) {
            Some(pointer) => base().pointer(pointer).unwrap_or_else(|| panic!("no {pointer}")).clone(),
            None => members.iter().map(|(name, value)| (name.clone(), whole(value))).collect(),
        },
        Value::Array(items) => items.iter().map(whole).collect(),
        other => other.clone(),
    }
}

fn active() -> Surface {
    serde_json::from_value(base()).expect("a surface")
}

fn codes_of(changes: &[Change], breaking: bool) -> BTreeSet<(String, String)> {
    let matching = changes.iter().filter(|change| change.breaking == breaking);
    matching.map(|change| (change.code.to_owned(), change.item.clone())).collect()
}

/// A case must be one that vetting lets through: else it would be refused for another reason.
fn assert_lawful(name: &str, candidate: &Surface) {
    let descriptor = &candidate.descriptor;
    let faults = describe::faults(descriptor, &crate::platform::NAMES);
    assert!(faults.is_empty(), "{name}: {faults:?}");
    crate::store::Tables::new(&descriptor.name, &descriptor.collections)
        .unwrap_or_else(|why| panic!("{name}: {why:?}"));
    for kind in &descriptor.events {
        EventSchema::compile(contract::Judged::Now, kind, &descriptor.schemas)
            .unwrap_or_else(|why| panic!("{name}: {why}"));
    }
    for route in &descriptor.routes {
        for schema in route.body.iter().chain([&route.response]) {
            if let Err(why) = contract::Schema::compile(schema, &descriptor.schemas) {
                panic!("{name}: {}: {why}", route.operation);
            }
        }
        let (path, query) = (route.path_schema.as_ref(), route.query.as_ref());
        if let Err(why) =
            contract::Parameters::compile(contract::Judged::Now, &route.path, path, query, &descriptor.schemas)
        {
            panic!("{name}: {}: {why}", route.operation);
        }
    }
}

#[test]
fn breaking_changes_are_refused_by_name() {
    let active = active();
    assert_lawful("base", &active);
    let cases = cases(include_str!("breaking.json"));
    assert!(cases.len() >= 30);
    let mut wrong = Vec::new();
    for Case { name, candidate, expected } in cases {
        assert_lawful(&name, &candidate);
        let changes = diff(Some(&active), &candidate);
        if codes_of(&changes, true) != expected || expected.is_empty() {
            wrong.push(format!("{name}:\n{}", text(&changes)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn compatible_changes_are_let_in_by_name() {
    let active = active();
    let cases = cases(include_str!("compatible.json"));
    assert!(cases.len() >= 30);
    let mut wrong = Vec::new();
    for Case { name, candidate, expected } in cases {
        assert_lawful(&name, &candidate);
        let changes = diff(Some(&active), &candidate);
        if changes.iter().any(|change| change.breaking) || codes_of(&changes, false) != expected {
            wrong.push(format!("{name}:\n{}", text(&changes)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_changes_nothing_and_a_first_module_asks_only_for_what_it_does_in_others() {
    let active = active();
    assert_eq!(diff(Some(&active), &active), []);
    let first = diff(None, &active);
    let asked = [
        ("SERVICE_WANTED", "commerce:places/rooms@1.0.0"),
        ("POINT_EXTENDED", "commerce:extension/checkout"),
        ("EVENT_RECEIVED", "room.closed"),
        ("TIMER_ADDED", "count"),
    ];
    let asked = asked.map(|(code, item)| (code.to_owned(), item.to_owned()));
    assert_eq!(codes_of(&first, true), BTreeSet::from(asked), "{}", text(&first));
    for (code, item) in
        [("ROUTE_ADDED", "createWidget"), ("COLLECTION_ADDED", "collection move"), ("EVENT_ADDED", "widget.lost")]
    {
        assert!(codes_of(&first, false).contains(&(code.to_owned(), item.to_owned())), "{code} {item}");
    }
}

#[test]
fn a_person_reads_what_breaks_first() {
    let mut candidate = active();
    candidate.descriptor.version = "1.0.0".into();
    candidate.descriptor.permissions[0].code = "widgets.see".into();
    assert_eq!(
        text(&diff(Some(&active()), &candidate)),
        "2 breaking, 1 compatible\n\
         breaking:\n  \
         MODULE_VERSION_LOWERED  widgets: was 1.2.0, now 1.0.0\n  \
         PERMISSION_REMOVED  widgets.read: See widgets.\n\
         compatible:\n  \
         PERMISSION_ADDED  widgets.see: See widgets.\n"
    );
    assert_eq!(text(&[]), "no changes\n");
}

#[test]
fn authors_can_look_every_code_up() {
    let rules = include_str!("../../../../../components/CHANGES.md");
    for code in codes::ALL {
        let (mark, row) = (if code.breaking { "breaking" } else { "compatible" }, format!("| `{}` |", code.name));
        let line = rules.lines().find(|line| line.starts_with(&row));
        let line = line.unwrap_or_else(|| panic!("CHANGES.md does not explain {}", code.name));
        assert!(line.contains(&format!("| {mark} |")), "{line}");
        assert_eq!(codes::find(code.name), Some(code));
    }
    let reported = rules.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    for (word, _) in reported.filter(|(_, rest)| rest.starts_with("breaking") || rest.starts_with("compatible")) {
        assert!(codes::find(word).is_some(), "CHANGES.md explains {word}, which is no code");
    }
    let names: BTreeSet<&str> = codes::ALL.iter().map(|code| code.name).collect();
    assert_eq!(names.len(), codes::ALL.len(), "a code twice");
}

/// An operator sees who may call a new operation, and what a module may do with a service that it imports.
#[test]
fn what_is_new_is_reported_with_its_callers() {
    let first = diff(None, &active());
    let detail = |changes: &[Change], code: &str, item: &str| {
        let found = changes.iter().find(|change| change.code == code && change.item == item);
        found.unwrap_or_else(|| panic!("no {code} {item}: {}", text(changes))).detail.clone()
    };
    let added = detail(&first, "ROUTE_ADDED", "createWidget");
    assert!(added.starts_with("POST /tenants/") && added.contains(" for users with "), "{added}");
    let mut open = active();
    let route = open.descriptor.routes.iter_mut().find(|route| route.operation == "createWidget").expect("a route");
    route.access = stoa_descriptor::Access::Any(Vec::new());
    let added = detail(&diff(None, &open), "ROUTE_ADDED", "createWidget");
    assert!(added.ends_with(" for every member of a company"), "{added}");

    let wanted = "commerce:places/rooms@1.0.0";
    let functions = detail(&first, "SERVICE_WANTED", wanted);
    let (_, function) = functions.split_once("may call ").expect("functions");
    let function = function.split(", ").next().expect("a function");
    let mut provider = open.descriptor;
    provider.services = vec![stoa_descriptor::ServiceAccess {
        interface: "commerce:places/rooms".to_owned(),
        function: function.to_owned(),
        permissions: vec!["places.book".to_owned()],
        scopes: Vec::new(),
    }];
    let mut named = first;
    name_needs(&mut named, &[&provider]);
    let needs = detail(&named, "SERVICE_WANTED", wanted);
    let expected = format!("may call {function} (users: places.book; API clients: nobody)");
    assert!(needs.starts_with(&expected), "{needs}");
}
