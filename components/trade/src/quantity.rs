//! Quantities, money and costs, and exact arithmetic on them. Nothing is rounded: a value that does not fit into the
//! digits is rejected.

use schemars::json_schema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Bounds, Decimal, Item, Problem, item, text_enum};

/// How much of something: 12 digits before the point, 6 after it.
pub type Quantity = Decimal<6>;
/// A price, a stated cost, a payment: money as people state it, with 6 digits after the point.
pub type Money = Decimal<6>;
/// A sum of money or quantities, over however many documents: 24 digits before the point, 6 after it.
pub type Sum = Decimal<6, 30>;
/// The cost of one unit of goods. Stated ones have at most 6 digits after the point, corrected ones up to 12.
pub type UnitCost = Decimal<12>;
/// A product of quantity and money, or a sum of such products.
pub type Amount = Decimal<12>;

/// The smallest quantity that is something, and the smallest sum of money.
pub const SMALLEST: Quantity = Decimal::from_units(1);

/// One, in millionths.
const ONE: i128 = 1_000_000;

text_enum! {
    /// Tracking of a variant at the time of the document.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum Tracking { None => "NONE", Quantity => "QUANTITY", Serialized => "SERIALIZED" }
}

/// Decimals above zero, of at most 12 integer and 6 fractional digits.
const POSITIVE: &str = "^([1-9][0-9]{0,11}(\\.[0-9]{1,6})?|0\\.([1-9][0-9]{0,5}|0[1-9][0-9]{0,4}|00[1-9][0-9]{0,3}|000[1-9][0-9]{0,2}|0000[1-9][0-9]?|00000[1-9]))$";

/// A quantity or sum of money above zero, as callers state it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Positive(pub Quantity);

stoa_sdk::inline_schema!([] Positive, |_| json_schema!({ "type": "string", "pattern": POSITIVE, "x-normalize": ["decimal"] }));

/// Totals as callers state them: wider and finer than amounts of a line.
const TOTAL: &str = "^(0|[1-9][0-9]{0,25})(\\.[0-9]{1,12})?$";

/// A total that a caller expects or bounds a list by: at most 26 integer and 12 fractional digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StatedTotal(pub Amount);

stoa_sdk::inline_schema!([] StatedTotal, |_| json_schema!({ "type": "string", "pattern": TOTAL, "x-normalize": ["decimal"] }));

/// The worth of this many at a price: always exact, for both factors have 6 digits after the point.
///
/// # Errors
/// LIMIT_EXCEEDED where the product has more than 38 digits, which factors of 18 digits never reach.
pub fn multiply(quantity: Quantity, price: Money) -> Result<Amount, Problem> {
    let product: Option<Amount> = quantity.checked_mul(price);
    product.filter(|product| fits(product.units(), 38)).ok_or_else(Amount::limit_exceeded)
}

/// The worth of `quantity` goods at `unit_cost`. None where the product needs more than 12 digits after the point or
/// has more than 38 digits.
pub fn value(quantity: Quantity, unit_cost: UnitCost) -> Option<Amount> {
    // Scales 6 and 12 make 18: a factor of 10^6 must come off, whichever of the two its parts are in.
    let from_quantity = gcd(ONE, quantity.units());
    let from_cost = ONE / from_quantity;
    if unit_cost.units() % from_cost != 0 {
        return None;
    }
    let product = (quantity.units() / from_quantity).checked_mul(unit_cost.units() / from_cost)?;
    fits(product, 38).then(|| Amount::from_units(product))
}

/// The exact sum.
///
/// # Errors
/// LIMIT_EXCEEDED where it has more digits than its column.
pub fn sum<const SCALE: u32, const DIGITS: u8>(
    parts: impl IntoIterator<Item = Decimal<SCALE, DIGITS>>,
) -> Result<Decimal<SCALE, DIGITS>, Problem> {
    let sum = parts.into_iter().try_fold(Decimal::ZERO, Decimal::checked_add);
    sum.filter(|sum| fits(sum.units(), Decimal::<SCALE, DIGITS>::PRECISION))
        .ok_or_else(Decimal::<SCALE, DIGITS>::limit_exceeded)
}

/// Money, or a sum of it, with the 12 digits of amounts and unit costs.
pub fn widen<const DIGITS: u8>(money: Decimal<6, DIGITS>) -> Amount {
    // Columns and bodies hold less than 10^18 millionths, sums less than 10^30.
    Amount::from_units(money.units().saturating_mul(ONE))
}

