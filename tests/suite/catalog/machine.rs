//! The catalog as API clients see it: what is on sale and no more; and their writes, which follow the rules of people.

use serde_json::{Value as Json, json};
use stoa_tests::company::{product, with};
use stoa_tests::{Answer, Company, Database, Machine, company, on_both_databases};

on_both_databases![
    projections,
    c12_what_is_not_on_sale,
    c12_foreign_and_absent_are_alike,
    lists_show_what_is_on_sale,
    filters_of_products,
    updated_since,
    lookups,
    c20_media_of_archived_variants_are_hidden,
    other_filters_are_refused,
    writes_answer_receipts,
    c09_writes_follow_the_rules_of_people,
    who_writes_drafts_reads_them,
    who_only_reads_finds_no_draft,
    drafts_are_listed_on_demand,
    media_of_drafts_are_hidden_from_writers,
    replays_and_if_match,
    scopes,
    what_a_write_leaves,
    pages,
    many_in_one_list,
    imports,
];

fn feeder(shop: &Company) -> Machine {
    shop.machine(&["catalog.read", "catalog.write"])
}

/// A product on sale with these members changed.
fn on_sale(shop: &Company, name: &str, members: Json) -> Answer {
    let sku = name.to_uppercase().replace(' ', "-");
    let body = json!({ "publicationStatus": "PUBLISHED", "variants": [{ "sku": sku }] });
    shop.post("catalog/products", with(&with(&product(name), body), members)).is(201)
}

fn members(object: &Json) -> Vec<&str> {
    let mut members: Vec<&str> = object.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    members.sort_unstable();
    members
}

fn variant(made: &Answer) -> String {
    made["variants"][0]["id"].as_str().unwrap_or_default().to_string()
}

/// A client reads the same records as people, without the members that are for people only.
fn projections(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let brand = shop.brand("B");
    let full = json!({
        "brandId": brand, "description": "D", "shortDescription": "S", "attributes": { "internal": "note" },
        "trackInventory": true, "trackSerials": true,
        "variants": [{ "sku": "A", "barcode": "4006381333931", "attributes": { "internal": "note" },
                       "searchAliases": ["nickname"], "condition": "NEW", "color": "red" }],
    });
    let made = on_sale(&shop, "Full", full);
    let (id, variant_id) = (made.id(), variant(&made));
    let read = machine.get(&format!("catalog/products/{id}")).is(200);
    let human = shop.get(&format!("catalog/products/{id}")).is(200);
    assert_eq!(
        members(&read.body),
        [
            "brandId",
            "categoryId",
            "createdAt",
            "description",
            "id",
            "manufacturerId",
            "name",
            "productType",
            "publicAttributes",
            "publicationStatus",
            "shortDescription",
            "singleSku",
            "slug",
            "status",
            "unitOfMeasure",
            "updatedAt",
            "variantCount",
            "variantMode",
        ]
    );
    assert_eq!(read.etag(), human.etag());
    let variants = machine.get(&format!("catalog/products/{id}/variants")).is(200);
    let one = machine.get(&format!("catalog/variants/{variant_id}")).is(200);
    assert_eq!(variants.items(), std::slice::from_ref(&one.body));
    assert_eq!(
        members(&one.body),
        [
            "barcode",
            "color",
            "condition",
            "createdAt",
            "grade",
            "id",
            "modelNumber",
            "productId",
            "publicAttributes",
            "simType",
            "sku",
            "status",
            "storage",
            "updatedAt",
        ]
    );
    let url = "https://cdn.example.test/a.jpg";
    let medium =
        shop.post(&format!("catalog/products/{id}/media"), json!({ "url": url, "variantId": variant_id })).is(201);
    let media = machine.get(&format!("catalog/products/{id}/media")).is(200);
    let shown = &media.items()[0];
    assert_eq!(members(shown), ["altText", "id", "position", "productId", "status", "url", "variantId"]);
    let lookups = machine.get("catalog/lookups/brands").is(200);
    assert_eq!(lookups.items(), [json!({ "id": brand, "name": "Brand B", "code": "B" })]);
    let units = machine.get("catalog/lookups/units").is(200);
    assert_eq!(members(&units.items()[0]), ["code", "decimalPlaces", "id", "name"]);
    for (public, private) in [
        (&read.body, &human.body),
        (&one.body, &shop.get(&format!("catalog/variants/{variant_id}")).is(200).body),
        (shown, &medium.body),
    ] {
        for (member, value) in public.as_object().into_iter().flatten() {
            assert_eq!(&private[member], value, "{member}");
        }
    }
    for text in [&read, &variants, &media, &lookups, &units].map(|answer| answer.body.to_string()) {
        assert!(!text.contains("note") && !text.contains("nickname") && !text.contains(&shop.tenant), "{text}");
    }
}

