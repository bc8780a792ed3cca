//! Rules of a company, one for each point, and notes of what the points received. The newest rule of a point counts: a
//! verb, and for some an argument after a space. At every point `trap` traps, `loop` never ends, `allocate` takes 40
//! MiB, `calls` makes 3,000 store calls, `some-calls` 1,400, and `write` writes a note first.

use std::hint::black_box;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{insert, read, run, select};
use stoa_sdk::{Answer, Call, Id, Operation, Problem, Reply, Text, all, collection, emit, new_id, now};

use crate::{Form, NO, NOTED, Noted, form};

const MOST: u32 = 1_000;

collection! {
    pub ledger RuleRow in "rule" {
        point: String,
        rule: String,
    }
    index { [point, id] }
}

collection! {
    pub ledger NoteRow in "note" {
        point: String,
        note: String,
    }
    index { [point] }
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ExtenderARuleInput")]
#[serde(deny_unknown_fields)]
struct RuleInput {
    /// Name of the point without its package.
    point: Text<1, 40>,
    /// What the point does: see the point.
    rule: Text<1, 100>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExtenderAReceipt")]
struct Receipt {
    id: Id,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExtenderANotes")]
struct Notes {
    /// In the sequence in which they were written.
    notes: Vec<String>,
}

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create("/extender-a/rules", "setExtenderARule", set_rule).summary("State the rule of a point")
        .needs(&["extender-a.write"]).body::<RuleInput>().answers::<Receipt>().writes("EXTENDER_A_RULE", &[]),
    Operation::read("/extender-a/notes", "listExtenderANotes", list_notes).summary("What the points received")
        .needs(&["extender-a.read"]).answers::<Notes>(),
];

pub fn set_rule(call: &Call) -> Answer {
    let RuleInput { point, rule } = call.body()?;
    let (id, now) = (new_id(), now());
    let row = RuleRow { id, created_at: now, updated_at: now, point: point.into(), rule: rule.into() };
    run(insert([&row]))?;
    Ok(Reply::json(&Receipt { id }).resource(id))
}

pub fn list_notes(_: &Call) -> Answer {
    let rows = run(select::<NoteRow>(all([])).limit(MOST))?.items;
    let note = |row: NoteRow| format!("{}: {}", row.point, row.note);
    Ok(Reply::json(&Notes { notes: rows.into_iter().map(note).collect() }))
}

pub struct Rule {
    pub verb: String,
    /// Empty where the rule is a verb alone.
    pub argument: String,
}

/// The newest rule of a point, after what every point does by it.
pub fn apply(point: &str) -> Option<Rule> {
    let newest = select::<RuleRow>(RuleRow::point.eq(point)).by_descending(RuleRow::id).limit(1);
    let text = read(newest).items.into_iter().next()?.rule;
    assert!(form() != Form::Broken, "this version is broken");
    let (verb, argument) = text.split_once(' ').unwrap_or((text.as_str(), ""));
    assert!(verb != "trap", "the rule of {point} says so");
    match verb {
        "loop" => spin(),
        "allocate" => drop(black_box(vec![1_u8; 40 << 20])),
        "calls" => call_store(3_000),
        "some-calls" => call_store(1_400),
        "write" => drop(write_note(point, text.clone())),
        _ => {}
    }
    Some(Rule { verb: verb.to_owned(), argument: argument.to_owned() })
}

fn call_store(times: usize) {
    (0..times).for_each(|_| drop(read(select::<RuleRow>(RuleRow::point.eq("none")).limit(1))));
}

fn spin() {
    let mut turn = 0_u64;
    while black_box(turn) < u64::MAX {
        turn += 1;
    }
}

pub fn write_note(point: &str, note: String) -> Result<Id, Problem> {
    let (id, now) = (new_id(), now());
    run(insert([&NoteRow { id, created_at: now, updated_at: now, point: point.to_owned(), note }]))?;
    Ok(id)
}

pub fn emit_note(id: Id, note: String) {
    emit([black_box(&NOTED).of(id, None, &Noted { note })]);
}

pub fn refuse(pointer: &str) -> Problem {
    Problem::at(black_box(NO), pointer)
}

/// Writes a note of what a check received, and rejects it at the pointer if its rule says `reject`.
pub fn judge(point: &str, pointer: &str, note: String) -> Result<(), Problem> {
    let Some(rule) = apply(point) else { return Ok(()) };
    write_note(point, note)?;
    if rule.verb == "reject" { Err(refuse(pointer)) } else { Ok(()) }
}
