//! Media of products: only addresses, bounded, and gone from view with what they show.

use serde_json::{Value as Json, json};
use stoa_tests::{Answer, Company, Database, at_once, company, on_both_databases};

on_both_databases![
    answers_every_member,
    c10_addresses,
    bounds,
    variants_must_be_of_the_product,
    an_archived_variant_may_stay,
    a_hundred_active_ones_at_most,
    the_hundredth_place_is_taken_once,
    archive_of_the_product_takes_its_media_along,
    included_in_the_product,
    p18_foreign_ids,
    what_a_write_leaves,
];

on_both_databases![
    rules:
    replacement_resets_what_it_omits,
    c13_archived_media_are_immutable,
    a_product_with_media_is_not_deleted,
];

const URL: &str = "https://cdn.example.test/a.jpg";

fn add(shop: &Company, product: &str, body: Json) -> Answer {
    shop.post(&format!("catalog/products/{product}/media"), body)
}

fn listed(shop: &Company, product: &str, status: &str) -> Vec<String> {
    shop.list(&format!("catalog/products/{product}/media"), &[("status", status)]).is(200).ids()
}

fn answers_every_member(database: Database) {
    let shop = company(database);
    let (product, variant) = shop.article("A");
    let made = add(&shop, &product, json!({ "url": URL })).is(201);
    let expected = [
        ("tenantId", json!(shop.tenant)),
        ("status", json!("ACTIVE")),
        ("archivedAt", Json::Null),
        ("productId", json!(product)),
        ("url", json!(URL)),
        ("variantId", Json::Null),
        ("altText", Json::Null),
        ("position", json!(0)),
    ];
    for (member, value) in expected {
        assert_eq!(made[member], value, "{member}: {made}");
    }
    let path = format!("catalog/media/{}", made.id());
    let read = shop.get(&path).is(200);
    assert_eq!((&read.body, read.etag()), (&made.body, made.etag()));
    let body = json!({ "url": URL, "variantId": variant, "altText": "  Front ", "position": 3 });
    let second = add(&shop, &product, body).is(201);
    assert_eq!((&second["variantId"], &second["altText"]), (&json!(variant), &json!("Front")));
    // By id, whatever the positions say.
    assert_eq!(listed(&shop, &product, "ACTIVE"), [made.id(), second.id()]);
}

fn c10_addresses(database: Database) {
    let shop = company(database);
    let product = shop.product("P");
    let long = |length: usize| format!("https://example.test/{}", "a".repeat(length - "https://example.test/".len()));
    let before = shop.digest();
    for bad in [
        "http://example.test/a.jpg",
        "ftp://example.test/a.jpg",
        "//example.test/a.jpg",
        "example.test/a.jpg",
        "https:example.test",
        "https://",
        "https:///a.jpg",
        "https://user@example.test/a.jpg",
        "https://user:secret@example.test/a.jpg",
        "https://example.test/a.jpg?size=1",
        "https://example.test/a.jpg?",
        "https://example.test/a.jpg#top",
        "https://example.test/a.jpg#",
        "https://example.test?",
        "https://example.test/a b.jpg",
        "https://example.test/\u{fc}.jpg",
        "https://example.test/%zz.jpg",
        "https://example.test:/a.jpg",
        "https://example.test:0/a.jpg",
        "https://example.test:65536/a.jpg",
        "https://example.test:99999/a.jpg",
        "https://[2001:db8::1]:123456",
        "https://example.test\\a.jpg",
        "https://example.test/a.jpg\n",
        "",
    ] {
        let answer = add(&shop, &product, json!({ "url": bad })).refused(400, "VALIDATION_FAILED");
        assert_eq!(answer.pointers(), ["/url"], "{bad}: {answer}");
    }
    add(&shop, &product, json!({ "url": long(2049) })).refused(400, "VALIDATION_FAILED").fault("/url", "RANGE");
    assert_eq!(shop.digest(), before);
    for good in [
        URL,
        "https://example.test",
        "https://example.test/",
        "https://example.test:8443/a/b/@2x/c.jpg",
        "https://example.test:65535/a.jpg",
        "https://example.test:60000",
        "https://192.0.2.1/a.jpg",
        "https://[2001:db8::1]/a.jpg",
        "https://example.test/%C3%BC.jpg;v=1,2",
        &long(2048),
    ] {
        assert_eq!(add(&shop, &product, json!({ "url": good })).is(201)["url"], good);
    }
}

