//! How a shipment goes on: forward, steps may be skipped (inventory-procurement.md B3). Goods enter stock once it is
//! cleared; only the receipt of the last of them makes it received.

use stoa_sdk::Problem;

use crate::records::shipment::ShipmentStage::{self, Arrived, Cancelled, Cleared, Customs, Planned, Shipped};

/// The stages through which a shipment is advanced, in their order.
const WAY: [ShipmentStage; 5] = [Planned, Shipped, Arrived, Customs, Cleared];

/// Refuses with ILLEGAL_STATE other stages than those to come. `is_touched`: something of the shipment was received.
pub fn check_advance(from: ShipmentStage, to: ShipmentStage, is_touched: bool) -> Result<(), Problem> {
    let place = |sought: ShipmentStage| WAY.iter().position(|stage| *stage == sought);
    let is_lawful = match (place(from), to) {
        (None, _) => false,
        (Some(_), Cancelled) => !is_touched,
        (Some(from), to) => place(to).is_some_and(|to| to > from),
    };
    if is_lawful { Ok(()) } else { Err(Problem::new("ILLEGAL_STATE")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::shipment::ShipmentStage::Received;

    #[test]
    fn e120_a_shipment_goes_forward() {
        for (from, to, is_touched, expected) in [
            (Planned, Shipped, false, true),
            (Planned, Cleared, false, true),
            (Customs, Cleared, false, true),
            (Customs, Arrived, false, false),
            (Shipped, Shipped, false, false),
            (Cleared, Received, false, false),
            (Cleared, Cancelled, false, true),
            (Cleared, Cancelled, true, false),
            (Received, Cancelled, false, false),
            (Cancelled, Planned, false, false),
            (Cancelled, Cancelled, false, false),
        ] {
            assert_eq!(check_advance(from, to, is_touched).is_ok(), expected, "{from:?} to {to:?}");
        }
    }
}
