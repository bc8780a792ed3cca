//! The author of a module, from the descriptor to the push: each mistake is reported where it was made, and nothing is
//! compiled or sent in vain.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value as Json, json};
use stoa_tests::company::with;
use stoa_tests::folder::Folder;
use stoa_tests::host::{self, Settings};
use stoa_tests::puppet::{descriptor, puppet};
use stoa_tests::{Answer, Database, Stoa, modules, on_both_databases, on_one_database};

use super::vetter::Vetter;

on_one_database![
    a_descriptor_error_names_its_path,
    a_wanted_service_is_reported_by_function,
    an_untrusted_signer_is_reported_before_anything_is_sent,
    a_host_says_whether_it_trusts_a_signer,
    a_section_is_read_and_nothing_is_compiled,
    a_section_that_lies_is_refused,
    what_was_compiled_once_is_kept,
    who_stops_reading_ends_a_verb,
    only_dev_forgets,
];

mod forgetting {
    use super::*;
    on_both_databases![forget_frees_the_names_of_columns];
}

/// A component's file in a folder of its own, and what is next to it.
struct Workshop {
    folder: Folder,
}

impl Workshop {
    fn new(component: &[u8]) -> Workshop {
        let folder = Folder::new("author");
        fs::write(folder.path().join("puppet.wasm"), component).expect("a file");
        Workshop { folder }
    }

    /// `stoa module WORDS` in the folder, with an empty cache of its own.
    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(host::binary());
        command.current_dir(self.folder.path()).env_remove("STOA_MODULE_CACHE_DIR");
        command.env("XDG_CACHE_HOME", self.folder.path().join("cache")).arg("module").args(words);
        command.output().expect("cannot run stoa")
    }

    /// `stoa module push` to a `--dev` host, signed by the key that it trusts.
    fn push(&self, host: &Stoa, words: &[&str]) -> Output {
        let key = host.data_folder().join("dev-signer.key").display().to_string();
        let (url, token) = (format!("http://{}", host.private_address()), host.console().token);
        let by = ["push", "puppet.wasm", "--key", &key, "--operator-url", &url, "--operator-token", &token];
        self.run(&[&by, words].concat())
    }

    /// The compiled modules in the cache.
    fn count_compiled(&self) -> usize {
        let files = fs::read_dir(self.folder.path().join("cache/stoa/modules")).into_iter().flatten().flatten();
        files.filter(|file| file.path().extension().is_some_and(|extension| extension == "code")).count()
    }
}

