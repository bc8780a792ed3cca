//! Pricing as API clients see it: PUBLIC lists, what is in effect now, and writes that cannot reach INTERNAL lists.

use serde_json::{Value as Json, json};
use stoa_tests::company::{price, product, with};
use stoa_tests::{Answer, Company, Database, Machine, at_once, company, on_both_databases};

on_both_databases![
    projections,
    only_public_and_active_lists,
    c21_internal_lists_are_unknown,
    archived_lists,
    only_what_is_in_effect_and_on_sale,
    pages_pass_over_what_is_not_on_sale,
    updated_since,
    updated_since_tells_what_came_into_effect,
    removals_of_a_list,
    removals_tell_what_ended,
    removals_of_hidden_lists_are_unknown,
    ids_find_lists_and_prices,
    resolves_now_and_never_at,
    r09_r10_c27_what_does_not_resolve,
    writes_answer_the_projection,
    r05_r07_r08_r12_writes_follow_the_rules_of_people,
    batches,
    r11_parallel_creates_of_one_period,
    replays_and_if_match,
    scopes,
    foreign_and_absent_are_alike,
    what_a_write_leaves,
];

const PRICE: [&str; 10] = [
    "amount",
    "createdAt",
    "currencyCode",
    "id",
    "priceListId",
    "status",
    "updatedAt",
    "validFrom",
    "validTo",
    "variantId",
];

fn feeder(shop: &Company) -> Machine {
    shop.machine(&["pricing.read", "pricing.write"])
}

fn lists() -> String {
    "pricing/price-lists".to_string()
}

fn prices(list: &str) -> String {
    format!("pricing/price-lists/{list}/prices")
}

fn internal(shop: &Company, code: &str) -> String {
    let body = json!({ "code": code, "name": "Internal", "currencyCode": "EUR" });
    shop.post("pricing/price-lists", body).is(201).id()
}

fn members(object: &Json) -> Vec<&str> {
    let mut members: Vec<&str> = object.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    members.sort_unstable();
    members
}

fn projections(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let body =
        json!({ "code": "WEB", "name": "Web", "currencyCode": "EUR", "visibility": "PUBLIC", "description": "note" });
    let list = shop.post("pricing/price-lists", body).is(201);
    let variant = shop.on_sale("A");
    let made = shop.price(&list.id(), &variant, None, None).is(201);
    let read = machine.get(&format!("{}/{}", lists(), list.id())).is(200);
    assert_eq!(
        members(&read.body),
        ["code", "createdAt", "currencyCode", "id", "name", "status", "updatedAt", "visibility"]
    );
    assert_eq!(read.etag(), list.etag());
    assert_eq!(machine.get(&lists()).is(200).items(), std::slice::from_ref(&read.body));
    let page = machine.get(&prices(&list.id())).is(200);
    let shown = &page.items()[0];
    assert_eq!(members(shown), PRICE);
    let resolved = machine.get(&format!("{}/{}/resolve/{variant}", lists(), list.id())).is(200);
    assert_eq!((&resolved.body, resolved.etag()), (shown, made.etag()));
    for (public, private) in [(&read.body, &list.body), (shown, &made.body)] {
        for (member, value) in public.as_object().into_iter().flatten() {
            assert_eq!(&private[member], value, "{member}");
        }
    }
}

fn only_public_and_active_lists(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let shown = shop.price_list("SHOWN");
    let hidden = internal(&shop, "HIDDEN");
    let archived = shop.price_list("ARCHIVED");
    shop.archive(&format!("pricing/price-lists/{archived}")).is(200);
    assert_eq!(machine.get(&lists()).is(200).ids(), [shown.as_str()]);
    assert_eq!(machine.get("pricing/price-lists?status=ACTIVE").is(200).ids(), [shown.as_str()]);
    machine.get("pricing/price-lists?status=ARCHIVED").refused(400, "VALIDATION_FAILED").at("/query/status");
    for unknown in ["visibility=INTERNAL", "visibility=PUBLIC", "at=2026-01-01T00:00:00Z"] {
        machine.get(&format!("pricing/price-lists?{unknown}")).refused(400, "UNKNOWN_QUERY_PARAMETER");
    }
    let one = |id: &str| machine.get(&format!("pricing/price-lists/{id}"));
    one(&shown).is(200);
    for id in [hidden.as_str(), &archived, &uuid::Uuid::now_v7().to_string()] {
        one(id).refused(404, "NOT_FOUND");
    }
    // A PUT without visibility hides the list at once.
    let body = json!({ "code": "SHOWN", "name": "N", "currencyCode": "EUR" });
    shop.put(&format!("pricing/price-lists/{shown}"), body).is(200);
    one(&shown).refused(404, "NOT_FOUND");
    assert!(machine.get(&lists()).is(200).items().is_empty());
}

