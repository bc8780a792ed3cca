//! Quotations, their states by the clock, and the orders that they become. [E225]..[E240]

use serde_json::{Value as Json, json};
use stoa_tests::company::with;
use stoa_tests::selling::{Counter, counter};
use stoa_tests::{Answer, Database, at_once, on_both_databases};

on_both_databases![
    e226_an_offer_is_accepted_before_its_instant,
    e227_a_lapsed_offer_is_expired_wherever_it_is_read,
    e228_an_offer_is_accepted_once,
    e231_a_list_without_a_price_leaves_the_offer_open,
    e240_omitted_numbers_are_two,
    a_taken_number_names_the_quotation,
    lists_find_quotations_by_what_is_asked,
];

on_both_databases![
    rules:
    e225_a_price_is_followed_from_quotation_to_delivery,
    e229_a_taken_order_number_leaves_the_offer_open,
    e230_what_was_quoted_is_what_is_sold,
    e232_e233_an_acceptance_needs_a_fitting_warehouse,
    e234_what_was_sent_is_binding,
    e235_a_cancelled_order_leaves_its_quotation_accepted,
    e236_only_an_offer_with_a_future_and_the_expected_total_is_sent,
    e237_a_revision_ends_what_it_revises,
    e238_an_archived_customer_accepts_nothing,
    e239_units_of_a_quotation_are_bounded,
    a_draft_is_replaced_and_keeps_the_ids_of_its_lines,
    offers_are_dropped_refused_withdrawn_and_revised,
];

/// Past, so that what is sent in time has lapsed when it is read.
const SOON: std::time::Duration = std::time::Duration::from_millis(1_500);