fn bounds(database: Database) {
    let shop = company(database);
    let product = shop.product("P");
    for (members, pointer, code) in [
        (json!({ "altText": "\u{e9}".repeat(301) }), "/altText", "RANGE"),
        (json!({ "position": -1 }), "/position", "RANGE"),
        (json!({ "position": 10_001 }), "/position", "RANGE"),
        (json!({ "position": "1" }), "/position", "TYPE"),
        (json!({ "variantId": "x" }), "/variantId", "FORMAT"),
        (json!({ "url": null }), "/url", "TYPE"),
        (json!({ "bytes": "x" }), "", "NOT_ALLOWED"),
    ] {
        let body = stoa_tests::company::with(&json!({ "url": URL }), members);
        add(&shop, &product, body).refused(400, "VALIDATION_FAILED").fault(pointer, code);
    }
    add(&shop, &product, json!({})).refused(400, "VALIDATION_FAILED").fault("/url", "REQUIRED");
    let edge = json!({ "url": URL, "altText": "\u{e9}".repeat(300), "position": 10_000 });
    add(&shop, &product, edge).is(201);
    shop.list(&format!("catalog/products/{product}/media"), &[("position", "1")])
        .refused(400, "UNKNOWN_QUERY_PARAMETER");
}

fn replacement_resets_what_it_omits(database: Database) {
    let shop = company(database);
    let (product, variant) = shop.article("A");
    let body = json!({ "url": URL, "variantId": variant, "altText": "Front", "position": 3 });
    let made = add(&shop, &product, body).is(201);
    let other = "https://cdn.example.test/b.jpg";
    let after = shop.put(&format!("catalog/media/{}", made.id()), json!({ "url": other })).is(200);
    let members = (&after["url"], &after["variantId"], &after["altText"], &after["position"]);
    assert_eq!(members, (&json!(other), &Json::Null, &Json::Null, &json!(0)));
    assert_eq!((&after["productId"], &after["createdAt"]), (&made["productId"], &made["createdAt"]));
}

fn variants_must_be_of_the_product(database: Database) {
    let shop = company(database);
    let (product, variant) = shop.article("A");
    let (_, other) = shop.article("B");
    let absent = uuid::Uuid::now_v7().to_string();
    let id = add(&shop, &product, json!({ "url": URL })).is(201).id();
    let before = shop.digest();
    let body = |variant: &str| json!({ "url": URL, "variantId": variant });
    let put = |variant: &str| shop.put(&format!("catalog/media/{id}"), body(variant));
    for ask in [&(|variant: &str| add(&shop, &product, body(variant))) as &dyn Fn(&str) -> Answer, &put] {
        ask(&other).refused(409, "REFERENCE_INVALID").at("/variantId");
        ask(&absent).refused(404, "NOT_FOUND").at("/variantId");
    }
    add(&shop, &absent, body(&variant)).refused(404, "NOT_FOUND");
    assert_eq!(shop.digest(), before);
}

fn an_archived_variant_may_stay(database: Database) {
    let shop = company(database);
    let (product, variant) = shop.article("A");
    let free = shop.variant(&product, "B");
    let body = |variant: &str, position: u32| json!({ "url": URL, "variantId": variant, "position": position });
    let id = add(&shop, &product, body(&variant, 0)).is(201).id();
    shop.archive(&format!("catalog/variants/{variant}")).is(200);
    assert_eq!(listed(&shop, &product, "ACTIVE"), [id.as_str()], "people go on seeing it");
    let path = format!("catalog/media/{id}");
    shop.put(&path, body(&variant, 1)).is(200);
    add(&shop, &product, body(&variant, 0)).refused(409, "REFERENCE_INVALID").at("/variantId");
    shop.put(&path, body(&free, 1)).is(200);
    shop.put(&path, body(&variant, 1)).refused(409, "REFERENCE_INVALID").at("/variantId");
}

