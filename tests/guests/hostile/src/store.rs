//! Short words for store calls, and a verdict on what came back.

use crate::commerce::platform::context;
pub use crate::commerce::platform::store::{
    Ask, Call, Change, Compare, Failure, FindCall, GetCall, InsertCall, LockCall, LockMode, Node, Order, Reply,
    SelectCall, Term, UpdateCall, Value, run,
};
use crate::exports::commerce::platform::module::{Problem, Reply as Answer};
use crate::{fine, problem};

pub type Id = (u64, u64);

pub fn id() -> Id {
    context::new_ids(1).first().copied().unwrap_or_default()
}

/// A label that no other request makes.
pub fn label() -> String {
    let (high, low) = id();
    format!("L{high:016x}{low:016x}")
}

pub fn insert(collection: &str, columns: &[&str], rows: Vec<Vec<Value>>) -> Call {
    let columns = columns.iter().map(|column| column.to_string()).collect();
    Call::Insert(InsertCall { collection: collection.into(), columns, rows, skip_clashes: false })
}

/// One note with one more column.
pub fn note_with(column: &str, value: Value) -> Call {
    insert("note", &["label", column], vec![vec![Value::Text(label()), value]])
}

pub fn note(label: &str) -> Call {
    insert("note", &["label"], vec![vec![Value::Text(label.into())]])
}

/// As many notes as one call takes.
pub fn many_notes() -> Call {
    let rows = context::new_ids(2_000).into_iter().map(|(high, low)| vec![Value::Text(format!("M{high:x}{low:x}"))]);
    insert("note", &["label"], rows.collect())
}

/// Goes through all rows of a table as often as calls are allowed, and finds nothing. `writing`: it makes more rows
/// first, and writes one in each batch of its reads.
pub fn crawl(how: &str) -> Result<Answer, Problem> {
    let is_writing = how == "writing";
    let batches = if is_writing { 20 } else { 5 };
    for _ in 0..batches {
        if let Err(failure) = run(&[many_notes()]) {
            return Err(problem(said(&failure)));
        }
    }
    let nowhere = Term { column: "number".into(), op: Compare::Eq, values: vec![Value::Integer(-1)] };
    // Each row is compared often before it is left out: a fast machine too must come to the limit.
    let there = Term { column: "label".into(), op: Compare::Ge, values: vec![Value::Text("M".into())] };
    let mut terms = vec![Node::All(24)];
    terms.extend((0..23).map(|_| Node::Term(there.clone())));
    terms.push(Node::Term(nowhere));
    let look = || select(ask("note", &["label"]), terms.clone(), 1);
    for _ in 0..1_200 {
        let first = if is_writing { note(&label()) } else { look() };
        if let Err(failure) = run(&[first, look(), look(), look(), look(), look(), look(), look()]) {
            return Err(problem(said(&failure)));
        }
    }
    Ok(fine(serde_json::json!({ "done": true })))
}

pub fn ask(collection: &str, columns: &[&str]) -> Ask {
    let columns = columns.iter().map(|column| column.to_string()).collect();
    Ask { collection: collection.into(), columns, lock: None }
}

pub fn get(ask: Ask, ids: Vec<Value>) -> Call {
    Call::Get(GetCall { ask, ids })
}

pub fn select(ask: Ask, filter: Vec<Node>, limit: u32) -> Call {
    Call::Select(SelectCall { ask, where_: filter, order: Vec::new(), after: None, limit, each: None })
}

pub fn update(collection: &str, key: Option<&str>, set: &[&str], add: &[&str], change: Change) -> Call {
    Call::Update(UpdateCall {
        collection: collection.into(),
        key: key.map(str::to_string),
        set: set.iter().map(|column| column.to_string()).collect(),
        add: add.iter().map(|column| column.to_string()).collect(),
        rows: vec![change],
        initial: None,
        when: Vec::new(),
        answer: Vec::new(),
    })
}

pub fn change(key: Value, set: Vec<Value>, add: Vec<String>) -> Change {
    Change { key: vec![key], version: None, set, add }
}

/// The store's answer, as a problem code that the suite can read. Nothing refused is the worst answer.
pub fn verdict(outcome: Result<Vec<Reply>, Failure>) -> Result<Answer, Problem> {
    Err(problem(match outcome {
        Ok(_) => "HOSTILE_ALLOWED",
        Err(failure) => said(&failure),
    }))
}

pub fn said(failure: &Failure) -> &'static str {
    match failure {
        Failure::Duplicate(_) => "HOSTILE_DUPLICATE",
        Failure::RefusedChange(_) => "HOSTILE_CHANGE",
        Failure::OutOfRange(_) => "HOSTILE_RANGE",
        Failure::Closed => "HOSTILE_CLOSED",
        Failure::Limit(_) => "HOSTILE_LIMIT",
        Failure::Misuse(_) => "HOSTILE_MISUSE",
    }
}

/// The lawful thing: a note, a ledger entry and an event.
pub fn behave() -> Result<Answer, Problem> {
    let label = label();
    let entry = insert("entry", &["label"], vec![vec![Value::Text(label.clone())]]);
    match run(&[note(&label), entry]) {
        Ok(_) => Ok(fine(serde_json::json!({ "done": true }))),
        Err(failure) => Err(problem(said(&failure))),
    }
}

/// The lawful thing again, and then a long look at the store before the answer.
pub fn dawdle(label: &str) -> Result<Answer, Problem> {
    if let Err(failure) = run(&[note(label), insert("entry", &["label"], vec![vec![Value::Text(label.into())]])]) {
        return Err(problem(said(&failure)));
    }
    for _ in 0..2_000 {
        if let Err(failure) = run(&[get(ask("note", &["label"]), vec![Value::Id((1, 1))])]) {
            return Err(problem(said(&failure)));
        }
    }
    Ok(fine(serde_json::json!({ "done": true })))
}
