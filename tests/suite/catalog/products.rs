//! Products: what creation answers, full replacement, tracking, references, archive and deletion.

use serde_json::{Value as Json, json};
use stoa_tests::company::{product, with, without};
use stoa_tests::{Answer, Company, Database, company, on_both_databases};

on_both_databases![
    c04_one_sku_twice_in_a_request,
    c14_a_failing_variant_among_a_hundred,
    archive_takes_the_variants_along,
    archived_product_is_immutable,
    deletion_of_a_product_never_used,
    a_duplicate_names_the_record_in_the_way,
    a_duplicate_names_no_record_to_who_may_not_read,
    filters,
    include_is_checked,
];

on_both_databases![
    rules:
    answers_every_member,
    answers_variants_in_request_order,
    single_sku_only_of_a_single_active_variant,
    c06_identity_is_immutable_once_a_variant_exists,
    c07_single_with_two_variants,
    c08_a_hundred_variants_at_most,
    tracking_rules,
    replacement_resets_what_it_omits,
    replacement_takes_no_variants,
    deletion_is_refused_once_a_variant_existed,
    names_are_trimmed_and_bounded,
];

fn answers_every_member(database: Database) {
    let shop = company(database);
    let made = shop.post("catalog/products", product("Plain")).is(201);
    let expected = [
        ("name", json!("Plain")),
        ("slug", json!("plain")),
        ("variantMode", json!("SINGLE")),
        ("productType", json!("GOOD")),
        ("categoryId", Json::Null),
        ("brandId", Json::Null),
        ("manufacturerId", Json::Null),
        ("unitOfMeasure", json!("UNIT")),
        ("trackInventory", json!(false)),
        ("trackSerials", json!(false)),
        ("publicationStatus", json!("DRAFT")),
        ("description", Json::Null),
        ("shortDescription", Json::Null),
        ("attributes", json!({})),
        ("publicAttributes", json!({})),
        ("tenantId", json!(shop.tenant)),
        ("status", json!("ACTIVE")),
        ("archivedAt", Json::Null),
        ("variantCount", json!(0)),
        ("singleSku", Json::Null),
        ("singleVariantId", Json::Null),
    ];
    for (member, value) in expected {
        assert_eq!(made[member], value, "{member}: {made}");
    }
    assert!(made["variants"].is_null(), "variants only when the request carried them: {made}");
    let id = uuid::Uuid::parse_str(&made.id()).expect("a uuid");
    assert_eq!(id.get_version_num(), 7);
    for member in ["createdAt", "updatedAt"] {
        let time = made.text(member);
        assert_eq!((time.len(), time.ends_with('Z')), (24, true), "milliseconds and Z: {time}");
    }
    assert_eq!(shop.get(&format!("catalog/products/{}", made.id())).is(200).body, made.body);
}

fn answers_variants_in_request_order(database: Database) {
    let shop = company(database);
    let skus = ["Z-9", "A-1", "M-5", "B-2"];
    let variants: Vec<Json> = skus.iter().map(|sku| json!({ "sku": sku })).collect();
    let made = shop.post("catalog/products", with(&product("Order"), json!({ "variants": variants }))).is(201);
    let answered: Vec<&str> =
        made["variants"].as_array().into_iter().flatten().filter_map(|v| v["sku"].as_str()).collect();
    assert_eq!(answered, skus);
    assert_eq!((&made["variantMode"], &made["variantCount"]), (&json!("MULTIPLE"), &json!(4)));
    let first = &made["variants"][0];
    assert_eq!((&first["productId"], &first["simType"]), (&made["id"], &json!("NOT_APPLICABLE")), "{made}");
    let empty = shop.post("catalog/products", with(&product("Empty"), json!({ "variants": [] }))).is(201);
    assert_eq!((&empty["variantMode"], &empty["variantCount"]), (&json!("SINGLE"), &json!(0)), "{empty}");
}

fn single_sku_only_of_a_single_active_variant(database: Database) {
    let shop = company(database);
    let (product, variant) = shop.article("SOLO");
    let read = || shop.get(&format!("catalog/products/{product}")).is(200);
    let shown = |answer: &stoa_tests::Answer| {
        (
            answer["variantMode"].clone(),
            answer["variantCount"].clone(),
            answer["singleSku"].clone(),
            answer["singleVariantId"].clone(),
        )
    };
    assert_eq!(shown(&read()), (json!("SINGLE"), json!(1), json!("SOLO"), json!(variant)));
    let second = shop.variant(&product, "DUO");
    assert_eq!(shown(&read()), (json!("MULTIPLE"), json!(2), Json::Null, Json::Null));
    shop.archive(&format!("catalog/variants/{second}")).is(200);
    assert_eq!(shown(&read()), (json!("MULTIPLE"), json!(1), Json::Null, Json::Null));
}

