//! Postings of each operation, by figures worked out by hand: the worked chains W1 and W2, payments and applications of
//! both sides, mirrors, and what the books refuse. Entities without books post nothing.

use serde_json::json;
use stoa_tests::billing::{Office, id, parts};
use stoa_tests::company::with;
use stoa_tests::goods::WHY;
use stoa_tests::purchases::line;
use stoa_tests::{Database, on_both_databases};

on_both_databases![without_books_nothing_is_posted, entries_bear_party_and_branch,];

on_both_databases![
    rules:
    w1_a_sale_from_its_delivery_to_its_money,
    w2_a_purchase_with_a_variance,
    payments_and_applications_of_both_sides,
    a_credit_is_applied_like_a_payment,
    a_mirror_stands_on_the_accounts_of_then,
    every_missing_account_is_named,
    what_cannot_be_posted_leaves_nothing,
    amounts_fit_the_books,
];

fn w1_a_sale_from_its_delivery_to_its_money(database: Database) {
    let office = Office::with_books(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let variant = office.shop.counted(0);
    counter.price(&variant, "100");
    office.buyer.stock(&variant, "1", "60");
    let order = counter.deliver(json!([{ "variantId": variant, "quantity": "1" }]));
    assert_eq!(office.entries(&order), ["DELIVERY: 1160 +100, 5000 +60, 1200 -60, 4000 -100"]);
    let item = counter.read(&order)["items"][0]["id"].clone();
    let invoice = desk.issue(json!([{ "orderItemId": item, "quantity": "1" }]));
    assert_eq!(office.entries(&invoice), ["ISSUE: 1100 +100, 1160 -100"]);
    let payment = desk.pay("100");
    assert_eq!(office.entries(id(&payment)), ["MONEY: 1010 +100, 2050 -100"]);
    desk.apply(&payment, &[(&invoice, "100")]).is(201);
    assert_eq!(office.application_entries(desk, &invoice), ["APPLICATION: 2050 +100, 1100 -100"]);
    // 60 are owed for the goods that came.
    assert_eq!(office.balances(), "1010 100, 2100 -60, 4000 -100, 5000 60");
    office.sound();
}

fn w2_a_purchase_with_a_variance(database: Database) {
    let office = Office::with_books(database);
    let (buyer, desk) = (&office.buyer, &office.purchases);
    let order = buyer.place(json!([line(&office.shop.counted(0), "3", "33.333333")]));
    let receipt = order.receive(json!([order.goods(0, "3")])).is(201).id();
    assert_eq!(office.entries(&receipt), ["RECEIPT: 1200 +99.999999, 2100 -99.999999"]);
    let item = buyer.receipt(&receipt)["items"][0]["id"].clone();
    let invoice = desk.issue(json!([{ "receiptItemId": item, "quantity": "3", "unitCost": "35" }]));
    assert_eq!(office.entries(&invoice), ["RECOGNITION: 2100 +99.999999, 5110 +5.000001, 2000 -105"]);
    assert_eq!(office.balances(), "1200 99.999999, 2000 -105, 5110 5.000001");
    office.sound();
}

/// P13 to P16, and their reversal.
fn payments_and_applications_of_both_sides(database: Database) {
    let office = Office::with_books(database);
    let sides = [
        (
            &office.sales,
            ["MONEY: 1010 +30, 2050 -30", "MONEY:VOID: 2050 +30, 1010 -30"],
            ["APPLICATION: 2050 +20, 1100 -20", "APPLICATION:VOID: 1100 +20, 2050 -20"],
        ),
        (
            &office.purchases,
            ["MONEY: 1150 +30, 1010 -30", "MONEY:VOID: 1010 +30, 1150 -30"],
            ["APPLICATION: 2000 +20, 1150 -20", "APPLICATION:VOID: 1150 +20, 2000 -20"],
        ),
    ];
    for (desk, money, applied) in sides {
        let invoice = desk.owe("20");
        let payment = desk.pay_for("30", &[(&invoice, "20")]);
        assert_eq!(office.entries(id(&payment)), money[..1]);
        assert_eq!(office.application_entries(desk, &invoice), applied[..1]);
        desk.step(&payment, "reverse", json!({ "reason": WHY })).is(200);
        assert_eq!(office.entries(id(&payment)), money);
        assert_eq!(office.application_entries(desk, &invoice), applied);
    }
    for (method, account) in [("CASH", "1000"), ("CARD", "1020"), ("CHECK", "1030"), ("OTHER", "1040")] {
        let payment = office.sales.try_pay("30", json!({ "method": method })).is(201).id();
        assert_eq!(office.entries(&payment), [format!("MONEY: {account} +30, 2050 -30")]);
    }
    office.sound();
}

/// P21.
fn a_credit_is_applied_like_a_payment(database: Database) {
    let office = Office::with_books(database);
    for (desk, applied) in
        [(&office.sales, "APPLICATION: 2050 +7, 1100 -7"), (&office.purchases, "APPLICATION: 2000 +7, 1150 -7")]
    {
        let invoice = desk.owe("20");
        desk.apply(&desk.grant("10"), &[(&invoice, "7")]).is(201);
        assert_eq!(office.application_entries(desk, &invoice), [applied]);
    }
    office.sound();
}

/// P29, L37.
fn a_mirror_stands_on_the_accounts_of_then(database: Database) {
    let office = Office::with_books(database);
    let (books, desk) = (office.books(), &office.purchases);
    let invoice = desk.owe("20");
    let other = json!({ "legalEntityId": office.entity, "code": "5199", "name": "Rent", "type": "EXPENSE" });
    let other = office.shop.post("ledger/accounts", other).is(201).id();
    books.map(&[("PURCHASE_EXPENSE", Some(&other))]).is(200);
    assert_eq!(office.entries(&desk.owe("9")), ["RECOGNITION: 5199 +9, 2000 -9"]);
    desk.void(&format!("invoices/{invoice}"), json!({})).is(200);
    assert_eq!(office.entries(&invoice), ["RECOGNITION: 5100 +20, 2000 -20", "RECOGNITION:VOID: 2000 +20, 5100 -20"]);
    office.sound();
}

fn without_books_nothing_is_posted(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let invoice = desk.owe("30");
        let payment = desk.pay_for("20", &[(&invoice, "10")]);
        let credit = desk.grant("20");
        desk.apply(&credit, &[(&invoice, "10")]).is(201);
        let refund = desk.give_back(&credit, "5");
        desk.void(&refund, json!({})).is(200);
        desk.step(&payment, "reverse", json!({ "reason": WHY })).is(200);
        desk.void(&desk.pay("1"), json!({})).is(200);
        desk.void(&format!("invoices/{}", desk.owe("30")), json!({})).is(200);
        assert_eq!(desk.balance(&invoice), "20");
        assert!(desk.read(&payment)["accountId"].is_null());
    }
    assert_eq!(office.shop.count("ledger_entry", "1 = 1"), 0);
    office.shop.verified();
}

