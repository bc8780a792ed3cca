//! Rights to change the running modules and to let modules in: a token on the private listener, a signature on every module. A
//! rejected command changes nothing, and every word of an operator leaves a row behind.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use stoa_tests::host::{Settings, binary};
use stoa_tests::operator::signed_by;
use stoa_tests::proxy::Proxy;
use stoa_tests::{Database, Folder, Stoa, eventually_within, modules, on_both_databases, on_one_database, puppet};

use super::vetter::Vetter;

on_both_databases![
    a_module_comes_in_is_activated_and_goes,
    what_runs_belongs_to_the_database,
    not_even_the_database_brings_a_module_in,
    a_deployment_runs_what_its_signers_signed
];

// Checked before a request reaches the database, or independent of it.
on_one_database![
    only_operators_are_let_in,
    what_is_not_signed_is_refused_before_it_is_compiled,
    times_of_calls_bear_their_unit,
    hostile_modules_take_the_whole_road,
    what_other_modules_claim_is_theirs,
    a_push_may_be_answered_before_it_is_compiled,
    the_command_line_asks_until_a_push_is_done
];

/// A host with only the changeling: it starts at once.
fn host(database: Database) -> Stoa {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    Stoa::start_with(database, Settings::default().modules_in(folder))
}

fn only_operators_are_let_in(database: Database) {
    let host = host(database);
    let console = host.console();
    console.get("modules").is(200);
    for token in ["", "wrong", &console.token[1..], &host.token("someone@example.test")] {
        let mut stranger = console.clone();
        stranger.token = token.to_string();
        for (method, path) in [("GET", "modules"), ("POST", "modules"), ("GET", "generations"), ("GET", "nothing")] {
            stranger.send(method, path, &[], Vec::new()).refused(401, "UNAUTHENTICATED");
        }
        stranger.restore(1).refused(401, "UNAUTHENTICATED");
    }
    console.get("nothing").refused(404, "NOT_FOUND");
    console.get(&format!("modules/{}/diff", "0".repeat(64))).refused(404, "NOT_FOUND");
    console.get("modules/garbage/diff").refused(404, "NOT_FOUND");
    console.restore(7).refused(404, "NOT_FOUND");
    console.activate(&"0".repeat(64), json!({})).refused(404, "NOT_FOUND");
    console.activate(&"0".repeat(64), json!({ "unknown": 1 })).refused(400, "VALIDATION_FAILED");
    // They come later.
    console.post(&format!("modules/{}/rehearse", "0".repeat(64)), json!({ "requests": 1 })).refused(404, "NOT_FOUND");
    let reference = format!("oci://registry.example/pricing@sha256:{}", "0".repeat(64));
    console.post("modules", json!({ "reference": reference })).refused(403, "REGISTRY_FORBIDDEN");
    // And never on the public side.
    host.request("GET", "/operator/modules").token(&console.token).send().refused(404, "NOT_FOUND");
    let listed = console.shown();
    assert_eq!(listed["generation"], 1, "nothing of this changed anything: {listed}");
    let tokens = host.log().matches(&console.token).count();
    assert_eq!(tokens, 0, "the log holds the operator's token");
}