/// Every operation on a list, for a variant and one of its prices.
fn all(machine: &Machine, list: &str, variant: &str, priced: &str) -> Vec<Answer> {
    let one = format!("{}/{priced}", prices(list));
    vec![
        machine.get(&format!("pricing/price-lists/{list}")),
        machine.get(&prices(list)),
        machine.get(&format!("pricing/price-lists/{list}/resolve/{variant}")),
        machine.post(&format!("pricing/price-lists/{list}/resolve"), json!({ "variantIds": [variant] })),
        machine.post(&prices(list), price(variant, "1", None, None)),
        machine.post(&format!("{}/batch", prices(list)), json!({ "prices": [price(variant, "1", None, None)] })),
        machine.put(&one, price(variant, "1", None, None)),
        machine.post(&format!("{one}/archive"), json!({})),
    ]
}

fn c21_internal_lists_are_unknown(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = internal(&shop, "HIDDEN");
    let variant = shop.on_sale("A");
    let priced = shop.price(&list, &variant, None, None).is(201).id();
    let absent = uuid::Uuid::now_v7().to_string();
    let before = shop.records();
    let known = all(&machine, &list, &variant, &priced);
    for (hidden, absent) in known.into_iter().zip(all(&machine, &absent, &variant, &priced)) {
        assert_eq!((hidden.status, hidden.masked()), (404, absent.masked()), "{hidden}");
    }
    assert_eq!(shop.records(), before);
}

fn archived_lists(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = shop.price_list("L");
    let variant = shop.on_sale("A");
    let priced = shop.price(&list, &variant, None, None).is(201).id();
    shop.archive(&format!("pricing/price-lists/{list}")).is(200);
    let answers = all(&machine, &list, &variant, &priced);
    for answer in &answers[..4] {
        answer.clone().refused(404, "NOT_FOUND");
    }
    for answer in &answers[4..7] {
        answer.clone().refused(409, "ARCHIVED");
    }
}

fn only_what_is_in_effect_and_on_sale(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = shop.price_list("L");
    let shown = shop.on_sale("SHOWN");
    let make = |variant: &str, from: Option<&str>, to: Option<&str>| shop.price(&list, variant, from, to).is(201).id();
    make(&shown, None, Some("2020-01-01T00:00:00Z"));
    let current = make(&shown, Some("2020-01-01T00:00:00Z"), Some("2999-01-01T00:00:00Z"));
    make(&shown, Some("2999-01-01T00:00:00Z"), None);
    let (_, draft) = shop.article("DRAFT");
    make(&draft, None, None);
    let archived = shop.on_sale("ARCHIVED");
    make(&archived, None, None);
    shop.archive(&format!("catalog/variants/{archived}")).is(200);
    let gone = shop.on_sale("GONE");
    let of_gone = make(&gone, None, None);
    shop.archive(&format!("{}/{of_gone}", prices(&list))).is(200);
    assert_eq!(machine.get(&prices(&list)).is(200).ids(), [current.as_str()]);
    let by_variant = |variant: &str| machine.get(&format!("{}?variantId={variant}", prices(&list))).is(200).ids();
    assert_eq!(by_variant(&shown), [current]);
    assert!(by_variant(&draft).is_empty());
    for (name, value) in [("status", "ARCHIVED"), ("limit", "0")] {
        let answer = machine.get(&format!("{}?{name}={value}", prices(&list)));
        answer.refused(400, "VALIDATION_FAILED").at(&format!("/query/{name}"));
    }
    for unknown in ["at=2020-01-01T00:00:00Z", "from=2020-01-01T00:00:00Z", "to=2020-01-01T00:00:00Z"] {
        machine.get(&format!("{}?{unknown}", prices(&list))).refused(400, "UNKNOWN_QUERY_PARAMETER");
    }
}

