//! Whom a deployment trusts, and how far: what a partner's key may bring, what must be allowed by name, and what
//! becomes of a module whose signer is revoked while it runs.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use stoa_tests::company::with;
use stoa_tests::host::Settings;
use stoa_tests::operator::{Operator, signed_by};
use stoa_tests::puppet::{descriptor_of_partner as descriptor, puppet};
use stoa_tests::{Answer, Database, Stoa, eventually, modules, on_both_databases};

use super::vetter::{Vetter, sha256, trust_file};

on_both_databases![
    a_partner_brings_what_its_entry_names,
    what_guards_companies_is_given_up_by_name,
    a_deactivated_module_is_guarded_as_before,
    a_module_is_taken_out_and_its_data_stays,
    a_host_steps_off_what_is_not_trusted_any_more,
    a_revoked_signer_of_the_first_generation_stops_no_host,
    a_module_goes_with_the_one_that_it_needs,
    modules_of_a_revoked_signer_leave_together,
    two_modules_never_share_a_table,
];

/// A deployment that runs the vendor's changeling and trusts these partners besides.
fn deployment(database: Database, vendor: &Vetter, partners: &[String]) -> (Stoa, Operator) {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    vendor.sign(&folder.path().join("changeling.wasm"));
    let entries: Vec<String> = std::iter::once(vendor.entry("")).chain(partners.iter().cloned()).collect();
    let host = Stoa::start_with(database, Vetter::settings_with(&entries, folder));
    let console = host.console_with("alices-token");
    (host, console)
}

fn push(console: &Operator, by: &Vetter, bytes: &[u8]) -> Answer {
    console.push(&signed_by(by.key(), bytes))
}

/// The digest of what is let in.
#[track_caller]
fn push_good(console: &Operator, by: &Vetter, bytes: &[u8]) -> String {
    let answer = push(console, by, bytes);
    assert!(matches!(answer.status, 200 | 201), "{answer}");
    answer.text("digest")
}

/// The trouble of a host that does not run the active generation. One that was killed stays on the list for a while.
fn own_trouble(shown: &Json) -> Option<String> {
    let hosts = shown["hosts"].as_array()?;
    let this_host = hosts.iter().find(|host| host["id"] == shown["host"]["id"])?;
    this_host["trouble"].as_str().map(str::to_string)
}

fn codes(answer: &Answer) -> BTreeSet<String> {
    let changes = answer["changes"].as_array().into_iter().flatten();
    changes.filter_map(|change| change["code"].as_str().map(str::to_string)).collect()
}

fn a_partner_brings_what_its_entry_names(database: Database) {
    let (vendor, acme) = (Vetter::new(), Vetter::make("acme", "partner"));
    let idle = Vetter::make("idle", "partner");
    let entries = [acme.entry(":loyalty-*+keeper"), idle.entry("")];
    let (host, console) = deployment(database, &vendor, &entries);
    // The vendor's catalog of other bytes, by a partner.
    push(&console, &acme, &modules::changeling(6)).refused(403, "SIGNER_OUT_OF_REACH");
    // A service of another's name: a module that needs it would be given the partner's.
    let answer = push(&console, &acme, &modules::guest("keeper")).refused(403, "SIGNER_OUT_OF_REACH");
    assert!(answer.text("detail").contains("commerce:shelf/items"), "{answer}");
    // Without names in the entry a partner brings names that no module has.
    push(&console, &idle, &modules::changeling(6)).refused(403, "SIGNER_OUT_OF_REACH");
    let shown = console.shown();
    assert_eq!(shown["artifacts"].as_array().map(Vec::len), Some(1), "{shown}");

    let loyalty = push_good(&console, &acme, &puppet(&descriptor("loyalty-points")));
    console.activate(&loyalty, json!({})).is(200);
    let idle_module = push_good(&console, &idle, &puppet(&descriptor("idle")));
    console.activate(&idle_module, json!({})).is(200);
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
    let refused = host.rows("select 1 from stoa_operator_audit where result = 'SIGNER_OUT_OF_REACH'");
    assert_eq!(refused.len(), 3);
}