/// Every read of a product and its parts.
fn reads(machine: &Machine, product: &str, variant: &str) -> [Answer; 4] {
    [
        machine.get(&format!("catalog/products/{product}")),
        machine.get(&format!("catalog/products/{product}/variants")),
        machine.get(&format!("catalog/products/{product}/media")),
        machine.get(&format!("catalog/variants/{variant}")),
    ]
}

fn c12_what_is_not_on_sale(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read"]);
    let (draft, of_draft) = shop.article("DRAFT");
    let archived = on_sale(&shop, "Archived", json!({}));
    shop.archive(&format!("catalog/products/{}", archived.id())).is(200);
    let withdrawn = on_sale(&shop, "Withdrawn", json!({}));
    shop.put(&format!("catalog/products/{}", withdrawn.id()), product("Withdrawn")).is(200);
    for (product, variant) in
        [(draft, of_draft), (archived.id(), variant(&archived)), (withdrawn.id(), variant(&withdrawn))]
    {
        for answer in reads(&machine, &product, &variant) {
            answer.refused(404, "NOT_FOUND");
        }
    }
    let two = on_sale(&shop, "Two", json!({ "variants": [{ "sku": "T1" }, { "sku": "T2" }] }));
    shop.archive(&format!("catalog/variants/{}", variant(&two))).is(200);
    machine.get(&format!("catalog/variants/{}", variant(&two))).refused(404, "NOT_FOUND");
    let left = machine.get(&format!("catalog/products/{}/variants", two.id())).is(200);
    assert_eq!(left.items().len(), 1);
    assert_eq!(left.items()[0]["sku"], "T2");
    shop.delete(&format!("catalog/products/{}", shop.product("Gone"))).is(200);
}

fn c12_foreign_and_absent_are_alike(database: Database) {
    let (mine, theirs) = (company(database), company(database));
    let machine = feeder(&mine);
    let made = on_sale(&theirs, "Theirs", json!({}));
    let media = theirs
        .post(&format!("catalog/products/{}/media", made.id()), json!({ "url": "https://example.test/a" }))
        .is(201)
        .id();
    let brand = theirs.brand("B");
    let absent = uuid::Uuid::now_v7().to_string();
    let before = theirs.records();
    let pairs = reads(&machine, &made.id(), &variant(&made)).into_iter().zip(reads(&machine, &absent, &absent));
    let writes = |product: &str, variant: &str, media: &str, brand: &str| {
        [
            machine.put(&format!("catalog/products/{product}"), stoa_tests::company::product("P")),
            machine.post(&format!("catalog/products/{product}/variants"), json!({ "sku": "NEW" })),
            machine.put(&format!("catalog/variants/{variant}"), json!({ "sku": "THEIRS" })),
            machine.post(&format!("catalog/products/{product}/media"), json!({ "url": "https://example.test/b" })),
            machine.put(&format!("catalog/media/{media}"), json!({ "url": "https://example.test/b" })),
            machine.put(&format!("catalog/lookups/brands/{brand}"), json!({ "name": "N", "code": "B" })),
        ]
    };
    let writes =
        writes(&made.id(), &variant(&made), &media, &brand).into_iter().zip(writes(&absent, &absent, &absent, &absent));
    for (foreign, absent) in pairs.chain(writes) {
        assert_eq!((foreign.status, foreign.masked()), (404, absent.masked()), "{foreign}");
    }
    assert!(machine.get("catalog/products").is(200).items().is_empty());
    assert_eq!(theirs.records(), before);
}