fn pages_pass_over_what_is_not_on_sale(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = shop.price_list("L");
    // In a row: shown, 30 that are not, shown, shown.
    let mut expected = Vec::new();
    let hidden: Vec<Json> = (0..30).map(|n| json!({ "sku": format!("H{n}") })).collect();
    let hidden = shop.post("catalog/products", with(&product("Hidden"), json!({ "variants": hidden }))).is(201);
    expected.push(shop.price(&list, &shop.on_sale("A"), None, None).is(201).id());
    for variant in hidden["variants"].as_array().into_iter().flatten() {
        shop.price(&list, variant["id"].as_str().unwrap_or_default(), None, None).is(201);
    }
    for sku in ["B", "C"] {
        expected.push(shop.price(&list, &shop.on_sale(sku), None, None).is(201).id());
    }
    for limit in ["1", "2", "3", "7", "100"] {
        let mut listed = Vec::new();
        let mut cursor: Option<String> = None;
        for page in 0.. {
            assert!(page < 40, "no end of pages of {limit}");
            let mut request = machine.request("GET", &prices(&list)).query(&[("limit", limit)]);
            if let Some(cursor) = &cursor {
                request = request.query(&[("cursor", cursor)]);
            }
            let answer = request.send().is(200);
            listed.extend(answer.ids());
            match answer["nextCursor"].as_str() {
                Some(next) => cursor = Some(next.to_string()),
                None => break,
            }
        }
        assert_eq!(listed, expected, "pages of {limit}");
    }
}

fn updated_since(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = shop.price_list("L");
    let (a, b) = (shop.on_sale("A"), shop.on_sale("B"));
    let first = shop.price(&list, &a, None, None).is(201).id();
    let second = shop.price(&list, &b, Some("2020-01-01T00:00:00Z"), None).is(201).id();
    std::thread::sleep(std::time::Duration::from_millis(5));
    let changed = shop.put(&format!("{}/{first}", prices(&list)), price(&a, "2", None, None)).is(200).text("updatedAt");
    let found = |since: &str| machine.get(&format!("{}?updatedSince={since}", prices(&list))).is(200).ids();
    assert_eq!(found(&changed), [first.as_str()]);
    assert_eq!(found("2019-12-31T00:00:00Z"), [first.clone(), second.clone()]);
    let priced = |variants: &str| machine.get(&format!("{}?variantIds={variants}", prices(&list))).is(200).ids();
    assert_eq!((priced(&b), priced(&format!("{b},{a}"))), (vec![second.clone()], vec![first, second]));
    assert!(found("9999-12-31T23:59:59.999Z").is_empty());
    assert_eq!(
        machine.get("pricing/price-lists?updatedSince=2020-01-01T00:00:00Z").is(200).ids(),
        std::slice::from_ref(&list)
    );
    assert_eq!(machine.get("pricing/price-lists?code=l").is(200).ids(), [list]);
    internal(&shop, "HIDDEN");
    assert!(machine.get("pricing/price-lists?code=HIDDEN").is(200).items().is_empty());
}

/// A price that was written long before it came into effect is news when it does.
fn updated_since_tells_what_came_into_effect(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = shop.price_list("L");
    let (a, b) = (shop.on_sale("A"), shop.on_sale("B"));
    let begun = shop.price(&list, &a, Some("2022-01-01T00:00:00Z"), None).is(201).id();
    shop.price(&list, &b, Some("2990-01-01T00:00:00Z"), None).is(201);
    // Both written in 2020.
    let written = match database {
        Database::Sqlite => "1577836800000",
        Database::Postgres => "timestamptz '2020-01-01T00:00:00Z'",
    };
    shop.change(&format!("update pricing_price set updated_at = {written} where {{tenant}}"));
    let found = |since: &str| machine.get(&format!("{}?updatedSince={since}", prices(&list))).is(200).ids();
    assert_eq!(found("2022-01-01T00:00:00Z"), [begun]);
    assert!(found("2022-01-01T00:00:00.001Z").is_empty());
}

fn removals(machine: &Machine, list: &str, query: &[(&str, &str)]) -> Answer {
    machine.request("GET", &format!("pricing/price-lists/{list}/removals")).query(query).send().is(200)
}