fn c04_one_sku_twice_in_a_request(database: Database) {
    let shop = company(database);
    let before = shop.digest();
    let body = with(&product("Twice"), json!({ "variants": [{ "sku": "A" }, { "sku": "B" }, { "sku": "A" }] }));
    shop.post("catalog/products", body).refused(400, "VALIDATION_FAILED").at("/variants/2/sku");
    assert_eq!(shop.digest(), before);
}

fn c06_identity_is_immutable_once_a_variant_exists(database: Database) {
    let shop = company(database);
    shop.unit("KG", 3);
    let free = shop.product("Free");
    let changed = with(&product("Free"), json!({ "unitOfMeasure": "KG", "productType": "SERVICE" }));
    let answer = shop.put(&format!("catalog/products/{free}"), changed).is(200);
    assert_eq!((&answer["unitOfMeasure"], &answer["productType"]), (&json!("KG"), &json!("SERVICE")));

    let (bound, variant) = shop.article("BOUND");
    let base = product("Product BOUND");
    let refused = |shop: &Company| {
        let changes = [
            ("/unitOfMeasure", json!({ "unitOfMeasure": "KG" })),
            ("/productType", json!({ "productType": "SERVICE" })),
            ("/trackInventory", json!({ "trackInventory": true })),
        ];
        for (pointer, change) in changes {
            let path = format!("catalog/products/{bound}");
            shop.put(&path, with(&base, change)).refused(409, "IMMUTABLE_FIELD").at(pointer);
        }
        let both = json!({ "trackInventory": true, "trackSerials": true });
        shop.put(&format!("catalog/products/{bound}"), with(&base, both))
            .refused(409, "IMMUTABLE_FIELD")
            .at("/trackSerials");
    };
    refused(&shop);
    // An archived variant has existed too.
    shop.archive(&format!("catalog/variants/{variant}")).is(200);
    refused(&shop);
}

fn c07_single_with_two_variants(database: Database) {
    let shop = company(database);
    let two = json!({ "variantMode": "SINGLE", "variants": [{ "sku": "A" }, { "sku": "B" }] });
    shop.post("catalog/products", with(&product("Two"), two)).refused(409, "ILLEGAL_STATE");
    let (product_id, _) = shop.article("ONE");
    shop.variant(&product_id, "TWO");
    let base = product("Product ONE");
    let path = format!("catalog/products/{product_id}");
    shop.put(&path, with(&base, json!({ "variantMode": "SINGLE" }))).refused(409, "ILLEGAL_STATE");
    assert_eq!(shop.get(&path).is(200)["variantMode"], "MULTIPLE");
    let kept = shop.put(&path, with(&base, json!({ "variantMode": "MULTIPLE" }))).is(200);
    assert_eq!(kept["variantMode"], "MULTIPLE");
    let one = json!({ "variantMode": "MULTIPLE", "variants": [{ "sku": "C" }] });
    let stated = shop.post("catalog/products", with(&product("Stated"), one)).is(201);
    assert_eq!(stated["variantMode"], "MULTIPLE", "a stated mode is kept");
}

fn c08_a_hundred_variants_at_most(database: Database) {
    let shop = company(database);
    let variants = |n: usize| (0..n).map(|i| json!({ "sku": format!("V{i}") })).collect::<Vec<_>>();
    let answer = shop.post("catalog/products", with(&product("Many"), json!({ "variants": variants(101) })));
    answer.refused(400, "VALIDATION_FAILED").fault("/variants", "TOO_MANY");
    let made = shop.post("catalog/products", with(&product("Many"), json!({ "variants": variants(100) }))).is(201);
    assert_eq!(made["variantCount"], json!(100));
    assert_eq!(made["variants"].as_array().map(Vec::len), Some(100));
}