fn error(output: &Output) -> String {
    assert!(!output.status.success(), "it succeeded: {}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The component with a custom section at its end.
fn with_section(component: &[u8], text: &str) -> Vec<u8> {
    let name = b"stoa:descriptor";
    let mut content = vec![u8::try_from(name.len()).expect("a short name")];
    content.extend_from_slice(name);
    content.extend_from_slice(text.as_bytes());
    // Two bytes of seven bits each.
    let length = u16::try_from(content.len()).expect("a short text");
    assert!((1 << 7..1 << 14).contains(&length), "{length}");
    let [low, high] = [length & 0x7f | 0x80, length >> 7].map(|bits| u8::try_from(bits).expect("seven bits"));
    [component, &[0, low, high], &content].concat()
}

fn a_descriptor_error_names_its_path(_: Database) {
    let mut whole = descriptor("puppet");
    for (change, expected) in [
        (json!({ "status": "200" }), "/routes/0/status: invalid type: string \"200\", expected u16"),
        (json!({ "statuz": 200 }), "unknown field `statuz`"),
        (json!({ "status": 199 }), "/routes/0/status: listThings: the success status is not 2xx: `199`"),
        (json!({ "access": { "all": ["read"] } }), "/routes/0/access: listThings: no permission"),
        (
            json!({ "response": { "properties": { "x": { "$ref": "#/$defs/Nope" } } } }),
            "/routes/0/response/properties/x/$ref: the reference #/$defs/Nope names no schema",
        ),
        (
            json!({ "response": { "properties": { "x": { "type": "strng" } } } }),
            "/routes/0/response/properties/x/type: listThings: response: ",
        ),
    ] {
        let route = with(&descriptor("puppet")["routes"][0], change);
        whole["routes"] = json!([route]);
        let refused = error(&Workshop::new(&puppet(&whole)).run(&["check", "puppet.wasm"]));
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
}

fn a_wanted_service_is_reported_by_function(database: Database) {
    let modules = modules::empty_with(&[("keeper.wasm", &modules::guest("keeper"))]);
    let host = Stoa::start_with(database, Settings::default().modules(modules.path()));
    let pushed = host.console().push(&host.signed(&modules::guest("reader"))).is(201);
    let detail = |code: &str| {
        let mut changes = pushed["changes"].as_array().into_iter().flatten();
        let found = changes.find(|change| change["code"] == code);
        found.and_then(|change| change["detail"].as_str()).unwrap_or_else(|| panic!("no {code}: {pushed}")).to_owned()
    };
    assert_eq!(detail("SERVICE_WANTED"), "may call find");
    assert_eq!(detail("ROUTE_ADDED"), "GET /tenants/{tenantId}/reader/items for users with reader.read");
}

/// A host of the test's own, which counts what it is sent.
fn an_untrusted_signer_is_reported_before_anything_is_sent(_: Database) {
    let stranger = Vetter::make("stranger", "partner");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let serving = std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a caller");
        let mut reader = BufReader::new(stream.try_clone().expect("the stream"));
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a line");
            if let Some(stated) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = stated.trim().parse().expect("a length");
            }
            head.push_str(&line);
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("the body");
        let answer = r#"{"code":"SIGNER_UNTRUSTED","detail":"this host trusts no such key","changes":[]}"#;
        let head_of_answer =
            format!("HTTP/1.1 403 Forbidden\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", answer.len());
        (&stream).write_all((head_of_answer + answer).as_bytes()).expect("the answer is written");
        drop((stream, reader));
        // A host that comes again delays no other.
        listener.set_nonblocking(true).expect("no waiting");
        (head, String::from_utf8(body).expect("a text"), listener)
    });
    let workshop = Workshop::new(&puppet(&descriptor("puppet")));
    let key = stranger.key().display().to_string();
    let words = ["push", "puppet.wasm", "--key", &key, "--operator-url", &url, "--operator-token", "x"];
    let refused = error(&workshop.run(&words));
    assert!(refused.contains("SIGNER_UNTRUSTED"), "{refused}");
    let (head, body, listener) = serving.join().expect("the host of the test");
    assert!(head.starts_with("POST /operator/signers ") && body.len() < 500, "{head}{body}");
    assert!(body.contains(&stranger.entry("")), "{body}");
    assert!(listener.accept().is_err(), "it came again");
    assert_eq!(workshop.count_compiled(), 0, "nothing is compiled for a signer that is not trusted");

    // Without a key there is nothing to ask about.
    let refused = error(&workshop.run(&["push", "puppet.wasm", "--operator-url", &url]));
    assert!(refused.contains("puppet.wasm.admission.json is missing"), "{refused}");
}

fn a_host_says_whether_it_trusts_a_signer(database: Database) {
    let (vendor, acme, stranger) =
        (Vetter::new(), Vetter::make("acme", "partner"), Vetter::make("stranger", "partner"));
    let entry = acme.entry(":puppet+loyalty-*");
    let modules = modules::empty_with(&[]);
    let host = Stoa::start_with(database, Vetter::settings_with(&[vendor.entry(""), entry.clone()], modules));
    let console = host.console_with("alices-token");
    let ask = |question: Json| console.post("signers", question);
    assert_eq!(ask(json!({ "signer": acme.entry("") })).is(200).body, json!({ "entries": [entry] }));
    let refused = ask(json!({ "signer": stranger.entry("") })).refused(403, "SIGNER_UNTRUSTED");
    assert!(refused.text("detail").contains(&stranger.entry("")), "{refused}");
    ask(json!({ "signer": "acme" })).refused(400, "VALIDATION_FAILED");

    let admission = |by: &Vetter, name: &str| -> Json {
        let workshop = Workshop::new(&puppet(&descriptor(name)));
        by.sign(&workshop.folder.path().join("puppet.wasm"));
        let text = fs::read(workshop.folder.path().join("puppet.wasm.admission.json")).expect("an admission");
        serde_json::from_slice(&text).expect("JSON")
    };
    let by_admission = |by: &Vetter, name: &str| -> Answer { ask(json!({ "admission": admission(by, name) })) };
    assert_eq!(by_admission(&acme, "puppet").is(200).body, json!({ "entries": [entry] }));
    by_admission(&acme, "reader").refused(403, "SIGNER_OUT_OF_REACH");
    by_admission(&stranger, "puppet").refused(403, "SIGNER_UNTRUSTED");
    let noted =
        host.rows("select 1 from stoa_operator_audit where operation = 'pushModule' and result = 'SIGNER_UNTRUSTED'");
    assert_eq!(noted.len(), 2);
}

