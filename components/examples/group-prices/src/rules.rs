//! The arithmetic of a rule. It is exact: the platform rounds no amount.

use stoa_sdk::{Decimal, Id};
use stoa_trade::quantity::Money;

use crate::records::Percent;

/// The highest percentage.
pub const WHOLE: Percent = Decimal::from_units(100_000_000);

/// The amount less so many percent of it; None if that has more than 6 digits after the point.
pub fn reduce(amount: Money, percent: Percent) -> Option<Money> {
    let left = WHOLE.checked_sub(percent).filter(|left| !left.is_negative())?;
    let product = amount.units().checked_mul(left.units())?;
    (product % WHOLE.units() == 0).then(|| Decimal::from_units(product / WHOLE.units()))
}

/// Names a rule to those who see the price: `Group GOLD: 10 %`.
pub fn describe(group: &str, percent: Percent) -> String {
    let percent = percent.to_string();
    format!("Group {group}: {} %", percent.trim_end_matches('0').trim_end_matches('.'))
}

/// The key of a group's rule for a variant, or of its general one.
pub fn key(group: &str, variant: Option<Id>) -> String {
    variant.map_or_else(|| format!("{group}:*"), |variant| format!("{group}:{variant}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_reduced_exactly_or_not_at_all() {
        for (amount, percent, expected) in [
            ("10", "10", Some("9.000000")),
            ("10", "0", Some("10.000000")),
            ("10", "100", Some("0.000000")),
            ("0.1", "12.5", Some("0.087500")),
            ("0.000001", "50", None),
            ("100", "33.333333", Some("66.666667")),
            ("10", "33.333333", None),
            ("9.99", "33.333333", None),
        ] {
            let reduced = reduce(amount.parse().unwrap(), percent.parse().unwrap());
            assert_eq!(reduced.map(|amount| amount.to_string()).as_deref(), expected, "{amount} less {percent} %");
        }
    }

    #[test]
    fn a_rule_is_named_without_zeros_that_say_nothing() {
        for (percent, expected) in [("10", "Group A: 10 %"), ("12.5", "Group A: 12.5 %"), ("100", "Group A: 100 %")] {
            assert_eq!(describe("A", percent.parse().unwrap()), expected);
        }
    }
}
