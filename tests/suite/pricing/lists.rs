//! Price lists: codes without regard to case, currencies of a list, archive and replacement.

use serde_json::{Value as Json, json};
use stoa_tests::company::{price, with};
use stoa_tests::{Database, company, on_both_databases};

on_both_databases![archived_list_takes_nothing, filters, company_begins_with_an_internal_list,];

on_both_databases![
    rules:
    lives_through_create_read_replace_archive,
    code_is_upper_cased_and_reserved,
    grammar_of_a_code,
    currencies_are_those_of_iso_4217,
    identity_is_immutable,
    replacement_resets_what_it_omits,
    bounds_of_name_and_description,
];

const PATH: &str = "pricing/price-lists";

fn list(code: &str) -> Json {
    json!({ "code": code, "name": "List", "currencyCode": "EUR" })
}

fn lives_through_create_read_replace_archive(database: Database) {
    let shop = company(database);
    let made = shop.post(PATH, with(&list("RETAIL"), json!({ "description": "for shops" }))).is(201);
    let expected = [
        ("code", json!("RETAIL")),
        ("name", json!("List")),
        ("description", json!("for shops")),
        ("currencyCode", json!("EUR")),
        ("visibility", json!("INTERNAL")),
        ("status", json!("ACTIVE")),
        ("archivedAt", Json::Null),
        ("tenantId", json!(shop.tenant)),
    ];
    for (member, value) in expected {
        assert_eq!(made[member], value, "{member}: {made}");
    }
    let path = format!("{PATH}/{}", made.id());
    assert_eq!(shop.get(&path).is(200).body, made.body);
    let replaced = shop.put(&path, with(&list("RETAIL"), json!({ "name": "New", "visibility": "PUBLIC" }))).is(200);
    assert_eq!((&replaced["name"], &replaced["visibility"]), (&json!("New"), &json!("PUBLIC")));
    let archived = shop.archive(&path).is(200);
    assert_eq!(archived["status"], "ARCHIVED");
    assert_eq!(shop.get(&path).is(200).body, archived.body);
    shop.archive(&path).refused(409, "ARCHIVED");
    shop.put(&path, list("RETAIL")).refused(409, "ARCHIVED");
}

fn code_is_upper_cased_and_reserved(database: Database) {
    let shop = company(database);
    let made = shop.post(PATH, list("retail-eu")).is(201);
    assert_eq!(made["code"], "RETAIL-EU");
    for code in ["RETAIL-EU", "Retail-Eu", "retail-eu"] {
        let refused = shop.post(PATH, list(code)).refused(409, "DUPLICATE").at("/code");
        assert_eq!(refused.errors()[0]["conflictsWith"], made["id"], "{refused}");
    }
    let path = format!("{PATH}/{}", made.id());
    assert_eq!(shop.put(&path, list("Retail-eu")).is(200)["code"], "RETAIL-EU", "the same code in another case");
    shop.archive(&path).is(200);
    shop.post(PATH, list("retail-EU")).refused(409, "DUPLICATE");
}

fn grammar_of_a_code(database: Database) {
    let shop = company(database);
    let longest = format!("a{}", "b".repeat(63));
    for code in ["a", "Z9", "a_b.c-d", longest.as_str()] {
        assert_eq!(shop.post(PATH, list(code)).is(201)["code"], code.to_uppercase());
    }
    let too_long = format!("a{}", "b".repeat(64));
    for code in ["", "1a", "_a", "a b", "a/b", "ä", "aß", "aı", too_long.as_str()] {
        shop.post(PATH, list(code)).refused(400, "VALIDATION_FAILED").at("/code");
    }
}

fn currencies_are_those_of_iso_4217(database: Database) {
    let shop = company(database);
    let codes = ["EUR", "USD", "JPY", "CHF", "KWD", "VES", "XOF", "UYU", "ZWG", "SLE"];
    for (n, code) in codes.iter().enumerate() {
        shop.post(PATH, with(&list(&format!("L{n}")), json!({ "currencyCode": code }))).is(201);
    }
    for wrong in ["", "EU", "EURO", "ABC", "ZZZ", "DEM", "FRF", "E1R", "€", "ЕUR", "eu", "XXXX"] {
        let body = with(&list("W"), json!({ "currencyCode": wrong }));
        shop.post(PATH, body).refused(400, "VALIDATION_FAILED").at("/currencyCode");
    }
    // A price list's currency is "3 uppercase letters", with no normalization named.
    let body = with(&list("W"), json!({ "currencyCode": "eur" }));
    shop.post(PATH, body).refused(400, "VALIDATION_FAILED").at("/currencyCode");
}