fn a_section_is_read_and_nothing_is_compiled(database: Database) {
    let host = Stoa::start_with(database, Settings::default().modules(modules::none()));
    let whole = descriptor("puppet");
    let workshop = Workshop::new(&with_section(&puppet(&whole), &whole.to_string()));
    let output = workshop.push(&host, &["--activate"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(workshop.count_compiled(), 0, "the author's machine compiles nothing");
    assert_eq!(host.console().version("puppet").as_deref(), Some("1.0.0"));
    // A component without the section is compiled, as ever.
    let bare = Workshop::new(&puppet(&with(&whole, json!({ "version": "1.1.0" }))));
    assert!(bare.push(&host, &[]).status.success());
    assert_eq!(bare.count_compiled(), 1);
}

fn a_section_that_lies_is_refused(database: Database) {
    let host = Stoa::start_with(database, Settings::default().modules(modules::none()));
    let lie = with(&descriptor("puppet"), json!({ "permissions": [] })).to_string();
    let workshop = Workshop::new(&with_section(&puppet(&descriptor("puppet")), &lie));
    let refused = error(&workshop.run(&["check", "puppet.wasm"]));
    assert!(refused.contains("DESCRIPTOR_INVALID: its section stoa:descriptor is not what"), "{refused}");
    let refused = error(&workshop.push(&host, &[]));
    assert!(refused.contains("DIGEST_MISMATCH"), "{refused}");
}

fn what_was_compiled_once_is_kept(_: Database) {
    let workshop = Workshop::new(&puppet(&descriptor("puppet")));
    let written = || {
        assert!(workshop.run(&["check", "puppet.wasm"]).status.success());
        let cache = workshop.folder.path().join("cache/stoa/modules");
        assert_eq!(mode(&cache), 0o700);
        let files = fs::read_dir(cache).expect("a folder").flatten();
        let times =
            files.map(|file| (file.file_name(), file.metadata().and_then(|file| file.modified()).expect("a time")));
        times.collect::<std::collections::BTreeMap<_, _>>()
    };
    let first = written();
    assert_eq!(first.len(), 4, "the key, the code, the description and the verdict: {first:?}");
    assert_eq!(written(), first, "nothing is written again");
    // A folder that others can enter is not used, and the remedy is in the log.
    let cache = workshop.folder.path().join("cache/stoa/modules");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o755)).expect("a mode");
    fs::write(workshop.folder.path().join("other.wasm"), puppet(&descriptor("other"))).expect("a file");
    assert!(workshop.run(&["check", "other.wasm"]).status.success());
    assert_eq!(workshop.count_compiled(), 1);
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

/// As in `stoa module inspect FILE | head -1`: more is printed than a pipe holds.
fn who_stops_reading_ends_a_verb(_: Database) {
    let mut command = Command::new("bash");
    command.args(["-c", r#""$0" module inspect "$1" --json | head -c 1 >&2; exit "${PIPESTATUS[0]}""#]);
    let catalog = modules::folder().join("catalog.wasm");
    command.arg(host::binary()).arg(catalog).env("STOA_MODULE_CACHE_DIR", host::compiled_modules());
    let output = command.output().expect("cannot run bash");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*said), (Some(141), "{"));
}

fn only_dev_forgets(database: Database) {
    let vendor = Vetter::new();
    let host = Stoa::start_with(database, vendor.settings(modules::empty_with(&[])));
    let console = host.console_with("alices-token");
    let forget = |name: &str| console.post(&format!("modules/{name}/forget"), json!({ "withData": true }));
    forget("puppet").refused(403, "PERMISSION_DENIED");
}

fn forget_frees_the_names_of_columns(database: Database) {
    let host = Stoa::start_with(database, Settings::default().modules(modules::none()));
    let console = host.console();
    let version = |version: &str, type_: &str| {
        let columns = json!([{ "name": "label", "type": type_ }]);
        let collection = json!({ "name": "thing", "kind": "record", "columns": columns });
        puppet(&with(&descriptor("puppet"), json!({ "version": version, "collections": [collection] })))
    };
    let forget = |body: Json| console.post("modules/puppet/forget", body);
    console.activate(&console.pushed(&version("1.0.0", "text")), json!({})).is(200);
    let other = console.pushed(&version("2.0.0", "integer"));
    forget(json!({ "withData": true })).refused(409, "MODULE_ACTIVE");
    console.post("modules/puppet/deactivate", json!({})).is(200);
    console.activate(&other, json!({})).refused(409, "SCHEMA_NOT_ADDITIVE");
    forget(json!({})).refused(400, "VALIDATION_FAILED");
    assert_eq!(forget(json!({ "withData": true })).is(200)["collections"], json!(["thing"]));
    forget(json!({ "withData": true })).refused(404, "NOT_FOUND");
    console.activate(&other, json!({})).is(200);
    let noted = host.rows("select 1 from stoa_operator_audit where operation = 'forgetModule' and result = 'SUCCESS'");
    assert_eq!(noted.len(), 1);
}