fn lists_show_what_is_on_sale(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    shop.article("DRAFT");
    let shown = on_sale(&shop, "Shown", json!({}));
    let archived = on_sale(&shop, "Archived", json!({}));
    shop.archive(&format!("catalog/products/{}", archived.id())).is(200);
    assert_eq!(machine.get("catalog/products").is(200).ids(), [shown.id()]);
    assert_eq!(machine.get("catalog/products?status=ACTIVE").is(200).ids(), [shown.id()]);
}

fn filters_of_products(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let lookup = |kind: &str, code: &str| {
        shop.post(&format!("catalog/lookups/{kind}"), json!({ "name": code, "code": code })).is(201).id()
    };
    let (category, brand, maker) = (lookup("categories", "C"), lookup("brands", "B"), lookup("manufacturers", "M"));
    let a = on_sale(&shop, "Alpha", json!({ "categoryId": category, "brandId": brand })).id();
    let b = on_sale(&shop, "Beta", json!({ "brandId": brand, "manufacturerId": maker })).id();
    let variants = json!([{ "sku": "G-1", "barcode": "123", "modelNumber": "M_1%", "searchAliases": ["Gimmel"] },
                          { "sku": "OLD-1" }]);
    let made = on_sale(&shop, "Gamma", json!({ "variants": variants }));
    let c = made.id();
    shop.archive(&format!("catalog/variants/{}", made["variants"][1]["id"].as_str().unwrap_or_default())).is(200);
    let found = |query: &[(&str, &str)]| machine.request("GET", "catalog/products").query(query).send().is(200).ids();
    for (query, expected) in [
        (vec![("categoryId", category.as_str())], vec![&a]),
        (vec![("brandId", &brand)], vec![&a, &b]),
        (vec![("manufacturerId", &maker)], vec![&b]),
        (vec![("brandId", &brand), ("manufacturerId", &maker)], vec![&b]),
        (vec![("text", "ALPH")], vec![&a]),
        (vec![("text", "g-1")], vec![&c]),
        (vec![("text", "123")], vec![&c]),
        (vec![("text", "gimmel")], vec![&c]),
        (vec![("text", "m_1%")], vec![&c]),
        // [C16]
        (vec![("text", "%")], vec![&c]),
        (vec![("text", "_")], vec![&c]),
        (vec![("text", "\\")], vec![]),
        // The SKU of an archived variant.
        (vec![("text", "OLD-1")], vec![]),
        (vec![("categoryId", &brand)], vec![]),
    ] {
        assert_eq!(found(&query).iter().collect::<Vec<_>>(), expected, "{query:?}");
    }
}

fn updated_since(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let first = on_sale(&shop, "First", json!({}));
    let second = on_sale(&shop, "Second", json!({}));
    let brand = shop.brand("B");
    let pause = || std::thread::sleep(std::time::Duration::from_millis(5));
    let found =
        |path: &str, since: &str| machine.request("GET", path).query(&[("updatedSince", since)]).send().is(200).ids();
    // Inclusive: a record changed at the very instant is shown.
    assert_eq!(found("catalog/products", &second.text("updatedAt")).last(), Some(&second.id()));
    pause();
    let added = shop.variant(&first.id(), "MORE");
    let since = shop.get(&format!("catalog/products/{}", first.id())).is(200).text("updatedAt");
    assert_eq!(found("catalog/products", &since), [first.id()], "by a variant too");
    assert_eq!(found(&format!("catalog/products/{}/variants", first.id()), &since), [added]);
    pause();
    let changed = shop.put(&format!("catalog/lookups/brands/{brand}"), json!({ "name": "N", "code": "B" })).is(200);
    assert_eq!(found("catalog/lookups/brands", &changed.text("updatedAt")), [brand]);
    assert!(found("catalog/lookups/brands", "9999-12-31T23:59:59.999Z").is_empty());
    for wrong in ["2026-01-01", "2026-01-01T00:00:00+00:00", "2026-02-30T00:00:00Z", "0000-01-01T00:00:00Z", ""] {
        let answer = machine.request("GET", "catalog/products").query(&[("updatedSince", wrong)]).send();
        answer.refused(400, "VALIDATION_FAILED").at("/query/updatedSince");
    }
}