fn removals_of_a_list(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["pricing.read"]);
    let list = shop.price_list("L");
    let (a, b, c) = (shop.on_sale("A"), shop.on_sale("B"), shop.on_sale("C"));
    let made = |variant: &str| shop.price(&list, variant, None, None).is(201).id();
    let (kept, archived, moved) = (made(&a), made(&b), made(&c));
    assert!(removals(&machine, &list, &[]).items().is_empty());
    let path = |id: &str| format!("{}/{id}", prices(&list));
    let of_archived = shop.archive(&path(&archived)).is(200).text("updatedAt");
    let later = price(&c, "2", Some("2999-01-01T00:00:00Z"), None);
    let of_moved = shop.put(&path(&moved), later).is(200).text("updatedAt");
    let removal = |id: &str, variant: &str, status: &str, updated: &str| {
        let kind = "PRICE";
        json!({ "resourceType": kind, "id": id, "variantId": variant, "status": status, "updatedAt": updated })
    };
    let expected = [removal(&archived, &b, "ARCHIVED", &of_archived), removal(&moved, &c, "NOT_IN_EFFECT", &of_moved)];
    assert_eq!(removals(&machine, &list, &[]).items(), expected);
    assert_eq!(removals(&machine, &list, &[("updatedSince", &of_archived)]).items(), expected);
    assert_eq!(machine.get(&prices(&list)).is(200).ids(), [kept]);
}

/// A price whose period ends goes away without a change.
fn removals_tell_what_ended(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["pricing.read"]);
    let list = shop.price_list("L");
    let (a, b) = (shop.on_sale("A"), shop.on_sale("B"));
    let ended = shop.price(&list, &a, None, Some("2022-01-01T00:00:00Z")).is(201).id();
    shop.price(&list, &b, Some("2990-01-01T00:00:00Z"), None).is(201);
    // Both written in 2020.
    let written = match database {
        Database::Sqlite => "1577836800000",
        Database::Postgres => "timestamptz '2020-01-01T00:00:00Z'",
    };
    shop.change(&format!("update pricing_price set updated_at = {written} where {{tenant}}"));
    let found = removals(&machine, &list, &[("updatedSince", "2022-01-01T00:00:00Z")]);
    assert_eq!((found.ids(), &found.items()[0]["updatedAt"]), (vec![ended], &json!("2022-01-01T00:00:00.000Z")));
    assert!(removals(&machine, &list, &[("updatedSince", "2022-01-01T00:00:00.001Z")]).items().is_empty());
}

fn removals_of_hidden_lists_are_unknown(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let archived = shop.price_list("ARCHIVED");
    shop.archive(&format!("pricing/price-lists/{archived}")).is(200);
    for list in [internal(&shop, "HIDDEN"), archived, uuid::Uuid::now_v7().to_string()] {
        machine.get(&format!("pricing/price-lists/{list}/removals")).refused(404, "NOT_FOUND");
    }
}

fn ids_find_lists_and_prices(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let [one, two, _] = ["ONE", "TWO", "THREE"].map(|code| shop.price_list(code));
    let hidden = internal(&shop, "HIDDEN");
    let asked = [two.as_str(), &hidden, &one].join(",");
    let found = |ids: &str| machine.request("GET", &lists()).query(&[("ids", ids)]).send().is(200).ids();
    assert_eq!(found(&asked), [one.clone(), two.clone()]);
    assert_eq!(shop.list(&lists(), &[("ids", &asked)]).is(200).ids(), [one.clone(), two, hidden]);
    let made = ["A", "B", "C"].map(|sku| shop.price(&one, &shop.on_sale(sku), None, None).is(201).id());
    let asked = [made[2].as_str(), &made[0]].join(",");
    let expected = [&made[0], &made[2]].map(String::as_str);
    assert_eq!(machine.request("GET", &prices(&one)).query(&[("ids", &asked)]).send().is(200).ids(), expected);
    assert_eq!(shop.list(&prices(&one), &[("ids", &asked)]).is(200).ids(), expected);
}

