//! The money of tills: what registers collect, what drawers should hold, and cash that goes back to customers. [F61] to
//! [F63], [F65], [F71] to [F74]

use serde_json::{Value as Json, json};
use stoa_tests::billing::Office;
use stoa_tests::drawer::{Drawer, component};
use stoa_tests::goods::WHY;
use stoa_tests::services::finance::{Call, Direction, Opened, Session};
use stoa_tests::services::{self, key, new_key};
use stoa_tests::tables::figure;
use stoa_tests::{Database, on_both_databases};

on_both_databases![
    rules:
    f61_cash_of_a_till_names_its_open_session,
    f61_without_books_a_session_may_be_named,
    f63_no_more_leaves_than_the_till_holds,
    a_refund_in_cash_is_made_up_of_the_tills_coins,
    f65_a_void_puts_cash_into_an_open_till,
    f71_a_receipt_settles_its_order,
    f72_a_collected_order_is_billed_whole,
    f73_a_billed_order_is_collected_where_it_can_be,
    f74_what_a_drawer_should_hold,
    a_payment_of_a_register_stays,
    an_order_is_collected_once,
    a_till_s_account_is_a_till_s,
    a_closed_drawer_takes_nothing,
    cash_moves_against_what_is_stated,
    an_order_of_nothing_is_collected,
];

fn cash_refund(session: Json) -> Json {
    json!({ "method": "CASH", "sessionId": session })
}

fn f61_cash_of_a_till_names_its_open_session(database: Database) {
    let drawer = Drawer::with_books(database, "100");
    let (office, desk) = (&drawer.office, &drawer.office.sales);
    let credit = desk.grant("50");
    let refused = |session: Json| {
        desk.try_refund(&credit, "10", cash_refund(session)).refused(409, "CASH_SESSION_REQUIRED").at("/sessionId");
    };
    refused(Json::Null);
    refused(json!(uuid::Uuid::now_v7()));
    let closed = office.drawer("100");
    closed.close("100");
    refused(json!(closed.id()));
    // Another till of the entity, with an account of its own.
    let account = json!({ "legalEntityId": office.entity, "code": "1009", "name": "Till 2", "type": "ASSET" });
    let account = office.shop.post("ledger/accounts", account).is(201).id();
    let till = json!({
        "legalEntityId": office.entity, "code": "TILL2", "name": "Till 2", "kind": "CASH", "till": true, "accountId": account,
    });
    let till = office.shop.post("ledger/money-accounts", till).is(201).id();
    let mut session = office.session("100");
    session.money_account_id = Some(key(&till));
    let other = Drawer { office: office.clone(), session: session.id };
    other.try_calls(&[Call::Open(session)]).is(201);
    refused(json!(other.id()));
    let bank = json!({ "method": "CASH", "sessionId": drawer.id(), "accountId": office.books().money("BANK") });
    desk.try_refund(&credit, "10", bank).refused(409, "PAYMENT_ACCOUNT_INVALID").at("/accountId");
    let refund = desk.try_refund(&credit, "10", cash_refund(json!(drawer.id()))).is(201).id();
    assert_eq!((drawer.cash().as_str(), other.cash().as_str()), ("90", "100"));
    assert_eq!(office.entries(&refund), ["MONEY: 2050 +10, 1000 -10"]);
    assert_eq!(desk.read(&format!("refunds/{refund}"))["sessionId"], json!(drawer.id()));
    office.sound();
}

fn f61_without_books_a_session_may_be_named(database: Database) {
    let office = Office::with_services(database, false);
    let (drawer, desk) = (office.drawer("100"), &office.sales);
    let credit = desk.grant("50");
    desk.try_refund(&credit, "1", json!({ "method": "CASH" })).is(201);
    desk.try_refund(&credit, "1", cash_refund(json!(uuid::Uuid::now_v7()))).refused(409, "CASH_SESSION_REQUIRED");
    desk.try_refund(&credit, "1", cash_refund(json!(drawer.id()))).is(201);
    assert_eq!(drawer.cash(), "99");
    let state = drawer.state();
    assert_eq!((state.refunds.count, figure(&json!(state.refunds.amount))), (1, "1".to_string()));
    office.shop.verified();
}

