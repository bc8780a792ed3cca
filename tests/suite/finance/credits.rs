//! Credits of both sides, and corrections of what goods cost. [F49] to [F59]

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Office, id};
use stoa_tests::books::day;
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::WHY;
use stoa_tests::purchases::{fresh_serials, line, serials};
use stoa_tests::{Answer, Database, on_both_databases};

on_both_databases![f56_units_are_corrected_where_they_are, a_credit_pays_invoices, lists_find_credits,];

on_both_databases![
    rules:
    f49_a_requested_credit_is_worth_nothing,
    f50_a_recognition_is_approved,
    f51_credits_of_an_invoice_stay_below_it,
    f52_what_a_correction_may_say,
    f53_a_correction_follows_the_goods,
    f54_a_whole_cost_is_corrected,
    f57_naming_goods_moves_nothing,
    f58_services_have_no_cost,
    f59_what_a_void_gives_back,
    a_document_recognises_one_credit,
    a_credit_names_what_fits,
    a_requested_credit_is_replaced,
    every_reason_posts_where_it_should,
    goods_that_are_gone_are_corrected_there,
    e278_a_credit_is_independent_of_the_return,
];

fn f49_a_requested_credit_is_worth_nothing(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let invoice = desk.owe("30");
        let before = office.balances();
        let credit = desk.request("10", json!({}));
        desk.apply(&credit, &[(&invoice, "1")]).refused(409, "ILLEGAL_STATE");
        desk.try_refund(&credit, "1", json!({})).refused(409, "ILLEGAL_STATE");
        let read = desk.read(&credit);
        assert_eq!((&read["status"], &read["available"]), (&json!("REQUESTED"), &Json::Null));
        assert_eq!(office.balances(), before);
    }
    office.sound();
}

fn f50_a_recognition_is_approved(database: Database) {
    let office = Office::new(database);
    let writers = ["sales.read", "sales.create", "purchases.read", "purchases.create"];
    let writer = office.as_person(&office.shop.colleague(&writers));
    for desk in writer.desks() {
        let credit = desk.request("10", json!({}));
        desk.recognize(&credit, json!({})).refused(403, "PERMISSION_DENIED");
        desk.void(&credit, json!({})).refused(403, "PERMISSION_DENIED");
    }
    for desk in office.desks() {
        let credit = desk.request("10", json!({}));
        desk.recognize(&credit, json!({ "expectedVersion": 2 })).refused(409, "VERSION_CONFLICT");
        desk.recognize(&credit, json!({})).is(200);
        desk.recognize(&credit, json!({})).refused(409, "ILLEGAL_STATE");
    }
}

fn f51_credits_of_an_invoice_stay_below_it(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let invoice = desk.owe("100");
        let credit = |amount: &str| desk.request(amount, json!({ "originInvoiceId": invoice }));
        let (one, two) = (credit("60"), credit("40.000001"));
        desk.recognize(&one, json!({})).is(200);
        desk.recognize(&two, json!({})).refused(409, "LIMIT_EXCEEDED").fault("/amount", "EXCEEDS_INVOICE");
        desk.recognize(&credit("40"), json!({})).is(200);
    }
    office.sound();
}

/// A line of a receipt of this variant, and the order that it came of.
#[track_caller]
fn receive(office: &Office, variant: &str, quantity: &str, cost: &str) -> String {
    office.buyer.stock(variant, quantity, cost)
}

/// A request for a correction of these lines: receipt item, unit, amount.
fn correction(lines: &[(&str, Option<&str>, &str)]) -> Json {
    let lines: Vec<Json> = lines
        .iter()
        .map(|(item, unit, amount)| json!({ "receiptItemId": item, "inventoryUnitId": unit, "amount": amount }))
        .collect();
    json!({ "reasonType": "COST_CORRECTION", "costLines": lines })
}

