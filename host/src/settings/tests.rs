//! Tests of the settings.

use std::collections::BTreeSet;

use super::*;

#[test]
fn a_password_is_not_shown() {
    let settings = Settings { database_url: Some("postgres://stoa:s3cret@db/stoa".into()), ..Settings::default() };
    let settings = Settings { encryption_key: Some("s3cret".into()), ..settings };
    let shown = serde_json::to_string(&settings).unwrap();
    assert!(shown.contains("postgres://stoa@db/stoa") && !shown.contains("s3cret"), "{shown}");
    for (url, expected) in [
        ("postgres://db/stoa?user=stoa&password=s3cret", "postgres://db/stoa?user=stoa&password=(set)"),
        (
            "postgres://stoa:s3@cret@db/stoa?sslmode=require&sslpassword=s3cret",
            "postgres://stoa@db/stoa?sslmode=require&sslpassword=(set)",
        ),
        ("postgres://stoa@db/stoa?options=-c%20x=s3cret", "postgres://stoa@db/stoa?options=(set)"),
        ("sqlite:data/stoa.sqlite", "sqlite:data/stoa.sqlite"),
    ] {
        let settings = Settings { database_url: Some(url.into()), ..Settings::default() };
        assert_eq!(serde_json::to_value(&settings).unwrap()["database_url"], expected);
    }
}

#[test]
fn the_page_of_settings_lists_every_setting_and_no_other() {
    let settings = serde_json::to_value(Settings::default()).unwrap();
    let known: BTreeSet<String> = settings.as_object().unwrap().keys().map(|name| name.to_uppercase()).collect();
    let of_clients = ["OPERATOR_URL", "OPERATOR_TOKEN", "URL", "TOKEN", "API_KEY", "TENANT"].map(String::from);
    let rows = include_str!("../../../docs/operate/settings.md").lines().filter(|line| line.starts_with("| `STOA_"));
    let names = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`'));
    let listed: BTreeSet<String> = names.filter_map(|name| name.strip_prefix("STOA_")).map(String::from).collect();
    // Several issuers and servers are written only in the file.
    let mut expected: BTreeSet<String> =
        known.into_iter().filter(|name| !["OIDC", "PLACES"].contains(&&**name)).collect();
    expected.extend(of_clients);
    assert_eq!(listed, expected);
}

#[test]
fn what_reaches_into_this_machine_is_for_development_alone() {
    for (text, good) in [
        ("127.0.0.1:9000", true),
        ("[::1]:9000", true),
        ("localhost:9000", true),
        ("10.0.0.1:9000", false),
        ("example.com:9000", false),
        ("127.0.0.1", false),
    ] {
        assert_eq!(text.parse::<DevTarget>().is_ok(), good, "{text}");
    }
    let targets = vec!["127.0.0.1:9000".parse().unwrap()];
    let live = Settings { webhook_dev_targets: targets, ..Settings::default() };
    assert!(live.check().is_err());
    assert!(Settings { dev: true, ..live }.check().is_ok());
    let live = Settings { webhook_resolver: Some("127.0.0.1:53".parse().unwrap()), ..Settings::default() };
    assert!(live.check().is_err());
    assert!(Settings::default().key_ring().is_err(), "a key is required");
}

#[test]
fn the_development_issuer_stays_on_the_loopback() {
    let remote = Settings { dev: true, listen: "0.0.0.0:80".parse().unwrap(), ..Settings::default() };
    assert!(remote.check().is_err());
    let private = Settings { dev: true, private_listen: "0.0.0.0:81".parse().unwrap(), ..Settings::default() };
    assert!(private.check().is_err());
    assert!(Settings { dev_allow_remote: true, ..remote }.check().is_ok());
    assert!(Settings { dev: true, ..Settings::default() }.check().is_ok());
}

#[test]
fn traces_go_to_an_http_address() {
    for (address, ratio, is_good) in [
        ("http://127.0.0.1:4318", 0.01, true),
        ("https://collector.example.com/otlp/", 1.0, true),
        ("", 0.0, true),
        ("127.0.0.1:4318", 0.01, false),
        ("grpc://127.0.0.1:4317", 0.01, false),
        ("http://127.0.0.1:4318", 1.01, false),
        ("http://127.0.0.1:4318", -0.1, false),
    ] {
        let settings = Settings { otlp_endpoint: Some(address.into()), trace_ratio: ratio, ..Settings::default() };
        assert_eq!(settings.check().is_ok(), is_good, "{address} {ratio}");
    }
}

#[test]
fn the_console_has_an_address_where_it_has_a_client() {
    for (address, expected) in [
        ("https://shop.example", Some("https://shop.example")),
        ("https://shop.example:443/", Some("https://shop.example")),
        ("https://Shop.example:8443", Some("https://shop.example:8443")),
        ("http://127.0.0.1:8080", Some("http://127.0.0.1:8080")),
        ("http://localhost:8080", Some("http://localhost:8080")),
        ("http://shop.example", None),
        ("https://shop.example/console", None),
        ("https://shop.example?a=b", None),
        ("https://user@shop.example", None),
        ("shop.example", None),
    ] {
        let settings = Settings { console_url: Some(address.into()), ..Settings::default() };
        assert_eq!(settings.console_address().unwrap_or_default().as_deref(), expected, "{address}");
        assert_eq!(settings.check().is_ok(), expected.is_some(), "{address}");
    }
    let (issuer, audience) = (Some("https://sso.example".to_owned()), Some("stoa".to_owned()));
    let client = Settings { console_client_id: Some("console".into()), ..Settings::default() };
    assert!(client.check().is_err(), "no issuer");
    let client = Settings { oidc_issuer: issuer, oidc_audience: audience, ..client };
    assert!(client.check().is_err(), "no address");
    assert!(Settings { console: ConsoleSwitch::Off, ..client.clone() }.check().is_ok());
    let client = Settings { console_url: Some("https://shop.example".into()), ..client };
    assert!(client.check().is_ok());
    let secret = Settings { console_client_secret: Some("s3cret".into()), ..client };
    assert!(!serde_json::to_string(&secret).unwrap().contains("s3cret"));
    assert_eq!(secret.console_clients().unwrap()[0].1.client_secret.as_deref(), Some("s3cret"));
}
