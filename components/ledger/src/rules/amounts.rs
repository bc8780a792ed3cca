//! Amounts as other modules state them: decimals of any length, of which the journal holds 26 and 12 digits.

use stoa_sdk::host::reject_argument;
use stoa_trade::quantity::Amount;

/// Fractional digits that a leg's amount has at most.
const FINEST: usize = 12;

/// None where the text is a decimal that no journal holds.
pub fn read_amount(text: &str) -> Option<Amount> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || text.ends_with('.') {
        reject_argument("an amount is no decimal without sign");
    }
    let significant = fraction.trim_end_matches('0');
    if significant.len() > FINEST {
        return None;
    }
    match significant {
        "" => whole.parse().ok(),
        significant => format!("{whole}.{significant}").parse().ok(),
    }
}

/// Digits after the point, without zeros at the end.
pub fn significant_decimals(cost: &str) -> usize {
    cost.split_once('.').map_or(0, |(_, fraction)| fraction.trim_end_matches('0').len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_that_no_journal_holds_differ_from_zero() {
        assert_eq!(read_amount("0.000000000000000"), Some(Amount::ZERO));
        assert_eq!(
            read_amount("1.5000000000000000").map(|amount| amount.to_string()).as_deref(),
            Some("1.500000000000")
        );
        assert_eq!(read_amount("0.0000000000001"), None);
        assert_eq!(read_amount(&"9".repeat(40)), None);
        assert_eq!(significant_decimals("0.3300"), 2);
        assert_eq!(significant_decimals("12"), 0);
    }
}
