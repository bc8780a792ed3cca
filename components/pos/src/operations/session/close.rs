//! Closing a session: the amount that the drawer should hold is fixed, and with it the figures of the Z report. The register's
//! lock comes before the session's, as at the opening (sales-pos.md 14).

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, insert, run, update};
use stoa_sdk::{Answer, Call, Id, Problem, Reply, emit, holds, now, view};
use stoa_trade::Change;
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::clients::tills;
use stoa_trade::coin::check_coins;
use stoa_trade::document::actor::Actor;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::Money;
use stoa_trade::text::Prose;

use crate::records::permission::SUPERVISE;
use crate::records::register::RegisterRow;
use crate::records::session::{PosSession, SESSION_CLOSED, SessionEvent, SessionRow, SessionStatus};
use crate::work::drawer::parse;
use crate::work::figures::{compute_figures, draw_totals};
use crate::work::session::{is_operator, require_open};

/// Closing of a session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClosePosSession {
    pub expected_version: ExpectedVersion,
    /// Cash counted in the drawer at the closing.
    pub counted_amount: Money,
    /// Free text. Text that resembles a card number is rejected.
    pub notes: Option<Prose<0, 1000>>,
}

view! { OfRegister of SessionRow { register_id: Id } }

pub fn close(call: &Call) -> Answer {
    let input: ClosePosSession = call.body()?;
    let notes = input.notes.map(String::from);
    refuse_card_numbers(&[("/notes", notes.as_deref())])?;
    let id = call.path_id("id")?;
    let register: OfRegister = run(get(id))?.ok_or_else(Problem::not_found)?;
    let register_id = register.register_id;
    let (_, session) = run((get::<RegisterRow>(register_id).locked(), get::<SessionRow>(id).locked()))?;
    let session = session.ok_or_else(Problem::not_found)?;
    if !is_operator(&session) && !holds(SUPERVISE) {
        return Err(Problem::new("PERMISSION_DENIED"));
    }
    input.expected_version.check(session.version)?;
    require_open(&session)?;
    check_coins(session.smallest_coin, &[("/countedAmount", input.counted_amount)])?;
    let closed = tills::service::close(id.into(), &input.counted_amount.to_string())?;
    let figures = compute_figures(id)?.figures;
    let expected: Money = parse(&closed.expected);
    let after = SessionRow {
        open_slot: None,
        status: SessionStatus::Closed,
        expected_at_close: Some(expected),
        counted_amount: Some(input.counted_amount),
        variance: Some(parse(&closed.variance)),
        notes,
        closed_at: Some(now()),
        closed_by: Some(Actor::current().actor_id),
        ..session.clone()
    };
    let change = Change::new(&session, after)?;
    let left = update::<RegisterRow>(register_id).set(RegisterRow::open_session_id, &None);
    run((left, change.update(), insert(&draw_totals(id, &figures))))?;
    let after = change.after();
    emit([SESSION_CLOSED.of(id, Some(after.version), &SessionEvent { register_id, session_id: id })]);
    let reply = Reply::json(&PosSession::from_row(after, expected)).resource(id).subject(register_id);
    Ok(reply.changed(["status", "countedAmount", "notes"]))
}
