//! Books that begin with a history. [L5] to [L8]

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office, id};
use stoa_tests::books::day;
use stoa_tests::company::with;
use stoa_tests::goods::WHY;
use stoa_tests::purchases::line;
use stoa_tests::{Answer, Database, at_once, on_both_databases};

on_both_databases![
    l5_every_control_account_is_opened,
    l6_a_receipt_is_in_the_opening_or_posts_itself,
    many_parties_are_opened_each,
];

on_both_databases![
    rules:
    l5_books_begin_at_what_the_documents_say,
    l7_what_is_missing_leaves_no_books,
    l7_costs_are_stated_for_goods_without_one,
    l8_what_was_before_the_books_stays,
    documents_in_other_currencies_stay_outside,
    books_are_begun_by_who_may,
];

/// A company without books whose entity has a chart.
#[track_caller]
fn prepare(database: Database) -> Office {
    let office = Office::new(database);
    let chart = office.books().at("chart");
    office.shop.post(&chart, json!({ "template": "STANDARD" })).is(201);
    office
}

#[track_caller]
fn start(office: &Office, members: Json) -> Answer {
    let version = office.shop.get(&format!("ledger/legal-entities/{}", office.entity)).is(200)["version"].clone();
    let body = with(&json!({ "expectedVersion": version, "currencyCode": "EUR" }), members);
    office.shop.post(&office.books().at("start-books"), body)
}

#[track_caller]
fn keeps_books(office: &Office) -> bool {
    let path = format!("ledger/legal-entities/{}", office.entity);
    office.shop.get(&path).is(200)["keepsBooks"] == true
}

