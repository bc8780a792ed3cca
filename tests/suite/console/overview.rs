//! The start of a company: today's figures, what waits, and goods that run out.

use serde_json::json;
use stoa_tests::goods::bookkeeping;
use stoa_tests::purchases::{Buyer, line};
use stoa_tests::tills::{cash, till, till_with_books};
use stoa_tests::{Database, on_both_databases};

use super::till::{browse, open, sku};

/// The link to the part of the overview that is a page of its own.
const WAITING: &str = "Open documents and goods that run out";

on_both_databases![todays_figures_and_what_waits, goods_run_out_as_they_sell, a_company_without_sales_has_a_start];

fn todays_figures_and_what_waits(database: Database) {
    let till = till_with_books(database);
    let (shop, session) = (till.shop(), till.open("100"));
    session.sell("25", cash("25"));
    till.order_of("7");
    let buyer = Buyer::from_shop(shop.clone());
    let good = shop.counted(0);
    (0..2).for_each(|_| drop(buyer.place(json!([line(&good, "1", "1")]))));
    let browser = browse(shop);
    let page = open(&browser, shop, "").is(200);
    for text in ["Net sales today 25.00 EUR", "At the tills today 25.00 EUR", "Payments of customers today 0.00 EUR"] {
        assert!(page.has(text), "{text}: {}", page.text());
    }
    let waiting = page.follow(WAITING).is(200);
    for text in ["Orders to deliver 1", "Purchases to receive 2"] {
        assert!(waiting.has(text), "{text}: {}", waiting.text());
    }
    // Fourteen bars, and the same as a table.
    assert_eq!(page.html.matches("class=\"bar\"").count(), 14);
    let today = stoa_tests::books::day(0);
    assert!(page.rows().contains(&vec![today, "25.00".to_owned()]), "{:?}", page.rows());
    assert!(waiting.follow("2").is(200).path.ends_with("/purchases/orders?status=APPROVED"));
}

fn goods_run_out_as_they_sell(database: Database) {
    let till = till_with_books(database);
    let (shop, session) = (till.shop(), till.open("100"));
    // 24 of 30 goods are sold: half of that is 12, and 6 are left. There are enough of the others.
    let (short, enough, service) =
        (till.counter.good("1", "30"), till.counter.good("1", "30"), till.counter.service("1"));
    let items = json!([
        { "variantId": short, "quantity": "24" }, { "variantId": enough, "quantity": "10" }, { "variantId": service, "quantity": "50" },
    ]);
    session.try_check_out(&till.order(items), cash("84")).is(201);
    let page = open(&browse(shop), shop, "").is(200).follow(WAITING).is(200);
    let rows = page.rows();
    let row = rows.iter().find(|row| row.get(1).is_some_and(|sold| sold == "24")).unwrap_or_else(|| panic!("{rows:?}"));
    assert_eq!(row.get(2).map(String::as_str), Some("6"));
    assert!(row[0].contains(&sku(shop, &short)), "{row:?}");
    assert!(!page.has(&sku(shop, &enough)) && !page.has(&sku(shop, &service)), "{}", page.text());
}

fn a_company_without_sales_has_a_start(database: Database) {
    let shop = bookkeeping(database);
    let page = open(&browse(&shop), &shop, "").is(200);
    let waiting = page.follow(WAITING).is(200);
    assert!(waiting.has("Orders to deliver 0") && waiting.has("Purchases to receive 0"), "{}", waiting.text());
    // Without books the currency of the reports is that of a price list.
    let till = till(database);
    till.open("100").sell("25", cash("25"));
    let page = open(&browse(till.shop()), till.shop(), "").is(200);
    assert!(page.has("Net sales today 25.00 EUR"), "{}", page.text());
    assert!(page.follow(WAITING).is(200).has("Orders to deliver 0"));
}
