//! Exact products of quantities and costs. Nothing is rounded: what has no place within 12 digits after the point is refused.

use super::deal::gcd;
use crate::terms::{Amount, Quantity, UnitCost};

/// What the product of units of the sixth and of the twelfth digit is too fine by.
const SURPLUS: i128 = 1_000_000;

/// What `quantity` goods are worth at `unit_cost`. None where the product needs more than 12 digits after the point or leaves
/// the range.
pub fn value(quantity: Quantity, unit_cost: UnitCost) -> Option<Amount> {
    // Scales 6 and 12 make 18: a factor of 10^6 must come off, whichever of the two its parts are in.
    let from_quantity = gcd(SURPLUS, quantity.units());
    let from_cost = SURPLUS / from_quantity;
    if unit_cost.units() % from_cost != 0 {
        return None;
    }
    let product = (quantity.units() / from_quantity).checked_mul(unit_cost.units() / from_cost)?;
    (product.unsigned_abs() < 10_u128.pow(38)).then(|| Amount::from_units(product))
}

/// A stated cost, of at most 6 digits after the point, with 12.
pub fn cost(stated: Quantity) -> UnitCost {
    // Below 10^18 units of the sixth digit.
    UnitCost::from_units(stated.units() * 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(quantity: &str, cost: &str) -> Option<String> {
        value(quantity.parse().unwrap(), cost.parse().unwrap()).map(|value| value.to_string())
    }

    #[test]
    fn products_are_exact_or_none() {
        for (quantity, cost, expected) in [
            ("0", "1.5", Some("0.000000000000")),
            ("3", "33.333333", Some("99.999999000000")),
            ("0.5", "1.000001", Some("0.500000500000")),
            ("0.000001", "0.000001", Some("0.000000000001")),
            ("1000000", "0.000000000001", Some("0.000001000000")),
            ("0.5", "0.000000000002", Some("0.000000000001")),
            ("0.5", "0.000000000001", None),
            ("0.000001", "0.0000001", None),
            ("999999999999.999999", "999999999999.999999", Some("999999999999999998000000.000000000001")),
            ("999999999999.999999", "99999999999999.999999", Some("99999999999999999899000000.000000000001")),
            ("999999999999.999999", "999999999999999.999999", None),
        ] {
            assert_eq!(product(quantity, cost).as_deref(), expected, "{quantity} x {cost}");
        }
    }
}
