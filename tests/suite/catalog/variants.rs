//! Variants: SKUs that are unique for ever, the till's look-up, aliases, and what is immutable.

use serde_json::{Value as Json, json};
use stoa_tests::company::{product, with};
use stoa_tests::{Database, company, on_both_databases};

on_both_databases![
    answers_every_member,
    sku_is_unique_for_ever,
    replacement_resets_what_it_omits,
    archived_variant_is_immutable,
    find_by_sku_barcode_and_text,
    barcodes_may_repeat,
    c09_aliases_that_differ_by_case_or_accent,
    alias_bounds,
];

on_both_databases![
    rules:
    grammar_of_a_sku,
    sku_and_product_are_immutable,
    second_variant_makes_a_single_product_multiple,
    product_must_exist,
    texts_are_bounded,
    enumerations_are_closed,
];

fn answers_every_member(database: Database) {
    let shop = company(database);
    let product = shop.product("P");
    let path = format!("catalog/products/{product}/variants");
    let made = shop.post(&path, json!({ "sku": "PLAIN" })).is(201);
    let expected = [
        ("sku", json!("PLAIN")),
        ("productId", json!(product)),
        ("tenantId", json!(shop.tenant)),
        ("status", json!("ACTIVE")),
        ("archivedAt", Json::Null),
        ("modelNumber", Json::Null),
        ("barcode", Json::Null),
        ("storage", Json::Null),
        ("color", Json::Null),
        ("condition", Json::Null),
        ("grade", Json::Null),
        ("simType", json!("NOT_APPLICABLE")),
        ("attributes", json!({})),
        ("searchAliases", json!([])),
    ];
    for (member, value) in expected {
        assert_eq!(made[member], value, "{member}: {made}");
    }
    assert_eq!(shop.get(&format!("catalog/variants/{}", made.id())).is(200).body, made.body);
    let full = json!({
        "sku": "FULL", "modelNumber": "A2846", "barcode": "0194253000000", "storage": "256 GB", "color": "Blue",
        "condition": "OPEN_BOX", "grade": "A", "simType": "DUAL_SIM", "attributes": { "a": [1, null, "x"] },
        "searchAliases": ["Handy", "Mobile"],
    });
    let made = shop.post(&path, full.clone()).is(201);
    for (member, value) in full.as_object().into_iter().flatten() {
        assert_eq!(&made[member.as_str()], value, "{member}: {made}");
    }
    assert_eq!(shop.get(&path).is(200).items().len(), 2);
}

fn grammar_of_a_sku(database: Database) {
    let shop = company(database);
    let path = format!("catalog/products/{}/variants", shop.product("P"));
    let longest = "S".repeat(100);
    for sku in ["A", "0", "A-B", "A/B", "A.B", "A_B", "9-_./", longest.as_str()] {
        assert_eq!(shop.post(&path, json!({ "sku": sku })).is(201)["sku"], sku);
    }
    let too_long = "S".repeat(101);
    for sku in ["", "a", "-A", "/A", ".A", "_A", "A B", "A+B", "É", "A\u{200B}", "А", "A,B", "A:B", too_long.as_str()]
    {
        shop.post(&path, json!({ "sku": sku })).refused(400, "VALIDATION_FAILED").at("/sku");
    }
}

fn sku_is_unique_for_ever(database: Database) {
    let shop = company(database);
    let (_, variant) = shop.article("ONLY");
    let second = shop.product("Second");
    let path = format!("catalog/products/{second}/variants");
    let before = shop.digest();
    shop.post(&path, json!({ "sku": "ONLY" })).refused(409, "DUPLICATE").at("/sku");
    assert_eq!(shop.digest(), before);
    shop.archive(&format!("catalog/variants/{variant}")).is(200);
    shop.post(&path, json!({ "sku": "ONLY" })).refused(409, "DUPLICATE").at("/sku");
    let body = with(&product("Third"), json!({ "variants": [{ "sku": "NEW" }, { "sku": "ONLY" }] }));
    shop.post("catalog/products", body).refused(409, "DUPLICATE").at("/variants/1/sku");
}

fn sku_and_product_are_immutable(database: Database) {
    let shop = company(database);
    let (_, variant) = shop.article("FIRST");
    let path = format!("catalog/variants/{variant}");
    shop.put(&path, json!({ "sku": "OTHER" })).refused(409, "IMMUTABLE_FIELD").at("/sku");
    let moved = shop.put(&path, json!({ "sku": "FIRST", "productId": uuid::Uuid::now_v7() }));
    moved.refused(400, "VALIDATION_FAILED").fault("", "NOT_ALLOWED");
    assert_eq!(shop.get(&path).is(200)["sku"], "FIRST");
}