fn c14_a_failing_variant_among_a_hundred(database: Database) {
    let shop = company(database);
    shop.article("TAKEN-77");
    let before = shop.digest();
    let taken: Vec<Json> = (0..100).map(|i| json!({ "sku": format!("TAKEN-{i}") })).collect();
    let answer = shop.post("catalog/products", with(&product("Hundred"), json!({ "variants": taken })));
    answer.refused(409, "DUPLICATE").at("/variants/77/sku");
    assert_eq!(shop.digest(), before, "nothing of a refused product stays");
    let mut free: Vec<Json> = (0..100).map(|i| json!({ "sku": format!("FREE-{i}") })).collect();
    free[99]["condition"] = json!("BROKEN");
    let answer = shop.post("catalog/products", with(&product("Hundred"), json!({ "variants": free })));
    answer.refused(400, "VALIDATION_FAILED").at("/variants/99/condition");
    assert_eq!(shop.digest(), before);
}

fn tracking_rules(database: Database) {
    let shop = company(database);
    // (type, trackInventory, trackSerials, accepted)
    let cases = [
        ("GOOD", false, false, true),
        ("GOOD", true, false, true),
        ("GOOD", true, true, true),
        ("GOOD", false, true, false),
        ("SERVICE", false, false, true),
        ("SERVICE", true, false, false),
        ("SERVICE", true, true, false),
        ("SERVICE", false, true, false),
    ];
    for (kind, inventory, serials, accepted) in cases {
        let flags = json!({ "productType": kind, "trackInventory": inventory, "trackSerials": serials });
        let answer = shop.post("catalog/products", with(&product("Tracked"), flags));
        match accepted {
            true => drop(answer.is(201)),
            false => drop(answer.refused(400, "VALIDATION_FAILED")),
        }
    }
}

fn replacement_resets_what_it_omits(database: Database) {
    let shop = company(database);
    let brand = shop.brand("B");
    let full = json!({
        "brandId": brand, "slug": "stated-slug", "description": "long", "shortDescription": "short",
        "attributes": { "a": 1 }, "publicAttributes": { "b": 1 }, "trackInventory": true, "publicationStatus": "PUBLISHED",
        "variants": [{ "sku": "FULL" }],
    });
    let made = shop.post("catalog/products", with(&product("Full"), full)).is(201);
    assert_eq!(made["publicationStatus"], "PUBLISHED");
    let bare = with(&product("Bare"), json!({ "trackInventory": true }));
    let replaced = shop.put(&format!("catalog/products/{}", made.id()), bare).is(200);
    for member in ["brandId", "description", "shortDescription"] {
        assert_eq!(replaced[member], Json::Null, "{member}: {replaced}");
    }
    assert_eq!(replaced["attributes"], json!({}));
    assert_eq!(replaced["publicAttributes"], json!({}));
    assert_eq!(replaced["publicationStatus"], "DRAFT", "a PUT without publicationStatus takes the product off sale");
    assert_eq!(replaced["slug"], "stated-slug", "an omitted slug is kept");
    assert_eq!(replaced["name"], "Bare");
    assert_eq!(replaced["variantCount"], json!(1));
    let null_slug = with(&product("Bare"), json!({ "trackInventory": true, "slug": null }));
    assert_eq!(shop.put(&format!("catalog/products/{}", made.id()), null_slug).is(200)["slug"], "stated-slug");
}

fn replacement_takes_no_variants(database: Database) {
    let shop = company(database);
    let id = shop.product("P");
    let body = with(&product("P"), json!({ "variants": [] }));
    let answer = shop.put(&format!("catalog/products/{id}"), body);
    answer.refused(400, "VALIDATION_FAILED").fault("", "NOT_ALLOWED");
}

fn archive_takes_the_variants_along(database: Database) {
    let shop = company(database);
    let (product, first) = shop.article("ONE");
    let second = shop.variant(&product, "TWO");
    let archived = shop.archive(&format!("catalog/products/{product}")).is(200);
    assert_eq!(archived["status"], "ARCHIVED");
    assert_eq!(archived["variantCount"], json!(0));
    for variant in [first, second] {
        let read = shop.get(&format!("catalog/variants/{variant}")).is(200);
        assert_eq!((&read["status"], &read["archivedAt"]), (&json!("ARCHIVED"), &archived["archivedAt"]), "{read}");
    }
    assert!(shop.get("catalog/products").is(200).items().is_empty());
    assert_eq!(shop.list("catalog/products", &[("status", "ARCHIVED")]).is(200).ids(), [product]);
}

fn archived_product_is_immutable(database: Database) {
    let shop = company(database);
    let (id, _) = shop.article("ONE");
    let path = format!("catalog/products/{id}");
    shop.archive(&path).is(200);
    let before = shop.digest();
    shop.archive(&path).refused(409, "ARCHIVED");
    shop.put(&path, product("Renamed")).refused(409, "ARCHIVED");
    shop.post(&format!("{path}/variants"), json!({ "sku": "TWO" })).refused(409, "ARCHIVED");
    assert_eq!(shop.digest(), before);
}

