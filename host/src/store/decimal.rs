//! Exact decimals: a number is an i128 scaled by its column's 10^scale. Parsed, formatted and encoded here and nowhere
//! else, because PostgreSQL rounds to a column's scale on input and SQLite has no decimals at all.

/// Most digits of a column or a sum.
pub const DIGITS: u32 = 38;
/// Scaled value beyond every column's range, on either side; what a bound that no column can reach becomes.
pub const BEYOND: i128 = 10i128.pow(DIGITS);

/// A decimal text read at a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parsed {
    Exact(i128),
    /// More digits after the point than the scale: the next lower number that the scale can hold.
    Above(i128),
    /// More than 38 digits; whether below zero.
    Huge(bool),
}

/// Reads `-?(0|[1-9][0-9]*)(\.[0-9]+)?` at `scale`; none if the text is anything else.
pub fn parse(text: &str, scale: u8) -> Option<Parsed> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return None,
        None => (digits, ""),
    };
    let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let plain = whole == "0" || (!whole.is_empty() && !whole.starts_with('0'));
    if !plain || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let scale = usize::from(scale);
    let (kept, finer) = fraction.split_at_checked(scale).unwrap_or((fraction, ""));
    let mut value: i128 = 0;
    let padding = std::iter::repeat_n(b'0', scale - kept.len());
    for digit in whole.bytes().chain(kept.bytes()).chain(padding) {
        if value >= BEYOND / 10 {
            return Some(Parsed::Huge(negative));
        }
        value = value * 10 + i128::from(digit - b'0');
    }
    let inexact = finer.bytes().any(|b| b != b'0');
    if negative && value == 0 && !inexact {
        // `-0` is no number of the interface.
        return None;
    }
    Some(match (negative, inexact) {
        (false, false) => Parsed::Exact(value),
        (true, false) => Parsed::Exact(-value),
        (false, true) => Parsed::Above(value),
        (true, true) => Parsed::Above(-value - 1),
    })
}

/// Returns whether a number has at most `precision` digits.
pub fn fits(value: i128, precision: u8) -> bool {
    value.unsigned_abs() < 10u128.pow(u32::from(precision).min(DIGITS))
}

/// The canonical text, with exactly `scale` digits after the point.
pub fn format(value: i128, scale: u8) -> String {
    let scale = usize::from(scale);
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if value < 0 { "-" } else { "" };
    let point = if scale > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{fraction}")
}

/// A text whose order by bytes is the order of the numbers: `1` and the digits for zero and above, `0` and the nines'
/// complement below. A value outside the precision sorts before or after every value inside.
pub fn encode(value: i128, precision: u8, scale: u8) -> String {
    if !fits(value, precision) {
        return if value < 0 { String::new() } else { "2".to_owned() };
    }
    let width = usize::from(precision);
    let point = width - usize::from(scale).min(width);
    let mut text = String::with_capacity(width + 2);
    text.push(if value < 0 { '0' } else { '1' });
    for (index, digit) in format!("{:0>width$}", value.unsigned_abs()).bytes().enumerate() {
        if index == point {
            text.push('.');
        }
        text.push(char::from(if value < 0 { b'0' + b'9' - digit } else { digit }));
    }
    text
}

/// Reads what `encode` wrote; none if it is not that.
pub fn decode(text: &str) -> Option<i128> {
    let mut bytes = text.bytes();
    let negative = match bytes.next()? {
        b'0' => true,
        b'1' => false,
        _ => return None,
    };
    let mut value: i128 = 0;
    for byte in bytes.filter(|b| *b != b'.') {
        if !byte.is_ascii_digit() {
            return None;
        }
        let digit = if negative { b'9' - byte } else { byte - b'0' };
        value = value.checked_mul(10)?.checked_add(i128::from(digit))?;
    }
    Some(if negative { -value } else { value })
}

/// Sum of two encoded numbers of one column in the same encoding; none beyond its digits.
pub fn add_encoded(left: &str, right: &str) -> Option<String> {
    let sum = decode(left)?.checked_add(decode(right)?)?;
    let precision = u8::try_from(left.bytes().skip(1).filter(|b| *b != b'.').count()).ok()?;
    let scale = left.find('.').map_or(0, |point| left.len() - point - 1);
    fits(sum, precision).then(|| encode(sum, precision, u8::try_from(scale).unwrap_or(0)))
}

/// An exact sum of any number of i128 within 38 digits: two halves, so that no intermediate result overflows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum {
    high: i128,
    low: i128,
}

const HALF: i128 = 10i128.pow(19);

impl Sum {
    pub fn add(&mut self, value: i128) {
        self.high += value / HALF;
        self.low += value % HALF;
    }

    /// The total; none beyond 38 digits.
    pub fn total(self) -> Option<i128> {
        let high = self.high.checked_add(self.low / HALF)?;
        let total = high.checked_mul(HALF)?.checked_add(self.low % HALF)?;
        fits(total, DIGITS as u8).then_some(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_the_canonical_grammar_is_read() {
        for bad in ["", "-", "+1", "01", "1.", ".5", "1e3", " 1", "1 ", "0x1", "1_0", "--1", "1.2.3", "٣"] {
            assert_eq!(parse(bad, 6), None, "{bad}");
        }
        assert_eq!(parse("0", 6), Some(Parsed::Exact(0)));
        assert_eq!(parse("-0.5", 1), Some(Parsed::Exact(-5)));
        assert_eq!(parse("1.5000000", 6), Some(Parsed::Exact(1_500_000)));
        assert_eq!(parse("0.0000001", 6), Some(Parsed::Above(0)));
        assert_eq!(parse("-0.0000001", 6), Some(Parsed::Above(-1)));
        assert_eq!(parse(&"9".repeat(39), 0), Some(Parsed::Huge(false)));
        assert_eq!(parse(&format!("-{}", "9".repeat(33)), 6), Some(Parsed::Huge(true)));
    }

    #[test]
    fn a_sum_survives_intermediate_results_that_no_i128_holds() {
        let mut sum = Sum::default();
        let most = BEYOND - 1;
        (0..1_000_000).for_each(|_| sum.add(most));
        assert_eq!(sum.total(), None);
        (0..1_000_000).for_each(|_| sum.add(-most));
        sum.add(-7);
        assert_eq!(sum.total(), Some(-7));
    }

    fn number() -> impl Strategy<Value = (i128, u8, u8)> {
        (1u8..=38).prop_flat_map(|p| {
            let most = 10i128.pow(u32::from(p)) - 1;
            (-most..=most, Just(p), 0..=p)
        })
    }

    proptest! {
        #[test]
        fn text_and_encoding_round_trip((value, precision, scale) in number()) {
            prop_assert_eq!(parse(&format(value, scale), scale), Some(Parsed::Exact(value)));
            prop_assert_eq!(decode(&encode(value, precision, scale)), Some(value));
        }

        #[test]
        fn order_of_encodings_is_order_of_numbers((a, p, s) in number(), b in any::<i128>()) {
            let b = b % 10i128.pow(u32::from(p));
            prop_assert_eq!(encode(a, p, s).cmp(&encode(b, p, s)), a.cmp(&b));
        }

        #[test]
        fn encoded_addition_is_addition((a, p, s) in number(), b in any::<i128>()) {
            let b = b % 10i128.pow(u32::from(p));
            let sum = a.checked_add(b).filter(|sum| fits(*sum, p)).map(|sum| encode(sum, p, s));
            prop_assert_eq!(add_encoded(&encode(a, p, s), &encode(b, p, s)), sum);
        }
    }
}
