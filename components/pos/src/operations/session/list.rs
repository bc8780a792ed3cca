//! Cash sessions as they are read: finance returns the amount that the drawer of an open one should hold, in the same snapshot.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Id, Instant, Problem};
use stoa_trade::lists::{at_least, at_most, changed_since, equals};
use stoa_trade::{Caller, list_query};

use crate::records::session::{ApiPosSession, PosSession, SessionRow, SessionStatus};
use crate::work::drawer::read_expected;

list_query! {
    pub struct ListPosSessions of SessionRow {
        status: Option<SessionStatus>,
        register_id: Option<Id>,
        operator_id: Option<Id> = equals(SessionRow::operator_id, operator_id.map(|id| id.to_string())),
        legal_entity_id: Option<Id>,
        /// Only sessions opened at or after this instant.
        opened_from: Option<Instant> = at_least(SessionRow::opened_at, opened_from),
        /// Only sessions opened at or before this instant.
        opened_to: Option<Instant> = at_most(SessionRow::opened_at, opened_to),
        closed_from: Option<Instant> = at_least(SessionRow::closed_at, closed_from),
        closed_to: Option<Instant> = at_most(SessionRow::closed_at, closed_to),
        /// Only sessions changed at or after this instant. Each receipt and each movement of cash changes its session.
        updated_since: Option<Instant> = changed_since(SessionRow::updated_at, updated_since),
    }
}

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListPosSessions>()?.page([])?;
    let expected = read_expected(&rows.items);
    let cash = |row: &SessionRow| expected.get(&row.id).copied().unwrap_or(row.opening_amount);
    let person = |row: &SessionRow| PosSession::from_row(row, cash(row));
    Caller::current().answer_page(rows, person, |row| ApiPosSession::from_row(row, cash(row)))
}

pub fn read(call: &Call) -> Answer {
    let row: SessionRow = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    let cash = read_expected(std::slice::from_ref(&row)).remove(&row.id).unwrap_or(row.opening_amount);
    let reply = Caller::current().show(|| PosSession::from_row(&row, cash), || ApiPosSession::from_row(&row, cash));
    Ok(reply.resource(row.id))
}
