//! Modules in languages other than Rust: the example in JavaScript, and the schema that its author writes a descriptor by.

use std::fs;
use std::path::Path;

use jsonschema::{Draft, Validator};
use serde_json::{Value as Json, json};
use stoa_tests::{host, javascript, modules, record};

// The process that compiles the example gives way to every other: next to the suite, its time runs out.
stoa_tests::tests![timed: the_example_in_javascript_is_a_module];
stoa_tests::tests![every_descriptor_meets_the_published_schema];

/// The output of `stoa module WORDS`, which succeeds.
fn module(words: &[&str]) -> Json {
    let output = host::program().arg("module").args(words).output().expect("cannot run stoa");
    let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "stoa module {words:?}: {printed}\n{said}");
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}\n{said}"))
}

fn schema() -> Validator {
    jsonschema::options().with_draft(Draft::Draft202012).build(&module(&["schema"])).expect("a schema")
}

fn faults(schema: &Validator, descriptor: &Json) -> Vec<String> {
    schema.iter_errors(descriptor).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn the_example_in_javascript_is_a_module() {
    let file = match javascript::component() {
        Ok(file) => file.display().to_string(),
        Err(why) => return record::tell_not_run("modules::other_languages", &why),
    };
    let checked = module(&["check", &file, "--json"]);
    assert_eq!((&checked["ok"], &checked["name"]), (&json!(true), &json!("gift")), "{checked:#}");
    let imports = checked["imports"].as_array().expect("imports");
    let foreign = |import: &&Json| !import.as_str().is_some_and(|name| name.starts_with("commerce:platform/"));
    assert!(!imports.is_empty() && !imports.iter().any(|import| foreign(&import)), "{checked:#}");

    let fixtures = javascript::source().join("fixtures").display().to_string();
    let tested = module(&["test", &file, "--fixtures", &fixtures, "--json"]);
    assert_eq!(tested["ok"], true, "{tested:#}");
    let steps = tested["fixtures"][0]["steps"].as_array().map_or(0, Vec::len);
    assert!(steps >= 8, "{tested:#}");

    let (schema, written) = (schema(), javascript::descriptor());
    assert_eq!(faults(&schema, &written), [""; 0]);
    for (pointer, wrong) in [
        ("/version", json!(1)),
        ("/routes/0/audience", json!("everybody")),
        ("/collections/0/columns/0/type", json!("money")),
        ("/events/0", json!({ "code": "gift.voucher.created", "description": "A voucher was created." })),
        ("/permissions/0", json!({ "code": "gift.read", "description": "Read.", "about": "" })),
    ] {
        let mut descriptor = written.clone();
        *descriptor.pointer_mut(pointer).expect("a member of the descriptor") = wrong;
        assert!(!faults(&schema, &descriptor).is_empty(), "{pointer}");
    }
}

fn every_descriptor_meets_the_published_schema() {
    let schema = schema();
    let mut files: Vec<_> = fs::read_dir(modules::folder())
        .expect("the modules")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "wasm"))
        .collect();
    assert!(files.len() >= 4, "{files:?}");
    files.extend(["template", "tiers", "credit-limit", "group-prices", "loyalty"].map(modules::example));
    for file in &files {
        let shown = module(&["inspect", &text(file), "--json"]);
        assert_eq!(faults(&schema, &shown["descriptor"]), [""; 0], "{}", file.display());
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
