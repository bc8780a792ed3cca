//! A company's large writes leave SQLite's writer to other companies.

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, product, with};
use stoa_tests::{Company, Database, Stoa, on_one_database};

on_one_database![imports_pause_while_another_company_writes];

fn import(shop: &Company) {
    let article = |n: u32| with(&product(&format!("Many {n}")), json!({ "variants": [{ "sku": fresh("S-") }] }));
    let products: Vec<Json> = (0..400).map(article).collect();
    shop.post("catalog/imports", json!({ "products": products })).is(201);
}

fn imports_pause_while_another_company_writes(database: Database) {
    let host = Stoa::start(database);
    let (shop, other) = (host.company(), host.company());
    let count = || super::count(&host, "stoa_paced_writes_total", "");
    import(&shop);
    let before = count();
    shop.brand("SMALL");
    assert_eq!(count(), before, "small writes wait for nothing");
    other.brand("OTHER");
    import(&shop);
    assert_eq!(count(), before + 1);
    import(&other);
    assert_eq!(count(), before + 1, "the other company's first import waits for nothing");
}
