//! A company that moves in brings its past: its clock begins in the past and goes forward until the history ends.

use std::thread;

use serde_json::{Value as Json, json};
use stoa_tests::billing::Office;
use stoa_tests::books::day;
use stoa_tests::company::fresh;
use stoa_tests::purchases::line;
use stoa_tests::tables::figure;
use stoa_tests::tills::{Till, cash};
use stoa_tests::{Answer, Company, Database, eventually, host, on_both_databases, tests};

on_both_databases![
    a_past_is_in_the_reports_of_its_days,
    books_begin_in_the_past_too,
    the_clock_goes_forward_and_ends_once,
    a_clock_begins_neither_before_1970_nor_in_the_future,
    a_company_without_a_history_has_no_clock_to_move,
    only_who_manages_settings_moves_the_clock,
];
tests![a_move_waits_for_writes_under_way, a_write_that_waited_for_a_move_bears_its_time];

const BEGIN: &str = "1997-01-02T08:00:00.000Z";

fn company_from(database: Database, from: &str) -> Company {
    host::shared(database).company_with(json!({ "historyFrom": from }))
}

fn advance(shop: &Company, to: &str) -> Answer {
    shop.post("history/advance", json!({ "to": to }))
}

fn end(shop: &Company) -> Answer {
    shop.request("POST", "history/end").send()
}

/// Sales of a range: revenue and credits, in euro.
fn revenue(office: &Office, from: &str, to: &str) -> String {
    let query = [("legalEntityId", &*office.entity), ("currencyCode", "EUR"), ("from", from), ("to", to)];
    figure(&office.shop.list("reports/sales", &query).is(200)["totals"]["revenue"])
}

fn a_past_is_in_the_reports_of_its_days(database: Database) {
    let shop = company_from(database, BEGIN);
    let office = Office::from_shop(shop.clone(), shop.entity());
    let (counter, buyer) = (&office.counter, &office.buyer);
    let variant = shop.counted(0);
    counter.price(&variant, "50");
    buyer.stock(&variant, "10", "20");

    advance(&shop, "1997-03-05T10:00:00.000Z").is(200);
    let order = counter.deliver(json!([{ "variantId": variant, "quantity": "4" }]));
    let item = counter.read(&order)["items"][0]["id"].clone();
    let invoice = office.sales.issue(json!([{ "orderItemId": item, "quantity": "4" }]));
    assert_eq!(counter.read(&order)["createdAt"], "1997-03-05T10:00:00.000Z");
    assert_eq!(office.sales.invoice(&invoice)["issuedOn"], "1997-03-05");

    // A day at the till.
    advance(&shop, "1997-03-06T09:00:00.000Z").is(200);
    let till = Till::new(counter.clone());
    let session = till.open("10");
    let taken = till.order(json!([{ "variantId": variant, "quantity": "1" }]));
    session.try_check_out(&taken, cash("50")).is(201);
    advance(&shop, "1997-03-06T18:00:00.000Z").is(200);
    let closed = session.try_close("60").is(200);
    assert_eq!((&closed["variance"], &closed["closedAt"]), (&json!("0.000000"), &json!("1997-03-06T18:00:00.000Z")));

    // Nothing is reported of a day that has not come.
    office.sales.try_pay("200", json!({ "paidOn": "1997-03-09" })).refused(400, "VALIDATION_FAILED").at("/paidOn");
    let paid = json!({ "paidOn": "1997-03-06", "applications": [{ "invoiceId": invoice, "amount": "200" }] });
    office.sales.try_pay("200", paid).is(201);

    let ended = end(&shop).is(200);
    assert_eq!(ended.body, json!({ "from": BEGIN, "at": null, "until": "1997-03-06T18:00:00.000Z" }));
    assert_eq!(shop.get("settings").is(200)["history"], ended.body);
    counter.deliver(json!([{ "variantId": variant, "quantity": "2" }]));

    // 4 x 50, 1 x 50, 2 x 50.
    assert_eq!(revenue(&office, "1997-03-05", "1997-03-05"), "200");
    assert_eq!(revenue(&office, "1997-01-01", "1997-12-31"), "250");
    assert_eq!(revenue(&office, &day(0), &day(0)), "100");
    let valued = |on: &str| {
        let page = shop.list("inventory/valuation", &[("variantId", &*variant), ("asOf", on)]).is(200);
        page.items().first().map(|row| figure(&row["values"][0]["value"]))
    };
    assert_eq!(
        ["1997-01-01", "1997-01-02", "1997-03-05", "1997-03-06"].map(valued),
        [None, Some("200".into()), Some("120".into()), Some("100".into())]
    );
    assert_eq!(valued(&day(0)).as_deref(), Some("60"));

    // The audit log has the true time, and says by which clock the record was made.
    let sql = "select metadata from stoa_audit where {tenant} and operation = 'createSalesOrder' order by id";
    let marks: Vec<Json> = shop.rows(sql).iter().map(|row| mark(&row[0])).collect();
    assert_eq!(marks, [json!("1997-03-05T10:00:00.000Z"), json!("1997-03-06T09:00:00.000Z"), Json::Null]);
    shop.verified();
}

fn mark(metadata: &str) -> Json {
    serde_json::from_str::<Json>(metadata).unwrap_or_default()["historyAt"].clone()
}