fn identity_is_immutable(database: Database) {
    let shop = company(database);
    let id = shop.post(PATH, list("FIXED")).is(201).id();
    let path = format!("{PATH}/{id}");
    shop.put(&path, list("OTHER")).refused(409, "IMMUTABLE_FIELD").at("/code");
    let usd = with(&list("FIXED"), json!({ "currencyCode": "USD" }));
    shop.put(&path, usd).refused(409, "IMMUTABLE_FIELD").at("/currencyCode");
    let read = shop.get(&path).is(200);
    assert_eq!((&read["code"], &read["currencyCode"]), (&json!("FIXED"), &json!("EUR")));
}

fn replacement_resets_what_it_omits(database: Database) {
    let shop = company(database);
    let full = with(&list("FULL"), json!({ "description": "long", "visibility": "PUBLIC" }));
    let id = shop.post(PATH, full).is(201).id();
    let replaced = shop.put(&format!("{PATH}/{id}"), list("FULL")).is(200);
    assert_eq!((&replaced["description"], &replaced["visibility"]), (&Json::Null, &json!("INTERNAL")));
}

fn archived_list_takes_nothing(database: Database) {
    let shop = company(database);
    let variant = shop.on_sale("A");
    let list = shop.price_list("GONE");
    let priced = shop.price(&list, &variant, None, None).is(201).id();
    shop.get(&format!("{PATH}/{list}/resolve/{variant}")).is(200);
    shop.archive(&format!("{PATH}/{list}")).is(200);
    let before = shop.digest();
    let other = shop.on_sale("B");
    shop.price(&list, &other, None, None).refused(409, "ARCHIVED");
    let path = format!("{PATH}/{list}/prices/{priced}");
    shop.put(&path, price(&variant, "1", None, None)).refused(409, "ARCHIVED");
    assert_eq!(shop.get(&path).is(200)["status"], "ACTIVE", "archiving a list archives nothing else");
    // The prices of an archived list are unresolvable.
    shop.get(&format!("{PATH}/{list}/resolve/{variant}")).refused(404, "PRICE_NOT_IN_EFFECT");
    assert_eq!(shop.digest().get("pricing_price"), before.get("pricing_price"));
}

fn bounds_of_name_and_description(database: Database) {
    let shop = company(database);
    let fits = json!({ "name": "é".repeat(200), "description": "é".repeat(2000) });
    shop.post(PATH, with(&list("FITS"), fits)).is(201);
    for (pointer, wrong) in [
        ("/name", json!({ "name": "é".repeat(201) })),
        ("/name", json!({ "name": "" })),
        ("/name", json!({ "name": " \t " })),
        ("/description", json!({ "description": "é".repeat(2001) })),
        ("/visibility", json!({ "visibility": "public" })),
        ("/visibility", json!({ "visibility": null })),
    ] {
        shop.post(PATH, with(&list("W"), wrong)).refused(400, "VALIDATION_FAILED").at(pointer);
    }
}

fn filters(database: Database) {
    let shop = company(database);
    let base: Vec<String> = shop.get(PATH).is(200).ids();
    let a = shop.post(PATH, list("A")).is(201).id();
    let b = shop.post(PATH, list("B")).is(201).id();
    shop.archive(&format!("{PATH}/{a}")).is(200);
    let active: Vec<String> = base.iter().cloned().chain([b]).collect();
    assert_eq!(shop.get(PATH).is(200).ids(), active);
    assert_eq!(shop.list(PATH, &[("status", "ARCHIVED")]).is(200).ids(), [a]);
    std::thread::sleep(std::time::Duration::from_millis(5));
    let c = shop.post(PATH, list("CC")).is(201);
    assert_eq!(shop.list(PATH, &[("code", "cc")]).is(200).ids(), [c.id()]);
    assert!(shop.list(PATH, &[("code", "C")]).is(200).items().is_empty(), "a code is found whole");
    assert_eq!(shop.list(PATH, &[("updatedSince", &c.text("updatedAt"))]).is(200).ids(), [c.id()]);
}

fn company_begins_with_an_internal_list(database: Database) {
    let shop = company(database);
    let lists = shop.get(PATH).is(200);
    let shown: Vec<(&Json, &Json, &Json)> =
        lists.items().iter().map(|list| (&list["code"], &list["visibility"], &list["currencyCode"])).collect();
    assert_eq!(shown, [(&json!("BASE"), &json!("INTERNAL"), &json!("EUR"))]);
}
