//! `stoa module check` and `stoa module test`: what an author learns of a component without a host.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value as Json, json};
use stoa_tests::folder::Folder;
use stoa_tests::{eventually_within, host, modules};

stoa_tests::tests![
    the_fixtures_of_template_and_examples_hold,
    whatever_is_not_as_expected_is_reported,
    what_cannot_be_tested_is_refused,
    a_component_is_checked_as_a_host_would,
    what_would_change_is_reported,
    compiled_code_is_kept_where_the_caller_says,
    the_compiler_of_every_verb_has_limits,
];

/// The platform's modules.
const BUILT_IN: [&str; 8] = ["catalog", "pricing", "inventory", "procurement", "sales", "finance", "pos", "ledger"];

/// Runs `stoa module WORDS --json`: whether it succeeded, and what it printed.
fn module(words: &[&str]) -> (bool, Json) {
    let mut command = host::program();
    let output = command.arg("module").args(words).arg("--json").output().expect("cannot run stoa");
    let printed = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    let reported = serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}\n{said}"));
    (output.status.success(), reported)
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn built_in(name: &str) -> String {
    text(&modules::folder().join(format!("{name}.wasm")))
}

fn tiers() -> String {
    text(&modules::example("tiers"))
}

fn template() -> String {
    text(&modules::example("template"))
}

fn fixtures(module: &str) -> PathBuf {
    host::workspace().join("components").join(module).join("fixtures")
}

/// Every step of the fixtures, by its report.
fn steps(reported: &Json) -> Vec<&Json> {
    reported["fixtures"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|file| file["steps"].as_array().into_iter().flatten())
        .collect()
}

fn the_fixtures_of_template_and_examples_hold() {
    let catalog = built_in("catalog");
    let all = BUILT_IN.map(built_in);
    // Extensions take part in what several built-in modules do together.
    let with_all: Vec<&str> = all.iter().flat_map(|file| ["--with", file.as_str()]).collect();
    let extension =
        |name: &str| (text(&modules::example(name)), fixtures(&format!("examples/{name}")), with_all.clone());
    for (file, folder, with) in [
        (template(), fixtures("template"), vec![]),
        (tiers(), fixtures("examples/tiers"), vec!["--with", &catalog]),
        extension("credit-limit"),
        extension("group-prices"),
        extension("loyalty"),
    ] {
        let folder = text(&folder);
        let (ok, reported) = module(&[&["test", &file, "--fixtures", &folder], &with[..]].concat());
        assert!(ok && reported["ok"] == true, "{reported:#}");
        let asked: Vec<&Json> = steps(&reported).into_iter().filter(|step| !step["used"].is_null()).collect();
        assert!(asked.len() >= 5, "{reported:#}");
        for step in asked {
            for limit in ["guestMicros", "memoryBytes", "storeCalls", "rows", "outputBytes"] {
                let usage = &step["used"][limit];
                assert!(
                    usage["used"].as_u64() <= usage["limit"].as_u64() && usage["limit"].as_u64() > Some(0),
                    "{limit}: {step:#}"
                );
            }
            assert!(step["used"]["guestMicros"]["used"].as_u64() > Some(0), "{step:#}");
        }
    }
}

/// One fixture after another that expects what is not: each fails, and says where.
fn whatever_is_not_as_expected_is_reported() {
    let step = |expect: Json| json!({ "operation": "createTemplateEntry", "body": { "name": "A" }, "expect": expect });
    let read = json!({ "operation": "getTemplateEntry", "path": { "id": "$a/id" }, "expect": { "status": 200, "body": "$b" } });
    let mut saved = step(json!({ "status": 201 }));
    saved["save"] = json!("a");
    for (steps, reported) in [
        (json!([step(json!({ "status": 200 }))]), "status: expected 200, found 201"),
        (json!([step(json!({ "status": 201, "body": { "id": "$any" } }))]), "/tenantId: not expected"),
        (json!([step(json!({ "status": 201, "etag": "no" }))]), "etag: expected"),
        (json!([step(json!({ "status": 201, "events": [] }))]), "events: expected 0"),
        (json!([step(json!({ "status": 201, "events": ["template.entry.gone"] }))]), "events/0: expected"),
        (json!([saved, read]), "the answer: no step before saved `b`"),
    ] {
        let folder = Folder::new("fixtures");
        let fixture = json!({ "steps": steps });
        fs::write(folder.path().join("one.json"), fixture.to_string()).expect("a fixture");
        let (ok, found) = module(&["test", &template(), "--fixtures", &text(folder.path())]);
        assert!(!ok && found["ok"] == false, "{reported}: {found:#}");
        let differences: Vec<&str> =
            self::steps(&found).iter().filter_map(|step| step["differences"][0].as_str()).collect();
        assert!(differences.len() == 1 && differences[0].starts_with(reported), "{reported}: {differences:?}");
    }
}

