//! A session as a change begins on it: locked, by whom it may be changed, and its next version (sales-pos.md 10.1).

use stoa_sdk::store::{get, run};
use stoa_sdk::{Id, Problem};
use stoa_trade::Change;
use stoa_trade::document::actor::Actor;

use crate::records::session::{SessionRow, SessionStatus};

/// The session, held until the transaction ends.
pub fn lock_session(id: Id) -> Result<SessionRow, Problem> {
    run(get::<SessionRow>(id).locked())?.ok_or_else(Problem::not_found)
}

/// Returns whether the caller opened it.
pub fn is_operator(session: &SessionRow) -> bool {
    Actor::current().actor_id == session.operator_id
}

/// Rejects a caller who did not open it.
pub fn require_operator(session: &SessionRow) -> Result<(), Problem> {
    if is_operator(session) { Ok(()) } else { Err(Problem::new("PERMISSION_DENIED")) }
}

/// Refuses a session that is closed.
pub fn require_open(session: &SessionRow) -> Result<(), Problem> {
    match session.status {
        SessionStatus::Open => Ok(()),
        SessionStatus::Closed => Err(Problem::new("ILLEGAL_STATE")),
    }
}

/// The change of a session to which something was added: only its version rises.
pub fn raise_version(session: &SessionRow) -> Result<Change<SessionRow>, Problem> {
    Change::new(session, session.clone())
}
