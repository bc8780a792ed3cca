//! The table of tokens [P9]: each with what must come of it, signed by every accepted algorithm.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::{Algorithm, CredentialRefusal, Issuer, KeySource, Verifier};
use super::STRANGE_KEY;
use super::signer::{AUDIENCE, ISSUER, Signer, base64url, claims, jwks, with, without};
use super::time::{START, Time};

const OK: Result<(), CredentialRefusal> = Ok(());
const NO: Result<(), CredentialRefusal> = Err(CredentialRefusal::Unauthenticated);
const UNVERIFIED: Result<(), CredentialRefusal> = Err(CredentialRefusal::Unverified);

/// Tokens of `signer`, one of the issuer's keys; `stranger` has a key of the same kind that is not the issuer's, under
/// the same kid.
fn table(signer: &Signer, stranger: &Signer) -> Vec<(&'static str, String, Result<(), CredentialRefusal>)> {
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
        ("aud array of ours alone", with_claim("aud", json!([AUDIENCE])), OK),
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
        ("a leading dot", format!(".{good}"), NO),
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
        ("alg null", with_header("alg", json!(null)), NO),
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
        ("crit empty", with_header("crit", json!([])), NO),
        ("crit null", with_header("crit", json!(null)), NO),
        ("typ of an ID token's logout kin", with_header("typ", json!("logout+jwt")), NO),
        ("typ dpop+jwt", with_header("typ", json!("dpop+jwt")), NO),
        ("typ empty", with_header("typ", json!("")), NO),
        ("typ null", with_header("typ", json!(null)), NO),
        ("typ a number", with_header("typ", json!(1)), NO),
        ("typ of another tree", with_header("typ", json!("text/JWT")), NO),
        ("typ with application twice", with_header("typ", json!("application/application/JWT")), NO),
        ("kid missing where there are several keys", signer.sign(&without(header, "kid"), claims), NO),
        ("kid unknown", with_header("kid", json!("nobody")), NO),
        ("kid empty", with_header("kid", json!("")), NO),
        ("kid a number", with_header("kid", json!(1)), NO),
        ("kid null", with_header("kid", json!(null)), NO),
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
        ("signature of zeros", format!("{signed}.{}", base64url([0; 64])), NO),
        ("signature of 256 zeros", format!("{signed}.{}", base64url([0; 256])), NO),
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
        ("iss of nobody", with_claim("iss", json!("https://evil.example.test")), NO),
        ("iss with a slash behind", with_claim("iss", json!(format!("{ISSUER}/"))), NO),
        ("iss in other letters", with_claim("iss", json!(ISSUER.to_uppercase())), NO),
        ("iss an array with ours", with_claim("iss", json!([ISSUER])), NO),
        ("iss null", with_claim("iss", json!(null)), NO),
        ("iss of another trusted issuer", with_claim("iss", json!(OTHER_ISSUER)), NO),
        ("aud missing", without_claim("aud"), NO),
        ("aud another", with_claim("aud", json!("other")), NO),
        ("aud empty", with_claim("aud", json!("")), NO),
        ("aud null", with_claim("aud", json!(null)), NO),
        ("aud an empty array", with_claim("aud", json!([])), NO),
        ("aud an array of others", with_claim("aud", json!(["other", "account"])), NO),
        ("aud an array with a number", with_claim("aud", json!([AUDIENCE, 1])), NO),
        ("aud an array in an array", with_claim("aud", json!([[AUDIENCE]])), NO),
        ("aud an object", with_claim("aud", json!({ AUDIENCE: true })), NO),
        ("aud with ours as a part", with_claim("aud", json!(format!("{AUDIENCE}-other"))), NO),
        ("aud of another trusted issuer", with_claim("aud", json!(OTHER_AUDIENCE)), NO),
        ("exp missing", without_claim("exp"), NO),
        ("exp null", with_claim("exp", json!(null)), NO),
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
        ("exp true", with_claim("exp", json!(true)), NO),
        ("exp an array", with_claim("exp", json!([START + 3600])), NO),
        ("nbf 61 s ahead", with_claim("nbf", json!(START + 61)), NO),
        ("nbf tomorrow", with_claim("nbf", json!(START + 86_400)), NO),
        ("nbf beyond all clocks", with_claim("nbf", json!(u64::MAX)), NO),
        ("nbf in quotes", with_claim("nbf", json!("0")), NO),
        ("nbf null", with_claim("nbf", json!(null)), NO),
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
        ("bound to nothing", with_claim("cnf", json!(null)), NO),
        ("sub missing", without_claim("sub"), NO),
        ("sub null", with_claim("sub", json!(null)), NO),
        ("sub empty", with_claim("sub", json!("")), NO),
        ("sub a number", with_claim("sub", json!(248_289_761_001_u64)), NO),
        ("sub an object", with_claim("sub", json!({ "id": "1" })), NO),
        ("sub of 256 characters", with_claim("sub", json!("s".repeat(256))), NO),
        ("sub of 256 characters of four bytes", with_claim("sub", json!("😀".repeat(256))), NO),
        ("sub with NUL", with_claim("sub", json!("24\u{0}82")), NO),
        ("sub with a line feed", with_claim("sub", json!("24\n82")), NO),
        // A good token of a user whose address nobody has verified.
        ("email missing", without_claim("email"), UNVERIFIED),
        ("email null", with_claim("email", json!(null)), UNVERIFIED),
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
        ("email_verified missing", without_claim("email_verified"), UNVERIFIED),
        ("email_verified false", with_claim("email_verified", json!(false)), UNVERIFIED),
        ("email_verified null", with_claim("email_verified", json!(null)), UNVERIFIED),
        ("email_verified in quotes", with_claim("email_verified", json!("true")), UNVERIFIED),
        ("email_verified 1", with_claim("email_verified", json!(1)), UNVERIFIED),
        ("neither", signer.sign(header, &without(&without(claims, "email"), "email_verified")), UNVERIFIED),
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
    // Every proper prefix of a good token, in steps: what a client with too small a buffer sends.
    for length in (0..good.len()).step_by(97) {
        table.push(("a prefix", good[..length].to_owned(), NO));
    }
    table
}