fn f63_no_more_leaves_than_the_till_holds(database: Database) {
    let drawer = Drawer::with_books(database, "10");
    let desk = &drawer.office.sales;
    let credit = desk.grant("50");
    desk.try_refund(&credit, "10.000001", cash_refund(json!(drawer.id())))
        .refused(409, "LIMIT_EXCEEDED")
        .fault("/amount", "EXCEEDS_TILL_CASH");
    desk.try_refund(&credit, "10", cash_refund(json!(drawer.id()))).is(201);
    drawer.try_move(Direction::Out, "0.000001").refused(409, "LIMIT_EXCEEDED").fault("/amount", "EXCEEDS_TILL_CASH");
    assert_eq!(drawer.cash(), "0");
    drawer.office.sound();
}

fn a_refund_in_cash_is_made_up_of_the_tills_coins(database: Database) {
    let office = Office::with_services(database, true);
    let desk = &office.sales;
    let session = Session { smallest_coin: Some("0.05".to_string()), ..office.session("10") };
    let drawer = Drawer { office: office.clone(), session: session.id };
    drawer.try_calls(&[Call::Open(session)]).is(201);
    let credit = desk.grant("50");
    for finer in ["0.01", "1.049999", "0.000001"] {
        let refused = desk.try_refund(&credit, finer, cash_refund(json!(drawer.id())));
        refused.refused(409, "AMOUNT_PRECISION").fault("/amount", "FINER_THAN_COIN");
    }
    assert_eq!(drawer.cash(), "10");
    desk.try_refund(&credit, "1.15", cash_refund(json!(drawer.id()))).is(201);
    assert_eq!(drawer.cash(), "8.85");
    // Money that leaves no drawer needs no coins.
    desk.try_refund(&credit, "0.000001", json!({ "method": "TRANSFER" })).is(201);
    office.sound();
}

fn f65_a_void_puts_cash_into_an_open_till(database: Database) {
    let drawer = Drawer::with_books(database, "100");
    let (office, desk) = (&drawer.office, &drawer.office.sales);
    let credit = desk.grant("50");
    let refund = desk.try_refund(&credit, "10", cash_refund(json!(drawer.id()))).is(201).id();
    let path = format!("refunds/{refund}");
    drawer.close("90");
    desk.void(&path, json!({})).refused(409, "CASH_SESSION_REQUIRED").at("/sessionId");
    desk.void(&path, json!({ "sessionId": drawer.id() })).refused(409, "CASH_SESSION_REQUIRED").at("/sessionId");
    let next = office.drawer("90");
    desk.void(&path, json!({ "sessionId": next.id() })).is(200);
    assert_eq!((next.cash().as_str(), drawer.cash().as_str()), ("100", "90"));
    let state = next.state();
    assert_eq!((state.voided_refunds.count, figure(&json!(state.voided_refunds.amount))), (1, "10".to_string()));
    assert_eq!(desk.available(&credit), "50");
    office.sound();
}

