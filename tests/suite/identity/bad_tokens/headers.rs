//! Tokens whose header asks to be trusted in a way that nobody may ask for.

use aws_lc_rs::hmac;
use serde_json::{Value as Json, json};
use stoa_tests::signer::base64url;

use super::{Bad, Forge, with, without};

pub fn table(forge: &Forge) -> Vec<Bad> {
    let signer = forge.signer;
    let (header, claims) = (signer.header(), forge.claims());
    let mut table = Vec::new();

    let other = if signer.alg == "ES256" { "RS256" } else { "ES256" };
    let refused: [(&str, Vec<Json>); 4] = [
        (
            "alg",
            [
                "",
                "none",
                "None",
                "NONE",
                "nOnE",
                "HS256",
                "HS384",
                "HS512",
                "RS1",
                "RS384",
                "ES384",
                "ES256K",
                "PS1",
                "Ed448",
                "RSA-OAEP",
                "dir",
                "canary",
                other,
                &signer.alg.to_lowercase(),
                &format!("{} ", signer.alg),
                &format!("{}\u{0}", signer.alg),
            ]
            .into_iter()
            .map(Json::from)
            .collect(),
        ),
        (
            "typ",
            ["", "logout+jwt", "dpop+jwt", "secevent+jwt", "JWS", "text/JWT", "application/application/JWT", "at+jwt "]
                .into_iter()
                .map(Json::from)
                .collect(),
        ),
        (
            "kid",
            vec![
                json!(""),
                json!("nobody"),
                json!(signer.kid.to_uppercase()),
                json!(format!("{}\u{0}", signer.kid)),
                json!(format!("{} ", signer.kid)),
                json!(format!("./{}", signer.kid)),
                json!("../../../../../../dev/null"),
                json!("/proc/self/environ"),
                json!("file:///etc/passwd"),
                json!("https://canary.example.test/key.pem"),
                json!("' OR '1'='1"),
                json!("x'; drop table stoa_user; --"),
                json!("canary' UNION SELECT 'key"),
                json!("$(canary)"),
                json!("|canary"),
                json!("{{7*7}}"),
                json!("%00%2e%2e%2f"),
                json!("canary\r\nX-Canary: yes"),
                json!("\u{202e}canary"),
                json!("k".repeat(5_000)),
                json!(forge.sibling.kid),
            ],
        ),
        ("crit", vec![json!(["exp"]), json!(["b64"]), json!(["canary"]), json!("exp"), json!([""])]),
    ];
    for (member, values) in &refused {
        for value in values.iter().chain(&[json!(null), json!(0), json!(true), json!([]), json!({})]) {
            let name: String = format!("{member} {value}").chars().take(80).collect();
            table.push(Bad::token(name, &forge.with_header(member, value.clone())));
        }
    }
    for member in ["alg", "kid"] {
        table.push(Bad::token(format!("no {member}"), &signer.sign(&without(&header, member), &claims)));
    }
    let b64 = with(&with(&header, "crit", json!(["b64"])), "b64", json!(false));
    table.push(Bad::token("b64 false, with crit", &signer.sign(&b64, &claims)));
    let signed = format!("{}.{claims}", base64url(b64.to_string()));
    let unencoded = format!("{signed}.{}", base64url(signer.signature(signed.as_bytes())));
    table.push(Bad::token("claims unencoded, as b64 false has them", &unencoded));

    // A stranger who brings their own key, or tells where to find it.
    let stranger = forge.stranger;
    let brought = [
        ("jwk", stranger.jwk.clone()),
        ("jku", json!("https://canary.example.test/jwks")),
        ("jku", json!("http://127.0.0.1:1/canary")),
        ("x5u", json!("https://canary.example.test/cert.pem")),
        ("x5c", json!([base64url("canary certificate")])),
        ("x5t", json!(base64url([7; 20]))),
        ("cty", json!("JWT")),
        ("epk", stranger.jwk.clone()),
    ];
    table.push(Bad::token("by a stranger under the issuer's name", &stranger.sign(&stranger.header(), &claims)));
    for (n, (member, value)) in brought.into_iter().enumerate() {
        let token = stranger.sign(&with(&stranger.header(), member, value), &claims);
        table.push(Bad::token(format!("by a stranger who shows {member} ({n})"), &token));
    }
    table.push(Bad::token("by another key than it names", &forge.sibling.sign(&header, &claims)));
    table.extend(hmacs(forge));
    table.extend(texts(forge));
    table
}

