//! The SDK for TypeScript builds from the served contract, passes its tests and does what its README says.

use std::net::TcpListener;

use stoa_tests::host::Settings;
use stoa_tests::{Database, Stoa, on_one_database, record, sdk_typescript};

on_one_database![the_sdk_does_what_its_readme_says];

fn the_sdk_does_what_its_readme_says(database: Database) {
    // A port that is free, since a host must have it before it starts.
    let receiver = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let settings = Settings::default().set("STOA_WEBHOOK_DEV_TARGETS", receiver);
    let shop = Stoa::start_with(database, settings).company();
    match sdk_typescript::tour(&shop, receiver.port()) {
        Ok(took) => {
            let seconds: Vec<String> = took.iter().map(|step| format!("{:.1}", step.as_secs_f64())).collect();
            println!("sdks/typescript: works; seconds of its steps: {}", seconds.join(" "));
        }
        // `cargo xtask sdks` and `--all` ask for it to be there.
        Err(why) if std::env::var_os("STOA_TEST_SDKS").is_some() => panic!("sdks/typescript: {why}"),
        Err(why) => record::tell_not_run("evidence::sdks: sdks/typescript", &why),
    }
}
