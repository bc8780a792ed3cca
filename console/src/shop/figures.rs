//! Decimals of responses: as a page shows them, and exact sums of millionths for what no response has.

/// A decimal without the zeros at its end, but with this many digits after the point at least.
pub fn cut(decimal: &str, least: usize) -> String {
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let kept = fraction.trim_end_matches('0');
    match kept.len().max(least) {
        0 => whole.to_owned(),
        digits => format!("{whole}.{kept:0<digits$}"),
    }
}

/// An amount of money: `12.50`.
pub fn amount(decimal: &str) -> String {
    if decimal.is_empty() { String::new() } else { cut(decimal, 2) }
}

/// A quantity: `3`, `0.25`.
pub fn quantity(decimal: &str) -> String {
    cut(decimal, 0)
}

/// Millionths; digits after the sixth are left out. None for what is no decimal of a response.
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
    fn zeros_at_the_end_are_cut() {
        for (decimal, expected) in
            [("12.500000", "12.50"), ("0.123456", "0.123456"), ("7", "7.00"), ("-3.000000", "-3.00")]
        {
            assert_eq!(amount(decimal), expected);
        }
        assert_eq!(["3.000000", "0.250000", "10", "0.000000"].map(quantity), ["3", "0.25", "10", "0"]);
        assert_eq!(amount(""), "");
    }

    #[test]
    fn millionths_are_exact() {
        for (decimal, units) in
            [("0.000001", 1), ("-1.5", -1_500_000), ("999999999999.999999", 999_999_999_999_999_999)]
        {
            assert_eq!(to_millionths(decimal), Some(units));
        }
        assert_eq!(from_millionths(-1), "-0.000001");
        assert_eq!(from_millionths(12_500_000), "12.500000");
        assert_eq!(["", "x", "1,5", "1e3", "1.x"].map(to_millionths), [None; 5]);
    }
}
