//! Good tokens that are carried wrongly, and headers that carry none.

use super::Bad;

/// The table; `good` makes a good token, unlike any before.
pub fn table(good: impl Fn() -> String) -> Vec<Bad> {
    let schemes = [
        "Basic",
        "Digest",
        "Token",
        "DPoP",
        "JWT",
        "ApiKey",
        "Bearer:",
        "Bearer,",
        "Bearer=",
        "Bearer\"",
        "BearerBearer",
    ];
    let mut table: Vec<Bad> = schemes
        .iter()
        .map(|scheme| Bad::new(format!("scheme {scheme}"), &[format!("{scheme} {}", good()).as_bytes()]))
        .collect();
    let bearer = |token: String| format!("Bearer {token}").into_bytes();
    table.extend([
        Bad::new("no scheme", &[good().as_bytes()]),
        Bad::new("no space behind the scheme", &[format!("Bearer{}", good()).as_bytes()]),
        Bad::new("a tab behind the scheme", &[format!("Bearer\t{}", good()).as_bytes()]),
        Bad::new("the scheme behind", &[format!("{} Bearer", good()).as_bytes()]),
        Bad::new("the scheme twice", &[format!("Bearer Bearer {}", good()).as_bytes()]),
        Bad::new("two tokens in one header", &[format!("Bearer {} {}", good(), good()).as_bytes()]),
        Bad::new("two credentials with a comma", &[format!("Bearer {}, Bearer {}", good(), good()).as_bytes()]),
        Bad::new("a parameter behind", &[format!("Bearer {} realm=x", good()).as_bytes()]),
        Bad::new("two headers with good tokens", &[&bearer(good()), &bearer(good())]),
        Bad::new("a good header and a bad one", &[&bearer(good()), b"Basic Y2FuYXJ5OmNhbmFyeQ=="]),
        Bad::new("a bad header and a good one", &[b"Basic Y2FuYXJ5OmNhbmFyeQ==", &bearer(good())]),
        Bad::new("a good header and an empty one", &[&bearer(good()), b""]),
        Bad::new("bytes that are no text behind", &[&[&bearer(good())[..], b"\xff\xfe"].concat()]),
        Bad::new("bytes that are no text before", &[&[b"\xff", &bearer(good())[..]].concat()]),
        Bad::new("a letter beyond ASCII in it", &[format!("Bearer é{}", good()).as_bytes()]),
        Bad::new("a scheme that looks like it", &[format!("Веarer {}", good()).as_bytes()]),
    ]);
    table.extend([
        Bad { name: "no header".into(), values: Vec::new(), status: 401 },
        Bad::new("an empty header", &[b""]),
        Bad::new("only the scheme", &[b"Bearer"]),
        Bad::new("only the scheme, in small letters", &[b"bearer"]),
        Bad::new("dots", &[b"Bearer .."]),
        Bad::new("16 KiB of one letter", &[format!("Bearer {}", "A".repeat(16 << 10)).as_bytes()]),
        Bad::new("null", &[b"Bearer null"]),
        Bad::new("undefined", &[b"Bearer undefined"]),
        Bad::new("an object", &[b"Bearer [object Object]"]),
        Bad::new("a variable that is not set", &[b"Bearer $TOKEN"]),
        Bad::new("Basic", &[b"Basic Y2FuYXJ5OmNhbmFyeQ=="]),
        Bad::new("two empty headers", &[b"", b""]),
        Bad::new("16 KiB of a scheme", &[&[b'B'; 16 << 10]]),
        Bad::new("a header of dots", &[&[b'.'; 1000]]),
    ]);
    table
}
