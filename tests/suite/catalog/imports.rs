//! Imports: many products at once, all or nothing, with every bad one pointed to.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use stoa_tests::company::{product, with};
use stoa_tests::{Answer, Company, Database, at_once, company, on_both_databases};

on_both_databases![
    products_and_variants_in_request_order,
    like_products_created_one_by_one,
    five_hundred_products_with_two_thousand_variants,
    the_largest_texts,
    counts,
    c04_repeated_identities,
    c14_one_bad_product_among_five_hundred,
    every_bad_line_of_a_stage,
    at_most_two_hundred_faults,
    c02_names_that_are_alike,
    c02_parallel_imports_of_one_name,
    c02_more_products_of_a_name_than_are_tried_one_by_one,
    c01_one_sku_in_parallel_imports,
    a_replay_makes_nothing_twice,
    what_an_import_leaves,
];

fn import(shop: &Company, products: Vec<Json>) -> Answer {
    shop.post("catalog/imports", json!({ "products": products }))
}

fn named(name: &str, skus: &[&str]) -> Json {
    let variants: Vec<Json> = skus.iter().map(|sku| json!({ "sku": sku })).collect();
    with(&product(name), json!({ "variants": variants }))
}

fn slugs(answer: &Answer) -> Vec<String> {
    answer.items().iter().filter_map(|item| item["slug"].as_str().map(str::to_string)).collect()
}

fn products_and_variants_in_request_order(database: Database) {
    let shop = company(database);
    let answer = import(&shop, vec![named("Zebra", &["Z-2", "Z-1"]), named("Ant", &[]), named("Mole", &["M"])]).is(201);
    assert_eq!(slugs(&answer), ["zebra", "ant", "mole"]);
    let skus = |n: usize| -> Vec<&str> {
        answer.items()[n]["variants"].as_array().into_iter().flatten().filter_map(|v| v["sku"].as_str()).collect()
    };
    assert_eq!((skus(0), skus(1), skus(2)), (vec!["Z-2", "Z-1"], vec![], vec!["M"]));
    assert!(answer.ids().is_sorted(), "ids ascend with the request");
    assert_eq!(shop.get("catalog/products").is(200).ids(), answer.ids());
    let zebra = shop.list(&format!("catalog/products/{}", answer.ids()[0]), &[("include", "variants")]).is(200);
    assert_eq!(zebra["variants"][0]["id"], answer.items()[0]["variants"][0]["id"]);
}

/// Every kind of product is the same by either road.
fn like_products_created_one_by_one(database: Database) {
    let shop = company(database);
    shop.unit("KG", 3);
    let brand = shop.brand("B");
    let bodies = |mark: &str| {
        vec![
            with(&product("Plain"), json!({})),
            with(
                &product("Full"),
                json!({
                    "slug": format!("full-{}", mark.to_lowercase()), "brandId": brand, "unitOfMeasure": "KG",
                    "trackInventory": true, "description": "D", "shortDescription": "S", "attributes": { "a": [1, "b"] },
                    "publicationStatus": "PUBLISHED", "variantMode": "MULTIPLE",
                    "variants": [{ "sku": format!("F-{mark}"), "barcode": "1", "condition": "USED", "grade": "A",
                                   "simType": "ESIM", "attributes": { "x": 1 }, "searchAliases": ["Eins", "Zwei"] }],
                }),
            ),
            with(&product("Service"), json!({ "productType": "SERVICE" })),
        ]
    };
    let imported = import(&shop, bodies("A")).is(201);
    for (id, body) in imported.ids().iter().zip(bodies("B")) {
        let single = shop.post("catalog/products", body).is(201).id();
        let shown = |id: &str| {
            let mut read = shop.list(&format!("catalog/products/{id}"), &[("include", "variants")]).is(200).body;
            strip(&mut read);
            read
        };
        assert_eq!(shown(id), shown(&single));
    }
}

