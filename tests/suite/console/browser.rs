//! The console in a browser: its pages, a day of an owner, and the pages of operators.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value as Json;
use stoa_tests::company::fresh;
use stoa_tests::contract::Audience;
use stoa_tests::examples::{Example, Records};
use stoa_tests::{Database, Folder, Stoa, browser, host, modules, on_both_databases, on_one_database, record};

on_one_database![every_page_is_accessible_and_fits, an_operator_works_in_a_browser];
on_both_databases![an_owner_works_in_a_browser];

const PART: &str = "console::browser";

/// Runs a script, or says why this machine cannot.
fn run(script: &str, variables: &[(&str, &str)]) {
    match browser::run(PART, script, variables) {
        Ok(pictures) => println!("pictures: {}", pictures.display()),
        Err(why) => {
            assert!(std::env::var_os("STOA_TEST_BROWSER").is_none(), "no browser: {why}");
            record::tell_not_run(&format!("{PART}: {script}"), &why);
        }
    }
}

/// A company with a record of nearly every kind: those that the examples of the contract name.
fn every_page_is_accessible_and_fits(database: Database) {
    let stoa = host::shared(database);
    let email = format!("{}@example.test", fresh("reader-"));
    let records = Records::new(stoa.company_of(&email));
    let contract = stoa.contract();
    for operation in contract.operations.iter().filter(|one| one.audience() == Audience::User && one.of_tenant()) {
        let Some(example) = Example::find(&contract, operation) else { continue };
        let stated = [Json::Object(example.path), Json::Object(example.query), example.body.unwrap_or_default()];
        // If two records exclude each other in one company, the first one is enough.
        let _ = catch_unwind(AssertUnwindSafe(|| records.prepare(&operation.id)));
        for value in stated {
            let _ = catch_unwind(AssertUnwindSafe(|| records.insert_ids(&value)));
        }
    }
    // A list leads to the form of its next record, whatever the company has.
    let is_list = |path: &str| contract.operations.iter().any(|one| one.method == "GET" && one.path == path);
    let forms = contract.operations.iter().filter(|one| {
        let is_plain = one.path_parameters() == ["tenantId"];
        one.method == "POST" && one.audience() == Audience::User && is_plain && is_list(&one.path)
    });
    let forms = forms.map(|one| one.id.as_str()).collect::<Vec<_>>().join(",");
    let variables = [("URL", stoa.url()), ("EMAIL", email), ("TENANT", records.shop.tenant.clone()), ("FORMS", forms)];
    run("pages.mjs", &variables.each_ref().map(|(name, value)| (*name, value.as_str())));
}

fn an_owner_works_in_a_browser(database: Database) {
    let name = match database {
        Database::Sqlite => "sqlite",
        Database::Postgres => "postgres",
    };
    run("console.mjs", &[("URL", &host::shared(database).url()), ("DATABASE", name)]);
}

/// A host of its own: a module is activated and rolled back.
fn an_operator_works_in_a_browser(database: Database) {
    let stoa = Stoa::start(database);
    let shop = stoa.company();
    let folder = Folder::new("operator-in-a-browser");
    let component = folder.path().join("loyalty.wasm");
    std::fs::copy(modules::example("loyalty"), &component).expect("cannot copy the component");
    let key = stoa.data_folder().join("dev-signer.key");
    let sign = stoa.command().args(["module", "sign", "--key"]).arg(&key).arg(&component).output();
    let sign = sign.expect("cannot run stoa");
    assert!(sign.status.success(), "`stoa module sign`: {}", String::from_utf8_lossy(&sign.stderr));
    let admission = String::from_utf8_lossy(&sign.stdout).trim().to_owned();
    let private = format!("http://{}", stoa.private_address());
    let variables = [
        ("URL", stoa.url()),
        ("PRIVATE_URL", private),
        ("TOKEN", shop.token.clone()),
        ("EMAIL", "owner@example.test".to_owned()),
        ("LOYALTY", component.display().to_string()),
        ("ADMISSION", admission),
    ];
    run("operator.mjs", &variables.each_ref().map(|(name, value)| (*name, value.as_str())));
}
