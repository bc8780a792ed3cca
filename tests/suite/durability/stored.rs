//! The rows that are really stored: audit rows, events and keys of every write, read from the database and not from the host.

use serde_json::{Value as Json, json};
use stoa_tests::company::{price, product, with};
use stoa_tests::{Company, Database, company, on_both_databases};

on_both_databases![
    every_write_leaves_its_audit_row_and_events,
    a_refusal_leaves_nothing,
    a_replay_leaves_nothing,
    keys_are_stored_with_their_answer,
    onboarding_leaves_a_company_with_an_owner,
    audit_rows_cannot_be_changed,
    amounts_are_stored_exactly,
];

/// Audit rows (operation, resource type, resource id) since the last look.
fn audit(shop: &Company, since: &mut i64) -> Vec<[String; 3]> {
    let all = shop.rows("select operation, resource_type, resource_id from stoa_audit where {tenant} order by id");
    let new = all[*since as usize..].iter().map(|row| [row[0].clone(), row[1].clone(), row[2].clone()]).collect();
    *since = all.len() as i64;
    new
}

/// Events (kind, resource id) since the last look.
fn events(shop: &Company, since: &mut i64) -> Vec<[String; 2]> {
    let all = shop.rows("select kind, resource_id from stoa_event where {tenant} order by id");
    let mut new: Vec<[String; 2]> = all[*since as usize..].iter().map(|row| [row[0].clone(), row[1].clone()]).collect();
    *since = all.len() as i64;
    new.sort();
    new
}

fn every_write_leaves_its_audit_row_and_events(database: Database) {
    let shop = company(database);
    let (mut audited, mut emitted) = (0, 0);
    audit(&shop, &mut audited);
    events(&shop, &mut emitted);
    let mut expect = |operation: &str, kind: &str, id: &str, reported: &[(&str, &str)]| {
        let row = [operation.to_string(), kind.to_string(), id.to_string()];
        assert_eq!(audit(&shop, &mut audited), [row]);
        let mut reported: Vec<[String; 2]> =
            reported.iter().map(|(kind, id)| [kind.to_string(), id.to_string()]).collect();
        reported.sort();
        assert_eq!(events(&shop, &mut emitted), reported, "{operation}");
    };
    let brand = shop.brand("B");
    expect("createLookup", "CATALOG_LOOKUP", &brand, &[("catalog.lookup.created", &brand)]);
    let path = format!("catalog/lookups/brands/{brand}");
    shop.put(&path, json!({ "name": "N", "code": "B" })).is(200);
    expect("replaceLookup", "CATALOG_LOOKUP", &brand, &[("catalog.lookup.updated", &brand)]);
    shop.archive(&path).is(200);
    expect("archiveLookup", "CATALOG_LOOKUP", &brand, &[("catalog.lookup.archived", &brand)]);

    let members = json!({ "publicationStatus": "PUBLISHED", "variants": [{ "sku": "A" }, { "sku": "B" }] });
    let made = shop.post("catalog/products", with(&product("P"), members)).is(201);
    let id = made.id();
    let variant = |n: usize| made["variants"][n]["id"].as_str().unwrap_or_default().to_string();
    let (a, b) = (variant(0), variant(1));
    let reported =
        [("catalog.product.created", id.as_str()), ("catalog.variant.created", &a), ("catalog.variant.created", &b)];
    expect("createProduct", "CATALOG_PRODUCT", &id, &reported);
    let path = format!("catalog/products/{id}");
    let published = with(&product("P2"), json!({ "publicationStatus": "PUBLISHED" }));
    shop.put(&path, published).is(200);
    expect("replaceProduct", "CATALOG_PRODUCT", &id, &[("catalog.product.updated", &id)]);
    let c = shop.variant(&id, "C");
    expect("createVariant", "CATALOG_VARIANT", &c, &[("catalog.variant.created", &c)]);
    shop.put(&format!("catalog/variants/{c}"), json!({ "sku": "C", "color": "red" })).is(200);
    expect("replaceVariant", "CATALOG_VARIANT", &c, &[("catalog.variant.updated", &c)]);
    shop.archive(&format!("catalog/variants/{a}")).is(200);
    expect("archiveVariant", "CATALOG_VARIANT", &a, &[("catalog.variant.archived", &a)]);
    shop.archive(&format!("catalog/variants/{b}")).is(200);
    expect("archiveVariant", "CATALOG_VARIANT", &b, &[("catalog.variant.archived", &b)]);
    // The last active variant takes the product off sale: an event of its own.
    shop.archive(&format!("catalog/variants/{c}")).is(200);
    let reported = [("catalog.variant.archived", c.as_str()), ("catalog.product.updated", &id)];
    expect("archiveVariant", "CATALOG_VARIANT", &c, &reported);
    let d = shop.variant(&id, "D");
    expect("createVariant", "CATALOG_VARIANT", &d, &[("catalog.variant.created", &d)]);
    shop.archive(&path).is(200);
    let reported = [("catalog.product.archived", id.as_str()), ("catalog.variant.archived", &d)];
    expect("archiveProduct", "CATALOG_PRODUCT", &id, &reported);
    let gone = shop.product("Gone");
    expect("createProduct", "CATALOG_PRODUCT", &gone, &[("catalog.product.created", &gone)]);
    shop.delete(&format!("catalog/products/{gone}")).is(200);
    expect("deleteProduct", "CATALOG_PRODUCT", &gone, &[("catalog.product.deleted", &gone)]);

    let list = shop.price_list("L");
    expect("createPriceList", "PRICE_LIST", &list, &[("pricing.list.created", &list)]);
    let on_sale = shop.on_sale("S");
    audit(&shop, &mut audited);
    events(&shop, &mut emitted);
    let mut expect = |operation: &str, kind: &str, id: &str, reported: &str| {
        let row = [operation.to_string(), kind.to_string(), id.to_string()];
        assert_eq!(audit(&shop, &mut audited), [row]);
        assert_eq!(events(&shop, &mut emitted), [[reported.to_string(), id.to_string()]]);
    };
    let priced = shop.price(&list, &on_sale, None, None).is(201).id();
    expect("createPrice", "PRICE", &priced, "pricing.price.created");
    let path = format!("pricing/price-lists/{list}/prices/{priced}");
    shop.put(&path, price(&on_sale, "2", None, None)).is(200);
    expect("replacePrice", "PRICE", &priced, "pricing.price.updated");
    shop.archive(&path).is(200);
    expect("archivePrice", "PRICE", &priced, "pricing.price.archived");
    let path = format!("pricing/price-lists/{list}");
    shop.put(&path, json!({ "name": "N", "code": "L", "currencyCode": "EUR" })).is(200);
    expect("replacePriceList", "PRICE_LIST", &list, "pricing.list.updated");
    shop.archive(&path).is(200);
    expect("archivePriceList", "PRICE_LIST", &list, "pricing.list.archived");
    // An audit row names its request, its actor and its result.
    let rows = shop.rows("select actor_type, metadata, request_id from stoa_audit where {tenant}");
    for row in rows {
        let metadata: Json = serde_json::from_str(&row[1]).unwrap_or_default();
        assert_eq!(metadata["result"], "SUCCESS", "{row:?}");
        assert!(["USER", "SYSTEM"].contains(&row[0].as_str()) && row[2].len() == 36, "{row:?}");
    }
}