fn replacement_resets_what_it_omits(database: Database) {
    let shop = company(database);
    let product = shop.product("P");
    let full = json!({
        "sku": "FULL", "modelNumber": "A", "barcode": "B", "storage": "C", "color": "D", "condition": "USED",
        "grade": "B", "simType": "ESIM", "attributes": { "a": 1 }, "searchAliases": ["x"],
    });
    let id = shop.post(&format!("catalog/products/{product}/variants"), full).is(201).id();
    let replaced = shop.put(&format!("catalog/variants/{id}"), json!({ "sku": "FULL" })).is(200);
    for member in ["modelNumber", "barcode", "storage", "color", "condition", "grade"] {
        assert_eq!(replaced[member], Json::Null, "{member}: {replaced}");
    }
    assert_eq!(replaced["simType"], "NOT_APPLICABLE");
    assert_eq!(replaced["attributes"], json!({}));
    assert_eq!(replaced["searchAliases"], json!([]));
    assert_eq!(shop.get(&format!("catalog/variants/{id}")).is(200).body, replaced.body);
}

fn archived_variant_is_immutable(database: Database) {
    let shop = company(database);
    let (_, variant) = shop.article("GONE");
    let path = format!("catalog/variants/{variant}");
    shop.archive(&path).is(200);
    let before = shop.digest();
    shop.archive(&path).refused(409, "ARCHIVED");
    shop.put(&path, json!({ "sku": "GONE" })).refused(409, "ARCHIVED");
    assert_eq!(shop.digest(), before);
}

fn second_variant_makes_a_single_product_multiple(database: Database) {
    let shop = company(database);
    let (product, _) = shop.article("ONE");
    let path = format!("catalog/products/{product}");
    assert_eq!(shop.get(&path).is(200)["variantMode"], "SINGLE");
    shop.variant(&product, "TWO");
    assert_eq!(shop.get(&path).is(200)["variantMode"], "MULTIPLE");
}

fn product_must_exist(database: Database) {
    let shop = company(database);
    let missing = uuid::Uuid::now_v7();
    let path = format!("catalog/products/{missing}/variants");
    shop.post(&path, json!({ "sku": "A" })).refused(404, "NOT_FOUND");
    shop.get(&path).refused(404, "NOT_FOUND");
    shop.get(&format!("catalog/variants/{missing}")).refused(404, "NOT_FOUND");
}

fn find_by_sku_barcode_and_text(database: Database) {
    let shop = company(database);
    let product = shop.product("Telephone");
    let path = format!("catalog/products/{product}/variants");
    let make = |body: Json| shop.post(&path, body).is(201).id();
    let a = make(json!({ "sku": "FIND-A", "barcode": "400", "modelNumber": "M1", "searchAliases": ["Händi"] }));
    let b = make(json!({ "sku": "FIND-B", "barcode": "500" }));
    let found = |query: &[(&str, &str)]| shop.list("catalog/variants", query).is(200).ids();
    assert_eq!(found(&[("sku", "FIND-A")]), [a.as_str()]);
    assert!(found(&[("sku", "FIND-")]).is_empty(), "a SKU is found whole");
    assert_eq!(found(&[("barcode", "500")]), [b.as_str()]);
    assert!(found(&[("barcode", "50")]).is_empty());
    assert_eq!(found(&[("text", "find-")]), [a.as_str(), b.as_str()]);
    assert_eq!(found(&[("text", "m1")]), [a.as_str()]);
    assert_eq!(found(&[("text", "händi")]), [a.as_str()]);
    assert!(found(&[("text", "nothing")]).is_empty());
    assert_eq!(found(&[("ids", &format!("{b},{a}"))]), [a.as_str(), b.as_str()]);
    assert_eq!(found(&[("ids", &b), ("sku", "find-b")]), [b.as_str()]);
    assert!(found(&[("ids", &b), ("sku", "FIND-A")]).is_empty());
    assert_eq!(found(&[("productIds", &product), ("text", "m1")]), [a.as_str()]);
    assert!(found(&[("productIds", &shop.product("Other"))]).is_empty());
    std::thread::sleep(std::time::Duration::from_millis(5));
    let changed = shop.put(&format!("catalog/variants/{b}"), json!({ "sku": "FIND-B" })).is(200).text("updatedAt");
    assert_eq!(found(&[("updatedSince", &changed)]), [b.as_str()]);
    assert_eq!(shop.list(&path, &[("updatedSince", &changed)]).is(200).ids(), [b.as_str()]);
    shop.archive(&format!("catalog/variants/{a}")).is(200);
    assert!(found(&[("sku", "FIND-A")]).is_empty(), "an archived variant is not sold at the till");
}