/// None of this breaks a caller, and each takes from companies what guarded them.
fn what_guards_companies_is_given_up_by_name(database: Database) {
    let (vendor, acme) = (Vetter::new(), Vetter::make("acme", "partner"));
    let entries = [acme.entry(":changeling+puppet+keeper+reader+shelf/items+names:items")];
    let (host, console) = deployment(database, &vendor, &entries);
    let breaking = |digest: &str, allow: &[&str]| {
        codes(&console.activate(digest, json!({ "allow": allow })).refused(409, "CONTRACT_BREAKING"))
    };
    let other = push_good(&console, &acme, &modules::changeling(6));
    assert_eq!(breaking(&other, &[]), BTreeSet::from(["SIGNER_CHANGED".to_string()]));
    console.activate(&other, json!({ "allow": ["SIGNER_CHANGED"] })).is(200);

    let columns = json!([{ "name": "label", "type": "text" }]);
    let unique = json!([{ "name": "label", "columns": ["label"] }]);
    let collection = json!({ "name": "thing", "kind": "record", "columns": columns, "unique": unique });
    let first = with(&descriptor("puppet"), json!({ "collections": [collection] }));
    console.activate(&push_good(&console, &acme, &puppet(&first)), json!({})).is(200);
    let mut looser = with(&first, json!({ "version": "1.1.0" }));
    looser["collections"][0]["unique"] = json!([]);
    looser["routes"][0]["access"] = json!({ "any": [] });
    let looser = push_good(&console, &acme, &puppet(&looser));
    let both = ["CONSTRAINT_DROPPED", "ROUTE_ACCESS_WIDENED"];
    assert_eq!(breaking(&looser, &[]), both.map(str::to_string).into());
    assert_eq!(breaking(&looser, &both[..1]), BTreeSet::from([both[1].to_string()]));
    console.activate(&looser, json!({ "allow": both })).is(200);

    // A new module asks for its imports from others.
    console.activate(&push_good(&console, &acme, &modules::guest("keeper")), json!({})).is(200);
    let reader = push_good(&console, &acme, &modules::guest("reader"));
    assert_eq!(breaking(&reader, &[]), BTreeSet::from(["SERVICE_WANTED".to_string()]));
    console.activate(&reader, json!({ "allow": ["SERVICE_WANTED"] })).is(200);

    // A module that others need stays.
    let take_out = |name: &str| console.post(&format!("modules/{name}/deactivate"), json!({}));
    let answer = take_out("keeper").refused(409, "SERVICE_UNRESOLVED");
    assert!(answer.text("detail").contains("reader"), "{answer}");
    take_out("reader").is(200);
    assert_eq!(take_out("keeper").is(200)["modules"][0]["name"], "keeper");
    take_out("keeper").refused(404, "NOT_FOUND");
    assert_eq!(console.version("keeper"), None);
    let audited =
        host.rows("select actor, result from stoa_operator_audit where operation = 'deactivateModule' order by id");
    let results: Vec<&str> = audited.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(results, ["SERVICE_UNRESOLVED", "SUCCESS", "SUCCESS", "NOT_FOUND"]);
    assert!(audited.iter().all(|row| row[0] == "alice"), "{audited:?}");
}

