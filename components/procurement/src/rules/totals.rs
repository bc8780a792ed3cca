//! Totals of lines and orders: exact, with 12 digits after the point.

use stoa_sdk::Problem;
use stoa_trade::quantity::{self, Amount, Money, Quantity};

/// Total of a line.
///
/// # Errors
/// LIMIT_EXCEEDED beyond 38 digits, which no stated line reaches.
pub fn line_total(quantity: Quantity, unit_cost: Money) -> Result<Amount, Problem> {
    quantity::multiply(quantity, unit_cost)
}

/// Total of all lines.
///
/// # Errors
/// LIMIT_EXCEEDED beyond 38 digits.
pub fn order_total(lines: impl IntoIterator<Item = (Quantity, Money)>) -> Result<Amount, Problem> {
    let totals: Result<Vec<Amount>, Problem> =
        lines.into_iter().map(|(quantity, unit_cost)| line_total(quantity, unit_cost)).collect();
    quantity::sum(totals?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e87_a_hundred_lines_at_the_digit_limits_have_an_exact_total() {
        let largest: Quantity = "999999999999.999999".parse().unwrap();
        let total = order_total((0..100).map(|_| (largest, largest))).unwrap();
        assert_eq!(total.to_string(), "99999999999999999800000000.000000000100");
        let smallest = Quantity::from_units(1);
        assert_eq!(order_total([(smallest, smallest)]).unwrap().to_string(), "0.000000000001");
        assert_eq!(order_total([]).unwrap(), Amount::ZERO);
    }
}
