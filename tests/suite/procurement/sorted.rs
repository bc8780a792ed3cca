//! Lists in an order that the caller chooses: pages that lead on from the record that the cursor names.

use serde_json::{Value as Json, json};
use stoa_tests::company::with;
use stoa_tests::purchases::{Buyer, line};
use stoa_tests::{Company, Database, company, on_both_databases};

on_both_databases![
    suppliers_are_sorted_by_code_and_change,
    orders_are_sorted_by_number_and_change,
    a_page_continues_after_the_new_value_of_its_cursor,
    keys_sort_as_users_do,
];

on_both_databases![
    rules:
    any_record_of_the_list_is_a_cursor,
    a_sorted_list_searches_no_text_and_tells_no_news,
];

const SUPPLIERS: &str = "purchases/suppliers";
const ORDERS: &str = "purchases/orders";

fn make(shop: &Company, code: &str) -> String {
    shop.post(SUPPLIERS, json!({ "code": code, "name": code })).is(201).id()
}

fn rename(shop: &Company, id: &str, code: &str) {
    shop.put(&format!("{SUPPLIERS}/{id}"), json!({ "code": code, "name": "Renamed" })).is(200);
}

/// A member of all items of a list, read in pages of two.
fn read(shop: &Company, path: &str, sort: &str, member: &str) -> Vec<String> {
    let items = shop.all(path, &[("sort", sort), ("limit", "2")]);
    items.iter().map(|item| item[member].as_str().unwrap_or_default().to_string()).collect()
}

fn reverse(mut list: Vec<String>) -> Vec<String> {
    list.reverse();
    list
}

fn suppliers_are_sorted_by_code_and_change(database: Database) {
    let shop = company(database);
    let made = ["C", "a", "E", "b", "D"].map(|code| make(&shop, code));
    let gone = make(&shop, "GONE");
    shop.archive(&format!("{SUPPLIERS}/{gone}")).is(200);
    rename(&shop, &made[0], "C");
    assert_eq!(read(&shop, SUPPLIERS, "code", "code"), ["a", "b", "C", "D", "E"], "in any case");
    assert_eq!(read(&shop, SUPPLIERS, "-code", "code"), ["E", "D", "C", "b", "a"]);
    assert_eq!(read(&shop, SUPPLIERS, "updatedAt", "code"), ["a", "E", "b", "D", "C"]);
    assert_eq!(read(&shop, SUPPLIERS, "-updatedAt", "code"), ["C", "D", "b", "E", "a"]);
    let archived = shop.list(SUPPLIERS, &[("sort", "code"), ("status", "ARCHIVED")]).is(200);
    assert_eq!((archived.ids(), &archived["nextCursor"]), (vec![gone], &Json::Null));
}

fn orders_are_sorted_by_number_and_change(database: Database) {
    let buyer = Buyer::new(database);
    let items = json!([line(&buyer.shop.counted(0), "1", "1")]);
    let draft = |number: &str| buyer.try_draft(items.clone(), json!({ "number": number })).is(201).id();
    let made = ["N-3", "n-1", "N-2"].map(draft);
    buyer.order(&made[1]).approve().is(200);
    let shop = &buyer.shop;
    assert_eq!(read(shop, ORDERS, "number", "number"), ["n-1", "N-2", "N-3"]);
    assert_eq!(read(shop, ORDERS, "-number", "number"), ["N-3", "N-2", "n-1"]);
    assert_eq!(read(shop, ORDERS, "-updatedAt", "number"), ["n-1", "N-2", "N-3"]);
    assert_eq!(
        shop.list(ORDERS, &[("sort", "number"), ("status", "DRAFT")]).is(200).ids(),
        [made[2].clone(), made[0].clone()]
    );
    // An order of another entity may have the same number.
    let entity = shop.other_entity();
    let members =
        json!({ "legalEntityId": entity, "warehouseId": shop.warehouse_of("PHYSICAL", &entity), "number": "N-2" });
    let twin = shop.post(ORDERS, with(&buyer.body(items.clone()), members)).is(201).id();
    assert_eq!(read(shop, ORDERS, "number", "id"), [&made[1], &made[2], &twin, &made[0]].map(String::clone));
    assert_eq!(read(shop, ORDERS, "-number", "id"), reverse(read(shop, ORDERS, "number", "id")));
}

