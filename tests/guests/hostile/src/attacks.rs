//! The attacks, by mode. A mode that gets through answers success or HOSTILE_ALLOWED, and the suite fails.

use std::hint::black_box;

use serde_json::json;

use crate::commerce::platform::problems::{Bound, Bounds};
use crate::commerce::platform::{context, events, log};
use crate::exports::commerce::platform::module::{Item, Problem, Reply, Step};
use crate::store::{
    self, Call, Change, Compare, LockMode, Node, Order, Term, Value, ask, change, get, insert, note, run,
};
use crate::{fine, problem};

pub fn commit(mode: &str, text: String) -> Result<Reply, Problem> {
    match mode {
        "behave" => store::behave(),
        "count" => count(),
        "dawdle" => store::dawdle(&text),
        "today" => {
            let day: u32 = context::current().today.replace('-', "").parse().unwrap_or_default();
            Ok(fine(json!({ "done": true, "seen": day })))
        }
        "note-named" => match run(&[note(&text)]) {
            Ok(_) => Ok(done()),
            Err(failure) => Err(problem(store::said(&failure))),
        },

        // Time, memory, stack.
        "loop" => loop {
            black_box(());
        },
        "loop-in-host" => loop {
            black_box(context::current());
        },
        "loop-in-log" => loop {
            log::write(log::Level::Info, "again");
        },
        "loop-after-write" => {
            let _ = store::behave();
            loop {
                black_box(());
            }
        }
        "allocate" => allocate(),
        "allocate-at-once" => Ok(fine(json!({ "done": !black_box(vec![1u8; 3 << 30]).is_empty() }))),
        "recurse" => Ok(fine(json!({ "done": recurse(black_box(1)) > 0 }))),
        "panic" => panic!("as asked"),
        "panic-after-write" => {
            let _ = store::behave();
            panic!("as asked")
        }
        "abort" => std::process::abort(),
        "wild-read" => Ok(fine(json!({ "done": wild_read() }))),

        // Replies that are invalid.
        "reply-garbage" => Ok(Reply { body: "{not json".into(), ..fine(json!(null)) }),
        "reply-empty" => Ok(Reply { body: String::new(), ..fine(json!(null)) }),
        "reply-two" => Ok(Reply { body: "{} {}".into(), ..fine(json!(null)) }),
        "reply-status-999" => status(999),
        "reply-status-99" => status(99),
        "reply-status-0" => status(0),
        "reply-status-404" => status(404),
        "reply-status-302" => status(302),
        "reply-status-202" => status(202),
        "reply-huge" => Ok(Reply { body: format!("{{\"done\":true,\"x\":\"{}\"}}", "x".repeat(64 << 20)), ..done() }),
        "reply-9-mib" => Ok(Reply { body: format!("{{\"done\":true,\"x\":\"{}\"}}", "x".repeat(9 << 20)), ..done() }),
        "reply-etag" => Ok(Reply { etag: Some("a\"\r\nX-Evil: yes\r\n\r\n".into()), ..done() }),
        "reply-changed" => Ok(Reply { changed: vec!["x".repeat(1000); 10_000], ..done() }),
        "reply-subjects" => Ok(Reply { subjects: (0..1_001).map(|n| (n, n)).collect(), ..done() }),
        "reply-after-write-garbage" => {
            let _ = store::behave();
            Ok(Reply { body: "nonsense".into(), ..done() })
        }
        "problem-unknown" => Err(problem("NO_SUCH_CODE")),
        "problem-unlisted" => Err(problem("HOSTILE_UNLISTED")),
        "problem-foreign" => Err(problem("hostile lower case\r\n")),
        "problem-flood" => {
            let item = fault("/x".repeat(50));
            Err(Problem { code: "HOSTILE_ALLOWED".into(), errors: vec![item; 100_000] })
        }
        "problem-many" => {
            let item = fault("/x".into());
            Err(Problem { code: "HOSTILE_LIMIT".into(), errors: vec![item; 1_000] })
        }

        "problem-code" => Err(problem(&text)),
        "problem-counted" => {
            let bounds = Bounds { minimum: None, maximum: Some(Bound::Integer(1)), counted: Some(text) };
            let item = Item { expected: Some(bounds), ..fault("/x".into()) };
            Err(Problem { code: "HOSTILE_LIMIT".into(), errors: vec![item] })
        }
        "problem-bound" => {
            let bounds = Bounds { minimum: None, maximum: Some(Bound::Decimal(text)), counted: None };
            let item = Item { expected: Some(bounds), ..fault("/x".into()) };
            Err(Problem { code: "HOSTILE_LIMIT".into(), errors: vec![item] })
        }
        "problem-pointer" => {
            let item = fault(text);
            Err(Problem { code: "HOSTILE_LIMIT".into(), errors: vec![item] })
        }

        // Too much of the store.
        "store-million" => {
            for _ in 0..1_000_000 {
                if let Err(failure) = run(&[get(ask("note", &["label"]), vec![Value::Id((1, 1))])]) {
                    return Err(problem(store::said(&failure)));
                }
            }
            Err(problem("HOSTILE_ALLOWED"))
        }
        "store-million-deaf" => {
            for _ in 0..1_000_000 {
                let _ = run(&[get(ask("note", &["label"]), vec![Value::Id((1, 1))])]);
            }
            Ok(done())
        }
        "store-batch" => store::verdict(run(&vec![get(ask("note", &[]), vec![]); 1_000_000])),
        "store-batch-33" => store::verdict(run(&vec![get(ask("note", &[]), vec![]); 33])),
        "store-ids" => store::verdict(run(&[get(ask("note", &[]), vec![Value::Id((1, 1)); 1_000_000])])),
        "store-ids-1001" => store::verdict(run(&[get(ask("note", &[]), vec![Value::Id((1, 1)); 1001])])),
        "store-rows" => {
            let rows = (0..1_000_000).map(|n| vec![Value::Text(format!("r{n}"))]).collect();
            store::verdict(run(&[insert("note", &["label"], rows)]))
        }
        "store-rows-2001" => {
            let rows = (0..2001).map(|n| vec![Value::Text(format!("r{n}"))]).collect();
            store::verdict(run(&[insert("note", &["label"], rows)]))
        }
        "store-rows-in-all" => loop {
            if let Err(failure) = run(&[store::many_notes()]) {
                return Err(problem(store::said(&failure)));
            }
        },
        "store-crawl" => store::crawl(&text),
        "store-wide-text" => store::verdict(run(&[note(&"x".repeat(5 << 20))])),
        "store-select-2001" => store::verdict(run(&[store::select(ask("note", &[]), vec![], 2001)])),
        "store-deep" => store::verdict(run(&[store::select(ask("note", &[]), vec![Node::All(1); 60], 1)])),
        "store-short-tree" => store::verdict(run(&[store::select(ask("note", &[]), vec![Node::All(200)], 1)])),
        "ids-flood" => Ok(fine(json!({ "done": context::new_ids(u32::MAX).len() > 2_000 }))),
        "log-flood" => {
            for _ in 0..1_000_000 {
                log::write(log::Level::Error, &"x".repeat(100_000));
            }
            Ok(done())
        }
        "log-again" => loop {
            log::write(log::Level::Error, &text);
        },
        "log-line" => {
            log::write(log::Level::Info, &text);
            Ok(done())
        }
        "log-count" => {
            for number in 1..=text.parse::<usize>().unwrap_or_default() {
                log::write(log::Level::Info, &format!("counted {number}"));
            }
            Ok(done())
        }
        "log-wide" => {
            for _ in 0..40 {
                log::write(log::Level::Info, &"w".repeat(2_000));
            }
            Ok(done())
        }
        "panic-with-words" => {
            log::write(log::Level::Error, &text);
            panic_apart()
        }
        "holds" => Ok(fine(json!({ "done": context::holds(&text) }))),
        "log-lines" => {
            log::write(log::Level::Error, "one\n2026-01-01T00:00:00Z ERROR forged line\x1b[31m");
            Ok(done())
        }

        // Other people's rows.
        "collection" => store::verdict(run(&[store::select(ask(&text, &[]), vec![], 1)])),
        "collection-write" => {
            store::verdict(run(&[insert(&text, &["label"], vec![vec![Value::Text(store::label())]])]))
        }
        "column" => store::verdict(run(&[store::select(ask("note", &[&text]), vec![], 1)])),
        "column-filter" => {
            let term = Term { column: text, op: Compare::NotNull, values: vec![] };
            store::verdict(run(&[store::select(ask("note", &["label"]), vec![Node::Term(term)], 1)]))
        }
        "column-order" => {
            let mut call = store::select(ask("note", &["label"]), vec![], 1);
            if let Call::Select(select) = &mut call {
                select.order = vec![Order { column: text, descending: false }];
            }
            store::verdict(run(&[call]))
        }
        "column-insert" => store::verdict(run(&[store::note_with(&text, Value::Id((1, 1)))])),
        "column-update" => {
            on_a_note(|id| store::update("note", None, &[&text], &[], change(id, vec![Value::Integer(7)], vec![])))
        }
        "key" => {
            let find = store::FindCall { ask: ask("note", &[]), key: text, keys: vec![vec![Value::Text("a".into())]] };
            store::verdict(run(&[Call::Find(find)]))
        }
        "other-tenant-id" => match parse(&text).map(|id| run(&[get(ask("note", &["label"]), vec![Value::Id(id)])])) {
            Some(Ok(replies)) => match &replies[..] {
                [store::Reply::Rows(page)] => Ok(fine(json!({ "done": true, "seen": page.rows.len() }))),
                _ => Err(problem("HOSTILE_UNKNOWN")),
            },
            Some(Err(failure)) => Err(problem(store::said(&failure))),
            None => Err(problem("HOSTILE_UNKNOWN")),
        },
        "other-tenant-update" => match parse(&text) {
            Some(id) => store::verdict(run(&[store::update(
                "note",
                None,
                &["number"],
                &[],
                change(Value::Id(id), vec![Value::Integer(666)], vec![]),
            )])),
            None => Err(problem("HOSTILE_UNKNOWN")),
        },
        "lock-garbage" => {
            let names = vec![(String::from("a\0b"), LockMode::Exclusive), (text, LockMode::Shared)];
            store::verdict(run(&[Call::Lock(store::LockCall { names })]))
        }
        "lock-upgrade" => {
            let lock = |mode| Call::Lock(store::LockCall { names: vec![("gate".to_string(), mode)] });
            store::verdict(run(&[lock(LockMode::Shared), lock(LockMode::Exclusive)]))
        }

        // Ledgers stay as they were written.
        "ledger-update" => on_an_entry(|id| {
            store::update("entry", None, &["number"], &[], change(id, vec![Value::Integer(7)], vec![]))
        }),
        "ledger-add" => {
            on_an_entry(|id| store::update("entry", None, &[], &["number"], change(id, vec![], vec!["1".into()])))
        }
        "ledger-update-by-key" => {
            let label = store::label();
            let entry = insert("entry", &["label"], vec![vec![Value::Text(label.clone())]]);
            let row = change(Value::Text(label), vec![Value::Integer(7)], vec![]);
            store::verdict(run(&[entry, store::update("entry", Some("label"), &["number"], &[], row)]))
        }
        "ledger-lock" => on_an_entry(|id| {
            let mut ask = ask("entry", &["label"]);
            ask.lock = Some(LockMode::Exclusive);
            get(ask, vec![id])
        }),
        "ledger-insert-again" => {
            on_an_entry(|id| insert("entry", &["id", "label"], vec![vec![id, Value::Text(store::label())]]))
        }
        "ledger-version" => on_an_entry(|id| {
            let row = Change { key: vec![id], version: Some(1), set: vec![Value::Text("changed".into())], add: vec![] };
            store::update("entry", None, &["label"], &[], row)
        }),

        // Values that are invalid.
        "text-nul" => store::verdict(run(&[note("a\0b")])),
        "decimal" => store::verdict(run(&[store::note_with("amount", Value::Decimal(text))])),
        "date" => store::verdict(run(&[store::note_with("day", Value::Date(text))])),
        "json" => store::verdict(run(&[store::note_with("data", Value::Json(text))])),
        "json-nul" => store::verdict(run(&[store::note_with("data", Value::Json("{\"a\":\"\\u0000\"}".into()))])),
        "json-surrogate" => store::verdict(run(&[store::note_with("data", Value::Json("{\"a\":\"\\ud800\"}".into()))])),
        "instant-max" => store::verdict(run(&[store::note_with("moment", Value::Instant(i64::MAX))])),
        "instant-min" => store::verdict(run(&[store::note_with("moment", Value::Instant(i64::MIN))])),
        "add-overflow" => on_a_note(|id| {
            store::update("note", None, &[], &["number"], change(id, vec![], vec![i64::MAX.to_string()]))
        }),
        "add-garbage" => on_a_note(|id| store::update("note", None, &[], &["number"], change(id, vec![], vec![text]))),
        "add-undeclared" => {
            on_a_note(|id| store::update("note", None, &[], &["amount"], change(id, vec![], vec!["1".into()])))
        }
        "type-text-as-integer" => store::verdict(run(&[store::note_with("number", Value::Text("7".into()))])),
        "type-integer-as-text" => store::verdict(run(&[insert("note", &["label"], vec![vec![Value::Integer(7)]])])),
        "null-in-required" => store::verdict(run(&[insert("note", &["label"], vec![vec![Value::Null]])])),
        "row-short" => {
            store::verdict(run(&[insert("note", &["label", "number"], vec![vec![Value::Text("a".into())]])]))
        }
        "row-long" => {
            store::verdict(run(&[insert("note", &["label"], vec![vec![Value::Text("a".into()), Value::Null]])]))
        }
        "column-twice" => {
            let row = vec![Value::Text(store::label()), Value::Text("b".into())];
            store::verdict(run(&[insert("note", &["label", "label"], vec![row])]))
        }
        "column-missing" => store::verdict(run(&[insert("note", &["number"], vec![vec![Value::Integer(1)]])])),

        // After a failure the store is closed, and a request that saw one cannot succeed.
        "go-on" => {
            let label = store::label();
            let _ = run(&[note(&label), note(&label)]);
            store::verdict(run(&[note(&store::label())]))
        }
        "go-on-deaf" => {
            let label = store::label();
            let _ = run(&[note(&label), note(&label)]);
            let _ = run(&[note(&store::label())]);
            Ok(done())
        }
        "swallow" => {
            let label = store::label();
            let _ = run(&[note(&store::label())]);
            let _ = run(&[note(&label), note(&label)]);
            Ok(done())
        }

        // Events that no module declared.
        "event-undeclared" => emit("hostile.never-declared", "{}"),
        "event-foreign" => emit("catalog.product.created", "{}"),
        "event-garbage" => emit("hostile.noted", "{not json"),
        "event-scalar" => emit("hostile.noted", "7"),
        "event-huge" => emit("hostile.noted", &format!("{{\"x\":\"{}\"}}", "x".repeat(16 << 20))),
        "event-flood" => {
            for _ in 0..1_000_000 {
                emit("hostile.noted", "{}")?;
            }
            Ok(done())
        }
        "event-bytes" => {
            for _ in 0..text.parse::<usize>().unwrap_or_default() {
                emit("hostile.noted", &format!("{{\"x\":\"{}\"}}", "x".repeat(300 << 10)))?;
            }
            Ok(done())
        }
        "event" => emit("hostile.noted", "{}"),
        "event-unlisted" => emit("hostile.unlisted", "{}"),

        // Events and replies that differ from the descriptor.
        "event-of-another-shape" => emit("hostile.noted", "{\"x\":7070707}"),
        "event-with-a-secret-member" => emit("hostile.noted", "{\"leaked\":\"7070707\"}"),
        "event-about-another" => emit_about("HOSTILE_ENTRY", "hostile.noted", "{}"),
        "reply-of-another-shape" => Ok(fine(json!({ "done": "7070707" }))),
        "reply-with-a-member-less" => Ok(fine(json!({ "seen": 1 }))),

        _ => Err(problem("HOSTILE_UNKNOWN")),
    }
}