fn deletion_of_a_product_never_used(database: Database) {
    let shop = company(database);
    let id = shop.post("catalog/products", with(&product("Gone"), json!({ "slug": "gone" }))).is(201).id();
    let path = format!("catalog/products/{id}");
    let deleted = shop.delete(&path).is(200);
    assert_eq!(deleted.body, json!({ "id": id }));
    shop.get(&path).refused(404, "NOT_FOUND");
    shop.put(&path, product("Back")).refused(404, "NOT_FOUND");
    shop.archive(&path).refused(404, "NOT_FOUND");
    shop.delete(&path).refused(404, "NOT_FOUND");
    shop.post(&format!("{path}/variants"), json!({ "sku": "LATE" })).refused(404, "NOT_FOUND");
    for status in ["ACTIVE", "ARCHIVED"] {
        assert!(shop.list("catalog/products", &[("status", status)]).is(200).items().is_empty());
    }
    let deleted = shop.list("catalog/products", &[("status", "DELETED")]);
    deleted.refused(400, "VALIDATION_FAILED").fault("/query/status", "FORMAT");
    let again = shop.post("catalog/products", with(&product("Gone"), json!({ "slug": "gone" }))).is(201);
    assert_ne!(again.id(), id, "the slug of a deleted product is free");
}

fn deletion_is_refused_once_a_variant_existed(database: Database) {
    let shop = company(database);
    let (product, variant) = shop.article("ONE");
    let path = format!("catalog/products/{product}");
    shop.delete(&path).refused(409, "ILLEGAL_STATE").fault("", "HAS_VARIANTS");
    shop.archive(&format!("catalog/variants/{variant}")).is(200);
    shop.delete(&path).refused(409, "ILLEGAL_STATE");
    shop.get(&path).is(200);
}

fn names_are_trimmed_and_bounded(database: Database) {
    let shop = company(database);
    let long = "é".repeat(200);
    for name in ["x", long.as_str(), "\u{1F4F1} phone", "Ā\u{0301}"] {
        assert_eq!(shop.post("catalog/products", product(name)).is(201)["name"], name);
    }
    let padded = shop.request("POST", "catalog/products").json(&product("  padded  ")).send().is(201);
    assert_eq!(padded["name"], "padded");
    let too_long = "é".repeat(201);
    for name in ["", "   ", too_long.as_str()] {
        shop.post("catalog/products", product(name)).refused(400, "VALIDATION_FAILED").at("/name");
    }
    let missing = without(&product("x"), "name");
    shop.post("catalog/products", missing).refused(400, "VALIDATION_FAILED").fault("/name", "REQUIRED");
}

fn filters(database: Database) {
    let shop = company(database);
    let brand = shop.brand("B");
    let top = shop.post("catalog/lookups/categories", json!({ "name": "Top", "code": "TOP" })).is(201).id();
    let below = json!({ "name": "Below", "code": "BELOW", "parentId": top });
    let below = shop.post("catalog/lookups/categories", below).is(201).id();
    let make = |name: &str, members: Json| shop.post("catalog/products", with(&product(name), members)).is(201).id();
    let a = make("A", json!({ "brandId": brand, "categoryId": top }));
    let b = make("B", json!({ "categoryId": below, "trackInventory": true, "trackSerials": true }));
    let c = make("C", json!({ "productType": "SERVICE" }));
    std::thread::sleep(std::time::Duration::from_millis(5));
    let d = make("D", json!({ "publicationStatus": "PUBLISHED", "variants": [{ "sku": "D" }] }));
    let updated = |id: &str| shop.get(&format!("catalog/products/{id}")).is(200).text("updatedAt");
    type Query<'a> = &'a [(&'a str, &'a str)];
    let cases: &[(Query, &[&String])] = &[
        (&[("brandId", &brand)], &[&a]),
        (&[("categoryId", &top)], &[&a]),
        (&[("categoryId", &top), ("deep", "true")], &[&a, &b]),
        (&[("categoryId", &top), ("deep", "false")], &[&a]),
        (&[("categoryId", &below), ("deep", "true")], &[&b]),
        (&[("productType", "SERVICE")], &[&c]),
        (&[("productType", "GOOD")], &[&a, &b, &d]),
        (&[("publicationStatus", "PUBLISHED")], &[&d]),
        (&[("publicationStatus", "DRAFT")], &[&a, &b, &c]),
        (&[("trackSerials", "true")], &[&b]),
        (&[("trackSerials", "false")], &[&a, &c, &d]),
        (&[("brandId", &brand), ("productType", "SERVICE")], &[]),
        (&[("brandId", &top)], &[]),
        (&[("ids", &format!("{d},{a}"))], &[&a, &d]),
        (&[("ids", &a), ("productType", "SERVICE")], &[]),
        (&[("slug", "b")], &[&b]),
        (&[("slug", "B")], &[]),
        (&[("sku", "d")], &[&d]),
        (&[("updatedSince", &updated(&d))], &[&d]),
        (&[("updatedSince", "2999-01-01T00:00:00Z")], &[]),
    ];
    for (query, expected) in cases {
        let found = shop.list("catalog/products", query).is(200).ids();
        assert_eq!(found.iter().collect::<Vec<_>>(), *expected, "{query:?}");
    }
    let many = vec![a.as_str(); 101].join(",");
    for (name, value) in [
        ("brandId", "x"),
        ("deep", "yes"),
        ("productType", "good"),
        ("trackSerials", "1"),
        ("ids", ""),
        ("ids", "x"),
        ("ids", &format!("{a},")),
        ("ids", &many),
    ] {
        let pointer = format!("/query/{name}");
        shop.list("catalog/products", &[(name, value)]).refused(400, "VALIDATION_FAILED").at(&pointer);
    }
}

