//! Tokens with a good signature whose claims must not be believed.

use serde_json::{Value as Json, json};
use stoa_tests::signer::{base64url, now};

use super::{AUDIENCE, Bad, Forge, with, without};

/// Values of a type that no claim here has.
fn of_wrong_types() -> Vec<Json> {
    vec![json!(null), json!(true), json!([]), json!({}), json!({ "canary": 1 })]
}

pub fn table(forge: &Forge) -> Vec<Bad> {
    let now = now();
    let later = now + 300;
    // A claim, what it may not be, and what comes of it.
    let refused: [(&str, Vec<Json>); 7] = [
        ("iss", vec![json!(0), json!(""), json!("https://canary.example.test"), json!([forge.issuer])]),
        (
            "aud",
            vec![
                json!(0),
                json!(""),
                json!("canary"),
                json!(["canary", "account"]),
                json!([AUDIENCE, 1]),
                json!([[AUDIENCE]]),
                json!({ AUDIENCE: true }),
                json!(format!("{AUDIENCE}-canary")),
                json!(AUDIENCE.to_uppercase()),
                json!(format!(" {AUDIENCE}")),
            ],
        ),
        (
            "exp",
            vec![
                json!(0),
                json!(-1),
                json!(now - 1),
                json!(now - 86_400),
                json!(now as f64 - 0.5),
                json!(later.to_string()),
                json!("canary"),
                json!([later]),
                json!(1e300),
            ],
        ),
        ("nbf", vec![json!(later), json!(later * 1000), json!(u64::MAX), json!("0"), json!(-1), json!(-0.5)]),
        ("iat", vec![json!(later), json!(now * 1000), json!(u64::MAX), json!("0"), json!(-1), json!(-0.5)]),
        ("cnf", vec![json!({ "jkt": "canary" }), json!({ "x5t#S256": "canary" })]),
        (
            "sub",
            vec![
                json!(0),
                json!(""),
                json!("s".repeat(256)),
                json!("é".repeat(256)),
                json!("canary\u{0}"),
                json!("canary\r\nX-Canary: yes"),
                json!("canary\u{7f}"),
            ],
        ),
    ];
    let unverified: [(&str, Vec<Json>); 2] = [
        (
            "email",
            vec![
                json!(0),
                json!(""),
                json!(" "),
                json!("canary"),
                json!("canary@"),
                json!("@example.test"),
                json!("canary canary@example.test"),
                json!("canary@example.test\u{0}"),
                json!("canary@example.test\nBcc: other@example.test"),
                json!(["canary@example.test"]),
                json!(format!("{}@example.test", "a".repeat(250))),
            ],
        ),
        ("email_verified", vec![json!(false), json!(0), json!(1), json!("true"), json!("canary"), json!(["true"])]),
    ];

    let mut table = Vec::new();
    for (claims, make) in [
        (refused.as_slice(), Bad::token as fn(String, &str) -> Bad),
        (unverified.as_slice(), Bad::unverified as fn(String, &str) -> Bad),
    ] {
        for (claim, values) in claims {
            // The one value that is good is no wrong type of this claim.
            let wrong =
                of_wrong_types().into_iter().filter(|value| (*claim, value) != ("email_verified", &json!(true)));
            for value in values.iter().cloned().chain(wrong) {
                let name: String = format!("{claim} {value}").chars().take(80).collect();
                table.push(make(name, &forge.with_claim(claim, value.clone())));
            }
            if !["nbf", "iat", "cnf"].contains(claim) {
                let claims = without(&forge.claims(), claim);
                table.push(make(format!("no {claim}"), &forge.signer.sign(&forge.signer.header(), &claims)));
            }
        }
    }
    table.push(Bad::token(
        "unverified, but expired too",
        &forge.signer.sign(
            &forge.signer.header(),
            &with(&with(&forge.claims(), "email_verified", json!(false)), "exp", json!(now - 1)),
        ),
    ));
    table.extend(texts(forge));
    table
}

/// Claims that are no object of JSON, or one that two readers would read in two ways.
fn texts(forge: &Forge) -> Vec<Bad> {
    let header = forge.signer.header().to_string();
    let claims = forge.claims().to_string();
    let appended = |member: &str| format!("{},{member}}}", claims.trim_end_matches('}'));
    let nested = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    let texts: Vec<(&str, Vec<u8>)> = vec![
        ("no claims", b"{}".to_vec()),
        ("nothing", Vec::new()),
        ("null", b"null".to_vec()),
        ("an array", format!("[{claims}]").into_bytes()),
        ("JSON in JSON", json!(claims).to_string().into_bytes()),
        ("form data", b"sub=canary&aud=stoa-suite".to_vec()),
        ("cut off", claims.as_bytes()[..claims.len() - 1].to_vec()),
        ("followed by text", format!("{claims} canary").into_bytes()),
        ("a comma too many", appended("").into_bytes()),
        ("sub twice", appended("\"sub\":\"canary-admin\"").into_bytes()),
        ("aud twice", appended("\"aud\":\"canary\"").into_bytes()),
        ("exp twice", appended("\"exp\":9999999999").into_bytes()),
        ("email_verified twice", appended("\"email_verified\":true").into_bytes()),
        ("iss twice, once escaped", appended("\"\\u0069ss\":\"canary\"").into_bytes()),
        ("an unknown member twice", appended("\"a\":1,\"a\":1").into_bytes()),
        ("half a surrogate", appended("\"x\":\"\\ud800\"").into_bytes()),
        ("NaN", appended("\"x\":NaN").into_bytes()),
        ("a number beyond a double", appended("\"x\":1e400").into_bytes()),
        ("a control character", appended("\"x\":\"\u{1}\"").into_bytes()),
        ("nested deeply", appended(&format!("\"x\":{nested}")).into_bytes()),
        ("no UTF-8", [claims.trim_end_matches('}').as_bytes(), b",\"x\":\"\xc3\x28\"}"].concat()),
        ("a byte order mark", [b"\xef\xbb\xbf", claims.as_bytes()].concat()),
        ("UTF-16", claims.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("a token again", format!("{}.{}.{}", base64url(&header), base64url(&claims), "canary").into_bytes()),
    ];
    texts
        .into_iter()
        .map(|(name, text)| Bad::token(format!("claims: {name}"), &forge.signer.sign_text(&header, text)))
        .collect()
}
