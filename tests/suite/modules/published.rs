//! A module may answer only with a status, an event and a problem that its route publishes. `stoa module test` and a host
//! that rejects breaches reject others; a host that counts breaches goes on. Operators and authors read failures in the
//! module's journal.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Stdio};

use serde_json::{Value as Json, json};
use stoa_tests::folder::Folder;
use stoa_tests::host::{self, Settings};
use stoa_tests::{Company, Database, Stoa, eventually, modules, on_one_database};

use super::hostile;
use super::module_word::breaches;

// Checked before a request reaches the database, or independent of it.
on_one_database![
    what_a_route_does_not_publish_fails_the_request,
    general_codes_are_those_of_the_routes_kind,
    a_counting_host_counts_it_and_goes_on,
    module_test_refuses_what_a_route_does_not_publish,
    a_panic_shows_the_authors_frames_and_no_others,
    logs_follow_a_module,
    the_last_failures_have_request_and_operation,
    who_has_no_journal_is_unknown,
    nobody_holds_a_permission_that_is_not_there
];

/// Mode, what it breaks, the status of a host that goes on, and the words that name it.
const DRIFT: &[(&str, &str, u16, &str)] = &[
    ("reply-status-202", "status", 202, "commitAttack answered the status 202"),
    ("event-unlisted", "event", 201, "commitAttack emitted the event hostile.unlisted"),
    ("problem-unlisted", "problem", 409, "commitAttack answered the problem HOSTILE_UNLISTED"),
];

/// The one failure of this request in the module's journal.
#[track_caller]
fn failure_of(host: &Stoa, request: &str) -> Json {
    let page = host.console().get("modules/hostile/logs").is(200);
    let failures = page["failures"].as_array().expect("failures");
    let found: Vec<&Json> = failures.iter().filter(|failure| failure["request"] == *request).collect();
    let [failure] = found[..] else { panic!("{found:?}") };
    failure.clone()
}

/// Commits this attack, which fails; answers its failure.
#[track_caller]
fn fail(shop: &Company, mode: &str, text: &str) -> Json {
    let answer = hostile::commit(shop, mode, text).refused(500, "MODULE_FAILED");
    failure_of(&shop.host, answer.header("x-request-id").expect("an id"))
}

fn what_a_route_does_not_publish_fails_the_request(database: Database) {
    let shop = hostile::host(database).company();
    let before = shop.digest();
    for (mode, _, _, words) in DRIFT {
        let failure = fail(&shop, mode, "");
        assert!(failure["text"].as_str().is_some_and(|text| text.contains(words)), "{mode}: {failure}");
        assert_eq!(failure["kind"], "fault", "{mode}");
        assert_eq!(shop.digest(), before, "{mode} left something");
    }
    hostile::well(&shop);
}

/// A write that takes a body and no `If-Match`.
fn general_codes_are_those_of_the_routes_kind(database: Database) {
    let shop = hostile::host(database).company();
    for (code, status) in [("VALIDATION_FAILED", 400), ("NOT_FOUND", 404), ("LIMIT_EXCEEDED", 409)] {
        hostile::commit(&shop, "problem-code", code).refused(status, code);
    }
    for code in ["PRECONDITION_FAILED", "METHOD_NOT_ALLOWED", "IDEMPOTENCY_KEY_EXPIRED", "ILLEGAL_STATE"] {
        let failure = fail(&shop, "problem-code", code);
        let words = format!("commitAttack answered the problem {code}, which its route does not list");
        assert!(failure["text"].as_str().is_some_and(|text| text.contains(&words)), "{failure}");
    }
}

fn a_counting_host_counts_it_and_goes_on(database: Database) {
    let folder = modules::with(&[("hostile.wasm", &modules::guest("hostile"))]);
    let settings = Settings::default().modules_in(folder).set("STOA_CONTRACT_BREACHES", "count");
    let shop = Stoa::start_with(database, settings).company();
    for (mode, what, status, words) in DRIFT {
        for count in 1..=2 {
            let answer = shop.request("POST", &format!("hostile/{mode}")).unchecked().json(&json!({})).send();
            assert_eq!(answer.status, *status, "{mode}: {answer}");
            eventually(|| (breaches(&shop, what) == count).then_some(()));
        }
        // A thread of its own writes it.
        let log = eventually(|| Some(shop.host.log()).filter(|log| log.contains(words)));
        assert_eq!(log.matches(words).count(), 1, "{mode}: the log has it once");
    }
    hostile::well(&shop);
}