fn what_is_not_signed_is_refused_before_it_is_compiled(database: Database) {
    let host = host(database);
    let console = host.console();
    let module = modules::changeling(6);
    let good = host.signed(&module);
    let folder = Folder::new("stranger");
    let key = folder.path().join("stranger.key");
    let made = Command::new(binary()).args(["module", "keygen", "--name", "stranger", "--out"]).arg(&key).output();
    let made = made.expect("cannot run stoa");
    assert!(made.status.success(), "{made:?}");
    assert!(String::from_utf8_lossy(&made.stdout).starts_with("stranger:partner:"));

    let push = |bytes: &[u8], admission: Option<&str>| {
        let mut headers = vec![("content-type", "application/wasm")];
        headers.extend(admission.map(|admission| ("stoa-admission", admission)));
        console.send("POST", "modules", &headers, bytes.to_vec())
    };
    // Garbage: had it been compiled first, the answer would be that it is not a component.
    let garbage = b"\0asm garbage".to_vec();
    push(&garbage, None).refused(400, "SIGNATURE_MISSING");
    push(&garbage, Some("???")).refused(400, "SIGNATURE_MISSING");
    push(&garbage, Some(&good.admission)).refused(400, "DIGEST_MISMATCH");
    push(&module, None).refused(400, "SIGNATURE_MISSING");
    push(&module, Some(&signed_by(&key, &module).admission)).refused(403, "SIGNER_UNTRUSTED");
    let mut tampered = module.clone();
    tampered.push(0);
    push(&tampered, Some(&good.admission)).refused(400, "DIGEST_MISMATCH");
    push(&modules::changeling(2), Some(&good.admission)).refused(400, "DIGEST_MISMATCH");
    push(&vec![0; (64 << 20) + 1], Some(&good.admission)).refused(413, "MODULE_TOO_LARGE");
    let kinds = [("content-type", "application/octet-stream"), ("stoa-admission", good.admission.as_str())];
    console.send("POST", "modules", &kinds, module.clone()).refused(400, "VALIDATION_FAILED");

    let shown = console.shown();
    assert_eq!(shown["artifacts"].as_array().map(Vec::len), Some(1), "nothing came in: {shown}");
    console.push(&good).is(201);
    console.push(&good).is(200);
    let refused = host.rows("select result from stoa_operator_audit where result <> 'SUCCESS' order by id");
    assert_eq!(refused.len(), 9, "each refusal leaves a row: {refused:?}");
    assert_eq!(
        host.rows("select 1 from stoa_operator_audit where operation = 'pushModule' and result = 'SUCCESS'").len(),
        2
    );
}

fn a_module_comes_in_is_activated_and_goes(database: Database) {
    let host = host(database);
    let (console, shop) = (host.console(), host.company());
    let read = |version: &str| {
        host.forget_contract();
        let answer = shop.get("changeling").is(200);
        assert_eq!(answer["version"], version);
        answer["items"].as_u64().unwrap_or_default()
    };
    assert_eq!(read("1.0.0"), 0);
    shop.post("changeling/items", json!({ "name": "kept" })).is(201);
    let digest = console.pushed(&modules::changeling(2));
    // Pushing activates nothing.
    assert_eq!(read("1.0.0"), 1);
    shop.get("changeling/sizes").refused(404, "NOT_FOUND");

    let reported = console.get(&format!("modules/{digest}/diff")).is(200);
    assert_eq!(
        (&reported["name"], &reported["version"], &reported["breaking"]),
        (&json!("changeling"), &json!("1.1.0"), &json!(false))
    );
    assert_eq!(reported["against"]["version"], "1.0.0");
    let changes = reported["changes"].to_string();
    assert!(changes.contains("ROUTE_ADDED") && changes.contains("listChangelingSizes"), "{changes}");

    console.activate(&digest, json!({ "expectedGeneration": 7 })).refused(409, "GENERATION_CHANGED");
    console.activate(&digest, json!({ "allow": ["NO_SUCH_CODE"] })).refused(400, "VALIDATION_FAILED");
    let activated = console.activate(&digest, json!({ "expectedGeneration": 1 })).is(200);
    assert_eq!(activated["generation"], 2);
    assert_eq!(read("1.1.0"), 1);
    shop.get("changeling/sizes").is(200);
    // An active module is made active again by nothing.
    assert_eq!(console.activate(&digest, json!({})).is(200)["generation"], 2);

    assert_eq!(console.restore(1).is(200)["generation"], 3);
    assert_eq!(read("1.0.0"), 1);
    host.forget_contract();
    shop.get("changeling/sizes").refused(404, "NOT_FOUND");
    shop.post("changeling/items", json!({ "name": "after" })).is(201);

    let history = console.get("generations").is(200);
    let seen: Vec<_> =
        history.items().iter().map(|item| (item["cause"].clone(), item["modules"][0]["version"].clone())).collect();
    let expected = [("ROLLBACK", "1.0.0"), ("ACTIVATION", "1.1.0"), ("FIRST", "1.0.0")];
    assert_eq!(seen, expected.map(|(cause, version)| (json!(cause), json!(version))));
    assert_eq!(history.items()[0]["restores"], 1);
    assert_eq!(history.items()[0]["activatedBy"], "dev");
    assert_eq!(console.get("generations?before=3&limit=1").is(200).items()[0]["generation"], 2);
    let audited = host.rows("select operation from stoa_operator_audit where result = 'SUCCESS' order by id");
    let audited: Vec<&str> = audited.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(audited, ["activateModule", "pushModule", "activateModule", "activateGeneration"]);

    // A restart runs what the database says, with what it compiled before.
    assert_eq!(console.activate(&digest, json!({ "again": true })).is(200)["generation"], 4);
    let contract = host.get("/v1/openapi.json").is(200);
    assert_eq!(contract["info"]["x-stoa-generation"], 4);
}

