//! Checkout: how a sale is paid, what it must match, and that what is refused leaves nothing. [E308]..[E327], [E331]

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, with, without};
use stoa_tests::tills::{Session, cash, parts, register, till, till_with_books};
use stoa_tests::{Answer, Database, assert_table, on_both_databases};

on_both_databases![e319_an_order_of_another_place_is_refused, e323_what_accounting_refuses_leaves_nothing,];

on_both_databases![
    rules:
    e308_what_is_tendered_beyond_the_total_is_change,
    e309_change_is_of_cash_alone,
    e310_a_sale_is_paid_in_one_way,
    e311_sums_are_exact_to_the_last_digit,
    e312_e313_components_are_judged_before_anything_else,
    e314_e315_a_reference_is_needed_and_is_no_card_number,
    e317_a_lost_answer_is_the_same_receipt,
    e318_only_a_confirmed_order_is_checked_out,
    e320_both_versions_must_be_known,
    e321_a_total_finer_than_money_is_refused,
    e322_nothing_is_collected_by_cash_alone,
    e324_accounts_fit_their_methods,
    e325_only_the_operator_checks_out,
    e331_a_hundred_checkouts_in_a_row,
    refusals_come_in_the_order_of_the_rules,
    a_checkout_delivers_goods_and_units,
    a_checkout_posts_its_delivery_and_its_collection,
];

fn e308_what_is_tendered_beyond_the_total_is_change(database: Database) {
    let session = till(database).open("10");
    let receipt = session.sell("87.5", cash("100"));
    assert_eq!((&receipt["changeAmount"], &receipt["cashAmount"]), (&json!("12.500000"), &json!("87.500000")));
    assert_eq!((&receipt["total"], &receipt["tenderedAmount"]), (&json!("87.500000"), &json!("100.000000")));
    assert_eq!((&receipt["sessionId"], &receipt["sessionVersion"]), (&json!(session.id), &json!(2)));
    let payment = &receipt["payments"][0];
    assert_eq!(
        (&payment["method"], &payment["amount"], &payment["lineNo"]),
        (&json!("CASH"), &json!("87.500000"), &json!(1))
    );
    assert_eq!(
        (&payment["status"], &payment["reference"], &payment["accountId"]),
        (&json!("CONFIRMED"), &Json::Null, &Json::Null)
    );
    assert_eq!((session.expected_cash(), session.version()), ("97.500000".to_string(), 2));
    session.till.shop().verified();
}

fn e309_change_is_of_cash_alone(database: Database) {
    let session = till(database).open("0");
    let payment = with(&parts(&[("CARD", "50"), ("CASH", "37.5")]), json!({ "cashTendered": "40" }));
    let receipt = session.sell("87.5", payment);
    assert_eq!((&receipt["changeAmount"], &receipt["tenderedAmount"]), (&json!("2.500000"), &json!("90.000000")));
    assert_eq!(receipt["cashAmount"], "37.500000");
    assert_eq!(session.expected_cash(), "37.500000", "cards are never in the drawer");
    let all = [("CASH", "1"), ("TRANSFER", "2"), ("CARD", "3"), ("CHECK", "4"), ("OTHER", "5")];
    let receipt = session.sell("15", parts(&all));
    let methods: Vec<&Json> = receipt["payments"].as_array().unwrap().iter().map(|paid| &paid["method"]).collect();
    assert_eq!(methods, all.map(|(method, _)| json!(method)).iter().collect::<Vec<_>>());
    assert_eq!(receipt["payments"][2]["cardKind"], "DEBIT");
    session.till.shop().verified();
}

fn e310_a_sale_is_paid_in_one_way(database: Database) {
    let session = till(database).open("0");
    let order = session.till.order_of("10");
    let invalid = |payment: Json, pointer: &str, code: &str| {
        session.try_check_out_at(&order, 1, payment).refused(400, "VALIDATION_FAILED").fault(pointer, code);
    };
    invalid(with(&parts(&[("CASH", "10")]), cash("10")), "/payments", "NOT_ALLOWED");
    invalid(json!({}), "/tenderedAmount", "REQUIRED");
    invalid(json!({ "payments": null, "tenderedAmount": null }), "/tenderedAmount", "REQUIRED");
    invalid(json!({ "payments": [] }), "/payments", "TOO_FEW");
    invalid(parts(&[("OTHER", "1"); 9]), "/payments", "TOO_MANY");
    invalid(json!({ "tenderedAmount": 10 }), "/tenderedAmount", "TYPE");
    invalid(json!({ "tenderedAmount": "10", "tip": "1" }), "", "NOT_ALLOWED");
    session.try_check_out_at(&order, 1, parts(&[("OTHER", "1.25"); 8])).is(201);
}