fn a_hundred_active_ones_at_most(database: Database) {
    let shop = company(database);
    let product = shop.product("P");
    let made: Vec<String> = (0..100).map(|_| add(&shop, &product, json!({ "url": URL })).is(201).id()).collect();
    let most = json!({ "maximum": 100, "counted": "MEDIA" });
    add(&shop, &product, json!({ "url": URL })).refused(409, "LIMIT_EXCEEDED").bounds("", most);
    shop.archive(&format!("catalog/media/{}", made[50])).is(200);
    add(&shop, &product, json!({ "url": URL })).is(201);
    add(&shop, &product, json!({ "url": URL })).refused(409, "LIMIT_EXCEEDED");
    let items = shop.all(&format!("catalog/products/{product}/media"), &[("limit", "33")]);
    assert_eq!(items.len(), 100);
    assert_eq!(listed(&shop, &product, "ARCHIVED"), [made[50].as_str()]);
}

fn the_hundredth_place_is_taken_once(database: Database) {
    let shop = company(database);
    let product = shop.product("P");
    (0..98).for_each(|_| drop(add(&shop, &product, json!({ "url": URL })).is(201)));
    let answers = at_once(8, |_| add(&shop, &product, json!({ "url": URL })));
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(made, 2, "of {}", answers.len());
    answers.into_iter().filter(|answer| answer.status != 201).for_each(|answer| {
        answer.refused(409, "LIMIT_EXCEEDED");
    });
}

fn c13_archived_media_are_immutable(database: Database) {
    let shop = company(database);
    let product = shop.product("P");
    let path = format!("catalog/media/{}", add(&shop, &product, json!({ "url": URL })).is(201).id());
    let archived = shop.archive(&path).is(200);
    assert_eq!(archived["status"], "ARCHIVED");
    assert!(archived["archivedAt"].is_string());
    assert_eq!(shop.get(&path).is(200).body, archived.body);
    shop.archive(&path).refused(409, "ARCHIVED");
    shop.put(&path, json!({ "url": URL })).refused(409, "ARCHIVED");
}

fn archive_of_the_product_takes_its_media_along(database: Database) {
    let shop = company(database);
    let (product, variant) = shop.article("A");
    let plain = add(&shop, &product, json!({ "url": URL })).is(201).id();
    let shown = add(&shop, &product, json!({ "url": URL, "variantId": variant })).is(201).id();
    let gone = add(&shop, &product, json!({ "url": URL })).is(201).id();
    shop.archive(&format!("catalog/media/{gone}")).is(200);
    let before = shop.count("stoa_event", "kind = 'catalog.media.archived'");
    shop.archive(&format!("catalog/products/{product}")).is(200);
    assert_eq!(listed(&shop, &product, "ARCHIVED"), [plain.as_str(), &shown, &gone]);
    assert!(listed(&shop, &product, "ACTIVE").is_empty());
    assert_eq!(shop.count("stoa_event", "kind = 'catalog.media.archived'"), before + 2);
    add(&shop, &product, json!({ "url": URL })).refused(409, "ARCHIVED");
}

fn included_in_the_product(database: Database) {
    let shop = company(database);
    let (product, variant) = shop.article("A");
    let media = add(&shop, &product, json!({ "url": URL })).is(201);
    let path = format!("catalog/products/{product}");
    let read = |include: &str| shop.list(&path, &[("include", include)]).is(200);
    assert!(shop.get(&path).is(200)["media"].is_null());
    assert_eq!(read("media")["media"], json!([media.body]));
    assert!(read("media")["variants"].is_null());
    for both in ["variants,media", "media,variants"] {
        let read = read(both);
        assert_eq!((&read["media"][0]["id"], &read["variants"][0]["id"]), (&json!(media.id()), &json!(variant)));
    }
    for wrong in ["media,media", "media,", "variants media", "prices", "variants,media,media"] {
        shop.list(&path, &[("include", wrong)]).refused(400, "VALIDATION_FAILED").at("/query/include");
    }
    shop.archive(&format!("catalog/media/{}", media.id())).is(200);
    assert_eq!(read("media")["media"], json!([]));
}

