//! Cash sessions: opened once, only for its operator, closed for good. [E289]..[E291], [E295], [E297]..[E299], [E302], [E303]

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::selling::counter;
use stoa_tests::tills::{Session, Till, cash, register, till, till_with_books};
use stoa_tests::{Answer, Database, on_both_databases};

on_both_databases![lists_find_sessions_by_what_is_asked,];

on_both_databases![
    rules:
    e290_what_a_register_stands_on_must_be_there,
    e291_an_opening_is_money,
    e295_a_variance_is_counted_less_expected,
    e297_a_closed_session_takes_nothing,
    e298_a_supervisor_closes_anothers_session,
    e299_sessions_of_a_register_are_numbered,
    e302_a_variance_that_cannot_be_posted_closes_nothing,
    e303_an_operator_who_is_suspended_sells_no_more,
    e305_notes_and_reasons_hold_no_card_number,
    a_session_opens_in_the_currency_of_the_books,
    machines_read_sessions_without_the_companys_own,
    a_person_needs_the_permission_of_the_act,
];

fn e290_what_a_register_stands_on_must_be_there(database: Database) {
    let counter = counter(database);
    let shop = &counter.shop;
    let till = |members: Json| {
        let register = shop.post("pos/registers", register(&counter, members)).is(201).id();
        Till { counter: counter.clone(), register }
    };
    let archived = till(json!({}));
    shop.archive(&format!("pos/registers/{}", archived.register)).is(200);
    archived.try_open("0").refused(409, "REFERENCE_INVALID").at("/registerId");
    let warehouse = shop.warehouse("PHYSICAL");
    let moved = till(json!({ "warehouseId": warehouse }));
    shop.archive(&format!("inventory/warehouses/{warehouse}")).is(200);
    moved.try_open("0").refused(409, "ARCHIVED").at("/warehouseId");
    let list = shop.price_list(&fresh("LIST-"));
    let listed = till(json!({ "priceListId": list }));
    shop.archive(&format!("pricing/price-lists/{list}")).is(200);
    listed.try_open("0").refused(409, "ARCHIVED").at("/priceListId");
    let nowhere = Till { register: counter.customer.clone(), counter };
    nowhere.try_open("0").refused(404, "NOT_FOUND").at("/registerId");
}

fn e291_an_opening_is_money(database: Database) {
    let till = till(database);
    for amount in ["-1", "1.0000001", "1e3", "01", ".5", "1000000000000", ""] {
        till.try_open(amount).refused(400, "VALIDATION_FAILED").at("/openingAmount");
    }
    let absent = json!({ "registerId": till.register });
    till.shop().post("pos/sessions", absent).refused(400, "VALIDATION_FAILED").fault("/openingAmount", "REQUIRED");
    let opened = till.try_open("0").is(201);
    assert_eq!((&opened["openingAmount"], &opened["expectedCash"]), (&json!("0.000000"), &json!("0.000000")));
    assert_eq!((&opened["version"], &opened["status"]), (&json!(1), &json!("OPEN")));
    assert_eq!((&opened["variance"], &opened["cashAccountId"]), (&Json::Null, &Json::Null));
    till.try_open("0").refused(409, "SESSION_OPEN").at("/registerId");
    assert_eq!(till.events("pos.session.opened"), 1);
}

fn e295_a_variance_is_counted_less_expected(database: Database) {
    let till = till(database);
    for (counted, variance) in [("105", "5.000000"), ("95", "-5.000000"), ("100", "0.000000")] {
        let closed = till.open("100").try_close(counted).is(200);
        assert_eq!((&closed["variance"], &closed["expectedCash"]), (&json!(variance), &json!("100.000000")));
        assert_eq!((&closed["status"], &closed["version"]), (&json!("CLOSED"), &json!(2)));
    }
    assert_eq!(till.events("pos.session.closed"), 3);
    till.shop().verified();
}

fn e297_a_closed_session_takes_nothing(database: Database) {
    let till = till(database);
    let session = till.open("100");
    let order = till.order_of("10");
    session.try_close("100").is(200);
    session.try_check_out(&order, cash("10")).refused(409, "ILLEGAL_STATE");
    session.try_move("IN", "1").refused(409, "ILLEGAL_STATE");
    session.try_close("100").refused(409, "ILLEGAL_STATE");
    let payment = till.prepay("10");
    session.try_refund(&payment, 1, "1").refused(409, "CASH_SESSION_REQUIRED").at("/sessionId");
    assert_eq!(till.counter.read(&order)["status"], "CONFIRMED");
}

