//! Free attributes: bounded JSON, and nothing shaped like a credential.

use serde_json::{Map, Value as Json, json};
use stoa_tests::company::{product, with};
use stoa_tests::{Answer, Company, Database, company, on_both_databases};

on_both_databases![
    c11_at_the_bounds,
    c11_beyond_the_bounds,
    reserved_keys_are_refused,
    values_shaped_like_credentials_are_refused,
    harmless_neighbours_are_accepted,
    any_json_comes_back_as_it_was,
    same_rules_for_variants,
    same_rules_for_public_attributes,
    public_attributes_are_shown_to_everybody,
];

fn put_on(shop: &Company, attributes: Json) -> Answer {
    shop.post("catalog/products", with(&product("Attributed"), json!({ "attributes": attributes })))
}

/// `n` values in all: the object, and n - 1 members.
fn nodes(n: usize) -> Json {
    Json::Object((1..n).map(|i| (format!("k{i}"), json!(i))).collect::<Map<_, _>>())
}

/// Objects in objects: depth 1 is the attributes object itself.
fn depth(n: usize) -> Json {
    (1..n).fold(json!({}), |inner, _| json!({ "d": inner }))
}

/// Attributes whose compact JSON has `n` characters.
fn characters(n: usize, letter: char) -> Json {
    let frame = json!({ "a": "" }).to_string().chars().count();
    json!({ "a": letter.to_string().repeat(n - frame) })
}

fn c11_at_the_bounds(database: Database) {
    let shop = company(database);
    for (what, attributes) in [
        ("500 nodes", nodes(500)),
        ("depth 5", depth(5)),
        ("depth 5 by arrays", json!({ "a": [[[[]]]] })),
        ("16000 characters", characters(16_000, 'x')),
        ("16000 characters of two bytes", characters(16_000, 'é')),
        ("16000 characters of four bytes", characters(16_000, '\u{1F600}')),
    ] {
        let answer = put_on(&shop, attributes.clone());
        assert_eq!(answer.status, 201, "{what}: {answer}");
        assert_eq!(answer["attributes"], attributes, "{what}");
    }
}

fn c11_beyond_the_bounds(database: Database) {
    let shop = company(database);
    let before = shop.digest();
    for (what, attributes) in [
        ("501 nodes", nodes(501)),
        ("501 nodes in an array", json!({ "a": vec![1; 499] })),
        ("depth 6", depth(6)),
        ("depth 6 by arrays", json!({ "a": [[[[[]]]]] })),
        ("16001 characters", characters(16_001, 'x')),
        ("16001 characters of two bytes", characters(16_001, 'é')),
    ] {
        let answer = put_on(&shop, attributes);
        assert_eq!((answer.status, &answer["code"]), (400, &json!("VALIDATION_FAILED")), "{what}: {answer}");
        assert!(answer.pointers().iter().all(|pointer| pointer.starts_with("/attributes")), "{what}: {answer}");
    }
    for wrong in [json!([]), json!("x"), json!(1), Json::Null] {
        put_on(&shop, wrong).refused(400, "VALIDATION_FAILED").fault("/attributes", "TYPE");
    }
    assert_eq!(shop.digest(), before);
}

fn reserved_keys_are_refused(database: Database) {
    let shop = company(database);
    let keys = [
        "__proto__",
        "prototype",
        "constructor",
        "__PROTO__",
        "Constructor",
        "PROTOTYPE",
        "password",
        "Password",
        "user_password",
        "secret",
        "clientSecret",
        "token",
        "access_token",
        "apiKey",
        "api_key",
        "API-KEY",
        "private_key",
    ];
    for key in keys {
        for attributes in [json!({ key: 1 }), json!({ "deep": [{ key: {} }] })] {
            let answer = put_on(&shop, attributes).refused(400, "VALIDATION_FAILED");
            assert_eq!(answer.pointers(), ["/attributes"], "{key}: {answer}");
        }
    }
}

fn values_shaped_like_credentials_are_refused(database: Database) {
    let shop = company(database);
    // The pointer ends where names are the schema's: those of attributes are typed by the caller.
    let values = [
        "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----".to_string(),
        "-----BEGIN RSA PRIVATE KEY-----".to_string(),
        "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlc2lnbmF0dXJl".to_string(),
        format!("whsec_{}", "a".repeat(43)),
        format!("live_0192f3a4-5b6c-7d8e-9f01-23456789abcd_{}", "B".repeat(43)),
        format!("test_0192f3a4-5b6c-7d8e-9f01-23456789abcd_{}", "-".repeat(43)),
    ];
    for value in values {
        let answer = put_on(&shop, json!({ "note": ["fine", value] }))
            .refused(400, "VALIDATION_FAILED")
            // Member names are typed by the caller: the pointer ends before them (A18).
            .at("/attributes");
        let reported = String::from_utf8_lossy(&answer.bytes);
        assert!(!reported.contains(&value), "a refusal never repeats a value: {answer}");
    }
}

fn harmless_neighbours_are_accepted(database: Database) {
    let shop = company(database);
    let attributes = json!({
        "proto": 1, "built": "constructed", "colour": "secretive green", "note": "ask for the word of the day",
        "url": "https://example.test/a.b.c", "dots": "a.b.c", "keyboard": "QWERTZ", "live": "live_music",
    });
    assert_eq!(put_on(&shop, attributes.clone()).is(201)["attributes"], attributes);
}

