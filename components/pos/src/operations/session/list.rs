//! Cash sessions as they are read: what the drawer of an open one should hold is asked of finance, in the same snapshot.

use stoa_sdk::store::{Rows, get, run};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Problem, all};
use stoa_trade::lists::{answer_page, between, equals, read_page};
use stoa_trade::{Caller, list_query};

use crate::records::session::{ApiPosSession, PosSession, SessionRow, SessionStatus};
use crate::work::drawer::read_expected;

list_query! {
    pub struct ListPosSessions {
        status: Option<SessionStatus>,
        register_id: Option<Id>,
        operator_id: Option<Id>,
        legal_entity_id: Option<Id>,
        /// Only sessions opened at or after this instant.
        opened_from: Option<Instant>,
        /// Only sessions opened at or before this instant.
        opened_to: Option<Instant>,
        closed_from: Option<Instant>,
        closed_to: Option<Instant>,
    }
}

impl ListPosSessions {
    fn filter(&self) -> Filter {
        all([
            equals(SessionRow::status, self.status),
            equals(SessionRow::register_id, self.register_id),
            equals(SessionRow::operator_id, self.operator_id.map(|id| id.to_string())),
            equals(SessionRow::legal_entity_id, self.legal_entity_id),
            between(SessionRow::opened_at, self.opened_from, self.opened_to),
            between(SessionRow::closed_at, self.closed_from, self.closed_to),
        ])
    }
}

pub fn list(call: &Call) -> Answer {
    let query: ListPosSessions = call.query()?;
    let rows: Rows<SessionRow> = read_page(&query.filter(), query.cursor, query.limit)?;
    let expected = read_expected(&rows.items);
    let cash = |row: &SessionRow| expected.get(&row.id).copied().unwrap_or(row.opening_amount);
    match Caller::current() {
        Caller::Person => answer_page(rows, |row| row.id, |row| PosSession::from_row(&row, cash(&row))),
        Caller::Client => answer_page(rows, |row| row.id, |row| ApiPosSession::from_row(&row, cash(&row))),
    }
}

pub fn read(call: &Call) -> Answer {
    let row: SessionRow = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    let cash = read_expected(std::slice::from_ref(&row)).remove(&row.id).unwrap_or(row.opening_amount);
    let reply = Caller::current().show(|| PosSession::from_row(&row, cash), || ApiPosSession::from_row(&row, cash));
    Ok(reply.resource(row.id))
}
