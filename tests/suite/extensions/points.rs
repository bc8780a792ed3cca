//! The points that the built-in modules call, each by the guest `assessor`: a test writes the rule of a point for its company.

use std::sync::OnceLock;

use serde_json::{Value as Json, json};
use stoa_tests::billing::Office;
use stoa_tests::company::{fresh, product, with};
use stoa_tests::host::Settings;
use stoa_tests::purchases::Buyer;
use stoa_tests::selling::Counter;
use stoa_tests::tills::{Session, Till, cash, parts};
use stoa_tests::{Company, Database, Folder, Stoa, modules, on_both_databases};

on_both_databases![
    a_price_is_adjusted_for_the_customer_that_is_stated,
    a_line_has_the_adjusted_price_unless_one_was_agreed,
    a_quotation_is_adjusted_until_it_is_sent,
    what_is_no_price_is_the_failure_of_the_extension,
    an_extension_rejects_a_confirmation,
    an_invoice_that_sells_asks_the_same_extensions,
    an_extension_limits_what_is_sold,
    an_extension_rejects_a_checkout,
    an_extension_takes_payments,
    what_an_extension_took_is_gone_with_the_checkout,
    an_extension_numbers_documents,
];

/// The real modules with the guest next to them; shared by the tests of this database.
fn host(database: Database) -> Stoa {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    static HOSTS: [OnceLock<Result<Stoa, String>>; 2] = [OnceLock::new(), OnceLock::new()];
    let folder = FOLDER.get_or_init(|| modules::with(&[("assessor.wasm", &modules::guest("assessor"))]));
    let start = || Stoa::try_start(database, Settings::default().modules(folder.path()));
    let started = HOSTS[database as usize].get_or_init(start).clone();
    started.unwrap_or_else(|said| panic!("the host with the assessor did not start: {said}"))
}

fn counter(database: Database) -> Counter {
    Counter::new(host(database).company())
}

#[track_caller]
fn rule(shop: &Company, point: &str, rule: &str) {
    shop.post("assessor/rules", json!({ "point": point, "rule": rule })).is(201);
}

/// The calls that the points that write received.
#[track_caller]
fn notes(shop: &Company) -> Json {
    shop.get("assessor/notes").is(200)["notes"].clone()
}

/// A published product whose variant has this price in the counter's list: the ids of both.
#[track_caller]
fn on_sale(counter: &Counter, amount: &str) -> (String, String) {
    let members = json!({ "publicationStatus": "PUBLISHED", "variants": [{ "sku": fresh("SKU") }] });
    let made = counter.shop.post("catalog/products", with(&product(&fresh("Product ")), members)).is(201);
    let variant = made["variants"][0]["id"].as_str().unwrap_or_else(|| panic!("no variant: {made}")).to_string();
    counter.price(&variant, amount);
    (made.id(), variant)
}

/// A change by the assessor to this amount.
fn off(amount: &str) -> Json {
    json!([{ "module": "assessor", "amount": amount, "reason": "OFF" }])
}

/// The price of a line, as far as extensions and agreements decide it.
fn figures(line: &Json) -> [Json; 6] {
    ["unitPrice", "listUnitPrice", "discountAmount", "priceNegotiated", "priceOrigin", "priceAdjustments"]
        .map(|name| line[name].clone())
}

fn a_price_is_adjusted_for_the_customer_that_is_stated(database: Database) {
    let counter = counter(database);
    let (product, variant) = on_sale(&counter, "10");
    rule(&counter.shop, "price-adjustment", "1.5");
    let list = format!("pricing/price-lists/{}", counter.list);
    let one = format!("{list}/resolve/{variant}");
    let plain = counter.shop.get(&one).is(200);
    assert_eq!((&plain["amount"], plain.header("etag").is_some()), (&json!("10.000000"), true));
    assert!(plain.body.get("listAmount").is_none() && plain.body.get("adjustments").is_none(), "{plain}");
    let customer = [("customerId", counter.customer.as_str())];
    let resolved = counter.shop.list(&one, &[customer[0], ("quantity", "3")]).is(200);
    assert_eq!(resolved.header("etag"), None, "the tag is of the list's price");
    let many = json!({ "variantIds": [variant], "customerId": counter.customer });
    let many = counter.shop.post(&format!("{list}/resolve"), many).is(200)["items"][0].clone();
    let shown = counter.shop.list(&format!("{list}/products/{product}"), &customer).is(200);
    for price in [&resolved.body, &many, &shown["variants"][0]["price"]] {
        assert_eq!((&price["amount"], &price["listAmount"]), (&json!("8.500000"), &json!("10.000000")), "{price}");
        assert_eq!(price["adjustments"], off("8.500000"), "{price}");
        assert_eq!(price["id"], plain["id"], "{price}");
    }
}

