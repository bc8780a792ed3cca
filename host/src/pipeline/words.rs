//! What of a module's own words may stand in a problem or an audit entry: names of places and kinds, by their form. Whatever else it
//! says there is a failure of the module, and nobody hears it.

use crate::problem::CODES;

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

/// The name of something that changed.
pub fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'<';
    !text.is_empty() && text.len() <= LONGEST_NAME && text.bytes().all(plain)
}

/// A code of the host's list that a module may answer too. Who is calling, whether they belong to the company and how much they may
/// ask is the host's to say; that somebody lacks a finer right than the route's is the module's.
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
