//! Extends every point, receives events, has a timer and shows members, by rules that a test writes for its company.
//! The suite makes versions of it: the digit of a form over a mark in its bytes; and a second module: other letters in
//! its names.

mod points;
mod rules;

use std::hint::black_box;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stoa_sdk::descriptor::{Descriptor, Extension, Named};
use stoa_sdk::extension::listening::exports::commerce::extension::listener;
use stoa_sdk::{
    Answer, Call, Entity, EventData, EventKind, Extends, Id, Json, Manifest, Module, Moment, Problem, Received,
    Receives, Shows, Timer, Window,
};
use stoa_trade::points as point;

use crate::rules::{NoteRow, RuleRow, apply, emit_note, refuse, write_note};

/// The code of every rejection.
const NO: &str = "EXTENDER_A_NO";
const AUDIT: &str = "EXTENDER_A_NOTE";
const NOTED: EventKind<Noted> = EventKind::new("extender-a.noted", AUDIT, "A note was written.");

/// The digit at the end is what a test writes: it is the patch of the version too.
static MARK: [u8; 22] = *b"the extender's form: 1";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// By its rules.
    First,
    /// The same in other bytes.
    Again,
    /// Traps wherever its company has a rule.
    Broken,
    /// Receives the events of the other extender after their commit.
    Circular,
    /// Its descriptor lacks a point that it extends.
    Silent,
    /// Its descriptor has a point that it does not extend.
    Boasting,
    /// Its descriptor has a point that it does not call.
    Asking,
    /// Its descriptor receives nothing.
    Deaf,
}

fn digit() -> u8 {
    black_box(&MARK).last().copied().unwrap_or(b'1')
}

