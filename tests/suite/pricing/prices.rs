//! Prices: exact amounts, periods that never overlap, and instants as the interface spells them.

use serde_json::{Value as Json, json};
use stoa_tests::company::{price, with};
use stoa_tests::{Company, Database, at_once, company, on_both_databases};

on_both_databases![
    r02_adjacent_periods,
    r03_from_must_lie_before_to,
    r05_unbounded_and_anything,
    r06_archived_period_is_free,
    r07_amounts_refused,
    r08_currency_of_the_list,
    r11_thirty_two_creates_of_one_period,
    r12_update_that_would_overlap,
    from_and_to_find_what_is_in_effect_between,
    filters,
];

on_both_databases![
    rules:
    answers_every_member,
    r04_instants_have_one_spelling,
    r07_amounts_accepted,
    overlap_table,
    identity_is_immutable,
    replacement_resets_the_bounds,
    archived_price_is_immutable,
    references_are_checked,
];

/// A list, a variant, and the path of the list's prices.
fn shelf(database: Database) -> (Company, String, String, String) {
    let shop = company(database);
    let list = shop.price_list("SHELF");
    let variant = shop.on_sale("ARTICLE");
    let path = format!("pricing/price-lists/{list}/prices");
    (shop, list, variant, path)
}

fn answers_every_member(database: Database) {
    let (shop, list, variant, path) = shelf(database);
    let body = price(&variant, "12.5", Some("2026-01-01T00:00:00Z"), Some("2026-02-01T00:00:00.5Z"));
    let made = shop.post(&path, body).is(201);
    let expected = [
        ("priceListId", json!(list)),
        ("variantId", json!(variant)),
        ("currencyCode", json!("EUR")),
        ("amount", json!("12.500000")),
        ("validFrom", json!("2026-01-01T00:00:00.000Z")),
        ("validTo", json!("2026-02-01T00:00:00.500Z")),
        ("status", json!("ACTIVE")),
    ];
    for (member, value) in expected {
        assert_eq!(made[member], value, "{member}: {made}");
    }
    assert_eq!(shop.get(&format!("{path}/{}", made.id())).is(200).body, made.body);
    let bare = json!({ "variantId": shop.article("BARE").1, "currencyCode": "EUR", "amount": "0" });
    let made = shop.post(&path, bare).is(201);
    assert_eq!((&made["validFrom"], &made["validTo"]), (&Json::Null, &Json::Null));
}

fn r02_adjacent_periods(database: Database) {
    let (shop, list, variant, path) = shelf(database);
    let border = "2026-06-01T00:00:00.000Z";
    let earlier = shop.post(&path, price(&variant, "1", None, Some(border))).is(201).id();
    let later = shop.post(&path, price(&variant, "2", Some(border), None)).is(201).id();
    let resolved = |instant: &str| {
        shop.list(&format!("pricing/price-lists/{list}/resolve/{variant}"), &[("at", instant)]).is(200).id()
    };
    assert_eq!(resolved(border), later);
    assert_eq!(resolved("2026-05-31T23:59:59.999Z"), earlier);
    assert_eq!(resolved("2026-06-01T00:00:00.001Z"), later);
}

fn r03_from_must_lie_before_to(database: Database) {
    let (shop, _, variant, path) = shelf(database);
    let before = shop.digest();
    for (from, to) in [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"),
        ("2026-01-01T00:00:00.001Z", "2026-01-01T00:00:00Z"),
        ("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00Z"),
    ] {
        shop.post(&path, price(&variant, "1", Some(from), Some(to))).refused(400, "VALIDATION_FAILED").at("/validTo");
    }
    assert_eq!(shop.digest(), before);
    let body = price(&variant, "1", Some("2026-01-01T00:00:00Z"), Some("2026-01-01T00:00:00.001Z"));
    shop.post(&path, body).is(201);
}