/// A deactivation, and then an activation, does not get around what an operator must allow by name.
fn a_deactivated_module_is_guarded_as_before(database: Database) {
    let (vendor, acme) = (Vetter::new(), Vetter::make("acme", "partner"));
    let idle = Vetter::make("idle", "partner");
    let (_host, console) = deployment(database, &vendor, &[acme.entry(":changeling"), idle.entry("")]);
    let columns = json!([{ "name": "label", "type": "text" }]);
    let unique = json!([{ "name": "label", "columns": ["label"] }]);
    let collection = json!({ "name": "thing", "kind": "record", "columns": columns, "unique": unique });
    let strict = with(&descriptor("puppet"), json!({ "collections": [collection] }));
    let mut looser = with(&strict, json!({ "version": "1.1.0" }));
    looser["collections"][0]["unique"] = json!([]);
    let strict = push_good(&console, &vendor, &puppet(&strict));
    console.activate(&strict, json!({})).is(200);
    for name in ["puppet", "changeling"] {
        console.post(&format!("modules/{name}/deactivate"), json!({})).is(200);
    }
    assert_eq!(console.shown()["modules"], json!([]));

    push(&console, &idle, &modules::changeling(2)).refused(403, "SIGNER_OUT_OF_REACH");
    let twin = push(&console, &acme, &modules::changeling(6)).is(201);
    let guarded = BTreeSet::from(["SIGNER_CHANGED".to_string()]);
    assert!(codes(&twin).is_superset(&guarded), "the push reports it: {twin}");
    let twin = twin.text("digest");
    assert_eq!(codes(&console.activate(&twin, json!({})).refused(409, "CONTRACT_BREAKING")), guarded);
    let looser = push_good(&console, &vendor, &puppet(&looser));
    let guarded = BTreeSet::from(["CONSTRAINT_DROPPED".to_string()]);
    assert_eq!(codes(&console.activate(&looser, json!({})).refused(409, "CONTRACT_BREAKING")), guarded);

    // The same module comes back with nothing allowed, and the others where they are allowed.
    console.activate(&strict, json!({})).is(200);
    console.activate(&twin, json!({ "allow": ["SIGNER_CHANGED"] })).is(200);
    console.activate(&looser, json!({ "allow": ["CONSTRAINT_DROPPED"] })).is(200);
    assert_eq!(console.version("puppet").as_deref(), Some("1.1.0"));
}

fn a_module_is_taken_out_and_its_data_stays(database: Database) {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    let host = Stoa::start_with(database, Settings::default().modules_in(folder));
    let (console, shop) = (host.console(), host.company());
    shop.post("changeling/items", json!({ "name": "kept" })).is(201);
    let digest = console.shown()["modules"][0]["digest"].as_str().expect("a digest").to_string();
    let address = format!("http://{}", host.private_address());
    let out = host
        .command()
        .args(["module", "deactivate", "changeling", "--operator-url", &address, "--operator-token", &console.token])
        .output()
        .expect("cannot run stoa");
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && said.contains("generation 2") && said.contains("ROUTE_REMOVED"), "{out:?}");
    host.forget_contract();
    shop.get("changeling").refused(404, "NOT_FOUND");
    let history = console.get("generations").is(200);
    let newest = &history.items()[0];
    assert_eq!((&newest["module"], &newest["modules"]), (&json!("changeling"), &json!([])), "{newest}");
    // Its rows waited for it.
    console.activate(&digest, json!({})).is(200);
    host.forget_contract();
    assert_eq!(shop.get("changeling").is(200)["items"], 1);
}

/// A key is revoked: the host leaves the partner's module while it runs, starts without it, and goes back for good
/// without a host.
fn a_host_steps_off_what_is_not_trusted_any_more(database: Database) {
    let (vendor, acme) = (Vetter::new(), Vetter::make("acme", "partner"));
    let (host, console) = deployment(database, &vendor, &[acme.entry(":changeling")]);
    let theirs = push_good(&console, &acme, &modules::changeling(6));
    console.activate(&theirs, json!({ "allow": ["SIGNER_CHANGED"] })).is(200);
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.2"));

    host.rewrite_file(&trust_file(&[vendor.entry("")]));
    host.hang_up();
    let wait_for_step = |console: &Operator| {
        eventually(|| {
            let shown = console.shown();
            let trouble = own_trouble(&shown).unwrap_or_default();
            let runs = &shown["host"]["generation"];
            (*runs == 1 && trouble.contains("SIGNER_UNTRUSTED")).then_some(shown)
        })
    };
    let shown = wait_for_step(&console);
    assert_eq!((&shown["generation"], &shown["modules"][0]["signer"]), (&json!(2), &json!("vetter")), "{shown}");
    push(&console, &acme, &modules::changeling(2)).refused(403, "SIGNER_UNTRUSTED");

    host.restart();
    let console = host.console_with("alices-token");
    wait_for_step(&console);
    assert!(host.log().contains("not wholly trusted"), "a start says so");

    // The command line trusts whom hosts trust.
    let verify = |trusted: Option<String>| {
        let mut command = host.command();
        command.args(["verify"]).envs(trusted.map(|trusted| ("STOA_TRUSTED_SIGNERS", trusted)));
        command.output().expect("cannot run stoa verify")
    };
    assert!(verify(None).status.success(), "it runs what the host runs");
    let reported = verify(Some(acme.entry(":nothing")));
    let said = String::from_utf8_lossy(&reported.stderr);
    assert!(!reported.status.success() && said.contains("SIGNER_"), "{said}");

    let back = host.command().args(["module", "rollback", "--offline", "--json"]).output().expect("cannot run stoa");
    let said = String::from_utf8_lossy(&back.stdout);
    assert!(back.status.success() && said.contains("\"generation\":3"), "{back:?}");
    eventually(|| {
        let shown = console.shown();
        (shown["host"]["generation"] == 3 && own_trouble(&shown).is_none()).then_some(())
    });
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
    assert_eq!(console.get("generations").is(200).items()[0]["activatedBy"], "system:offline");
}