fn lookups(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let kept = shop.brand("KEPT");
    let gone = shop.brand("GONE");
    shop.archive(&format!("catalog/lookups/brands/{gone}")).is(200);
    assert_eq!(machine.get("catalog/lookups/brands").is(200).ids(), [kept.as_str()]);
    assert_eq!(machine.get("catalog/lookups/brands?text=kep").is(200).ids(), [kept]);
    assert!(machine.get("catalog/lookups/brands?text=gone").is(200).items().is_empty());
    assert_eq!(machine.get("catalog/lookups/brands?code=kept").is(200).ids(), shop.get("catalog/lookups/brands").ids());
    assert!(machine.get("catalog/lookups/brands?code=KEP").is(200).items().is_empty(), "a code is found whole");
    assert!(machine.get("catalog/lookups/brands?code=GONE").is(200).items().is_empty());
    machine.get("catalog/lookups/colors").refused(400, "VALIDATION_FAILED").at("/path/kind");
}

fn c20_media_of_archived_variants_are_hidden(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let made = on_sale(&shop, "Two", json!({ "variants": [{ "sku": "T1" }, { "sku": "T2" }] }));
    let path = format!("catalog/products/{}/media", made.id());
    let add = |variant: Option<&str>| {
        shop.post(&path, json!({ "url": "https://example.test/a", "variantId": variant })).is(201).id()
    };
    let plain = add(None);
    let first = add(made["variants"][0]["id"].as_str());
    let second = add(made["variants"][1]["id"].as_str());
    let gone = add(None);
    shop.archive(&format!("catalog/media/{gone}")).is(200);
    assert_eq!(machine.get(&path).is(200).ids(), [&plain, &first, &second].map(String::as_str));
    shop.archive(&format!("catalog/variants/{}", variant(&made))).is(200);
    assert_eq!(machine.get(&path).is(200).ids(), [&plain, &second].map(String::as_str));
}

fn other_filters_are_refused(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let made = on_sale(&shop, "Shown", json!({}));
    let lists = [
        "catalog/products".to_string(),
        "catalog/lookups/brands".into(),
        format!("catalog/products/{}/variants", made.id()),
        format!("catalog/products/{}/media", made.id()),
    ];
    for list in lists {
        machine.get(&format!("{list}?status=ARCHIVED")).refused(400, "VALIDATION_FAILED").at("/query/status");
        for unknown in ["deep=true", "at=2026-01-01T00:00:00Z", "publicationStatus=DRAFT", "trackSerials=true"] {
            machine.get(&format!("{list}?{unknown}")).refused(400, "UNKNOWN_QUERY_PARAMETER");
        }
    }
    let one = format!("catalog/products/{}?include=variants", made.id());
    machine.get(&one).refused(400, "UNKNOWN_QUERY_PARAMETER");
}

/// One write of every kind, as method, path and body.
fn writes(shop: &Company) -> Vec<(&'static str, String, Json)> {
    let made = on_sale(shop, "Written", json!({}));
    let (id, variant_id) = (made.id(), variant(&made));
    let brand = shop.brand("WRITTEN");
    let path = format!("catalog/products/{id}/media");
    let media = shop.post(&path, json!({ "url": "https://example.test/a" })).is(201).id();
    vec![
        ("POST", "catalog/lookups/units".into(), json!({ "name": "Kilo", "code": "KG", "decimalPlaces": 3 })),
        ("PUT", format!("catalog/lookups/brands/{brand}"), json!({ "name": "N", "code": "WRITTEN" })),
        ("POST", "catalog/products".into(), with(&product("New"), json!({ "variants": [{ "sku": "NEW" }] }))),
        ("PUT", format!("catalog/products/{id}"), with(&product("Put"), json!({ "publicationStatus": "PUBLISHED" }))),
        ("POST", format!("catalog/products/{id}/variants"), json!({ "sku": "NEW-2" })),
        ("PUT", format!("catalog/variants/{variant_id}"), json!({ "sku": "WRITTEN", "color": "red" })),
        ("POST", path, json!({ "url": "https://example.test/b" })),
        ("PUT", format!("catalog/media/{media}"), json!({ "url": "https://example.test/c" })),
    ]
}

