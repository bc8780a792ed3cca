//! Quantities as pages show them, and exact sums of millionths for the forecast and the bars.

/// A decimal of a response without the zeros at its end: `3`, `0.25`.
pub fn quantity(decimal: &str) -> &str {
    if decimal.contains('.') { decimal.trim_end_matches('0').trim_end_matches('.') } else { decimal }
}

/// Millionths; digits after the sixth are left out. None for a text that is no decimal of a response.
pub fn to_millionths(decimal: &str) -> Option<i128> {
    let (sign, digits) = decimal.strip_prefix('-').map_or((1, decimal), |digits| (-1, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 26 || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let six: String = fraction.chars().chain("000000".chars()).take(6).collect();
    format!("{whole}{six}").parse::<i128>().ok().map(|units| sign * units)
}

pub fn from_millionths(units: i128) -> String {
    let (sign, size) = (if units < 0 { "-" } else { "" }, units.unsigned_abs());
    format!("{sign}{}.{:06}", size / 1_000_000, size % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn millionths_are_exact() {
        let largest = ("999999999999.999999", 999_999_999_999_999_999);
        for (decimal, units) in [("0.000001", 1), ("-1.500000", -1_500_000), ("12.000000", 12_000_000), largest] {
            assert_eq!(to_millionths(decimal), Some(units));
            assert_eq!(from_millionths(units), decimal);
        }
        assert_eq!(["", "x", "1,5", "1e3", "1.x"].map(to_millionths), [None; 5]);
        assert_eq!(["3.000000", "0.250000", "10", "0.000000"].map(quantity), ["3", "0.25", "10", "0"]);
    }
}
