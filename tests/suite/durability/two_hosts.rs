//! Two hosts on one PostgreSQL: limits hold over both, and a change through one is known to the other at once.

use serde_json::json;
use stoa_tests::{Company, Database, Stoa, at_once, in_one_window};

stoa_tests::tests![
    p15_the_limit_holds_over_both_hosts,
    the_use_of_a_month_is_that_of_both_hosts,
    the_other_host_knows_what_one_host_received,
];

fn pair() -> (Stoa, Stoa, Company) {
    let one = Stoa::start(Database::Postgres);
    let other = one.beside();
    let shop = one.company();
    shop.entitle();
    (one, other, shop)
}

fn p15_the_limit_holds_over_both_hosts() {
    let (one, other, shop) = pair();
    for limit in [1, 7, 60] {
        let members = json!({ "scopes": ["catalog.read"], "requestsPerMinute": limit, "monthlyQuota": 1000 });
        let answers = in_one_window(|| {
            let machine = shop.machine_of(members.clone());
            let hosts = [machine.on(&one), machine.on(&other)];
            let ask = |thread: usize| (0..8).map(|_| hosts[thread % 2].get("context")).collect::<Vec<_>>();
            at_once(32, ask).into_iter().flatten().collect()
        });
        // Both ask until nothing is left: the leased permits were used.
        assert_eq!(answers.iter().filter(|answer| answer.status == 200).count() as u64, limit);
    }
}

/// Permits that a host has in hand are not used by itself, and count as used for the others.
fn the_use_of_a_month_is_that_of_both_hosts() {
    let (one, other, shop) = pair();
    // Permits are leased two at a time.
    let members = json!({ "scopes": ["catalog.read"], "requestsPerMinute": 100, "monthlyQuota": 1000 });
    let answers = in_one_window(|| {
        let machine = shop.machine_of(members.clone());
        let (here, there) = (machine.on(&one), machine.on(&other));
        [&here, &there, &there, &there, &there, &there, &here].map(|host| host.get("context").is(200)).into()
    });
    let used = |nth: usize| &answers[nth]["monthlyQuota"]["used"];
    assert_eq!(used(0), 1);
    assert_eq!(used(1), 3, "one used here, one in hand here, one used there");
    // This one leases nothing now: the database reports what it knows of the other.
    assert_eq!(used(6), 8, "two used here, five used there, one in hand there");
}

fn the_other_host_knows_what_one_host_received() {
    let (one, other, shop) = pair();
    for round in 0..20 {
        let machine = shop.machine(&["catalog.read"]);
        let (here, there) = (machine.on(&one), machine.on(&other));
        here.get("context").is(200);
        there.get("context").is(200);
        match round % 3 {
            0 => {
                let path = format!("api-clients/{}/keys/{}/revoke", machine.client, machine.key_id);
                shop.post(&path, json!({})).is(201);
                there.get("context").refused(401, "UNAUTHENTICATED");
            }
            1 => {
                let path = format!("api-clients/{}/status", machine.client);
                shop.request("PATCH", &path).json(&json!({ "status": "SUSPENDED" })).send().is(200);
                there.get("context").refused(401, "UNAUTHENTICATED");
            }
            _ => {
                let path = format!("api-clients/{}/scopes", machine.client);
                shop.put(&path, json!({ "scopes": ["pricing.read"] })).is(200);
                there.get("context").refused(403, "SCOPE_DENIED");
            }
        }
    }
}