fn writes_answer_receipts(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    for (method, path, body) in writes(&shop) {
        let status = if method == "POST" { 201 } else { 200 };
        let receipt = machine.request(method, &path).json(&body).send().is(status);
        // A product's variants are made with it: the caller that writes them learns their ids at once.
        let reported: &[&str] = match path.as_str() {
            "catalog/products" => &["createdAt", "id", "status", "updatedAt", "variants"],
            _ => &["createdAt", "id", "status", "updatedAt"],
        };
        assert_eq!(members(&receipt.body), reported, "{path}");
        assert_eq!(receipt["status"], "ACTIVE");
        let record = match method {
            "PUT" => path.clone(),
            _ if path.ends_with("/variants") => format!("catalog/variants/{}", receipt.id()),
            _ if path.ends_with("/media") => format!("catalog/media/{}", receipt.id()),
            _ => format!("{path}/{}", receipt.id()),
        };
        let read = shop.get(&record).is(200);
        assert_eq!((read.id(), read.etag()), (receipt.id(), receipt.etag()), "{path}");
        assert_eq!(read["updatedAt"], receipt["updatedAt"]);
        for (member, value) in body.as_object().into_iter().flatten().filter(|(name, _)| *name != "variants") {
            assert_eq!(&read[member], value, "{path}: {member}");
        }
    }
}

fn c09_writes_follow_the_rules_of_people(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let made = on_sale(&shop, "Shown", json!({}));
    let id = made.id();
    let before = shop.records();
    let create = |members: Json| machine.post("catalog/products", with(&product("P"), members));
    create(json!({ "variants": [{ "sku": "A", "searchAliases": ["\u{c9}", "e"] }] }))
        .refused(400, "VALIDATION_FAILED")
        .fault("/variants/0/searchAliases/1", "REPEATED");
    create(json!({ "variants": [{ "sku": "A" }, { "sku": "A" }] }))
        .refused(400, "VALIDATION_FAILED")
        .at("/variants/1/sku");
    create(json!({ "variants": [{ "sku": "SHOWN" }] })).refused(409, "DUPLICATE").at("/variants/0/sku");
    create(json!({ "slug": "shown" })).refused(409, "DUPLICATE").at("/slug");
    create(json!({ "publicationStatus": "PUBLISHED" })).refused(409, "ILLEGAL_STATE").at("/publicationStatus");
    create(json!({ "attributes": { "password": "x" } })).refused(400, "VALIDATION_FAILED").at("/attributes");
    create(json!({ "unitOfMeasure": "NONE" })).refused(404, "NOT_FOUND").at("/unitOfMeasure");
    let put = |members: Json| machine.put(&format!("catalog/products/{id}"), with(&product("P"), members));
    put(json!({ "productType": "SERVICE" })).refused(409, "IMMUTABLE_FIELD").at("/productType");
    put(json!({ "variants": [] })).refused(400, "VALIDATION_FAILED").fault("", "NOT_ALLOWED");
    let variant_path = format!("catalog/variants/{}", variant(&made));
    machine.put(&variant_path, json!({ "sku": "OTHER" })).refused(409, "IMMUTABLE_FIELD").at("/sku");
    let media = format!("catalog/products/{id}/media");
    machine.post(&media, json!({ "url": "http://example.test/a" })).refused(400, "VALIDATION_FAILED").at("/url");
    let lower = machine.post("catalog/lookups/brands", json!({ "name": "N", "code": "lower" }));
    lower.refused(400, "VALIDATION_FAILED").fault("/code", "FORMAT");
    assert_eq!(shop.records(), before);
    // Clients archive and delete nothing.
    for (method, path, status, code) in [
        ("POST", format!("catalog/products/{id}/archive"), 404, "NOT_FOUND"),
        ("DELETE", format!("catalog/products/{id}"), 405, "METHOD_NOT_ALLOWED"),
    ] {
        machine.request(method, &path).json(&json!({})).send().refused(status, code);
    }
}

