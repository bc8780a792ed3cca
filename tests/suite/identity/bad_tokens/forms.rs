//! Things that are no token, or no way to carry one.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};
use serde_json::json;
use stoa_tests::signer::base64url;

use super::{Bad, Forge};

pub fn table(forge: &Forge) -> Vec<Bad> {
    let mut table = signatures(forge);
    table.extend(segments(forge));
    table.extend(carriers(forge));
    table
}

fn signatures(forge: &Forge) -> Vec<Bad> {
    let signer = forge.signer;
    let good = forge.good();
    let (signed, signature) = good.rsplit_once('.').unwrap_or_default();
    let bytes = signer.signature(signed.as_bytes());
    let other = forge.with_claim("sub", json!("canary-other"));
    let flipped = |index: usize| {
        let mut bytes = bytes.clone();
        bytes[index] ^= 1;
        base64url(bytes)
    };
    let mut forged: Vec<(String, String)> = vec![
        ("empty".into(), String::new()),
        ("zeros, 64".into(), base64url([0; 64])),
        ("zeros, 256".into(), base64url([0; 256])),
        ("ones, 64".into(), base64url([0xff; 64])),
        ("ones, 256".into(), base64url([0xff; 256])),
        ("first bit".into(), flipped(0)),
        ("last bit".into(), flipped(bytes.len() - 1)),
        ("cut by a byte".into(), base64url(&bytes[..bytes.len() - 1])),
        ("a byte more".into(), base64url([&bytes[..], &[0]].concat())),
        ("a zero before it".into(), base64url([&[0], &bytes[..]].concat())),
        ("twice".into(), base64url([&bytes[..], &bytes[..]].concat())),
        ("reversed".into(), base64url(bytes.iter().rev().copied().collect::<Vec<_>>())),
        ("of other claims".into(), other.rsplit('.').next().unwrap_or_default().into()),
        (
            "of the claims alone".into(),
            base64url(signer.signature(signed.split('.').next_back().unwrap_or_default().as_bytes())),
        ),
        ("with a character of no base64".into(), format!("{}*", &signature[..signature.len() - 1])),
        ("with a line feed in the middle of its text".into(), format!("{}%0A{}", &signature[..9], &signature[9..])),
        ("in hexadecimal".into(), bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        ("with padding".into(), URL_SAFE.encode(&bytes) + "="),
        ("the word null".into(), "null".into()),
    ];
    if let Some(der) = signer.signature_in_der(signed.as_bytes()) {
        forged.push(("in the form of X.509".into(), base64url(der)));
    }
    let standard = STANDARD_NO_PAD.encode(&bytes);
    if standard.contains(['+', '/']) {
        forged.push(("in the other base64".into(), standard));
    }
    let mut table: Vec<Bad> = forged
        .into_iter()
        .map(|(name, signature)| Bad::token(format!("signature {name}"), &format!("{signed}.{signature}")))
        .collect();
    let claims = base64url(forge.claims().to_string().replace("canary-subject", "canary-admin"));
    let header = signed.split('.').next().unwrap_or_default();
    table.push(Bad::token("claims exchanged", &format!("{header}.{claims}.{signature}")));
    table
}

fn segments(forge: &Forge) -> Vec<Bad> {
    let good = forge.good();
    let parts: Vec<&str> = good.split('.').collect();
    let (header, claims, signature) = (parts[0], parts[1], parts[2]);
    let plain = (forge.signer.header().to_string(), forge.claims().to_string());
    let serialized = json!({ "protected": header, "payload": claims, "signature": signature }).to_string();
    let general =
        json!({ "payload": claims, "signatures": [{ "protected": header, "signature": signature }] }).to_string();
    let encrypted = base64url(json!({ "alg": "RSA-OAEP", "enc": "A256GCM", "kid": forge.signer.kid }).to_string());
    let cases: Vec<(&str, String)> = vec![
        ("one segment", claims.into()),
        ("two segments", format!("{header}.{claims}")),
        ("four segments", format!("{good}.{signature}")),
        ("five segments", format!("{good}.{header}.{claims}")),
        ("an encrypted token", format!("{encrypted}.{claims}.AAAA.{claims}.AAAA")),
        ("an encrypted token without its key", format!("{encrypted}..AAAA.{claims}.AAAA")),
        ("a leading dot", format!(".{good}")),
        ("a dot behind", format!("{good}.")),
        ("no header", format!(".{claims}.{signature}")),
        ("no claims", format!("{header}..{signature}")),
        ("two dots in a row", format!("{header}..{claims}.{signature}")),
        ("segments exchanged", format!("{claims}.{header}.{signature}")),
        ("header for claims", format!("{header}.{header}.{signature}")),
        ("as JSON", serialized),
        ("as JSON with several signatures", general),
        ("unencoded", format!("{}.{}.{signature}", plain.0, plain.1)),
        ("encoded twice", base64url(&good)),
        ("padded header", forge.signer.sign_segments(&STANDARD.encode(format!("{}  ", plain.0)), claims)),
        ("padded claims", forge.signer.sign_segments(header, &format!("{claims}="))),
        ("claims with a character of no base64", forge.signer.sign_segments(header, &format!("{claims}~"))),
        (
            "header with a space in it",
            forge.signer.sign_segments(&format!("{} {}", &header[..8], &header[8..]), claims),
        ),
        ("trailing bits in the header", forge.signer.sign_segments(&format!("{header}A"), claims)),
        ("in quotes", format!("\"{good}\"")),
        ("in angle brackets", format!("<{good}>")),
        ("with a comma behind", format!("{good},")),
        ("with a semicolon and more", format!("{good};canary=1")),
        ("in capitals", good.to_uppercase()),
        ("percent-encoded", good.replace('.', "%2E")),
        ("8 KiB and one", forge.with_claim("pad", json!("x".repeat(6_200)))),
        ("16 KiB", forge.with_claim("pad", json!("x".repeat(12_400)))),
        ("40 KiB", forge.with_claim("pad", json!("x".repeat(30_000)))),
    ];
    let mut table: Vec<Bad> = cases.into_iter().map(|(name, text)| Bad::token(name, &text)).collect();
    // Tokens of a client with too small a buffer.
    for tenths in 1..10 {
        table.push(Bad::token(format!("{tenths} tenths of a token"), &good[..good.len() * tenths / 10]));
    }
    table
}

/// Good tokens, carried wrongly. What depends on no token stands in the table of one algorithm alone.
fn carriers(forge: &Forge) -> Vec<Bad> {
    let good = || forge.good();
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
    if forge.signer.alg == "ES256" {
        table.extend([
            Bad { name: "no header".into(), values: Vec::new(), status: 401 },
            Bad::new("an empty header", &[b""]),
            Bad::new("the scheme alone", &[b"Bearer"]),
            Bad::new("the scheme alone in small letters", &[b"bearer"]),
            Bad::new("dots", &[b"Bearer .."]),
            Bad::new("16 KiB of one letter", &[format!("Bearer {}", "A".repeat(16 << 10)).as_bytes()]),
            Bad::new("null", &[b"Bearer null"]),
            Bad::new("undefined", &[b"Bearer undefined"]),
            Bad::new("an object", &[b"Bearer [object Object]"]),
            Bad::new("a variable nobody set", &[b"Bearer $TOKEN"]),
            Bad::new("Basic", &[b"Basic Y2FuYXJ5OmNhbmFyeQ=="]),
            Bad::new("two empty headers", &[b"", b""]),
            Bad::new("16 KiB of a scheme", &[&[b'B'; 16 << 10]]),
            Bad::new("a header of dots", &[&[b'.'; 1000]]),
        ]);
    }
    table
}
