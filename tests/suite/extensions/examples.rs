//! The examples of extensions, end to end.

use std::collections::BTreeSet;
use std::fs;
use std::sync::OnceLock;

use serde_json::{Value as Json, json};
use stoa_tests::billing::Office;
use stoa_tests::host::{Settings, workspace};
use stoa_tests::modules::CONSENT;
use stoa_tests::selling::Counter;
use stoa_tests::tills::{Session, Till, cash};
use stoa_tests::{Company, Database, Folder, Stoa, at_once, modules, on_both_databases};

on_both_databases![
    a_customer_of_a_group_pays_less,
    an_order_above_the_limit_is_rejected,
    orders_at_the_same_time_share_one_limit,
    an_invoice_that_sells_is_held_against_the_limit,
    a_collected_order_no_longer_counts,
    points_are_earned_and_pay,
    a_rejected_payment_takes_no_points,
    a_delivered_order_earns_without_a_till,
    all_take_part_in_one_sale,
    a_module_that_returns_finds_its_rows,
];
stoa_tests::tests![no_example_has_more_than_250_lines_of_code];

const EXAMPLES: [&str; 3] = ["credit-limit", "group-prices", "loyalty"];

fn bytes(example: &str) -> Vec<u8> {
    fs::read(modules::example(example)).expect("an example")
}

/// The real modules with the examples next to them; shared by the tests of this database.
fn host(database: Database) -> Stoa {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    static HOSTS: [OnceLock<Result<Stoa, String>>; 2] = [OnceLock::new(), OnceLock::new()];
    let folder = FOLDER.get_or_init(|| {
        let files = EXAMPLES.map(|name| (format!("{name}.wasm"), bytes(name)));
        let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        modules::with(&files)
    });
    let start = || Stoa::try_start(database, Settings::default().modules(folder.path()));
    let started = HOSTS[database as usize].get_or_init(start).clone();
    started.unwrap_or_else(|said| panic!("the host with the examples did not start: {said}"))
}

fn counter(database: Database) -> Counter {
    Counter::new(host(database).company())
}

/// Puts the counter's customer into the group GOLD, which pays so many percent less.
#[track_caller]
fn gold(counter: &Counter, percent: &str) {
    let member = format!("group-prices/members/{}", counter.customer);
    counter.shop.put(&member, json!({ "groupCode": "GOLD" })).is(200);
    counter.shop.put("group-prices/rules/GOLD", json!({ "rules": [{ "percent": percent }] })).is(200);
}

#[track_caller]
fn limit(counter: &Counter, amount: &str) {
    let path = format!("credit-limit/customers/{}", counter.customer);
    counter.shop.put(&path, json!({ "currencyCode": "EUR", "amount": amount })).is(200);
}

/// Open and left of the counter's customer.
#[track_caller]
fn credit(counter: &Counter) -> [Json; 2] {
    let limits = counter.shop.get(&format!("credit-limit/customers/{}", counter.customer)).is(200);
    ["open", "left"].map(|member| limits["limits"][0][member].clone())
}

/// A point for each unit of the currency, worth a tenth.
#[track_caller]
fn program(shop: &Company) {
    let program = json!({ "currencyCode": "EUR", "pointsPerAmount": "1", "pointValue": "0.1" });
    shop.put("loyalty/program", program).is(200);
}

#[track_caller]
fn points(counter: &Counter) -> Json {
    counter.shop.get(&format!("loyalty/balances/{}", counter.customer)).is(200)["points"].clone()
}

/// A payment with points, the rest in cash.
fn by_points(amount: &str, cash: &str) -> Json {
    json!({ "payments": [
        { "method": "OTHER", "amount": amount, "reference": "loyalty" }, { "method": "CASH", "amount": cash },
    ] })
}

fn order_of(counter: &Counter, price: &str) -> String {
    counter.draft_of(&counter.service(price), "1")
}

fn a_customer_of_a_group_pays_less(database: Database) {
    let counter = counter(database);
    let variant = counter.service("10");
    gold(&counter, "10");
    let path = format!("pricing/price-lists/{}/resolve/{variant}", counter.list);
    let amounts = |query: &[(&str, &str)]| {
        let price = counter.shop.list(&path, query).is(200);
        ["amount", "listAmount", "adjustments"].map(|member| price[member].clone())
    };
    let adjustments = json!([{ "module": "group-prices", "amount": "9.000000", "reason": "Group GOLD: 10 %" }]);
    let reduced = [json!("9.000000"), json!("10.000000"), adjustments.clone()];
    assert_eq!(amounts(&[("customerId", counter.customer.as_str())]), reduced);
    let plain = [json!("10.000000"), Json::Null, Json::Null];
    assert_eq!(amounts(&[]), plain);
    let other = json!({ "code": "C-OTHER", "name": "Other" });
    let other = counter.shop.post("sales/customers", other).is(201).id();
    assert_eq!(amounts(&[("customerId", other.as_str())]), plain);

    let order = counter.read(&counter.draft_of(&variant, "2"));
    let line = &order["items"][0];
    assert_eq!((&order["total"], &line["priceAdjustments"]), (&json!("18.000000000000"), &adjustments));
    let rules = json!({ "rules": [{ "percent": "10" }, { "variantId": variant, "percent": "0" }] });
    counter.shop.put("group-prices/rules/GOLD", rules).is(200);
    assert_eq!(amounts(&[("customerId", counter.customer.as_str())]), plain, "the variant's own rule comes first");
    counter.shop.verified();
}

