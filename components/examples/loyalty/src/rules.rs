//! The arithmetic of points: whole numbers, exactly.

use stoa_sdk::Decimal;
use stoa_trade::quantity::{Amount, Money};

/// One, in units of the 18th digit after the point.
const ONE: i128 = 1_000_000_000_000_000_000;

/// Whole points of a total; None beyond what a balance holds.
pub fn count_points(total: Amount, points_per_amount: Decimal<6>) -> Option<i64> {
    let product: Decimal<18> = total.checked_mul(points_per_amount)?;
    i64::try_from(product.units() / ONE).ok()
}

/// Points that an amount is paid with; None if it is not a whole number of them.
pub fn count_needed(amount: Money, point_value: Money) -> Option<i64> {
    let is_whole = amount.units().checked_rem(point_value.units())? == 0;
    is_whole.then(|| i64::try_from(amount.units() / point_value.units()).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sale_brings_whole_points() {
        for (total, rate, expected) in [
            ("9.99", "1", Some(9)),
            ("0.999999999999", "1", Some(0)),
            ("10", "0.25", Some(2)),
            ("100", "10", Some(1_000)),
        ] {
            assert_eq!(count_points(total.parse().unwrap(), rate.parse().unwrap()), expected, "{total} at {rate}");
        }
        let most = "99999999999999999999999999".parse().unwrap();
        assert_eq!(count_points(most, "999999999999".parse().unwrap()), None);
    }

    #[test]
    fn a_payment_needs_whole_points() {
        for (amount, value, expected) in [("1", "0.1", Some(10)), ("0.05", "0.1", None), ("0", "0.1", Some(0))] {
            assert_eq!(count_needed(amount.parse().unwrap(), value.parse().unwrap()), expected, "{amount} of {value}");
        }
        assert_eq!(count_needed("1".parse().unwrap(), Money::ZERO), None);
    }
}