fn a_page_continues_after_the_new_value_of_its_cursor(database: Database) {
    let shop = company(database);
    let [a, b, c, d] = ["A", "B", "C", "D"].map(|code| make(&shop, code));
    let page = |cursor: &[(&str, &str)]| {
        shop.list(SUPPLIERS, &[&[("sort", "-updatedAt"), ("limit", "2")][..], cursor].concat()).is(200)
    };
    let first = page(&[]);
    assert_eq!(first.ids(), [d.clone(), c.clone()]);
    // The last record of the page changes, and so goes to the front.
    rename(&shop, &c, "C");
    let second = page(&[("cursor", &first.text("nextCursor"))]);
    assert_eq!(second.ids(), [d.clone(), b]);
    // Another record changes: only it moves.
    rename(&shop, &d, "D");
    let third = page(&[("cursor", &second.text("nextCursor"))]);
    assert_eq!((third.ids(), &third["nextCursor"]), (vec![a], &Json::Null));
}

fn keys_sort_as_users_do(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    make(shop, "ZZ");
    make(shop, "AA");
    buyer.draft(json!([line(&shop.counted(0), "1", "1")]));
    let key = shop.machine(&["suppliers.read", "purchases.read"]);
    for (path, sort) in [(SUPPLIERS, "-code"), (SUPPLIERS, "updatedAt"), (ORDERS, "-number"), (ORDERS, "updatedAt")] {
        let users = shop.list(path, &[("sort", sort)]).is(200).ids();
        assert_eq!(key.get(&format!("{path}?sort={sort}")).is(200).ids(), users, "{path} {sort}");
    }
    let first = key.get(&format!("{SUPPLIERS}?sort=code&limit=1")).is(200);
    let second = key.get(&format!("{SUPPLIERS}?sort=code&limit=1&cursor={}", first.text("nextCursor"))).is(200);
    assert_eq!((&first.items()[0]["code"], second.items().len()), (&json!("AA"), 1));
    assert_ne!(first.ids(), second.ids());
}

fn any_record_of_the_list_is_a_cursor(database: Database) {
    let shop = company(database);
    let [b, a, c] = ["B", "A", "C"].map(|code| make(&shop, code));
    let first = shop.list(SUPPLIERS, &[("sort", "code"), ("limit", "1")]).is(200);
    assert_eq!(first.text("nextCursor"), a, "the id of the last item");
    let after = |sort: &[(&str, &str)], cursor: &str| {
        shop.list(SUPPLIERS, &[sort, &[("cursor", cursor)]].concat()).is(200).ids()
    };
    assert_eq!(after(&[("sort", "code")], &b), std::slice::from_ref(&c));
    assert_eq!(after(&[("sort", "-code")], &b), std::slice::from_ref(&a));
    assert_eq!(after(&[], &b), [a.clone(), c]);
    // A record that left the list since keeps its place.
    shop.archive(&format!("{SUPPLIERS}/{b}")).is(200);
    assert_eq!(after(&[("sort", "-code")], &b), [a]);
    let foreign = make(&company(database), "A");
    for no_record in [foreign.as_str(), "00000000-0000-0000-0000-000000000000", "A"] {
        let refused = shop.list(SUPPLIERS, &[("sort", "code"), ("cursor", no_record)]);
        refused.refused(400, "VALIDATION_FAILED").fault("/query/cursor", "FORMAT");
    }
}

fn a_sorted_list_searches_no_text_and_tells_no_news(database: Database) {
    let shop = company(database);
    for (path, other) in [
        (SUPPLIERS, ("text", "a")),
        (ORDERS, ("number", "a")),
        (SUPPLIERS, ("updatedSince", "2026-01-01T00:00:00Z")),
        (ORDERS, ("updatedSince", "2026-01-01T00:00:00Z")),
    ] {
        let refused = shop.list(path, &[("sort", "-updatedAt"), other]).refused(400, "VALIDATION_FAILED");
        refused.fault("/query/sort", "NOT_ALLOWED");
        shop.list(path, &[other]).is(200);
    }
    for wrong in ["", "name", "--code", "Code", "code,updatedAt"] {
        shop.list(SUPPLIERS, &[("sort", wrong)]).refused(400, "VALIDATION_FAILED").at("/query/sort");
    }
}