fn an_order_above_the_limit_is_rejected(database: Database) {
    let counter = counter(database);
    let good = counter.good("20", "9");
    limit(&counter, "50");
    let held = counter.draft_of(&good, "2");
    counter.confirm(&held).is(200);
    assert_eq!(counter.read(&held)["extensions"]["credit-limit"], json!({ "exposure": "40.000000000000" }));
    let order = counter.draft_of(&good, "1");
    let refused =
        counter.confirm(&order).refused(409, "CREDIT_LIMIT_EXCEEDED").fault("/total", "CREDIT_LIMIT_EXCEEDED");
    refused.bounds("/total", json!({ "maximum": "10.000000000000" }));
    let read = counter.read(&order);
    assert_eq!((&read["status"], read["extensions"]["credit-limit"].is_null()), (&json!("DRAFT"), true));
    assert_eq!(counter.shop.figure(&good, &counter.main, "reserved"), "2.000000");
    counter.cancel(&held, 2).is(200);
    assert_eq!(counter.read(&held)["extensions"]["credit-limit"], json!({ "exposure": null }));
    counter.confirm(&order).is(200);
    assert_eq!(credit(&counter), ["20.000000000000", "30.000000000000"]);
    counter.shop.post(&format!("credit-limit/orders/{order}/release"), json!({})).is(200);
    assert_eq!(credit(&counter), ["0.000000000000", "50.000000000000"]);
    counter.shop.verified();
}

fn orders_at_the_same_time_share_one_limit(database: Database) {
    let counter = counter(database);
    limit(&counter, "50");
    let orders: Vec<String> = (0..6).map(|_| order_of(&counter, "20")).collect();
    let statuses = at_once(orders.len(), |nth| counter.confirm(&orders[nth]).status);
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 2, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 4, "{statuses:?}");
    assert_eq!(credit(&counter), ["40.000000000000", "10.000000000000"]);
}

fn an_invoice_that_sells_is_held_against_the_limit(database: Database) {
    let shop = host(database).company();
    let office = Office::from_shop(shop.clone(), shop.entity());
    let (desk, counter) = (&office.sales, &office.counter);
    let good = counter.good("10", "9");
    let sale = json!({ "warehouseId": counter.main, "priceListId": counter.list });
    let confirm = |quantity: &str| {
        let invoice = desk.draft(json!([desk.goods(&good, quantity, "10")]));
        desk.step(&format!("invoices/{invoice}"), "confirm", sale.clone())
    };
    limit(counter, "25");
    confirm("3").refused(409, "CREDIT_LIMIT_EXCEEDED");
    confirm("2").is(200);
    assert_eq!(credit(counter), ["20.000000000000", "5.000000000000"]);
    shop.verified();
}

fn till(database: Database) -> (Till, Session) {
    let till = Till::new(counter(database));
    let session = till.open("0");
    (till, session)
}

fn a_collected_order_no_longer_counts(database: Database) {
    let (till, session) = till(database);
    limit(&till.counter, "50");
    let order = till.order_of("40");
    assert_eq!(credit(&till.counter)[1], "10.000000000000");
    session.try_check_out(&order, cash("40")).is(201);
    assert_eq!(credit(&till.counter)[1], "50.000000000000");
}

fn points_are_earned_and_pay(database: Database) {
    let (till, session) = till(database);
    program(till.shop());
    let first = session.sell("60.5", cash("60.5"));
    assert_eq!(points(&till.counter), 60);
    let shown =
        |receipt: &str| till.shop().get(&format!("pos/receipts/{receipt}")).is(200)["extensions"]["loyalty"].clone();
    assert_eq!(shown(&first.id()), json!({ "earned": 60, "redeemed": 0 }));
    let second = session.sell("10", by_points("2", "8"));
    // The response of the checkout is made before the sale's points are added.
    assert_eq!(second["extensions"]["loyalty"], json!({ "earned": 0, "redeemed": 20 }));
    assert_eq!(shown(&second.id()), json!({ "earned": 10, "redeemed": 20 }));
    assert_eq!(points(&till.counter), 50);
    let entries = till.shop().all("loyalty/entries", &[("customerId", till.counter.customer.as_str())]);
    let entries: Vec<(Json, Json)> =
        entries.iter().map(|entry| (entry["kind"].clone(), entry["points"].clone())).collect();
    let expected = [("EARN", 60), ("REDEEM", -20), ("EARN", 10)];
    assert_eq!(entries, expected.map(|(kind, points)| (json!(kind), json!(points))));
    till.shop().verified();
}

