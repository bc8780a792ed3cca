//! Recognising revenue without an order, and debts to suppliers. [F15] to [F21]

use serde_json::json;
use stoa_tests::billing::{Desk, Office};
use stoa_tests::books::day;
use stoa_tests::company::{fresh, with};
use stoa_tests::purchases::line;
use stoa_tests::{Database, on_both_databases};

on_both_databases![f15_revenue_is_recognised_once,];

on_both_databases![
    rules:
    f15_what_an_order_delivers_is_not_recognised,
    f15_a_recognition_needs_its_permissions,
    f16_an_archived_party_gets_no_new_invoice,
    f17_a_supplier_s_document_is_recognised_once,
    f18_what_is_billed_against_the_order_s_cost,
    f19_a_bill_in_advance,
    f20_what_is_billed_beyond_what_came_stays_ordered,
    f21_accounts_of_lines,
    lines_post_where_they_say,
];

fn f15_revenue_is_recognised_once(database: Database) {
    let office = Office::with_books(database);
    let desk = &office.sales;
    let recognize =
        |invoice: &str| desk.step(&format!("invoices/{invoice}"), "recognize", json!({ "recognizedOn": day(0) }));
    let at_once = desk.draft(json!([desk.free("1", "100")]));
    recognize(&at_once).is(200);
    let both = ["ISSUE: 1100 +100, 1160 -100", "RECOGNITION: 1160 +100, 4000 -100"];
    assert_eq!(office.entries(&at_once), both);
    recognize(&at_once).refused(409, "ILLEGAL_STATE");
    let later = desk.owe("100");
    recognize(&later).is(200);
    assert_eq!(office.entries(&later), both);
    assert_eq!(desk.invoice(&later)["revenueRecognizedOn"], day(0));
    assert_eq!(office.balances(), "1100 200, 4000 -200");
    office.reconcile();
    for invoice in [&at_once, &later] {
        desk.void(&format!("invoices/{invoice}"), json!({})).is(200);
        let entries = office.entries(invoice);
        assert_eq!(entries[2..], ["ISSUE:VOID: 1160 +100, 1100 -100", "RECOGNITION:VOID: 4000 +100, 1160 -100"]);
    }
    assert_eq!(office.balances(), "");
    office.sound();
}

fn f15_what_an_order_delivers_is_not_recognised(database: Database) {
    let office = Office::with_books(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let order = counter.deliver(json!([{ "variantId": counter.good("10", "5"), "quantity": "2" }]));
    let item = json!({ "orderItemId": counter.read(&order)["items"][0]["id"], "quantity": "2" });
    let recognize =
        |invoice: &str| desk.step(&format!("invoices/{invoice}"), "recognize", json!({ "recognizedOn": day(0) }));
    let ordered = desk.draft(json!([item]));
    recognize(&ordered).refused(409, "ILLEGAL_STATE").fault("/lines", "NOTHING_TO_RECOGNIZE");
    let mixed = desk.draft(json!([item, desk.free("1", "7")]));
    recognize(&mixed).is(200);
    assert_eq!(
        office.entries(&mixed),
        ["ISSUE: 1100 +27, 1160 -27", "RECOGNITION: 1160 +7, 4000 -7"],
        "the order's part was recognised when it was delivered"
    );
    office.sound();
}

fn f15_a_recognition_needs_its_permissions(database: Database) {
    let office = Office::new(database);
    let invoice = office.sales.draft(json!([office.sales.free("1", "5")]));
    let canceller = office.as_person(&office.shop.colleague(&["sales.read", "sales.cancel"]));
    let recognize = |office: &Office, invoice: &str| {
        office.sales.step(&format!("invoices/{invoice}"), "recognize", json!({ "recognizedOn": day(0) }))
    };
    recognize(&canceller, &invoice).refused(403, "PERMISSION_DENIED");
    let creator = office.as_person(&office.shop.colleague(&["sales.read", "sales.create"]));
    recognize(&creator, &invoice).refused(403, "PERMISSION_DENIED");
    creator.sales.try_issue(&invoice, json!({})).is(200);
    recognize(&canceller, &invoice).is(200);
}

fn f16_an_archived_party_gets_no_new_invoice(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let draft = desk.draft(json!([desk.free("1", "9")]));
        let parties = if desk.at("") == "sales/" { "sales/customers" } else { "purchases/suppliers" };
        desk.shop.archive(&format!("{parties}/{}", desk.party)).is(200);
        desk.try_draft(json!([]), json!({})).refused(409, "REFERENCE_INVALID").fault("/partyId", "ARCHIVED");
        desk.try_issue(&draft, json!({})).is(200);
        desk.pay_for("9", &[(&draft, "9")]);
        assert_eq!(desk.balance(&draft), "0", "debts outlive an archive");
    }
    office.shop.verified();
}

