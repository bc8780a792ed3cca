//! The text formats of the interface: which texts are a UUID, a calendar date, an instant; and the canonical decimal. JSON
//! Schema's own `date-time` admits offsets and leap seconds, so the interface's stricter forms replace it.

/// Any RFC 4122 text: 36 characters, any version, either case.
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// `YYYY-MM-DD`, a day that the calendar has, year 0001 to 9999.
pub fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes.get(4) != Some(&b'-') || bytes.get(7) != Some(&b'-') {
        return false;
    }
    let (Some(year), Some(month), Some(day)) = (number(bytes, 0, 4), number(bytes, 5, 2), number(bytes, 8, 2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    year >= 1 && (1..=days).contains(&day)
}

/// `YYYY-MM-DDTHH:MM:SS[.f{1,3}]Z`: UTC, to the millisecond, without leap second or 24:00.
pub fn is_instant(text: &str) -> bool {
    let Some((date, time)) = text.split_once('T') else { return false };
    let Some(time) = time.strip_suffix('Z') else { return false };
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let bytes = clock.as_bytes();
    let below = |start, end| number(bytes, start, 2).is_some_and(|n| n < end);
    is_date(date)
        && bytes.len() == 8
        && bytes.get(2) == Some(&b':')
        && bytes.get(5) == Some(&b':')
        && below(0, 24)
        && below(3, 60)
        && below(6, 60)
        && (1..=3).contains(&fraction.len())
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

fn number(bytes: &[u8], start: usize, len: usize) -> Option<u32> {
    bytes.get(start..start + len)?.iter().try_fold(0, |n, byte| Some(n * 10 + char::from(*byte).to_digit(10)?))
}

/// The shortest text of the same decimal: `1.50` is `1.5`, `0.000000` is `0`. Text that is not a plain decimal stays as it is.
pub fn canonical_decimal(text: &str) -> &str {
    match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|byte| byte.is_ascii_digit()) => {
            match fraction.trim_end_matches('0') {
                "" => whole,
                rest => text.get(..whole.len() + 1 + rest.len()).unwrap_or(text),
            }
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn uuids() {
        for good in ["00000000-0000-0000-0000-000000000000", "0192F0C1-7E57-7abc-8def-0123456789aB"] {
            assert!(is_uuid(good), "{good}");
        }
        for bad in [
            "",
            "0192f0c17e577abc8def0123456789ab",
            "{0192f0c1-7e57-7abc-8def-0123456789ab}",
            "0192f0c1-7e57-7abc-8def-0123456789ag",
            "0192f0c1-7e57-7abc-8def-0123456789a",
            "0192f0c17-e57-7abc-8def-0123456789ab",
            "urn:uuid:0192f0c1-7e57-7abc-8def-0123",
            " 192f0c1-7e57-7abc-8def-0123456789ab",
        ] {
            assert!(!is_uuid(bad), "{bad}");
        }
    }

    #[test]
    fn dates() {
        for good in ["2026-01-31", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"] {
            assert!(is_date(good), "{good}");
        }
        for bad in [
            "",
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-13-01",
            "2026-00-01",
            "2026-01-00",
            "0000-01-01",
            "10000-01-01",
            "2026-1-01",
            "26-01-01",
            "2026/01/01",
            "2026-01-01 ",
            "+026-01-01",
            "２０２６-01-01",
        ] {
            assert!(!is_date(bad), "{bad}");
        }
    }

    #[test]
    fn instants() {
        for good in
            ["2026-01-31T00:00:00Z", "2026-01-31T23:59:59.9Z", "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"]
        {
            assert!(is_instant(good), "{good}");
        }
        for bad in [
            "",
            "2026-01-31",
            "2026-01-31T00:00:00",
            "2026-01-31T00:00:00+00:00",
            "2026-01-31T00:00:00-00:00",
            "2026-01-31t00:00:00Z",
            "2026-01-31T00:00:00z",
            "2026-01-31 00:00:00Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T23:60:00Z",
            "2016-12-31T23:59:60Z",
            "2026-01-31T00:00Z",
            "2026-01-31T00:00:00.Z",
            "2026-01-31T00:00:00.1234Z",
            "2026-01-31T00:00:00,1Z",
            "0000-12-31T00:00:00Z",
            "10000-01-01T00:00:00Z",
            "2026-02-30T00:00:00Z",
            "2026-01-31T0:00:00Z",
            "2026-01-31T00:00:00.1.2Z",
        ] {
            assert!(!is_instant(bad), "{bad}");
        }
    }

    #[test]
    fn canonical_decimals() {
        for (text, canonical) in [
            ("1.50", "1.5"),
            ("0.000000", "0"),
            ("0.0", "0"),
            ("10", "10"),
            ("100.00", "100"),
            ("0.000001", "0.000001"),
            ("999999999999.999999", "999999999999.999999"),
            ("1.", "1"),
            ("", ""),
            ("abc", "abc"),
            ("1.x0", "1.x0"),
            ("1.0.0", "1.0.0"),
        ] {
            assert_eq!(canonical_decimal(text), canonical);
        }
    }

    proptest! {
        #[test]
        fn zeros_at_the_end_change_nothing(whole in "0|[1-9][0-9]{0,11}", fraction in "[0-9]{0,5}[1-9]", zeros in 0usize..6) {
            let plain = format!("{whole}.{fraction}");
            let padded = format!("{plain}{}", "0".repeat(zeros));
            prop_assert_eq!(canonical_decimal(&padded), plain.as_str());
            let round = format!("{whole}.{}", "0".repeat(zeros + 1));
            prop_assert_eq!(canonical_decimal(&round), whole.as_str());
        }

        #[test]
        fn instants_agree_with_chrono(text in "[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\\.[0-9]{1,4})?Z") {
            let other = chrono::DateTime::parse_from_rfc3339(&text).is_ok_and(|_| {
                !text.starts_with("0000") && !text.contains(":60") && text.len() <= 24
            });
            prop_assert_eq!(is_instant(&text), other);
        }
    }
}
