//! A key that is none costs the same time whatever is wrong with it: the clock tells nobody which keys there are. [P8]

use std::time::{Duration, Instant};

use serde_json::json;
use stoa_tests::{Database, company, on_both_databases};

on_both_databases![p08_bad_keys_take_the_same_time];

const ROUNDS: usize = 60;

fn p08_bad_keys_take_the_same_time(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read"]);
    let revoked = shop.machine(&["catalog.read"]);
    shop.post(&format!("api-clients/{}/keys/{}/revoke", revoked.client, revoked.key_id), json!({})).is(201);
    let suspended = shop.machine(&["catalog.read"]);
    let request = shop.request("PATCH", &format!("api-clients/{}/status", suspended.client));
    request.json(&json!({ "status": "SUSPENDED" })).send().is(200);
    let (first, last) = machine.key.split_at(machine.key.len() - 20);
    let wrong = [
        ("a key that nobody has", machine.key.replacen(&machine.key_id, &uuid::Uuid::now_v7().to_string(), 1)),
        ("wrong from the first letter of its secret", {
            let (head, secret) = machine.key.split_at(42);
            format!("{head}{}{}", if secret.starts_with('A') { 'B' } else { 'A' }, &secret[1..])
        }),
        ("wrong near its end", format!("{first}{}", last.chars().rev().collect::<String>())),
        ("revoked", revoked.key),
        ("of a suspended client", suspended.key),
    ];
    let mut times = vec![Vec::new(); wrong.len()];
    for _ in 0..ROUNDS {
        // In turn, so that whatever else the machine does weighs on all alike.
        for (times, (name, key)) in times.iter_mut().zip(&wrong) {
            let begin = Instant::now();
            let answer = shop.host.get_with("/v1/api-client/context", key);
            times.push(begin.elapsed());
            assert_eq!(answer.status, 401, "{name}: {answer}");
        }
    }
    let medians: Vec<Duration> = times
        .into_iter()
        .map(|mut times| {
            times.sort();
            times[ROUNDS / 2]
        })
        .collect();
    println!("{medians:?}");
    let (fastest, slowest) = (medians.iter().min().copied(), medians.iter().max().copied());
    let (fastest, slowest) = (fastest.unwrap_or_default(), slowest.unwrap_or_default());
    // A hash more or less is microseconds; a look into the database more or less would be seen.
    assert!(slowest < fastest * 3 + Duration::from_millis(1), "{medians:?} for {:?}", wrong.map(|(name, _)| name));
}
