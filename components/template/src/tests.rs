//! Entries against a store in memory: the calls to the host, and the response to the caller.

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{NOW, answer_with, ask, check, rows};
use stoa_sdk::store::{Call as StoreCall, Clash, Failure, Reply as StoreReply, Row, Value};
use stoa_sdk::{Module, Problem};

use crate::Template;

/// As much of a store as this module asks for.
fn store_in_memory() {
    let mut kept: Vec<Row> = Vec::new();
    answer_with(move |calls| calls.iter().map(|call| one(&mut kept, call)).collect());
}

fn one(kept: &mut Vec<Row>, call: &StoreCall) -> Result<StoreReply, Failure> {
    match call {
        StoreCall::Insert(insert) => {
            for new in &insert.rows {
                if kept.iter().any(|row| row.get(4) == new.get(1)) {
                    return Err(Failure::Duplicate(vec![Clash { call: 0, row: 0, key: "name".to_owned() }]));
                }
                let mut row = vec![new[0].clone(), Value::Integer(1), Value::Instant(NOW), Value::Instant(NOW)];
                row.extend(new[1..].iter().cloned());
                kept.push(row);
            }
            Ok(StoreReply::Done)
        }
        StoreCall::Get(get) => Ok(rows(kept.iter().filter(|row| get.ids.contains(&row[0])).cloned())),
        StoreCall::Select(_) => Ok(rows(kept.clone())),
        _ => Err(Failure::Misuse("not asked for by this module".to_owned())),
    }
}

fn call(operation: &str, path: &[(&str, &str)], body: Option<Json>) -> Result<Json, (String, Vec<String>)> {
    let query: &[(&str, &str)] = if operation.starts_with("list") { &[("limit", "50")] } else { &[] };
    let pointers = |problem: Problem| problem.errors.into_iter().map(|item| item.pointer).collect();
    ask::<Template>(operation, path, query, body).map_err(|problem| (problem.code.clone(), pointers(problem)))
}

#[test]
fn an_entry_is_created_read_and_listed() {
    store_in_memory();
    let made = call("createTemplateEntry", &[], Some(json!({ "name": "First" }))).expect("it is created");
    assert_eq!(made["name"], "First");
    assert_eq!(made["note"], Json::Null);
    let id = made["id"].as_str().expect("it has an id");
    assert_eq!(call("getTemplateEntry", &[("id", id)], None), Ok(made.clone()));
    assert_eq!(call("listTemplateEntries", &[], None), Ok(json!({ "items": [made], "nextCursor": null })));
}

#[test]
fn a_taken_name_and_an_unknown_id_are_refused() {
    store_in_memory();
    let body = json!({ "name": "Twice" });
    assert!(call("createTemplateEntry", &[], Some(body.clone())).is_ok());
    let refused = call("createTemplateEntry", &[], Some(body));
    assert_eq!(refused, Err(("DUPLICATE".to_owned(), vec!["/name".to_owned()])));
    let unknown = [("id", "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b")];
    assert_eq!(call("getTemplateEntry", &unknown, None), Err(("NOT_FOUND".to_owned(), vec![])));
}

#[test]
fn a_host_would_take_the_descriptor() {
    check::<Template>();
}

#[test]
fn the_descriptor_names_every_operation_once() {
    let descriptor = Template::descriptor();
    let operations: Vec<&str> = descriptor.routes.iter().map(|route| route.operation.as_str()).collect();
    assert_eq!(
        operations,
        [
            "listTemplateEntries",
            "apiListTemplateEntries",
            "createTemplateEntry",
            "getTemplateEntry",
            "apiGetTemplateEntry",
        ]
    );
}