fn done() -> Reply {
    fine(json!({ "done": true }))
}

fn status(status: u16) -> Result<Reply, Problem> {
    Ok(Reply { status: Some(status), ..done() })
}

/// How many notes this tenant has.
/// One step, done with the first note; a note of the right name makes it misbehave.
pub fn checklist() -> Vec<Step> {
    let labels: Vec<String> = match run(&[store::select(ask("note", &["label"]), vec![], 100)]).as_deref() {
        Ok([store::Reply::Rows(page)]) => page.rows.iter().flatten().filter_map(text_of).collect(),
        _ => panic!("no notes"),
    };
    let named = |label: &str| labels.iter().any(|known| known == label);
    if named("checklist-panics") {
        panic!("as asked");
    }
    if named("checklist-writes") {
        let _ = run(&[note("written by a checklist")]);
    }
    vec![Step { code: "NOTE".into(), done: !labels.is_empty(), hint: "Write a note.".into() }]
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn count() -> Result<Reply, Problem> {
    match run(&[store::select(ask("note", &["label"]), vec![], 1000)]) {
        Ok(replies) => match &replies[..] {
            [store::Reply::Rows(page)] => Ok(fine(json!({ "done": true, "seen": page.rows.len() }))),
            _ => Err(problem("HOSTILE_UNKNOWN")),
        },
        Err(failure) => Err(problem(store::said(&failure))),
    }
}

fn allocate() -> Result<Reply, Problem> {
    let mut kept: Vec<Vec<u8>> = Vec::new();
    loop {
        kept.push(black_box(vec![1; 1 << 20]));
    }
}

/// A function of its own in every build, for those who look at the stack.
#[inline(never)]
fn panic_apart() -> ! {
    panic!("as asked")
}

#[allow(unconditional_recursion)]
fn recurse(depth: u64) -> u64 {
    let room = black_box([depth; 64]);
    recurse(black_box(depth + 1)) + room[(depth % 64) as usize]
}

/// Reads outside the module's memory.
fn wild_read() -> bool {
    #[cfg(target_arch = "wasm32")]
    // SAFETY: none; the address lies outside the memory, and the sandbox must end the call.
    return unsafe { std::ptr::read_volatile(black_box(0xffff_fff0 as *const u8)) } == 0;
    #[cfg(not(target_arch = "wasm32"))]
    false
}

fn emit(kind: &str, data: &str) -> Result<Reply, Problem> {
    emit_about("HOSTILE_NOTE", kind, data)
}

fn emit_about(resource_type: &str, kind: &str, data: &str) -> Result<Reply, Problem> {
    events::emit(&[events::Event {
        kind: kind.into(),
        resource_type: resource_type.into(),
        resource: store::id(),
        version: None,
        data: data.into(),
    }]);
    Ok(done())
}

/// A attack on a note that the same request made.
fn on_a_note(attack: impl FnOnce(Value) -> Call) -> Result<Reply, Problem> {
    let id = Value::Id(store::id());
    let row = vec![id.clone(), Value::Text(store::label()), Value::Integer(1)];
    store::verdict(run(&[insert("note", &["id", "label", "number"], vec![row]), attack(id)]))
}

/// A attack on a ledger entry that the same request made.
fn on_an_entry(attack: impl FnOnce(Value) -> Call) -> Result<Reply, Problem> {
    let id = Value::Id(store::id());
    let row = vec![id.clone(), Value::Text(store::label()), Value::Integer(1)];
    store::verdict(run(&[insert("entry", &["id", "label", "number"], vec![row]), attack(id)]))
}

/// A uuid's two halves.
fn parse(text: &str) -> Option<store::Id> {
    let hex: String = text.chars().filter(|c| *c != '-').collect();
    let half = |part: Option<&str>| part.and_then(|part| u64::from_str_radix(part, 16).ok());
    Some((half(hex.get(..16))?, half(hex.get(16..))?))
}

fn fault(pointer: String) -> Item {
    Item { pointer, code: "TOO_MANY".into(), required: None, identified: None, expected: None, conflicts_with: None }
}