fn soon() -> String {
    let time = chrono::Utc::now() + chrono::Duration::from_std(SOON).unwrap();
    time.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

fn one(variant: &str) -> Json {
    json!([{ "variantId": variant, "quantity": "2" }])
}

#[track_caller]
fn draft(counter: &Counter, variant: &str, members: Json) -> String {
    counter.shop.post("sales/quotations", with(&counter.quotation(one(variant)), members)).is(201).id()
}

#[track_caller]
fn step(counter: &Counter, id: &str, verb: &str, version: i64, members: Json) -> Answer {
    let body = with(&json!({ "expectedVersion": version }), members);
    counter.shop.post(&format!("sales/quotations/{id}/{verb}"), body)
}

/// A sent quotation of two pieces.
#[track_caller]
fn send_one(counter: &Counter, variant: &str, members: Json) -> String {
    let id = draft(counter, variant, members);
    assert_eq!(step(counter, &id, "send", 1, json!({})).is(200)["status"], "SENT");
    id
}

#[track_caller]
fn read(counter: &Counter, id: &str) -> Answer {
    counter.shop.get(&format!("sales/quotations/{id}")).is(200)
}

fn e225_a_price_is_followed_from_quotation_to_delivery(database: Database) {
    let counter = counter(database);
    let variant = counter.shop.counted(0);
    let price = counter.price(&variant, "10");
    counter.shop.stock_up(&counter.main, &variant, "5");
    let items = json!([{ "variantId": variant, "quantity": "2", "unitPrice": "9", "priceReason": "first order" }]);
    let id = counter.shop.post("sales/quotations", counter.quotation(items)).is(201).id();
    step(&counter, &id, "send", 1, json!({})).is(200);
    let quoted = read(&counter, &id)["items"][0].clone();
    let accepted = step(&counter, &id, "accept", 2, json!({})).is(201);
    let order = accepted.text("orderId");
    let same = |counter: &Counter| {
        let line = counter.read(&order)["items"][0].clone();
        for name in ["unitPrice", "listUnitPrice", "priceReason", "priceOrigin", "priceId", "lineTotal"] {
            assert_eq!(line[name], quoted[name], "{name}");
        }
    };
    assert_eq!(quoted["priceOrigin"], "QUOTATION");
    same(&counter);
    counter.confirm(&order).is(200);
    same(&counter);
    // The agreed prices belong to the order: the list may move.
    counter.reprice(&price, &variant, "50");
    counter.complete(&order).is(200);
    same(&counter);
    let order = counter.read(&order);
    assert_eq!((&order["quotationId"], &order["total"]), (&json!(id), &json!("18.000000000000")));
    assert_eq!(read(&counter, &id)["orderId"], order["id"]);
    assert_eq!(counter.sale_kinds(), ["sale.created", "sale.confirmed", "sale.completed"]);
    counter.shop.verified();
}

/// To the millisecond it is the module's own test.
fn e226_an_offer_is_accepted_before_its_instant(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let [open, late] = ["2999-12-31T23:59:59.999Z".to_string(), soon()]
        .map(|until| send_one(&counter, &variant, json!({ "validUntil": until })));
    step(&counter, &open, "accept", 2, json!({})).is(201);
    std::thread::sleep(SOON);
    step(&counter, &late, "accept", 2, json!({})).refused(409, "QUOTATION_EXPIRED");
    assert_eq!(counter.sale_kinds(), ["sale.created"]);
}

fn e227_a_lapsed_offer_is_expired_wherever_it_is_read(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let until = soon();
    let id = send_one(&counter, &variant, json!({ "validUntil": until }));
    let open = send_one(&counter, &variant, json!({}));
    std::thread::sleep(SOON);
    let lapsed = read(&counter, &id);
    assert_eq!(
        (&lapsed["status"], &lapsed["expiredAt"], &lapsed["version"]),
        (&json!("EXPIRED"), &json!(until), &json!(2))
    );
    let found = |status: &str| counter.shop.list("sales/quotations", &[("status", status)]).is(200).ids();
    assert_eq!((found("EXPIRED"), found("SENT")), (vec![id.clone()], vec![open]));
    step(&counter, &id, "accept", 2, json!({})).refused(409, "QUOTATION_EXPIRED");
    step(&counter, &id, "reject", 2, json!({ "reason": "no" })).refused(409, "ILLEGAL_STATE");
    let again = step(&counter, &id, "revise", 2, json!({})).is(201);
    assert_eq!(read(&counter, &again.id())["revisionOf"], json!(id));
    // The revision has ended what it revises.
    step(&counter, &id, "expire", 3, json!({})).refused(409, "ILLEGAL_STATE");
    let other = send_one(&counter, &variant, json!({ "validUntil": soon() }));
    std::thread::sleep(SOON);
    assert_eq!(step(&counter, &other, "expire", 2, json!({})).is(200)["status"], "EXPIRED");
    counter.shop.verified();
}

fn e228_an_offer_is_accepted_once(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let id = send_one(&counter, &variant, json!({}));
    let answers = at_once(2, |_| step(&counter, &id, "accept", 2, json!({})));
    let won = answers.iter().filter(|answer| answer.status == 201).count();
    let conflicts = answers.iter().filter(|answer| answer.body["code"] == "VERSION_CONFLICT").count();
    assert_eq!((won, conflicts), (1, 1));
    assert_eq!(counter.shop.list("sales/orders", &[("quotationId", &id)]).is(200).items().len(), 1);
    counter.shop.verified();
}

fn e229_a_taken_order_number_leaves_the_offer_open(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let first = with(&counter.order(one(&variant)), json!({ "number": "A-1" }));
    let first = counter.shop.post("sales/orders", first).is(201).id();
    let id = send_one(&counter, &variant, json!({}));
    let taken = step(&counter, &id, "accept", 2, json!({ "orderNumber": "a-1" })).refused(409, "DUPLICATE");
    assert_eq!(taken.at("/orderNumber").errors()[0]["conflictsWith"], json!(first));
    let open = read(&counter, &id);
    assert_eq!((&open["status"], &open["version"]), (&json!("SENT"), &json!(2)));
}

fn e230_what_was_quoted_is_what_is_sold(database: Database) {
    let counter = counter(database);
    let variant = counter.shop.counted(0);
    let price = counter.price(&variant, "10");
    let id = send_one(&counter, &variant, json!({}));
    counter.reprice(&price, &variant, "12");
    let order = step(&counter, &id, "accept", 2, json!({})).is(201).text("orderId");
    let figures = || {
        let line = counter.read(&order)["items"][0].clone();
        ["unitPrice", "priceNegotiated", "listUnitPrice", "discountAmount", "priceOrigin"]
            .map(|name| line[name].clone())
    };
    let negotiated = [json!("10.000000"), json!(true), json!("12.000000"), json!("2.000000"), json!("QUOTATION")];
    assert_eq!(figures(), negotiated);
    counter.reprice(&price, &variant, "10");
    counter.step(&order, "refresh-prices", 1, json!({})).is(200);
    assert_eq!(figures(), [json!("10.000000"), json!(false), Json::Null, Json::Null, Json::Null]);
    // A replacement that states the quoted price goes on with what was quoted; another price is the order's own.
    counter.reprice(&price, &variant, "12");
    for (version, stated, origin) in [(2, "10", "QUOTATION"), (3, "11", "SALES_ORDER")] {
        let items = json!([{ "variantId": variant, "quantity": "2", "unitPrice": stated }]);
        let body = with(&counter.order(items), json!({ "expectedVersion": version }));
        counter.shop.put(&format!("sales/orders/{order}"), body).is(200);
        assert_eq!(figures()[4], origin, "{stated}");
    }
    counter.shop.verified();
}

fn e231_a_list_without_a_price_leaves_the_offer_open(database: Database) {
    let counter = counter(database);
    let variant = counter.shop.counted(0);
    let price = counter.price(&variant, "10");
    let id = send_one(&counter, &variant, json!({}));
    counter.shop.archive(&price).is(200);
    let refused = step(&counter, &id, "accept", 2, json!({})).refused(409, "REFERENCE_INVALID");
    refused.fault("/items/0/variantId", "PRICE_NOT_IN_EFFECT");
    assert_eq!(read(&counter, &id)["status"], "SENT");
}

fn e232_e233_an_acceptance_needs_a_fitting_warehouse(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let id = send_one(&counter, &variant, json!({ "warehouseId": null }));
    let accept = |members: Json| step(&counter, &id, "accept", 2, members);
    accept(json!({})).refused(409, "ILLEGAL_STATE").fault("/warehouseId", "REQUIRED");
    let other = counter.shop.warehouse_of("PHYSICAL", &counter.shop.other_entity());
    let quarantine = counter.shop.warehouse("QUARANTINE");
    for (warehouse, why) in [(other, "OTHER_ENTITY"), (quarantine, "NOT_NORMAL")] {
        accept(json!({ "warehouseId": warehouse })).refused(409, "REFERENCE_INVALID").fault("/warehouseId", why);
    }
    accept(json!({ "warehouseId": counter.customer })).refused(404, "NOT_FOUND").at("/warehouseId");
    accept(json!({ "warehouseId": counter.main })).is(201);
}

fn e234_what_was_sent_is_binding(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let id = send_one(&counter, &variant, json!({}));
    step(&counter, &id, "send", 2, json!({})).refused(409, "ILLEGAL_STATE");
    let body = with(&counter.quotation(one(&variant)), json!({ "expectedVersion": 2 }));
    counter.shop.put(&format!("sales/quotations/{id}"), body).refused(409, "ILLEGAL_STATE");
}

fn e235_a_cancelled_order_leaves_its_quotation_accepted(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let id = send_one(&counter, &variant, json!({}));
    let order = step(&counter, &id, "accept", 2, json!({})).is(201).text("orderId");
    counter.cancel(&order, 1).is(200);
    assert_eq!(read(&counter, &id)["status"], "ACCEPTED");
    step(&counter, &id, "accept", 3, json!({})).refused(409, "ILLEGAL_STATE");
    counter.shop.verified();
}

fn e236_only_an_offer_with_a_future_and_the_expected_total_is_sent(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let past = draft(&counter, &variant, json!({ "validUntil": "2020-01-01T00:00:00Z" }));
    step(&counter, &past, "send", 1, json!({})).refused(409, "QUOTATION_EXPIRED");
    let id = draft(&counter, &variant, json!({}));
    step(&counter, &id, "send", 1, json!({ "expectedTotal": "20.000000000001" })).refused(409, "TOTAL_CHANGED");
    let still = read(&counter, &id);
    assert_eq!((&still["status"], &still["version"]), (&json!("DRAFT"), &json!(1)));
    step(&counter, &id, "send", 1, json!({ "expectedTotal": "20" })).is(200);
}

fn e237_a_revision_ends_what_it_revises(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let id = send_one(&counter, &variant, json!({}));
    let taken = read(&counter, &id).text("number");
    step(&counter, &id, "revise", 2, json!({ "number": taken })).refused(409, "DUPLICATE").at("/number");
    assert_eq!(read(&counter, &id)["status"], "SENT", "neither");
    let new = step(&counter, &id, "revise", 2, json!({})).is(201);
    assert_eq!((&new["status"], &new["version"]), (&json!("DRAFT"), &json!(1)));
    assert_eq!(read(&counter, &id)["status"], "EXPIRED", "both");
}

fn e238_an_archived_customer_accepts_nothing(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let id = send_one(&counter, &variant, json!({}));
    counter.shop.archive(&format!("sales/customers/{}", counter.customer)).is(200);
    step(&counter, &id, "accept", 2, json!({})).refused(409, "ARCHIVED").at("/customerId");
}

fn e239_units_of_a_quotation_are_bounded(database: Database) {
    let counter = counter(database);
    let ((one, _), (two, _)) = (counter.phone("10", 0), counter.phone("10", 0));
    let quote = |quantity: &str| {
        let items = json!([{ "variantId": one, "quantity": "60" }, { "variantId": two, "quantity": quantity }]);
        counter.shop.post("sales/quotations", counter.quotation(items))
    };
    quote("41").refused(409, "LIMIT_EXCEEDED").at("/items");
    quote("40").is(201);
}

fn e240_omitted_numbers_are_two(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let create = |_| counter.shop.post("sales/quotations", counter.quotation(one(&variant))).is(201).text("number");
    let numbers = at_once(2, create);
    assert!(numbers[0] != numbers[1] && numbers.iter().all(|number| number.starts_with("QT-")), "{numbers:?}");
}

fn a_draft_is_replaced_and_keeps_the_ids_of_its_lines(database: Database) {
    let counter = counter(database);
    let (variant, other) = (counter.good("10", "0"), counter.good("20", "0"));
    let id = draft(&counter, &variant, json!({}));
    let path = format!("sales/quotations/{id}");
    let put = |version: i64, items: Json, members: Json| {
        let body = with(&counter.quotation(items), json!({ "expectedVersion": version }));
        counter.shop.put(&path, with(&body, members))
    };
    let line = read(&counter, &id)["items"][0]["id"].clone();
    put(1, one(&variant), json!({ "number": "OTHER" })).refused(409, "IMMUTABLE_FIELD").at("/number");
    put(1, one(&other), json!({ "notes": "instead" })).is(200);
    let replaced = read(&counter, &id);
    assert_eq!((&replaced["total"], &replaced["notes"]), (&json!("40.000000000000"), &json!("instead")));
    let both = json!([{ "variantId": other, "quantity": "1" }, { "variantId": variant, "quantity": "1" }]);
    put(2, both, json!({})).is(200);
    let replaced = read(&counter, &id);
    assert_eq!(
        (&replaced["items"][1]["id"], &replaced["notes"], &replaced["version"]),
        (&line, &Json::Null, &json!(3))
    );
    put(2, one(&variant), json!({})).refused(409, "VERSION_CONFLICT");
    counter.shop.verified();
}

fn a_taken_number_names_the_quotation(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let taken = draft(&counter, &variant, json!({ "number": "QT-A" }));
    let named = |refused: Answer| refused.refused(409, "DUPLICATE").at("/number").errors()[0]["conflictsWith"].clone();
    let again = with(&counter.quotation(one(&variant)), json!({ "number": "qt-a" }));
    assert_eq!(named(counter.shop.post("sales/quotations", again)), json!(taken));
    let sent = send_one(&counter, &variant, json!({}));
    assert_eq!(named(step(&counter, &sent, "revise", 2, json!({ "number": "qt-a" }))), json!(taken));
}

fn offers_are_dropped_refused_withdrawn_and_revised(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let why = json!({ "reason": "too dear" });
    let dropped = draft(&counter, &variant, json!({}));
    assert_eq!(step(&counter, &dropped, "reject", 1, why.clone()).is(200)["status"], "REJECTED");
    let refused = send_one(&counter, &variant, json!({}));
    step(&counter, &refused, "reject", 2, why.clone()).is(200);
    let seen = read(&counter, &refused);
    assert!(seen["closeReason"] == "too dear" && seen["rejectedAt"].is_string(), "{seen}");
    step(&counter, &refused, "reject", 3, why).refused(409, "ILLEGAL_STATE");
    step(&counter, &refused, "accept", 3, json!({})).refused(409, "ILLEGAL_STATE");
    let withdrawn = send_one(&counter, &variant, json!({}));
    step(&counter, &withdrawn, "expire", 2, json!({ "reason": "sold out" })).is(200);
    let seen = read(&counter, &withdrawn);
    assert!(
        seen["status"] == "EXPIRED" && seen["expiredAt"].is_string() && seen["closeReason"] == "sold out",
        "{seen}"
    );
    // A refused quotation may be offered again: a draft with the same lines, and the refused one stays refused.
    let again = step(&counter, &refused, "revise", 3, json!({})).is(201).id();
    let revised = read(&counter, &again);
    assert_eq!((&revised["status"], &revised["revisionOf"]), (&json!("DRAFT"), &json!(refused)));
    assert_eq!((&revised["items"][0]["quantity"], &revised["total"]), (&json!("2.000000"), &json!("20.000000000000")));
    assert_eq!(read(&counter, &refused)["status"], "REJECTED");
    step(&counter, &again, "revise", 1, json!({})).refused(409, "ILLEGAL_STATE");
    assert!(counter.sale_kinds().is_empty(), "no event has a kind for quotations");
    counter.shop.verified();
}

fn lists_find_quotations_by_what_is_asked(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let open = draft(&counter, &variant, json!({ "number": "OFFER-7", "notes": "for us" }));
    let sent = send_one(&counter, &variant, json!({ "validUntil": "2999-01-01T00:00:00Z" }));
    let found = |query: &[(&str, &str)]| counter.shop.list("sales/quotations", query).is(200).ids();
    for (query, expected) in [
        (vec![("status", "SENT")], vec![&sent]),
        (vec![("text", "offer-")], vec![&open]),
        (vec![("customerId", counter.customer.as_str()), ("currencyCode", "EUR")], vec![&open, &sent]),
        (vec![("legalEntityId", counter.customer.as_str())], vec![]),
        (vec![("validFrom", "2999-01-01T00:00:00Z"), ("validTo", "2999-01-01T00:00:00Z")], vec![&sent]),
        (vec![("totalMin", "20"), ("totalMax", "20")], vec![&open, &sent]),
        (vec![("totalMin", "20.000000000001")], vec![]),
        (vec![("to", "2020-01-01T00:00:00Z")], vec![]),
        (vec![("updatedSince", "2999-01-01T00:00:00Z")], vec![]),
    ] {
        assert_eq!(found(&query), expected.into_iter().cloned().collect::<Vec<_>>(), "{query:?}");
    }
    let key = counter.shop.machine(&["sales.read"]);
    let seen = key.get(&format!("sales/quotations/{open}")).is(200);
    assert!(seen.body.get("notes").is_none() && seen.body.get("tenantId").is_none(), "{seen}");
    let header = counter.shop.list("sales/quotations", &[("text", "OFFER-7")]).is(200).items()[0].clone();
    assert!(header["items"].is_null() && header["itemCount"] == 1, "{header}");
}