fn r04_instants_have_one_spelling(database: Database) {
    let (shop, _, variant, path) = shelf(database);
    let wrong = [
        "0000-01-01T00:00:00Z",
        "10000-01-01T00:00:00Z",
        "2026-01-01T00:00:00+00:00",
        "2026-01-01T00:00:00-00:00",
        "2026-01-01T00:00:00.1234Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00,5Z",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00Z",
        "2026-01-01 00:00:00Z",
        "2026-01-01t00:00:00z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T23:60:00Z",
        "2026-06-30T23:59:60Z",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-1-1T00:00:00Z",
        "+2026-01-01T00:00:00Z",
        "-2026-01-01T00:00:00Z",
        "20260101T000000Z",
        "2026-W01-1T00:00:00Z",
        "2026-01-01",
        "2026-01-01T00:00:00Z[UTC]",
        "٢٠٢٦-01-01T00:00:00Z",
        "now",
        "",
    ];
    for text in wrong {
        shop.post(&path, price(&variant, "1", Some(text), None)).refused(400, "VALIDATION_FAILED").at("/validFrom");
        shop.post(&path, price(&variant, "1", None, Some(text))).refused(400, "VALIDATION_FAILED").at("/validTo");
    }
    for wrong in [json!(1767225600000_u64), json!(true), json!({})] {
        let body = with(&price(&variant, "1", None, None), json!({ "validFrom": wrong }));
        shop.post(&path, body).refused(400, "VALIDATION_FAILED").fault("/validFrom", "TYPE");
    }
    // The outermost instants, each kept exactly; a leap day where there is one.
    let right = [
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.001Z"),
        ("1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z"),
        ("2024-02-29T00:00:00.12Z", "2024-03-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.998Z", "9999-12-31T23:59:59.999Z"),
    ];
    for (from, to) in right {
        let made = shop.post(&path, price(&variant, "1", Some(from), Some(to))).is(201);
        assert_eq!(made["validTo"], to, "{made}");
        assert_eq!(shop.get(&format!("{path}/{}", made.id())).is(200).body, made.body);
    }
}

fn r05_unbounded_and_anything(database: Database) {
    let (shop, list, variant, path) = shelf(database);
    shop.price(&list, &variant, None, None).is(201);
    let before = shop.digest();
    for (from, to) in [
        (None, None),
        (Some("2026-01-01T00:00:00Z"), None),
        (None, Some("2026-01-01T00:00:00Z")),
        (Some("0001-01-01T00:00:00Z"), Some("0001-01-01T00:00:00.001Z")),
        (Some("9999-12-31T23:59:59.998Z"), Some("9999-12-31T23:59:59.999Z")),
    ] {
        shop.post(&path, price(&variant, "1", from, to)).refused(409, "PRICE_PERIOD_OVERLAP");
    }
    assert_eq!(shop.digest(), before);
    // Another variant and another list are free.
    shop.price(&list, &shop.article("OTHER").1, None, None).is(201);
    shop.price(&shop.price_list("OTHER"), &variant, None, None).is(201);
}

fn r06_archived_period_is_free(database: Database) {
    let (shop, list, variant, path) = shelf(database);
    let first = shop.price(&list, &variant, None, None).is(201).id();
    let refused = shop.price(&list, &variant, None, None).refused(409, "PRICE_PERIOD_OVERLAP").at("/validFrom");
    assert_eq!(refused.errors()[0]["conflictsWith"], json!(first), "the price in the way");
    shop.archive(&format!("{path}/{first}")).is(200);
    let second = shop.price(&list, &variant, None, None).is(201).id();
    assert_eq!(shop.get(&path).is(200).ids(), [second]);
    assert_eq!(shop.list(&path, &[("status", "ARCHIVED")]).is(200).ids(), [first]);
}

fn r07_amounts_accepted(database: Database) {
    let (shop, _, variant, path) = shelf(database);
    let cases = [
        ("0", "0.000000"),
        ("0.000000", "0.000000"),
        ("999999999999.999999", "999999999999.999999"),
        ("999999999999", "999999999999.000000"),
        ("0.000001", "0.000001"),
        ("0.1", "0.100000"),
        ("1.10", "1.100000"),
        ("900719925474.099301", "900719925474.099301"),
    ];
    for (year, (amount, answered)) in cases.iter().enumerate() {
        let (from, to) = (format!("{}-01-01T00:00:00Z", 2000 + year), format!("{}-01-01T00:00:00Z", 2001 + year));
        let made = shop.post(&path, price(&variant, amount, Some(&from), Some(&to))).is(201);
        assert_eq!(made["amount"], *answered, "{made}");
        assert_eq!(shop.get(&format!("{path}/{}", made.id())).is(200)["amount"], *answered);
    }
}

