//! Generated clients compile and work: one generator of each language here, all of them by
//! `cargo xtask sdks`.

use stoa_tests::sdks::{SDKS, tour};
use stoa_tests::{Database, host, on_one_database, record};

on_one_database![generated_sdks_compile_and_work];

/// Those of the suite. `STOA_TEST_SDKS` asks for all, and for each to be there.
const USUAL: &[&str] = &["openapi-typescript", "openapi-python-client"];

fn generated_sdks_compile_and_work(database: Database) {
    let all = std::env::var_os("STOA_TEST_SDKS").is_some();
    let stoa = host::shared(database);
    let mut broken = Vec::new();
    for sdk in SDKS.iter().filter(|sdk| all || USUAL.contains(&sdk.name)) {
        let shop = stoa.company();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tour(sdk, &shop)));
        match outcome {
            Ok(Ok(took)) => {
                let seconds: Vec<String> = took.iter().map(|step| format!("{:.1}", step.as_secs_f64())).collect();
                println!("{}: works; seconds of its steps: {}", sdk.name, seconds.join(" "));
            }
            Ok(Err(why)) if all => broken.push(format!("{}: {why}", sdk.name)),
            Ok(Err(why)) => record::tell_not_run(&format!("evidence::sdks: {}", sdk.name), &why),
            // The fault has been printed.
            Err(_) => broken.push(sdk.name.to_owned()),
        }
    }
    assert!(broken.is_empty(), "{}", broken.join(", "));
}