/// An amount as money that can be paid: None where it needs more than 6 digits after the point or 12 before it.
pub fn narrow(amount: Amount) -> Option<Money> {
    let millionths = amount.units() / ONE;
    (amount.units() % ONE == 0 && fits(millionths, 18)).then(|| Money::from_units(millionths))
}

/// The number of digits after the point, trailing zeros apart.
pub fn fraction_digits<const SCALE: u32, const DIGITS: u8>(number: Decimal<SCALE, DIGITS>) -> u32 {
    let (mut units, mut digits) = (number.units(), SCALE);
    while digits > 0 && units % 10 == 0 {
        units /= 10;
        digits -= 1;
    }
    digits
}

/// Returns whether goods counted so, in a unit of measure with this many decimal places, can have this quantity.
pub fn is_countable(quantity: Quantity, tracking: Tracking, decimal_places: u8) -> bool {
    fraction_digits(quantity) <= u32::from(count_places(tracking, decimal_places))
}

/// The fault of a quantity that is finer than its unit of measure: it states how many digits after the point are accepted.
pub fn scale_fault(pointer: impl Into<String>, tracking: Tracking, decimal_places: u8) -> Item {
    let places = i64::from(count_places(tracking, decimal_places));
    item(pointer, "QUANTITY_SCALE").with_bounds(Bounds::maximum(places).of_counted("FRACTION_DIGITS"))
}

/// Digits after the point of goods in a unit of measure with this many. Serialized goods are counted in whole pieces
/// whatever their unit.
fn count_places(tracking: Tracking, decimal_places: u8) -> u8 {
    if tracking == Tracking::Serialized { 0 } else { decimal_places }
}

/// How many whole pieces it is; `None` for a fraction and below zero.
pub fn pieces(quantity: Quantity) -> Option<usize> {
    if quantity.units() % ONE != 0 {
        return None;
    }
    usize::try_from(quantity.units() / ONE).ok()
}

/// The quantity of whole pieces.
pub fn of_pieces(count: usize) -> Quantity {
    // A count of things in memory is far below 2^64.
    Quantity::from_units(i128::try_from(count).unwrap_or(i128::MAX).saturating_mul(ONE))
}

/// A count of things, which may be below zero, as an amount.
pub fn of_count(count: i64) -> Amount {
    Amount::from_units(i128::from(count).saturating_mul(ONE * ONE))
}

/// 409: a line names other than as many units as its quantity. `code` is the item's, such as UNITS_DIFFER_FROM_QUANTITY.
pub fn unit_count_mismatch(pointer: impl Into<String>, code: &str, required: usize, identified: usize) -> Problem {
    let count = |count: usize| Some(u32::try_from(count).unwrap_or(u32::MAX).min(1_000));
    let error = Item { required: count(required), identified: count(identified), ..item(pointer, code) };
    Problem { code: "UNIT_COUNT_MISMATCH".to_owned(), errors: vec![error] }
}

/// Returns whether a number of this many digits can hold these units. The most is 38 digits, so below 10^38 < 2^127.
fn fits(units: i128, digits: u8) -> bool {
    units.unsigned_abs() < 10_u128.pow(u32::from(digits.min(38)))
}