/// A feed reads back what it wrote, in whatever state that is.
fn who_writes_drafts_reads_them(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let id = machine.post("catalog/products", product("Later")).is(201).id();
    let path = format!("catalog/products/{id}");
    let variant_id = machine.post(&format!("{path}/variants"), json!({ "sku": "LATER" })).is(201).id();
    let read = machine.get(&path).is(200);
    assert_eq!((&read["publicationStatus"], &read["singleSku"]), (&json!("DRAFT"), &json!("LATER")));
    assert_eq!(machine.get(&format!("{path}/variants")).is(200).ids(), [variant_id.as_str()]);
    let one = format!("catalog/variants/{variant_id}");
    assert_eq!(machine.get(&one).is(200).etag(), shop.get(&one).is(200).etag());
    shop.archive(&path).is(200);
    assert_eq!(machine.get(&path).is(200)["status"], "ARCHIVED");
    assert_eq!(machine.get(&one).is(200)["status"], "ARCHIVED");
    assert!(machine.get(&format!("{path}/variants")).is(200).items().is_empty());
    let deleted = format!("catalog/products/{}", shop.product("Gone"));
    shop.delete(&deleted).is(200);
    machine.get(&deleted).refused(404, "NOT_FOUND");
}

fn who_only_reads_finds_no_draft(database: Database) {
    let shop = company(database);
    let (writer, reader) = (feeder(&shop), shop.machine(&["catalog.read"]));
    let body = with(&product("Later"), json!({ "variants": [{ "sku": "LATER" }] }));
    let made = writer.post("catalog/products", body).is(201);
    let path = format!("catalog/products/{}", made.id());
    let found = || reads(&reader, &made.id(), &variant(&made));
    assert!(found().iter().all(|answer| answer.status == 404));
    let published = with(&product("Later"), json!({ "publicationStatus": "PUBLISHED" }));
    writer.put(&path, published).is(200);
    assert!(found().iter().all(|answer| answer.status == 200));
    // 0.14: a PUT without it takes the product off sale.
    writer.put(&path, product("Later")).is(200);
    assert!(found().iter().all(|answer| answer.status == 404));
    for list in ["catalog/products", "catalog/variants"] {
        reader.get(&format!("{list}?drafts=true")).refused(403, "SCOPE_DENIED");
        assert!(reader.get(&format!("{list}?drafts=false")).is(200).items().is_empty());
    }
}

fn drafts_are_listed_on_demand(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let (shown, draft, archived) =
        (on_sale(&shop, "Shown", json!({})), shop.article("DRAFT"), on_sale(&shop, "Archived", json!({})));
    shop.archive(&format!("catalog/products/{}", archived.id())).is(200);
    let listed = |path: &str| machine.get(path).is(200).ids();
    assert_eq!(listed("catalog/products"), [shown.id()]);
    assert_eq!(listed("catalog/products?drafts=true"), [&shown.id(), &draft.0].map(String::as_str));
    assert_eq!(listed("catalog/products?drafts=true&sku=draft"), [draft.0.as_str()]);
    assert_eq!(listed("catalog/variants"), [variant(&shown)]);
    assert_eq!(listed("catalog/variants?drafts=true"), [variant(&shown), draft.1]);
    // Users ask by the state itself.
    shop.list("catalog/products", &[("drafts", "true")]).refused(400, "UNKNOWN_QUERY_PARAMETER");
}

fn media_of_drafts_are_hidden_from_writers(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let (draft, _) = shop.article("DRAFT");
    let media = format!("catalog/products/{draft}/media");
    machine.post(&media, json!({ "url": "https://example.test/a" })).is(201);
    machine.get(&media).refused(404, "NOT_FOUND");
}