fn e311_sums_are_exact_to_the_last_digit(database: Database) {
    let session = till(database).open("0");
    let order = session.till.order_of("87.5");
    for amount in ["37.499999", "37.500001"] {
        let refused = session.try_check_out_at(&order, 1, parts(&[("CARD", "50"), ("CASH", amount)]));
        refused.refused(409, "PAYMENT_TOTAL_MISMATCH").at("/payments");
    }
    session.try_check_out_at(&order, 1, cash("87.499999")).refused(409, "TENDER_INSUFFICIENT").at("/tenderedAmount");
    assert_eq!((session.version(), session.expected_cash()), (1, "0.000000".to_string()));
    session.try_check_out_at(&order, 1, parts(&[("CARD", "50"), ("CASH", "37.5")])).is(201);
}

fn e312_e313_components_are_judged_before_anything_else(database: Database) {
    let session = till(database).open("0");
    let order = session.till.order_of("10");
    let card = json!({ "method": "CARD", "cardKind": "CREDIT", "amount": "10", "reference": "AB" });
    let cash_part = json!({ "method": "CASH", "amount": "10" });
    for (payment, pointer, code) in [
        (json!({ "payments": [cash_part, cash_part] }), "/payments/1/method", "REPEATED"),
        (json!({ "payments": [card], "cashTendered": "10" }), "/cashTendered", "NOT_ALLOWED"),
        (json!({ "tenderedAmount": "10", "cashTendered": "10" }), "/cashTendered", "NOT_ALLOWED"),
        (json!({ "payments": [cash_part], "cashTendered": "9.999999" }), "/cashTendered", "RANGE"),
        (json!({ "payments": [without(&card, "cardKind")] }), "/payments/0/cardKind", "REQUIRED"),
        (json!({ "payments": [with(&card, json!({ "method": "TRANSFER" }))] }), "/payments/0/cardKind", "NOT_ALLOWED"),
        (json!({ "payments": [with(&card, json!({ "amount": "0" }))] }), "/payments/0/amount", "FORMAT"),
        (json!({ "payments": [with(&card, json!({ "amount": "-1" }))] }), "/payments/0/amount", "FORMAT"),
        (json!({ "payments": [with(&card, json!({ "method": "BARTER" }))] }), "/payments/0/method", "FORMAT"),
    ] {
        // A version that is not published yet.
        session.try_check_out_at(&order, 99, payment).refused(400, "VALIDATION_FAILED").fault(pointer, code);
    }
}

fn e314_e315_a_reference_is_needed_and_is_no_card_number(database: Database) {
    let session = till(database).open("0");
    let pay = |order: &str, version: i64, reference: Json| {
        let part = json!({ "method": "CARD", "cardKind": "DEBIT", "amount": "10", "reference": reference });
        session.try_check_out_at(order, version, json!({ "payments": [part] }))
    };
    let order = session.till.order_of("10");
    let refused = |reference: Json, code: &str| {
        let answer = pay(&order, 1, reference).refused(400, "VALIDATION_FAILED");
        answer.fault("/payments/0/reference", code)
    };
    refused(Json::Null, "REQUIRED");
    refused(json!("   "), "RANGE");
    refused(json!("x".repeat(121)), "RANGE");
    for number in [
        "4111111111111111",
        "4111 1111 1111 1112",
        "4111-1111-1111-1111 12/26",
        "3782 822463 10005",
        "\u{FF14}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}",
        "4111\u{FF0D}1111\u{FF0D}1111\u{FF0D}1111",
        "4111\u{200B}1111\u{200B}1111\u{200B}1111",
    ] {
        let answer = refused(json!(number), "CARD_NUMBER_REFUSED");
        assert!(!answer.body.to_string().contains(number), "it is not echoed");
    }
    assert_eq!(session.version(), 1);
    for (version, reference) in
        (1..).zip([" **** 4242 ", " AB-99812", "1234567890123456789012 ", "2026-11-21 000124", &"x".repeat(120)])
    {
        let order = session.till.order_of("10");
        let receipt = pay(&order, version, json!(reference)).is(201);
        assert_eq!(receipt["payments"][0]["reference"], reference.trim(), "trimmed and kept");
    }
}