fn times_of_calls_bear_their_unit(database: Database) {
    let host = host(database);
    host.company().get("changeling").is(200);
    let health = host.console().shown()["modules"][0]["health"].clone();
    let micros = |name: &str| health[name].as_u64().unwrap_or_else(|| panic!("no {name}: {health}"));
    assert!(micros("calls") >= 1 && micros("p50Us") >= 1 && micros("p50Us") <= micros("p99Us"), "{health}");
}

/// Attacks that are the module's own: none is answered as if nothing had been.
const ATTACKS: &[&str] = &[
    "loop",
    "loop-in-host",
    "loop-in-log",
    "loop-after-write",
    "allocate",
    "allocate-at-once",
    "recurse",
    "panic",
    "panic-after-write",
    "abort",
    "wild-read",
    "reply-garbage",
    "reply-empty",
    "reply-two",
    "reply-status-999",
    "reply-status-302",
    "reply-huge",
    "reply-9-mib",
    "reply-etag",
    "problem-unknown",
    "problem-foreign",
];

/// Signed, pushed, activated, caught at all that it does, and taken back: four failures at a time, which are an accident still.
fn hostile_modules_take_the_whole_road(database: Database) {
    let folder = modules::with(&[]);
    let host = Stoa::start_with(database, Settings::default().modules_in(folder));
    let (console, shop) = (host.console(), host.company());
    let ask =
        |mode: &str| shop.request("POST", &format!("hostile/{mode}")).json(&json!({ "text": "" })).unchecked().send();
    let digest = console.pushed(&modules::guest("hostile"));
    ask("behave").refused(404, "NOT_FOUND");
    for attacks in ATTACKS.chunks(4) {
        console.activate(&digest, json!({ "again": true })).is(200);
        ask("behave").is(201);
        for mode in attacks {
            let answer = ask(mode);
            let reported = (answer.status, answer["code"].as_str());
            let is_failure = [(500, Some("MODULE_FAILED")), (503, Some("MODULE_UNAVAILABLE"))].contains(&reported);
            assert!(is_failure, "{mode}: {answer}");
        }
        let shown = console.shown();
        let hostile = shown["modules"].as_array().into_iter().flatten().find(|module| module["name"] == "hostile");
        let health = &hostile.unwrap_or_else(|| panic!("no hostile module: {shown}"))["health"];
        let counted: u64 = ["timeouts", "traps", "limits"].iter().filter_map(|what| health[what].as_u64()).sum();
        assert_eq!(counted, attacks.len() as u64, "{attacks:?}: {health}");
        shop.get("catalog/products").is(200);
        console.restore(1).is(200);
        ask("behave").refused(404, "NOT_FOUND");
    }
    let causes = host.rows("select distinct cause from stoa_generation order by cause");
    assert_eq!(causes, [["ACTIVATION"], ["FIRST"], ["ROLLBACK"]]);
}

