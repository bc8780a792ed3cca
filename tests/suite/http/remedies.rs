//! Messages name the setting or the command that helps: a refused address, a taken port, a code of the database, and
//! `/` in a browser.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::Output;
use std::thread;

use serde_json::{Value as Json, json};
use stoa_tests::company::product;
use stoa_tests::{Database, Folder, company, host, on_one_database};

// Judged before a database is asked, or by programs that need none.
on_one_database![
    a_browser_is_led_to_the_reference,
    a_refused_address_names_those_that_are_accepted,
    a_taken_port_names_its_setting,
    a_code_of_the_database_is_a_sentence,
    a_broken_rule_is_not_called_a_schema,
];

/// The header `Accept` of a browser that opens an address.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

fn a_browser_is_led_to_the_reference(database: Database) {
    let host = company(database).host;
    let accepting =
        |method: &str, path: &str, media: &str| host.request(method, path).header("accept", media).unchecked().send();
    for path in ["/", "/v1", "/v1/"] {
        for method in ["GET", "HEAD"] {
            let answer = accepting(method, path, BROWSER).is(302);
            assert_eq!(answer.header("location"), Some("/v1/docs"), "{answer}");
            assert!(answer.header("x-request-id").is_some(), "{answer}");
        }
        for media in ["*/*", "application/json", "application/json, text/html;q=0.5"] {
            accepting("GET", path, media).refused(404, "NOT_FOUND");
        }
        accepting("POST", path, BROWSER).refused(404, "NOT_FOUND");
    }
    accepting("GET", "/v1/docs", BROWSER).is(200);
    accepting("GET", "/v1/nothing", BROWSER).refused(404, "NOT_FOUND");
}

fn a_refused_address_names_those_that_are_accepted(database: Database) {
    let shop = company(database);
    let body = json!({ "name": "Local", "url": "http://127.0.0.1:9/", "subscriptions": ["webhook.test"] });
    let expected = json!({ "scheme": "https", "port": 443, "setting": "STOA_WEBHOOK_DEV_TARGETS" });
    shop.post("webhooks", body)
        .refused(400, "VALIDATION_FAILED")
        .fault("/url", "ADDRESS_NOT_ALLOWED")
        .bounds("/url", expected);
}

fn stderr_of_failure(output: Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "it succeeded: {said}");
    said
}

fn a_taken_port_names_its_setting(_: Database) {
    let holder = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = holder.local_addr().expect("an address");
    let folder = Folder::new("taken");
    for (setting, other) in [("STOA_LISTEN", "STOA_PRIVATE_LISTEN"), ("STOA_PRIVATE_LISTEN", "STOA_LISTEN")] {
        let mut serve = host::program_in(&folder);
        let serve = serve.args(["serve", "--dev"]).env(setting, taken.to_string()).env(other, "127.0.0.1:0");
        let said = stderr_of_failure(serve.output().expect("cannot run stoa"));
        assert!(said.contains(&format!("cannot listen on {taken}: ")), "{said}");
        assert!(said.contains(&format!(". Set {setting} to another address")), "{said}");
    }
}

/// A server that rejects every connection with this code, as PostgreSQL does.
fn start_rejecting_server(code: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut length = [0; 4];
            if stream.read_exact(&mut length).is_err() {
                continue;
            }
            let mut startup = vec![0; u32::from_be_bytes(length).saturating_sub(4) as usize];
            let _ = stream.read_exact(&mut startup);
            let fields = format!("SFATAL\0VFATAL\0C{code}\0Mrejected\0\0");
            let length = u32::try_from(fields.len() + 4).expect("a length");
            let _ = stream.write_all(&[&b"E"[..], &length.to_be_bytes()[..], fields.as_bytes()].concat());
        }
    });
    address
}

fn a_code_of_the_database_is_a_sentence(_: Database) {
    for (code, sentence, remedy) in [
        ("28P01", "rejects the role or its password", "Correct both in STOA_DATABASE_URL"),
        ("28000", "a connection without TLS", "add ?sslmode=verify-full to STOA_DATABASE_URL"),
        ("3D000", "no database of this name", "create database"),
        ("53300", "no connection left", "max_connections"),
    ] {
        let server = start_rejecting_server(code);
        let folder = Folder::new("database");
        for verb in [&["migrate"][..], &["verify"], &["serve", "--dev", "--listen", "127.0.0.1:0"]] {
            let mut command = host::program_in(&folder);
            command.env("STOA_DATABASE_URL", format!("postgres://stoa:s3cret@{server}/stoa"));
            command.env("STOA_PRIVATE_LISTEN", "127.0.0.1:0").args(verb);
            let said = stderr_of_failure(command.output().expect("cannot run stoa"));
            for text in [code, sentence, remedy] {
                assert!(said.contains(text), "{code}, {verb:?}, {text:?}: {said}");
            }
            assert!(!said.contains("s3cret"), "{said}");
        }
    }
}

/// The code is also the answer to rules that no schema states.
fn a_broken_rule_is_not_called_a_schema(database: Database) {
    let shop = company(database);
    let answer = shop.post("catalog/products", product("")).refused(400, "VALIDATION_FAILED").at("/name");
    let detail: &Json = &answer["detail"];
    assert_eq!(
        detail, "The request breaks a rule. `errors` names the locations and the rules: correct them.",
        "{answer}"
    );
}
