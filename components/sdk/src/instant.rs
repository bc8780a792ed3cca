//! Points in time, in milliseconds: the precision in which the platform stores, compares and answers.

use std::fmt;
use std::str::FromStr;

use schemars::json_schema;

/// Milliseconds since 1970-01-01T00:00:00Z. Texts are RFC 3339 in UTC with `Z`, year 0001 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub i64);

/// The pattern of the text form; that the day exists is checked when it is read.
pub const PATTERN: &str = stoa_descriptor::schemas::INSTANT_PATTERN;

const DAY: i64 = 86_400_000;

parse_error! {
    /// The text is not an instant of the accepted form.
    pub struct NotAnInstant: "an RFC 3339 instant in UTC is expected"
}

/// Always three fraction digits: `2026-01-02T03:04:05.000Z`.
impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil(self.0.div_euclid(DAY));
        let ms = self.0.rem_euclid(DAY);
        let (hour, minute, second, ms) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60, ms % 1_000);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
    }
}

impl FromStr for Instant {
    type Err = NotAnInstant;

    fn from_str(text: &str) -> Result<Instant, NotAnInstant> {
        parse(text.as_bytes()).ok_or(NotAnInstant)
    }
}

fn parse(text: &[u8]) -> Option<Instant> {
    let (whole, fraction) = text.strip_suffix(b"Z")?.split_at_checked(19)?;
    for (position, mark) in [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')] {
        if whole.get(position) != Some(&mark) {
            return None;
        }
    }
    let part = |from: usize, to: usize| number(whole.get(from..to)?);
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let (hour, minute, second) = (part(11, 13)?, part(14, 16)?, part(17, 19)?);
    let ms = match fraction {
        [] => 0,
        [b'.', digits @ ..] if (1..=3).contains(&digits.len()) => {
            let scale = [100, 10, 1].get(digits.len() - 1)?;
            number(digits)? * scale
        }
        _ => return None,
    };
    let days = days(year, month, day);
    if year == 0 || civil(days) != (year, month, day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(Instant(days * DAY + hour * 3_600_000 + minute * 60_000 + second * 1_000 + ms))
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
}

/// Days since 1970-01-01 of a day of the proleptic Gregorian calendar (Howard Hinnant's algorithm; years begin in March).
pub(crate) fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year.div_euclid(400) * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a count of days since 1970-01-01.
pub(crate) fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = days.div_euclid(146_097) * 400 + year;
    (if month <= 2 { year + 1 } else { year }, month, of_year - (153 * march + 2) / 5 + 1)
}

json_text!([] Instant);

// Input has an exact pattern; output needs none.
inline_schema!([] Instant, |generator| match generator.contract().is_serialize() {
    true => json_schema!({ "type": "string", "format": "date-time" }),
    false => json_schema!({ "type": "string", "format": "date-time", "pattern": PATTERN }),
});

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(text: &str) -> Option<i64> {
        text.parse::<Instant>().ok().map(|instant| instant.0)
    }

    #[test]
    fn reads_and_answers_the_same_instant() {
        for (text, expected) in [
            ("1970-01-01T00:00:00.000Z", 0),
            ("2000-02-29T12:34:56.789Z", 951_827_696_789),
            ("1969-12-31T23:59:59.999Z", -1),
            ("0001-01-01T00:00:00.000Z", -62_135_596_800_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] {
            assert_eq!(ms(text), Some(expected), "{text}");
            assert_eq!(Instant(expected).to_string(), text);
        }
        assert_eq!(ms("2026-01-02T03:04:05Z"), ms("2026-01-02T03:04:05.000Z"));
        assert_eq!(ms("2026-01-02T03:04:05.5Z"), ms("2026-01-02T03:04:05.500Z"));
    }

    #[test]
    fn every_day_of_four_centuries_survives_the_calendar() {
        for day in -146_097..146_097 {
            let (year, month, of_month) = civil(day);
            assert_eq!(days(year, month, of_month), day);
        }
    }

    #[test]
    fn refuses_what_the_interface_refuses() {
        for wrong in [
            "0000-01-01T00:00:00Z",
            "10000-01-01T00:00:00Z",
            "2026-01-01T00:00:00+00:00",
            "2026-01-01T00:00:00.0000Z",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T23:59:60Z",
            "2026-01-01t00:00:00z",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01",
            "",
            "Z",
            "2026-01-01T00:00:0\u{661}Z",
        ] {
            assert_eq!(ms(wrong), None, "{wrong}");
        }
    }
}
