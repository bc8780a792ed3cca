//! Lists of documents by id and by change, for people and for keys.

use serde_json::json;
use stoa_tests::billing::{Desk, Office, id, parts};
use stoa_tests::company::fresh;
use stoa_tests::drawer::component;
use stoa_tests::goods::WHY;
use stoa_tests::{Database, eventually, on_both_databases, services};

on_both_databases![
    ids_find_documents,
    updated_since_finds_documents_that_changed,
    an_invoice_that_is_paid_has_changed,
    pages_of_changed_invoices_follow_each_other,
    a_payment_of_a_register_changes_as_its_order_is_billed,
];

const LISTS: [&str; 4] = ["invoices", "payments", "credit-notes", "refunds"];

/// Two documents of a list.
#[track_caller]
fn make(desk: &Desk, list: &str) -> [String; 2] {
    ["1", "2"].map(|amount| match list {
        "invoices" => desk.owe(amount),
        "payments" => id(&desk.pay(amount)).to_string(),
        "credit-notes" => id(&desk.grant(amount)).to_string(),
        _ => id(&desk.give_back(&desk.pay("9"), amount)).to_string(),
    })
}

/// Two drafts of supplier returns.
#[track_caller]
fn make_returns(office: &Office) -> [String; 2] {
    let item = office.buyer.stock(&office.shop.counted(0), "5", "10");
    ["1", "2"].map(|quantity| {
        let body = json!({
            "number": fresh("RET-"), "legalEntityId": office.entity, "partyId": office.purchases.party,
            "warehouseId": office.buyer.main, "reason": WHY,
            "lines": [{ "receiptItemId": item, "quantity": quantity }],
        });
        office.shop.post("purchases/returns", body).is(201).id()
    })
}

#[track_caller]
fn find_ids(desk: &Desk, list: &str, query: &[(&str, &str)]) -> Vec<String> {
    desk.shop.list(&desk.at(list), query).is(200).ids()
}

#[track_caller]
fn since(desk: &Desk, list: &str, instant: &str) -> Vec<String> {
    find_ids(desk, list, &[("updatedSince", instant)])
}

/// Waits until the clock is past the last change of the document: two changes may fall into one millisecond.
#[track_caller]
fn pass(desk: &Desk, path: &str) {
    let changed = desk.read(path).text("updatedAt");
    eventually(|| {
        let customer = json!({ "code": fresh("C-"), "name": "Later" });
        let later = desk.shop.post("sales/customers", customer).is(201).text("createdAt");
        (later > changed).then_some(())
    });
}

fn ids_find_documents(database: Database) {
    let office = Office::new(database);
    let key = office.shop.machine(&["sales.read", "purchases.read"]);
    let find = |path: &str, [first, second]: [String; 2]| {
        let gone = uuid::Uuid::now_v7();
        let both = format!("{second},{gone},{first}");
        let found = office.shop.list(path, &[("ids", &both)]).is(200).ids();
        assert_eq!(found, [first.clone(), second.clone()], "{path}: in the order of the list");
        // API clients have no list of suppliers' refunds.
        if path != "purchases/refunds" {
            assert_eq!(key.get(&format!("{path}?ids={both}")).is(200).ids(), [first.clone(), second.clone()]);
            assert_eq!(key.get(&format!("{path}?ids={second}")).is(200).ids(), std::slice::from_ref(&second));
        }
        let none = [("ids", second.as_str()), ("number", "NO-SUCH")];
        assert!(office.shop.list(path, &none).is(200).ids().is_empty(), "{path}: every parameter holds");
        office.shop.list(path, &[("ids", "1")]).refused(400, "VALIDATION_FAILED").at("/query/ids");
    };
    for desk in office.desks() {
        LISTS.into_iter().for_each(|list| find(&desk.at(list), make(desk, list)));
        // Ids of the other side's documents find nothing.
        let [invoice, _] = make(desk, "invoices");
        let other = if desk.at("") == "sales/" { &office.purchases } else { &office.sales };
        assert!(find_ids(other, "invoices", &[("ids", &invoice)]).is_empty());
    }
    find("purchases/returns", make_returns(&office));
}