fn a_line_has_the_adjusted_price_unless_one_was_agreed(database: Database) {
    let counter = counter(database);
    let (followed, agreed) = (counter.good("10", "9"), counter.good("10", "9"));
    rule(&counter.shop, "price-adjustment", "1.5");
    let items = json!([
        { "variantId": followed, "quantity": "2" }, { "variantId": agreed, "quantity": "1", "unitPrice": "9" },
    ]);
    let order = counter.draft(items.clone());
    let read = counter.read(&order);
    let adjusted = ["8.500000", "10.000000", "1.500000"].map(|amount| json!(amount));
    let [unit, list, less] = adjusted;
    assert_eq!(figures(&read["items"][0]), [unit, list, less, json!(false), Json::Null, off("8.500000")]);
    let by_agreement = [json!("9.000000"), json!("10.000000"), json!("1.000000"), json!(true), json!("SALES_ORDER")];
    assert_eq!(figures(&read["items"][1])[..5], by_agreement);
    assert_eq!(figures(&read["items"][1])[5], Json::Null, "an agreed price is not adjusted");
    assert_eq!(read["total"], "26.000000000000");

    // The list moves: a price from the list is adjusted again, in a refresh, a replacement and the confirmation.
    let prices = format!("pricing/price-lists/{}/prices", counter.list);
    let path = counter.shop.list(&prices, &[("variantId", followed.as_str())]).is(200).ids().remove(0);
    let path = format!("{prices}/{path}");
    counter.reprice(&path, &followed, "12");
    counter.step(&order, "refresh-prices", 1, json!({})).is(200);
    assert_eq!(counter.read(&order)["items"][0]["unitPrice"], "10.500000");
    let body = with(&counter.order(items), json!({ "expectedVersion": 2 }));
    counter.shop.put(&format!("sales/orders/{order}"), body).is(200);
    assert_eq!(counter.read(&order)["items"][0]["priceAdjustments"], off("10.500000"));
    counter.reprice(&path, &followed, "11");
    let confirmed = counter.step(&order, "confirm", 3, json!({ "expectedTotal": "28" })).is(200);
    assert_eq!(confirmed["total"], "28.000000000000");
    counter.shop.verified();
}

fn a_quotation_is_adjusted_until_it_is_sent(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "9");
    rule(&counter.shop, "price-adjustment", "1.5");
    let items = json!([{ "variantId": variant, "quantity": "2" }]);
    let quotation = counter.shop.post("sales/quotations", counter.quotation(items)).is(201).id();
    let path = format!("sales/quotations/{quotation}");
    let line = |path: &str| figures(&counter.shop.get(path).is(200)["items"][0]);
    assert_eq!(line(&path)[5], off("8.500000"));
    let step =
        |verb: &str, version: i64| counter.shop.post(&format!("{path}/{verb}"), json!({ "expectedVersion": version }));
    step("send", 1).is(200);
    let [unit, list, less] = ["8.500000", "10.000000", "1.500000"].map(|amount| json!(amount));
    let sent = [unit.clone(), list.clone(), less.clone(), json!(false), Json::Null, off("8.500000")];
    assert_eq!(line(&path), sent);
    let order = step("accept", 2).is(201).text("orderId");
    // The quoted price is agreed now, so that nothing adjusts it again.
    let accepted = [unit, list, less, json!(true), json!("QUOTATION"), Json::Null];
    assert_eq!(line(&format!("sales/orders/{order}")), accepted);
    counter.confirm(&order).is(200);
    counter.shop.verified();
}

