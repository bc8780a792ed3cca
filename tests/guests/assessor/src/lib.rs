//! Extends the points of commerce by rules that a test writes, one for each point and company. A point without a rule
//! is left as it is. Points that may write note what they received.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{find, insert, read, run, select};
use stoa_sdk::{
    Answer, Call, Decimal, Entity, Extends, Field, Id, Manifest, Module, Operation, Problem, Reply, Text, all,
    collection, new_id, now,
};
use stoa_trade::extension::{
    availability, checkout, numbering, order_confirmation, payment_acceptance, price_adjustment,
};
use stoa_trade::points;

/// The code of every rejection.
const NO: &str = "ASSESSOR_NO";
/// The rule of a point that rejects whatever it receives.
const REJECT: &str = "reject";
const MOST: u32 = 1_000;

collection! {
    pub ledger RuleRow in "rule" {
        point: String,
        rule: String,
    }
    unique { point: [point] }
}

collection! {
    pub ledger NoteRow in "note" {
        point: String,
        note: String,
    }
    index { [point] }
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "AssessorRuleInput")]
#[serde(deny_unknown_fields)]
struct RuleInput {
    /// Name of the point without its package.
    point: Text<1, 40>,
    /// What the point does: see the point.
    rule: Text<1, 40>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AssessorReceipt")]
struct Receipt {
    id: Id,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AssessorNotes")]
struct Notes {
    /// In the sequence in which they were written.
    notes: Vec<String>,
}

#[rustfmt::skip]
const OPERATIONS: &[Operation] = &[
    Operation::create("/assessor/rules", "setAssessorRule", set_rule).summary("State the rule of a point")
        .needs(&["assessor.write"]).body::<RuleInput>().answers::<Receipt>().writes("ASSESSOR_RULE", &[]),
    Operation::read("/assessor/notes", "listAssessorNotes", list_notes).summary("What the points received")
        .needs(&["assessor.read"]).answers::<Notes>(),
];

fn set_rule(call: &Call) -> Answer {
    let RuleInput { point, rule } = call.body()?;
    let (id, now) = (new_id(), now());
    let row = RuleRow { id, created_at: now, updated_at: now, point: point.into(), rule: rule.into() };
    run(insert([&row]))?;
    Ok(Reply::json(&Receipt { id }).resource(id))
}

fn list_notes(_: &Call) -> Answer {
    let rows = run(select::<NoteRow>(all([])).limit(MOST))?.items;
    let note = |row: NoteRow| format!("{}: {}", row.point, row.note);
    Ok(Reply::json(&Notes { notes: rows.into_iter().map(note).collect() }))
}

fn rule_of(point: &str) -> Option<String> {
    let rows = read(find::<RuleRow>("point", [vec![point.to_owned().put()]]));
    rows.into_iter().next().map(|row| row.rule)
}

fn write_note(point: &str, note: String) -> Result<(), Problem> {
    let now = now();
    run(insert([&NoteRow { id: new_id(), created_at: now, updated_at: now, point: point.to_owned(), note }]))?;
    Ok(())
}

/// Notes what a point received, and rejects it at the pointer if its rule says so.
fn judge(point: &str, pointer: &str, notes: impl IntoIterator<Item = String>) -> Result<(), Problem> {
    let Some(rule) = rule_of(point) else { return Ok(()) };
    notes.into_iter().try_for_each(|note| write_note(point, note))?;
    if rule == REJECT { Err(Problem::at(NO, pointer)) } else { Ok(()) }
}

fn describe_order(order: &points::Order) -> String {
    let line = |line: &points::OrderLine| {
        format!("{} at {} of {} is {}", line.quantity, line.unit_price, line.list_unit_price, line.line_total)
    };
    let lines: Vec<String> = order.lines.iter().map(line).collect();
    format!("{} {} for {}", order.currency_code, order.total, lines.join(", "))
}

/// The module.
pub struct Assessor;

impl price_adjustment::Guest for Assessor {
    /// The rule is an amount that is taken off for a stated customer, however low the price becomes.
    fn adjust(
        what: price_adjustment::Question,
        earlier: Vec<price_adjustment::Adjustment>,
    ) -> Vec<price_adjustment::Adjustment> {
        let Some(rule) = rule_of("price-adjustment").filter(|_| what.customer_id.is_some()) else { return Vec::new() };
        let off: Decimal<6> = rule.parse().unwrap_or_default();
        let adjustment = |line: &price_adjustment::Line| {
            let before = earlier.iter().rev().find(|adjustment| adjustment.variant_id == line.variant_id);
            let from: Decimal<6> = before.map_or(&line.amount, |before| &before.amount).parse().ok()?;
            let amount = from.checked_sub(off)?.to_string();
            let (module, reason) = (String::new(), "OFF".to_owned());
            Some(price_adjustment::Adjustment { module, variant_id: line.variant_id, amount, reason })
        };
        what.lines.iter().filter_map(adjustment).collect()
    }
}

impl order_confirmation::Guest for Assessor {
    fn check(order: order_confirmation::Order) -> Result<(), Problem> {
        judge("order-confirmation", "/customerId", [describe_order(&order)])
    }
}

impl availability::Guest for Assessor {
    /// The rule is the most of each line.
    fn restrict(order: availability::Order) -> Vec<availability::Limit> {
        let Some(most) = rule_of("availability") else { return Vec::new() };
        let limit = |line: &points::OrderLine| availability::Limit {
            module: String::new(),
            line_id: line.id,
            most: most.clone(),
        };
        order.lines.iter().map(limit).collect()
    }
}

impl checkout::Guest for Assessor {
    fn check(order: checkout::Order, at: checkout::Place) -> Result<(), Problem> {
        let place = format!("{} at {}", Id::from(at.session_id), Id::from(at.register_id));
        judge("checkout", "/customerId", [describe_order(&order), place])
    }
}

impl payment_acceptance::Guest for Assessor {
    fn accept(
        _receipt_id: (u64, u64),
        _order: payment_acceptance::Order,
        payments: Vec<payment_acceptance::Payment>,
    ) -> Result<(), Problem> {
        let pointer = payments.first().map(|payment| payment.pointer.clone()).unwrap_or_default();
        let notes = payments.iter().map(|payment| {
            let kind = payment.card_kind.as_deref().unwrap_or("no card");
            format!("{} {} {kind} {}", payment.line_no, payment.method, payment.amount)
        });
        judge("payment-acceptance", &pointer, notes)
    }
}

impl numbering::Guest for Assessor {
    /// The rule begins the number of every document; an attempt more is a number more.
    fn number(document: numbering::Document) -> Result<Option<numbering::Numbered>, Problem> {
        let number = |rule: String| format!("{rule}-{}-{}", document.prefix, document.attempt + 1);
        let numbered = |rule| numbering::Numbered { module: String::new(), number: number(rule) };
        Ok(rule_of("numbering").map(numbered))
    }
}

const EXTENDS: &[Extends] = &[
    Extends::new(points::PRICE_ADJUSTMENT.0),
    Extends::new(points::ORDER_CONFIRMATION.0).problems(&[NO]),
    Extends::new(points::AVAILABILITY.0),
    Extends::new(points::CHECKOUT.0).problems(&[NO]),
    Extends::new(points::PAYMENT_ACCEPTANCE.0).problems(&[NO]),
    Extends::new(points::NUMBERING.0),
];

impl Module for Assessor {
    const MANIFEST: Manifest = Manifest {
        operations: &[OPERATIONS],
        collections: &[RuleRow::collection, NoteRow::collection],
        permissions: &[("assessor.read", "Read notes."), ("assessor.write", "Write rules.")],
        problems: &[(NO, 409, "The assessor rejects it.")],
        extends: EXTENDS,
        ..Manifest::new("assessor", "1.0.0", "Extends the points of commerce for the suite.")
    };
}

stoa_sdk::export_module!(Assessor);
stoa_trade::export_point!(price_adjustment, crate::Assessor);
stoa_trade::export_point!(order_confirmation, crate::Assessor);
stoa_trade::export_point!(availability, crate::Assessor);
stoa_trade::export_point!(checkout, crate::Assessor);
stoa_trade::export_point!(payment_acceptance, crate::Assessor);
stoa_trade::export_point!(numbering, crate::Assessor);
