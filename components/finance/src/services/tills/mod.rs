//! The service `commerce:finance/tills`: the money of cash sessions, for the module that keeps registers and sessions.

mod collect;
mod drawer;

use stoa_sdk::{Id, Problem};

use crate::bindings::exports::commerce::finance::tills as service;
use crate::bindings::exports::commerce::finance::tills::Guest;
use crate::services::Services;
use crate::services::tills::collect::{collect, prepare};
use crate::services::tills::drawer::{close, move_cash, open, read_states};

type WireId = (u64, u64);

impl Guest for Services {
    fn open(session: service::Session) -> Result<service::Opened, Problem> {
        open(session)
    }

    fn prepare(
        session: WireId,
        order: WireId,
        components: Vec<service::Component>,
    ) -> Result<Vec<Option<WireId>>, Problem> {
        let accounts = prepare(session.into(), order.into(), &components)?;
        Ok(accounts.into_iter().map(|account| account.map(Into::into)).collect())
    }

    fn collect(collection: service::Collection) -> Result<service::Collected, Problem> {
        collect(&collection)
    }

    fn move_(
        session: WireId,
        movement: WireId,
        to: service::Direction,
        amount: String,
        counter_account: Option<WireId>,
        reason: String,
    ) -> Result<String, Problem> {
        move_cash(session.into(), movement.into(), to, &amount, counter_account.map(Id::from), &reason)
    }

    fn close(session: WireId, counted: String) -> Result<service::Closed, Problem> {
        close(session.into(), &counted)
    }

    fn read(sessions: Vec<WireId>) -> Vec<service::State> {
        read_states(sessions.into_iter().map(Id::from).collect())
    }
}