fn e298_a_supervisor_closes_anothers_session(database: Database) {
    let till = till(database);
    let cashier = till.shop().colleague(&["sales.create", "sales.read"]);
    let session = till.seen_by(&cashier).open("100");
    let opened_by = session.read()["operatorId"].clone();
    let other = till.shop().colleague(&["sales.create", "sales.read"]);
    session.seen_by(&other).try_close("100").refused(403, "PERMISSION_DENIED");
    let supervisor = till.shop().colleague(&["settings.manage", "sales.read"]);
    let closed = session.seen_by(&supervisor).try_close("100").is(200);
    assert_eq!(closed["operatorId"], opened_by);
    assert_ne!(closed["closedBy"], opened_by);
    assert!(closed["closedBy"].is_string() && closed["closedAt"].is_string());
}

fn e299_sessions_of_a_register_are_numbered(database: Database) {
    let till = till(database);
    for no in 1..=3 {
        let session = till.open("0");
        assert_eq!(session.read()["sessionNo"], no);
        session.try_close("0").is(200);
    }
    let other = Till::new(till.counter.clone());
    assert_eq!(other.open("0").read()["sessionNo"], 1);
    till.shop().verified();
}

fn e302_a_variance_that_cannot_be_posted_closes_nothing(database: Database) {
    let till = till_with_books(database);
    let session = till.open("100");
    assert_eq!(session.read()["cashAccountId"], till.books().money("CASH"));
    till.books().map(&[("CASH_OVER_SHORT", None)]).is(200);
    session.try_close("99").refused(409, "ACCOUNTING_SETUP_REQUIRED");
    assert_eq!((session.read()["status"].clone(), session.version()), (json!("OPEN"), 1));
    session.try_close("100").is(200);
    // A count without a variance is not posted.
    assert_eq!(till.books().entries(), 0);
    till.shop().verified();
}

fn e303_an_operator_who_is_suspended_sells_no_more(database: Database) {
    let till = till(database);
    let role = till.shop().role(&fresh("CASHIER-"), &["sales.create", "sales.read"]);
    let (membership, cashier) = till.shop().member("cashier", &[&role]);
    let session = till.seen_by(&cashier).open("50");
    let suspend = json!({ "membershipId": membership, "status": "SUSPENDED" });
    till.shop().iam("set_membership_status", suspend).is(201);
    let refused = session.try_move_at(1, "IN", "1", json!({}));
    assert_eq!(refused.status, 403, "{refused}");
    let closed = session.seen_by(till.shop()).try_close("50").is(200);
    assert_eq!(closed["status"], "CLOSED");
}

fn e305_notes_and_reasons_hold_no_card_number(database: Database) {
    let session = till(database).open("100");
    let number = "4111 1111 1111 1112";
    let refused = |answer: Answer, pointer: &str| {
        let answer = answer.refused(400, "VALIDATION_FAILED").fault(pointer, "CARD_NUMBER_REFUSED");
        assert!(!answer.tells("4111"), "what was refused is not echoed");
    };
    refused(session.try_move_at(1, "IN", "1", json!({ "reason": number })), "/reason");
    let wide = "\u{FF14}\u{FF11}\u{FF11}\u{FF11}-1111-1111-1111";
    refused(session.try_move_at(1, "IN", "1", json!({ "reason": wide })), "/reason");
    // Before it is asked whose session it is.
    let other = session.till.shop().colleague(&["sales.create", "sales.read"]);
    refused(session.seen_by(&other).try_move_at(1, "IN", "1", json!({ "reason": number })), "/reason");
    let close = json!({ "expectedVersion": 1, "countedAmount": "100", "notes": number });
    refused(session.till.shop().post(&format!("{}/close", session.path()), close), "/notes");
    // An IMEI is one where it is one: a unit's.
    let phone = session.till.shop().phone();
    let units = json!([{ "imei1": stoa_tests::serials::imei(49_015_420_323_751) }]);
    session.till.shop().try_admit(&phone, &session.till.counter.main, Some("100"), units).is(201);
}

