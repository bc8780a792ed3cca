//! Large writes on SQLite that run on a snapshot before they have the one writer, while another company writes.

use std::thread;

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, product, with};
use stoa_tests::goods::inbound;
use stoa_tests::{Company, Database, Stoa, eventually, tests};
use uuid::Uuid;

use super::pace::beside_writes;
use super::{count, count_writes};

tests![
    a_draft_has_the_effect_of_one_run,
    a_draft_that_meets_a_taken_key_is_discarded,
    a_draft_of_a_company_that_was_written_meanwhile_is_discarded,
    a_write_that_needs_its_replies_runs_without_a_draft,
];

/// Lines of a large write.
const LINES: usize = 100;

fn start() -> (Stoa, Company, Company) {
    let host = Stoa::start(Database::Sqlite);
    let (shop, other) = (host.company(), host.company());
    (host, shop, other)
}

/// Drafts so far that ended so.
fn drafts(host: &Stoa, outcome: &str) -> u64 {
    count(host, "stoa_drafts_total{", outcome)
}

fn products(last_sku: &str) -> Json {
    let article = |sku: &str| with(&product("Draft"), json!({ "variants": [{ "sku": sku }] }));
    let mut products: Vec<Json> = (1..LINES).map(|_| article(&fresh("S-"))).collect();
    products.push(article(last_sku));
    json!({ "products": products })
}

fn a_draft_has_the_effect_of_one_run() {
    let (host, shop, other) = start();
    let mut sent = Vec::new();
    beside_writes(&other, || {
        let (key, body) = (Uuid::now_v7().to_string(), products(&fresh("S-")));
        let answer = shop.request("POST", "catalog/imports").key(&key).json(&body).send().is(201);
        sent.push((key, body, answer));
        drafts(&host, "kept") > 0
    });
    assert_eq!(drafts(&host, "kept"), 1);
    assert_eq!(shop.all("catalog/products", &[]).len(), sent.len() * LINES);
    assert_eq!(shop.all("audit", &[("resourceType", "CATALOG_IMPORT")]).len(), sent.len());
    let Some((key, body, answer)) = sent.pop() else { panic!("nothing was sent") };
    let again = shop.request("POST", "catalog/imports").key(&key).json(&body).send().is(201);
    assert!(again.replayed());
    assert_eq!(again.ids(), answer.ids());
    for id in answer.ids() {
        shop.get(&format!("catalog/products/{id}")).is(200);
    }
}

fn a_draft_that_meets_a_taken_key_is_discarded() {
    let (host, shop, other) = start();
    let taken = fresh("S-");
    shop.article(&taken);
    let before = shop.all("catalog/products", &[]).len();
    beside_writes(&other, || {
        let refused = shop.post("catalog/imports", products(&taken)).refused(409, "DUPLICATE");
        assert_eq!(refused.pointers(), ["/products/99/variants/0/sku"]);
        drafts(&host, "discarded") > 0
    });
    assert_eq!((drafts(&host, "discarded"), drafts(&host, "kept")), (1, 0));
    assert_eq!(shop.all("catalog/products", &[]).len(), before);
}

/// The brand has the writer before the import's transaction and after its draft: its id is newer than those of the draft.
fn a_draft_of_a_company_that_was_written_meanwhile_is_discarded() {
    let (host, shop, other) = start();
    // Admission takes a lease of the company's limits with its first write: none may wait for the writer below.
    shop.brand(&fresh("B-"));
    let is_discarded = || {
        // From now on, for a second, the import leaves time to this one, and has a draft.
        other.brand(&fresh("OTHER-"));
        let (held, writes) = (other.hold(""), count_writes(&host));
        thread::scope(|scope| {
            scope.spawn(|| shop.brand(&fresh("B-")));
            eventually(|| (count_writes(&host) > writes).then_some(()));
            scope.spawn(|| shop.post("catalog/imports", products(&fresh("S-"))).is(201));
            eventually(|| (count_writes(&host) > writes + 1).then_some(()));
            drop(held);
        });
        drafts(&host, "discarded") > 0
    };
    // The host writes too: where it was taken for one of the two, the next attempt is as good.
    assert!((0..20).any(|_| is_discarded()), "no draft was discarded");
}

fn a_write_that_needs_its_replies_runs_without_a_draft() {
    let (host, shop, other) = start();
    let (main, variant) = (shop.main(), shop.counted(0));
    let mut brought = 0;
    beside_writes(&other, || {
        let adjustments = vec![inbound(&variant, &main, "1", None); LINES];
        shop.post("inventory/adjustments/batch", json!({ "adjustments": adjustments })).is(201);
        brought += LINES;
        drafts(&host, "unforeseeable") > 0
    });
    assert_eq!(["unforeseeable", "discarded", "kept"].map(|outcome| drafts(&host, outcome)), [1, 0, 0]);
    assert_eq!(shop.figure(&variant, &main, "onHand"), format!("{brought}.000000"));
}
