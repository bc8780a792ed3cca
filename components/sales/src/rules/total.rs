//! Totals of documents: exact sums of their lines, and whether they can be paid (decisions.md 0.2).

use stoa_sdk::Problem;
use stoa_trade::limits::UNITS;
use stoa_trade::quantity::{Amount, StatedTotal, narrow};

/// Returns whether it has at most 6 decimals and 12 integer digits.
pub fn is_collectable(total: Amount) -> bool {
    narrow(total).is_some()
}

/// Refuses with TOTAL_CHANGED another total than the caller expects; they are compared as numbers.
pub fn check_expected(expected: Option<StatedTotal>, total: Amount) -> Result<(), Problem> {
    match expected {
        Some(StatedTotal(expected)) if expected != total => Err(Problem::at("TOTAL_CHANGED", "/expectedTotal")),
        _ => Ok(()),
    }
}

/// Refuses with LIMIT_EXCEEDED more units than a document may have.
pub fn check_units(units: usize) -> Result<(), Problem> {
    if units > UNITS { Err(Problem::limit_exceeded("/items", UNITS, "UNITS")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use stoa_trade::quantity::sum;

    use super::*;

    #[test]
    fn e258_e259_a_total_can_be_paid_if_it_has_six_decimals() {
        for (lines, expected) in [
            (&["0.111110888889"][..], false),
            (&["0.000000100000", "0.000000900000"], true),
            (&["999999999999.999999"], true),
            (&["1000000000000"], false),
            (&["0"], true),
        ] {
            let lines = lines.iter().map(|line| line.parse().unwrap());
            assert_eq!(is_collectable(sum(lines).unwrap()), expected);
        }
    }

    #[test]
    fn e247_an_expected_total_is_compared_as_a_number() {
        let expect = |text: &str| Some(StatedTotal(text.parse().unwrap()));
        let total: Amount = "1.5".parse().unwrap();
        assert_eq!(check_expected(None, total), Ok(()));
        assert_eq!(check_expected(expect("1.50"), total), Ok(()));
        let refused = check_expected(expect("1.500000000001"), total).unwrap_err();
        assert_eq!((refused.code.as_str(), refused.errors[0].pointer.as_str()), ("TOTAL_CHANGED", "/expectedTotal"));
    }
}