fn updated_since_finds_documents_that_changed(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        for list in LISTS {
            let [first, second] = make(desk, list);
            pass(desk, &format!("{list}/{second}"));
            let voided = desk.void(&format!("{list}/{first}"), json!({})).is(200).text("updatedAt");
            assert_eq!(since(desk, list, &voided), std::slice::from_ref(&first), "{list}");
            let all = since(desk, list, "2000-01-01T00:00:00.000Z");
            assert!(all.ends_with(&[first, second]), "{list}: {all:?}");
            assert!(since(desk, list, "9999-12-31T23:59:59.999Z").is_empty());
        }
        // A credit that is applied has changed, and so has a payment.
        let invoice = desk.owe("9");
        for path in [desk.grant("5"), desk.pay("5")] {
            pass(desk, &path);
            let applied = desk.apply(&path, &[(&invoice, "1")]).is(201).text("updatedAt");
            let list = path.split('/').next().unwrap_or_default();
            assert_eq!(since(desk, list, &applied), [id(&path)], "{list}");
        }
    }
    let [first, second] = make_returns(&office);
    let desk = &office.purchases;
    pass(desk, &format!("returns/{second}"));
    let cancelled = office.shop.post(&format!("purchases/returns/{first}/cancel"), json!({ "expectedVersion": 1 }));
    assert_eq!(since(desk, "returns", &cancelled.is(200).text("updatedAt")), [first]);
}

fn an_invoice_that_is_paid_has_changed(database: Database) {
    let office = Office::new(database);
    let key = office.shop.machine(&["sales.read", "purchases.read"]);
    for desk in office.desks() {
        let [first, second, third] = ["9", "9", "9"].map(|amount| desk.owe(amount));
        pass(desk, &format!("invoices/{third}"));
        let version = desk.invoice(&second)["version"].clone();
        let paid = desk.try_pay("4", json!({ "applications": parts(&[(&second, "4")]) })).is(201);
        let (paid_at, payment) = (paid.text("updatedAt"), format!("payments/{}", paid.id()));
        assert_eq!(since(desk, "invoices", &paid_at), std::slice::from_ref(&second));
        let news = key.get(&format!("{}?updatedSince={paid_at}", desk.at("invoices"))).is(200);
        assert_eq!((&news.items()[0]["balance"], &news.items()[0]["version"]), (&json!("5.000000"), &version));
        // Other parameters hold, whatever changed.
        let asked = |name: &str, value: &str| find_ids(desk, "invoices", &[("updatedSince", &paid_at), (name, value)]);
        assert_eq!(asked("open", "true"), std::slice::from_ref(&second));
        assert!(asked("status", "VOID").is_empty() && asked("ids", &first).is_empty());
        pass(desk, &payment);
        let bounced = desk.step(&payment, "reverse", json!({ "reason": "bounced" })).is(200).text("updatedAt");
        assert_eq!(since(desk, "invoices", &bounced), [second], "what is owed again has changed too");
        // One that changed itself, and one that was paid.
        pass(desk, &payment);
        let voided = desk.void(&format!("invoices/{first}"), json!({})).is(200).text("updatedAt");
        desk.try_pay("9", json!({ "applications": parts(&[(&third, "9")]) })).is(201);
        assert_eq!(since(desk, "invoices", &voided), [first, third]);
    }
}

fn pages_of_changed_invoices_follow_each_other(database: Database) {
    let office = Office::new(database);
    let desk = &office.sales;
    let invoices: Vec<String> = (0..5).map(|_| desk.owe("9")).collect();
    pass(desk, &format!("invoices/{}", invoices[4]));
    let paid = desk.try_pay("3", json!({ "applications": parts(&[(&invoices[1], "1"), (&invoices[4], "2")]) })).is(201);
    let since = paid.text("updatedAt");
    for nth in [0, 2] {
        desk.void(&format!("invoices/{}", invoices[nth]), json!({})).is(200);
    }
    let changed = [0, 1, 2, 4].map(|nth: usize| invoices[nth].clone());
    for limit in ["1", "2", "3", "4", "100"] {
        let query = [("updatedSince", since.as_str()), ("limit", limit)];
        let pages = desk.shop.all("sales/invoices", &query);
        let ids: Vec<&str> = pages.iter().filter_map(|item| item["id"].as_str()).collect();
        assert_eq!(ids, changed, "{limit} a page");
        let first = desk.shop.list("sales/invoices", &query).is(200);
        assert!(first.items().len() <= limit.parse().unwrap_or(0));
    }
    let query = [("updatedSince", since.as_str()), ("limit", "1"), ("text", "INV-")];
    assert_eq!(desk.shop.all("sales/invoices", &query).len(), 4, "a search of text leads on too");
}

fn a_payment_of_a_register_changes_as_its_order_is_billed(database: Database) {
    let office = Office::with_services(database, true);
    let (drawer, desk) = (office.drawer("0"), &office.sales);
    let order = office.order("50");
    let collected = drawer.checkout(&order, &[component(1, "CASH", "50")]);
    let payment = services::id(collected.payments[0].id);
    pass(desk, &format!("payments/{payment}"));
    let item = office.counter.read(&order)["items"][0]["id"].clone();
    let invoice = desk.issue(json!([{ "orderItemId": item, "quantity": "1" }]));
    let issued = desk.invoice(&invoice).text("updatedAt");
    assert_eq!(since(desk, "payments", &issued), [payment]);
    assert_eq!(since(desk, "invoices", &issued), [invoice]);
}