fn e317_a_lost_answer_is_the_same_receipt(database: Database) {
    let session = till(database).open("0");
    let order = session.till.order_of("10");
    let key = uuid::Uuid::new_v4().to_string();
    let body = session.checkout(&order, 1, cash("20"));
    let send = || {
        let path = format!("{}/checkout", session.path());
        session.till.shop().request("POST", &path).key(&key).json(&body).send().is(201)
    };
    let (first, again) = (send(), send());
    assert_eq!(first.body, again.body);
    assert!(!first.replayed() && again.replayed());
    assert_eq!((session.version(), session.till.events("pos.receipt.created")), (2, 1));
}

fn e318_only_a_confirmed_order_is_checked_out(database: Database) {
    let till = till(database);
    let session = till.open("0");
    let service = till.counter.service("10");
    let items = json!([{ "variantId": service, "quantity": "1" }]);
    let draft = till.counter.draft(items.clone());
    let completed = till.counter.deliver(items.clone());
    let cancelled = till.order(items);
    till.counter.cancel(&cancelled, 2).is(200);
    for (order, version) in [(&draft, 1), (&completed, 3), (&cancelled, 3)] {
        let payment = with(&cash("10"), json!({ "expectedOrderVersion": version }));
        session.try_check_out(order, payment).refused(409, "ILLEGAL_STATE").at("/orderId");
    }
    session.try_check_out(&till.register, cash("10")).refused(404, "NOT_FOUND").at("/orderId");
}

fn e319_an_order_of_another_place_is_refused(database: Database) {
    let till = till(database);
    let shop = till.shop();
    let (warehouse, list) = (shop.warehouse("PHYSICAL"), shop.price_list(&fresh("LIST-")));
    let body = register(&till.counter, json!({ "warehouseId": warehouse, "priceListId": list }));
    let other = stoa_tests::tills::Till { register: shop.post("pos/registers", body).is(201).id(), ..till.clone() };
    let order = till.order_of("10");
    let refused = other.open("0").try_check_out(&order, cash("10")).refused(409, "REGISTER_MISMATCH");
    assert_eq!(refused.pointers(), ["/warehouseId", "/priceListId"]);
    assert!(refused.errors().iter().all(|error| error["code"] == "MISMATCH"));
}

fn e320_both_versions_must_be_known(database: Database) {
    let session = till(database).open("0");
    let order = session.till.order_of("10");
    session.try_check_out_at(&order, 2, cash("10")).refused(409, "VERSION_CONFLICT").at("/expectedSessionVersion");
    let stale = with(&cash("10"), json!({ "expectedOrderVersion": 1 }));
    let refused = session.try_check_out_at(&order, 1, stale.clone()).refused(409, "VERSION_CONFLICT");
    assert_eq!(refused.pointers(), ["/expectedOrderVersion"]);
    let refused = session.try_check_out_at(&order, 2, stale).refused(409, "VERSION_CONFLICT");
    assert_eq!(refused.pointers(), ["/expectedSessionVersion", "/expectedOrderVersion"]);
}

fn e321_a_total_finer_than_money_is_refused(database: Database) {
    let till = till(database);
    let session = till.open("0");
    let (whole, fine) = (till.counter.good_of(6, "1", "5"), till.counter.good_of(6, "0.333333", "5"));
    let items = json!([{ "variantId": whole, "quantity": "1" }, { "variantId": fine, "quantity": "0.333333" }]);
    let order = till.order(items);
    let refused = session.try_check_out(&order, cash("10")).refused(409, "AMOUNT_PRECISION");
    assert_eq!(refused.pointers(), ["/items/1"]);
    assert_eq!(till.counter.read(&order)["status"], "CONFIRMED");
}

