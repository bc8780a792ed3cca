//! States of documents and what leads from one to the next, as a table: a step that it does not list is rejected.

use stoa_sdk::Problem;

/// One lawful change: from this state, by this verb, to that state. A verb that may lead to several has a row for each.
pub type Transitions<S, V> = [(S, V, S)];

/// Refuses a verb that the state does not allow. Says nothing of where it leads.
///
/// # Errors
/// ILLEGAL_STATE.
pub fn check_verb<S: PartialEq, V: PartialEq>(table: &Transitions<S, V>, from: &S, verb: &V) -> Result<(), Problem> {
    let allows = table.iter().any(|(state, by, _)| state == from && by == verb);
    if allows { Ok(()) } else { Err(Problem::new("ILLEGAL_STATE")) }
}

/// The state to which the verb leads; the first of several.
///
/// # Errors
/// ILLEGAL_STATE where the state does not allow the verb.
pub fn next_state<S: PartialEq + Copy, V: PartialEq>(
    table: &Transitions<S, V>,
    from: S,
    verb: V,
) -> Result<S, Problem> {
    let found = table.iter().find(|(state, by, _)| *state == from && *by == verb);
    found.map(|(.., to)| *to).ok_or_else(|| Problem::new("ILLEGAL_STATE"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Order {
        Draft,
        Approved,
        Partly,
        Received,
        Cancelled,
    }

    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Verb {
        Approve,
        Receive,
        Cancel,
    }

    // inventory-procurement.md B3.
    const TABLE: &Transitions<Order, Verb> = &[
        (Order::Draft, Verb::Approve, Order::Approved),
        (Order::Draft, Verb::Cancel, Order::Cancelled),
        (Order::Approved, Verb::Receive, Order::Partly),
        (Order::Approved, Verb::Receive, Order::Received),
        (Order::Approved, Verb::Cancel, Order::Cancelled),
        (Order::Partly, Verb::Receive, Order::Partly),
        (Order::Partly, Verb::Receive, Order::Received),
        (Order::Partly, Verb::Cancel, Order::Cancelled),
    ];

    #[test]
    fn what_the_table_does_not_list_is_refused() {
        for (from, verb, expected) in [
            (Order::Draft, Verb::Approve, Some(Order::Approved)),
            (Order::Draft, Verb::Receive, None),
            (Order::Approved, Verb::Approve, None),
            (Order::Approved, Verb::Receive, Some(Order::Partly)),
            (Order::Partly, Verb::Cancel, Some(Order::Cancelled)),
            (Order::Received, Verb::Cancel, None),
            (Order::Cancelled, Verb::Approve, None),
        ] {
            assert_eq!(next_state(TABLE, from, verb).ok(), expected, "{from:?} {verb:?}");
            let refusal = check_verb(TABLE, &from, &verb).err().map(|problem| problem.code);
            assert_eq!(refusal.as_deref(), expected.is_none().then_some("ILLEGAL_STATE"), "{from:?} {verb:?}");
        }
    }
}