fn books_begin_in_the_past_too(database: Database) {
    let shop = company_from(database, BEGIN);
    let office = Office::from_shop(shop.clone(), shop.entity());
    let variant = shop.counted(0);
    office.counter.price(&variant, "30");
    let order = office.buyer.place(json!([line(&variant, "10", "2")]));
    order.receive(json!([order.goods(0, "10")])).is(201);

    advance(&shop, "1997-12-31T12:00:00.000Z").is(200);
    shop.post(&office.books().at("chart"), json!({ "template": "STANDARD" })).is(201);
    let entity = shop.get(&format!("ledger/legal-entities/{}", office.entity)).is(200);
    let body = json!({ "expectedVersion": entity["version"], "currencyCode": "EUR" });
    let opened = shop.post(&office.books().at("start-books"), body).is(200);
    assert_eq!(opened["booksStartOn"], "1997-12-31");
    assert_eq!(office.balances(), "1200 20, 2100 -20");

    advance(&shop, "1998-01-05T12:00:00.000Z").is(200);
    office.counter.deliver(json!([{ "variantId": variant, "quantity": "3" }]));
    let trial = |to: &str| office.books().trial(&[("to", to)]).get("5000").map(|row| figure(&row["closing"]));
    assert_eq!(["1998-01-04", "1998-01-05"].map(trial), [None, Some("6".into())]);
    end(&shop).is(200);
    office.reconcile();
    shop.verified();
}

fn the_clock_goes_forward_and_ends_once(database: Database) {
    let shop = company_from(database, BEGIN);
    let open = |instant: &str| json!({ "from": BEGIN, "at": instant, "until": null });
    assert_eq!(shop.get("settings").is(200)["history"], open(BEGIN));
    let (noon, later) = ("1997-01-02T12:00:00.000Z", "1997-02-01T00:00:00.000Z");
    assert_eq!(advance(&shop, noon).is(200).body, open(noon));
    let early = advance(&shop, "1997-01-02T11:59:59.999Z").refused(400, "VALIDATION_FAILED").fault("/to", "RANGE");
    assert_eq!(early.errors()[0]["expected"]["minimum"], noon);
    advance(&shop, "2999-01-01T00:00:00Z").refused(400, "VALIDATION_FAILED").fault("/to", "RANGE");
    assert_eq!(shop.get("settings").is(200)["history"], open(noon));
    advance(&shop, later).is(200);
    end(&shop).is(200);
    advance(&shop, later).refused(409, "ILLEGAL_STATE");
    end(&shop).refused(409, "ILLEGAL_STATE");
    let ended = json!({ "from": BEGIN, "at": null, "until": later });
    assert_eq!(shop.get("settings").is(200)["history"], ended);
}

fn a_clock_begins_neither_before_1970_nor_in_the_future(database: Database) {
    let host = host::shared(database);
    let token = host.token("owner@example.test");
    for from in ["1969-12-31T23:59:59.999Z", "2999-01-01T00:00:00Z"] {
        let body = json!({ "name": fresh("Company "), "currencyCode": "EUR", "historyFrom": from });
        let answer = host.request("POST", "/v1/onboarding/companies").token(&token).json(&body).send();
        answer.refused(400, "VALIDATION_FAILED").fault("/historyFrom", "RANGE");
    }
    assert_eq!(
        company_from(database, "1970-01-01T00:00:00Z").get("settings").is(200)["history"]["at"],
        "1970-01-01T00:00:00.000Z"
    );
}

fn a_company_without_a_history_has_no_clock_to_move(database: Database) {
    let shop = host::shared(database).company();
    assert_eq!(shop.get("settings").is(200)["history"], Json::Null);
    advance(&shop, BEGIN).refused(409, "ILLEGAL_STATE");
    end(&shop).refused(409, "ILLEGAL_STATE");
}

fn only_who_manages_settings_moves_the_clock(database: Database) {
    let shop = company_from(database, BEGIN);
    let (_, person) = shop.member("other", &[&shop.role("OTHER", &["sales.create", "users.manage"])]);
    advance(&person, BEGIN).refused(403, "PERMISSION_DENIED");
    end(&person).refused(403, "PERMISSION_DENIED");
    let (_, keeper) = shop.member("keeper", &[&shop.role("KEEPER", &["settings.manage"])]);
    advance(&keeper, BEGIN).is(200);
}

fn row_of(shop: &Company, strength: &str) -> String {
    format!("select 1 from stoa_tenant where id = '{}' for {strength}", shop.tenant)
}

fn a_move_waits_for_writes_under_way() {
    let shop = company_from(Database::Postgres, BEGIN);
    let to = "1997-05-01T00:00:00.000Z";
    let writing = shop.hold(&row_of(&shop, "share"));
    thread::scope(|scope| {
        let moved = scope.spawn(|| advance(&shop, to));
        eventually(|| (shop.waiting_writes() == 1).then_some(()));
        assert_eq!(shop.get("settings").is(200)["history"]["at"], BEGIN);
        drop(writing);
        assert_eq!(moved.join().expect("the move").is(200)["at"], to);
    });
}

fn a_write_that_waited_for_a_move_bears_its_time() {
    let shop = company_from(Database::Postgres, BEGIN);
    let to = "1997-05-01T00:00:00.000Z";
    let holder = shop.hold(&row_of(&shop, "update"));
    thread::scope(|scope| {
        let moved = scope.spawn(|| advance(&shop, to));
        eventually(|| (shop.waiting_writes() == 1).then_some(()));
        let customer = || shop.post("sales/customers", json!({ "code": fresh("C-"), "name": "Acme" }));
        let written = scope.spawn(customer);
        eventually(|| (shop.waiting_writes() == 2).then_some(()));
        drop(holder);
        moved.join().expect("the move").is(200);
        let id = written.join().expect("the write").is(201).id();
        assert_eq!(shop.get(&format!("sales/customers/{id}")).is(200)["createdAt"], to);
    });
}
