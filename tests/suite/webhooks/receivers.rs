//! Examples for receivers: verifiers in four languages, run by the vectors and on a delivery of a host where the language is
//! there, and a receiver that verifies and prints.

#[path = "../../../docs/webhooks/verify.rs"]
#[rustfmt::skip]
mod verify;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};
use stoa_tests::{Database, Folder, Receiver, host, on_one_database, record};

use super::{MADE, await_end, brand, endpoint, settings, shared_host};

// Checked before a request reaches the database, or independent of it.
on_one_database![verifiers_know_a_delivery_from_a_forgery, a_listener_verifies_and_prints];

/// Languages, each with the command that runs its file over vectors. Rust's is compiled into this test.
const LANGUAGES: &[(&str, &[&str])] =
    &[("verify.js", &["node"]), ("verify.py", &["python3"]), ("verify.go", &["go", "run"])];

fn verifiers_know_a_delivery_from_a_forgery(database: Database) {
    let receiver = Receiver::friendly();
    let stoa = shared_host(database);
    let shop = stoa.company();
    let (id, secret) = endpoint(&shop, &receiver.url(), &[MADE]);
    brand(&shop);
    await_end(&shop, &id, 1);
    let sent = receiver.list_received().remove(0);
    let body = String::from_utf8(sent.body.clone()).expect("text");
    let one = |body: &str, valid: bool| {
        json!({
            "what": "a delivery of this host", "secret": secret, "timestamp": sent.header("x-webhook-timestamp"),
            "body": body, "signature": sent.header("x-webhook-signature"), "valid": valid,
        })
    };
    let place = Folder::new("verifiers");
    let delivered = place.path().join("delivered.json");
    let forged = body.replace(MADE, "catalog.lookup.updated");
    std::fs::write(&delivered, json!([one(&body, true), one(&forged, false)]).to_string()).expect("cannot write");
    let samples = host::workspace().join("docs/webhooks");
    for vectors in [samples.join("vectors.json"), delivered.clone()] {
        let vectors = std::fs::read_to_string(vectors).expect("cannot read");
        for one in serde_json::from_str::<Vec<Json>>(&vectors).expect("vectors") {
            let text = |name: &str| one[name].as_str().unwrap_or_else(|| panic!("no {name} in {one}"));
            let is_valid =
                verify::verify(text("secret"), text("timestamp"), text("body").as_bytes(), text("signature"));
            assert_eq!(Json::from(is_valid), one["valid"], "verify.rs: {}", one["what"]);
        }
    }
    for (file, command) in LANGUAGES {
        if Command::new(command[0]).arg("--version").output().is_err()
            && Command::new(command[0]).arg("version").output().is_err()
        {
            record::tell_not_run(&format!("the webhook verifier {file}"), &format!("there is no {}", command[0]));
            continue;
        }
        for vectors in [samples.join("vectors.json"), delivered.clone()] {
            // As a module of JavaScript, whatever folder it lies in.
            let name = file.replace(".js", ".mjs");
            std::fs::copy(samples.join(file), place.path().join(&name)).expect("cannot copy");
            let output = Command::new(command[0])
                .args(&command[1..])
                .arg(&name)
                .arg(&vectors)
                .current_dir(place.path())
                .output();
            let output = output.expect("the language runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && output.stdout == b"ok\n", "{file} of {}: {said}", vectors.display());
        }
    }
}

fn a_listener_verifies_and_prints(database: Database) {
    // A port that is free, since a host must have it before the secret is known.
    let address = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let settings = settings().set("STOA_WEBHOOK_DEV_TARGETS", address);
    let stoa = stoa_tests::Stoa::start_with(database, settings);
    let shop = stoa.company();
    let (id, secret) = endpoint(&shop, &format!("http://{address}/"), &[MADE]);
    let mut listener = Command::new(host::binary())
        .args(["webhook", "listen", "--listen", &address.to_string(), "--secret", &secret])
        .stdout(Stdio::piped())
        .spawn()
        .expect("cannot run the binary");
    let mut lines = BufReader::new(listener.stdout.take().expect("its output")).lines();
    let mut next = || lines.next().expect("a line").expect("a line");
    assert_eq!(next(), format!("listening on http://{address}"));
    let made = brand(&shop);
    let delivery = await_end(&shop, &id, 1).remove(0);
    assert_eq!(delivery["status"], "SUCCEEDED");
    assert_eq!(next(), format!("{} verified", delivery["eventId"].as_str().unwrap_or_default()));
    assert!(next().contains(&made));
    listener.kill().expect("the listener ends");
    let _ = listener.wait();
}