fn a_product_with_media_is_not_deleted(database: Database) {
    let shop = company(database);
    let product = shop.product("P");
    let id = add(&shop, &product, json!({ "url": URL })).is(201).id();
    let path = format!("catalog/products/{product}");
    shop.delete(&path).refused(409, "ILLEGAL_STATE");
    shop.archive(&format!("catalog/media/{id}")).is(200);
    shop.delete(&path).refused(409, "ILLEGAL_STATE");
    let never = shop.product("Never");
    shop.delete(&format!("catalog/products/{never}")).is(200);
    add(&shop, &never, json!({ "url": URL })).refused(404, "NOT_FOUND");
    shop.get(&format!("catalog/products/{never}/media")).refused(404, "NOT_FOUND");
}

fn p18_foreign_ids(database: Database) {
    let (mine, theirs) = (company(database), company(database));
    let (product, variant) = theirs.article("A");
    let media = add(&theirs, &product, json!({ "url": URL })).is(201).id();
    let absent = uuid::Uuid::now_v7().to_string();
    let own_product = mine.product("P");
    let before = theirs.digest();
    let alike = |ask: &dyn Fn(&str) -> Answer, foreign: &str| {
        let (foreign, absent) = (ask(foreign), ask(&absent));
        assert_eq!((foreign.status, foreign.masked()), (404, absent.masked()));
    };
    alike(&|id| mine.get(&format!("catalog/media/{id}")), &media);
    alike(&|id| mine.put(&format!("catalog/media/{id}"), json!({ "url": URL })), &media);
    alike(&|id| mine.archive(&format!("catalog/media/{id}")), &media);
    alike(&|id| mine.get(&format!("catalog/products/{id}/media")), &product);
    alike(&|id| add(&mine, id, json!({ "url": URL })), &product);
    alike(&|id| add(&mine, &own_product, json!({ "url": URL, "variantId": id })), &variant);
    assert_eq!(theirs.digest(), before);
}

/// Audit rows name the product too; events show the projection once product and variant are public.
fn what_a_write_leaves(database: Database) {
    let shop = company(database);
    let variant = shop.on_sale("S");
    let product = shop.get(&format!("catalog/variants/{variant}")).is(200).text("productId");
    let path = format!("catalog/media/{}", add(&shop, &product, json!({ "url": URL })).is(201).id());
    shop.put(&path, json!({ "url": URL, "variantId": variant, "altText": "Front" })).is(200);
    shop.archive(&path).is(200);
    let rows = shop.rows(
        "select operation, resource_type, (select subject_id from stoa_audit_subject as s where s.tenant_id = a.tenant_id and s.audit_id = a.id), metadata
         from stoa_audit as a
         where {tenant} and resource_type = 'CATALOG_MEDIA' order by id",
    );
    let operations: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(operations, ["createMedia", "replaceMedia", "archiveMedia"]);
    assert!(rows.iter().all(|row| row[2] == product), "{rows:?}");
    let changed: Json = serde_json::from_str(&rows[1][3]).unwrap_or_default();
    assert_eq!(changed["changed"], json!(["variantId", "altText"]));
    let reported =
        shop.rows("select kind, data from stoa_event where {tenant} and resource_type = 'CATALOG_MEDIA' order by id");
    let data = |n: usize| serde_json::from_str::<Json>(&reported[n][1]).unwrap_or_default();
    assert_eq!((data(0)["url"].as_str(), data(1)["altText"].as_str()), (Some(URL), Some("Front")));
    assert_eq!(data(2).as_object().map(|members| members.len()), Some(2), "an archived one has only ids");
    let draft = shop.product("Draft");
    add(&shop, &draft, json!({ "url": URL })).is(201);
    let hidden = shop.count("stoa_event", "kind = 'catalog.media.created' and data like '%example.test%'");
    assert_eq!(hidden, 1, "media of a draft have only ids");
}