fn what_is_no_price_is_the_failure_of_the_extension(database: Database) {
    let counter = counter(database);
    let (_, variant) = on_sale(&counter, "10");
    rule(&counter.shop, "price-adjustment", "10.5");
    let path = format!("pricing/price-lists/{}/resolve/{variant}", counter.list);
    counter.shop.get(&path).is(200);
    let refused = counter.shop.list(&path, &[("customerId", counter.customer.as_str())]).refused(500, "MODULE_FAILED");
    assert!(!refused.tells("assessor"), "the operator learns which module failed, the caller does not: {refused}");
}

fn an_extension_rejects_a_confirmation(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "9");
    let order = counter.draft_of(&variant, "3");
    rule(&counter.shop, "order-confirmation", "reject");
    counter.confirm(&order).refused(409, "ASSESSOR_NO").at("/customerId");
    assert_eq!(counter.read(&order)["status"], "DRAFT");
    assert_eq!(counter.shop.figure(&variant, &counter.main, "reserved"), "0.000000");
    assert_eq!(notes(&counter.shop), json!([]), "the note is gone with the confirmation");

    let accepting = self::counter(database);
    let variant = accepting.good("10", "9");
    let order = accepting.draft(json!([{ "variantId": variant, "quantity": "3", "unitPrice": "9" }]));
    rule(&accepting.shop, "order-confirmation", "note");
    accepting.confirm(&order).is(200);
    let line = "3.000000 at 9.000000 of 10.000000 is 27.000000000000";
    assert_eq!(notes(&accepting.shop), json!([format!("order-confirmation: EUR 27.000000000000 for {line}")]));
    accepting.shop.verified();
}

fn an_invoice_that_sells_asks_the_same_extensions(database: Database) {
    let shop = host(database).company();
    let office = Office::from_shop(shop.clone(), shop.entity());
    let desk = &office.sales;
    let variant = office.counter.good("10", "9");
    let sale = json!({ "warehouseId": office.counter.main, "priceListId": office.counter.list });
    let confirm = |quantity: &str| {
        let invoice = desk.draft(json!([desk.goods(&variant, quantity, "10")]));
        desk.step(&format!("invoices/{invoice}"), "confirm", sale.clone())
    };
    rule(&shop, "availability", "2");
    let refused = confirm("3").refused(409, "INSUFFICIENT_STOCK").fault("/lines/0", "INSUFFICIENT_STOCK");
    refused.bounds("/lines/0", json!({ "maximum": "2.000000" }));
    confirm("2").is(200);
    rule(&shop, "order-confirmation", "reject");
    confirm("1").refused(409, "ASSESSOR_NO").at("/partyId");
    assert_eq!(shop.count("sales_sales_order", "1 = 1"), 1, "only the accepted sale has an order");
    shop.verified();
}

fn an_extension_limits_what_is_sold(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "9");
    let service = json!({ "variantId": counter.service("1"), "quantity": "1" });
    rule(&counter.shop, "availability", "2.5");
    let above = counter.draft(json!([service, { "variantId": variant, "quantity": "3" }]));
    let refused = counter.confirm(&above).refused(409, "INSUFFICIENT_STOCK");
    assert_eq!(refused.pointers(), ["/items/1"]);
    refused.bounds("/items/1", json!({ "maximum": "2.500000" }));
    let order = counter.draft_of(&variant, "2");
    counter.confirm(&order).is(200);
    counter.shop.verified();
}

#[track_caller]
fn assert_not_collected(session: &Session, order: &str) {
    let till = &session.till;
    assert_eq!(till.counter.read(order)["status"], "CONFIRMED");
    assert_eq!(till.shop().count("pos_receipt", "1 = 1") + till.shop().count("finance_payment", "1 = 1"), 0);
}