fn replays_and_if_match(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let key = uuid::Uuid::new_v4().to_string();
    let body = with(&product("Once"), json!({ "variants": [{ "sku": "ONCE" }], "publicationStatus": "PUBLISHED" }));
    let send = || machine.request("POST", "catalog/products").key(&key).json(&body).send().is(201);
    let first = send();
    let before = shop.records();
    let again = send();
    assert!(again.replayed());
    assert_eq!((&again.bytes, again.etag()), (&first.bytes, first.etag()));
    assert_eq!(shop.records(), before);
    let path = format!("catalog/products/{}", first.id());
    let put = |tag: &str| {
        let body = with(&product("Twice"), json!({ "publicationStatus": "PUBLISHED" }));
        machine.request("PUT", &path).if_match(tag).json(&body).send()
    };
    let seen = machine.get(&path).is(200).etag();
    put(&seen).is(200);
    put(&seen).refused(412, "PRECONDITION_FAILED");
    machine
        .request("PUT", &path)
        .without("idempotency-key")
        .json(&body)
        .send()
        .refused(400, "IDEMPOTENCY_KEY_REQUIRED");
}

fn scopes(database: Database) {
    let shop = company(database);
    let reader = shop.machine(&["catalog.read"]);
    let writer = shop.machine(&["catalog.write"]);
    let other = shop.machine(&["pricing.read", "pricing.write"]);
    let made = on_sale(&shop, "Shown", json!({}));
    let todo = writes(&shop);
    let before = shop.records();
    for (method, path, body) in todo {
        for machine in [&reader, &other] {
            machine.request(method, &path).json(&body).send().refused(403, "SCOPE_DENIED");
        }
    }
    assert_eq!(shop.records(), before);
    for machine in [&writer, &other] {
        for answer in reads(machine, &made.id(), &variant(&made)) {
            answer.refused(403, "SCOPE_DENIED");
        }
        machine.get("catalog/products").refused(403, "SCOPE_DENIED");
        machine.get("catalog/lookups/brands").refused(403, "SCOPE_DENIED");
    }
    let user = shop.host.request("GET", "/v1/api-client/catalog/products").token(&shop.token).send();
    user.refused(403, "WRONG_IDENTITY_FAMILY");
}

/// An audit row, like those of people, but by the client; the same events.
fn what_a_write_leaves(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let todo = writes(&shop);
    let count = || shop.count("stoa_event", "1 = 1");
    let before = count();
    for (method, path, body) in &todo {
        machine.request(method, path).json(body).send();
    }
    // One each, and one more for the variant that came with a product, and for the product that became MULTIPLE.
    assert_eq!(count(), before + 10);
    let rows = shop.rows(
        "select operation, resource_type, actor_type, actor_id,
           (select subject_id from stoa_audit_subject as s where s.tenant_id = a.tenant_id and s.audit_id = a.id)
         from stoa_audit as a
         where {tenant} and actor_type = 'API_CLIENT' and resource_type like 'CATALOG_%' order by id",
    );
    let operations: Vec<(&str, &str)> = rows.iter().map(|row| (row[0].as_str(), row[1].as_str())).collect();
    assert_eq!(
        operations,
        [
            ("apiCreateLookup", "CATALOG_LOOKUP"),
            ("apiReplaceLookup", "CATALOG_LOOKUP"),
            ("apiCreateProduct", "CATALOG_PRODUCT"),
            ("apiReplaceProduct", "CATALOG_PRODUCT"),
            ("apiCreateVariant", "CATALOG_VARIANT"),
            ("apiReplaceVariant", "CATALOG_VARIANT"),
            ("apiCreateMedia", "CATALOG_MEDIA"),
            ("apiReplaceMedia", "CATALOG_MEDIA"),
        ]
    );
    assert!(rows.iter().all(|row| row[3] == machine.client), "{rows:?}");
    let product = todo[3].1.rsplit('/').next().unwrap_or_default();
    assert!(rows[4..].iter().all(|row| row[4] == product), "parts are audited under their product: {rows:?}");
}

