//! The table of tokens [P9]: each with what must come of it, signed by every accepted algorithm. The suite asks the running host for
//! one of each kind of answer.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::super::CredentialRefusal;
use super::signer::{AUDIENCE, ISSUER, Signer, base64url, claims, jwks, with, without};
use super::time::START;

/// Another issuer that is trusted, and its audience.
pub const OTHER_ISSUER: &str = "https://other.example.test";
pub const OTHER_AUDIENCE: &str = "other-api";

pub type Verdict = Result<(), CredentialRefusal>;
/// A name for the case, the token, and what comes of it.
pub type Row = (&'static str, String, Verdict);

const OK: Verdict = Ok(());
const NO: Verdict = Err(CredentialRefusal::Unauthenticated);
const UNVERIFIED: Verdict = Err(CredentialRefusal::Unverified);
const NO_ADDRESS: Verdict = Err(CredentialRefusal::NoAddress);
const NO_VERIFICATION: Verdict = Err(CredentialRefusal::NoVerification);

/// Tokens of `signer`, one of the issuer's keys; `stranger` has a key of the same kind that is not the issuer's, under
/// the same kid.
pub fn table(signer: &Signer, stranger: &Signer) -> Vec<Row> {
    let header = &signer.header();
    let claims = &claims(START);
    let good = &signer.token(START);
    let (signed, signature) = good.rsplit_once('.').expect("a signature");
    let with_header = |name: &str, value: Value| signer.sign(&with(header, name, value), claims);
    let with_claim = |name: &str, value: Value| signer.sign(header, &with(claims, name, value));
    let without_claim = |name: &str| signer.sign(header, &without(claims, name));
    let header_text = header.to_string();
    let claims_text = claims.to_string();
    let appended = |object: &str, member: &str| format!("{},{member}}}", object.trim_end_matches('}'));
    let hmac = |secret: &[u8]| {
        let signed = format!("{}.{}", base64url(with(header, "alg", "HS256").to_string()), base64url(&claims_text));
        let key = jsonwebtoken::EncodingKey::from_secret(secret);
        let signature = jsonwebtoken::crypto::sign(signed.as_bytes(), &key, jsonwebtoken::Algorithm::HS256);
        format!("{signed}.{}", signature.expect("a signature"))
    };
    let public_key = signer.jwk["n"].as_str().or(signer.jwk["x"].as_str()).expect("a public key").to_owned();
    let (other_alg, sibling_alg) = match signer.alg {
        "RS256" => ("ES256", "PS256"),
        "PS256" => ("ES256", "RS256"),
        "ES256" => ("RS256", "EdDSA"),
        _ => ("RS256", "ES256"),
    };
    let unsigned = |header: &Value| format!("{}.{}.", base64url(header.to_string()), base64url(&claims_text));
    let flipped = |text: &str| {
        let last = if text.ends_with('A') { 'B' } else { 'A' };
        format!("{}{last}", &text[..text.len() - 1])
    };

    let mut table = vec![
        // Accepted tokens, so that the rejections below are known to be for their own reason.
        ("good", good.clone(), OK),
        ("typ JWT", with_header("typ", json!("JWT")), OK),
        ("typ in capitals", with_header("typ", json!("AT+JWT")), OK),
        ("typ as a media type", with_header("typ", json!("application/at+jwt")), OK),
        ("typ as a media type in capitals", with_header("typ", json!("Application/JWT")), OK),
        ("no typ", signer.sign(&without(header, "typ"), claims), OK),
        ("aud array with ours", with_claim("aud", json!(["other", AUDIENCE])), OK),
        ("aud array of only ours", with_claim("aud", json!([AUDIENCE])), OK),
        ("sub of 255 characters", with_claim("sub", json!("s".repeat(255))), OK),
        ("sub of 255 characters of four bytes", with_claim("sub", json!("😀".repeat(255))), OK),
        ("sub of one character", with_claim("sub", json!("7")), OK),
        ("no iat", without_claim("iat"), OK),
        ("iat 60 s ahead", with_claim("iat", json!(START + 60)), OK),
        ("nbf 60 s ahead", with_claim("nbf", json!(START + 60)), OK),
        ("nbf past", with_claim("nbf", json!(0)), OK),
        ("exp in one second", with_claim("exp", json!(START + 1)), OK),
        ("exp beyond all clocks", with_claim("exp", json!(u64::MAX)), OK),
        ("no name", without_claim("name"), OK),
        ("name of another type", with_claim("name", json!({ "first": "Alice" })), OK),
        ("unknown claims", with_claim("groups", json!(["admins", { "deep": [1, 2.5, null] }])), OK),
        ("a jku that is ignored", with_header("jku", json!("https://evil.example.test/jwks")), OK),
        ("a jwk that is ignored", with_header("jwk", stranger.jwk.clone()), OK),
        ("x5u and x5c of any type, ignored", signer.sign(&with(&with(header, "x5u", 1), "x5c", json!({})), claims), OK),
        ("email of 254 characters", with_claim("email", json!(format!("{}@example.test", "a".repeat(241)))), OK),
        ("5 KB of other claims", with_claim("pad", json!("x".repeat(5_000))), OK),
        // Form.
        ("empty", String::new(), NO),
        ("one segment", base64url(&claims_text), NO),
        ("two segments", signed.to_owned(), NO),
        ("two dots and nothing else", "..".to_owned(), NO),
        ("four segments", format!("{good}.AAAA"), NO),
        ("five segments, as of an encrypted token", format!("{good}.AAAA.AAAA"), NO),
        ("1 MB", "a".repeat(1_000_000), NO),
        ("1 MB of claims", with_claim("pad", json!("x".repeat(750_000))), NO),
        ("just over 8 KiB", with_claim("pad", json!("x".repeat(7_900))), NO),
        ("white space around it", format!(" {good} "), NO),
        ("a line feed at its end", format!("{good}\n"), NO),
        ("bad base64 in the header", format!("!{good}"), NO),
        ("bad base64 in the claims", format!("{}.*{signature}.{signature}", base64url(&header_text)), NO),
        ("bad base64 in the signature", format!("{signed}.{}%", signature), NO),
        ("standard base64 with padding", format!("{}==.{}", base64url(&header_text), base64url(&claims_text)), NO),
        (
            "padding on the claims",
            signer.sign_segments(&base64url(&header_text), &format!("{}=", base64url(&claims_text))),
            NO,
        ),
        ("not ASCII", format!("{good}é"), NO),
        ("NUL in it", format!("{good}\0"), NO),
        // Header.
        ("header is no JSON", signer.sign_text("alg=RS256", &claims_text), NO),
        ("header is no UTF-8", signer.sign_text(b"{\"alg\":\"\xff\"}", &claims_text), NO),
        ("header is an array", signer.sign_text(json!([signer.alg, "at+jwt"]).to_string(), &claims_text), NO),
        ("header is null", signer.sign_text("null", &claims_text), NO),
        ("header with text after it", signer.sign_text(format!("{header_text} x"), &claims_text), NO),
        (
            "header with alg twice",
            signer.sign_text(appended(&header_text, &format!("\"alg\":\"{}\"", signer.alg)), &claims_text),
            NO,
        ),
        (
            "header with kid twice",
            signer.sign_text(appended(&header_text, &format!("\"kid\":\"{}\"", signer.kid)), &claims_text),
            NO,
        ),
        (
            "header with an unknown member twice",
            signer.sign_text(appended(&header_text, "\"a\":1,\"a\":1"), &claims_text),
            NO,
        ),
        ("header nested thousands deep", signer.sign_text("[".repeat(5_000), &claims_text), NO),
        ("alg missing", signer.sign(&without(header, "alg"), claims), NO),
        ("alg a number", with_header("alg", json!(256)), NO),
        ("alg an array", with_header("alg", json!([signer.alg])), NO),
        ("alg none, no signature", unsigned(&with(header, "alg", "none")), NO),
        ("alg None, no signature", unsigned(&with(header, "alg", "None")), NO),
        ("alg none with a signature", with_header("alg", json!("none")), NO),
        ("alg empty", with_header("alg", json!("")), NO),
        ("alg in small letters", with_header("alg", json!(signer.alg.to_lowercase())), NO),
        ("alg with a space", with_header("alg", json!(format!("{} ", signer.alg))), NO),
        ("alg ES384", with_header("alg", json!("ES384")), NO),
        ("alg RS1", with_header("alg", json!("RS1")), NO),
        ("alg of another kind of key", with_header("alg", json!(other_alg)), NO),
        ("alg of another scheme", with_header("alg", json!(sibling_alg)), NO),
        ("HS256 with the public key as its secret", hmac(public_key.as_bytes()), NO),
        ("HS256 with the JWK as its secret", hmac(signer.jwk.to_string().as_bytes()), NO),
        ("HS256 with the JWKS as its secret", hmac(jwks([signer]).to_string().as_bytes()), NO),
        ("HS256 with an empty secret", hmac(b""), NO),
        ("crit with an unknown extension", with_header("crit", json!(["exp"])), NO),
        ("crit with b64", signer.sign(&with(&with(header, "crit", json!(["b64"])), "b64", false), claims), NO),
        ("typ of an ID token's logout kin", with_header("typ", json!("logout+jwt")), NO),
        ("typ dpop+jwt", with_header("typ", json!("dpop+jwt")), NO),
        ("typ empty", with_header("typ", json!("")), NO),
        ("typ a number", with_header("typ", json!(1)), NO),
        ("typ of another tree", with_header("typ", json!("text/JWT")), NO),
        ("typ with application twice", with_header("typ", json!("application/application/JWT")), NO),
        ("kid missing where there are several keys", signer.sign(&without(header, "kid"), claims), NO),
        ("kid unknown", with_header("kid", json!("nobody")), NO),
        ("kid empty", with_header("kid", json!("")), NO),
        ("kid a number", with_header("kid", json!(1)), NO),
        ("kid a path", with_header("kid", json!("../../../../dev/null")), NO),
        ("kid SQL", with_header("kid", json!("' UNION SELECT 'key'; DROP TABLE users; --")), NO),
        ("kid a command", with_header("kid", json!("|/bin/true")), NO),
        ("kid with NUL", with_header("kid", json!(format!("{}\0", signer.kid))), NO),
        ("kid in other letters", with_header("kid", json!(signer.kid.to_uppercase())), NO),
        ("kid of 5 KB", with_header("kid", json!("k".repeat(5_000))), NO),
        (
            "kid of another key of the issuer",
            with_header("kid", json!(if signer.kid == "es" { "ed" } else { "es" })),
            NO,
        ),
        // Signature.
        ("signature empty", format!("{signed}."), NO),
        ("signature cut short", format!("{signed}.{}", &signature[..signature.len() - 4]), NO),
        ("signature with more behind it", format!("{signed}.{signature}AAAA"), NO),
        ("signature changed", format!("{signed}.{}", flipped(signature)), NO),
        (
            "signature of other claims",
            {
                let other = with_claim("sub", json!("1"));
                format!("{signed}.{}", other.rsplit('.').next().expect("a signature"))
            },
            NO,
        ),
        (
            "claims exchanged",
            format!("{}.{}.{signature}", base64url(&header_text), base64url(with(claims, "sub", "1").to_string())),
            NO,
        ),
        ("signed by a stranger under the issuer's kid", stranger.token(START), NO),
        (
            "signed by a stranger who shows their key",
            stranger.sign(&with(header, "jwk", stranger.jwk.clone()), claims),
            NO,
        ),
        (
            "signed by a stranger who shows where their key is",
            stranger.sign(&with(header, "jku", "https://evil.example.test/jwks"), claims),
            NO,
        ),
        // Claims.
        ("claims are no JSON", signer.sign_text(&header_text, "sub=alice"), NO),
        ("claims are empty", signer.sign_text(&header_text, ""), NO),
        ("claims are an array", signer.sign_text(&header_text, json!([claims]).to_string()), NO),
        ("claims are text", signer.sign_text(&header_text, json!(claims_text).to_string()), NO),
        ("claims are a token again", signer.sign_text(&header_text, good), NO),
        ("claims are no UTF-8", signer.sign_text(&header_text, b"{\"sub\":\"\xc3\x28\"}"), NO),
        ("claims with sub twice", signer.sign_text(&header_text, appended(&claims_text, "\"sub\":\"admin\"")), NO),
        ("claims with exp twice", signer.sign_text(&header_text, appended(&claims_text, "\"exp\":9999999999")), NO),
        (
            "claims with iss twice, once escaped",
            signer.sign_text(&header_text, appended(&claims_text, &format!("\"\\u0069ss\":\"{ISSUER}\""))),
            NO,
        ),
        (
            "claims with half a surrogate",
            signer.sign_text(&header_text, appended(&claims_text, "\"x\":\"\\ud800\"")),
            NO,
        ),
        ("claims with NaN", signer.sign_text(&header_text, appended(&claims_text, "\"x\":NaN")), NO),
        (
            "claims nested too deep",
            signer.sign_text(
                &header_text,
                appended(&claims_text, &format!("\"x\":{}{}", "[".repeat(500), "]".repeat(500))),
            ),
            NO,
        ),
        ("no claims", signer.sign_text(&header_text, "{}"), NO),
        ("iss missing", without_claim("iss"), NO),
        ("iss of no issuer", with_claim("iss", json!("https://evil.example.test")), NO),
        ("iss with a slash behind", with_claim("iss", json!(format!("{ISSUER}/"))), NO),
        ("iss in other letters", with_claim("iss", json!(ISSUER.to_uppercase())), NO),
        ("iss an array with ours", with_claim("iss", json!([ISSUER])), NO),
        ("iss of another trusted issuer", with_claim("iss", json!(OTHER_ISSUER)), NO),
        ("aud missing", without_claim("aud"), NO),
        ("aud another", with_claim("aud", json!("other")), NO),
        ("aud empty", with_claim("aud", json!("")), NO),
        ("aud an array of others", with_claim("aud", json!(["other", "account"])), NO),
        ("aud an array with a number", with_claim("aud", json!([AUDIENCE, 1])), NO),
        ("aud an array in an array", with_claim("aud", json!([[AUDIENCE]])), NO),
        ("aud an object", with_claim("aud", json!({ AUDIENCE: true })), NO),
        ("aud with ours as a part", with_claim("aud", json!(format!("{AUDIENCE}-other"))), NO),
        ("aud of another trusted issuer", with_claim("aud", json!(OTHER_AUDIENCE)), NO),
        ("exp missing", without_claim("exp"), NO),
        ("exp long past", with_claim("exp", json!(START - 86_400)), NO),
        ("exp one second past", with_claim("exp", json!(START - 1)), NO),
        ("exp now", with_claim("exp", json!(START)), NO),
        ("exp 0", with_claim("exp", json!(0)), NO),
        ("exp negative", with_claim("exp", json!(-1)), NO),
        ("exp in quotes", with_claim("exp", json!((START + 3600).to_string())), NO),
        // RFC 7519 2: a NumericDate may have a fraction.
        ("exp a fraction", with_claim("exp", json!(START as f64 + 3600.5)), OK),
        ("exp this very second, and a half", with_claim("exp", json!(START as f64 + 0.5)), NO),
        (
            "exp with a point",
            signer.sign_text(&header_text, appended(&without(claims, "exp").to_string(), "\"exp\":1800003600.0")),
            OK,
        ),
        ("exp negative with a point", with_claim("exp", json!(-0.5)), NO),
        (
            "exp 1e400",
            signer.sign_text(&header_text, appended(&without(claims, "exp").to_string(), "\"exp\":1e400")),
            NO,
        ),
        (
            "exp beyond 64 bits",
            signer
                .sign_text(&header_text, appended(&without(claims, "exp").to_string(), "\"exp\":18446744073709551616")),
            NO,
        ),
        ("exp an array", with_claim("exp", json!([START + 3600])), NO),
        ("nbf 61 s ahead", with_claim("nbf", json!(START + 61)), NO),
        ("nbf tomorrow", with_claim("nbf", json!(START + 86_400)), NO),
        ("nbf beyond all clocks", with_claim("nbf", json!(u64::MAX)), NO),
        ("nbf in quotes", with_claim("nbf", json!("0")), NO),
        ("nbf negative", with_claim("nbf", json!(-1)), NO),
        ("iat 61 s ahead", with_claim("iat", json!(START + 61)), NO),
        ("iat in milliseconds", with_claim("iat", json!(START * 1000)), NO),
        ("iat in quotes", with_claim("iat", json!(START.to_string())), NO),
        ("iat a fraction", with_claim("iat", json!(0.5)), OK),
        ("iat a fraction, ahead", with_claim("iat", json!(START as f64 + 61.5)), NO),
        // It is a bearer's token no more.
        (
            "bound to a certificate",
            with_claim("cnf", json!({ "x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2" })),
            NO,
        ),
        ("bound to a key", with_claim("cnf", json!({ "jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" })), NO),
        ("sub missing", without_claim("sub"), NO),
        ("sub empty", with_claim("sub", json!("")), NO),
        ("sub a number", with_claim("sub", json!(248_289_761_001_u64)), NO),
        ("sub an object", with_claim("sub", json!({ "id": "1" })), NO),
        ("sub of 256 characters", with_claim("sub", json!("s".repeat(256))), NO),
        ("sub of 256 characters of four bytes", with_claim("sub", json!("😀".repeat(256))), NO),
        ("sub with NUL", with_claim("sub", json!("24\u{0}82")), NO),
        ("sub with a line feed", with_claim("sub", json!("24\n82")), NO),
        // A good token of a user whose address is not verified.
        ("email missing", without_claim("email"), NO_ADDRESS),
        ("email empty", with_claim("email", json!("")), UNVERIFIED),
        ("email a space", with_claim("email", json!(" ")), UNVERIFIED),
        ("email a number", with_claim("email", json!(1)), UNVERIFIED),
        ("email an array", with_claim("email", json!(["alice@example.test"])), UNVERIFIED),
        ("email no address", with_claim("email", json!("alice")), UNVERIFIED),
        ("email without a domain", with_claim("email", json!("alice@")), UNVERIFIED),
        ("email without a mailbox", with_claim("email", json!("@example.test")), UNVERIFIED),
        ("email with NUL", with_claim("email", json!("alice@example.test\u{0}")), UNVERIFIED),
        ("email with a line feed", with_claim("email", json!("alice@example.test\nBcc: bob@example.test")), UNVERIFIED),
        (
            "email of 255 characters",
            with_claim("email", json!(format!("{}@example.test", "a".repeat(242)))),
            UNVERIFIED,
        ),
        ("email_verified missing", without_claim("email_verified"), NO_VERIFICATION),
        ("email_verified false", with_claim("email_verified", json!(false)), UNVERIFIED),
        ("email_verified in quotes", with_claim("email_verified", json!("true")), UNVERIFIED),
        ("email_verified 1", with_claim("email_verified", json!(1)), UNVERIFIED),
        ("neither", signer.sign(header, &without(&without(claims, "email"), "email_verified")), NO_ADDRESS),
        // Unverified is said only of a token that holds otherwise.
        (
            "unverified and expired",
            signer.sign(header, &with(&with(claims, "email_verified", false), "exp", START - 1)),
            NO,
        ),
        ("unverified and without sub", signer.sign(header, &without(&without(claims, "email"), "sub")), NO),
        ("unverified and forged", stranger.sign(header, &without(claims, "email")), NO),
        (
            "unverified and for another audience",
            signer.sign(header, &with(&without(claims, "email"), "aud", "other")),
            NO,
        ),
    ];
    table.extend(forms(signer));
    table.extend(signatures(signer));
    table.extend(headers(signer, stranger));
    table.extend(other_types(signer));
    table.extend(texts(signer));
    // Every proper prefix of a good token, in steps: what a client with too small a buffer sends.
    for length in (0..good.len()).step_by(97) {
        table.push(("a prefix", good[..length].to_owned(), NO));
    }
    table
}

/// Things that are no three segments, or three in another dress.
fn forms(signer: &Signer) -> Vec<Row> {
    let good = &signer.token(START);
    let parts: Vec<&str> = good.split('.').collect();
    let (header, body, signature) = (parts[0], parts[1], parts[2]);
    let plain = (signer.header().to_string(), claims(START).to_string());
    let encrypted = base64url(json!({ "alg": "RSA-OAEP", "enc": "A256GCM", "kid": signer.kid }).to_string());
    let rows = [
        ("a dot before it", format!(".{good}")),
        ("a dot behind it", format!("{good}.")),
        ("no header", format!(".{body}.{signature}")),
        ("no claims", format!("{header}..{signature}")),
        ("two dots in a row", format!("{header}..{body}.{signature}")),
        ("segments exchanged", format!("{body}.{header}.{signature}")),
        ("header for claims", format!("{header}.{header}.{signature}")),
        ("an encrypted token", format!("{encrypted}.{body}.AAAA.{body}.AAAA")),
        ("an encrypted token without its key", format!("{encrypted}..AAAA.{body}.AAAA")),
        ("as JSON", json!({ "protected": header, "payload": body, "signature": signature }).to_string()),
        (
            "as JSON with several signatures",
            json!({ "payload": body, "signatures": [{ "protected": header, "signature": signature }] }).to_string(),
        ),
        ("unencoded", format!("{}.{}.{signature}", plain.0, plain.1)),
        ("encoded twice", base64url(good)),
        ("padded header", signer.sign_segments(&STANDARD.encode(format!("{}  ", plain.0)), body)),
        ("trailing bits in the header", signer.sign_segments(&format!("{header}A"), body)),
        ("a space in the header", signer.sign_segments(&format!("{} {}", &header[..8], &header[8..]), body)),
        ("in quotes", format!("\"{good}\"")),
        ("in angle brackets", format!("<{good}>")),
        ("with a comma behind", format!("{good},")),
        ("with a semicolon and more", format!("{good};a=1")),
        ("in capitals", good.to_uppercase()),
        ("percent-encoded", good.replace('.', "%2E")),
    ];
    rows.map(|(name, token)| (name, token, NO)).into()
}

fn signatures(signer: &Signer) -> Vec<Row> {
    let good = signer.token(START);
    let (signed, signature) = good.rsplit_once('.').expect("a signature");
    let bytes = URL_SAFE_NO_PAD.decode(signature).expect("base64");
    let flipped = |index: usize| {
        let mut bytes = bytes.clone();
        bytes[index] ^= 1;
        base64url(bytes)
    };
    let claims_alone = signer.sign_segments("", signed.rsplit('.').next().expect("claims"));
    let mut rows = vec![
        ("signature of 64 zeros", base64url([0; 64])),
        ("signature of 256 zeros", base64url([0; 256])),
        ("signature of 64 bytes of ones", base64url([0xff; 64])),
        ("signature of 256 bytes of ones", base64url([0xff; 256])),
        ("signature with its first bit changed", flipped(0)),
        ("signature with its last bit changed", flipped(bytes.len() - 1)),
        ("signature with a byte more", base64url([&bytes[..], &[0]].concat())),
        ("signature with a zero before it", base64url([&[0], &bytes[..]].concat())),
        ("signature twice", base64url([&bytes[..], &bytes[..]].concat())),
        ("signature reversed", base64url(bytes.iter().rev().copied().collect::<Vec<_>>())),
        ("signature of only the claims", claims_alone.rsplit('.').next().expect("a signature").to_owned()),
        ("signature with a line feed in its text", format!("{}%0A{}", &signature[..9], &signature[9..])),
        ("signature in hexadecimal", bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        ("signature with padding", format!("{}=", URL_SAFE.encode(&bytes))),
        ("signature null", "null".to_owned()),
    ];
    if signer.alg == "ES256" {
        rows.push(("signature in the form of X.509", base64url(der(&bytes))));
    }
    let standard = STANDARD_NO_PAD.encode(&bytes);
    if standard.contains(['+', '/']) {
        rows.push(("signature in the other base64", standard));
    }
    rows.into_iter().map(|(name, signature)| (name, format!("{signed}.{signature}"), NO)).collect()
}

/// The two numbers of an ECDSA signature as ASN.1 has them.
fn der(fixed: &[u8]) -> Vec<u8> {
    let number = |bytes: &[u8]| {
        let bytes: Vec<u8> = std::iter::once(0).chain(bytes.iter().copied().skip_while(|byte| *byte == 0)).collect();
        let bytes = if bytes.get(1).is_some_and(|first| *first < 0x80) { &bytes[1..] } else { &bytes[..] };
        [&[2, u8::try_from(bytes.len()).expect("a short number")][..], bytes].concat()
    };
    let (r, s) = fixed.split_at(fixed.len() / 2);
    let numbers = [number(r), number(s)].concat();
    [&[0x30, u8::try_from(numbers.len()).expect("a short sequence")][..], &numbers].concat()
}

/// Headers that ask to be trusted in a way that no token may ask for.
fn headers(signer: &Signer, stranger: &Signer) -> Vec<Row> {
    let (header, claims) = (&signer.header(), &claims(START));
    let mut rows = Vec::new();
    let mut refuse = |name: &'static str, member: &str, values: &[&str]| {
        let token = |value: &&str| (name, signer.sign(&with(header, member, *value), claims), NO);
        rows.extend(values.iter().map(token));
    };
    let nul = format!("{}\0", signer.alg);
    let algorithms =
        ["NONE", "nOnE", "HS384", "HS512", "RS384", "ES256K", "PS1", "Ed448", "RSA-OAEP", "dir", nul.as_str()];
    refuse("alg that is none of ours", "alg", &algorithms);
    refuse("typ that is none of ours", "typ", &["secevent+jwt", "JWS", "at+jwt "]);
    let (behind, path) = (format!("{} ", signer.kid), format!("./{}", signer.kid));
    let kids = [
        behind.as_str(),
        path.as_str(),
        "/proc/self/environ",
        "file:///etc/passwd",
        "https://evil.example.test/key.pem",
        "$(true)",
        "{{7*7}}",
        "%00%2e%2e%2f",
        "a\r\nX-Evil: yes",
        "\u{202e}evil",
    ];
    refuse("kid that is none of ours", "kid", &kids);
    for (member, value) in [
        ("jku", json!("http://127.0.0.1:1/jwks")),
        ("x5u", json!("https://evil.example.test/cert.pem")),
        ("x5c", json!([base64url("certificate")])),
        ("x5t", json!(base64url([7; 20]))),
        ("cty", json!("JWT")),
        ("epk", stranger.jwk.clone()),
    ] {
        rows.push(("signed by a stranger who shows more", stranger.sign(&with(header, member, value), claims), NO));
    }
    let b64 = with(&with(header, "crit", json!(["b64"])), "b64", false);
    let unencoded = signer.sign_segments(&base64url(b64.to_string()), &claims.to_string());
    rows.push(("claims unencoded, as b64 false has them", unencoded, NO));
    rows
}

/// Members of types that they never have.
fn other_types(signer: &Signer) -> Vec<Row> {
    let (header, claims) = (&signer.header(), &claims(START));
    let types = || [json!(null), json!(true), json!([]), json!({}), json!({ "a": 1 })];
    let mut rows = Vec::new();
    for member in ["alg", "typ", "kid", "crit"] {
        rows.extend(types().map(|value| (member, signer.sign(&with(header, member, value), claims), NO)));
    }
    let mut claim = |name: &'static str, value: Value, verdict: Verdict| {
        rows.push((name, signer.sign(header, &with(claims, name, value)), verdict));
    };
    for name in ["iss", "aud", "exp", "nbf", "iat", "sub", "cnf"] {
        types().into_iter().for_each(|value| claim(name, value, NO));
    }
    for name in ["email", "email_verified"] {
        let wrong = types().into_iter().filter(|value| (name, value) != ("email_verified", &json!(true)));
        wrong.for_each(|value| claim(name, value, UNVERIFIED));
    }
    for (name, value) in [
        ("iss", json!("")),
        ("aud", json!(AUDIENCE.to_uppercase())),
        ("aud", json!(format!(" {AUDIENCE}"))),
        ("exp", json!(1e300)),
        ("nbf", json!(START * 1000)),
        ("nbf", json!(-0.5)),
        ("iat", json!(u64::MAX)),
        ("iat", json!(-1)),
        ("iat", json!(-0.5)),
        ("sub", json!("24\r\nX-Evil: yes")),
        ("sub", json!("24\u{7f}82")),
    ] {
        claim(name, value, NO);
    }
    claim("email", json!("alice alice@example.test"), UNVERIFIED);
    rows
}

