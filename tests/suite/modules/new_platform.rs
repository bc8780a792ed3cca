//! A deployment whose recorded modules were built for a platform that its new host no longer is: the modules folder, which came
//! with that host, takes their place, and they stay for the way back.

use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use stoa_tests::modules::replace_name;
use stoa_tests::operator::signed_by;
use stoa_tests::{Company, Database, Stoa, modules, on_both_databases};

use super::vetter::{Vetter, sha256};

on_both_databases![the_folder_takes_the_place_of_what_cannot_run];

const STORE: &str = "commerce:platform/store@0.1.0";
/// A name of the same length, and served by no host.
const OTHER_STORE: &str = "commerce:platform/store@0.0.9";

fn the_folder_takes_the_place_of_what_cannot_run(database: Database) {
    let vetter = Vetter::new();
    let built_for_it = modules::changeling(1);
    let folder = modules::empty_with(&[("changeling.wasm", &built_for_it)]);
    vetter.sign(&folder.path().join("changeling.wasm"));
    let host = Stoa::start_with(database, vetter.settings(folder));
    host.kill9();
    record_generation_2(&host, vetter.key(), &replace_name(&modules::changeling(6), STORE, OTHER_STORE));
    host.restart();

    let console = host.console_with("alices-token");
    let shown = console.shown();
    assert_eq!(shown["generation"], 3, "{shown}");
    assert_eq!(shown["modules"][0]["digest"], json!(sha256(&built_for_it)), "{shown}");
    let history = console.get("generations").is(200);
    let newest = &history.items()[0];
    assert_eq!(
        (&newest["reason"], &newest["activatedBy"]),
        (&json!("what was recorded cannot run here"), &json!("system:serve"))
    );
    assert!(host.log().contains("IMPORT_FORBIDDEN"), "the log says why");
    // A deployment that this host can run is left as it is.
    host.restart();
    assert_eq!(host.console_with("alices-token").shown()["generation"], 3);
}

/// Makes this component the active changeling, as a host of its platform would have recorded it.
fn record_generation_2(host: &Stoa, key: &Path, component: &[u8]) {
    let admission = BASE64_STANDARD.decode(signed_by(key, component).admission).expect("base64");
    let admission = String::from_utf8(admission).expect("a text").replace('\'', "''");
    let hex = |bytes: &[u8]| -> String {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        match host.database() {
            Database::Sqlite => format!("x'{digits}'"),
            Database::Postgres => format!("'\\x{digits}'"),
        }
    };
    let (digest, bytes) = (hex(&Sha256::digest(component)), hex(component));
    let nobody = Company {
        host: host.clone(),
        tenant: uuid::Uuid::nil().to_string(),
        token: String::new(),
        created: Vec::new(),
    };
    nobody.change(&format!(
        "insert into stoa_artifact (digest, name, version, signer, admission, bytes, pushed_at, pushed_by)
         select {digest}, name, version, signer, '{admission}', {bytes}, pushed_at, pushed_by from stoa_artifact"
    ));
    nobody.change(
        "insert into stoa_generation (number, cause, module, allowed, activated_at, activated_by)
         select 2, 'ACTIVATION', 'changeling', allowed, activated_at, 'alice' from stoa_generation",
    );
    nobody.change(&format!(
        "insert into stoa_generation_module (generation, module, digest) values (2, 'changeling', {digest})"
    ));
}