/// The greatest common divisor of numbers of which the first is above zero.
pub fn gcd(mut one: i128, mut other: i128) -> i128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one.abs()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use stoa_sdk::Bound;

    use super::*;
    use crate::judge::admits;

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
        for index in 1..digits.len() {
            digits[index] += digits[index - 1] / 10;
            digits[index - 1] %= 10;
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

    #[test]
    fn a_hundred_of_the_largest_lines_have_an_exact_total() {
        // [E87, E217]
        let largest: Quantity = "999999999999.999999".parse().unwrap();
        let line = multiply(largest, largest).unwrap();
        let total = sum((0..100).map(|_| line)).unwrap();
        assert_eq!(total.to_string(), "99999999999999999800000000.000000000100");
        assert_eq!(sum((0..101).map(|_| line)).unwrap_err().code, "LIMIT_EXCEEDED", "39 digits");
        let beyond = Quantity::from_units(10_i128.pow(20));
        assert_eq!(multiply(beyond, beyond).unwrap_err().code, "LIMIT_EXCEEDED");
        assert_eq!(sum([largest, Quantity::from_units(1)]).unwrap_err().code, "LIMIT_EXCEEDED", "19 digits");
        assert_eq!(sum::<6, 0>([]).unwrap(), Quantity::ZERO);
    }

    #[test]
    fn what_can_be_paid_has_six_digits_after_the_point() {
        for (amount, expected) in [
            ("0.111110888889", None),
            ("0.000000000001", None),
            ("1.5", Some("1.500000")),
            ("-1.5", Some("-1.500000")),
            ("999999999999.999999", Some("999999999999.999999")),
            ("1000000000000", None),
        ] {
            let amount: Amount = amount.parse().unwrap();
            assert_eq!(narrow(amount).map(|money| money.to_string()).as_deref(), expected, "{amount}");
            assert_eq!(narrow(amount).map(widen), expected.map(|_| amount));
        }
    }

    #[test]
    fn a_unit_of_measure_bounds_the_digits() {
        for (quantity, digits, whole) in [
            ("0", 0, Some(0)),
            ("3.000000", 0, Some(3)),
            ("1.500", 1, None),
            ("0.000001", 6, None),
            ("-2", 0, None),
            ("100", 0, Some(100)),
        ] {
            let quantity: Quantity = quantity.parse().unwrap();
            assert_eq!((fraction_digits(quantity), pieces(quantity)), (digits, whole), "{quantity}");
            assert_eq!(whole.map(of_pieces), whole.map(|_| quantity));
        }
        let half: Quantity = "1.500".parse().unwrap();
        assert!(is_countable(half, Tracking::Quantity, 1) && is_countable(half, Tracking::None, 6));
        assert!(!is_countable(half, Tracking::Quantity, 0) && !is_countable(half, Tracking::Serialized, 6));
        assert_eq!(fraction_digits("1.000001".parse::<UnitCost>().unwrap()), 6);
    }

    #[test]
    fn a_quantity_that_is_too_fine_is_told_the_digits() {
        for (tracking, decimal_places, most) in
            [(Tracking::Quantity, 2, 2), (Tracking::None, 0, 0), (Tracking::Serialized, 6, 0)]
        {
            let fault = scale_fault("/items/0/quantity", tracking, decimal_places);
            assert_eq!((fault.pointer.as_str(), fault.code.as_str()), ("/items/0/quantity", "QUANTITY_SCALE"));
            let bounds = fault.expected.expect("bounds");
            let is_most = matches!(bounds.maximum, Some(Bound::Integer(digits)) if digits == most);
            assert!(is_most && bounds.minimum.is_none(), "{tracking:?} {decimal_places}");
            assert_eq!(bounds.counted.as_deref(), Some("FRACTION_DIGITS"));
        }
    }

    #[test]
    fn schemas_tell_zero_and_totals() {
        for text in ["1", "999999999999.999999", "0.1", "0.100000", "0.000001", "0.000010", "10.0"] {
            assert!(admits::<Positive>(&json!(text)), "{text}");
        }
        for text in ["0", "0.0", "0.000000", "", "-1", "01", ".5", "1.", "0.0000001", "1e3", "1000000000000"] {
            assert!(!admits::<Positive>(&json!(text)), "{text}");
        }
        assert!(!admits::<Positive>(&json!(1)));
        let largest = format!("{}.{}", "9".repeat(26), "9".repeat(12));
        for text in ["0", "0.000000000001", largest.as_str()] {
            assert!(admits::<StatedTotal>(&json!(text)) && text.parse::<Amount>().is_ok(), "{text}");
        }
        assert!(!admits::<StatedTotal>(&json!("9".repeat(27))) && !admits::<StatedTotal>(&json!("-1")));
    }

    #[test]
    fn a_mismatch_says_how_many() {
        let problem = unit_count_mismatch("/items/0/units", "UNITS_DIFFER_FROM_QUANTITY", 3, 2_000);
        let [error] = problem.errors.as_slice() else { panic!("one item") };
        assert_eq!((error.required, error.identified), (Some(3), Some(1_000)));
        assert_eq!((problem.code.as_str(), error.code.as_str()), ("UNIT_COUNT_MISMATCH", "UNITS_DIFFER_FROM_QUANTITY"));
    }
}
