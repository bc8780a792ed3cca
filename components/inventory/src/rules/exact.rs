//! Exact products of quantities and costs. Nothing is rounded: what has no place within 12 digits after the point is refused.

use crate::records::quantity::{Amount, Quantity, UnitCost};
use crate::rules::deal::gcd;

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

    /// The product of two numbers, digit by digit, the lowest first.
    fn product_by_digits(one: i128, other: i128) -> [u32; 48] {
        let mut digits = [0; 48];
        for (i, a) in one.to_string().bytes().rev().enumerate() {
            for (j, b) in other.to_string().bytes().rev().enumerate() {
                digits[i + j] += u32::from(a - b'0') * u32::from(b - b'0');
            }
        }
        for at in 1..digits.len() {
            digits[at] += digits[at - 1] / 10;
            digits[at - 1] %= 10;
        }
        digits
    }

    #[test]
    fn products_are_those_of_big_integers_or_none() {
        // [E70]: of every size, with factors of ten whole and in parts, and the largest ones there are.
        let mut seed = 70_u64;
        let mut below = |most: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from((seed >> 33) % u64::from(most)).unwrap()
        };
        let mut number = |most_digits: u32| -> i128 {
            let (zeros, factor) = (below(7), [1, 2, 5, 64, 15_625][below(5) as usize]);
            let digits = below(most_digits - 5 - zeros) + 1;
            let number = (0..digits).fold(0, |number, _| number * 10 + i128::from(below(10)));
            number * factor * 10_i128.pow(zeros)
        };
        let mut exact = 0;
        for round in 0..50_000 {
            let (quantity, cost) = match round {
                0 => (10_i128.pow(18) - 1, 10_i128.pow(18) - 1),
                1 => (10_i128.pow(18) - 1, (10_i128.pow(18) - 1) * 1_000_000),
                _ => (number(18), number(24)),
            };
            let digits = product_by_digits(quantity, cost);
            let fits = digits[..6].iter().all(|digit| *digit == 0) && digits[44..].iter().all(|digit| *digit == 0);
            let whole = digits[6..].iter().rev().skip_while(|digit| **digit == 0);
            let expected = fits.then(|| whole.fold(0_i128, |n, digit| n * 10 + i128::from(*digit)));
            let product = value(Quantity::from_units(quantity), UnitCost::from_units(cost)).map(Amount::units);
            assert_eq!(product, expected, "{quantity} x {cost}");
            exact += i32::from(product.is_some());
        }
        assert!((1_000..49_000).contains(&exact), "{exact} products were exact");
    }
}