fn include_is_checked(database: Database) {
    let shop = company(database);
    let (product, variant) = shop.article("ONE");
    let path = format!("catalog/products/{product}");
    let read = shop.list(&path, &[("include", "variants")]).is(200);
    assert_eq!(read["variants"][0]["id"], json!(variant), "{read}");
    assert!(shop.get(&path).is(200)["variants"].is_null());
    for wrong in ["prices", "variants,prices", "Variants", ""] {
        shop.list(&path, &[("include", wrong)]).refused(400, "VALIDATION_FAILED").at("/query/include");
    }
}

/// The records that the faults of a refusal name, each with its pointer.
fn conflicts(refused: &Answer) -> Vec<(String, Json)> {
    let pointers = refused.pointers().into_iter();
    pointers.zip(refused.errors()).map(|(pointer, fault)| (pointer, fault["conflictsWith"].clone())).collect()
}

fn a_duplicate_names_the_record_in_the_way(database: Database) {
    let shop = company(database);
    let (taken, variant) = shop.article("TAKEN");
    let slug = shop.get(&format!("catalog/products/{taken}")).is(200).text("slug");
    let (other, _) = shop.article("OTHER");
    // An archived one too: it keeps its SKU and its slug.
    shop.archive(&format!("catalog/products/{taken}")).is(200);
    let by_slug = with(&product("P"), json!({ "slug": slug }));
    let by_sku = with(&product("P"), json!({ "variants": [{ "sku": "FREE" }, { "sku": "TAKEN" }] }));
    let import = json!({ "products": [by_slug.clone(), by_sku.clone()] });
    for (refused, expected) in [
        (shop.post("catalog/products", by_slug.clone()), vec![("/slug", &taken)]),
        (shop.post("catalog/products", by_sku), vec![("/variants/1/sku", &variant)]),
        (
            shop.post("catalog/imports", import),
            vec![("/products/0/slug", &taken), ("/products/1/variants/1/sku", &variant)],
        ),
        (shop.post(&format!("catalog/products/{other}/variants"), json!({ "sku": "TAKEN" })), vec![("/sku", &variant)]),
        (shop.put(&format!("catalog/products/{other}"), by_slug), vec![("/slug", &taken)]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|(pointer, id)| (pointer.to_string(), json!(id))).collect();
        assert_eq!(conflicts(&refused.refused(409, "DUPLICATE")), expected);
    }
}

fn a_duplicate_names_no_record_to_who_may_not_read(database: Database) {
    let shop = company(database);
    shop.article("TAKEN");
    let (_, writer) = shop.member("writer", &[&shop.role("WRITER", &["catalog.write"])]);
    let body = with(&product("P"), json!({ "variants": [{ "sku": "TAKEN" }] }));
    let refused = writer.post("catalog/products", body).refused(409, "DUPLICATE");
    assert_eq!(conflicts(&refused), [("/variants/0/sku".to_string(), Json::Null)]);
}
