//! Writes that the books refuse leave nothing behind: no goods, no event, no audit entry, no change of the document.
//! [E272], [E282]

use serde_json::json;
use stoa_tests::books::Books;
use stoa_tests::selling::{Counter, counter_with_books};
use stoa_tests::{Answer, Database, on_both_databases};

on_both_databases![
    e272_an_order_that_the_books_refuse_stays_as_it_was,
    e282_a_return_that_the_books_refuse_stays_a_draft,
];

/// Asks for the same without an account for this role, and gives the account back: everything is as it was before.
#[track_caller]
fn refuse_without(counter: &Counter, role: &str, code: &str, ask: impl Fn() -> Answer) {
    let books = Books { shop: counter.shop.clone(), entity: counter.entity.clone() };
    let account = books.account(code);
    books.map(&[(role, None)]).is(200);
    let before = counter.shop.digest();
    let refused = ask().refused(409, "ACCOUNTING_SETUP_REQUIRED");
    refused.fault(&format!("/mappings/roles/{role}"), "ROLE_UNMAPPED");
    let after = counter.shop.digest();
    let changed: Vec<_> = after.iter().filter(|(table, rows)| before.get(*table) != Some(rows)).collect();
    assert!(changed.is_empty(), "without {role}: {changed:?}");
    books.map(&[(role, Some(&account))]).is(200);
}

fn e272_an_order_that_the_books_refuse_stays_as_it_was(database: Database) {
    let counter = counter_with_books(database);
    let (good, service) = (counter.good("10", "5"), counter.service("3"));
    let (phone, units) = counter.phone("300", 1);
    let order = counter.draft(json!([
        { "variantId": good, "quantity": "2" }, { "variantId": service, "quantity": "1" },
        { "variantId": phone, "quantity": "1", "unitIds": units },
    ]));
    let promised = [("REVENUE", "4000"), ("SALES_CLEARING", "1160")];
    for (role, code) in promised {
        refuse_without(&counter, role, code, || counter.confirm(&order));
    }
    assert_eq!(counter.shop.serial_unit(&units[0])["status"], "AVAILABLE");
    counter.confirm(&order).is(200);
    // The goods have been taken out by then.
    for (role, code) in promised.into_iter().chain([("COST_OF_GOODS_SOLD", "5000")]) {
        refuse_without(&counter, role, code, || counter.complete(&order));
    }
    assert_eq!(counter.shop.serial_unit(&units[0])["status"], "RESERVED");
    assert_eq!(counter.sale_kinds(), ["sale.created", "sale.confirmed"]);
    counter.complete(&order).is(200);
    counter.shop.verified();
}

fn e282_a_return_that_the_books_refuse_stays_a_draft(database: Database) {
    let counter = counter_with_books(database);
    let (phone, units) = counter.phone("300", 1);
    let order = counter.deliver(json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]));
    let item = counter.read(&order)["items"][0]["id"].clone();
    let body = json!({
        "orderId": order, "reason": "too small",
        "items": [{ "itemId": item, "quantity": "1", "unitIds": units, "disposition": "RESTOCK" }],
    });
    let back = counter.shop.post("sales/returns", body).is(201).id();
    let path = format!("sales/returns/{back}");
    let receive = || counter.shop.post(&format!("{path}/receive"), json!({ "expectedVersion": 1 }));
    for (role, code) in [("COST_OF_GOODS_SOLD", "5000"), ("INVENTORY", "1200")] {
        refuse_without(&counter, role, code, receive);
        assert_eq!(counter.shop.serial_unit(&units[0])["status"], "SOLD");
        assert_eq!(counter.shop.get(&path).is(200)["status"], "DRAFT");
    }
    receive().is(200);
    assert_eq!(counter.shop.serial_unit(&units[0])["status"], "AVAILABLE");
    counter.shop.verified();
}