const OTHER_ISSUER: &str = "https://other.example.test";
const OTHER_AUDIENCE: &str = "other-api";

fn verifier(time: &Time, signers: &[Signer], others: &[Signer]) -> Verifier {
    let ours = Issuer { keys: KeySource::Document(jwks(signers)), ..Issuer::new(ISSUER, AUDIENCE) };
    let other = Issuer { keys: KeySource::Document(jwks(others)), ..Issuer::new(OTHER_ISSUER, OTHER_AUDIENCE) };
    Verifier::new(vec![ours, other], Duration::ZERO, time.clock()).expect("good settings")
}

#[tokio::test]
async fn every_token_of_the_table_is_judged_as_it_says() {
    let signers = Signer::one_of_each();
    // The other trusted issuer's keys, of the same kinds and under the same names.
    let strangers = [Signer::rs256("rs", 1), Signer::ps256("ps", 0), Signer::es256("es"), Signer::eddsa("ed")];
    let verifier = verifier(&Time::start(), &signers, &strangers);
    for (signer, stranger) in signers.iter().zip(&strangers) {
        let table = table(signer, stranger);
        let refused = table.iter().filter(|(.., expected)| expected.is_err()).count();
        assert!(refused >= 150, "{refused} bad tokens");
        for (name, token, expected) in table {
            // Twice: a verdict may not depend on having been asked before.
            for _ in 0..2 {
                let verdict = verifier.verify(&token).await.map(|_| ()).map_err(|refusal| match refusal {
                    CredentialRefusal::Explained(_) => CredentialRefusal::Unauthenticated,
                    refusal => refusal,
                });
                assert_eq!(verdict, expected, "{}: {name}", signer.alg);
            }
        }
    }
}

/// Its owner hears what is wrong with a token, and nobody learns anything of one that he forged.
#[tokio::test]
async fn what_is_wrong_is_told_of_good_signatures_alone() {
    let [signer, stranger] = [Signer::es256("k"), Signer::es256("k")];
    let verifier = verifier(&Time::start(), std::slice::from_ref(&signer), &[Signer::es256("k")]);
    let reported = |why| Err(CredentialRefusal::Explained(why));
    for (name, value, expected) in [
        ("exp", json!(START - 1), reported("The token has expired.")),
        ("aud", json!("other"), reported("The token is for another audience.")),
        ("cnf", json!({ "jkt": "x" }), reported("The token is bound to a key and is no bearer token.")),
        ("sub", json!(7), NO),
    ] {
        let claims = with(&claims(START), name, value);
        assert_eq!(verifier.verify(&signer.sign(&signer.header(), &claims)).await.map(|_| ()), expected, "{name}");
        assert_eq!(verifier.verify(&stranger.sign(&stranger.header(), &claims)).await.map(|_| ()), NO, "{name}");
    }
    assert_eq!(verifier.verify("nonsense").await.map(|_| ()), reported("The token is malformed."));
}

#[tokio::test]
async fn each_issuer_speaks_for_its_own_users_only() {
    let (ours, theirs) = (Signer::es256("k"), Signer::es256("k"));
    let time = Time::start();
    let verifier = verifier(&time, std::slice::from_ref(&ours), std::slice::from_ref(&theirs));
    let of_other = with(&with(&claims(START), "iss", OTHER_ISSUER), "aud", OTHER_AUDIENCE);

    let user = verifier.verify(&theirs.sign(&theirs.header(), &of_other)).await.expect("a good token");
    assert_eq!((user.issuer.as_str(), user.subject.as_str()), (OTHER_ISSUER, "248289761001"));
    assert_eq!(verifier.verify(&ours.sign(&ours.header(), &of_other)).await, Err(CredentialRefusal::Unauthenticated));
    assert_eq!(verifier.verify(&theirs.token(START)).await, Err(CredentialRefusal::Unauthenticated));
}

