//! Registers: the records that they use, and that nothing of them changes. [E283]..[E288]

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::selling::{counter, counter_with_books};
use stoa_tests::tills::{Till, cash, parts, register, till, till_with_books};
use stoa_tests::{Database, at_once, company, on_both_databases};

on_both_databases![
    e284_archiving_and_opening_one_wins,
    e285_a_register_sells_from_a_normal_warehouse_at_an_active_list,
    lists_find_registers_by_what_is_asked,
];

on_both_databases![
    rules:
    onboarding_makes_a_register,
    e283_a_code_is_reserved_in_any_case,
    e284_a_register_with_an_open_session_is_not_archived,
    e286_a_cash_account_is_a_till_of_the_entity,
    e287_keys_are_not_for_registers,
    e288_a_register_is_never_changed,
    d8_cash_is_made_up_of_coins_where_they_are_stated,
    a_register_holds_what_it_stands_on,
];

fn onboarding_makes_a_register(database: Database) {
    let shop = company(database);
    let made = shop.made("POS_REGISTER").expect("a register");
    let read = shop.get(&format!("pos/registers/{made}")).is(200);
    assert_eq!((&read["code"], &read["warehouseId"]), (&json!("POS-1"), &json!(shop.main())));
    assert_eq!((&read["currencyCode"], &read["openSessionId"]), (&json!("EUR"), &Json::Null));
    assert_eq!(read["legalEntityId"], shop.entity());
    let steps = shop.get("onboarding").is(200).body.to_string();
    assert!(steps.contains("REGISTER"), "{steps}");
    shop.verified();
}

fn e283_a_code_is_reserved_in_any_case(database: Database) {
    let counter = counter(database);
    let create = |code: &str| counter.shop.post("pos/registers", register(&counter, json!({ "code": code })));
    let first = create("Till-A").is(201);
    assert_eq!(first["code"], "Till-A");
    let taken = create("TILL-a").refused(409, "DUPLICATE").at("/code");
    assert_eq!(taken.errors()[0]["conflictsWith"], first["id"], "{taken}");
    let blind = counter.shop.colleague(&["settings.manage"]);
    let taken = blind.post("pos/registers", register(&counter, json!({ "code": "till-A" }))).refused(409, "DUPLICATE");
    assert!(taken.errors()[0]["conflictsWith"].is_null(), "a user who may not read registers sees none: {taken}");
    counter.shop.archive(&format!("pos/registers/{}", first.id())).is(200);
    create("till-a").refused(409, "DUPLICATE").at("/code");
    for code in ["", "1A", "a b", &"A".repeat(65)] {
        create(code).refused(400, "VALIDATION_FAILED").at("/code");
    }
}

fn e284_a_register_with_an_open_session_is_not_archived(database: Database) {
    let till = till(database);
    let path = format!("pos/registers/{}", till.register);
    let session = till.open("0");
    assert_eq!(till.shop().get(&path).is(200)["openSessionId"], session.id);
    till.shop().archive(&path).refused(409, "SESSION_OPEN");
    session.try_close("0").is(200);
    assert_eq!(till.shop().archive(&path).is(200)["status"], "ARCHIVED");
    till.shop().archive(&path).refused(409, "ARCHIVED");
    assert_eq!((till.events("pos.register.created"), till.events("pos.register.archived")), (2, 1));
    till.shop().verified();
}

fn e284_archiving_and_opening_one_wins(database: Database) {
    let counter = counter(database);
    for _ in 0..6 {
        let till = Till::new(counter.clone());
        let path = format!("pos/registers/{}", till.register);
        let answers = at_once(2, |n| if n == 0 { till.shop().archive(&path) } else { till.try_open("0") });
        let won = answers.iter().filter(|answer| answer.status < 300).count();
        assert_eq!(won, 1, "{answers:?}");
        let lost = answers.iter().find(|answer| answer.status >= 300).expect("one lost");
        assert!(["SESSION_OPEN", "REFERENCE_INVALID"].iter().any(|code| lost["code"] == *code), "{lost}");
    }
    counter.shop.verified();
}

fn e285_a_register_sells_from_a_normal_warehouse_at_an_active_list(database: Database) {
    let counter = counter(database);
    let shop = &counter.shop;
    let create = |members: Json| shop.post("pos/registers", register(&counter, members));
    let quarantine = shop.warehouse("QUARANTINE");
    create(json!({ "warehouseId": quarantine })).refused(409, "REFERENCE_INVALID").fault("/warehouseId", "NOT_NORMAL");
    let gone = shop.warehouse("PHYSICAL");
    shop.archive(&format!("inventory/warehouses/{gone}")).is(200);
    create(json!({ "warehouseId": gone })).refused(409, "REFERENCE_INVALID").fault("/warehouseId", "ARCHIVED");
    let list = shop.price_list(&fresh("GONE-"));
    shop.archive(&format!("pricing/price-lists/{list}")).is(200);
    create(json!({ "priceListId": list })).refused(409, "REFERENCE_INVALID").fault("/priceListId", "ARCHIVED");
    create(json!({ "warehouseId": counter.customer })).refused(404, "NOT_FOUND").at("/warehouseId");
    create(json!({ "priceListId": counter.customer })).refused(404, "NOT_FOUND").at("/priceListId");
}

