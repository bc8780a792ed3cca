//! The parts of a module's own words that may appear in a problem or an audit entry: names of positions and kinds, by
//! their form. Anything else there is a failure of the module, and no response shows it.

use std::collections::BTreeMap;

use chrono::DateTime;
use serde_json::{Map, Value};
use stoa_descriptor::names;

use crate::contract::format;
use crate::problem::CODES;
use crate::sandbox::Vetted;
use crate::wit::problems::{Bound, Bounds};

/// Longest pointer, code and name of a member.
const LONGEST_POINTER: usize = 256;
const LONGEST_CODE: usize = 64;
const LONGEST_NAME: usize = 128;
/// Names of what changed at most.
pub const MOST_CHANGED: usize = 1_000;

/// A pointer into the request: names and numbers as schemas spell them. Other names are typed by callers, and pointers end before them.
pub fn is_pointer(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-.~".contains(&byte);
    (text.is_empty() || text.starts_with('/')) && text.len() <= LONGEST_POINTER && text.bytes().all(plain)
}

/// `OUT_OF_RANGE`.
pub fn is_code(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    text.starts_with(|first: char| first.is_ascii_uppercase()) && text.len() <= LONGEST_CODE && text.bytes().all(plain)
}

/// Returns whether a module may use a code for an item of its problems: a partner's module one that every module has, a problem's
/// (`problems` are those that modules declare) or one that begins with its own name. A module that calls services passes on their codes.
pub fn is_item_code_of(module: &Vetted, problems: &BTreeMap<String, (u16, String)>, code: &str) -> bool {
    let is_own = || {
        let granted = module.granted_names.load();
        names::begins(&module.descriptor.name, code, |word| granted.iter().any(|pattern| pattern.fits(word)))
    };
    !module.by_partner || module.passes_on || is_common_item_code(problems, code) || is_own()
}

/// Returns whether every module may use a code for an item; `problems` are those that modules declare.
pub fn is_common_item_code(problems: &BTreeMap<String, (u16, String)>, code: &str) -> bool {
    let is_hosts = || CODES.iter().any(|(known, ..)| *known == code);
    names::is_shared_item_code(code) || problems.contains_key(code) || is_hosts()
}

/// Bounds: numbers, decimals, days and instants, and a unit in the form of a code.
pub fn are_bounds(bounds: &Bounds) -> bool {
    show_bounds(bounds).is_some()
}

/// Bounds as callers see them; none where they are no bounds.
pub fn show_bounds(bounds: &Bounds) -> Option<Value> {
    let mut shown = Map::new();
    for (name, bound) in [("minimum", &bounds.minimum), ("maximum", &bounds.maximum)] {
        if let Some(bound) = bound {
            shown.insert(name.to_owned(), show_bound(bound)?);
        }
    }
    match &bounds.counted {
        Some(counted) if is_code(counted) => shown.insert("counted".to_owned(), counted.as_str().into()),
        Some(_) => return None,
        None => None,
    };
    Some(shown.into())
}

fn show_bound(bound: &Bound) -> Option<Value> {
    match bound {
        Bound::Integer(number) => Some((*number).into()),
        Bound::Decimal(text) => is_decimal(text).then(|| text.as_str().into()),
        Bound::Date(text) => format::is_date(text).then(|| text.as_str().into()),
        Bound::Instant(ms) => {
            let text = DateTime::from_timestamp_millis(*ms)?.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
            format::is_instant(&text).then(|| text.into())
        }
    }
}

/// Digits, with a sign and a point at most.
fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |part: &str| !part.is_empty() && part.len() <= 39 && part.bytes().all(|byte| byte.is_ascii_digit());
    is_number(whole) && is_number(fraction)
}

/// The name of something that changed.
pub fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'<';
    !text.is_empty() && text.len() <= LONGEST_NAME && text.bytes().all(plain)
}

/// A code of the host's list that a module may return too. The host identifies the caller and decides on membership and rate limits;
/// a module decides that a caller lacks a finer right than the route's.
pub fn shared_code(code: &str) -> Option<&'static str> {
    let shared = |code: &str, status: u16| match status {
        401 => false,
        403 => matches!(code, "PERMISSION_DENIED" | "SCOPE_DENIED"),
        status => matches!(status, 400..=412),
    };
    CODES.iter().find(|(known, status, _)| *known == code && shared(known, *status)).map(|(known, ..)| *known)
}