fn resolves_now_and_never_at(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = shop.price_list("L");
    let (a, b, c) = (shop.on_sale("A"), shop.on_sale("B"), shop.on_sale("C"));
    shop.price(&list, &a, None, None).is(201);
    shop.price(&list, &b, None, Some("2020-01-01T00:00:00Z")).is(201);
    shop.price(&list, &c, None, None).is(201);
    let one = format!("pricing/price-lists/{list}/resolve/{a}");
    assert_eq!(machine.get(&one).is(200)["amount"], "9.990000");
    machine.get(&format!("{one}?at=2026-01-01T00:00:00Z")).refused(400, "UNKNOWN_QUERY_PARAMETER");
    let many = format!("pricing/price-lists/{list}/resolve");
    let absent = uuid::Uuid::now_v7().to_string();
    let answer = machine.post(&many, json!({ "variantIds": [c, absent, b, a] })).is(200);
    let found: Vec<&str> = answer.items().iter().filter_map(|item| item["variantId"].as_str()).collect();
    assert_eq!((found, &answer["missing"]), (vec![c.as_str(), &a], &json!([absent, b])));
    assert_eq!(members(&answer.items()[0]), PRICE);
    let dated = json!({ "variantIds": [a], "at": "2026-01-01T00:00:00Z" });
    machine.post(&many, dated).refused(400, "VALIDATION_FAILED").fault("", "NOT_ALLOWED");
    machine.post(&many, json!({ "variantIds": [] })).refused(400, "VALIDATION_FAILED").at("/variantIds");
    // It is a read: no key is asked for.
    machine.request("POST", &many).without("idempotency-key").json(&json!({ "variantIds": [a] })).send().is(200);
}

fn r09_r10_c27_what_does_not_resolve(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = shop.price_list("L");
    let resolve = |variant: &str| machine.get(&format!("pricing/price-lists/{list}/resolve/{variant}"));
    let unpriced = shop.on_sale("A");
    resolve(&unpriced).refused(404, "PRICE_NOT_IN_EFFECT");
    shop.price(&list, &unpriced, Some("2999-01-01T00:00:00Z"), None).is(201);
    resolve(&unpriced).refused(404, "PRICE_NOT_IN_EFFECT");
    let (_, draft) = shop.article("DRAFT");
    let archived = shop.on_sale("ARCHIVED");
    for variant in [&draft, &archived] {
        shop.price(&list, variant, None, None).is(201);
    }
    shop.archive(&format!("catalog/variants/{archived}")).is(200);
    for variant in [&draft, &archived, &uuid::Uuid::now_v7().to_string()] {
        resolve(variant).refused(404, "NOT_FOUND");
    }
}

fn writes_answer_the_projection(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = shop.price_list("L");
    let variant = shop.on_sale("A");
    let body = json!({ "variantId": variant, "currencyCode": "eur", "amount": "12.50" });
    let made = machine.post(&prices(&list), body).is(201);
    assert_eq!(members(&made.body), PRICE);
    assert_eq!((&made["amount"], &made["currencyCode"]), (&json!("12.500000"), &json!("EUR")));
    let path = format!("{}/{}", prices(&list), made.id());
    assert_eq!(shop.get(&path).is(200).etag(), made.etag());
    let put = machine.put(&path, price(&variant, "13", Some("2020-01-01T00:00:00Z"), None)).is(200);
    assert_eq!((members(&put.body), &put["amount"]), (PRICE.to_vec(), &json!("13.000000")));
    let archived = machine.post(&format!("{path}/archive"), json!({})).is(200);
    assert_eq!((members(&archived.body), &archived["status"]), (PRICE.to_vec(), &json!("ARCHIVED")));
    machine.post(&format!("{path}/archive"), json!({})).refused(409, "ARCHIVED");
    machine.put(&path, price(&variant, "13", None, None)).refused(409, "ARCHIVED");
    // [R6]
    machine.post(&prices(&list), price(&variant, "13", Some("2020-01-01T00:00:00Z"), None)).is(201);
    // A price may be set before the product is on sale.
    let (_, draft) = shop.article("DRAFT");
    machine.post(&prices(&list), price(&draft, "1", None, None)).is(201);
}