fn pages(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let made: Vec<String> = (0..7)
        .filter_map(|n| {
            let shown = n % 3 != 1;
            let status = if shown { "PUBLISHED" } else { "DRAFT" };
            let id = on_sale(&shop, &format!("P {n}"), json!({ "publicationStatus": status })).id();
            shown.then_some(id)
        })
        .collect();
    let mut listed = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut request = machine.request("GET", "catalog/products").query(&[("limit", "2")]);
        if let Some(cursor) = &cursor {
            request = request.query(&[("cursor", cursor)]);
        }
        let page = request.send().is(200);
        assert!(page.items().len() <= 2);
        listed.extend(page.ids());
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_string()),
            None => break,
        }
    }
    assert_eq!(listed, made);
}

/// A feed asks for its records by their names, as many as a page holds at a time; and records that are not on sale stay unseen.
fn many_in_one_list(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let (one, two) = (on_sale(&shop, "One", json!({})), on_sale(&shop, "Two", json!({})));
    let draft = on_sale(&shop, "Draft", json!({ "publicationStatus": "DRAFT" }));
    let asked =
        |path: &str, name: &str, value: &str| machine.request("GET", path).query(&[(name, value)]).send().is(200).ids();
    let products = [one.id(), draft.id(), two.id()].join(",");
    let variants = [variant(&one), variant(&draft), variant(&two)].join(",");
    assert_eq!(asked("catalog/products", "ids", &products), [one.id(), two.id()]);
    assert_eq!(asked("catalog/products", "sku", "two"), [two.id()]);
    assert_eq!(asked("catalog/products", "slug", "one"), [one.id()]);
    assert!(asked("catalog/products", "sku", "draft").is_empty());
    let on_sale_alone = [variant(&one), variant(&two)];
    assert_eq!(asked("catalog/variants", "ids", &variants), on_sale_alone);
    assert_eq!(asked("catalog/variants", "productIds", &products), on_sale_alone);
    assert_eq!(asked("catalog/variants", "sku", "One"), [variant(&one)]);
    assert!(asked("catalog/variants", "updatedSince", "2999-01-01T00:00:00Z").is_empty());
    // A page fills up over what is not on sale.
    let page = |cursor: &str| machine.get(&format!("catalog/variants?limit=1{cursor}")).is(200);
    let first = page("");
    let second = page(&format!("&cursor={}", first.text("nextCursor")));
    assert_eq!([first.ids(), second.ids()].concat(), on_sale_alone);
    for wrong in ["", "x", &vec![one.id(); 101].join(",")] {
        let refused = machine.request("GET", "catalog/products").query(&[("ids", wrong)]).send();
        refused.refused(400, "VALIDATION_FAILED");
    }
}

/// An import by a key makes the same records as its single creations; and it needs the scope of writes.
fn imports(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let named = |name: &str, skus: &[&str]| {
        let variants: Vec<Json> = skus.iter().map(|sku| json!({ "sku": sku })).collect();
        with(&product(name), json!({ "variants": variants }))
    };
    let body = json!({ "products": [named("One", &["A", "B"]), named("Two", &["C"])] });
    let made = machine.post("catalog/imports", body.clone()).is(201);
    assert_eq!(made.ids(), shop.get("catalog/products").is(200).ids());
    let sku = |sku: &str| shop.list("catalog/variants", &[("sku", sku)]).is(200).ids().remove(0);
    let reported = json!([{ "id": sku("A"), "sku": "A" }, { "id": sku("B"), "sku": "B" }]);
    assert_eq!(made.items()[0]["variants"], reported);
    let before = shop.records();
    machine.post("catalog/imports", body.clone()).refused(409, "DUPLICATE").at("/products/0/variants/0/sku");
    shop.machine(&["catalog.read"]).post("catalog/imports", body).refused(403, "SCOPE_DENIED");
    assert_eq!(shop.records(), before);
}