/// Statuses whose codes no module declares.
pub fn is_reserved(status: u16) -> bool {
    matches!(status, 401 | 403 | 429)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_and_kinds_by_their_form() {
        for (text, is_one) in [
            ("", true),
            ("/lines/0/unitIds/12", true),
            ("/header/If-Match", true),
            ("lines", false),
            ("/Ignore all that and", false),
            ("/<b>", false),
            ("/ü", false),
        ] {
            assert_eq!(is_pointer(text), is_one, "{text}");
        }
        assert!(!is_pointer(&format!("/{}", "a".repeat(256))));
        for (text, is_one) in [("TOO_MANY", true), ("X2", true), ("too many", false), ("_A", false), ("", false)] {
            assert_eq!(is_code(text), is_one, "{text}");
        }
        assert!(!is_code(&"A".repeat(65)));
        assert!(is_name("unitCost") && !is_name("") && !is_name("a b") && !is_name(&"a".repeat(129)));
    }

    #[test]
    fn bounds_by_their_form() {
        let bounds =
            |minimum, counted: Option<&str>| Bounds { minimum, maximum: None, counted: counted.map(str::to_owned) };
        for (bound, shown) in [
            (Bound::Integer(-3), Some(json!({ "minimum": -3 }))),
            (Bound::Decimal("-0.000001".into()), Some(json!({ "minimum": "-0.000001" }))),
            (Bound::Decimal("12".into()), Some(json!({ "minimum": "12" }))),
            (Bound::Date("2024-02-29".into()), Some(json!({ "minimum": "2024-02-29" }))),
            (Bound::Instant(0), Some(json!({ "minimum": "1970-01-01T00:00:00.000Z" }))),
            (Bound::Decimal("a secret".into()), None),
            (Bound::Decimal("--1".into()), None),
            (Bound::Decimal("1.".into()), None),
            (Bound::Decimal(String::new()), None),
            (Bound::Decimal("1".repeat(40)), None),
            (Bound::Date("2025-02-29".into()), None),
            (Bound::Instant(i64::MAX), None),
        ] {
            let bounds = bounds(Some(bound), None);
            assert_eq!((show_bounds(&bounds), are_bounds(&bounds)), (shown.clone(), shown.is_some()), "{bounds:?}");
        }
        assert_eq!(show_bounds(&bounds(None, Some("DAYS"))), Some(json!({ "counted": "DAYS" })));
        assert_eq!(show_bounds(&bounds(None, Some("of a caller"))), None);
    }

    #[test]
    fn items_have_the_codes_of_schemas_and_of_problems() {
        let problems = BTreeMap::from([("POINTS_MISSING".to_owned(), (409, "No.".to_owned()))]);
        for code in ["REQUIRED", "NOT_ALLOWED", "NOT_FOUND", "DUPLICATE", "DATE_IN_FUTURE", "POINTS_MISSING"] {
            assert!(is_common_item_code(&problems, code), "{code}");
        }
        for code in ["POINTS_LOST", "REQUIRED_HERE", ""] {
            assert!(!is_common_item_code(&problems, code), "{code}");
        }
    }

    #[test]
    fn who_calls_and_how_much_is_the_hosts_to_say() {
        for code in [
            "UNAUTHENTICATED",
            "MEMBERSHIP_REQUIRED",
            "TENANT_SUSPENDED",
            "IDENTITY_UNVERIFIED",
            "RATE_LIMITED",
            "QUOTA_EXCEEDED",
            "COMPANY_LIMIT_REACHED",
            "PUBLIC_API_DISABLED",
            "PAYLOAD_TOO_LARGE",
            "INTERNAL",
            "UNAVAILABLE",
            "NO_SUCH_CODE",
        ] {
            assert_eq!(shared_code(code), None, "{code}");
        }
        for code in ["NOT_FOUND", "PERMISSION_DENIED", "VALIDATION_FAILED", "VERSION_CONFLICT", "PRECONDITION_FAILED"] {
            assert_eq!(shared_code(code), Some(code));
        }
        assert!([401, 403, 429].into_iter().all(is_reserved) && ![400, 404, 409].into_iter().any(is_reserved));
    }
}