fn a_session_opens_in_the_currency_of_the_books(database: Database) {
    let till = till_with_books(database);
    let code = fresh("USD-");
    let list = json!({ "code": code, "name": code, "currencyCode": "USD", "visibility": "PUBLIC" });
    let list = till.shop().post("pricing/price-lists", list).is(201).id();
    let body = register(&till.counter, json!({ "priceListId": list }));
    let dollars = Till { register: till.shop().post("pos/registers", body).is(201).id(), ..till.clone() };
    dollars.try_open("0").refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED").at("/currencyCode");
    till.books().map(&[("CASH", None)]).is(200);
    till.try_open("0").refused(409, "ACCOUNTING_SETUP_REQUIRED");
}

fn machines_read_sessions_without_the_companys_own(database: Database) {
    let till = till_with_books(database);
    let session = till.open("10");
    session.sell("5", cash("5"));
    let key = till.shop().machine(&["sales.read"]);
    let path = session.path();
    let read = key.get(&path).is(200);
    assert_eq!((&read["expectedCash"], &read["version"]), (&json!("15.000000"), &json!(2)));
    for secret in ["tenantId", "notes", "cashAccountId"] {
        assert!(read[secret].is_null(), "{secret}: {read}");
        assert!(key.get("pos/sessions").is(200).items()[0][secret].is_null());
    }
    assert_eq!(key.get(&format!("{path}/report")).is(200)["kind"], "X");
    key.post(&format!("{path}/close"), json!({})).refused(404, "NOT_FOUND");
    let unread = till.shop().machine(&["customers.read"]);
    unread.get(&path).refused(403, "SCOPE_DENIED");
    assert_eq!(key.get(&path).is(200).header("cache-control"), Some("no-store"));
}

fn lists_find_sessions_by_what_is_asked(database: Database) {
    let till = till(database);
    let closed = till.open("1");
    closed.try_close("1").is(200);
    let open = till.open("2");
    let operator = open.read().text("operatorId");
    let found = |query: &[(&str, &str)]| till.shop().list("pos/sessions", query).is(200).ids();
    let both = [closed.id.clone(), open.id.clone()];
    assert_eq!(found(&[]), both);
    assert_eq!(found(&[("status", "OPEN")]), [open.id.as_str()]);
    assert_eq!(found(&[("registerId", &till.register), ("operatorId", &operator)]), both);
    assert_eq!(found(&[("operatorId", &till.register)]).len(), 0);
    assert_eq!(found(&[("legalEntityId", &till.counter.entity), ("openedFrom", "2020-01-01T00:00:00Z")]), both);
    assert_eq!(found(&[("openedTo", "2020-01-01T00:00:00Z")]).len(), 0);
    assert_eq!(found(&[("closedFrom", "2020-01-01T00:00:00Z")]), [closed.id.as_str()]);
    open.try_move("IN", "1").is(201);
    let moved = open.try_move("OUT", "1").is(201);
    let movements = format!("{}/cash-movements", open.path());
    let since = moved.text("createdAt");
    assert_eq!(till.shop().list(&movements, &[("updatedSince", &since)]).is(200).ids(), [moved.id()]);
    assert_eq!(found(&[("updatedSince", &since)]), [open.id.as_str()], "a movement changes its session");
    let listed = till.shop().list("pos/sessions", &[]).is(200);
    let expected: Vec<&Json> = listed.items().iter().map(|item| &item["expectedCash"]).collect();
    assert_eq!(expected, [&json!("1.000000"), &json!("2.000000")]);
}

fn a_person_needs_the_permission_of_the_act(database: Database) {
    let till = till(database);
    let order = till.order_of("10");
    let reader = till.shop().colleague(&["sales.read"]);
    till.seen_by(&reader).try_open("0").refused(403, "PERMISSION_DENIED");
    let seller = till.shop().colleague(&["sales.read", "sales.create", "pricing.read"]);
    let session: Session = till.seen_by(&seller).open("0");
    // A checkout delivers goods.
    session.try_check_out(&order, cash("10")).refused(403, "PERMISSION_DENIED");
    session.try_move("IN", "5").is(201);
    session.seen_by(&reader).try_close("5").refused(403, "PERMISSION_DENIED");
    session.try_close("5").is(200);
    let stranger = till.shop().colleague(&["catalog.read"]);
    stranger.get(&session.path()).refused(403, "PERMISSION_DENIED");
}