/// W4: a checkout of 50 by 20 in cash and 30 by card; an invoice later moves no money again.
fn f71_a_receipt_settles_its_order(database: Database) {
    let drawer = Drawer::with_books(database, "0");
    let (office, desk) = (&drawer.office, &drawer.office.sales);
    let order = office.order("50");
    let collected = drawer.checkout(&order, &[component(1, "CASH", "20"), component(2, "CARD", "30")]);
    assert_eq!(
        (collected.payments.len(), figure(&json!(collected.cash)), drawer.cash()),
        (2, "20".into(), "20".into())
    );
    assert_eq!(office.entries(&order), ["DELIVERY: 1160 +50, 5000 +1, 1200 -1, 4000 -50"]);
    let payment = desk.read(&format!("payments/{}", services::id(collected.payments[0].id)));
    let receipt = payment.text("receiptId");
    assert_eq!(office.entries(&receipt), ["COLLECTION: 1000 +20, 1020 +30, 1160 -50"]);
    assert_eq!(
        [&payment["origin"], &payment["status"], &payment["number"], &payment["available"], &payment["orderId"]],
        [
            &json!("POS_RECEIPT"),
            &json!("CONFIRMED"),
            &json!(format!("POS-{receipt}-1")),
            &json!("0.000000"),
            &json!(order),
        ]
    );
    office.reconcile();
    let item = office.counter.read(&order)["items"][0]["id"].clone();
    let invoice = desk.issue(json!([{ "orderItemId": item, "quantity": "1" }]));
    let read = desk.invoice(&invoice);
    assert_eq!((&read["balance"], &read["applied"]), (&json!("0.000000"), &json!("50.000000")));
    assert!(read["settledOn"].is_string());
    assert_eq!(office.entries(&invoice), ["ISSUE: 1100 +50, 1160 -50"]);
    let settled = office.application_entries(desk, &invoice);
    assert_eq!(settled, ["APPLICATION: 1160 +20, 1100 -20", "APPLICATION: 1160 +30, 1100 -30"]);
    assert_eq!(office.balances(), "1000 20, 1020 30, 1200 8, 4000 -50, 5000 1, 5200 -9");
    let path = format!("invoices/{invoice}");
    desk.void(&path, json!({})).refused(409, "ILLEGAL_STATE").fault("/path/id", "HAS_APPLICATIONS");
    let reported = office.shop.get(&format!("sales/orders/{order}/settlement")).is(200);
    assert_eq!((&reported["receiptId"], &reported["invoices"][0]["balance"]), (&json!(receipt), &json!("0.000000")));
    office.sound();
}

fn f72_a_collected_order_is_billed_whole(database: Database) {
    let drawer = Drawer::with_books(database, "0");
    let (office, desk) = (&drawer.office, &drawer.office.sales);
    let variant = office.counter.good("10", "9");
    let order = office.counter.draft_of(&variant, "3");
    office.counter.confirm(&order).is(200);
    drawer.checkout(&order, &[component(1, "CASH", "30")]);
    let other = office.counter.deliver(json!([{ "variantId": variant, "quantity": "1" }]));
    let line = |order: &str, quantity: &str| json!({ "orderItemId": office.counter.read(order)["items"][0]["id"], "quantity": quantity });
    for lines in [
        json!([line(&order, "2")]),
        json!([line(&order, "3"), line(&other, "1")]),
        json!([line(&order, "3"), desk.free("1", "1")]),
    ] {
        desk.try_issue(&desk.draft(lines), json!({}))
            .refused(409, "ILLEGAL_STATE")
            .fault("/lines/0", "COLLECTED_AT_REGISTER");
    }
    let invoice = desk.issue(json!([line(&order, "3")]));
    desk.apply(&desk.pay("1"), &[(&invoice, "1")])
        .refused(409, "ILLEGAL_STATE")
        .fault("/applications/0/invoiceId", "COLLECTED_AT_REGISTER");
    office.sound();
}

