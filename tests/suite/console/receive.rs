//! Receiving goods in a browser without script: quantities, scanned serials, and faults at what was scanned.

use serde_json::json;
use stoa_tests::pages::Page;
use stoa_tests::purchases::{Buyer, Order, fresh_serials, line};
use stoa_tests::{Database, assert_table, on_both_databases};

use super::till::{browse, open, sku};

on_both_databases![
    quantities_and_serials_are_received,
    a_fault_is_at_the_serial_that_was_scanned,
    orders_that_wait_are_listed,
];

/// An approved order of ten goods and of two phones, with the page on which it is received.
fn order(buyer: &Buyer) -> (Order, Page) {
    let (good, phone) = (buyer.shop.counted(0), buyer.shop.phone());
    let order = buyer.place(json!([line(&good, "10", "2"), line(&phone, "2", "100")]));
    let page = open(&browse(&buyer.shop), &buyer.shop, &format!("/-/receive/{}", order.id)).is(200);
    (order, page)
}

fn variant(order: &Order, index: usize) -> String {
    order.item(index)["variantId"].as_str().expect("a variant").to_owned()
}

fn quantities_and_serials_are_received(database: Database) {
    let buyer = Buyer::with_books(database);
    let (order, page) = order(&buyer);
    let (good, phone) = (variant(&order, 0), variant(&order, 1));
    assert!(page.has(&format!("{}, outstanding 10", sku(&buyer.shop, &good))), "{}", page.text());
    let [quantity, serials] =
        [("quantity", 0), ("serials", 1)].map(|(name, index)| format!("{name}-{}", order.item_id(index)));
    let scanned = fresh_serials(2);
    let form = page.form("receive").fill(&quantity, "4").fill(&serials, &(scanned.join("\r\n") + "\r\n"));
    let receipt = form.fill("reason", "Delivery note 7").submit("Receive").is(200);
    assert!(receipt.path.contains("/purchases/receipts/"), "{}", receipt.path);
    assert_eq!(order.status(), "PARTIALLY_RECEIVED");
    let names = [(good.as_str(), "good"), (phone.as_str(), "phone"), (buyer.main.as_str(), "main")];
    assert_table!(buyer.shop.stock_table(&names), @r"
    article  warehouse  on hand  available  incoming
    good     main             4          4         6
    phone    main             2          2         0
    ");
    assert_table!(buyer.shop.layers_table(&good), @r"
    quantity  unit cost  remaining  value  currency
           4          2          4      8  EUR
    ");
    let units = buyer.shop.list("inventory/units", &[("identity", scanned[1].as_str())]).is(200);
    assert_eq!(units.items()[0]["variantId"], json!(phone));
    // The page asks again for the outstanding quantity, and no more.
    let page = open(&browse(&buyer.shop), &buyer.shop, &format!("/-/receive/{}", order.id)).is(200);
    assert!(page.has("outstanding 6") && !page.form("receive").names().contains(&serials), "{}", page.text());
    let done = page.form("receive").fill(&quantity, "6").fill("reason", "Delivery note 8").submit("Receive").is(200);
    assert!(done.path.contains("/purchases/receipts/"));
    assert_eq!(order.status(), "RECEIVED");
    buyer.shop.verified();
}

fn a_fault_is_at_the_serial_that_was_scanned(database: Database) {
    let buyer = Buyer::new(database);
    let (order, page) = order(&buyer);
    let serials = format!("serials-{}", order.item_id(1));
    let scanned = fresh_serials(1).remove(0);
    let twice = format!("{scanned}\r\n{scanned}\r\n");
    let rejected = page.form("receive").fill(&serials, &twice).fill("reason", "Twice").submit("Receive").is(400);
    let phone = sku(&buyer.shop, &variant(&order, 1));
    assert!(rejected.has(&format!("{phone} {scanned}:")), "{}", rejected.text());
    assert_eq!(rejected.form("receive").value(&serials).trim_end(), twice.trim_end());
    assert_eq!(order.status(), "APPROVED");
    // A form without a line is the host's to reject.
    page.form("receive").fill("reason", "Nothing").submit("Receive").is(400);
    // More than is outstanding is rejected at the line.
    let quantity = format!("quantity-{}", order.item_id(0));
    let rejected = page.form("receive").fill(&quantity, "11").fill("reason", "Too many").submit("Receive");
    assert!(
        rejected.status >= 400 && rejected.has(&format!("{}:", sku(&buyer.shop, &variant(&order, 0)))),
        "{}",
        rejected.text()
    );
}

fn orders_that_wait_are_listed(database: Database) {
    let buyer = Buyer::new(database);
    let browser = browse(&buyer.shop);
    assert!(open(&browser, &buyer.shop, "/-/receive").is(200).has("No goods are outstanding."));
    let good = buyer.shop.counted(0);
    let [draft, waits, begun, import] = [
        buyer.draft(json!([line(&good, "1", "1")])),
        buyer.place(json!([line(&good, "2", "1")])),
        buyer.place(json!([line(&good, "3", "1")])),
        buyer.place_import(json!([line(&good, "4", "1")])),
    ];
    begun.receive(json!([begun.goods(0, "1")])).is(201);
    let page = open(&browser, &buyer.shop, "/-/receive").is(200);
    let number = |order: &Order| order.buyer.shop.get(&order.path()).body["number"].as_str().map(str::to_owned);
    let rows = page.rows();
    let is_listed = |order: &Order| rows.iter().any(|row| row.first() == number(order).as_ref());
    assert_eq!([&waits, &begun, &draft].map(is_listed), [true, true, false], "{rows:?}");
    // The receipt of an import order names a shipment: its own form asks for it.
    let import = import.read_import().text("number");
    assert!(rows.iter().all(|row| row.first() != Some(&import)), "{rows:?}");
    let supplier = buyer.shop.get(&format!("purchases/suppliers/{}", buyer.supplier)).text("name");
    assert!(rows.iter().any(|row| row.get(1) == Some(&supplier)), "{rows:?}");
}