fn r07_amounts_refused(database: Database) {
    let (shop, _, variant, path) = shelf(database);
    let before = shop.digest();
    let long = "1".repeat(1000);
    let texts = [
        "1e3",
        "1E3",
        "-1",
        "-0",
        "+1",
        "01",
        "00",
        "00.1",
        ".5",
        "1.",
        ".",
        "",
        " ",
        "1,5",
        "1_000",
        "1 000",
        "0x10",
        "1.0000001",
        "0.0000000",
        "1234567890123",
        "1000000000000",
        "9999999999999.9",
        "NaN",
        "Infinity",
        "inf",
        "null",
        "1.5.5",
        "--1",
        "1-",
        "$1",
        "€1",
        "1€",
        "٣",
        "１",
        "1\u{0}",
        "1\n",
        "0.000000\n",
        "1e-7",
        "½",
        long.as_str(),
    ];
    for text in texts {
        shop.post(&path, price(&variant, text, None, None)).refused(400, "VALIDATION_FAILED").at("/amount");
    }
    for wrong in [json!(1), json!(0), json!(9.99), json!(1e3), json!(true), json!(["1"]), json!({}), Json::Null] {
        let body = with(&price(&variant, "1", None, None), json!({ "amount": wrong }));
        shop.post(&path, body).refused(400, "VALIDATION_FAILED").fault("/amount", "TYPE");
    }
    assert_eq!(shop.digest(), before);
}

fn r08_currency_of_the_list(database: Database) {
    let (shop, _, variant, path) = shelf(database);
    let in_currency = |code: &str| with(&price(&variant, "1", None, None), json!({ "currencyCode": code }));
    shop.post(&path, in_currency("USD")).refused(409, "REFERENCE_INVALID").at("/currencyCode");
    for wrong in ["ABC", "EURO", "", "E"] {
        shop.post(&path, in_currency(wrong)).refused(400, "VALIDATION_FAILED").at("/currencyCode");
    }
    let made = shop.post(&path, in_currency("eur")).is(201);
    assert_eq!(made["currencyCode"], "EUR", "a price's currency is normalized");
}

fn r11_thirty_two_creates_of_one_period(database: Database) {
    let (shop, list, variant, path) = shelf(database);
    for round in 0..4 {
        let year = 2030 + round;
        let (from, to) = (format!("{year}-01-01T00:00:00Z"), format!("{year}-06-01T00:00:00Z"));
        let answers = at_once(32, |_| shop.price(&list, &variant, Some(&from), Some(&to)));
        let made = answers.iter().filter(|answer| answer.status == 201).count();
        for answer in answers.into_iter().filter(|answer| answer.status != 201) {
            answer.refused(409, "PRICE_PERIOD_OVERLAP");
        }
        assert_eq!(made, 1, "round {round}");
    }
    assert_eq!(shop.get(&path).is(200).items().len(), 4);
}

fn r12_update_that_would_overlap(database: Database) {
    let (shop, list, variant, path) = shelf(database);
    let (a, b, c) = ("2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z");
    let first = shop.price(&list, &variant, Some(a), Some(b)).is(201);
    let second = shop.price(&list, &variant, Some(b), Some(c)).is(201);
    let price_path = format!("{path}/{}", first.id());
    let before = shop.digest();
    for (from, to) in
        [(Some(a), Some(c)), (Some(a), None), (None, None), (Some(b), None), (None, Some("2026-02-01T00:00:00.001Z"))]
    {
        let refused = shop.put(&price_path, price(&variant, "5", from, to)).refused(409, "PRICE_PERIOD_OVERLAP");
        assert_eq!(refused.errors()[0]["conflictsWith"], second["id"], "{refused}");
    }
    assert_eq!(shop.digest(), before);
    assert_eq!(shop.get(&price_path).is(200).body, first.body);
    // Its own period is not in its way.
    let changed = shop.put(&price_path, price(&variant, "5", None, Some(b))).is(200);
    assert_eq!((&changed["amount"], &changed["validFrom"]), (&json!("5.000000"), &Json::Null));
    shop.put(&price_path, price(&variant, "6", Some(c), None)).is(200);
}