fn f73_a_billed_order_is_collected_where_it_can_be(database: Database) {
    let drawer = Drawer::with_books(database, "0");
    let (office, desk) = (&drawer.office, &drawer.office.sales);
    let line = |order: &str, quantity: &str| json!([{ "orderItemId": office.counter.read(order)["items"][0]["id"], "quantity": quantity }]);
    let pieces = || {
        let order = office.counter.draft_of(&office.counter.good("10", "9"), "2");
        office.counter.confirm(&order).is(200);
        order
    };
    let cash = [component(1, "CASH", "20")];
    let refused = |order: &str| {
        drawer.try_checkout(order, &cash).refused(409, "ILLEGAL_STATE").fault("/order", "ORDER_BILLED");
        assert_eq!(office.counter.read(order)["status"], "CONFIRMED", "it is not delivered");
    };
    let paid = pieces();
    desk.pay_for("1", &[(&desk.issue(line(&paid, "2")), "1")]);
    refused(&paid);
    let twice = pieces();
    (0..2).for_each(|_| drop(desk.issue(line(&twice, "1"))));
    refused(&twice);
    let part = pieces();
    desk.issue(line(&part, "1"));
    refused(&part);
    let whole = pieces();
    let invoice = desk.issue(line(&whole, "2"));
    drawer.checkout(&whole, &cash);
    assert_eq!((desk.balance(&invoice), drawer.cash()), ("0".to_string(), "20".to_string()));
    assert_eq!(office.application_entries(desk, &invoice), ["APPLICATION: 1160 +20, 1100 -20"]);
    office.sound();
}

fn f74_what_a_drawer_should_hold(database: Database) {
    let drawer = Drawer::with_books(database, "100");
    let (office, desk) = (&drawer.office, &drawer.office.sales);
    drawer.checkout(&office.order("50"), &[component(1, "CASH", "20"), component(2, "CARD", "30")]);
    drawer.try_move(Direction::In, "5").is(201);
    drawer.try_move(Direction::Out, "15").is(201);
    let credit = desk.grant("10");
    desk.try_refund(&credit, "10", cash_refund(json!(drawer.id()))).is(201);
    assert_eq!(drawer.cash(), "100");
    let closed = drawer.close("99");
    assert_eq!((figure(&json!(closed.expected)), figure(&json!(closed.variance))), ("100".into(), "-1".into()));
    assert_eq!(office.entries(&drawer.id()), ["VARIANCE: 5300 +1, 1000 -1"]);
    let over = office.drawer("10");
    assert_eq!(figure(&json!(over.close("12.5").variance)), "2.5");
    assert_eq!(office.entries(&over.id()), ["VARIANCE: 1000 +2.5, 5300 -2.5"]);
    let even = office.drawer("10");
    even.close("10");
    assert!(office.entries(&even.id()).is_empty());
    office.sound();
}

fn a_payment_of_a_register_stays(database: Database) {
    let drawer = Drawer::with_books(database, "0");
    let desk = &drawer.office.sales;
    let collected = drawer.checkout(&drawer.office.order("50"), &[component(1, "TRANSFER", "50")]);
    let payment = format!("payments/{}", services::id(collected.payments[0].id));
    desk.void(&payment, json!({})).refused(409, "ILLEGAL_STATE").fault("/path/id", "POS_RECEIPT");
    desk.step(&payment, "reverse", json!({ "reason": WHY })).refused(409, "ILLEGAL_STATE");
    desk.apply(&payment, &[(&desk.owe("1"), "1")]).refused(409, "ILLEGAL_STATE");
    desk.try_refund(&payment, "1", json!({})).refused(409, "ILLEGAL_STATE");
    // As the explanation of POS_RECEIPT advises.
    desk.try_refund(&desk.grant("50"), "50", json!({})).is(201);
    assert_eq!(drawer.cash(), "0", "a transfer leaves the drawer as it is");
    drawer.office.sound();
}

fn an_order_is_collected_once(database: Database) {
    let drawer = Drawer::with_books(database, "0");
    let order = drawer.office.order("50");
    let cash = [component(1, "CASH", "50")];
    drawer.checkout(&order, &cash);
    drawer.try_prepare(&order, &cash).refused(409, "ILLEGAL_STATE").fault("/order", "ORDER_COLLECTED");
    let other = drawer.office.order("50");
    let bank = drawer.office.books().money("BANK");
    let mut wrong = component(1, "CASH", "50");
    wrong.account_id = Some(key(&bank));
    drawer.try_checkout(&other, &[wrong]).refused(409, "PAYMENT_ACCOUNT_INVALID").at("/components/0/accountId");
    drawer.office.books().map(&[("CARD", None)]).is(200);
    drawer.try_checkout(&other, &[component(1, "CARD", "50")]).refused(409, "ACCOUNTING_SETUP_REQUIRED");
    assert_eq!(drawer.office.counter.read(&other)["status"], "CONFIRMED");
    drawer.office.sound();
}