fn module_test_refuses_what_a_route_does_not_publish(_: Database) {
    let folder = Folder::new("published");
    let file = folder.path().join("hostile.wasm");
    fs::write(&file, modules::guest("hostile")).expect("a component");
    let steps: Vec<Json> = DRIFT
        .iter()
        .map(|(mode, _, status, _)| {
            json!({ "operation": "commitAttack", "path": { "mode": mode }, "body": {}, "expect": { "status": status } })
        })
        .collect();
    fs::create_dir(folder.path().join("fixtures")).expect("a folder");
    let fixture = folder.path().join("fixtures").join("drift.json");
    fs::write(fixture, json!({ "steps": steps }).to_string()).expect("a fixture");
    let mut command = host::program();
    command.args(["module", "test"]).arg(&file).arg("--fixtures").arg(folder.path().join("fixtures")).arg("--json");
    let output = command.output().expect("cannot run stoa");
    assert!(!output.status.success(), "no step holds");
    let reported: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let found = reported["fixtures"][0]["steps"].as_array().expect("steps");
    for ((mode, _, _, words), step) in DRIFT.iter().zip(found) {
        let named = step["differences"].as_array().into_iter().flatten().filter_map(Json::as_str);
        assert!(named.clone().any(|difference| difference.contains(words)), "{mode}: {step:#}");
    }
    assert_eq!(found.len(), DRIFT.len());
}

fn a_panic_shows_the_authors_frames_and_no_others(database: Database) {
    let shop = hostile::host(database).company();
    let failure = fail(&shop, "panic-with-words", "panicked at src/attacks.rs: as asked");
    let text = failure["text"].as_str().expect("a text");
    assert!(text.starts_with("panicked at src/attacks.rs: as asked ["), "{text}");
    let frames = text.split_once(" [").and_then(|(_, rest)| rest.split_once(']')).map_or("", |(frames, _)| frames);
    for frame in frames.split(" <- ") {
        assert!(frame.contains("stoa_guest_hostile::"), "{frame}: {text}");
    }
    for other in ["core::", "std::", "_ZN", "_R", "wasm function", "_cabi"] {
        assert!(!text.contains(other), "{other}: {text}");
    }
    // Another line of another request is not a message of this panic.
    let failure = fail(&shop, "wild-read", "");
    assert!(!failure["text"].as_str().expect("a text").contains("as asked"), "{failure}");
}

/// `stoa module logs` with these words, as it runs next to the host.
struct Logs(Child);

impl Logs {
    fn start(host: &Stoa, words: &[&str]) -> (Logs, BufReader<ChildStdout>) {
        let mut command = host::program();
        command.args(["module", "logs", "hostile"]).args(words);
        command.env("STOA_OPERATOR_URL", format!("http://{}", host.private_address()));
        command.env("STOA_OPERATOR_TOKEN", host.console().token).stdout(Stdio::piped());
        let mut child = command.spawn().expect("cannot run stoa");
        let printed = BufReader::new(child.stdout.take().expect("its output"));
        (Logs(child), printed)
    }
}

impl Drop for Logs {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn logs_follow_a_module(database: Database) {
    let shop = hostile::host(database).company();
    let text = format!("line {}", uuid::Uuid::new_v4().simple());
    let (_logs, mut printed) = Logs::start(&shop.host, &["--follow"]);
    let mut first = String::new();
    printed.read_line(&mut first).expect("a line");
    assert!(first.starts_with("module hostile on host "), "{first}");
    // It has begun: this line is written afterwards.
    let request = hostile::commit(&shop, "log-line", &text).is(201).header("x-request-id").expect("an id").to_owned();
    let found = printed.lines().map_while(Result::ok).find(|line| line.ends_with(&text)).expect("the line");
    for part in [" info ", "1.0.0", "commitAttack", &request] {
        assert!(found.contains(part), "{part}: {found}");
    }
    // The host's own log has the request as well.
    eventually(|| {
        let log = shop.host.log();
        log.lines().any(|line| line.contains(&text) && line.contains(&request)).then_some(())
    });
}

fn the_last_failures_have_request_and_operation(database: Database) {
    let shop = hostile::host(database).company();
    let text = format!("line {}", uuid::Uuid::new_v4().simple());
    let answer = hostile::commit(&shop, "panic-with-words", &text).refused(500, "MODULE_FAILED");
    let request = answer.header("x-request-id").expect("an id").to_owned();
    let (_logs, printed) = Logs::start(&shop.host, &["--failures"]);
    let printed: Vec<String> = printed.lines().map_while(Result::ok).collect();
    let found: Vec<&String> = printed.iter().filter(|line| line.contains(&text)).collect();
    let [failure] = found[..] else { panic!("the line of the log is none of its failures: {printed:?}") };
    for part in [" fault ", "1.0.0", "commitAttack", "stoa_guest_hostile::", &request] {
        assert!(failure.contains(part), "{part}: {failure}");
    }
}

fn who_has_no_journal_is_unknown(database: Database) {
    let host = hostile::host(database);
    host.console().get("modules/nobody/logs").refused(404, "NOT_FOUND");
    host.console().get("modules/hostile/logs?after=x").refused(400, "VALIDATION_FAILED");
    // A module that has written nothing has a journal too.
    let page = host.console().get("modules/pos/logs").is(200);
    assert_eq!((&page["lost"], page["host"].is_string()), (&json!(0), true));
}

/// An owner holds every permission of the catalog, and no other.
fn nobody_holds_a_permission_that_is_not_there(database: Database) {
    let shop = hostile::host(database).company();
    for (permission, holds) in [("hostile.run", true), ("catalog.read", true), ("nosuch.permission", false)] {
        let answer = hostile::commit(&shop, "holds", permission).is(201);
        assert_eq!(answer["done"], json!(holds), "{permission}");
    }
}