fn f17_a_supplier_s_document_is_recognised_once(database: Database) {
    let office = Office::new(database);
    let desk = &office.purchases;
    let reference = fresh("Bill-");
    let draft = || desk.draft(json!([desk.free("1", "9")]));
    let recognize = |desk: &Desk, invoice: &str, reference: &str| {
        desk.try_issue(invoice, json!({ "documentReference": reference }))
    };
    let (first, second) = (draft(), draft());
    recognize(desk, &first, &reference).is(200);
    recognize(desk, &second, &reference.to_lowercase()).refused(409, "DUPLICATE").at("/documentReference");
    let other = Desk { party: office.shop.new_supplier(), ..desk.clone() };
    let theirs = other.draft(json!([other.free("1", "9")]));
    recognize(&other, &theirs, &reference).is(200);
    desk.void(&format!("invoices/{first}"), json!({})).is(200);
    recognize(desk, &second, &reference).is(200);
    office.shop.verified();
}

fn f18_what_is_billed_against_the_order_s_cost(database: Database) {
    let office = Office::with_books(database);
    let (buyer, desk) = (&office.buyer, &office.purchases);
    let variant = office.shop.counted(0);
    let order = buyer.place(json!([line(&variant, "3", "100")]));
    order.receive(json!([order.goods(0, "3")])).is(201);
    let bill = |cost: Option<&str>| {
        let line = json!({ "orderItemId": order.item_id(0), "quantity": "1", "unitCost": cost });
        office.entries(&desk.issue(json!([line])))
    };
    assert_eq!(bill(Some("90")), ["RECOGNITION: 2100 +100, 2000 -90, 5110 -10"]);
    assert_eq!(bill(None), ["RECOGNITION: 2100 +100, 2000 -100"], "no variance, no line of it");
    assert_eq!(bill(Some("105")), ["RECOGNITION: 2100 +100, 5110 +5, 2000 -105"]);
    assert_eq!(office.balances(), "1200 300, 2000 -295, 5110 -5");
    office.sound();
}

fn f19_a_bill_in_advance(database: Database) {
    let office = Office::with_books(database);
    let (buyer, desk) = (&office.buyer, &office.purchases);
    let order = buyer.place(json!([line(&office.shop.counted(0), "10", "4")]));
    desk.issue(json!([{ "orderItemId": order.item_id(0), "quantity": "5" }]));
    assert_eq!(office.balances(), "2000 -20, 2100 20");
    office.reconcile();
    order.receive(json!([order.goods(0, "10")])).is(201);
    assert_eq!(office.balances(), "1200 40, 2000 -20, 2100 -20");
    office.sound();
}

fn f20_what_is_billed_beyond_what_came_stays_ordered(database: Database) {
    let office = Office::new(database);
    let (buyer, desk) = (&office.buyer, &office.purchases);
    let order = buyer.place(json!([line(&office.shop.counted(0), "10", "4")]));
    let invoice = desk.issue(json!([{ "orderItemId": order.item_id(0), "quantity": "5" }]));
    order.receive(json!([order.goods(0, "4")])).is(201);
    order.cancel().refused(409, "ILLEGAL_STATE");
    desk.void(&format!("invoices/{invoice}"), json!({})).is(200);
    order.cancel().is(200);
    // Goods that came of a cancelled order are billed, and no more.
    let bill = |quantity: &str| desk.draft(json!([{ "orderItemId": order.item_id(0), "quantity": quantity }]));
    desk.try_issue(&bill("5"), json!({})).refused(409, "LIMIT_EXCEEDED").fault("/lines/0", "BILLED_BEYOND_ORDER");
    desk.try_issue(&bill("4"), json!({})).is(200);
    office.shop.verified();
}

fn f21_accounts_of_lines(database: Database) {
    let office = Office::with_books(database);
    let books = office.books();
    let order = office.counter.deliver(json!([{ "variantId": office.counter.good("10", "5"), "quantity": "1" }]));
    let item = json!({ "orderItemId": office.counter.read(&order)["items"][0]["id"], "quantity": "1" });
    let refused = |desk: &Desk, line: serde_json::Value, code: &str| {
        let line = with(&line, json!({ "accountId": books.account(code) }));
        desk.try_draft(json!([line]), json!({}))
            .refused(409, "REFERENCE_INVALID")
            .fault("/lines/0/accountId", "REFERENCE_INVALID");
    };
    refused(&office.sales, item, "4000");
    for (desk, control, other) in [(&office.sales, "1160", "5100"), (&office.purchases, "1200", "4000")] {
        refused(desk, desk.free("1", "5"), control);
        refused(desk, desk.free("1", "5"), other);
    }
    let bare = Desk { entity: office.shop.other_entity(), ..office.sales.clone() };
    refused(&bare, bare.free("1", "5"), "4000");
}

fn lines_post_where_they_say(database: Database) {
    let office = Office::with_books(database);
    let account = |code: &str| json!({ "accountId": office.books().account(code) });
    let desk = &office.sales;
    let lines = json!([desk.free("2", "5"), with(&desk.free("1", "3"), account("4100"))]);
    let invoice = desk.draft(lines);
    desk.step(&format!("invoices/{invoice}"), "recognize", json!({ "recognizedOn": day(0) })).is(200);
    assert_eq!(office.entries(&invoice), ["ISSUE: 1100 +13, 1160 -13", "RECOGNITION: 1160 +13, 4000 -10, 4100 -3"]);
    let desk = &office.purchases;
    let invoice = desk.issue(json!([desk.free("2", "5"), with(&desk.free("1", "3"), account("2150"))]));
    assert_eq!(office.entries(&invoice), ["RECOGNITION: 2150 +3, 5100 +10, 2000 -13"]);
    office.sound();
}