/// Every position of one period against another, on both sides of each border.
fn overlap_table(database: Database) {
    let shop = company(database);
    let list = shop.price_list("TABLE");
    let day = |n: i32| (n != 0).then(|| format!("2026-01-{n:02}T00:00:00Z"));
    // (first from, first to, second from, second to, may both exist); 0 is unbounded.
    let cases = [
        (10, 20, 20, 25, true),
        (10, 20, 5, 10, true),
        (10, 20, 21, 25, true),
        (10, 20, 19, 25, false),
        (10, 20, 5, 11, false),
        (10, 20, 12, 15, false),
        (10, 20, 5, 25, false),
        (10, 20, 10, 20, false),
        (10, 20, 0, 10, true),
        (10, 20, 20, 0, true),
        (10, 20, 0, 11, false),
        (10, 20, 19, 0, false),
        (10, 0, 0, 10, true),
        (10, 0, 5, 10, true),
        (10, 0, 0, 0, false),
        (10, 0, 20, 0, false),
        (0, 10, 10, 0, true),
        (0, 10, 0, 5, false),
        (0, 10, 9, 0, false),
    ];
    for (n, (a, b, c, d, both)) in cases.into_iter().enumerate() {
        let (_, variant) = shop.article(&format!("T{n}"));
        shop.price(&list, &variant, day(a).as_deref(), day(b).as_deref()).is(201);
        let second = shop.price(&list, &variant, day(c).as_deref(), day(d).as_deref());
        let wanted = if both { 201 } else { 409 };
        assert_eq!(second.status, wanted, "{a}..{b} and {c}..{d}: {second}");
    }
}

fn identity_is_immutable(database: Database) {
    let (shop, list, variant, path) = shelf(database);
    let id = shop.price(&list, &variant, None, None).is(201).id();
    let price_path = format!("{path}/{id}");
    let (_, other) = shop.article("OTHER");
    shop.put(&price_path, price(&other, "1", None, None)).refused(409, "IMMUTABLE_FIELD").at("/variantId");
    let dollars = with(&price(&variant, "1", None, None), json!({ "currencyCode": "USD" }));
    shop.put(&price_path, dollars).refused(409, "IMMUTABLE_FIELD").at("/currencyCode");
    // A price is read and changed only under its own list.
    let foreign = format!("pricing/price-lists/{}/prices/{id}", shop.price_list("FOREIGN"));
    shop.get(&foreign).refused(404, "NOT_FOUND");
    shop.put(&foreign, price(&variant, "1", None, None)).refused(404, "NOT_FOUND");
    shop.archive(&foreign).refused(404, "NOT_FOUND");
}

fn replacement_resets_the_bounds(database: Database) {
    let (shop, list, variant, path) = shelf(database);
    let id = shop.price(&list, &variant, Some("2026-01-01T00:00:00Z"), Some("2027-01-01T00:00:00Z")).is(201).id();
    let bare = json!({ "variantId": variant, "currencyCode": "EUR", "amount": "1" });
    let replaced = shop.put(&format!("{path}/{id}"), bare).is(200);
    assert_eq!((&replaced["validFrom"], &replaced["validTo"]), (&Json::Null, &Json::Null));
}

fn archived_price_is_immutable(database: Database) {
    let (shop, list, variant, path) = shelf(database);
    let id = shop.price(&list, &variant, None, None).is(201).id();
    let price_path = format!("{path}/{id}");
    let archived = shop.archive(&price_path).is(200);
    assert_eq!(archived["status"], "ARCHIVED");
    shop.archive(&price_path).refused(409, "ARCHIVED");
    shop.put(&price_path, price(&variant, "1", None, None)).refused(409, "ARCHIVED");
    assert_eq!(shop.get(&price_path).is(200).body, archived.body);
}

fn references_are_checked(database: Database) {
    let (shop, list, variant, path) = shelf(database);
    let missing = uuid::Uuid::now_v7().to_string();
    shop.post(&path, price(&missing, "1", None, None)).refused(404, "NOT_FOUND").at("/variantId");
    shop.price(&missing, &variant, None, None).refused(404, "NOT_FOUND");
    shop.get(&format!("{path}/{missing}")).refused(404, "NOT_FOUND");
    let (_, gone) = shop.article("GONE");
    shop.archive(&format!("catalog/variants/{gone}")).is(200);
    shop.price(&list, &gone, None, None).refused(409, "REFERENCE_INVALID").at("/variantId");
    let (product, under) = shop.article("UNDER");
    shop.archive(&format!("catalog/products/{product}")).is(200);
    shop.price(&list, &under, None, None).refused(409, "REFERENCE_INVALID").at("/variantId");
    // A missing list comes before an archived variant, and that, as a wrong currency, before an overlap.
    shop.price(&missing, &gone, None, None).refused(404, "NOT_FOUND");
    let (_, late) = shop.article("LATE");
    for priced in [&variant, &late] {
        shop.price(&list, priced, None, None).is(201);
    }
    shop.archive(&format!("catalog/variants/{late}")).is(200);
    shop.price(&list, &late, None, None).refused(409, "REFERENCE_INVALID").at("/variantId");
    let dollars = json!({ "variantId": variant, "currencyCode": "USD", "amount": "1" });
    shop.post(&path, dollars).refused(409, "REFERENCE_INVALID").at("/currencyCode");
    shop.price(&list, &variant, None, None).refused(409, "PRICE_PERIOD_OVERLAP");
}

