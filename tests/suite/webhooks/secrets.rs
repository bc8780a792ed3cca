//! Signing secrets: delivered once, kept encrypted, changed with an overlap, and encrypted again under another key
//! while a host runs.

use serde_json::json;
use stoa_tests::{Database, Receiver, Stoa, company, eventually, on_both_databases, on_one_database};

use super::{MADE, URL, await_end, brand, endpoint, get, settings, shared_host, webhook};

on_both_databases![
    a_rotation_overlaps,
    keys_are_rotated_beside_a_host_that_runs,
    a_host_whose_own_key_does_not_fit_does_not_start,
];

// Checked before a request reaches the database, or independent of it.
on_one_database![a_secret_is_delivered_once_and_kept_encrypted];

fn a_secret_is_delivered_once_and_kept_encrypted(database: Database) {
    let shop = company(database);
    let key = uuid::Uuid::new_v4().to_string();
    let create = || shop.request("POST", "webhooks").key(&key).json(&webhook(URL, &[MADE])).send();
    let made = create().is(201);
    let secret = made.text("signingSecret");
    assert!(secret.starts_with("whsec_") && secret.len() == 49, "{secret}");
    create().refused(409, "CREDENTIAL_ALREADY_DELIVERED");
    assert_eq!(shop.get("webhooks").is(200).ids(), [made.id()]);
    for (table, column) in
        [("stoa_webhook_endpoint", "secret"), ("stoa_idempotency", "body"), ("stoa_audit", "metadata")]
    {
        let rows = shop.rows(&format!("select {column} from {table} where {{tenant}} and {column} is not null"));
        let text = rows.concat().concat();
        let in_hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert!(!text.contains(&secret) && !text.contains(&in_hex), "the secret is in {table}.{column}");
    }
    assert!(!shop.host.log().contains(&secret), "the secret is in the log");
}

fn a_rotation_overlaps(database: Database) {
    let receiver = Receiver::friendly();
    let host = shared_host(database);
    let shop = host.company();
    let (id, old) = endpoint(&shop, &receiver.url(), &[MADE]);
    let path = format!("webhooks/{id}/rotate-secret");
    let rotated = shop.post(&path, json!({})).is(201);
    let new = rotated.text("signingSecret");
    assert_ne!(old, new);
    shop.post(&path, json!({})).refused(409, "ILLEGAL_STATE");
    brand(&shop);
    await_end(&shop, &id, 1);
    let first = receiver.list_received().remove(0);
    assert!(first.is_signed("x-webhook-signature", &old), "the old secret signs still");
    assert!(first.is_signed("x-webhook-signature-next", &new), "the new one signs too");
    // A day later.
    let past = match database {
        Database::Sqlite => "previous_until = 1",
        Database::Postgres => "previous_until = '2020-01-01T00:00:00Z'",
    };
    shop.change(&format!("update stoa_webhook_endpoint set {past} where {{tenant}}"));
    brand(&shop);
    await_end(&shop, &id, 2);
    let second = receiver.list_received().pop().expect("a second");
    assert!(second.is_signed("x-webhook-signature", &new) && second.header("x-webhook-signature-next").is_empty());
    shop.post(&path, json!({})).is(201);
}

fn keys_are_rotated_beside_a_host_that_runs(database: Database) {
    let receiver = Receiver::friendly();
    let (old, new) = ("01".repeat(32), "02".repeat(32));
    let settings = settings().set("STOA_ENCRYPTION_KEY", format!("{old},{new}"));
    let host = Stoa::start_with(database, settings);
    let shop = host.company();
    let (id, secret) = endpoint(&shop, &receiver.url(), &[MADE]);
    let key_ids = || shop.rows("select key_id from stoa_webhook_endpoint where {tenant}").concat();
    let before = key_ids();
    let rotate = |keys: String| {
        let mut command = host.command();
        command
            .args(["keys", "rotate", "--json"])
            .env("STOA_ENCRYPTION_KEY", keys)
            .output()
            .expect("cannot run the binary")
    };
    let rotated = rotate(format!("{new},{old}"));
    assert!(rotated.status.success(), "{}", String::from_utf8_lossy(&rotated.stderr));
    let reported: serde_json::Value = serde_json::from_slice(&rotated.stdout).expect("JSON");
    assert_eq!(reported["rotated"], 1);
    assert_ne!(key_ids(), before, "under another key");
    assert_eq!(key_ids(), [reported["keyId"].as_str().unwrap_or_default()]);
    let nothing: serde_json::Value = serde_json::from_slice(&rotate(new.clone()).stdout).expect("JSON");
    assert_eq!(nothing["rotated"], 0);
    let without = rotate("03".repeat(32));
    assert!(!without.status.success() && String::from_utf8_lossy(&without.stderr).contains("lacks the key"));
    brand(&shop);
    await_end(&shop, &id, 1);
    let delivered = eventually(|| receiver.list_received().pop());
    assert!(delivered.is_signed("x-webhook-signature", &secret), "the host that runs reads it under either key");
    assert_eq!(get(&shop, &id)["version"], 1, "the endpoint is the same");
}

fn a_host_whose_own_key_does_not_fit_does_not_start(database: Database) {
    let host = Stoa::start_with(database, settings());
    let shop = host.company();
    let file = host.data_folder().join("encryption.key");
    let own_key = std::fs::read(&file).expect("the key of the host");
    let remove = || std::fs::remove_file(&file).expect("the key can be removed");
    // Nothing is encrypted yet: any key fits.
    remove();
    host.restart();
    std::fs::write(&file, &own_key).expect("the key can be written");
    host.restart();
    let (id, _) = endpoint(&shop, URL, &[MADE]);
    remove();
    let said = host.try_restart().expect_err("it starts with a key of its own making");
    for remedy in ["encryption.key", "--data-dir", "STOA_ENCRYPTION_KEY"] {
        assert!(said.contains(remedy), "{said}");
    }
    std::fs::write(&file, &own_key).expect("the key can be written");
    host.restart();
    assert_eq!(get(&shop, &id)["version"], 1);
}