fn a_till_s_account_is_a_till_s(database: Database) {
    let office = Office::with_services(database, true);
    let drawer = Drawer { office: office.clone(), session: new_key() };
    let mut session = office.session("10");
    session.money_account_id = Some(key(&office.books().money("BANK")));
    drawer.try_calls(&[Call::Open(session.clone())]).refused(409, "PAYMENT_ACCOUNT_INVALID").at("/moneyAccountId");
    session.money_account_id = None;
    session.currency_code = "USD".to_string();
    drawer
        .try_calls(&[Call::Open(session.clone())])
        .refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED")
        .at("/currencyCode");
    session.currency_code = "EUR".to_string();
    let opened: Opened = drawer.call(Call::Open(session));
    assert_eq!(opened.money_account_id, Some(key(&office.books().money("CASH"))));
    office.books().map(&[("CASH", None)]).is(200);
    drawer.try_calls(&[Call::Open(office.session("10"))]).refused(409, "ACCOUNTING_SETUP_REQUIRED");
    office.sound();
}

fn a_closed_drawer_takes_nothing(database: Database) {
    let drawer = Drawer::with_books(database, "100");
    drawer.close("100");
    let order = drawer.office.order("50");
    drawer
        .try_prepare(&order, &[component(1, "CASH", "50")])
        .refused(409, "ILLEGAL_STATE")
        .fault("/session", "SESSION_CLOSED");
    drawer.try_move(Direction::In, "1").refused(409, "ILLEGAL_STATE").at("/session");
    drawer.try_close("100").refused(409, "ILLEGAL_STATE").at("/session");
    assert!(!drawer.state().is_open);
    drawer.office.sound();
}

/// P27.
fn cash_moves_against_what_is_stated(database: Database) {
    let drawer = Drawer::with_books(database, "100");
    let books = drawer.office.books();
    let send = |to: Direction, counter: Option<&str>| {
        let movement = new_key();
        let counter = counter.map(|code| key(&books.money(code)));
        let call = Call::Move(drawer.session, movement, to, "7".to_string(), counter, WHY.to_string());
        (services::id(movement), drawer.try_calls(&[call]))
    };
    let entry = |to: Direction, counter: Option<&str>| {
        let (movement, answer) = send(to, counter);
        answer.is(201);
        drawer.office.entries(&movement).remove(0)
    };
    assert_eq!(entry(Direction::In, None), "MONEY: 1000 +7, 5310 -7");
    assert_eq!(entry(Direction::Out, None), "MONEY: 5310 +7, 1000 -7");
    assert_eq!(entry(Direction::In, Some("BANK")), "MONEY: 1000 +7, 1010 -7");
    assert_eq!(entry(Direction::Out, Some("BANK")), "MONEY: 1010 +7, 1000 -7");
    send(Direction::Out, Some("CASH")).1.refused(409, "PAYMENT_ACCOUNT_INVALID").at("/counterAccountId");
    assert_eq!(drawer.cash(), "100");
    drawer.office.sound();
}

fn an_order_of_nothing_is_collected(database: Database) {
    let drawer = Drawer::with_books(database, "0");
    let order = drawer.office.order("0");
    let collected = drawer.checkout(&order, &[]);
    assert!(collected.payments.is_empty());
    drawer.try_prepare(&order, &[]).refused(409, "ILLEGAL_STATE").fault("/order", "ORDER_COLLECTED");
    drawer.office.sound();
}