fn an_extension_rejects_a_checkout(database: Database) {
    let till = Till::new(counter(database));
    let session = till.open("0");
    let order = till.order_of("10");
    rule(till.shop(), "checkout", "reject");
    session.try_check_out(&order, cash("10")).refused(409, "ASSESSOR_NO").at("/customerId");
    assert_not_collected(&session, &order);
    assert_eq!(notes(till.shop()), json!([]));

    let till = Till::new(counter(database));
    let session = till.open("0");
    rule(till.shop(), "checkout", "note");
    session.sell("10", cash("10"));
    let place = format!("checkout: {} at {}", session.id, till.register);
    let line = "1.000000 at 10.000000 of 10.000000 is 10.000000000000";
    assert_eq!(notes(till.shop()), json!([format!("checkout: EUR 10.000000000000 for {line}"), place]));
}

fn an_extension_takes_payments(database: Database) {
    let till = Till::new(counter(database));
    let session = till.open("0");
    rule(till.shop(), "payment-acceptance", "note");
    session.sell("10", parts(&[("CARD", "6"), ("CASH", "4")]));
    session.sell("3", cash("5"));
    let taken = [
        "payment-acceptance: 1 CARD DEBIT 6.000000",
        "payment-acceptance: 2 CASH no card 4.000000",
        "payment-acceptance: 1 CASH no card 3.000000",
    ];
    assert_eq!(notes(till.shop()), json!(taken));
    till.shop().verified();

    let till = Till::new(counter(database));
    let session = till.open("0");
    rule(till.shop(), "payment-acceptance", "reject");
    let order = till.order_of("10");
    for (payment, pointer) in [(cash("10"), "/tenderedAmount"), (parts(&[("CARD", "6"), ("CASH", "4")]), "/payments/0")]
    {
        session.try_check_out(&order, payment).refused(409, "ASSESSOR_NO").at(pointer);
        assert_not_collected(&session, &order);
    }
}

fn what_an_extension_took_is_gone_with_the_checkout(database: Database) {
    let till = Till::new(Counter::new(host(database).company_with(json!({ "keepsBooks": true }))));
    let session = till.open("0");
    let good = till.counter.good("10", "5");
    let order = till.order(json!([{ "variantId": good, "quantity": "1" }]));
    rule(till.shop(), "payment-acceptance", "note");
    let revenue = |account: Option<&str>| drop(till.books().map(&[("REVENUE", account)]).is(200));
    // The payments are accepted, then the goods cannot be posted.
    revenue(None);
    session.try_check_out(&order, cash("10")).refused(409, "ACCOUNTING_SETUP_REQUIRED");
    assert_not_collected(&session, &order);
    assert_eq!(notes(till.shop()), json!([]));
    revenue(Some(&till.books().account("4000")));
    session.try_check_out(&order, cash("10")).is(201);
    assert_eq!(notes(till.shop()), json!(["payment-acceptance: 1 CASH no card 10.000000"]));
    till.shop().verified();
}

fn an_extension_numbers_documents(database: Database) {
    let counter = counter(database);
    let shop = &counter.shop;
    let variant = counter.good("10", "9");
    rule(shop, "numbering", "Y26");
    let number = |path: &str, body: Json| {
        let id = shop.post(path, body).is(201).id();
        shop.get(&format!("{path}/{id}")).is(200).text("number")
    };
    let items = || json!([{ "variantId": variant, "quantity": "1" }]);
    let order = |stated: Json| number("sales/orders", with(&counter.order(items()), json!({ "number": stated })));
    assert_eq!(order(Json::Null), "Y26-SO-1");
    assert_eq!(order(json!("y26-so-2")), "y26-so-2", "a stated number stays as it is");
    assert_eq!(order(Json::Null), "Y26-SO-3", "the numbers before are taken, in any case");
    assert_eq!(number("sales/quotations", counter.quotation(items())), "Y26-QT-1");
    let buyer = Buyer::from_shop(shop.clone());
    let bought = json!([{ "variantId": variant, "quantity": "1", "unitCost": "1" }]);
    assert_eq!(number("purchases/orders", buyer.body(bought)), "Y26-PO-1");
    let places = json!({ "fromWarehouseId": counter.main, "toWarehouseId": shop.warehouse("PHYSICAL") });
    assert_eq!(number("inventory/transfer-orders", with(&places, json!({ "items": items() }))), "Y26-TO-1");
    assert_eq!(number("inventory/counts", json!({ "warehouseId": counter.main })), "Y26-SC-1");
}