fn e322_nothing_is_collected_by_cash_alone(database: Database) {
    let session = till_with_books(database).open("0");
    for tendered in ["0", "5"] {
        let receipt = session.sell("0", cash(tendered));
        assert_eq!(receipt["payments"], json!([]));
        assert_eq!((&receipt["total"], &receipt["cashAmount"]), (&json!("0.000000"), &json!("0.000000")));
        assert_eq!(receipt.text("changeAmount"), format!("{tendered}.000000"));
    }
    let order = session.till.order_of("0");
    session.try_check_out(&order, parts(&[("CASH", "1")])).refused(409, "PAYMENT_TOTAL_MISMATCH").at("/payments");
    assert_eq!((session.expected_cash(), session.version()), ("0.000000".to_string(), 3));
    session.till.shop().verified();
}

/// Nothing of a checkout is there.
#[track_caller]
fn assert_untouched(session: &Session, order: &str) {
    let till = &session.till;
    let read = till.counter.read(order);
    assert_eq!((&read["status"], &read["version"]), (&json!("CONFIRMED"), &json!(2)), "{read}");
    assert_eq!(session.version(), 1);
    for table in ["pos_receipt", "pos_receipt_payment", "finance_payment", "finance_collection", "inventory_movement"] {
        let sold = if table == "inventory_movement" { "movement_type = 'SALE'" } else { "1 = 1" };
        assert_eq!(till.shop().count(table, sold), 0, "{table}");
    }
    assert_eq!(till.events("sale.completed") + till.events("pos.receipt.created"), 0);
}

fn e323_what_accounting_refuses_leaves_nothing(database: Database) {
    let till = till_with_books(database);
    let session = till.open("0");
    let good = till.counter.good("10", "5");
    let order = till.order(json!([{ "variantId": good, "quantity": "1" }]));
    let role = |name: &str, account: Option<&str>| drop(till.books().map(&[(name, account)]).is(200));
    let refused =
        |payment: Json| drop(session.try_check_out(&order, payment).refused(409, "ACCOUNTING_SETUP_REQUIRED"));
    for (name, code) in [("REVENUE", "4000"), ("SALES_CLEARING", "1160")] {
        role(name, None);
        refused(cash("10"));
        assert_untouched(&session, &order);
        role(name, Some(&till.books().account(code)));
    }
    role("CARD", None);
    refused(parts(&[("CARD", "10")]));
    assert_untouched(&session, &order);
    session.try_check_out(&order, cash("10")).is(201);
    till.shop().verified();
}

fn e324_accounts_fit_their_methods(database: Database) {
    let till = till_with_books(database);
    let session = till.open("0");
    let order = till.order_of("10");
    let pay = |session: &Session, order: &str, method: &str, account: &str| {
        let mut payment = parts(&[(method, "10")]);
        payment["payments"][0]["accountId"] = json!(account);
        session.try_check_out(order, payment)
    };
    let invalid = |answer: Answer| drop(answer.refused(409, "PAYMENT_ACCOUNT_INVALID").at("/payments/0/accountId"));
    let (cash, bank) = (till.books().money("CASH"), till.books().money("BANK"));
    invalid(pay(&session, &order, "CASH", &bank));
    invalid(pay(&session, &order, "CARD", &cash));
    invalid(pay(&session, &order, "TRANSFER", &till.register));
    let receipt = pay(&session, &order, "TRANSFER", &bank).is(201);
    assert_eq!(receipt["payments"][0]["accountId"], bank);
    let order = till.order_of("10");
    assert_eq!(pay(&session, &order, "CASH", &cash).is(201)["payments"][0]["accountId"], cash);
    let without = stoa_tests::tills::till(database).open("0");
    let order = without.till.order_of("10");
    for method in ["CASH", "CARD"] {
        invalid(pay(&without, &order, method, &cash));
    }
}

fn e325_only_the_operator_checks_out(database: Database) {
    let till = till(database);
    let session = till.open("0");
    let order = till.order_of("10");
    let path = format!("{}/checkout", session.path());
    let key = till.shop().machine(&["sales.read", "sales.write", "pricing.read", "inventory.write"]);
    let body = session.checkout(&order, 1, cash("10"));
    let by_key = till.shop().request("POST", &path).token(&key.key).json(&body).send();
    by_key.refused(403, "WRONG_IDENTITY_FAMILY");
    let all = ["sales.create", "sales.read", "pricing.read", "inventory.adjust", "settings.manage"];
    let other = till.shop().colleague(&all);
    session.seen_by(&other).try_check_out_at(&order, 1, cash("10")).refused(403, "PERMISSION_DENIED");
    session.try_check_out_at(&order, 1, cash("10")).is(201);
}

