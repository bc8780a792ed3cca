//! Services between modules are linked by version and types: a module that was built against the minor version before goes on
//! working, and what cannot be linked is refused by module, item and versions.

use std::process::Command;

use serde_json::{Value as Json, json};
use stoa_tests::host::{self, Settings};
use stoa_tests::modules::replace_name;
use stoa_tests::{Database, Stoa, modules, on_one_database};

// Checked before a request reaches the database, or independent of it.
on_one_database![
    minor_version_before_goes_on_working,
    a_trap_is_the_fault_of_the_module_it_happened_in,
    services_that_do_not_fit_are_refused_by_name,
    inspect_tells_what_is_offered_and_wanted
];

const OFFERED: &str = "commerce:shelf/items@1.1.0";
const WANTED: &str = "commerce:shelf/items@1.0.0";

fn minor_version_before_goes_on_working(database: Database) {
    let (keeper, reader) = (modules::guest("keeper"), modules::guest("reader"));
    // The reader was built without the function that 1.1.0 has more.
    assert!(contains(&reader, WANTED) && !contains(&reader, OFFERED) && contains(&keeper, OFFERED));
    let folder = modules::empty_with(&[("keeper.wasm", &keeper), ("reader.wasm", &reader)]);
    let host = Stoa::start_with(database, Settings::default().modules(folder.path()));
    assert_eq!(host.company().get("reader/items").is(200).body, json!({ "pear": 5 }));
}

fn services_that_do_not_fit_are_refused_by_name(database: Database) {
    let (keeper, reader) = (modules::guest("keeper"), modules::guest("reader"));
    let other_major = replace_name(&keeper, OFFERED, "commerce:shelf/items@2.0.0");
    let lower = replace_name(&keeper, OFFERED, "commerce:shelf/items@0.9.0");
    let newer = replace_name(&reader, WANTED, "commerce:shelf/items@1.2.0");
    let other_field = replace_name(&reader, "amount", "weight");
    let twin = replace_name(&keeper, "\"keeper\"", "\"second\"");
    let no_such = replace_name(&keeper, OFFERED, "commerce:shelf/thing@1.1.0");
    let (item, function) = (WANTED, "commerce:shelf/items@1.0.0#find");
    for (others, reader, words) in [
        (vec![], &reader, vec![item, "1.0.0 is wanted"]),
        (vec![("keeper.wasm", &no_such)], &reader, vec![item, "no module offers any version"]),
        (vec![("keeper.wasm", &other_major)], &reader, vec![item, "1.0.0 is wanted", "keeper", "offers 2.0.0"]),
        (vec![("keeper.wasm", &lower)], &reader, vec![item, "1.0.0 is wanted", "keeper", "offers 0.9.0"]),
        (vec![("keeper.wasm", &keeper)], &newer, vec!["items@1.2.0", "1.2.0 is wanted", "keeper", "offers 1.1.0"]),
        (
            vec![("keeper.wasm", &keeper)],
            &other_field,
            vec![
                function,
                "record { name: string, weight: u32 }",
                "keeper",
                "1.1.0",
                "record { name: string, amount: u32 }",
            ],
        ),
        (
            vec![("keeper.wasm", &keeper), ("second.wasm", &twin)],
            &reader,
            vec![item, "more than one module offers 1.1.0", "keeper", "second"],
        ),
    ] {
        let files: Vec<(&str, &[u8])> = others
            .iter()
            .map(|(name, bytes)| (*name, bytes.as_slice()))
            .chain([("reader.wasm", reader.as_slice())])
            .collect();
        let folder = modules::empty_with(&files);
        let Err(said) = Stoa::try_start(database, Settings::default().modules(folder.path())) else {
            panic!("the host started in spite of {words:?}");
        };
        for word in words.iter().chain(&["SERVICE_UNRESOLVED", "reader"]) {
            assert!(said.contains(word), "the refusal does not name {word:?}: {said}");
        }
    }
}

fn a_trap_is_the_fault_of_the_module_it_happened_in(database: Database) {
    let (keeper, reader) = (
        modules::guest("keeper"),
        replace_name(&modules::guest("reader"), "a plum as large as a pear", "what no shelf ever holds."),
    );
    let folder = modules::empty_with(&[("keeper.wasm", &keeper), ("reader.wasm", &reader)]);
    let host = Stoa::start_with(database, Settings::default().modules(folder.path()));
    host.company().get("reader/items").refused(500, "MODULE_FAILED");
    let shown = host.console().shown();
    let traps = |name: &str| {
        let modules = shown["modules"].as_array().expect("the modules");
        modules.iter().find(|module| module["name"] == name).map(|module| module["health"]["traps"].clone())
    };
    assert_eq!((traps("keeper"), traps("reader")), (Some(json!(1)), Some(json!(0))), "{shown}");
}

fn inspect_tells_what_is_offered_and_wanted(_: Database) {
    let (keeper, reader) = (modules::guest("keeper"), modules::guest("reader"));
    let folder =
        modules::empty_with(&[("keeper.wasm", &keeper), ("reader.wasm", &reader), ("broken.wasm", b"no component")]);
    let inspect = |file: &str, flags: &[&str]| {
        let mut command = Command::new(host::binary());
        // Neither a configuration nor a database is read.
        command.env_clear().current_dir(folder.path()).args(["module", "inspect", file]).args(flags);
        command.output().expect("stoa runs")
    };
    let reported = |file: &str, flags: &[&str]| {
        let output = inspect(file, flags);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let find = "func(names: list<string>) -> list<record { name: string, amount: u32 }>";
    let kept: Json = serde_json::from_str(&reported("keeper.wasm", &["--json"])).expect("JSON");
    assert_eq!(kept["offers"], json!({ OFFERED: { "count": "func() -> u32", "find": find } }));
    assert_eq!((&kept["wants"], &kept["size"]), (&json!({}), &json!(keeper.len())));
    assert_eq!(kept["descriptor"]["version"], "1.1.0");
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &keeper);
    let digest: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(kept["digest"], json!(digest));
    let read: Json = serde_json::from_str(&reported("reader.wasm", &["--json"])).expect("JSON");
    assert_eq!(read["wants"], json!({ WANTED: { "find": find } }));
    assert!(read["imports"].as_array().is_some_and(|imports| imports.contains(&json!(WANTED))), "{}", read["imports"]);
    let words = reported("reader.wasm", &[]);
    for line in [
        "reader 1.0.0",
        "  GET /tenants/{tenantId}/reader/items (readItems): users with reader.read",
        "  reader.read: Read.",
        &format!("  {WANTED}"),
        &format!("    find: {find}"),
    ] {
        assert!(words.lines().any(|reported| reported == line), "no line {line:?} in {words}");
    }
    for (file, word) in [("broken.wasm", "not a component"), ("missing.wasm", "cannot read missing.wasm")] {
        let output = inspect(file, &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(word), "{said}");
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
