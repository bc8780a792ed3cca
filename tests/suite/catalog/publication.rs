//! Publication: what may be published, and what takes a product off sale.

use serde_json::json;
use stoa_tests::company::{product, with, without};
use stoa_tests::{Database, company, on_both_databases};

on_both_databases![c05_published_needs_a_variant,];

on_both_databases![
    rules:
    publish_by_replacement,
    archiving_the_last_variant_unpublishes,
    archived_product_reads_as_it_was,
];

fn c05_published_needs_a_variant(database: Database) {
    let shop = company(database);
    let published = with(&product("Shown"), json!({ "publicationStatus": "PUBLISHED" }));
    let before = shop.digest();
    shop.post("catalog/products", published.clone()).refused(409, "ILLEGAL_STATE");
    shop.post("catalog/products", with(&published, json!({ "variants": [] }))).refused(409, "ILLEGAL_STATE");
    assert_eq!(shop.digest(), before);
    let made = shop.post("catalog/products", with(&published, json!({ "variants": [{ "sku": "S" }] }))).is(201);
    assert_eq!(made["publicationStatus"], "PUBLISHED");
}

fn publish_by_replacement(database: Database) {
    let shop = company(database);
    let id = shop.product("Later");
    let path = format!("catalog/products/{id}");
    let published = with(&product("Later"), json!({ "publicationStatus": "PUBLISHED" }));
    shop.put(&path, published.clone()).refused(409, "ILLEGAL_STATE");
    let variant = shop.variant(&id, "LATER");
    assert_eq!(shop.put(&path, published.clone()).is(200)["publicationStatus"], "PUBLISHED");
    assert_eq!(shop.put(&path, product("Later")).is(200)["publicationStatus"], "DRAFT");
    shop.archive(&format!("catalog/variants/{variant}")).is(200);
    shop.put(&path, published).refused(409, "ILLEGAL_STATE");
}

fn archiving_the_last_variant_unpublishes(database: Database) {
    let shop = company(database);
    let body = with(
        &product("Two"),
        json!({ "publicationStatus": "PUBLISHED", "variants": [{ "sku": "ONE" }, { "sku": "TWO" }] }),
    );
    let made = shop.post("catalog/products", body).is(201);
    let path = format!("catalog/products/{}", made.id());
    let variant = |n: usize| made["variants"][n]["id"].as_str().unwrap_or_default().to_string();
    shop.archive(&format!("catalog/variants/{}", variant(0))).is(200);
    assert_eq!(shop.get(&path).is(200)["publicationStatus"], "PUBLISHED");
    shop.archive(&format!("catalog/variants/{}", variant(1))).is(200);
    let read = shop.get(&path).is(200);
    assert_eq!((&read["publicationStatus"], &read["variantCount"]), (&json!("DRAFT"), &json!(0)), "{read}");
}

fn archived_product_reads_as_it_was(database: Database) {
    let shop = company(database);
    let body = with(&product("End"), json!({ "publicationStatus": "PUBLISHED", "variants": [{ "sku": "END" }] }));
    let id = shop.post("catalog/products", body).is(201).id();
    let path = format!("catalog/products/{id}");
    let archived = shop.archive(&path).is(200);
    assert_eq!(archived["status"], "ARCHIVED");
    assert_eq!(shop.get(&path).is(200).body, without(&without(&archived.body, "warnings"), "warningCount"));
}
