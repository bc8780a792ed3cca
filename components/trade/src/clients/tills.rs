//! Finance's tills: the money of cash sessions, for the module that keeps registers and sessions. Refusals point into
//! what was given.

use stoa_sdk::Problem;

use super::Key;

pub use crate::bindings::commerce::finance::tills::{
    Closed, Collected, Collection, Component, Direction, Opened, Payment, Session, State, Tally,
};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::finance::tills) {
        fn open(session: &Session) -> Result<Opened, Problem>;
        fn prepare(session: Key, order: Key, components: &[Component]) -> Result<Vec<Option<Key>>, Problem>;
        fn collect(collection: &Collection) -> Result<Collected, Problem>;
        fn move_(
            session: Key,
            movement: Key,
            to: Direction,
            amount: &str,
            counter_account: Option<Key>,
            reason: &str,
        ) -> Result<String, Problem>;
        fn close(session: Key, counted: &str) -> Result<Closed, Problem>;
        fn read(sessions: &[Key]) -> Vec<State>;
    }
}