fn f52_what_a_correction_may_say(database: Database) {
    let office = Office::new(database);
    let item = receive(&office, &office.shop.counted(0), "3", "10");
    let lines = correction(&[(&item, None, "5")]);
    office.sales.try_request("5", lines.clone()).refused(400, "VALIDATION_FAILED").fault("/reasonType", "NOT_ALLOWED");
    let desk = &office.purchases;
    let refused = |amount: &str, members: Json, pointer: &str, code: &str| {
        desk.try_request(amount, members).refused(400, "VALIDATION_FAILED").fault(pointer, code);
    };
    refused("5.000001", lines.clone(), "/costLines", "SUM_MISMATCH");
    refused("5", json!({ "reasonType": "COST_CORRECTION" }), "/costLines", "REQUIRED");
    refused("5", with(&lines, json!({ "reasonType": "BONUS" })), "/costLines", "NOT_ALLOWED");
    refused("10", correction(&[(&item, None, "5"), (&item, None, "5")]), "/costLines/1", "REPEATED");
    refused("5", correction(&[(&item, None, "0")]), "/costLines/0/amount", "FORMAT");
    let ids: Vec<String> = (0..51).map(|_| uuid::Uuid::now_v7().to_string()).collect();
    let many: Vec<(&str, Option<&str>, &str)> = ids.iter().map(|id| (id.as_str(), None, "1")).collect();
    refused("51", correction(&many), "/costLines", "TOO_MANY");
    let returned = json!({ "supplierReturnId": uuid::Uuid::now_v7() });
    office.sales.try_request("5", returned).refused(400, "VALIDATION_FAILED").fault("/supplierReturnId", "NOT_ALLOWED");
}

/// W3: of three at 33.333333 one is sold, then 10 are taken off.
fn f53_a_correction_follows_the_goods(database: Database) {
    let office = Office::with_books(database);
    let desk = &office.purchases;
    let variant = office.shop.counted(0);
    office.counter.price(&variant, "50");
    let item = receive(&office, &variant, "3", "33.333333");
    office.counter.deliver(json!([{ "variantId": variant, "quantity": "1" }]));
    let credit = desk.request("10", correction(&[(&item, None, "10")]));
    desk.recognize(&credit, json!({})).is(200);
    assert_eq!(office.entries(id(&credit)), ["RECOGNITION: 1150 +10, 1200 -6.666666, 5000 -3.333334"]);
    assert_eq!(office.shop.worth(&variant), "60.000000000000");
    assert_eq!(desk.available(&credit), "10");
    let read = desk.read(&credit);
    assert_eq!(read["costLines"][0], json!({ "receiptItemId": item, "inventoryUnitId": null, "amount": "10.000000" }));
    office.sound();
}

fn f54_a_whole_cost_is_corrected(database: Database) {
    let office = Office::with_books(database);
    let desk = &office.purchases;
    let variant = office.shop.counted(0);
    office.counter.price(&variant, "50");
    let item = receive(&office, &variant, "3", "33.333333");
    let correct = |amount: &str| {
        let credit = desk.request(amount, correction(&[(&item, None, amount)]));
        desk.recognize(&credit, json!({}))
    };
    correct("100").refused(409, "LIMIT_EXCEEDED").fault("/costLines/0/amount", "EXCEEDS_COST");
    correct("99.999999").is(200);
    assert_eq!(office.shop.worth(&variant), "0.000000000000");
    correct("0.000001").refused(409, "LIMIT_EXCEEDED").at("/costLines/0/amount");
    let order = office.counter.deliver(json!([{ "variantId": variant, "quantity": "2" }]));
    assert_eq!(office.entries(&order), ["DELIVERY: 1160 +100, 4000 -100"], "goods worth nothing post no cost");
    office.sound();
}