/// Signed with what everybody knows, as if it were a secret.
fn hmacs(forge: &Forge) -> Vec<Bad> {
    let jwk = &forge.signer.jwk;
    let public = jwk["n"].as_str().or(jwk["x"].as_str()).unwrap_or_default();
    let secrets = [
        ("the public key", public.as_bytes().to_vec()),
        ("the JWK", jwk.to_string().into_bytes()),
        ("the JWKS", forge.jwks.to_string().into_bytes()),
        ("the kid", forge.signer.kid.as_bytes().to_vec()),
        ("an empty secret", vec![0]),
        ("the word secret", b"secret".to_vec()),
    ];
    let mut table = Vec::new();
    for (alg, algorithm) in [("HS256", hmac::HMAC_SHA256), ("HS384", hmac::HMAC_SHA384), ("HS512", hmac::HMAC_SHA512)] {
        for (name, secret) in &secrets {
            let header = with(&forge.signer.header(), "alg", json!(alg));
            let signed = format!("{}.{}", base64url(header.to_string()), base64url(forge.claims().to_string()));
            let tag = hmac::sign(&hmac::Key::new(algorithm, secret), signed.as_bytes());
            table.push(Bad::token(format!("{alg} with {name}"), &format!("{signed}.{}", base64url(tag))));
        }
    }
    for alg in ["none", "None", "NONE", "HS256"] {
        let header = with(&forge.signer.header(), "alg", json!(alg));
        let signed = format!("{}.{}", base64url(header.to_string()), base64url(forge.claims().to_string()));
        table.push(Bad::token(format!("alg {alg} and no signature"), &format!("{signed}.")));
    }
    table
}

/// Headers that are no object of JSON, or one that two readers would read in two ways.
fn texts(forge: &Forge) -> Vec<Bad> {
    let header = forge.signer.header().to_string();
    let claims = forge.claims().to_string();
    let (alg, kid) = (forge.signer.alg, &forge.signer.kid);
    let appended = |member: &str| format!("{},{member}}}", header.trim_end_matches('}'));
    let texts: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", Vec::new()),
        ("null", b"null".to_vec()),
        ("no members", b"{}".to_vec()),
        ("an array", format!("[{header}]").into_bytes()),
        ("no JSON", format!("alg={alg}").into_bytes()),
        ("cut off", header.as_bytes()[..header.len() - 1].to_vec()),
        ("followed by text", format!("{header}canary").into_bytes()),
        ("alg twice, alike", appended(&format!("\"alg\":\"{alg}\"")).into_bytes()),
        ("alg twice, the second none", appended("\"alg\":\"none\"").into_bytes()),
        ("kid twice", appended(&format!("\"kid\":\"{kid}\"")).into_bytes()),
        ("alg twice, once escaped", appended("\"\\u0061lg\":\"none\"").into_bytes()),
        ("an unknown member twice", appended("\"a\":1,\"a\":1").into_bytes()),
        ("nested deeply", format!("{}{}", "{\"a\":".repeat(1000), "}".repeat(1000)).into_bytes()),
        ("no UTF-8", b"{\"alg\":\"\xff\"}".to_vec()),
    ];
    texts
        .into_iter()
        .map(|(name, text)| Bad::token(format!("header: {name}"), &forge.signer.sign_text(text, &claims)))
        .collect()
}