fn r05_r07_r08_r12_writes_follow_the_rules_of_people(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = shop.price_list("L");
    let variant = shop.on_sale("A");
    let first = shop.price(&list, &variant, None, Some("2020-01-01T00:00:00Z")).is(201).id();
    let second = shop.price(&list, &variant, Some("2020-01-01T00:00:00Z"), None).is(201).id();
    let before = shop.records();
    let create = |body: Json| machine.post(&prices(&list), body);
    for amount in ["1e3", "-1", "+1", "01", ".5", "1.", "1.0000001", "1000000000000"] {
        create(price(&variant, amount, None, None)).refused(400, "VALIDATION_FAILED").at("/amount");
    }
    create(with(&price(&variant, "1", None, None), json!({ "amount": 1 })))
        .refused(400, "VALIDATION_FAILED")
        .at("/amount");
    create(price(&variant, "1", None, None)).refused(409, "PRICE_PERIOD_OVERLAP");
    let dollars = with(&price(&variant, "1", None, None), json!({ "currencyCode": "USD" }));
    create(dollars).refused(409, "REFERENCE_INVALID").at("/currencyCode");
    create(price(&uuid::Uuid::now_v7().to_string(), "1", None, None)).refused(404, "NOT_FOUND").at("/variantId");
    let put = |id: &str, body: Json| machine.put(&format!("{}/{id}", prices(&list)), body);
    put(&second, price(&variant, "1", None, None)).refused(409, "PRICE_PERIOD_OVERLAP");
    put(&first, price(&shop.on_sale("B"), "1", None, None)).refused(409, "IMMUTABLE_FIELD").at("/variantId");
    let mut after = shop.records();
    // The other variant of the last line is new.
    after.retain(|table, _| table.starts_with("pricing_"));
    assert!(after.iter().all(|(table, digest)| before.get(table) == Some(digest)), "{after:?}");
}

fn batches(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = shop.price_list("L");
    let (a, b) = (shop.on_sale("A"), shop.on_sale("B"));
    let old = machine.post(&prices(&list), price(&a, "1", None, None)).is(201).id();
    let batch = |body: Json| machine.post(&format!("{}/batch", prices(&list)), body);
    let new = |variant: &str| price(variant, "2", Some("2020-01-01T00:00:00Z"), None);
    let refused = batch(json!({ "prices": [new(&b), new(&a)] })).refused(409, "PRICE_PERIOD_OVERLAP");
    assert_eq!(refused.pointers(), ["/prices/1/validFrom"]);
    assert_eq!(refused.errors()[0]["conflictsWith"], json!(old), "a key may archive the price in the way");
    let done = batch(json!({ "prices": [new(&b), new(&a)], "replace": true })).is(201);
    let shown: Vec<&str> = done.items().iter().filter_map(|item| item["variantId"].as_str()).collect();
    assert_eq!(shown, [b.as_str(), &a]);
    assert_eq!(done["closed"][0]["id"], old);
    assert_eq!(done["closed"][0]["validTo"], "2020-01-01T00:00:00.000Z");
    for price in done.items().iter().chain(done["closed"].as_array().into_iter().flatten()) {
        assert_eq!(members(price), PRICE);
    }
    assert_eq!(machine.get(&prices(&list)).is(200).items().len(), 2);
}

fn r11_parallel_creates_of_one_period(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = shop.price_list("L");
    let variant = shop.on_sale("A");
    // People and clients hold each other off alike.
    let answers = at_once(16, |n| match n % 2 {
        0 => machine.post(&prices(&list), price(&variant, "1", None, None)),
        _ => shop.price(&list, &variant, None, None),
    });
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    answers.into_iter().filter(|answer| answer.status != 201).for_each(|answer| {
        answer.refused(409, "PRICE_PERIOD_OVERLAP");
    });
}

fn replays_and_if_match(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = shop.price_list("L");
    let variant = shop.on_sale("A");
    let key = uuid::Uuid::new_v4().to_string();
    let send =
        || machine.request("POST", &prices(&list)).key(&key).json(&price(&variant, "1", None, None)).send().is(201);
    let first = send();
    let again = send();
    assert!(again.replayed());
    assert_eq!((&again.bytes, again.etag()), (&first.bytes, first.etag()));
    let path = format!("{}/{}", prices(&list), first.id());
    let put = |tag: &str| machine.request("PUT", &path).if_match(tag).json(&price(&variant, "2", None, None)).send();
    put(&first.etag()).is(200);
    put(&first.etag()).refused(412, "PRECONDITION_FAILED");
    // Hidden meanwhile: the replay comes before the look at the list.
    let body = json!({ "code": "L", "name": "N", "currencyCode": "EUR" });
    shop.put(&format!("pricing/price-lists/{list}"), body).is(200);
    assert!(send().replayed());
    put("*").refused(404, "NOT_FOUND");
}