fn f56_units_are_corrected_where_they_are(database: Database) {
    let office = Office::with_books(database);
    let (buyer, desk) = (&office.buyer, &office.purchases);
    let phone = office.shop.phone();
    office.counter.price(&phone, "300");
    let order = buyer.place(json!([line(&phone, "2", "100")]));
    let receipt = order.receive(json!([order.units(0, serials(&fresh_serials(2)))])).is(201).id();
    let item = buyer.receipt(&receipt)["items"][0]["id"].as_str().expect("an item").to_string();
    let units = office.shop.list("inventory/units", &[("variantId", &phone)]).is(200).ids();
    office.counter.deliver(json!([{ "variantId": phone, "quantity": "1", "unitIds": units[..1] }]));
    let sold = (item.as_str(), Some(units[0].as_str()), "30");
    let held = (item.as_str(), Some(units[1].as_str()), "20");
    let credit = desk.request("50", correction(&[sold, held]));
    desk.recognize(&credit, json!({})).is(200);
    assert_eq!(office.entries(id(&credit)), ["RECOGNITION: 1150 +50, 1200 -20, 5000 -30"]);
    assert_eq!(office.shop.worth(&phone), "80.000000000000");
    let refused = |line: (&str, Option<&str>, &str)| {
        desk.try_request(line.2, correction(&[line]))
            .refused(409, "REFERENCE_INVALID")
            .fault("/costLines/0/inventoryUnitId", "REFERENCE_INVALID");
    };
    refused((&item, None, "1"));
    let stranger = office.shop.admit(&phone, &buyer.main, 1).remove(0);
    refused((&item, Some(&stranger), "1"));
    let boxes = receive(&office, &office.shop.counted(0), "3", "10");
    refused((&boxes, Some(&units[1]), "1"));
    office.sound();
}

fn f57_naming_goods_moves_nothing(database: Database) {
    let office = Office::with_books(database);
    let (phone, units) = office.counter.phone("300", 1);
    let before = office.shop.serial_unit(&units[0]);
    for desk in office.desks() {
        let credit = desk.request("10", json!({ "variantId": phone, "inventoryUnitId": units[0] }));
        desk.recognize(&credit, json!({})).is(200);
        assert_eq!(desk.read(&credit)["inventoryUnitId"], json!(units[0]));
    }
    assert_eq!(office.shop.serial_unit(&units[0]).body, before.body);
    assert_eq!(office.shop.worth(&phone), "100.000000000000");
    let gone = json!({ "variantId": uuid::Uuid::now_v7(), "inventoryUnitId": uuid::Uuid::now_v7() });
    let refused = office.sales.try_request("10", gone).refused(404, "NOT_FOUND");
    assert_eq!(refused.pointers(), ["/variantId", "/inventoryUnitId"]);
    office.sound();
}

fn f58_services_have_no_cost(database: Database) {
    let office = Office::new(database);
    let desk = &office.purchases;
    let refused = |item: &str, entity: &str, party: &str| -> Answer {
        let members = with(&correction(&[(item, None, "1")]), json!({ "legalEntityId": entity, "partyId": party }));
        desk.try_request("1", members)
            .refused(409, "REFERENCE_INVALID")
            .fault("/costLines/0/receiptItemId", "REFERENCE_INVALID")
    };
    for variant in [office.shop.service(), office.shop.good_without_stock()] {
        refused(&receive(&office, &variant, "3", "10"), &office.entity, &desk.party);
    }
    let boxes = receive(&office, &office.shop.counted(0), "3", "10");
    refused(&boxes, &office.shop.other_entity(), &desk.party);
    refused(&boxes, &office.entity, &office.shop.new_supplier());
    let gone = uuid::Uuid::now_v7().to_string();
    desk.try_request("1", correction(&[(&gone, None, "1")])).refused(404, "NOT_FOUND").at("/costLines/0/receiptItemId");
}

fn f59_what_a_void_gives_back(database: Database) {
    let office = Office::with_books(database);
    let item = receive(&office, &office.shop.counted(0), "3", "10");
    let corrected = office.purchases.request("6", correction(&[(&item, None, "6")]));
    office.purchases.recognize(&corrected, json!({})).is(200);
    office.purchases.void(&corrected, json!({})).refused(409, "ILLEGAL_STATE");
    for desk in office.desks() {
        let before = office.balances();
        let untouched = desk.grant("10");
        desk.void(&untouched, json!({ "voidedOn": day(-1) }))
            .refused(409, "ILLEGAL_STATE")
            .fault("/voidedOn", "DATE_BEFORE_DOCUMENT");
        desk.void(&untouched, json!({})).is(200);
        assert_eq!(office.entries(id(&untouched)).len(), 2);
        let requested = desk.request("10", json!({}));
        desk.void(&requested, json!({})).is(200);
        assert!(office.entries(id(&requested)).is_empty());
        assert_eq!(office.balances(), before);
        let applied = desk.grant("10");
        desk.apply(&applied, &[(&desk.owe("1"), "1")]).is(201);
        desk.void(&applied, json!({})).refused(409, "ILLEGAL_STATE");
    }
    office.sound();
}