fn a_rejected_payment_takes_no_points(database: Database) {
    let (till, session) = till(database);
    let order = till.order_of("20");
    let reject = |payment: Json, code: &str| session.try_check_out(&order, payment).refused(409, code);
    reject(by_points("1", "19"), "LOYALTY_POINTS_INSUFFICIENT").at("/payments/0/amount");
    program(till.shop());
    session.sell("30", cash("30"));
    reject(by_points("0.25", "19.75"), "LOYALTY_AMOUNT_NOT_WHOLE").at("/payments/0/amount");
    let refused = reject(by_points("3.1", "16.9"), "LOYALTY_POINTS_INSUFFICIENT").at("/payments/0/amount");
    refused.bounds("/payments/0/amount", json!({ "maximum": "3.000000" }));
    assert_eq!(points(&till.counter), 30);
    session.try_check_out(&order, by_points("3", "17")).is(201);
    assert_eq!(points(&till.counter), 20, "30 less 30, and 20 of the sale");
    till.shop().verified();
}

fn a_delivered_order_earns_without_a_till(database: Database) {
    let counter = counter(database);
    program(&counter.shop);
    let good = counter.good("12.5", "9");
    counter.deliver(json!([{ "variantId": good, "quantity": "2" }]));
    assert_eq!(points(&counter), 25);
    let cancelled = order_of(&counter, "10");
    counter.confirm(&cancelled).is(200);
    counter.cancel(&cancelled, 2).is(200);
    assert_eq!(points(&counter), 25);
}

fn all_take_part_in_one_sale(database: Database) {
    let (till, session) = till(database);
    gold(&till.counter, "10");
    limit(&till.counter, "50");
    program(till.shop());
    let refused = till.counter.confirm(&order_of(&till.counter, "60")).refused(409, "CREDIT_LIMIT_EXCEEDED");
    refused.bounds("/total", json!({ "maximum": "50.000000000000" }));
    // 50 less 10 percent.
    let receipt = session.sell("50", cash("45"));
    assert_eq!((receipt.text("total"), points(&till.counter)), ("45.000000".to_owned(), json!(45)));
    assert_eq!(credit(&till.counter)[1], "50.000000000000");
    let audited = till.shop().list("audit", &[("operation", "checkoutPosSession")]).is(200);
    let took_part = &audited.items()[0]["metadata"]["extensions"];
    let took_part = took_part.as_array().into_iter().flatten().filter_map(|one| one["module"].as_str());
    assert_eq!(took_part.collect::<BTreeSet<_>>(), BTreeSet::from(["credit-limit", "loyalty"]), "{audited}");
    till.shop().verified();
}

fn a_module_that_returns_finds_its_rows(database: Database) {
    let host = Stoa::start(database);
    let (console, till) = (host.console(), Till::new(Counter::new(host.company())));
    let session = till.open("0");
    let digest = console.pushed(&bytes("loyalty"));
    console.activate(&digest, json!({})).refused(409, "CONTRACT_BREAKING");
    console.activate(&digest, json!({ "allow": CONSENT })).is(200);
    host.forget_contract();
    program(till.shop());
    session.sell("30", cash("30"));
    assert_eq!(points(&till.counter), 30);

    console.post("modules/loyalty/deactivate", json!({})).is(200);
    host.forget_contract();
    // No module takes the points: it is a payment like any other.
    session.sell("10", by_points("1", "9"));
    till.shop().get("loyalty/program").refused(404, "NOT_FOUND");

    console.activate(&digest, json!({ "allow": CONSENT, "again": true })).is(200);
    host.forget_contract();
    assert_eq!(points(&till.counter), 30);
    session.sell("10", by_points("3", "7"));
    assert_eq!(points(&till.counter), 10);
    till.shop().verified();
}

/// Lines that are neither blank nor comments, imports or tests.
fn no_example_has_more_than_250_lines_of_code() {
    for example in EXAMPLES {
        let folder = workspace().join("components/examples").join(example).join("src");
        let files = fs::read_dir(&folder).expect("its sources").map(|file| file.expect("a file").path());
        let lines: usize = files.map(|file| count_code(&fs::read_to_string(file).expect("a source"))).sum();
        assert!((100..=250).contains(&lines), "{example}: {lines} lines");
    }
}

fn count_code(text: &str) -> usize {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut is_import = false;
    let is_code = |line: &&str| {
        is_import |= line.starts_with("use ");
        let counts = !is_import && !line.is_empty() && !line.starts_with("//");
        is_import &= !line.ends_with(';');
        counts
    };
    code.lines().map(str::trim).filter(is_code).count()
}
