//! Settings of issuers: what `stoa.toml` may say, and which addresses keys may come from.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::{Algorithm, Clock, Issuer, KeySource, SettingsError, Verifier};
use super::signer::{Signer, jwks};

fn try_settings(issuers: Vec<Issuer>) -> Result<(), SettingsError> {
    Verifier::new(issuers, Duration::ZERO, Clock::system()).map(|_| ())
}

#[test]
fn keys_come_over_https_or_from_loopback() {
    for address in [
        "https://issuer.example.test",
        "https://issuer.example.test/",
        "https://issuer.example.test:8443/realms/shop",
        "http://127.0.0.1:9000",
        "http://127.9.9.9",
        "http://[::1]:9000/realm",
        "http://localhost:9000",
    ] {
        assert!(try_settings(vec![Issuer::new(address, "a")]).is_ok(), "{address}");
    }
    for address in [
        "http://issuer.example.test",
        "http://10.0.0.1",
        "http://localhost.example.test",
        "http://127.0.0.1.example.test",
        "http://0.0.0.0",
        "https://user:secret@issuer.example.test",
        "https://issuer.example.test?tenant=1",
        "https://issuer.example.test#x",
        "ftp://issuer.example.test",
        "file:///etc/passwd",
        "issuer.example.test",
        "not an address",
    ] {
        assert!(matches!(try_settings(vec![Issuer::new(address, "a")]), Err(SettingsError::Address(_))), "{address}");
    }
    // An identifier that is no address needs one.
    let elsewhere = KeySource::Discovery("https://keys.example.test/openid".to_owned());
    assert!(try_settings(vec![Issuer { keys: elsewhere, ..Issuer::new("urn:issuer", "a") }]).is_ok());
}

#[test]
fn faults_are_reported_at_start_up() {
    let issuer = Issuer::new("https://issuer.example.test", "a");
    assert!(matches!(try_settings(vec![issuer.clone(), issuer.clone()]), Err(SettingsError::Repeated(_))));
    assert!(matches!(try_settings(vec![Issuer::new("", "a")]), Err(SettingsError::Empty)));
    assert!(matches!(try_settings(vec![Issuer::new("https://issuer.example.test", "")]), Err(SettingsError::Empty)));
    let none = Issuer { algorithms: Vec::new(), ..issuer.clone() };
    assert!(matches!(try_settings(vec![none]), Err(SettingsError::NothingAccepted(_))));
    let none = Issuer { types: Vec::new(), ..issuer.clone() };
    assert!(matches!(try_settings(vec![none]), Err(SettingsError::NothingAccepted(_))));
    for document in [json!(null), json!([]), json!({}), json!({ "keys": [] }), json!({ "keys": {} })] {
        let issuer = Issuer { keys: KeySource::Document(document), ..issuer.clone() };
        assert!(matches!(try_settings(vec![issuer]), Err(SettingsError::Document(_))));
    }
    let good = KeySource::Document(jwks([&Signer::es256("k")]));
    assert!(try_settings(vec![Issuer { keys: good, ..issuer }]).is_ok());
}

#[test]
fn a_settings_file_names_issuers() {
    let read = |value: Value| serde_json::from_value::<Issuer>(value);
    let short = read(json!({ "issuer": "https://issuer.example.test", "audience": "a" })).expect("defaults");
    assert_eq!(short, Issuer::new("https://issuer.example.test", "a"));
    assert_eq!(short.types, ["at+jwt", "JWT"]);
    assert_eq!(short.algorithms, Algorithm::all());

    let names = json!({ "email": "mail", "email_verified": "ok", "email_always_verified": true, "name": "nick" });
    let whole = json!({
        "issuer": "i", "audience": "a", "algorithms": ["PS256", "EdDSA"], "types": ["at+jwt"],
        "claims": names, "userinfo": false,
    });
    let whole_read = read(whole.clone()).expect("all settings");
    assert_eq!(whole_read.algorithms, [Algorithm::PS256, Algorithm::EdDsa]);
    assert_eq!(serde_json::to_value(&whole_read).expect("JSON"), whole);

    for unsafe_algorithm in ["none", "HS256", "RS1", "rs256", ""] {
        let setting = json!({ "issuer": "i", "audience": "a", "algorithms": [unsafe_algorithm] });
        assert!(read(setting).is_err(), "{unsafe_algorithm}");
    }
    assert!(read(json!({ "issuer": "i", "audience": "a", "keys": { "keys": [] } })).is_err());
    assert!(read(json!({ "issuer": "i" })).is_err());
}