/// Without what differs from record to record.
fn strip(value: &mut Json) {
    match value {
        Json::Object(members) => {
            for member in ["id", "productId", "createdAt", "updatedAt", "slug", "sku", "singleSku", "singleVariantId"] {
                members.remove(member);
            }
            members.values_mut().for_each(strip);
        }
        Json::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

fn five_hundred_products_with_two_thousand_variants(database: Database) {
    let shop = company(database);
    let products: Vec<Json> = (0..500)
        .map(|n| {
            let skus: Vec<String> = (0..4).map(|m| format!("P{n}-{m}")).collect();
            named(&format!("Product {n}"), &skus.iter().map(String::as_str).collect::<Vec<_>>())
        })
        .collect();
    let answer = import(&shop, products).is(201);
    assert_eq!(answer.items().len(), 500);
    assert_eq!(shop.count("catalog_product", "active_variants = 4"), 500);
    assert_eq!(shop.count("catalog_variant", "status = 'ACTIVE'"), 2000);
    assert_eq!(shop.count("stoa_event", "kind = 'catalog.variant.created'"), 2000);
    assert_eq!(shop.count("stoa_audit", "operation = 'importProducts'"), 1);
}

/// As much as the bounds of products let in: texts of four bytes a character, some 15 MB in all.
fn the_largest_texts(database: Database) {
    let shop = company(database);
    let attributes = json!({ "a": "\u{1F600}".repeat(3_900) });
    let description = "\u{1F600}".repeat(3_900);
    let products: Vec<Json> = (0..450)
        .map(|n| {
            let members = json!({ "attributes": attributes, "description": description, "publicationStatus": "PUBLISHED",
                                  "variants": [{ "sku": format!("L{n}") }] });
            with(&product(&format!("Large {n}")), members)
        })
        .collect();
    let size = json!({ "products": products }).to_string().len();
    assert!((13 << 20..16 << 20).contains(&size), "{size}");
    import(&shop, products).is(201);
    assert_eq!(shop.count("catalog_product", "status = 'ACTIVE'"), 450);
}

fn counts(database: Database) {
    let shop = company(database);
    let before = shop.digest();
    import(&shop, vec![]).refused(400, "VALIDATION_FAILED").fault("/products", "TOO_FEW");
    let many = |count: usize| (0..count).map(|n| product(&format!("P{n}"))).collect::<Vec<_>>();
    import(&shop, many(501)).refused(400, "VALIDATION_FAILED").fault("/products", "TOO_MANY");
    let full = |n: usize| {
        let skus: Vec<String> = (0..100).map(|m| format!("S{n}-{m}")).collect();
        named("Full", &skus.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let mut products: Vec<Json> = (0..20).map(full).collect();
    products.push(product("No variants"));
    products.push(named("One too many", &["LAST"]));
    let answer = import(&shop, products).refused(400, "VALIDATION_FAILED");
    answer.clone().fault("/products/21/variants", "TOO_MANY");
    assert_eq!(answer.errors().len(), 1, "{answer}");
    let large = json!({ "products": [with(&product("P"), json!({ "description": "x".repeat(17 << 20) }))] });
    shop.post("catalog/imports", large).refused(413, "PAYLOAD_TOO_LARGE");
    let unknown = shop.post("catalog/imports", json!({ "products": [product("P")], "prices": [] }));
    unknown.refused(400, "VALIDATION_FAILED").fault("", "NOT_ALLOWED");
    assert_eq!(shop.digest(), before);
}

fn c04_repeated_identities(database: Database) {
    let shop = company(database);
    let slug = |name: &str| with(&product(name), json!({ "slug": "same" }));
    let products = vec![named("A", &["X", "Y"]), slug("B"), named("C", &["Z", "X"]), slug("D"), named("E", &["Z"])];
    let answer = import(&shop, products).refused(400, "VALIDATION_FAILED");
    assert_eq!(answer.pointers(), ["/products/2/variants/1/sku", "/products/3/slug", "/products/4/variants/0/sku"]);
    assert!(answer.errors().iter().all(|item| item["code"] == "REPEATED"), "{answer}");
}

fn c14_one_bad_product_among_five_hundred(database: Database) {
    let shop = company(database);
    shop.article("TAKEN");
    let good = |n: usize| named(&format!("P{n}"), &[&format!("S{n}")]);
    let before = shop.digest();
    let bad = [
        (named("Bad", &["TAKEN"]), 409, "DUPLICATE", "/variants/0/sku"),
        (with(&product("Bad"), json!({ "slug": "product-taken" })), 409, "DUPLICATE", "/slug"),
        (with(&product("Bad"), json!({ "unitOfMeasure": "NONE" })), 404, "NOT_FOUND", "/unitOfMeasure"),
        (with(&product("Bad"), json!({ "brandId": uuid::Uuid::now_v7() })), 404, "NOT_FOUND", "/brandId"),
        (
            with(&product("Bad"), json!({ "publicationStatus": "PUBLISHED" })),
            409,
            "ILLEGAL_STATE",
            "/publicationStatus",
        ),
        (with(&product("Bad"), json!({ "trackSerials": true })), 400, "VALIDATION_FAILED", "/trackSerials"),
        (with(&product("Bad"), json!({ "name": " " })), 400, "VALIDATION_FAILED", "/name"),
    ];
    for (body, status, code, member) in bad {
        let mut products: Vec<Json> = (0..500).map(good).collect();
        products[317] = body;
        let answer = import(&shop, products).refused(status, code);
        assert_eq!(answer.pointers(), [format!("/products/317{member}")], "{answer}");
    }
    assert_eq!(shop.digest(), before);
}

fn every_bad_line_of_a_stage(database: Database) {
    let shop = company(database);
    shop.unit("OLD", 0);
    let old = shop.list("catalog/lookups/units", &[("text", "OLD")]).is(200).ids();
    shop.archive(&format!("catalog/lookups/units/{}", old[0])).is(200);
    shop.article("TAKEN");
    let in_unit = |unit: &str| with(&product("P"), json!({ "unitOfMeasure": unit }));
    let absent = uuid::Uuid::now_v7().to_string();
    // Missing references are reported before unusable ones, and both before taken values.
    let products = vec![
        in_unit("NONE"),
        with(&in_unit("OLD"), json!({ "categoryId": absent })),
        named("T", &["TAKEN"]),
        with(&product("P"), json!({ "manufacturerId": absent })),
    ];
    let answer = import(&shop, products).refused(404, "NOT_FOUND");
    let missing = ["/products/0/unitOfMeasure", "/products/1/categoryId", "/products/3/manufacturerId"];
    assert_eq!(answer.pointers(), missing);
    let single = with(&named("S", &["S1", "S2"]), json!({ "variantMode": "SINGLE" }));
    let answer = import(&shop, vec![in_unit("OLD"), named("T", &["TAKEN"]), single]).refused(409, "REFERENCE_INVALID");
    answer.clone().fault("/products/0/unitOfMeasure", "REFERENCE_INVALID");
    answer.clone().fault("/products/2/variantMode", "ILLEGAL_STATE");
    assert_eq!(answer.errors().len(), 2, "{answer}");
    let slug = with(&product("P"), json!({ "slug": "product-taken" }));
    let answer = import(&shop, vec![named("T", &["FREE", "TAKEN"]), slug]).refused(409, "DUPLICATE");
    let mut pointers = answer.pointers();
    pointers.sort();
    assert_eq!(pointers, ["/products/0/variants/1/sku", "/products/1/slug"]);
}

fn at_most_two_hundred_faults(database: Database) {
    let shop = company(database);
    for (bad, status, code) in [
        (json!({ "unitOfMeasure": "NONE" }), 404, "NOT_FOUND"),
        (json!({ "trackSerials": true }), 400, "VALIDATION_FAILED"),
        (json!({ "publicationStatus": "PUBLISHED" }), 409, "ILLEGAL_STATE"),
        (json!({ "productType": "OTHER" }), 400, "VALIDATION_FAILED"),
    ] {
        let answer = import(&shop, vec![with(&product("P"), bad); 500]).refused(status, code);
        assert_eq!(answer.errors().len(), 200, "{code}");
    }
}

fn c02_names_that_are_alike(database: Database) {
    let shop = company(database);
    shop.product("Caf\u{e9}");
    let mut products: Vec<Json> = vec![product("Cafe"); 3];
    products.push(product("Cafe 3"));
    products.push(with(&product("Other"), json!({ "slug": "cafe-5" })));
    products.extend(vec![product("CAF\u{c9}!"); 2]);
    products.push(product("\u{4e2d}\u{6587}"));
    let answer = import(&shop, products).is(201);
    let expected = ["cafe-2", "cafe-3", "cafe-4", "cafe-3-2", "cafe-5", "cafe-6", "cafe-7", "product"];
    assert_eq!(slugs(&answer), expected);
    let many = import(&shop, vec![product("Cafe"); 500]).is(201);
    let expected: Vec<String> = (8..508).map(|n| format!("cafe-{n}")).collect();
    assert_eq!(slugs(&many), expected);
}

fn c02_parallel_imports_of_one_name(database: Database) {
    let shop = company(database);
    let answers = at_once(6, |_| import(&shop, vec![product("Caf\u{e9} Cr\u{e8}me!"); 20]).is(201));
    let given: BTreeSet<String> = answers.iter().flat_map(slugs).collect();
    let expected: BTreeSet<String> =
        (1..=120).map(|n| if n == 1 { "cafe-creme".to_string() } else { format!("cafe-creme-{n}") }).collect();
    assert_eq!(given, expected);
}

fn c02_more_products_of_a_name_than_are_tried_one_by_one(database: Database) {
    let shop = company(database);
    let number = |slug: &String| slug.strip_prefix("twin-").map_or(1, |number| number.parse().expect("a number"));
    let mut numbers: Vec<u32> = Vec::new();
    for _ in 0..3 {
        let answer = import(&shop, vec![product("Twin"); 400]).is(201);
        numbers.extend(slugs(&answer).iter().map(number));
    }
    // Some 1,000 are tried one by one; the rest is found by a search, by each of many at once.
    let answers = at_once(8, |_| shop.post("catalog/products", product("Twin")).is(201).text("slug"));
    numbers.extend(answers.iter().map(number));
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=1_208).collect::<Vec<u32>>());
}

fn c01_one_sku_in_parallel_imports(database: Database) {
    let shop = company(database);
    let answers = at_once(6, |n| {
        let skus: Vec<String> = (0..10).map(|m| format!("OWN-{n}-{m}")).collect();
        let mut products: Vec<Json> = skus.iter().map(|sku| named(sku, &[sku])).collect();
        products.insert(n % 10, named("Shared", &["SHARED"]));
        import(&shop, products)
    });
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        let pointers = answer.refused(409, "DUPLICATE").pointers();
        assert!(matches!(pointers.as_slice(), [one] if one.ends_with("/variants/0/sku")), "{pointers:?}");
    }
    assert_eq!(shop.count("catalog_variant", "1 = 1"), 11);
}

fn a_replay_makes_nothing_twice(database: Database) {
    let shop = company(database);
    let key = uuid::Uuid::new_v4().to_string();
    let body = json!({ "products": [named("A", &["A"]), named("B", &["B"])] });
    let send = |body: &Json| shop.request("POST", "catalog/imports").key(&key).json(body).send();
    let first = send(&body).is(201);
    let before = shop.digest();
    let again = send(&body).is(201);
    assert!(again.replayed());
    assert_eq!(again.bytes, first.bytes);
    send(&json!({ "products": [named("A", &["A"])] })).refused(409, "IDEMPOTENCY_KEY_REUSED");
    shop.request("POST", "catalog/imports")
        .without("idempotency-key")
        .json(&body)
        .send()
        .refused(400, "IDEMPOTENCY_KEY_REQUIRED");
    assert_eq!(shop.digest(), before);
}

fn what_an_import_leaves(database: Database) {
    let shop = company(database);
    let shown = with(&named("Shown", &["S"]), json!({ "publicationStatus": "PUBLISHED" }));
    let answer = import(&shop, vec![shown, named("Draft", &["D1", "D2"])]).is(201);
    let rows = shop.rows(
        "select resource_type, resource_id, request_id from stoa_audit
         where {tenant} and operation = 'importProducts'",
    );
    let [row] = rows.as_slice() else { panic!("one audit row: {rows:?}") };
    assert_eq!(
        (row[0].as_str(), &row[1], answer.header("x-request-id")),
        ("CATALOG_IMPORT", &row[2], Some(row[2].as_str()))
    );
    let reported = shop.rows("select kind, resource_id from stoa_event where {tenant} and kind like 'catalog.%' and resource_type <> 'CATALOG_LOOKUP' order by id");
    let kinds: Vec<&str> = reported.iter().map(|row| row[0].as_str()).collect();
    let (made, variant) = ("catalog.product.created", "catalog.variant.created");
    assert_eq!(kinds, [made, variant, made, variant, variant], "parents before children");
    assert_eq!([&reported[0][1], &reported[2][1]], [&answer.ids()[0], &answer.ids()[1]]);
    let stranger = shop.as_user("stranger@example.test");
    import(&stranger, vec![json!({})]).refused(403, "MEMBERSHIP_REQUIRED");
}