/// `from` and `to` find what is in effect at some instant between them; a price's end is not part of it.
fn from_and_to_find_what_is_in_effect_between(database: Database) {
    let (shop, list, variant, path) = shelf(database);
    let (_, other) = shop.article("OTHER");
    let year = |n: i32| format!("{n}-01-01T00:00:00Z");
    let just_before = |n: i32| format!("{}-12-31T23:59:59.999Z", n - 1);
    let old = shop.price(&list, &variant, None, Some(&year(2020))).is(201).id();
    let mid = shop.price(&list, &variant, Some(&year(2020)), Some(&year(2030))).is(201).id();
    let new = shop.price(&list, &variant, Some(&year(2030)), None).is(201).id();
    let side = shop.price(&list, &other, None, None).is(201).id();
    let (old, mid, new, side) = (old.as_str(), mid.as_str(), new.as_str(), side.as_str());
    let found = |query: &[(&str, &str)]| shop.list(&path, query).is(200).ids();
    assert_eq!(found(&[("from", &year(2020))]), [mid, new, side]);
    assert_eq!(found(&[("from", &just_before(2020))]), [old, mid, new, side]);
    assert_eq!(found(&[("to", &year(2020))]), [old, mid, side]);
    assert_eq!(found(&[("to", &just_before(2020))]), [old, side]);
    assert_eq!(found(&[("from", &year(2020)), ("to", &just_before(2030))]), [mid, side]);
    assert_eq!(found(&[("from", &year(2030)), ("to", &year(2030)), ("variantId", &variant)]), [new]);
    shop.list(&path, &[("from", "yesterday")]).refused(400, "VALIDATION_FAILED").at("/query/from");
    shop.list(&path, &[("to", "2026-02-30T00:00:00Z")]).refused(400, "VALIDATION_FAILED").at("/query/to");
}

fn filters(database: Database) {
    let (shop, list, variant, path) = shelf(database);
    let (_, other) = shop.article("OTHER");
    let year = |n: i32| format!("{n}-01-01T00:00:00Z");
    let old = shop.price(&list, &variant, None, Some(&year(2020))).is(201).id();
    let mid = shop.price(&list, &variant, Some(&year(2020)), Some(&year(2030))).is(201).id();
    let new = shop.price(&list, &variant, Some(&year(2030)), None).is(201).id();
    let side = shop.price(&list, &other, None, None).is(201).id();
    let found = |query: &[(&str, &str)]| shop.list(&path, query).is(200).ids();
    assert_eq!(found(&[]), [old.clone(), mid.clone(), new.clone(), side.clone()]);
    assert_eq!(found(&[("variantId", &other)]), [side.as_str()]);
    assert_eq!(found(&[("variantIds", &other)]), [side.as_str()]);
    assert_eq!(found(&[("variantIds", &format!("{other},{variant}"))]).len(), 4);
    assert!(found(&[("variantIds", &other), ("variantId", &variant)]).is_empty());
    assert_eq!(found(&[("at", "2025-06-01T00:00:00Z")]), [mid.clone(), side.clone()]);
    assert_eq!(found(&[("at", "2030-01-01T00:00:00Z"), ("variantId", &variant)]), [new]);
    assert_eq!(found(&[("variantId", &uuid::Uuid::now_v7().to_string())]), Vec::<String>::new());
    shop.list(&path, &[("at", "yesterday")]).refused(400, "VALIDATION_FAILED").at("/query/at");
    shop.list(&path, &[("variantId", "x")]).refused(400, "VALIDATION_FAILED").at("/query/variantId");
    shop.list(&path, &[("variantIds", "x")]).refused(400, "VALIDATION_FAILED").at("/query/variantIds");
    std::thread::sleep(std::time::Duration::from_millis(5));
    let body = price(&other, "2", None, None);
    let changed = shop.put(&format!("{path}/{side}"), body).is(200).text("updatedAt");
    assert_eq!(found(&[("updatedSince", &changed)]), [side]);
}