/// Headers and claims that are no object of JSON, or one that two readers would read in two ways.
fn texts(signer: &Signer) -> Vec<Row> {
    let (header, claims) = (signer.header().to_string(), claims(START).to_string());
    let appended = |object: &str, member: &str| format!("{},{member}}}", object.trim_end_matches('}')).into_bytes();
    let cut = |object: &str| object.as_bytes()[..object.len() - 1].to_vec();
    let headers = [
        ("header empty", Vec::new()),
        ("header without members", b"{}".to_vec()),
        ("header cut off", cut(&header)),
        ("header with alg twice, the second none", appended(&header, "\"alg\":\"none\"")),
        ("header with alg twice, once escaped", appended(&header, "\"\\u0061lg\":\"none\"")),
    ];
    let bodies = [
        ("claims are null", b"null".to_vec()),
        ("claims cut off", cut(&claims)),
        ("claims with text after them", format!("{claims} x").into_bytes()),
        ("claims with a comma too many", appended(&claims, "")),
        ("claims with aud twice", appended(&claims, "\"aud\":\"other\"")),
        ("claims with email_verified twice", appended(&claims, "\"email_verified\":true")),
        ("claims with an unknown member twice", appended(&claims, "\"a\":1,\"a\":1")),
        ("claims with a number beyond a double", appended(&claims, "\"x\":1e400")),
        ("claims with a control character", appended(&claims, "\"x\":\"\u{1}\"")),
        ("claims after a byte order mark", [b"\xef\xbb\xbf", claims.as_bytes()].concat()),
        ("claims in UTF-16", claims.encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ];
    let of_headers = headers.into_iter().map(|(name, text)| (name, signer.sign_text(text, &claims), NO));
    of_headers.chain(bodies.into_iter().map(|(name, text)| (name, signer.sign_text(&header, text), NO))).collect()
}
