//! An invalid key costs the same look into the database whatever is wrong with it: the clock reveals to no caller which
//! keys there are. [P8]

use serde_json::json;
use stoa_tests::{Database, Machine, Stoa, on_both_databases};

on_both_databases![timed: p08_bad_keys_cost_one_look_each];

/// Requests of which the looks are counted together: the host's own, about two a second, are fewer. All of them stay
/// below what one address may try in a minute.
const ROUNDS: usize = 30;
/// Clients with keys that are never used, and keys of each in addition to its first; ten are usable at most.
const CLIENTS: usize = 3;
const UNUSED: usize = 8;

/// Transactions of the host so far, reads and writes.
fn count_transactions(host: &Stoa) -> u64 {
    let metrics = host.metrics();
    let counters = metrics.lines().filter(|line| line.starts_with("stoa_database_transactions_total{"));
    let counts = counters.map(|line| line.rsplit(' ').next().and_then(|count| count.parse::<u64>().ok()));
    counts.map(|count| count.unwrap_or_else(|| panic!("no count: {metrics}"))).sum()
}

fn p08_bad_keys_cost_one_look_each(database: Database) {
    // Its own: no transactions of others are counted.
    let host = Stoa::start(database);
    let shop = host.company();
    let machine = shop.machine(&["catalog.read"]);
    let revoked = shop.machine(&["catalog.read"]);
    let revoked: Vec<Machine> = (0..UNUSED).map(|_| shop.machine_for(&revoked.client)).collect();
    let suspended = shop.machine(&["catalog.read"]);
    let request = shop.request("PATCH", &format!("api-clients/{}/status", suspended.client));
    request.json(&json!({ "status": "SUSPENDED" })).send().is(200);
    let clients: Vec<Machine> = (0..CLIENTS).map(|_| shop.machine(&["catalog.read"])).collect();
    let of_client = |client: &Machine| (0..UNUSED).map(|_| shop.machine_for(&client.client)).collect::<Vec<_>>();
    let unused: Vec<Machine> = clients.iter().flat_map(of_client).collect();
    // The host keeps at hand what it has read of a key once.
    machine.get("context").is(200);
    suspended.get("context").refused(401, "UNAUTHENTICATED");
    for machine in &revoked {
        machine.get("context").is(200);
        shop.post(&format!("api-clients/{}/keys/{}/revoke", machine.client, machine.key_id), json!({})).is(201);
    }
    // Another secret each time: a key that was rejected a moment ago is rejected without a look, whatever is wrong with it.
    let forge = |key: &str, nth: usize| {
        let (head, secret) = key.split_at(42);
        let first = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[nth] as char;
        let other = if secret.starts_with(first) { '-' } else { first };
        format!("{head}{other}{}", &secret[1..])
    };
    let nobodys = || machine.key.replacen(&machine.key_id, &uuid::Uuid::now_v7().to_string(), 1);
    let wrong = [
        ("a key that does not exist", (0..ROUNDS).map(|_| nobodys()).collect()),
        ("another secret of a key at hand", (0..ROUNDS).map(|nth| forge(&machine.key, nth)).collect()),
        ("another secret of a key that was never used", unused.iter().map(|machine| forge(&machine.key, 0)).collect()),
        // One request of each: a revoked key that was rejected a moment ago is rejected without a look as well.
        ("revoked", revoked.into_iter().map(|machine| machine.key).collect()),
        ("of a suspended client", vec![suspended.key; ROUNDS]),
    ];
    for (name, keys) in wrong {
        let before = count_transactions(&host);
        for key in &keys {
            host.get_with("/v1/api-client/context", key).refused(401, "UNAUTHENTICATED");
        }
        let looks = count_transactions(&host) - before;
        let each = looks / keys.len() as u64;
        assert_eq!(each, 1, "{name}: {looks} looks for {} requests", keys.len());
    }
}