fn a_refusal_leaves_nothing(database: Database) {
    let shop = company(database);
    let (_, variant) = shop.article("TAKEN");
    let list = shop.price_list("L");
    shop.price(&list, &variant, None, None).is(201);
    let before = shop.digest();
    shop.post("catalog/products", json!({})).refused(400, "VALIDATION_FAILED").fault("/name", "REQUIRED");
    shop.post("catalog/products", with(&product("P"), json!({ "variants": [{ "sku": "NEW" }, { "sku": "TAKEN" }] })))
        .refused(409, "DUPLICATE")
        .at("/variants/1/sku");
    shop.price(&list, &variant, None, None).refused(409, "PRICE_PERIOD_OVERLAP");
    shop.put(&format!("catalog/products/{}", uuid::Uuid::now_v7()), product("P")).refused(404, "NOT_FOUND");
    shop.get("catalog/products?bogus=1").refused(400, "UNKNOWN_QUERY_PARAMETER");
    assert_eq!(shop.digest(), before);
}

fn a_replay_leaves_nothing(database: Database) {
    let shop = company(database);
    let key = uuid::Uuid::new_v4().to_string();
    let send = || shop.request("POST", "catalog/products").key(&key).json(&product("P")).send().is(201);
    send();
    let before = shop.digest();
    assert!(send().replayed());
    assert_eq!(shop.digest(), before);
}

fn keys_are_stored_with_their_answer(database: Database) {
    let shop = company(database);
    let count = || shop.count("stoa_idempotency", "status between 200 and 299 and body is not null");
    let before = count();
    shop.product("One");
    shop.product("Two");
    assert_eq!(count(), before + 2);
    assert_eq!(shop.count("stoa_idempotency", "status is null"), 0, "no claim without an answer stays behind");
}

fn onboarding_leaves_a_company_with_an_owner(database: Database) {
    let shop = company(database);
    let roles = shop.rows("select code, status from stoa_role where {tenant}");
    assert_eq!(roles, [["OWNER", "ACTIVE"]]);
    assert_eq!(shop.count("stoa_membership", "status = 'ACTIVE'"), 1);
    assert_eq!(shop.count("stoa_membership_role", "1 = 1"), 1);
    let written = shop.rows("select operation from stoa_audit where {tenant}");
    assert!(!written.is_empty(), "onboarding is audited");
}

/// Append-only is the database's word too, not only the host's.
fn audit_rows_cannot_be_changed(database: Database) {
    let shop = company(database);
    shop.product("P");
    for statement in
        ["update stoa_audit set operation = 'forged' where {tenant}", "delete from stoa_audit where {tenant}"]
    {
        let error = shop.try_write(statement).expect_err(statement);
        assert!(!error.is_empty());
    }
    assert_eq!(shop.count("stoa_audit", "operation = 'forged'"), 0);
}

fn amounts_are_stored_exactly(database: Database) {
    let shop = company(database);
    let list = shop.price_list("L");
    let variant = shop.on_sale("S");
    let path = format!("pricing/price-lists/{list}/prices");
    let id = shop.post(&path, price(&variant, "900719925474.099301", None, None)).is(201).id();
    let stored = shop.rows("select amount from pricing_price where {tenant}");
    let expected = match database {
        Database::Sqlite => "900719925474099301",
        Database::Postgres => "900719925474.099301",
    };
    assert_eq!(stored, [[expected]], "price {id}");
}
