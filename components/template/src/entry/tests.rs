//! Entries against a store in memory: what the host would be asked, and what the caller hears.

use serde_json::{Value as Json, json};
use stoa_sdk::bindings::commerce::platform::{events, log, store};
use stoa_sdk::host::{Host, install};
use stoa_sdk::store::{Call as StoreCall, Clash, Failure, Reply as StoreReply, Row, Value};
use stoa_sdk::{ActorKind, Call, Facts, Module};

use crate::Template;

const NOW: i64 = 1_767_225_600_000;

/// As much of the host as this module asks for.
#[derive(Default)]
struct Double {
    rows: Vec<Row>,
    ids: u64,
}

impl Host for Double {
    fn run(&mut self, calls: &[StoreCall]) -> Result<Vec<StoreReply>, Failure> {
        calls.iter().map(|call| self.one(call)).collect()
    }

    fn facts(&mut self) -> Facts {
        Facts {
            tenant: (1, 1),
            actor_kind: ActorKind::User,
            actor: "alice".to_owned(),
            request: (2, 2),
            now: NOW,
            today: "2026-01-01".to_owned(),
            permissions: vec!["template.read".to_owned(), "template.write".to_owned()],
        }
    }

    fn new_ids(&mut self, count: u32) -> Vec<(u64, u64)> {
        (0..count)
            .map(|_| {
                (7, {
                    self.ids += 1;
                    self.ids
                })
            })
            .collect()
    }

    fn emit(&mut self, _events: &[events::Event]) {}

    fn log(&mut self, _level: log::Level, _message: &str) {}
}

impl Double {
    fn one(&mut self, call: &StoreCall) -> Result<StoreReply, Failure> {
        match call {
            StoreCall::Insert(insert) => {
                let name = |row: &Row, at: usize| row.get(at).cloned();
                for new in &insert.rows {
                    if self.rows.iter().any(|row| name(row, 4) == name(new, 1)) {
                        return Err(Failure::Duplicate(vec![Clash { call: 0, row: 0, key: "name".to_owned() }]));
                    }
                    let mut row = vec![new[0].clone(), Value::Integer(1), Value::Instant(NOW), Value::Instant(NOW)];
                    row.extend(new[1..].iter().cloned());
                    self.rows.push(row);
                }
                Ok(StoreReply::Done)
            }
            StoreCall::Get(get) => {
                let found = self.rows.iter().filter(|row| get.ids.contains(&row[0])).cloned().collect();
                Ok(StoreReply::Rows(store::Page { rows: found, more: false }))
            }
            StoreCall::Select(_) => Ok(StoreReply::Rows(store::Page { rows: self.rows.clone(), more: false })),
            _ => Err(Failure::Misuse("not asked for by this module".to_owned())),
        }
    }
}

fn call(operation: &str, path: &[(&str, &str)], body: Option<Json>) -> Result<Json, (String, Vec<String>)> {
    let pairs = path.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let query = if operation.starts_with("list") { vec![("limit".to_owned(), "50".to_owned())] } else { vec![] };
    let body = body.map(|body| body.to_string());
    let call = Call { operation: operation.to_owned(), path: pairs, query, body, if_match: None };
    match Template::handle(&call) {
        Ok(reply) => Ok(serde_json::from_str(&reply.body).expect("an answer is JSON")),
        Err(problem) => Err((problem.code, problem.errors.into_iter().map(|item| item.pointer).collect())),
    }
}

#[test]
fn an_entry_is_created_read_and_listed() {
    install(Some(Box::<Double>::default()));
    let made = call("createTemplateEntry", &[], Some(json!({ "name": "First" }))).expect("it is created");
    assert_eq!(made["name"], "First");
    assert_eq!(made["note"], Json::Null);
    let id = made["id"].as_str().expect("it has an id");
    assert_eq!(call("getTemplateEntry", &[("id", id)], None), Ok(made.clone()));
    assert_eq!(call("listTemplateEntries", &[], None), Ok(json!({ "items": [made], "nextCursor": null })));
}

#[test]
fn a_taken_name_and_an_unknown_id_are_refused() {
    install(Some(Box::<Double>::default()));
    let body = json!({ "name": "Twice" });
    assert!(call("createTemplateEntry", &[], Some(body.clone())).is_ok());
    let refused = call("createTemplateEntry", &[], Some(body));
    assert_eq!(refused, Err(("DUPLICATE".to_owned(), vec!["/name".to_owned()])));
    let unknown = [("id", "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b")];
    assert_eq!(call("getTemplateEntry", &unknown, None), Err(("NOT_FOUND".to_owned(), vec![])));
}

#[test]
fn the_descriptor_names_every_operation_once() {
    let descriptor = Template::descriptor();
    let operations: Vec<&str> = descriptor.routes.iter().map(|route| route.operation.as_str()).collect();
    assert_eq!(operations, ["listTemplateEntries", "createTemplateEntry", "getTemplateEntry"]);
}