fn every_missing_account_is_named(database: Database) {
    let office = Office::with_books(database);
    let books = office.books();
    let (sales, purchases) = (office.sales.owe("30"), office.purchases.owe("30"));
    books.map(&[("RECEIVABLE", None)]).refused(409, "ILLEGAL_STATE");
    books.map(&[("TRANSFER", None), ("SALES_CREDITS", None), ("REVENUE", None)]).is(200);
    for desk in office.desks() {
        desk.try_pay("1", json!({}))
            .refused(409, "ACCOUNTING_SETUP_REQUIRED")
            .fault("/mappings/methods/TRANSFER", "METHOD_UNMAPPED");
        let stated = json!({ "accountId": books.money("BANK") });
        desk.try_pay("1", stated).is(201);
    }
    let credit = office.sales.request("1", json!({}));
    office
        .sales
        .recognize(&credit, json!({}))
        .refused(409, "ACCOUNTING_SETUP_REQUIRED")
        .fault("/mappings/roles/SALES_CREDITS", "ROLE_UNMAPPED");
    assert_eq!(office.sales.read(&credit)["status"], "REQUESTED");
    office.sales.void(&format!("invoices/{sales}"), json!({})).is(200);
    office.purchases.void(&format!("invoices/{purchases}"), json!({})).is(200);
    office.sound();
}

fn what_cannot_be_posted_leaves_nothing(database: Database) {
    let office = Office::with_books(database);
    let books = office.books();
    let variant = office.counter.good("10", "5");
    books.map(&[("SALES_CLEARING", None), ("GOODS_RECEIVED_NOT_INVOICED", None), ("PURCHASE_EXPENSE", None)]).is(200);
    let sold = office.sales.draft(json!([office.sales.goods(&variant, "1", "10")]));
    let bought =
        office.purchases.draft(json!([office.purchases.goods(&variant, "1", "10"), office.purchases.free("1", "2")]));
    let before = office.shop.records();
    let sale = json!({ "warehouseId": office.counter.main, "priceListId": office.counter.list });
    let buy = with(&office.purchases.grounds(), json!({ "reason": WHY, "warehouseId": office.buyer.main }));
    for answer in [
        office.sales.try_issue(&sold, json!({})),
        office.sales.step(&format!("invoices/{sold}"), "confirm", sale),
        office.purchases.try_issue(&bought, json!({})),
        office.purchases.step(&format!("invoices/{bought}"), "confirm", buy),
    ] {
        answer.refused(409, "ACCOUNTING_SETUP_REQUIRED");
    }
    assert_eq!(office.shop.records(), before, "no order, goods, invoice or entry");
}

fn entries_bear_party_and_branch(database: Database) {
    let office = Office::with_books(database);
    let branch = json!({ "code": "B1", "name": "B1", "legalEntityId": office.entity });
    let branch = office.shop.post("ledger/branches", branch).is(201).id();
    for (desk, role, kind) in [(&office.sales, "1100", "CUSTOMER"), (&office.purchases, "2000", "SUPPLIER")] {
        let invoice = desk.try_draft(json!([desk.free("1", "5")]), json!({ "branchId": branch })).is(201).id();
        desk.try_issue(&invoice, json!({})).is(200);
        let query = [("legalEntityId", office.entity.as_str()), ("sourceId", invoice.as_str())];
        let entry = office.shop.all("ledger/journal-entries", &query).remove(0);
        let entry = office.shop.get(&format!("ledger/journal-entries/{}", entry["id"].as_str().unwrap())).is(200);
        let lines = entry["lines"].as_array().cloned().unwrap_or_default();
        assert!(lines.iter().all(|line| line["branchId"] == json!(branch)), "{entry}");
        let debt = lines.iter().find(|line| line["accountCode"] == role).expect("a line of the debt");
        assert_eq!((&debt["partyType"], &debt["partyId"]), (&json!(kind), &json!(desk.party)));
    }
}

fn amounts_fit_the_books(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let most = "999999999999.999999";
        let invoice = desk.owe(most);
        let payment = desk.try_pay(most, json!({ "applications": parts(&[(&invoice, most)]) })).is(201).id();
        assert_eq!(desk.available(&format!("payments/{payment}")), "0");
        let beyond = desk.try_draft(json!([desk.free("1", most), desk.free("1", "1")]), json!({}));
        assert_eq!(beyond.refused(409, "AMOUNT_PRECISION").pointers(), ["/lines/0", "/lines/1"]);
    }
    office.sound();
}