fn refusals_come_in_the_order_of_the_rules(database: Database) {
    let till = till(database);
    let session = till.open("0");
    let nowhere = &till.register;
    let all = ["sales.create", "sales.read", "pricing.read", "inventory.adjust", "settings.manage"];
    let other = session.seen_by(&till.shop().colleague(&all));
    // The body, the operator, the order, versions, states.
    let incomplete = other.try_check_out_at(nowhere, 9, json!({})).refused(400, "VALIDATION_FAILED");
    incomplete.fault("/tenderedAmount", "REQUIRED");
    other.try_check_out_at(nowhere, 9, cash("10")).refused(403, "PERMISSION_DENIED");
    session.try_check_out_at(nowhere, 9, cash("10")).refused(404, "NOT_FOUND").at("/orderId");
    let service = till.counter.service("10");
    let completed = till.counter.deliver(json!([{ "variantId": service, "quantity": "1" }]));
    session.try_close("0").is(200);
    let stale = session.try_check_out_at(&completed, 2, cash("10")).refused(409, "VERSION_CONFLICT");
    assert_eq!(stale.pointers(), ["/expectedOrderVersion"]);
    let known = with(&cash("10"), json!({ "expectedOrderVersion": 3 }));
    let closed = session.try_check_out_at(&completed, 2, known).refused(409, "ILLEGAL_STATE");
    assert!(closed.errors().is_empty(), "the session before the order: {closed}");
}

fn e331_a_hundred_checkouts_in_a_row(database: Database) {
    let till = till(database);
    let session = till.open("50");
    let service = till.counter.service("1.25");
    for version in 1..=100 {
        let order = till.order(json!([{ "variantId": service, "quantity": "1" }]));
        let receipt = session.try_check_out_at(&order, version, cash("2")).is(201);
        assert_eq!(receipt["sessionVersion"], version + 1);
    }
    assert_eq!((session.version(), session.expected_cash()), (101, "175.000000".to_string()));
    let receipts = session.report()["receipts"].clone();
    assert_eq!((&receipts["count"], &receipts["total"]), (&json!(100), &json!("125.000000")));
    till.shop().verified();
}

fn a_checkout_delivers_goods_and_units(database: Database) {
    let till = till(database);
    let session = till.open("0");
    let (phone, units) = till.counter.phone("300", 1);
    let good = till.counter.good("10", "5");
    let order = till.order(json!([
        { "variantId": phone, "quantity": "1", "unitIds": units }, { "variantId": good, "quantity": "2" },
    ]));
    let receipt = session.try_check_out(&order, cash("320")).is(201);
    let read = till.counter.read(&order);
    assert_eq!((&read["status"], &read["version"]), (&json!("COMPLETED"), &json!(3)));
    assert_eq!(read["posReceiptId"], receipt["id"]);
    assert_eq!(till.shop().serial_unit(&units[0])["status"], "SOLD");
    assert_eq!(till.shop().figure(&good, &till.counter.main, "onHand"), "3.000000");
    assert_eq!((till.events("sale.completed"), till.events("pos.receipt.created")), (1, 1));
    till.counter.cancel(&order, 3).refused(409, "ILLEGAL_STATE");
    till.shop().verified();
}

fn a_checkout_posts_its_delivery_and_its_collection(database: Database) {
    let till = till_with_books(database);
    let session = till.open("100");
    let good = till.counter.good("12.5", "5");
    let order = till.order(json!([{ "variantId": good, "quantity": "2" }]));
    session.try_check_out(&order, parts(&[("CASH", "5"), ("CARD", "20")])).is(201);
    assert_table!(till.shop().journal_table(&till.counter.entity), @r"
    entry  account                     debit  credit
        1  1200 Inventory                  5
           5200 Inventory adjustments              5
        2  1160 Sales clearing            25
           4000 Sales                             25
           5000 Cost of goods sold         2
           1200 Inventory                          2
        3  1000 Cash                       5
           1020 Card clearing             20
           1160 Sales clearing                    25
    ");
    till.shop().verified();
}