fn barcodes_may_repeat(database: Database) {
    let shop = company(database);
    let product = shop.product("P");
    let path = format!("catalog/products/{product}/variants");
    let a = shop.post(&path, json!({ "sku": "A", "barcode": "777" })).is(201).id();
    let b = shop.post(&path, json!({ "sku": "B", "barcode": "777" })).is(201).id();
    assert_eq!(shop.list("catalog/variants", &[("barcode", "777")]).is(200).ids(), [a, b]);
}

fn c09_aliases_that_differ_by_case_or_accent(database: Database) {
    let shop = company(database);
    let path = format!("catalog/products/{}/variants", shop.product("P"));
    let same: [&[&str]; 7] = [
        &["É", "e"],
        &["a", "A"],
        &["two  words", "Two Words"],
        &["ｆｕｌｌ", "full"],
        &["Straße", "STRASSE"],
        &["e\u{0301}", "é"],
        &["x", "y", " x "],
    ];
    for aliases in same {
        let body = json!({ "sku": "ALIAS", "searchAliases": aliases });
        // Texts that are alike once trimmed are a fault of the list, by the schema; others of the item, by the module.
        let last = format!("/searchAliases/{}", aliases.len() - 1);
        let trimmed: std::collections::BTreeSet<&str> = aliases.iter().map(|alias| alias.trim()).collect();
        let pointer = if trimmed.len() < aliases.len() { "/searchAliases" } else { &last };
        shop.post(&path, body).refused(400, "VALIDATION_FAILED").at(pointer);
    }
    let body = json!({ "sku": "ALIAS", "searchAliases": ["e", "f", "o", "ö2", "two words", "twowords"] });
    shop.post(&path, body).is(201);
}

fn alias_bounds(database: Database) {
    let shop = company(database);
    let path = format!("catalog/products/{}/variants", shop.product("P"));
    let many = |n: usize| (0..n).map(|i| format!("alias {i}")).collect::<Vec<_>>();
    shop.post(&path, json!({ "sku": "A17", "searchAliases": many(17) }))
        .refused(400, "VALIDATION_FAILED")
        .at("/searchAliases");
    shop.post(&path, json!({ "sku": "A16", "searchAliases": many(16) })).is(201);
    let long = "x".repeat(81);
    for wrong in [json!(""), json!("  "), json!(long), json!(7), Json::Null] {
        let body = json!({ "sku": "W", "searchAliases": ["fine", wrong] });
        shop.post(&path, body).refused(400, "VALIDATION_FAILED").at("/searchAliases/1");
    }
    shop.post(&path, json!({ "sku": "A80", "searchAliases": ["é".repeat(80)] })).is(201);
}

fn texts_are_bounded(database: Database) {
    let shop = company(database);
    let path = format!("catalog/products/{}/variants", shop.product("P"));
    for member in ["modelNumber", "barcode", "storage", "color"] {
        let sku = member.to_uppercase();
        shop.post(&path, json!({ "sku": sku, member: "é".repeat(100) })).is(201);
        let pointer = format!("/{member}");
        shop.post(&path, json!({ "sku": "W", member: "é".repeat(101) })).refused(400, "VALIDATION_FAILED").at(&pointer);
        shop.post(&path, json!({ "sku": "W", member: 7 })).refused(400, "VALIDATION_FAILED").fault(&pointer, "TYPE");
    }
}

fn enumerations_are_closed(database: Database) {
    let shop = company(database);
    let path = format!("catalog/products/{}/variants", shop.product("P"));
    let cases: [(&str, &[&str]); 3] = [
        ("condition", &["NEW", "USED", "REFURBISHED", "OPEN_BOX", "AS_IS"]),
        ("grade", &["A", "B", "C"]),
        ("simType", &["ESIM", "PHYSICAL_SIM", "PHYSICAL_ESIM", "DUAL_SIM", "NOT_APPLICABLE"]),
    ];
    for (member, values) in cases {
        for value in values {
            let sku = format!("{}-{value}", member.to_uppercase());
            assert_eq!(&shop.post(&path, json!({ "sku": sku, member: value })).is(201)[member], value);
        }
        let pointer = format!("/{member}");
        for wrong in ["", "new", "D", "OTHER"] {
            shop.post(&path, json!({ "sku": "W", member: wrong })).refused(400, "VALIDATION_FAILED").at(&pointer);
        }
    }
    shop.post(&path, json!({ "sku": "W", "simType": null })).refused(400, "VALIDATION_FAILED").at("/simType");
}