#[tokio::test]
async fn claims_tell_who_the_user_is() {
    let signer = Signer::es256("k");
    let verifier = verifier(&Time::start(), std::slice::from_ref(&signer), &[Signer::es256("k")]);
    let user = verifier.verify(&signer.token(START)).await.expect("a good token");
    assert_eq!(user.issuer, ISSUER);
    assert_eq!(user.subject, "248289761001");
    assert_eq!(user.email, "alice@example.test");
    assert_eq!(user.name.as_deref(), Some("Alice Adams"));
    assert_eq!(user.expires_at, START + 3600);

    for (name, shown) in [
        (json!("  Alice  "), Some("Alice".to_owned())),
        (json!("Al\u{0}ice\n"), Some("Alice".to_owned())),
        (json!(" \n "), None),
        (json!(""), None),
        (json!(7), None),
        (json!("é".repeat(300)), Some("é".repeat(200))),
    ] {
        let token = signer.sign(&signer.header(), &with(&claims(START), "name", name));
        assert_eq!(verifier.verify(&token).await.expect("a good token").name, shown);
    }
}

#[tokio::test]
async fn a_key_without_a_name_serves_while_it_is_alone() {
    let signer = Signer::es256("k");
    let anonymous = json!({ "keys": [without(&signer.jwk, "kid")] });
    let verifier_of = |document: Value| {
        let issuer = Issuer { keys: KeySource::Document(document), ..Issuer::new(ISSUER, AUDIENCE) };
        Verifier::new(vec![issuer], Duration::ZERO, Time::start().clock()).expect("good settings")
    };
    let without_kid = signer.sign(&without(&signer.header(), "kid"), &claims(START));

    assert!(verifier_of(anonymous.clone()).verify(&without_kid).await.is_ok());
    assert!(verifier_of(jwks([&signer])).verify(&without_kid).await.is_ok());
    // A name that the key does not bear is an unknown key, alone or not.
    assert_eq!(verifier_of(anonymous).verify(&signer.token(START)).await, Err(STRANGE_KEY));
    let two = jwks([&signer, &Signer::es256("other")]);
    assert_eq!(verifier_of(two).verify(&without_kid).await, Err(CredentialRefusal::Unauthenticated));
}

#[tokio::test]
async fn an_rsa_key_without_alg_signs_by_both_schemes() {
    let signers = [Signer::rs256("k", 0), Signer::ps256("k", 0)];
    let document = json!({ "keys": [without(&signers[0].jwk, "alg")] });
    let issuer = Issuer { keys: KeySource::Document(document), ..Issuer::new(ISSUER, AUDIENCE) };
    let verifier = Verifier::new(vec![issuer], Duration::ZERO, Time::start().clock()).expect("good settings");
    for signer in &signers {
        assert!(verifier.verify(&signer.token(START)).await.is_ok(), "{}", signer.alg);
    }
    // One with alg does so by that alone, however good the signature.
    let issuer = Issuer { keys: KeySource::Document(jwks([&signers[0]])), ..Issuer::new(ISSUER, AUDIENCE) };
    let verifier = Verifier::new(vec![issuer], Duration::ZERO, Time::start().clock()).expect("good settings");
    assert!(verifier.verify(&signers[0].token(START)).await.is_ok());
    assert_eq!(verifier.verify(&signers[1].token(START)).await, Err(CredentialRefusal::Unauthenticated));
}

#[tokio::test]
async fn an_issuers_lists_narrow_what_it_may_send() {
    let signers = [Signer::es256("es"), Signer::rs256("rs", 0)];
    let issuer = Issuer {
        algorithms: vec![Algorithm::ES256],
        types: vec!["at+jwt".to_owned()],
        keys: KeySource::Document(jwks(&signers)),
        ..Issuer::new(ISSUER, AUDIENCE)
    };
    let verifier = Verifier::new(vec![issuer], Duration::ZERO, Time::start().clock()).expect("good settings");
    let [es, rs] = &signers;

    assert!(verifier.verify(&es.token(START)).await.is_ok());
    assert_eq!(verifier.verify(&rs.token(START)).await, Err(CredentialRefusal::Unauthenticated));
    for header in [with(&es.header(), "typ", "JWT"), without(&es.header(), "typ")] {
        assert_eq!(verifier.verify(&es.sign(&header, &claims(START))).await, Err(CredentialRefusal::Unauthenticated));
    }
}

#[tokio::test]
async fn without_an_issuer_every_token_is_refused() {
    let verifier =
        Verifier::new(Vec::new(), Duration::ZERO, Time::start().clock()).expect("no settings are good settings");
    assert_eq!(verifier.verify(&Signer::es256("k").token(START)).await, Err(CredentialRefusal::Unauthenticated));
}
