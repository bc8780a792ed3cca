//! Cash that drawers should hold: finance has it for open sessions, a closed one keeps it (sales-pos.md 10.1).

use std::collections::BTreeMap;
use std::str::FromStr;

use stoa_sdk::host::fault;
use stoa_sdk::{Id, Problem, map};
use stoa_trade::clients::keys;
use stoa_trade::clients::tills::{State, service};
use stoa_trade::quantity::Money;

use crate::records::session::SessionRow;

/// A decimal as finance answers it.
pub fn parse<T: FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| fault("finance answered what is no decimal"))
}

/// The cash that the drawers of these sessions should hold.
pub fn read_expected(sessions: &[SessionRow]) -> BTreeMap<Id, Money> {
    let open = sessions.iter().filter(|session| session.expected_at_close.is_none()).map(|session| session.id);
    let states = read_states(open);
    let closed = sessions.iter().filter_map(|session| Some((session.id, session.expected_at_close?)));
    map(closed.chain(states.values().map(|state| (state.session_id.into(), parse(&state.expected)))))
}

/// The drawers of these sessions, as finance keeps them.
pub fn read_states(sessions: impl IntoIterator<Item = Id>) -> BTreeMap<Id, State> {
    let sessions = keys(sessions);
    let states = if sessions.is_empty() { Vec::new() } else { service::read(&sessions) };
    map(states.into_iter().map(|state| (Id::from(state.session_id), state)))
}

/// Finance's refusals of a payment, with pointers to where the request states it.
pub fn at_payments(problem: Problem, is_whole: bool) -> Problem {
    let problem = problem.moved("/order", "/orderId");
    match is_whole {
        // The whole in cash: its one component is not stated in the body.
        true => problem.moved("/components/0/accountId", "/tenderedAmount"),
        false => problem.moved("/components", "/payments"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finance_refuses_points_into_the_request() {
        for (pointer, is_whole, expected) in [
            ("/components/0/accountId", true, "/tenderedAmount"),
            ("/components/1/accountId", false, "/payments/1/accountId"),
            ("/order", true, "/orderId"),
            ("/order", false, "/orderId"),
        ] {
            let moved = at_payments(Problem::at("PAYMENT_ACCOUNT_INVALID", pointer), is_whole);
            assert_eq!(moved.errors[0].pointer, expected, "{pointer}");
        }
    }
}
