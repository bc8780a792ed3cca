//! Well-formed bodies that break an operation's schema, by table: each is refused at its place, and no row changes.

use serde_json::{Value as Json, json};
use stoa_tests::company::{price, product};
use stoa_tests::{Company, Database, company, on_both_databases, on_one_database};

on_both_databases![prices];

// Checked before a request reaches the database, or independent of it.
on_one_database![products, variants, lookups, price_lists, onboarding, roots_that_are_no_objects];

/// A change of the valid body, and where the fault must be reported with which code (empty: any).
struct Bad(&'static str, Change, &'static str, &'static str);

enum Change {
    /// Puts a value at a pointer; the parent exists.
    Put(Json),
    Drop,
}
use Change::{Drop, Put};

fn apply(base: &Json, place: &str, change: &Change) -> Json {
    let mut body = base.clone();
    let (parent, name) = place.rsplit_once('/').unwrap_or_default();
    let parent = body.pointer_mut(parent).unwrap_or_else(|| panic!("no parent of {place}"));
    match (parent, change) {
        (Json::Object(members), Put(value)) => drop(members.insert(name.to_string(), value.clone())),
        (Json::Object(members), Drop) => drop(members.remove(name)),
        (Json::Array(items), Put(value)) => items[name.parse::<usize>().unwrap_or_default()] = value.clone(),
        (Json::Array(items), Drop) => drop(items.remove(name.parse().unwrap_or_default())),
        _ => panic!("{place} is in no container"),
    }
    body
}

/// Sends every bad body to every request of `to` (method and path), and compares all rows before and after.
fn refuse_all(shop: &Company, to: &[(&str, String)], base: &Json, table: &[Bad]) {
    let before = shop.digest();
    for (method, path) in to {
        for Bad(place, change, pointer, code) in table {
            let body = apply(base, place, change);
            let answer = shop.request(method, path).json(&body).send().refused(400, "VALIDATION_FAILED");
            match code.is_empty() {
                true => drop(answer.at(pointer)),
                false => drop(answer.fault(pointer, code)),
            }
        }
    }
    assert_eq!(shop.digest(), before, "bad input never changes a row");
    // The base itself is accepted: the table's refusals are due to their one change.
    let (method, path) = &to[0];
    let accepted = shop.request(method, path).json(base).send();
    assert!([200, 201].contains(&accepted.status), "{accepted}");
}

/// Values of a wrong type for a text.
fn not_text(place: &'static str, nullable: bool) -> Vec<Bad> {
    let mut values = vec![json!(0), json!(1.5), json!(true), json!([]), json!(["x"]), json!({}), json!({ "x": 1 })];
    if !nullable {
        values.push(Json::Null);
    }
    values.into_iter().map(|value| Bad(place, Put(value), place, "TYPE")).collect()
}

/// Texts that are not a uuid.
fn not_uuid(place: &'static str) -> Vec<Bad> {
    [
        "",
        "x",
        "0192f3a4-5b6c-7d8e-9f01",
        "0192f3a45b6c7d8e9f0123456789abcd",
        "{0192f3a4-5b6c-7d8e-9f01-23456789abcd}",
        " ",
    ]
    .into_iter()
    .map(|text| Bad(place, Put(json!(text)), place, ""))
    .collect()
}

fn products(database: Database) {
    let shop = company(database);
    let existing = shop.product("Existing");
    let mut table = vec![
        Bad("/name", Drop, "/name", "REQUIRED"),
        Bad("/productType", Drop, "/productType", "REQUIRED"),
        Bad("/unitOfMeasure", Drop, "/unitOfMeasure", "REQUIRED"),
        Bad("/name", Put(json!("")), "/name", "RANGE"),
        Bad("/name", Put(json!("x".repeat(201))), "/name", "RANGE"),
        Bad("/productType", Put(json!("good")), "/productType", "FORMAT"),
        Bad("/productType", Put(json!("")), "/productType", "FORMAT"),
        Bad("/unitOfMeasure", Put(json!("unit")), "/unitOfMeasure", "FORMAT"),
        Bad("/unitOfMeasure", Put(json!("A".repeat(17))), "/unitOfMeasure", ""),
        Bad("/publicationStatus", Put(json!("LIVE")), "/publicationStatus", "FORMAT"),
        Bad("/publicationStatus", Put(Json::Null), "/publicationStatus", ""),
        Bad("/variantMode", Put(json!("BOTH")), "/variantMode", "FORMAT"),
        Bad("/trackInventory", Put(json!("true")), "/trackInventory", "TYPE"),
        Bad("/trackInventory", Put(json!(1)), "/trackInventory", "TYPE"),
        Bad("/trackSerials", Put(Json::Null), "/trackSerials", "TYPE"),
        Bad("/description", Put(json!("x".repeat(10_001))), "/description", "RANGE"),
        Bad("/shortDescription", Put(json!("x".repeat(501))), "/shortDescription", "RANGE"),
        Bad("/slug", Put(json!("Not A Slug")), "/slug", "FORMAT"),
        Bad("/attributes", Put(json!([])), "/attributes", "TYPE"),
        Bad("/attributes", Put(json!("{}")), "/attributes", "TYPE"),
        Bad("/bogus", Put(json!(1)), "", "NOT_ALLOWED"),
        Bad("/Name", Put(json!("x")), "", "NOT_ALLOWED"),
        Bad("/name ", Put(json!("x")), "", "NOT_ALLOWED"),
        Bad("/__proto__", Put(json!({})), "", "NOT_ALLOWED"),
        Bad("/", Put(json!(1)), "", "NOT_ALLOWED"),
        Bad("/id", Put(json!(uuid::Uuid::now_v7())), "", "NOT_ALLOWED"),
        Bad("/tenantId", Put(json!(uuid::Uuid::now_v7())), "", "NOT_ALLOWED"),
        Bad("/status", Put(json!("ARCHIVED")), "", "NOT_ALLOWED"),
        Bad("/createdAt", Put(json!("2026-01-01T00:00:00Z")), "", "NOT_ALLOWED"),
    ];
    for place in ["/name", "/productType", "/unitOfMeasure"] {
        table.extend(not_text(place, false));
    }
    for place in
        ["/slug", "/description", "/shortDescription", "/variantMode", "/categoryId", "/brandId", "/manufacturerId"]
    {
        table.extend(not_text(place, true));
    }
    for place in ["/categoryId", "/brandId", "/manufacturerId"] {
        table.extend(not_uuid(place));
    }
    assert!(table.len() > 100, "{} bodies", table.len());
    let to = [("POST", "catalog/products".to_string()), ("PUT", format!("catalog/products/{existing}"))];
    refuse_all(&shop, &to, &product("Corpus"), &table);
}

fn variants(database: Database) {
    let shop = company(database);
    let path = format!("catalog/products/{}/variants", shop.product("P"));
    let mut table = vec![
        Bad("/sku", Drop, "/sku", "REQUIRED"),
        Bad("/sku", Put(json!("lower")), "/sku", "FORMAT"),
        Bad("/condition", Put(json!("BROKEN")), "/condition", "FORMAT"),
        Bad("/grade", Put(json!("D")), "/grade", "FORMAT"),
        Bad("/simType", Put(json!("SIM")), "/simType", "FORMAT"),
        Bad("/searchAliases", Put(json!("x")), "/searchAliases", "TYPE"),
        Bad("/searchAliases", Put(json!([1])), "/searchAliases/0", "TYPE"),
        Bad("/searchAliases", Put(json!([""])), "/searchAliases/0", "RANGE"),
        Bad("/searchAliases", Put(json!(vec!["x"; 17])), "/searchAliases", ""),
        Bad("/attributes", Put(json!(7)), "/attributes", "TYPE"),
        Bad("/bogus", Put(json!(1)), "", "NOT_ALLOWED"),
        Bad("/productId", Put(json!(uuid::Uuid::now_v7())), "", "NOT_ALLOWED"),
    ];
    table.extend(not_text("/sku", false));
    for place in ["/modelNumber", "/barcode", "/storage", "/color", "/condition", "/grade"] {
        table.extend(not_text(place, true));
    }
    refuse_all(&shop, &[("POST", path)], &json!({ "sku": "CORPUS" }), &table);
    // The same inside a product's create, with the pointer of its place.
    let before = shop.digest();
    for Bad(place, change, pointer, _) in &table {
        let mut body = product("Corpus");
        body["variants"] = json!([{ "sku": "FIRST" }, apply(&json!({ "sku": "SECOND" }), place, change)]);
        let answer = shop.post("catalog/products", body).refused(400, "VALIDATION_FAILED");
        answer.at(&format!("/variants/1{pointer}"));
    }
    assert_eq!(shop.digest(), before);
}

fn lookups(database: Database) {
    let shop = company(database);
    let mut table = vec![
        Bad("/name", Drop, "/name", "REQUIRED"),
        Bad("/code", Drop, "/code", "REQUIRED"),
        Bad("/name", Put(json!("x".repeat(201))), "/name", "RANGE"),
        Bad("/code", Put(json!("A".repeat(65))), "/code", ""),
        Bad("/bogus", Put(json!(1)), "", "NOT_ALLOWED"),
        Bad("/status", Put(json!("ARCHIVED")), "", "NOT_ALLOWED"),
    ];
    table.extend(not_text("/name", false));
    table.extend(not_text("/code", false));
    for kind in ["brands", "categories", "manufacturers", "units"] {
        let path = format!("catalog/lookups/{kind}");
        refuse_all(&shop, &[("POST", path)], &json!({ "name": "Corpus", "code": "CORPUS" }), &table);
    }
}

fn price_lists(database: Database) {
    let shop = company(database);
    let mut table = vec![
        Bad("/name", Drop, "/name", "REQUIRED"),
        Bad("/code", Drop, "/code", "REQUIRED"),
        Bad("/currencyCode", Drop, "/currencyCode", "REQUIRED"),
        Bad("/visibility", Put(json!("SECRET")), "/visibility", "FORMAT"),
        Bad("/description", Put(json!("x".repeat(2001))), "/description", "RANGE"),
        Bad("/bogus", Put(json!(1)), "", "NOT_ALLOWED"),
    ];
    for place in ["/name", "/code", "/currencyCode", "/visibility"] {
        table.extend(not_text(place, false));
    }
    table.extend(not_text("/description", true));
    let base = json!({ "name": "Corpus", "code": "CORPUS", "currencyCode": "EUR" });
    refuse_all(&shop, &[("POST", "pricing/price-lists".into())], &base, &table);
}

fn prices(database: Database) {
    let shop = company(database);
    let list = shop.price_list("CORPUS");
    let variant = shop.on_sale("CORPUS");
    let other = shop.on_sale("OTHER");
    let existing = shop.price(&list, &other, None, None).is(201).id();
    let mut table = vec![
        Bad("/variantId", Drop, "/variantId", "REQUIRED"),
        Bad("/currencyCode", Drop, "/currencyCode", "REQUIRED"),
        Bad("/amount", Drop, "/amount", "REQUIRED"),
        Bad("/bogus", Put(json!(1)), "", "NOT_ALLOWED"),
        Bad("/priceListId", Put(json!(list)), "", "NOT_ALLOWED"),
    ];
    for place in ["/variantId", "/currencyCode", "/amount"] {
        table.extend(not_text(place, false));
    }
    for place in ["/validFrom", "/validTo"] {
        table.extend(not_text(place, true));
    }
    table.extend(not_uuid("/variantId"));
    let path = format!("pricing/price-lists/{list}/prices");
    let to = [("POST", path.clone()), ("PUT", format!("{path}/{existing}"))];
    refuse_all(&shop, &to, &price(&variant, "1", None, None), &table);
}

fn onboarding(database: Database) {
    let shop = company(database);
    let base = stoa_tests::company::onboarding("Corpus");
    let before = shop.digest();
    let mut table = vec![
        Bad("/name", Drop, "/name", "REQUIRED"),
        Bad("/currencyCode", Drop, "/currencyCode", "REQUIRED"),
        Bad("/name", Put(json!("")), "/name", "RANGE"),
        Bad("/name", Put(json!("x".repeat(201))), "/name", "RANGE"),
        Bad("/currencyCode", Put(json!("EURO")), "/currencyCode", ""),
        Bad("/countryCode", Put(json!("DEU")), "/countryCode", ""),
        Bad("/withDefaults", Put(json!("yes")), "/withDefaults", "TYPE"),
        Bad("/bogus", Put(json!(1)), "", "NOT_ALLOWED"),
    ];
    table.extend(not_text("/name", false));
    table.extend(not_text("/currencyCode", false));
    for Bad(place, change, pointer, code) in &table {
        let request = shop.host.request("POST", "/v1/onboarding/companies").token(&shop.token);
        let answer = request.json(&apply(&base, place, change)).send().refused(400, "VALIDATION_FAILED");
        match code.is_empty() {
            true => drop(answer.at(pointer)),
            false => drop(answer.fault(pointer, code)),
        }
    }
    assert_eq!(shop.digest(), before);
}

fn roots_that_are_no_objects(database: Database) {
    let shop = company(database);
    let before = shop.digest();
    for path in ["catalog/products", "catalog/lookups/brands", "pricing/price-lists"] {
        for body in [json!([]), json!([{}]), json!("{}"), json!(1), json!(true), Json::Null] {
            shop.request("POST", path).json(&body).send().refused(400, "VALIDATION_FAILED").fault("", "TYPE");
        }
    }
    assert_eq!(shop.digest(), before);
}