/// A deployment whose first generation has the vendor's changeling and these modules of their signers.
fn first_generation(database: Database, vendor: &Vetter, acme: &str, files: &[(&str, &[u8], &Vetter)]) -> Stoa {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    vendor.sign(&folder.path().join("changeling.wasm"));
    for (name, bytes, by) in files {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).expect("cannot write a module");
        by.sign(&file);
    }
    Stoa::start_with(database, Vetter::settings_with(&[vendor.entry(""), acme.to_string()], folder))
}

fn names(shown: &Json) -> Vec<&str> {
    let modules = shown["modules"].as_array().into_iter().flatten();
    let mut names: Vec<&str> = modules.filter_map(|module| module["name"].as_str()).collect();
    names.sort_unstable();
    names
}

/// Waits until the host runs the changeling only, and reports that it does not run the active generation.
fn wait_for_the_rest(console: &Operator) {
    eventually(|| {
        let shown = console.shown();
        let reports = own_trouble(&shown).is_some_and(|trouble| trouble.contains("SIGNER_UNTRUSTED"));
        (reports && names(&shown) == ["changeling"]).then_some(())
    });
}

/// There is no earlier generation to go back to: the host runs what it trusts of this one.
fn a_revoked_signer_of_the_first_generation_stops_no_host(database: Database) {
    let (vendor, acme) = (Vetter::new(), Vetter::make("acme", "partner"));
    let loyalty = puppet(&descriptor("loyalty"));
    let host = first_generation(database, &vendor, &acme.entry(":loyalty"), &[("loyalty.wasm", &loyalty, &acme)]);
    let console = host.console_with("alices-token");
    assert_eq!(names(&console.shown()), ["changeling", "loyalty"]);

    host.rewrite_file(&trust_file(&[vendor.entry("")]));
    host.hang_up();
    wait_for_the_rest(&console);
    host.restart();
    let console = host.console_with("alices-token");
    wait_for_the_rest(&console);
    assert!(host.log().contains("runs the trusted modules only"), "{}", host.log());
    assert_eq!(console.shown()["generation"], 1, "one host takes nothing from the others");

    // An operator takes the module out, for all hosts.
    console.post("modules/loyalty/deactivate", json!({})).is(200);
    eventually(|| {
        let shown = console.shown();
        (shown["host"]["generation"] == 2 && own_trouble(&shown).is_none()).then_some(())
    });
    assert_eq!(names(&console.shown()), ["changeling"]);
}