fn a_document_recognises_one_credit(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let reference = json!({ "documentReference": fresh("Note-") });
        let (one, two) = (desk.request("1", json!({})), desk.request("2", json!({})));
        desk.recognize(&one, reference.clone()).is(200);
        desk.recognize(&two, reference.clone()).refused(409, "DUPLICATE").at("/documentReference");
        desk.void(&one, json!({ "reason": WHY })).is(200);
        desk.recognize(&two, reference).is(200);
        desk.try_request("1", json!({ "number": desk.read(&one)["number"] })).refused(409, "DUPLICATE").at("/number");
    }
}

fn a_credit_names_what_fits(database: Database) {
    let office = Office::new(database);
    let other = office.shop.other_entity();
    for desk in office.desks() {
        let invoice = desk.owe("100");
        let draft = desk.draft(json!([]));
        let refused = |members: Json| {
            desk.try_request("1", members).refused(409, "REFERENCE_INVALID").at("/originInvoiceId");
        };
        refused(json!({ "originInvoiceId": draft }));
        refused(json!({ "originInvoiceId": invoice, "legalEntityId": other }));
        refused(json!({ "originInvoiceId": invoice, "currencyCode": "USD" }));
        let gone = json!({ "originInvoiceId": uuid::Uuid::now_v7() });
        desk.try_request("1", gone).refused(404, "NOT_FOUND").at("/originInvoiceId");
    }
    let across = json!({ "originInvoiceId": office.purchases.owe("1") });
    office.sales.try_request("1", across).refused(409, "REFERENCE_INVALID").at("/originInvoiceId");
}

fn a_requested_credit_is_replaced(database: Database) {
    let office = Office::new(database);
    let item = receive(&office, &office.shop.counted(0), "3", "10");
    let desk = &office.purchases;
    let made = with(&desk.credit("6"), correction(&[(&item, None, "6")]));
    let credit = desk.shop.post("purchases/credit-notes", made.clone()).is(201).id();
    let path = format!("purchases/credit-notes/{credit}");
    let put = |members: Json| {
        desk.shop.put(&path, with(&with(&made, json!({ "expectedVersion": 1, "costLines": null })), members))
    };
    let bonus = json!({ "reasonType": "BONUS", "amount": "7", "reason": "for the year" });
    put(with(&bonus, json!({ "number": "ANOTHER" }))).refused(409, "IMMUTABLE_FIELD").at("/number");
    put(bonus.clone()).is(200);
    let read = desk.read(&format!("credit-notes/{credit}"));
    assert_eq!((&read["amount"], &read["costLines"], &read["version"]), (&json!("7.000000"), &json!([]), &json!(2)));
    put(bonus).refused(409, "VERSION_CONFLICT");
    desk.recognize(&format!("credit-notes/{credit}"), json!({})).is(200);
    put(json!({ "reasonType": "BONUS", "expectedVersion": 3 })).refused(409, "ILLEGAL_STATE");
}

fn a_credit_pays_invoices(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let invoice = desk.owe("30");
        let credit = desk.grant("20");
        desk.apply(&credit, &[(&invoice, "20.000001")])
            .refused(409, "LIMIT_EXCEEDED")
            .fault("/applications/0/amount", "EXCEEDS_AVAILABLE");
        desk.apply(&credit, &[(&invoice, "12")]).is(201);
        assert_eq!((desk.balance(&invoice), desk.available(&credit)), ("18".to_string(), "8".to_string()));
        let rows = desk.shop.all(&desk.at(&format!("{credit}/applications")), &[]);
        assert_eq!((&rows[0]["creditId"], &rows[0]["paymentId"]), (&json!(id(&credit)), &Json::Null));
    }
    office.sound();
}

