//! The change that a request makes to the stock of one variant in one warehouse.

use stoa_sdk::store::Value;
use stoa_sdk::{Field, Id};

use crate::records::unit::UnitStatus;

/// Signed, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Delta {
    pub on_hand: i128,
    pub reserved: i128,
    pub incoming: i128,
    pub damaged: i128,
    pub quarantined: i128,
    pub in_transit: i128,
    pub returned: i128,
}

impl Delta {
    pub fn on_hand(quantity: i128) -> Delta {
        Delta { on_hand: quantity, ..Delta::default() }
    }

    pub fn of_reserved(quantity: i128) -> Delta {
        Delta { reserved: quantity, ..Delta::default() }
    }

    pub fn of_incoming(quantity: i128) -> Delta {
        Delta { incoming: quantity, ..Delta::default() }
    }

    pub fn in_transit(quantity: i128) -> Delta {
        Delta { in_transit: quantity, ..Delta::default() }
    }

    /// Both together. Parts are quantities of at most some hundred lines, far from the range's end.
    pub fn and(self, other: Delta) -> Delta {
        let mut others = other.figures().into_iter();
        Delta::from_figures(self.figures().map(|figure| figure + others.next().unwrap_or_default()))
    }

    /// One unit of this state.
    pub fn of_unit(status: UnitStatus) -> Delta {
        let (one, none) = (1_000_000, Delta::default());
        match status {
            UnitStatus::Available => Delta { on_hand: one, ..none },
            UnitStatus::Reserved => Delta { on_hand: one, reserved: one, ..none },
            UnitStatus::Damaged => Delta { damaged: one, ..none },
            UnitStatus::Quarantined => Delta { quarantined: one, ..none },
            UnitStatus::InTransit => Delta { in_transit: one, ..none },
            UnitStatus::Returned => Delta { returned: one, ..none },
            UnitStatus::Sold | UnitStatus::Lost | UnitStatus::Rma => none,
        }
    }

    /// The change that takes this one back.
    pub fn negate(self) -> Delta {
        Delta::from_figures(self.figures().map(|figure| -figure))
    }

    fn from_figures([on_hand, reserved, incoming, damaged, quarantined, in_transit, returned]: [i128; 7]) -> Delta {
        Delta { on_hand, reserved, incoming, damaged, quarantined, in_transit, returned }
    }

    /// The figures in the order of the columns.
    pub fn figures(self) -> [i128; 7] {
        [self.on_hand, self.reserved, self.incoming, self.damaged, self.quarantined, self.in_transit, self.returned]
    }

    /// Returns whether a pair without a row may begin with it.
    pub fn is_possible_first(self) -> bool {
        self.figures().iter().all(|figure| *figure >= 0)
    }

    /// Returns whether users other than buyers see it. A change that leaves every figure as it was moved or regraded a unit.
    pub fn is_public(self) -> bool {
        self == Delta::default() || Delta { incoming: 0, ..self } != Delta::default()
    }
}

/// A variant in a warehouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    pub warehouse: Id,
    pub variant: Id,
}

impl Pair {
    pub fn key(self) -> Vec<Value> {
        vec![self.warehouse.put(), self.variant.put()]
    }
}