/// The reader is the vendor's, and needs a service of the keeper, which is not trusted any more.
fn a_module_goes_with_the_one_that_it_needs(database: Database) {
    let (vendor, acme) = (Vetter::new(), Vetter::make("acme", "partner"));
    let (keeper, reader) = (modules::guest("keeper"), modules::guest("reader"));
    let files: [(&str, &[u8], &Vetter); 2] = [("keeper.wasm", &keeper, &acme), ("reader.wasm", &reader, &vendor)];
    let entry = acme.entry(":keeper+shelf/items");
    let host = first_generation(database, &vendor, &entry, &files);
    let console = host.console_with("alices-token");
    assert_eq!(names(&console.shown()), ["changeling", "keeper", "reader"]);

    host.rewrite_file(&trust_file(&[vendor.entry("")]));
    host.hang_up();
    wait_for_the_rest(&console);
    // Both come back with the trust.
    host.rewrite_file(&trust_file(&[vendor.entry(""), entry]));
    host.hang_up();
    eventually(|| {
        let shown = console.shown();
        (shown["host"]["generation"] == 1 && own_trouble(&shown).is_none()).then_some(())
    });
    assert_eq!(names(&console.shown()), ["changeling", "keeper", "reader"]);
}

/// Without one of them the other cannot run either: the reader for want of the keeper, the keeper for want of trust.
fn modules_of_a_revoked_signer_leave_together(database: Database) {
    let (vendor, acme) = (Vetter::new(), Vetter::make("acme", "partner"));
    let (keeper, reader) = (modules::guest("keeper"), modules::guest("reader"));
    let files: [(&str, &[u8], &Vetter); 2] = [("keeper.wasm", &keeper, &acme), ("reader.wasm", &reader, &acme)];
    let entry = acme.entry(":keeper+reader+shelf/items+names:items");
    let host = first_generation(database, &vendor, &entry, &files);
    let console = host.console_with("alices-token");
    host.rewrite_file(&trust_file(&[vendor.entry("")]));
    host.hang_up();
    wait_for_the_rest(&console);

    console.post("modules/keeper/deactivate", json!({})).refused(403, "SIGNER_UNTRUSTED");
    console.post("modules/reader/deactivate", json!({})).refused(403, "SIGNER_UNTRUSTED");
    console.post("modules/keeper/deactivate", json!({ "others": ["nobody"] })).refused(404, "NOT_FOUND");
    let address = format!("http://{}", host.private_address());
    let mut command = host.command();
    command.args(["module", "deactivate", "keeper", "reader", "--operator-url", &address, "--operator-token"]);
    let left = command.arg(&console.token).output().expect("cannot run stoa");
    let said = String::from_utf8_lossy(&left.stdout);
    assert!(left.status.success() && said.contains("generation 2"), "{left:?}");
    eventually(|| own_trouble(&console.shown()).is_none().then_some(()));
    assert_eq!(names(&console.shown()), ["changeling"]);
    assert_eq!(console.get("generations").is(200).items()[0]["module"], "keeper, reader");

    // Trusted again, they come back one by one.
    host.rewrite_file(&trust_file(&[vendor.entry(""), entry]));
    host.hang_up();
    let back = [(&keeper, json!({})), (&reader, json!({ "allow": ["SERVICE_WANTED"] }))];
    for (module, allowed) in back {
        // The host reads its settings in the background.
        let digest = sha256(module);
        eventually(|| (console.activate(&digest, allowed.clone()).status == 200).then_some(()));
    }
    assert_eq!(names(&console.shown()), ["changeling", "keeper", "reader"]);
}

/// `puppet-price` with a `list` and `puppet` with a `price_list` would: whichever was first keeps its own.
fn two_modules_never_share_a_table(database: Database) {
    let host = Stoa::start_with(database, Settings::default().modules(modules::none()));
    let console = host.console();
    let keeping = |name: &str, collection: &str| {
        let columns = json!([{ "name": "label", "type": "text" }]);
        let kept = json!({ "collections": [{ "name": collection, "kind": "record", "columns": columns }] });
        console.pushed(&puppet(&with(&descriptor(name), kept)))
    };
    let (first, second) = (keeping("puppet-price", "list"), keeping("puppet", "price_list"));
    console.activate(&first, json!({})).is(200);
    let refused = || {
        let answer = console.activate(&second, json!({})).refused(409, "TABLE_TAKEN");
        assert!(answer.text("detail").contains("puppet_price_list"), "{answer}");
    };
    refused();
    // Its rows stay its own while it is away.
    console.post("modules/puppet-price/deactivate", json!({})).is(200);
    refused();
    console.activate(&first, json!({})).is(200);
}
