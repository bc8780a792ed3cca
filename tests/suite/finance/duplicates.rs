//! A number or a reference that another document has: DUPLICATE names that document, if the caller may read it.

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office, id};
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::WHY;
use stoa_tests::{Answer, Database, on_both_databases};

on_both_databases![
    a_number_names_the_document_that_has_it,
    a_reference_names_the_document_that_has_it,
    a_draft_that_moves_to_a_supplier_meets_his_numbers,
    a_document_that_the_caller_may_not_read_is_not_named,
];

/// The place of a duplicate, and the document in the way.
#[track_caller]
fn conflict(answer: Answer) -> (String, Json) {
    let refused = answer.refused(409, "DUPLICATE");
    (refused.pointers().remove(0), refused.errors()[0]["conflictsWith"].clone())
}

fn by_number(document: &str) -> (String, Json) {
    ("/number".to_string(), json!(document))
}

fn by_reference(document: &str) -> (String, Json) {
    ("/documentReference".to_string(), json!(document))
}

fn a_number_names_the_document_that_has_it(database: Database) {
    let office = Office::with_books(database);
    let (one, same) = (json!({ "number": "Nr-1" }), json!({ "number": "NR-1" }));
    for desk in office.desks() {
        let invoice = desk.try_draft(json!([]), one.clone()).is(201).id();
        assert_eq!(conflict(desk.try_draft(json!([]), same.clone())), by_number(&invoice));
        let payment = desk.try_pay("10", one.clone()).is(201).id();
        let before = office.balances();
        assert_eq!(conflict(desk.try_pay("10", same.clone())), by_number(&payment));
        let expected = with(&same, json!({ "status": "PENDING" }));
        assert_eq!(conflict(desk.try_pay("10", expected)), by_number(&payment));
        assert_eq!(office.balances(), before, "a payment that was left out posts nothing");
        let credit = desk.try_request("10", one.clone()).is(201).id();
        assert_eq!(conflict(desk.try_request("10", same.clone())), by_number(&credit));
        let path = format!("payments/{payment}");
        let refund = desk.try_refund(&path, "1", one.clone()).is(201).id();
        assert_eq!(conflict(desk.try_refund(&path, "1", same.clone())), by_number(&refund));
        assert_eq!(desk.available(&path), "9");
    }
    let item = office.buyer.stock(&office.shop.counted(0), "5", "10");
    let body = json!({
        "number": fresh("RET-"), "legalEntityId": office.entity, "partyId": office.purchases.party,
        "warehouseId": office.buyer.main, "reason": WHY, "lines": [{ "receiptItemId": item, "quantity": "1" }],
    });
    let send = |number: &Json| office.shop.post("purchases/returns", with(&body, number.clone()));
    let back = send(&one).is(201).id();
    assert_eq!(conflict(send(&same)), by_number(&back));
    office.sound();
}

fn a_reference_names_the_document_that_has_it(database: Database) {
    let office = Office::with_books(database);
    let (one, same) = (json!({ "documentReference": "Note-1" }), json!({ "documentReference": "note-1" }));
    for desk in office.desks() {
        let [first, second] = ["1", "2"].map(|amount| desk.request(amount, json!({})));
        desk.recognize(&first, one.clone()).is(200);
        assert_eq!(conflict(desk.recognize(&second, same.clone())), by_reference(id(&first)));
    }
    let desk = &office.purchases;
    let [first, second] = ["1", "2"].map(|amount| desk.owe_draft(amount));
    desk.try_issue(&first, one).is(200);
    assert_eq!(conflict(desk.try_issue(&second, same)), by_reference(&first));
    office.sound();
}

fn a_draft_that_moves_to_a_supplier_meets_his_numbers(database: Database) {
    let office = Office::new(database);
    let desk = &office.purchases;
    let number = json!({ "number": "Nr-1" });
    let his = desk.try_draft(json!([]), number.clone()).is(201).id();
    let other = Desk { party: office.shop.new_supplier(), ..desk.clone() };
    let draft = other.try_draft(json!([]), number).is(201).id();
    let moved = other.replace(&draft, json!([]), json!({ "partyId": desk.party }));
    assert_eq!(conflict(moved), by_number(&his));
    other.replace(&draft, json!([]), json!({})).is(200);
}

fn a_document_that_the_caller_may_not_read_is_not_named(database: Database) {
    let office = Office::new(database);
    let blind = office.as_person(&office.shop.colleague(&["sales.create", "purchases.create"]));
    for (desk, blind) in office.desks().into_iter().zip(blind.desks()) {
        desk.try_draft(json!([]), json!({ "number": "Nr-1" })).is(201);
        let unnamed = ("/number".to_string(), Json::Null);
        assert_eq!(conflict(blind.try_draft(json!([]), json!({ "number": "Nr-1" }))), unnamed);
    }
}