fn form() -> Form {
    match digit() {
        b'2' => Form::Again,
        b'3' => Form::Broken,
        b'4' => Form::Circular,
        b'5' => Form::Silent,
        b'6' => Form::Boasting,
        b'7' => Form::Asking,
        b'8' => Form::Deaf,
        _ => Form::First,
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExtenderANoted")]
struct Noted {
    note: String,
}

impl EventData for Noted {
    fn example() -> Noted {
        Noted { note: "x".to_owned() }
    }
}

/// The member that the module adds to responses.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExtenderAShown")]
#[allow(dead_code, reason = "only its schema is used: what is shown may be wrong")]
struct Shown {
    /// What the rule says.
    shown: String,
}

/// The resource of an event, by whichever name it has.
#[derive(Deserialize)]
struct Resource {
    #[serde(default)]
    name: Option<String>,
}

/// The rule `note` writes a note, `emit` emits an event too, `reject NAME` rejects the resource of this name, `reject` any.
fn receive(event: &Received) -> Result<(), Problem> {
    listen("listener", event)
}

fn receive_late(event: &Received) -> Result<(), Problem> {
    listen("after-commit", event)
}

fn listen(point: &str, event: &Received) -> Result<(), Problem> {
    let Some(rule) = apply(point) else { return Ok(()) };
    let name = event.data::<Resource>().name.unwrap_or_default();
    if rule.verb == "reject" {
        return if rule.argument.is_empty() || rule.argument == name { Err(refuse("/name")) } else { Ok(()) };
    }
    if rule.verb == "trap-for" {
        assert!(rule.argument != name, "the rule of {point} says so");
    }
    let id = write_note(point, format!("{} {name}", event.kind).trim().to_owned())?;
    if rule.verb == "emit" {
        emit_note(id, name);
    }
    Ok(())
}

/// Receives only by the moment: a kind that code compares may become a part of instructions, where the suite does not
/// replace it.
pub struct Listener;

impl listener::Guest for Listener {
    fn receive(moment: listener::Moment, event: listener::Event) -> Result<(), Problem> {
        let event = Received::from(event);
        match moment {
            listener::Moment::InTransaction => receive(&event),
            listener::Moment::AfterCommit => receive_late(&event),
        }
    }
}

/// The rule `note` writes the window, `batches N` runs so many batches, and `reject` fails.
fn tick(window: &Window, cursor: Option<String>) -> Result<Option<String>, Problem> {
    let Some(rule) = apply("timer") else { return Ok(None) };
    if rule.verb == "reject" {
        return Err(refuse("/"));
    }
    let batch: u32 = cursor.as_deref().and_then(|cursor| cursor.parse().ok()).unwrap_or(1);
    let since = window.since.map_or("none".to_owned(), |since| since.0.to_string());
    write_note("timer", format!("{since} {} {batch}", window.until.0))?;
    let last: u32 = rule.argument.parse().unwrap_or(1);
    Ok((batch < last).then(|| (batch + 1).to_string()))
}

/// The rule `show TEXT` shows the text, and `wrong` breaks the schema.
fn show(ids: &[Id]) -> Vec<(Id, Json)> {
    let Some(rule) = apply("views") else { return Vec::new() };
    let shown = match rule.verb.as_str() {
        "show" => json!({ "shown": rule.argument }),
        _ => json!({ "shown": 1 }),
    };
    ids.iter().map(|id| (*id, Json::from_value(&shown))).collect()
}

const RECEIVES: &[Receives] = &[
    Receives::in_transaction("catalog.product.created", receive).problems(&[NO]),
    Receives::in_transaction("catalog.lookup.created", receive).problems(&[NO]),
    Receives::in_transaction("sale.completed", receive).problems(&[NO]),
    Receives::in_transaction("extender-x.noted", receive).problems(&[NO]),
    Receives::after_commit("catalog.product.created", receive_late),
    Receives::after_commit("catalog.lookup.created", receive_late),
    Receives::after_commit("extender-x.noted", receive_late),
];

const EXTENDS: &[Extends] = &[
    Extends::new(point::PRICE_ADJUSTMENT.0),
    Extends::new(point::ORDER_CONFIRMATION.0).problems(&[NO]),
    Extends::new(point::AVAILABILITY.0),
    Extends::new(point::CHECKOUT.0).problems(&[NO]),
    Extends::new(point::PAYMENT_ACCEPTANCE.0).problems(&[NO]),
    Extends::new(point::NUMBERING.0),
];

/// The module.
pub struct Extender;

impl Module for Extender {
    /// The manifest of every form.
    const MANIFEST: Manifest = Manifest {
        operations: &[rules::OPERATIONS],
        collections: &[RuleRow::collection, NoteRow::collection],
        permissions: &[("extender-a.read", "Read notes."), ("extender-a.write", "Write rules.")],
        events: &[NOTED.declare()],
        problems: &[(NO, 409, "The extender rejects it.")],
        extends: EXTENDS,
        receives: RECEIVES,
        // A week: a round that is due by the clock would add a window to those that a test makes.
        timers: &[Timer { code: "tick", every_minutes: 10_080, description: "Notes its windows.", run: tick }],
        shows: &[Shows::new::<Shown>("sales.order", show), Shows::new::<Shown>("catalog.product", show)],
        ..Manifest::new("extender-a", "1.0.0", "Extends everything for the suite.")
    };

    fn descriptor() -> Descriptor {
        // The names stay in the component as they are, where the suite writes another letter: not as parts of instructions.
        let mut descriptor = black_box(&Self::MANIFEST).descriptor();
        descriptor.version = format!("1.0.{}", char::from(digit()));
        // By the end of the kind: a comparison with the whole name may be instructions, in which the suite finds no name.
        let is_circle = |kind: &str, moment: Moment| kind.ends_with(".noted") && moment == Moment::AfterCommit;
        let form = form();
        let keeps = |kind: &str, moment: Moment| form == Form::Circular || !is_circle(kind, moment);
        descriptor.receives.retain(|receiving| form != Form::Deaf && keeps(&receiving.kind, receiving.moment));
        match form {
            Form::Silent => descriptor.extends.retain(|extension| extension.interface != point::CHECKOUT.0),
            Form::Boasting => descriptor.extends.push(Extension {
                interface: "commerce:extension/nothing".to_owned(),
                problems: Vec::new(),
                item_codes: Vec::new(),
            }),
            Form::Asking => descriptor.points.push(Named {
                code: point::VIEWS.0.to_owned(),
                description: "A response that is not there.".to_owned(),
            }),
            _ => {}
        }
        descriptor
    }

    fn handle(call: &Call) -> Answer {
        if call.operation.starts_with("set") { rules::set_rule(call) } else { rules::list_notes(call) }
    }
}

stoa_sdk::export_module!(Extender);
stoa_sdk::export_listener!(Listener);
stoa_sdk::export_timer!(Extender);
stoa_sdk::export_views!(Extender);
stoa_trade::export_point!(price_adjustment, crate::Extender);
stoa_trade::export_point!(order_confirmation, crate::Extender);
stoa_trade::export_point!(availability, crate::Extender);
stoa_trade::export_point!(checkout, crate::Extender);
stoa_trade::export_point!(payment_acceptance, crate::Extender);
stoa_trade::export_point!(numbering, crate::Extender);