/// P17 to P19.
fn every_reason_posts_where_it_should(database: Database) {
    let office = Office::with_books(database);
    let post = |desk: &stoa_tests::billing::Desk, reason: &str| {
        let credit = desk.request("10", json!({ "reasonType": reason }));
        desk.recognize(&credit, json!({})).is(200);
        office.entries(id(&credit)).remove(0)
    };
    for reason in ["RETURN", "PRICE_ADJUSTMENT", "AGREEMENT", "BONUS", "OTHER"] {
        assert_eq!(post(&office.sales, reason), "RECOGNITION: 4100 +10, 2050 -10", "{reason}");
        let other = if reason == "RETURN" { "5130" } else { "5120" };
        assert_eq!(post(&office.purchases, reason), format!("RECOGNITION: 1150 +10, {other} -10"), "{reason}");
    }
    office.sound();
}

/// P20: of ten pieces at 1, one each was damaged, lost, adjusted out and sent back; 10 halves what each costs.
fn goods_that_are_gone_are_corrected_there(database: Database) {
    let office = Office::with_books(database);
    let desk = &office.purchases;
    let variant = office.shop.counted(0);
    let item = receive(&office, &variant, "5", "2");
    for kind in ["DAMAGE", "LOSS", "ADJUSTMENT_OUT"] {
        office.shop.take(kind, &variant, &office.buyer.main, "1").is(201);
    }
    let body = json!({
        "number": fresh("RET-"), "legalEntityId": office.entity, "partyId": desk.party,
        "warehouseId": office.buyer.main, "reason": WHY, "lines": [{ "receiptItemId": item, "quantity": "1" }],
    });
    let back = office.shop.post("purchases/returns", body).is(201).id();
    office.shop.post(&format!("purchases/returns/{back}/ship"), json!({ "expectedVersion": 1 })).is(200);
    let credit = desk.request("5", correction(&[(&item, None, "5")]));
    desk.recognize(&credit, json!({})).is(200);
    assert_eq!(office.entries(id(&credit)), ["RECOGNITION: 1150 +5, 1200 -1, 5130 -1, 5200 -1, 5210 -1, 5220 -1"]);
    office.sound();
}

fn lists_find_credits(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let invoice = desk.owe("100");
        let requested = desk.request("10", json!({ "reasonType": "BONUS", "reason": "For the Year" }));
        let granted = desk.request("20", json!({ "originInvoiceId": invoice }));
        desk.recognize(&granted, json!({})).is(200);
        let find = |query: &[(&str, &str)]| desk.shop.list(&desk.at("credit-notes"), query).is(200).ids();
        assert_eq!(find(&[("reasonType", "BONUS")]), [id(&requested)]);
        assert_eq!(find(&[("originInvoiceId", &invoice)]), [id(&granted)]);
        assert_eq!(find(&[("status", "RECOGNIZED"), ("from", &day(0)), ("to", &day(0))]), [id(&granted)]);
        assert_eq!(find(&[("text", "for the year")]), [id(&requested)]);
        assert_eq!(find(&[("totalMax", "19.999999")]), [id(&requested)]);
    }
}

/// Before the goods come back, after it, and where they never do.
fn e278_a_credit_is_independent_of_the_return(database: Database) {
    let office = Office::with_books(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let variant = counter.good("50", "9");
    for way in ["before", "after", "without"] {
        let order = counter.deliver(json!([{ "variantId": variant, "quantity": "1" }]));
        let item = counter.read(&order)["items"][0]["id"].clone();
        let invoice = desk.issue(json!([{ "orderItemId": item, "quantity": "1" }]));
        let bring_back = || {
            let body = json!({ "orderId": order, "reason": WHY, "items": [{ "itemId": item, "quantity": "1" }] });
            let id = office.shop.post("sales/returns", body).is(201).id();
            office.shop.post(&format!("sales/returns/{id}/receive"), json!({ "expectedVersion": 1 })).is(200);
        };
        if way == "after" {
            bring_back();
        }
        let credit = desk.request("50", json!({ "originInvoiceId": invoice }));
        desk.recognize(&credit, json!({})).is(200);
        if way == "before" {
            bring_back();
        }
        assert_eq!((desk.available(&credit).as_str(), office.entries(id(&credit)).len()), ("50", 1), "{way}");
        assert_eq!(desk.balance(&invoice), "50", "{way}: a credit pays what it is applied to");
    }
    assert_eq!(
        office.shop.figure(&variant, &counter.main, "available"),
        "8.000000",
        "of nine three went and two came back"
    );
    office.sound();
}