fn any_json_comes_back_as_it_was(database: Database) {
    let shop = company(database);
    let attributes = json!({
        "z": null, "a": true, "m": [1, -7, 1.5, 1e-7, "ü", "\u{1F600}", "", " x ", {}, []], "": "empty key",
        "big": 9007199254740991_i64, "nested": { "b": 1, "a": 2 }, "quote\"\\/": "\u{8}\u{c}\n\r\t",
    });
    let id = put_on(&shop, attributes.clone()).is(201).id();
    assert_eq!(shop.get(&format!("catalog/products/{id}")).is(200)["attributes"], attributes);
}

fn same_rules_for_variants(database: Database) {
    let shop = company(database);
    let path = format!("catalog/products/{}/variants", shop.product("P"));
    for (attributes, code) in [
        (nodes(501), "TOO_MANY"),
        (depth(6), "RANGE"),
        (characters(16_001, 'x'), "RANGE"),
        (json!({ "__proto__": 1 }), "NOT_ALLOWED"),
    ] {
        let answer = shop.post(&path, json!({ "sku": "W", "attributes": attributes }));
        answer.refused(400, "VALIDATION_FAILED").fault("/attributes", code);
        let inside =
            with(&product("P"), json!({ "variants": [{ "sku": "A" }, { "sku": "W", "attributes": attributes }] }));
        let answer = shop.post("catalog/products", inside);
        answer.refused(400, "VALIDATION_FAILED").fault("/variants/1/attributes", code);
    }
    for (n, attributes) in [nodes(500), depth(5), characters(16_000, 'é')].into_iter().enumerate() {
        shop.post(&path, json!({ "sku": format!("OK{n}"), "attributes": attributes })).is(201);
    }
}

fn same_rules_for_public_attributes(database: Database) {
    let shop = company(database);
    let id = shop.product("P");
    let variants = format!("catalog/products/{id}/variants");
    for (public, code) in [
        (nodes(501), "TOO_MANY"),
        (depth(6), "RANGE"),
        (characters(16_001, 'x'), "RANGE"),
        (json!({ "password": 1 }), "NOT_ALLOWED"),
        (json!([]), "TYPE"),
    ] {
        let body = with(&product("P"), json!({ "publicAttributes": public }));
        for answer in [
            shop.post("catalog/products", body.clone()),
            shop.put(&format!("catalog/products/{id}"), body),
            shop.post(&variants, json!({ "sku": "W", "publicAttributes": public })),
        ] {
            answer.refused(400, "VALIDATION_FAILED").fault("/publicAttributes", code);
        }
    }
    // Each kind has the limits for itself.
    let both = json!({ "attributes": characters(16_000, 'é'), "publicAttributes": characters(16_000, 'é') });
    shop.post(&variants, with(&both, json!({ "sku": "BOTH" }))).is(201);
    let made = shop.post("catalog/products", with(&product("Both"), both.clone())).is(201);
    assert_eq!(made["publicAttributes"], both["publicAttributes"]);
}

/// The company chooses: the one kind is for its people, the other for people, API clients, webhooks and the page of a shop.
fn public_attributes_are_shown_to_everybody(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read", "catalog.write", "pricing.read"]);
    let (hidden, shown) = (json!({ "margin": "hidden" }), json!({ "watts": 5.5, "in": ["red", "blue"] }));
    let kinds = json!({ "attributes": hidden, "publicAttributes": shown });
    let members =
        json!({ "publicationStatus": "PUBLISHED", "variants": [with(&json!({ "sku": "LAMP" }), kinds.clone())] });
    let made = shop.post("catalog/products", with(&with(&product("Lamp"), kinds.clone()), members)).is(201);
    let (path, list) = (format!("catalog/products/{}", made.id()), shop.price_list("SHOWN"));
    let variant = format!("catalog/variants/{}", made["variants"][0]["id"].as_str().unwrap_or_default());
    let priced = format!("pricing/price-lists/{list}/products/{}", made.id());
    for path in [&path, &variant] {
        let person = shop.get(path).is(200);
        assert_eq!((&person["attributes"], &person["publicAttributes"]), (&hidden, &shown));
        let client = machine.get(path).is(200);
        assert_eq!((&client["attributes"], &client["publicAttributes"]), (&Json::Null, &shown));
    }
    let page = shop.get(&priced).is(200);
    assert_eq!(
        (&page["product"]["publicAttributes"], &page["variants"][0]["variant"]["publicAttributes"]),
        (&shown, &shown)
    );
    // A key states them too, and a replacement without them takes them back.
    let body = with(&product("Lamp"), json!({ "publicationStatus": "PUBLISHED", "publicAttributes": { "watts": 6 } }));
    machine.put(&path, body).is(200);
    assert_eq!(machine.get(&path).is(200)["publicAttributes"], json!({ "watts": 6 }));
    machine.put(&variant, json!({ "sku": "LAMP" })).is(200);
    assert_eq!(machine.get(&variant).is(200)["publicAttributes"], json!({}));
    let events = shop.events_like("catalog.product.%");
    let attributes: Vec<&Json> = events.iter().map(|(_, _, data)| &data["publicAttributes"]).collect();
    assert_eq!(attributes, [&shown, &json!({ "watts": 6 })]);
    assert!(!shop.events_like("catalog.%").iter().any(|(_, _, data)| data.to_string().contains("hidden")));
}