fn what_cannot_be_tested_is_refused() {
    let folder = Folder::new("fixtures");
    let test = |arguments: &[&str]| {
        let mut command = host::program();
        command.args(["module", "test"]).args(arguments).arg("--fixtures").arg(folder.path());
        let output = command.output().expect("cannot run stoa");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(test(&[&template()]).contains("no fixture"));
    fs::write(folder.path().join("one.json"), r#"{ "steps": [], "stops": [] }"#).expect("a fixture");
    assert!(test(&[&template()]).contains("one.json is no fixture"));
    fs::write(folder.path().join("one.json"), r#"{ "steps": [{ "operation": "none", "expect": { "status": 200 } }] }"#)
        .expect("a fixture");
    assert!(test(&[&template()]).contains("no module has the operation none"));
    // It needs the catalog.
    assert!(test(&[&tiers()]).contains("commerce:catalog/articles"));
}

fn a_component_is_checked_as_a_host_would() {
    let (ok, reported) = module(&["check", &tiers()]);
    assert!(ok && reported["ok"] == true, "{reported:#}");
    assert_eq!((&reported["name"], &reported["foreignPermissions"]), (&json!("pricing"), &json!(["catalog.read"])));
    assert!(reported["wants"].get("commerce:catalog/articles@0.1.0").is_some(), "{reported:#}");
    // A partner's entry must grant names of other areas, and none of the template's, which are its own.
    let names = reported["foreignNames"].as_array().expect("names");
    assert!(names.contains(&json!("operation archivePriceList")), "{names:?}");
    let (ok, checked) = module(&["check", &template()]);
    assert!(ok && checked["foreignNames"] == json!([]), "{checked:#}");
    assert!(reported["offers"].get("commerce:pricing/prices@0.1.0").is_some(), "{reported:#}");

    let folder = Folder::new("forbidden");
    let file = folder.path().join("forbidden.wasm");
    let foreign = r#"(component (import "wasi:cli/environment@0.2.0" (instance)))"#;
    fs::write(&file, wat::parse_str(foreign).expect("a component")).expect("a file");
    let (ok, reported) = module(&["check", &text(&file)]);
    assert!(!ok && reported["code"] == "IMPORT_FORBIDDEN", "{reported:#}");
}

/// The example takes the built-in module's place without breaking anything; the way back breaks what it brought.
fn what_would_change_is_reported() {
    let pricing = built_in("pricing");
    let (ok, reported) = module(&["check", &tiers(), "--against", &pricing]);
    assert!(ok, "{reported:#}");
    let codes: Vec<(&str, &str)> = reported["changes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|change| (change["code"].as_str().unwrap_or_default(), change["item"].as_str().unwrap_or_default()))
        .collect();
    for expected in [
        ("ROUTE_ADDED", "setPriceTiers"),
        ("ROUTE_ADDED", "getPriceTiers"),
        ("COLLECTION_ADDED", "collection price_tier"),
    ] {
        assert!(codes.contains(&expected), "{expected:?}: {codes:?}");
    }
    let (ok, reported) = module(&["check", &pricing, "--against", &tiers()]);
    assert!(!ok && reported["faults"].to_string().contains("setPriceTiers"), "{reported:#}");
    let (ok, reported) = module(&["check", &tiers(), "--against", &built_in("catalog")]);
    assert!(!ok && reported["faults"].to_string().contains("takes no place"), "{reported:#}");
}

fn compiled_code_is_kept_where_the_caller_says() {
    let folder = Folder::new("compiled");
    let cache = folder.path().join("cache");
    let inspect = || {
        let mut command = host::program();
        command.env("STOA_MODULE_CACHE_DIR", &cache).args(["module", "inspect", &template(), "--json"]);
        let output = command.output().expect("cannot run stoa");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let files = fs::read_dir(&cache).expect("a folder").map(|entry| entry.expect("a file"));
        let files =
            files.map(|file| (file.file_name(), file.metadata().and_then(|meta| meta.modified()).expect("a time")));
        (output.stdout, files.collect::<std::collections::BTreeMap<_, _>>())
    };
    let first = inspect();
    assert_eq!(first.1.len(), 3, "the key, the code and the description: {:?}", first.1);
    assert_eq!(inspect(), first, "nothing is written again");
}

/// Limits and niceness of the compiler that this process started, while it runs.
fn find_compiler(parent: u32) -> Option<(String, String)> {
    let look = |folder: &Path| {
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        // `PID (NAME) STATE PARENT ...`: a name may contain anything.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let command = fs::read_to_string(folder.join("cmdline")).ok()?;
        let is_compiler = *fields.get(1)? == parent.to_string() && command.contains("compile-module");
        let limits = is_compiler.then(|| fs::read_to_string(folder.join("limits")).ok()).flatten()?;
        Some((limits, fields.get(16)?.to_string()))
    };
    fs::read_dir("/proc").ok()?.flatten().find_map(|entry| look(&entry.path()))
}

/// Verbs that look at a component of any author. Only Linux shows the limits of a process.
fn the_compiler_of_every_verb_has_limits() {
    if !Path::new("/proc/self/limits").exists() {
        return;
    }
    let folder = Folder::new("limits");
    // It takes seconds to compile.
    let (file, key) = (folder.path().join("pricing.wasm"), folder.path().join("key"));
    fs::copy(built_in("pricing"), &file).expect("a copy of the module");
    let made = host::program().args(["module", "keygen", "--name", "acme", "--out"]).arg(&key).output();
    assert!(made.is_ok_and(|made| made.status.success()));
    for verb in [vec!["check"], vec!["inspect"], vec!["sign", "--key", key.to_str().expect("a plain path")]] {
        let mut command = host::program();
        command.env("STOA_MODULE_CACHE_DIR", folder.path().join(verb[0])).arg("module").args(&verb).arg(&file);
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("cannot run stoa");
        let limits = eventually_within(Duration::from_secs(60), || {
            // The priority is the last that the compiler lowers.
            let found = find_compiler(running.id()).filter(|(_, nice)| nice == "10");
            let ended = running.try_wait().expect("its state");
            assert!(found.is_some() || ended.is_none(), "{verb:?} ended, and no compiler with limits was seen");
            found.map(|(limits, _)| limits)
        });
        for (name, limit) in [("Max cpu time", "120"), ("Max address space", "4294967296"), ("Max core file size", "0")]
        {
            let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            let numbers: Vec<&str> = line.split_whitespace().take(2).collect();
            assert_eq!(numbers, [limit, limit], "{verb:?}: {name}");
        }
        assert!(running.wait().expect("its end").success(), "{verb:?}");
    }
}