fn what_other_modules_claim_is_theirs(database: Database) {
    let folder = modules::with(&[("changeling.wasm", &modules::changeling(1))]);
    let host = Stoa::start_with(database, Settings::default().modules_in(folder));
    let console = host.console();
    let pushed = console.push(&host.signed(&modules::changeling(7))).is(201);
    let thief = pushed.text("digest");
    for reported in [&pushed, &console.get(&format!("modules/{thief}/diff")).is(200)] {
        assert_eq!(
            reported["conflicts"],
            json!(["changeling: permission `catalog.read` is claimed twice: `catalog` has it"]),
            "{reported}"
        );
        assert_eq!(reported["breaking"], true, "{reported}");
    }
    let address = format!("http://{}", host.private_address());
    let printed = host
        .command()
        .args(["module", "diff", &thief, "--operator-url", &address, "--operator-token", &console.token])
        .output()
        .expect("cannot run stoa");
    let said = String::from_utf8_lossy(&printed.stdout);
    assert!(printed.status.success() && said.contains("permission `catalog.read` is claimed twice"), "{printed:?}");
    let answer = console.activate(&thief, json!({})).refused(400, "DESCRIPTOR_INVALID");
    assert!(answer.text("detail").contains("catalog.read"), "{answer}");
    // The host's own operations, and paths that differ in the name of a parameter.
    for (path, operation, claimed) in [
        ("/tenants/{tenantId}/context", "listThings", "/tenants/{tenantId}/context"),
        ("/tenants/{tenantId}/puppet/things", "getTenantContext", "`getTenantContext` is the host's own"),
        ("/tenants/{tenantId}/catalog/lookups/{sort}/{id}/archive", "listThings", "lookups/{sort}/{id}/archive"),
    ] {
        let mut descriptor = puppet::descriptor("puppet");
        descriptor["routes"][0]["path"] = json!(path);
        descriptor["routes"][0]["operation"] = json!(operation);
        let pushed = console.push(&host.signed(&puppet::puppet(&descriptor)));
        assert!(pushed["conflicts"][0].as_str().is_some_and(|what| what.contains(claimed)), "{claimed}: {pushed}");
        console.activate(&pushed.text("digest"), json!({})).refused(400, "DESCRIPTOR_INVALID");
    }
    let pushed = console.push(&host.signed(&modules::changeling(8))).is(201);
    assert_eq!(pushed["conflicts"], json!([]), "its own names are no conflict: {pushed}");
    let poorer = pushed.text("digest");
    let answer = console.activate(&poorer, json!({})).refused(409, "CONTRACT_BREAKING");
    assert!(answer["changes"].to_string().contains("readChangeling"), "{answer}");
    assert_eq!(console.runs(), 1);
    console.activate(&poorer, json!({ "allow": ["ROUTE_REMOVED"] })).is(200);
    assert_eq!(console.version("changeling").as_deref(), Some("2.0.0"));
    assert_eq!(console.get("generations").is(200).items()[0]["allowed"], json!(["ROUTE_REMOVED"]));
}

/// An operator who asks for it (RFC 7240) learns that the module is being compiled, and reads the result later, once.
fn a_push_may_be_answered_before_it_is_compiled(database: Database) {
    let host = host(database);
    let console = host.console();
    let push = |descriptor: &Value| {
        let signed = host.signed(&puppet::puppet(descriptor));
        let headers = [
            ("content-type", "application/wasm"),
            ("stoa-admission", &signed.admission),
            ("prefer", "respond-async, wait=0"),
        ];
        let accepted = console.send("POST", "modules", &headers, signed.bytes.clone()).is(202);
        assert_eq!(accepted["status"], "COMPILING", "{accepted}");
        assert_eq!(accepted.header("preference-applied"), Some("respond-async"), "{accepted}");
        accepted.text("digest")
    };
    let result = |digest: &str| {
        // Other tests have their modules compiled meanwhile.
        eventually_within(Duration::from_secs(240), || {
            let answer = console.get(&format!("modules/{digest}"));
            (answer.status != 202).then_some(answer)
        })
    };
    let lawful = puppet::descriptor("puppet");
    let digest = push(&lawful);
    let pushed = result(&digest).is(201);
    assert_eq!((&pushed["name"], pushed.text("digest")), (&json!("puppet"), digest.clone()), "{pushed}");
    console.get(&format!("modules/{digest}")).refused(404, "NOT_FOUND");
    console.activate(&digest, json!({})).is(200);

    let mut unlawful = lawful;
    unlawful["routes"][0]["status"] = json!(404);
    result(&push(&unlawful)).refused(400, "DESCRIPTOR_INVALID");
    let refused = host.rows("select 1 from stoa_operator_audit where operation = 'pushModule' and result <> 'SUCCESS'");
    assert_eq!(refused.len(), 1);
}