fn l5_books_begin_at_what_the_documents_say(database: Database) {
    let office = prepare(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let variant = office.shop.counted(0);
    counter.price(&variant, "30");
    office.shop.bring(&variant, &counter.main, "11", Some("2")).is(201);
    let order = counter.deliver(json!([{ "variantId": variant, "quantity": "1" }]));
    desk.issue(json!([{ "orderItemId": counter.read(&order)["items"][0]["id"], "quantity": "1" }]));
    desk.pay("7");
    let reported = start(&office, json!({})).is(200);
    assert_eq!((&reported["booksStartOn"], &reported["otherCurrencies"]), (&json!(day(0)), &json!([])));
    assert_eq!(office.balances(), "1100 30, 1200 20, 2050 -7, 3200 -43");
    assert_eq!(office.entries(&office.entity), ["OPENING: 1100 +30, 1200 +20, 2050 -7, 3200 -43"]);
    start(&office, json!({})).refused(409, "ILLEGAL_STATE").fault("/path/id", "BOOKS_KEPT");
    office.sound();
}

fn l5_every_control_account_is_opened(database: Database) {
    let office = prepare(database);
    let (buyer, counter) = (&office.buyer, &office.counter);
    let variant = office.shop.counted(0);
    counter.price(&variant, "10");
    let order = buyer.place(json!([line(&variant, "10", "2")]));
    order.receive(json!([order.goods(0, "6")])).is(201);
    office.purchases.issue(json!([{ "orderItemId": order.item_id(0), "quantity": "4" }]));
    office.purchases.pay("5");
    office.purchases.grant("3");
    counter.deliver(json!([{ "variantId": variant, "quantity": "1" }]));
    office.sales.owe("25");
    office.sales.grant("4");
    start(&office, json!({})).is(200);
    // 5 left of 6 at 2; 4 of 6 billed at 2; 10 delivered and not billed, 25 billed and not delivered.
    assert_eq!(office.balances(), "1100 25, 1150 8, 1160 -15, 1200 10, 2000 -8, 2050 -4, 2100 -4, 3200 -12");
    office.reconcile();
    // The documents of before go on as those of after do.
    let open = office.shop.all("sales/invoices", &[("open", "true")]).remove(0);
    office.sales.pay_for("25", &[(open["id"].as_str().unwrap(), "25")]);
    order.receive(json!([order.goods(0, "4")])).is(201);
    office.sound();
}

fn l6_a_receipt_is_in_the_opening_or_posts_itself(database: Database) {
    for _ in 0..4 {
        let office = prepare(database);
        let variant = office.shop.counted(0);
        let order = office.buyer.place(json!([line(&variant, "4", "5")]));
        let body = order.receipt_body(json!([order.goods(0, "4")]));
        let answers = at_once(2, |n| if n == 0 { start(&office, json!({})) } else { order.post_receipt(body.clone()) });
        answers[0].clone().is(200);
        answers[1].clone().is(201);
        let posted = office.entries(&answers[1].id()).len();
        let opened = office.entries(&office.entity).len();
        assert_eq!(posted + opened, 1, "{posted} of the receipt, {opened} of the opening");
        assert_eq!(office.books().closing()["1200"], "20.000000000000");
        office.sound();
    }
}

fn l7_what_is_missing_leaves_no_books(database: Database) {
    let office = prepare(database);
    office.shop.bring(&office.shop.counted(0), &office.counter.main, "10", Some("2")).is(201);
    let books = office.books();
    books.map(&[("INVENTORY", None), ("OPENING_BALANCE", None)]).is(200);
    let before = office.shop.records();
    let reported = start(&office, json!({})).refused(409, "ACCOUNTING_SETUP_REQUIRED");
    reported.clone().fault("/mappings/roles/INVENTORY", "ROLE_UNMAPPED");
    reported.fault("/mappings/roles/OPENING_BALANCE", "ROLE_UNMAPPED");
    assert_eq!(office.shop.records(), before);
    assert!(!keeps_books(&office));
    start(&office, json!({ "expectedVersion": 99 })).refused(409, "VERSION_CONFLICT");
    start(&office, json!({ "currencyCode": "eur" })).refused(400, "VALIDATION_FAILED").at("/currencyCode");
    start(&office, json!({ "amountScale": 5 })).refused(400, "VALIDATION_FAILED").at("/amountScale");
}

fn l7_costs_are_stated_for_goods_without_one(database: Database) {
    let office = prepare(database);
    let (box_, other) = (office.shop.counted(0), office.shop.counted(0));
    office.shop.bring(&box_, &office.counter.main, "10", None).is(201);
    office.shop.bring(&other, &office.counter.main, "1", Some("4")).is(201);
    let phone = office.shop.phone();
    let unit = json!([{ "serialNumber": stoa_tests::company::fresh("SN-") }]);
    let unit = office.shop.try_admit(&phone, &office.counter.main, None, unit).is(201).ids().remove(0);
    start(&office, json!({})).refused(409, "VALUATION_COST_REQUIRED").at("/costs");
    let half = json!([{ "variantId": box_, "unitCost": "2" }]);
    start(&office, json!({ "costs": half })).refused(409, "VALUATION_COST_REQUIRED").at("/costs");
    assert!(!keeps_books(&office));
    let both = json!([{ "variantId": box_, "inventoryUnitId": unit, "unitCost": "2" }]);
    start(&office, json!({ "costs": both })).refused(400, "VALIDATION_FAILED").fault("/costs/0", "NOT_ALLOWED");
    let gone = json!([{ "variantId": uuid::Uuid::now_v7(), "unitCost": "2" }]);
    start(&office, json!({ "costs": gone })).refused(404, "NOT_FOUND").at("/costs/0/variantId");
    let all = json!([{ "variantId": box_, "unitCost": "2" }, { "inventoryUnitId": unit, "unitCost": "90" }]);
    start(&office, json!({ "costs": all })).is(200);
    assert_eq!(office.balances(), "1200 114, 3200 -114");
    office.sound();
}

fn l8_what_was_before_the_books_stays(database: Database) {
    let office = prepare(database);
    let before = |desk: &Desk| {
        let applied = desk.pay_for("9", &[(&desk.owe("9"), "9")]);
        [desk.owe("30"), desk.pay("7"), desk.grant("5"), applied, desk.give_back(&desk.grant("2"), "1")]
    };
    let documents = office.desks().map(before);
    start(&office, json!({})).is(200);
    for (desk, [invoice, payment, credit, applied, refund]) in office.desks().into_iter().zip(documents) {
        let refused = |answer: Answer| {
            answer.refused(409, "ILLEGAL_STATE").fault("/path/id", "BEFORE_BOOKS");
        };
        refused(desk.void(&format!("invoices/{invoice}"), json!({})));
        refused(desk.void(&payment, json!({})));
        refused(desk.void(&credit, json!({})));
        refused(desk.void(&refund, json!({})));
        refused(desk.step(&applied, "reverse", json!({ "reason": WHY })));
        // The rest of them is used all the same.
        desk.apply(&payment, &[(&invoice, "7")]).is(201);
        desk.apply(&credit, &[(&invoice, "5")]).is(201);
        assert_eq!(desk.balance(&invoice), "18");
        let entries = office.entries(id(&payment));
        assert!(entries.is_empty(), "{entries:?}");
    }
    office.sound();
}

fn documents_in_other_currencies_stay_outside(database: Database) {
    let office = prepare(database);
    let desk = &office.sales;
    let dollars = |amount: &str| {
        let draft = desk.try_draft(json!([desk.free("1", amount)]), json!({ "currencyCode": "USD" })).is(201).id();
        desk.try_issue(&draft, json!({})).is(200);
        draft
    };
    let open = dollars("50");
    desk.owe("30");
    let reported = start(&office, json!({})).is(200);
    assert_eq!(reported["otherCurrencies"], json!(["USD"]));
    assert_eq!(office.balances(), "1100 30, 1160 -30");
    desk.try_pay("50", json!({ "currencyCode": "USD" })).refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED");
    assert_eq!(desk.balance(&open), "50");
    office.sound();
}

fn books_are_begun_by_who_may(database: Database) {
    let office = prepare(database);
    let other = office.as_person(&office.shop.colleague(&["sales.read", "reports.cost.read"]));
    start(&other, json!({})).refused(403, "PERMISSION_DENIED");
    let reported = start(&office, json!({})).is(200);
    assert!(reported["openingEntryId"].is_null(), "there was nothing to open with");
    let path = format!("ledger/legal-entities/{}", uuid::Uuid::now_v7());
    let body = json!({ "expectedVersion": 1, "currencyCode": "EUR" });
    office.shop.post(&format!("{path}/start-books"), body).refused(404, "NOT_FOUND");
}

fn many_parties_are_opened_each(database: Database) {
    let office = prepare(database);
    for amount in 1..=5 {
        let code = stoa_tests::company::fresh("C-");
        let customer = office.shop.post("sales/customers", json!({ "code": code, "name": code })).is(201).id();
        let desk = Desk { party: customer.clone(), ..office.sales.clone() };
        desk.owe(&amount.to_string());
    }
    start(&office, json!({})).is(200);
    let entry =
        office.shop.all("ledger/journal-entries", &[("legalEntityId", &office.entity), ("sourceId", &office.entity)]);
    let entry = office.shop.get(&format!("ledger/journal-entries/{}", entry[0]["id"].as_str().unwrap())).is(200);
    let lines = entry["lines"].as_array().cloned().unwrap_or_default();
    let owed = lines.iter().filter(|line| line["accountCode"] == "1100" && line["partyType"] == "CUSTOMER");
    assert_eq!(owed.count(), 5, "one line for each customer: {entry}");
    office.sound();
}