fn e286_a_cash_account_is_a_till_of_the_entity(database: Database) {
    let invalid =
        |answer: stoa_tests::Answer| drop(answer.refused(409, "PAYMENT_ACCOUNT_INVALID").at("/cashAccountId"));
    let till = till_with_books(database);
    let books = till.books();
    let create = |account: &str| {
        let body = register(&till.counter, json!({ "cashAccountId": account }));
        till.shop().post("pos/registers", body)
    };
    invalid(create(&books.money("BANK")));
    let account = json!({ "legalEntityId": till.counter.entity, "code": "1009", "name": "Safe", "type": "ASSET" });
    let account = till.shop().post("ledger/accounts", account).is(201).id();
    let safe = json!({
        "legalEntityId": till.counter.entity, "code": "SAFE", "name": "Safe", "kind": "CASH",
        "accountId": account,
    });
    invalid(create(&till.shop().post("ledger/money-accounts", safe).is(201).id()));
    let made = create(&books.money("CASH")).is(201);
    assert_eq!(made["cashAccountId"], books.money("CASH"));
    // Without books there are no accounts.
    let other = counter(database);
    let body = register(&other, json!({ "cashAccountId": other.customer }));
    invalid(other.shop.post("pos/registers", body));
}

fn e287_keys_are_not_for_registers(database: Database) {
    let till = till(database);
    let key = till.shop().machine(&["sales.read", "sales.write"]);
    let person = till.shop().request("GET", "pos/registers").token(&key.key).send();
    person.refused(403, "WRONG_IDENTITY_FAMILY");
    key.get("pos/registers").refused(404, "NOT_FOUND");
}

fn e288_a_register_is_never_changed(database: Database) {
    let till = till(database);
    let path = format!("pos/registers/{}", till.register);
    till.shop().put(&path, register(&till.counter, json!({}))).refused(405, "METHOD_NOT_ALLOWED");
    let seller = till.shop().colleague(&["sales.create", "sales.read"]);
    seller.post("pos/registers", register(&till.counter, json!({}))).refused(403, "PERMISSION_DENIED");
    seller.archive(&path).refused(403, "PERMISSION_DENIED");
    seller.get(&path).is(200);
}

fn lists_find_registers_by_what_is_asked(database: Database) {
    let till = till(database);
    let shop = till.shop();
    let first = shop.made("POS_REGISTER").expect("a register");
    let found = |query: &[(&str, &str)]| shop.list("pos/registers", query).is(200).ids();
    assert_eq!(found(&[]), [first.clone(), till.register.clone()]);
    assert_eq!(found(&[("text", "pos-")]), [first.as_str()]);
    assert_eq!(found(&[("text", "%")]), Vec::<String>::new());
    till.open("0");
    assert_eq!(found(&[("occupied", "true")]), [till.register.as_str()]);
    assert_eq!(found(&[("occupied", "false")]), [first.as_str()]);
    assert_eq!(found(&[("warehouseId", &till.counter.main), ("legalEntityId", &till.counter.entity)]).len(), 2);
    assert_eq!(found(&[("warehouseId", &till.counter.customer)]).len(), 0);
    let since = shop.get(&format!("pos/registers/{}", till.register)).is(200).text("updatedAt");
    assert_eq!(found(&[("updatedSince", &since)]), [till.register.as_str()], "its session was opened");
    shop.archive(&format!("pos/registers/{first}")).is(200);
    assert_eq!(found(&[("status", "ARCHIVED")]), [first]);
    assert_eq!(found(&[]), [till.register.as_str()]);
}

fn a_register_holds_what_it_stands_on(database: Database) {
    let counter = counter_with_books(database);
    let shop = &counter.shop;
    let entity = shop.other_entity();
    let warehouse = shop.warehouse_of("PHYSICAL", &entity);
    let body = register(&counter, json!({ "warehouseId": warehouse }));
    let made = shop.post("pos/registers", body).is(201);
    assert_eq!(made["legalEntityId"], entity);
    shop.archive(&format!("inventory/warehouses/{warehouse}")).is(200);
    let path = format!("ledger/legal-entities/{entity}");
    shop.archive(&path).refused(409, "ILLEGAL_STATE");
    shop.archive(&format!("pos/registers/{}", made.id())).is(200);
    shop.archive(&path).is(200);
}

fn d8_cash_is_made_up_of_coins_where_they_are_stated(database: Database) {
    let counter = counter(database);
    let create = |coin: Json| counter.shop.post("pos/registers", register(&counter, json!({ "smallestCoin": coin })));
    create(json!("0")).refused(400, "VALIDATION_FAILED").at("/smallestCoin");
    let made = create(json!("0.05")).is(201);
    assert_eq!(made["smallestCoin"], "0.050000");
    let till = Till { counter: counter.clone(), register: made.id() };
    let finer = |answer: stoa_tests::Answer, pointer: &str| {
        answer.refused(409, "AMOUNT_PRECISION").fault(pointer, "FINER_THAN_COIN");
    };
    finer(till.try_open("10.02"), "/openingAmount");
    let session = till.open("10.05");
    finer(session.try_move("IN", "0.01"), "/amount");
    session.try_move("IN", "0.15").is(201);
    let order = till.order_of("2.97");
    finer(session.try_check_out(&order, cash("3")), "/tenderedAmount");
    finer(session.try_check_out(&order, parts(&[("CARD", "2.95"), ("CASH", "0.02")])), "/payments");
    session.try_check_out(&order, parts(&[("CARD", "2.92"), ("CASH", "0.05")])).is(201);
    finer(session.try_check_out(&till.order_of("2.95"), cash("3.001")), "/tenderedAmount");
    session.sell("2.95", cash("3"));
    finer(session.try_close("13.201"), "/countedAmount");
    session.try_close("13.2").is(200);
    // Without a coin any amount is cash.
    let any = Till { register: create(Json::Null).is(201).id(), ..till };
    any.open("0.000001").sell("548.9715", cash("550"));
    any.shop().verified();
}