/// On its way the command's wait becomes zero: each push is answered with 202.
fn the_command_line_asks_until_a_push_is_done(database: Database) {
    let host = host(database);
    let hurried = Proxy::replace_text(&host.private_address(), "respond-async", "respond-async, wait=0");
    let (folder, token) = (Folder::new("pushed"), host.console().token);
    let file = folder.path().join("puppet.wasm");
    let push = |descriptor: &Value| {
        std::fs::write(&file, puppet::puppet(descriptor)).expect("cannot write a module");
        let mut command = host.command();
        command.args(["module", "push", "--json", "--operator-url", hurried.url(), "--operator-token", &token]);
        command.arg("--key").arg(host.data_folder().join("dev-signer.key")).arg(&file);
        let output = command.output().expect("cannot run stoa");
        let complained = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(complained.contains("the host is compiling the module"), "{complained}");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned(), complained)
    };
    let lawful = puppet::descriptor("puppet");
    let (done, said, complained) = push(&lawful);
    assert!(done, "{complained}");
    let pushed: Value = serde_json::from_str(&said).expect("only the result");
    assert_eq!((&pushed["name"], &pushed["version"]), (&json!("puppet"), &json!("1.0.0")), "{pushed}");

    let mut unlawful = lawful;
    unlawful["routes"][0]["status"] = json!(404);
    let (done, _, complained) = push(&unlawful);
    assert!(!done && complained.contains("DESCRIPTOR_INVALID"), "{complained}");
}

/// Without `--dev` the modules folder counts once; an unsigned module is not even in the first generation.
fn what_runs_belongs_to_the_database(database: Database) {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    let host = Stoa::start_with(database, Settings::default().modules_in(folder));
    let console = host.console();
    let digest = console.pushed(&modules::changeling(6));
    console.activate(&digest, json!({})).is(200);
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.2"));
    // With --dev the folder goes on counting: a module that differs there is activated at the next start.
    host.restart();
    assert_eq!(host.console().version("changeling").as_deref(), Some("1.0.0"));
    assert_eq!(host.console().runs(), 3);
    host.restart();
    assert_eq!(host.console().runs(), 3, "what does not differ makes no generation");
}

/// An attacker that can write the artifact's row still has no key.
fn not_even_the_database_brings_a_module_in(database: Database) {
    let host = host(database);
    let console = host.console();
    let digest = console.pushed(&modules::changeling(6));
    let bytes = match database {
        Database::Sqlite => "x'00'",
        Database::Postgres => "'\\x00'",
    };
    host.company()
        .change(&format!("update stoa_artifact set bytes = {bytes} where name = 'changeling' and version = '1.0.2'"));
    let answer = console.activate(&digest, json!({}));
    assert_eq!(answer.status, 500, "{answer}");
    assert_eq!(console.runs(), 1);
}

/// Without `--dev`: not even the first generation is made of unsigned modules, and the folder has its say but once.
fn a_deployment_runs_what_its_signers_signed(database: Database) {
    let vetter = Vetter::new();
    let unsigned = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    let said = Stoa::try_start(database, vetter.settings(unsigned)).err().expect("no signer signed this module");
    assert!(said.contains("SIGNATURE_MISSING") && said.contains("changeling.wasm"), "{said}");

    let signed = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    vetter.sign(&signed.path().join("changeling.wasm"));
    let host = Stoa::start_with(database, vetter.settings(signed));
    let console = host.console_with("alices-token");
    let shown = console.shown();
    assert_eq!((&shown["modules"][0]["signer"], &shown["generation"]), (&json!("vetter"), &json!(1)), "{shown}");
    console.push(&signed_by(vetter.key(), &modules::changeling(6))).is(201);
    // The folder's present contents do not matter.
    host.replace_modules(&[("changeling.wasm", b"garbage")]);
    host.restart();
    let shown = host.console_with("alices-token").shown();
    assert_eq!(shown["generation"], 1, "{shown}");
    let pushed = host.rows("select actor from stoa_operator_audit where operation = 'pushModule'");
    assert_eq!(pushed, [["alice"]]);
}
