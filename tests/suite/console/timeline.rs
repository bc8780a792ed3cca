//! The timeline of a sales order: what all modules wrote about it, in the sequence of the instants.

use serde_json::json;
use stoa_tests::company::fresh;
use stoa_tests::people::somebody;
use stoa_tests::tills::{cash, till_with_books};
use stoa_tests::{Database, on_both_databases};

use super::till::{browse, open, sku};

on_both_databases![the_life_of_a_sale, a_reader_sees_what_the_permissions_allow];

/// The texts come one after the other.
fn assert_sequence(page: &str, texts: &[&str]) {
    let mut rest = page;
    for text in texts {
        rest = rest.split_once(text).unwrap_or_else(|| panic!("{text:?} does not follow in {page}")).1;
    }
}

fn the_life_of_a_sale(database: Database) {
    let till = till_with_books(database);
    let (shop, session) = (till.shop(), till.open("100"));
    let good = till.counter.good("12.5", "10");
    let order = till.order(json!([{ "variantId": good, "quantity": "2" }]));
    session.try_check_out(&order, cash("30")).is(201);
    let browser = browse(shop);
    let page = open(&browser, shop, &format!("/-/orders/{order}")).is(200);
    let goods = format!("Stock, sale: 2 x {}", sku(shop, &good));
    assert_sequence(&page.text(), &["Drafted", "Confirmed", "Delivered"]);
    for text in
        [&goods, "Receipt of a register: 25.00 EUR", "Audit: Confirm a sales order", "Audit: Draft a sales order"]
    {
        assert!(page.has(text), "{text}: {}", page.text());
    }
    assert!(page.follow("Receipt of a register: 25.00 EUR").is(200).has("Change 5.00"));
    // The record leads here.
    let record = open(&browser, shop, &format!("/sales/orders/{order}")).is(200);
    assert_eq!(record.follow("Timeline").is(200).path, page.path);
}

fn a_reader_sees_what_the_permissions_allow(database: Database) {
    let till = till_with_books(database);
    let shop = till.shop();
    let order = till.order_of("12.5");
    till.open("0").try_check_out(&order, cash("12.5")).is(201);
    let email = somebody("reader");
    let member = shop.iam("create_membership", json!({ "userId": shop.host.user_id(&email) })).is(201).id();
    let role = shop.role(&fresh("READER-"), &["sales.read"]);
    shop.iam("assign_role", json!({ "membershipId": member, "roleId": role })).is(201);
    let browser = shop.host.browser();
    browser.sign_in(&email);
    let page = open(&browser, shop, &format!("/-/orders/{order}")).is(200);
    assert!(
        page.has("Receipt of a register") && !page.has("Audit:") && !page.has("Not all are shown"),
        "{}",
        page.text()
    );
    // Another company's order does not exist here.
    open(&browse(shop), &shop.host.company(), &format!("/-/orders/{order}")).is(404);
}