fn scopes(database: Database) {
    let shop = company(database);
    let list = shop.price_list("L");
    let variant = shop.on_sale("A");
    let priced = shop.price(&list, &variant, None, None).is(201).id();
    let before = shop.records();
    let reader = all(&shop.machine(&["pricing.read"]), &list, &variant, &priced);
    reader[..4].iter().for_each(|answer| drop(answer.clone().is(200)));
    reader[4..].iter().for_each(|answer| drop(answer.clone().refused(403, "SCOPE_DENIED")));
    for answer in all(&shop.machine(&["catalog.read", "catalog.write"]), &list, &variant, &priced) {
        answer.refused(403, "SCOPE_DENIED");
    }
    assert_eq!(shop.records(), before);
    let writer = all(&shop.machine(&["pricing.write"]), &list, &variant, &priced);
    writer[..4].iter().for_each(|answer| drop(answer.clone().refused(403, "SCOPE_DENIED")));
    writer[6..].iter().for_each(|answer| drop(answer.clone().is(200)));
}

fn foreign_and_absent_are_alike(database: Database) {
    let (mine, theirs) = (company(database), company(database));
    let machine = feeder(&mine);
    let list = theirs.price_list("L");
    let variant = theirs.on_sale("A");
    let priced = theirs.price(&list, &variant, None, None).is(201).id();
    let own_list = mine.price_list("L");
    let absent = uuid::Uuid::now_v7().to_string();
    let before = theirs.records();
    let asked = |list: &str, variant: &str, priced: &str| all(&machine, list, variant, priced);
    let pairs = asked(&list, &variant, &priced).into_iter().zip(asked(&absent, &absent, &absent));
    for (foreign, absent) in pairs {
        assert_eq!((foreign.status, foreign.masked()), (404, absent.masked()), "{foreign}");
    }
    let foreign = machine.post(&prices(&own_list), price(&variant, "1", None, None)).at("/variantId");
    assert_eq!(foreign.masked(), machine.post(&prices(&own_list), price(&absent, "1", None, None)).masked());
    let ids = json!({ "variantIds": [variant, absent] });
    let resolved = machine.post(&format!("pricing/price-lists/{own_list}/resolve"), ids).is(200);
    assert_eq!(resolved["missing"].as_array().map(Vec::len), Some(2));
    assert!(!machine.get(&lists()).is(200).ids().contains(&list));
    assert_eq!(theirs.records(), before);
}

fn what_a_write_leaves(database: Database) {
    let shop = company(database);
    let machine = feeder(&shop);
    let list = shop.price_list("L");
    let variant = shop.on_sale("A");
    let made = machine.post(&prices(&list), price(&variant, "1", None, None)).is(201);
    let path = format!("{}/{}", prices(&list), made.id());
    machine.put(&path, price(&variant, "2", None, None)).is(200);
    machine.post(&format!("{path}/archive"), json!({})).is(200);
    let batch = json!({ "prices": [price(&variant, "1", None, None)] });
    machine.post(&format!("{}/batch", prices(&list)), batch).is(201);
    let rows = shop.rows(
        "select operation, resource_type, actor_id, resource_id from stoa_audit
         where {tenant} and actor_type = 'API_CLIENT' and resource_type like 'PRICE%' order by id",
    );
    let reported: Vec<[&str; 4]> =
        rows.iter().map(|row| [&row[0], &row[1], &row[2], &row[3]].map(String::as_str)).collect();
    let (client, id) = (machine.client.as_str(), made.id());
    assert_eq!(
        reported,
        [
            ["apiCreatePrice", "PRICE", client, &id],
            ["apiReplacePrice", "PRICE", client, &id],
            ["apiArchivePrice", "PRICE", client, &id],
            ["apiSchedulePrices", "PRICE_LIST", client, &list],
        ]
    );
    let events = shop.rows("select kind, data from stoa_event where {tenant} and resource_type = 'PRICE' order by id");
    let kinds: Vec<&str> = events.iter().map(|row| row[0].as_str()).collect();
    let (created, updated, archived) = ("pricing.price.created", "pricing.price.updated", "pricing.price.archived");
    assert_eq!(kinds, [created, updated, archived, created]);
    let data: Json = serde_json::from_str(&events[0][1]).unwrap_or_default();
    assert_eq!(data, made.body, "the event reports what the answer stated");
}
