//! Exact decimals of a fixed scale: money and quantities. Nothing is ever rounded; a value that does not fit is an error.

use std::fmt;
use std::str::FromStr;

use schemars::json_schema;

/// `SCALE` digits after the point, counted in units of the last one. `DIGITS`: how many digits its column holds in all; 0 is
/// the usual width, 18 digits for at most 6 after the point and 38 for more. A total of many is wider: `Decimal<6, 24>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Decimal<const SCALE: u32, const DIGITS: u8 = 0>(i128);

/// The grammar of amounts and quantities that callers send: at most 12 integer and 6 fractional digits, no sign, no exponent.
pub const PATTERN: &str = "^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,6})?$";

parse_error! {
    /// The text is not a decimal of this scale, or it is out of range.
    pub struct NotADecimal: "a decimal string is expected"
}

impl<const SCALE: u32, const DIGITS: u8> Decimal<SCALE, DIGITS> {
    /// Nothing.
    pub const ZERO: Self = Decimal(0);
    /// Digits of its column.
    pub const PRECISION: u8 = match DIGITS {
        0 if SCALE <= 6 => 18,
        0 => 38,
        digits => digits,
    };

    /// From a count of units of the last digit: `Decimal::<2>::from_units(150)` is 1.50.
    pub const fn from_units(units: i128) -> Self {
        Decimal(units)
    }

    /// How many units of the last digit it is.
    pub const fn units(self) -> i128 {
        self.0
    }

    /// Returns whether the number is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Returns whether it is below zero.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// None where the sum leaves the range.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Decimal)
    }

    /// None where the difference leaves the range.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Decimal)
    }

    /// The exact product; `PRODUCT` must be the sum of both scales. None where it leaves the range.
    pub fn checked_mul<const OTHER: u32, const WIDTH: u8, const PRODUCT: u32>(
        self,
        other: Decimal<OTHER, WIDTH>,
    ) -> Option<Decimal<PRODUCT>> {
        const { assert!(PRODUCT == SCALE + OTHER, "the scale of a product is the sum of its factors' scales") };
        self.0.checked_mul(other.0).map(Decimal)
    }
}

/// Exactly `SCALE` digits after the point; `-` only before a value below zero.
impl<const SCALE: u32, const DIGITS: u8> fmt::Display for Decimal<SCALE, DIGITS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let units = self.0.unsigned_abs();
        if SCALE == 0 {
            return write!(f, "{sign}{units}");
        }
        let one = 10_u128.pow(SCALE);
        write!(f, "{sign}{}.{:0width$}", units / one, units % one, width = SCALE as usize)
    }
}

/// `-`? then `0` or digits without a leading zero, then at most `SCALE` digits after a point; `-0` is not a decimal.
impl<const SCALE: u32, const DIGITS: u8> FromStr for Decimal<SCALE, DIGITS> {
    type Err = NotADecimal;

    fn from_str(text: &str) -> Result<Self, NotADecimal> {
        parse(text, SCALE).map(Decimal).ok_or(NotADecimal)
    }
}

fn parse(text: &str, scale: u32) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return None,
        None => (digits, ""),
    };
    let missing = scale.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    if whole.is_empty() || (whole.len() > 1 && whole.starts_with('0')) {
        return None;
    }
    let mut units: i128 = 0;
    for byte in whole.bytes().chain(fraction.bytes()).chain((0..missing).map(|_| b'0')) {
        if !byte.is_ascii_digit() {
            return None;
        }
        units = units.checked_mul(10)?.checked_add(i128::from(byte - b'0'))?;
    }
    match (negative, units) {
        (true, 0) => None,
        (true, units) => Some(-units),
        (false, units) => Some(units),
    }
}

json_text!([const SCALE: u32, const DIGITS: u8] Decimal<SCALE, DIGITS>);

// Callers send the one grammar; answers have exactly the scale's digits and may be wider and signed.
inline_schema!([const SCALE: u32, const DIGITS: u8] Decimal<SCALE, DIGITS>, |generator| {
    if generator.contract().is_serialize() {
        let fraction = if SCALE == 0 { String::new() } else { format!("\\.[0-9]{{{SCALE}}}") };
        json_schema!({ "type": "string", "pattern": format!("^-?(0|[1-9][0-9]*){fraction}$") })
    } else {
        json_schema!({ "type": "string", "pattern": PATTERN, "x-normalize": ["decimal"] })
    }
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_grammar() {
        for (text, answer) in [
            ("0", "0.000000"),
            ("0.000000", "0.000000"),
            ("1.5", "1.500000"),
            ("-1.5", "-1.500000"),
            ("-0.000001", "-0.000001"),
            ("999999999999.999999", "999999999999.999999"),
        ] {
            assert_eq!(text.parse::<Decimal<6>>().unwrap().to_string(), answer);
        }
        for wrong in ["", "-", "+1", "01", ".5", "1.", "1e3", "1.0000001", "-0", "-0.0", " 1", "1,0", "\u{661}", "--1"]
        {
            assert_eq!(wrong.parse::<Decimal<6>>(), Err(NotADecimal), "{wrong}");
        }
        assert_eq!("12".parse::<Decimal<0>>().unwrap().to_string(), "12");
        assert!("1.0".parse::<Decimal<0>>().is_err());
    }

    #[test]
    fn a_width_of_its_own_is_the_columns() {
        assert_eq!([Decimal::<6>::PRECISION, Decimal::<12>::PRECISION, Decimal::<6, 24>::PRECISION], [18, 38, 24]);
    }

    #[test]
    fn products_are_exact_and_overflow_is_reported() {
        let price: Decimal<6> = "999999999999.999999".parse().unwrap();
        let product: Decimal<12> = price.checked_mul(price).unwrap();
        assert_eq!(product.to_string(), "999999999999999998000000.000000000001");
        assert_eq!(Decimal::<6>::from_units(i128::MAX).checked_add(Decimal::from_units(1)), None);
        assert_eq!(Decimal::<6>::from_units(i128::MIN).checked_sub(Decimal::from_units(1)), None);
        assert_eq!(Decimal::<6>::from_units(i128::MAX).checked_mul::<6, 0, 12>(price), None);
        assert!("9".repeat(40).parse::<Decimal<6>>().is_err());
    }
}
