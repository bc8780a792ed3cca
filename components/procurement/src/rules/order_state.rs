//! Transitions of a purchase order from one state to the next (inventory-procurement.md B3).

use stoa_trade::document::state::Transitions;

use crate::records::order::OrderStatus::{self, Approved, Cancelled, Draft, PartiallyReceived, Received};

/// Actions on an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderVerb {
    Approve,
    /// Goods came, and more are to come.
    ReceivePart,
    /// Goods came, and none are to come.
    ReceiveRest,
    Cancel,
}

pub const TRANSITIONS: &Transitions<OrderStatus, OrderVerb> = &[
    (Draft, OrderVerb::Approve, Approved),
    (Draft, OrderVerb::Cancel, Cancelled),
    (Approved, OrderVerb::ReceivePart, PartiallyReceived),
    (Approved, OrderVerb::ReceiveRest, Received),
    (Approved, OrderVerb::Cancel, Cancelled),
    (PartiallyReceived, OrderVerb::ReceivePart, PartiallyReceived),
    (PartiallyReceived, OrderVerb::ReceiveRest, Received),
    (PartiallyReceived, OrderVerb::Cancel, Cancelled),
];

#[cfg(test)]
mod tests {
    use stoa_trade::document::state::next_state;

    use super::*;

    #[test]
    fn closed_orders_stay_as_they_are() {
        let verbs = [OrderVerb::Approve, OrderVerb::ReceivePart, OrderVerb::ReceiveRest, OrderVerb::Cancel];
        for (from, lawful) in [
            (Draft, vec![OrderVerb::Approve, OrderVerb::Cancel]),
            (Approved, vec![OrderVerb::ReceivePart, OrderVerb::ReceiveRest, OrderVerb::Cancel]),
            (PartiallyReceived, vec![OrderVerb::ReceivePart, OrderVerb::ReceiveRest, OrderVerb::Cancel]),
            (Received, vec![]),
            (Cancelled, vec![]),
        ] {
            for verb in verbs {
                let is_lawful = next_state(TRANSITIONS, from, verb).is_ok();
                assert_eq!(is_lawful, lawful.contains(&verb), "{from:?} {verb:?}");
            }
        }
    }
}
