//! A module's answers are what its descriptor promised: a host that refuses breaches commits none, one that counts them answers
//! as before and reports to its operator where, never what.

use serde_json::json;
use stoa_tests::company::with;
use stoa_tests::host::Settings;
use stoa_tests::puppet::{descriptor, puppet, route};
use stoa_tests::{Company, Database, Stoa, eventually, modules, on_one_database};

use crate::modules::hostile;

// Checked before a request reaches the database, or independent of it.
on_one_database![
    a_breach_fails_the_request_and_nothing_else,
    a_breach_is_counted_and_the_request_goes_on,
    an_item_code_that_its_route_does_not_list_fails_the_request
];

/// Mode, what it breaks, and the place that is reported.
const BREACHES: &[(&str, &str, &str)] = &[
    ("event-of-another-shape", "event", "\"/x\" TYPE"),
    ("event-with-a-secret-member", "event", "\"\" NOT_ALLOWED"),
    ("event-about-another", "event", "resource type is not HOSTILE_NOTE"),
    ("reply-of-another-shape", "answer", "\"/done\" TYPE"),
    ("reply-with-a-member-less", "answer", "\"/done\" REQUIRED"),
];
/// Texts of the breaches where something else was promised.
const SECRETS: [&str; 2] = ["7070707", "leaked"];

fn assert_reported(host: &Stoa, place: &str) {
    // A thread of its own writes it.
    let log = eventually(|| {
        let log = host.log().replace('\\', "");
        log.contains(place).then_some(log)
    });
    for secret in SECRETS {
        assert!(!log.contains(secret), "the log shows {secret}: {log}");
    }
}

fn a_breach_fails_the_request_and_nothing_else(database: Database) {
    let shop = hostile::host(database).company();
    let before = shop.digest();
    for (mode, _, place) in BREACHES {
        hostile::commit(&shop, mode, "").refused(500, "MODULE_FAILED");
        assert_eq!(shop.digest(), before, "{mode} left something");
        assert_reported(&shop.host, place);
    }
    // Reads are judged alike; a fault of a read is reported as well.
    for mode in ["reply-of-another-shape", "reply-with-a-member-less", "reply-garbage"] {
        shop.get(&format!("hostile/{mode}")).refused(500, "MODULE_FAILED");
    }
    hostile::well(&shop);
}

fn a_breach_is_counted_and_the_request_goes_on(database: Database) {
    let folder = modules::with(&[("hostile.wasm", &modules::guest("hostile"))]);
    let settings = Settings::default().modules_in(folder).set("STOA_CONTRACT_BREACHES", "count");
    let shop = Stoa::start_with(database, settings).company();
    for (mode, what, place) in BREACHES {
        let before = breaches(&shop, what);
        let answer = shop.request("POST", &format!("hostile/{mode}")).unchecked().json(&json!({})).send();
        assert_eq!(answer.status, 201, "{mode}: {answer}");
        let counted = eventually(|| Some(breaches(&shop, what)).filter(|count| *count > before));
        assert_eq!(counted, before + 1, "{mode}");
        assert_reported(&shop.host, place);
    }
    assert_eq!(shop.count("stoa_event", "kind = 'hostile.noted'"), 3, "the events were kept");
    // A breach that no mode allows: a kind that no module declared.
    hostile::commit(&shop, "event-undeclared", "").refused(500, "MODULE_FAILED");
    hostile::well(&shop);
}

/// The puppet declares one code and answers the one in the path.
fn an_item_code_that_its_route_does_not_list_fails_the_request(database: Database) {
    let refusal = with(
        &route("puppet", "GET", "refusals/{code}", "readRefusal"),
        json!({
            "pathSchema": { "type": "object", "properties": { "code": { "type": "string" } } },
            "problems": ["ILLEGAL_STATE"],
            "itemCodes": ["PUPPET_FULL"],
        }),
    );
    let declared = json!([{ "code": "PUPPET_FULL", "description": "The puppet is full." }]);
    let whole = with(&descriptor("puppet"), json!({ "routes": [refusal], "itemCodes": declared }));
    let folder = modules::empty_with(&[("puppet.wasm", &puppet(&whole))]);
    let host = Stoa::start_with(database, Settings::default().modules(folder.path()));
    let shop = host.company();
    for shared_or_listed in ["PUPPET_FULL", "REPEATED", "DUPLICATE"] {
        shop.get(&format!("puppet/refusals/{shared_or_listed}")).refused(409, "ILLEGAL_STATE");
    }
    shop.get("puppet/refusals/PUPPET_EMPTY").refused(500, "MODULE_FAILED");
    assert_reported(&host, "readRefusal answered the item code PUPPET_EMPTY");
}

/// Breaches of the module that the host has counted.
pub fn breaches(shop: &Company, what: &str) -> u64 {
    let metrics = shop.host.metrics();
    let is_breach = |line: &&str| {
        line.starts_with("stoa_contract_breaches_total{")
            && line.contains("module=\"hostile\"")
            && line.contains(&format!("what=\"{what}\""))
    };
    metrics.lines().find(is_breach).and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or(0)
}
