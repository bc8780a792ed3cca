//! Invoices of both sides: what a draft may say, issuing and voiding. [F1] to [F14], [F48]

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office, Trade};
use stoa_tests::books::{day, month_day};
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::WHY;
use stoa_tests::purchases::line;
use stoa_tests::{Database, on_both_databases};

on_both_databases![
    f2_what_a_body_may_not_say,
    f13_a_void_is_not_before_its_invoice,
    d3_what_is_billed_by_the_order_is_not_drafted_of_its_receipts,
    lists_find_invoices,
];

on_both_databases![
    rules:
    f1_a_draft_without_lines_is_not_issued,
    f3_the_sum_alone_must_fit,
    f4_a_number_is_taken_once,
    f5_the_agreed_price_survives,
    f6_only_fitting_orders_are_billed,
    f9_an_invoice_is_issued_once,
    f10_an_issued_invoice_is_frozen,
    f11_when_an_invoice_is_due,
    f12_a_void_gives_back_what_it_billed,
    f14_nothing_owed_is_settled_at_once,
    f48_no_key_writes,
    an_order_is_drafted_as_far_as_it_is_open,
    d2_lines_are_counted_from_one,
    a_draft_of_many_receipts_is_cut_at_what_an_invoice_holds,
    a_draft_of_many_units_is_cut_at_what_an_invoice_names,
    a_draft_is_replaced_whole,
    keys_read_what_they_may,
];

fn f1_a_draft_without_lines_is_not_issued(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let draft = desk.draft(json!([]));
        desk.try_issue(&draft, json!({})).refused(409, "ILLEGAL_STATE").fault("/lines", "LINES_REQUIRED");
    }
}

fn f2_what_a_body_may_not_say(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let many: Vec<Json> = (0..101).map(|_| desk.free("1", "1")).collect();
        let refused = |lines: Json, pointer: &str, code: &str| {
            desk.try_draft(lines, json!({})).refused(400, "VALIDATION_FAILED").fault(pointer, code);
        };
        refused(json!(many), "/lines", "TOO_MANY");
        refused(json!([desk.free("0", "1")]), "/lines/0/quantity", "FORMAT");
        refused(json!([desk.free("1e2", "1")]), "/lines/0/quantity", "FORMAT");
        refused(json!([with(&desk.free("1", "1"), json!({ "quantity": 1 }))]), "/lines/0/quantity", "TYPE");
        let amount = format!("/lines/0/{}", desk.amount_member());
        refused(json!([desk.free("1", "0.1234567")]), &amount, "FORMAT");
        refused(json!([{ "quantity": "1", (desk.amount_member()): "1" }]), "/lines/0/description", "REQUIRED");
        desk.try_draft(json!([]), json!({ "currencyCode": "eur" }))
            .refused(400, "VALIDATION_FAILED")
            .at("/currencyCode");
        let text = json!({ "reference": "4111-1111-1111-1111" });
        let reported = desk.try_draft(json!([]), text).refused(400, "VALIDATION_FAILED");
        reported.clone().fault("/reference", "CARD_NUMBER_REFUSED");
        assert!(!reported.tells("4111"), "{reported}");
    }
    assert_eq!(office.shop.count("finance_invoice", "1 = 1"), 0);
}

fn f3_the_sum_alone_must_fit(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let fine = desk.free("0.001", "0.0001");
        let refused = desk.try_draft(json!([desk.free("1", "1"), fine]), json!({}));
        assert_eq!(refused.refused(409, "AMOUNT_PRECISION").pointers(), ["/lines/1"]);
        let half = desk.free("0.001", "0.0005");
        let draft = desk.draft(json!([half, half]));
        let read = desk.invoice(&draft);
        assert_eq!((&read["total"], &read["lines"][0]["lineTotal"]), (&json!("0.000001"), &json!("0.000000500000")));
    }
}

fn f4_a_number_is_taken_once(database: Database) {
    let office = Office::new(database);
    let numbered = |desk: &Desk, number: &str| desk.try_draft(json!([]), json!({ "number": number }));
    let other = Desk { entity: office.shop.other_entity(), ..office.sales.clone() };
    for desk in office.desks() {
        let first = numbered(desk, "Nr-1").is(201).id();
        numbered(desk, "NR-1").refused(409, "DUPLICATE").at("/number");
        desk.void(&format!("invoices/{first}"), json!({})).is(200);
        numbered(desk, "nr-1").refused(409, "DUPLICATE").at("/number");
    }
    numbered(&other, "Nr-1").is(201);
    let another = Desk { party: office.shop.new_supplier(), ..office.purchases.clone() };
    numbered(&another, "Nr-1").is(201);
    let customer = office.shop.post("sales/customers", json!({ "code": fresh("C-"), "name": "Other" })).is(201).id();
    numbered(&Desk { party: customer, ..office.sales.clone() }, "Nr-1").refused(409, "DUPLICATE").at("/number");
}

fn f5_the_agreed_price_survives(database: Database) {
    let office = Office::new(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let variant = counter.good("12.5", "5");
    let order = counter.draft_of(&variant, "2");
    counter.confirm(&order).is(200);
    let item = counter.read(&order)["items"][0]["id"].clone();
    let line = json!({ "orderItemId": item, "quantity": "2" });
    let dearer = with(&line, json!({ "unitPrice": "12.500001" }));
    desk.try_draft(json!([dearer]), json!({}))
        .refused(409, "IMMUTABLE_FIELD")
        .fault("/lines/0/unitPrice", "IMMUTABLE_FIELD");
    let draft = desk.draft(json!([line]));
    let read = desk.invoice(&draft);
    assert_eq!((&read["lines"][0]["unitPrice"], &read["total"]), (&json!("12.500000"), &json!("25.000000")));
    desk.try_draft(json!([with(&line, json!({ "unitPrice": "12.5" }))]), json!({})).is(201);
}

fn f6_only_fitting_orders_are_billed(database: Database) {
    let office = Office::new(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let variant = counter.good("10", "9");
    let order = counter.draft_of(&variant, "2");
    let item = |order: &str| counter.read(order)["items"][0]["id"].clone();
    let lines = json!([{ "orderItemId": item(&order), "quantity": "1" }]);
    let refused = |desk: &Desk, members: Json| {
        desk.try_draft(lines.clone(), members)
            .refused(409, "REFERENCE_INVALID")
            .fault("/lines/0/orderItemId", "REFERENCE_INVALID");
    };
    refused(desk, json!({}));
    counter.confirm(&order).is(200);
    let customer = office.shop.post("sales/customers", json!({ "code": fresh("C-"), "name": "Other" })).is(201).id();
    refused(&Desk { party: customer, ..desk.clone() }, json!({}));
    refused(&Desk { entity: office.shop.other_entity(), ..desk.clone() }, json!({}));
    refused(desk, json!({ "currencyCode": "USD" }));
    desk.try_draft(lines.clone(), json!({})).is(201);
    let gone = json!([{ "orderItemId": uuid::Uuid::now_v7(), "quantity": "1" }]);
    desk.try_draft(gone, json!({})).refused(404, "NOT_FOUND").at("/lines/0/orderItemId");
    let buyer = &office.buyer;
    let drafted = buyer.draft(json!([line(&variant, "2", "3")]));
    let lines = json!([{ "orderItemId": drafted.item_id(0), "quantity": "1" }]);
    let purchases = &office.purchases;
    purchases.try_draft(lines.clone(), json!({})).refused(409, "REFERENCE_INVALID").at("/lines/0/orderItemId");
    drafted.approve().is(200);
    purchases.try_draft(lines, json!({})).is(201);
}

fn f9_an_invoice_is_issued_once(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let draft = desk.draft(json!([desk.free("1", "30")]));
        let (verb, body) = match desk.trade {
            Trade::Sales => ("issue", json!({ "expectedVersion": 1 })),
            Trade::Purchases => ("recognize", with(&desk.grounds(), json!({ "expectedVersion": 1 }))),
        };
        let path = desk.at(&format!("invoices/{draft}/{verb}"));
        let key = uuid::Uuid::new_v4().to_string();
        let send = |key: &str| desk.shop.request("POST", &path).key(key).json(&body).send();
        let first = send(&key).is(200);
        let again = send(&key).is(200);
        assert!(again.replayed() && again.body == first.body, "{again}");
        send(&uuid::Uuid::new_v4().to_string()).refused(409, "VERSION_CONFLICT");
        let second = with(&body, json!({ "expectedVersion": 2 }));
        desk.shop.post(&path, second).refused(409, "ILLEGAL_STATE");
        assert_eq!(office.entries(&draft).len(), 1);
    }
    office.sound();
}

fn f10_an_issued_invoice_is_frozen(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let invoice = desk.owe("30");
        desk.replace(&invoice, json!([desk.free("1", "40")]), json!({})).refused(409, "ILLEGAL_STATE");
        assert_eq!(desk.invoice(&invoice)["total"], "30.000000");
    }
    // An invoice of the other side does not exist here.
    let sold = office.sales.draft(json!([office.sales.free("1", "30")]));
    let recognize = format!("purchases/invoices/{sold}/recognize");
    let body = with(&office.purchases.grounds(), json!({ "expectedVersion": 1 }));
    office.shop.post(&recognize, body).refused(404, "NOT_FOUND");
}

fn f11_when_an_invoice_is_due(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let early = json!({ "issuedOn": "2026-01-31", "dueOn": "2026-01-30" });
        desk.try_draft(json!([]), early).refused(400, "VALIDATION_FAILED").fault("/dueOn", "RANGE");
    }
    let terms = json!({ "paymentTermDays": 30 });
    let body = json!({ "code": fresh("T-"), "name": "Terms", "profile": terms });
    let sales = Desk { party: office.shop.post("sales/customers", body.clone()).is(201).id(), ..office.sales.clone() };
    let supplier = office.shop.post("purchases/suppliers", body).is(201).id();
    let purchases = Desk { party: supplier, ..office.purchases.clone() };
    for desk in [sales, purchases] {
        let draft = desk.try_draft(json!([desk.free("1", "1")]), json!({ "issuedOn": "2025-01-31" })).is(201).id();
        assert!(desk.invoice(&draft)["dueOn"].is_null());
        desk.try_issue(&draft, json!({})).is(200);
        assert_eq!(desk.invoice(&draft)["dueOn"], "2025-03-02");
        let stated = json!({ "issuedOn": "2025-01-31", "dueOn": "2025-02-01" });
        let draft = desk.try_draft(json!([desk.free("1", "1")]), stated).is(201).id();
        desk.try_issue(&draft, json!({})).is(200);
        assert_eq!(desk.invoice(&draft)["dueOn"], "2025-02-01");
    }
    let invoice = office.sales.owe("1");
    let read = office.sales.invoice(&invoice);
    assert_eq!((&read["issuedOn"], &read["dueOn"]), (&json!(day(0)), &Json::Null), "due at once");
}

fn f12_a_void_gives_back_what_it_billed(database: Database) {
    let office = Office::with_books(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let variant = counter.good("10", "9");
    let order = counter.draft_of(&variant, "2");
    counter.confirm(&order).is(200);
    let item = counter.read(&order)["items"][0]["id"].clone();
    let lines = json!([{ "orderItemId": item, "quantity": "2" }, desk.free("1", "5")]);
    let invoice = desk.issue(lines.clone());
    let path = format!("invoices/{invoice}");
    counter.cancel(&order, 2).refused(409, "ILLEGAL_STATE");
    let payment = desk.pay_for("1", &[(&invoice, "0.000001")]);
    desk.void(&path, json!({})).refused(409, "ILLEGAL_STATE").fault("/path/id", "HAS_APPLICATIONS");
    desk.step(&payment, "reverse", json!({ "reason": WHY })).is(200);
    desk.void(&path, json!({})).is(200);
    assert_eq!(office.entries(&invoice), ["ISSUE: 1100 +25, 1160 -25", "ISSUE:VOID: 1160 +25, 1100 -25"]);
    desk.void(&path, json!({})).refused(409, "ILLEGAL_STATE");
    let read = desk.invoice(&invoice);
    assert_eq!((&read["status"], &read["balance"], &read["voidedOn"]), (&json!("VOID"), &Json::Null, &json!(day(0))));
    assert_eq!(counter.read(&order)["items"][0]["billedQuantity"], "0.000000");
    let again = desk.issue(lines);
    desk.void(&format!("invoices/{again}"), json!({})).is(200);
    counter.cancel(&order, 2).is(200);
    let draft = desk.draft(json!([desk.free("1", "5")]));
    desk.void(&format!("invoices/{draft}"), json!({})).is(200);
    assert!(office.entries(&draft).is_empty(), "a draft posted nothing");
    office.sound();
}

fn f13_a_void_is_not_before_its_invoice(database: Database) {
    let office = Office::with_old_books(database);
    let books = office.books();
    for desk in office.desks() {
        let draft = desk.draft(json!([desk.free("1", "30")]));
        let on = match desk.trade {
            Trade::Sales => json!({ "issuedOn": month_day(2, 10) }),
            Trade::Purchases => json!({ "recognizedOn": month_day(2, 10) }),
        };
        desk.try_issue(&draft, on).is(200);
        let path = format!("invoices/{draft}");
        desk.void(&path, json!({ "voidedOn": month_day(2, 9) }))
            .refused(409, "ILLEGAL_STATE")
            .fault("/voidedOn", "DATE_BEFORE_DOCUMENT");
        desk.void(&path, json!({ "voidedOn": day(2) }))
            .refused(400, "VALIDATION_FAILED")
            .fault("/voidedOn", "DATE_IN_FUTURE");
    }
    let months = [3, 2].map(stoa_tests::books::month);
    months.iter().for_each(|month| drop(books.close(month).is(200)));
    for desk in office.desks() {
        let invoice = desk.shop.all(&desk.at("invoices"), &[("status", "ISSUED")]).remove(0);
        let path = format!("invoices/{}", invoice["id"].as_str().unwrap());
        desk.void(&path, json!({ "voidedOn": month_day(2, 11) }))
            .refused(409, "ACCOUNTING_PERIOD_CLOSED")
            .fault("/voidedOn", "MONTH_CLOSED");
        desk.void(&path, json!({})).is(200);
    }
    assert_eq!(office.balances(), "");
    office.sound();
}

fn f14_nothing_owed_is_settled_at_once(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let invoice = desk.owe("0");
        let read = desk.invoice(&invoice);
        assert_eq!((&read["settledOn"], &read["balance"]), (&json!(day(0)), &json!("0.000000")));
        assert!(office.entries(&invoice).is_empty());
    }
    office.sound();
}

fn f48_no_key_writes(database: Database) {
    let office = Office::new(database);
    let key = office.shop.machine(&["sales.read", "sales.write", "purchases.read", "purchases.write"]);
    for desk in office.desks() {
        for (path, body) in
            [("invoices", desk.body(json!([]))), ("payments", desk.payment("1")), ("credit-notes", desk.credit("1"))]
        {
            let path = format!("/v1/tenants/{}/{}", desk.shop.tenant, desk.at(path));
            let sent = desk.shop.host.request("POST", &path).token(&key.key).json(&body).send();
            sent.refused(403, "WRONG_IDENTITY_FAMILY");
        }
    }
}

fn an_order_is_drafted_as_far_as_it_is_open(database: Database) {
    let office = Office::new(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let (box_, (phone, units)) = (counter.good("10", "9"), counter.phone("300", 2));
    let items = json!([
        { "variantId": box_, "quantity": "4" }, { "variantId": phone, "quantity": "2", "unitIds": units },
    ]);
    let order = counter.deliver(items);
    let first = counter.read(&order)["items"][0]["id"].clone();
    desk.issue(json!([{ "orderItemId": first, "quantity": "1" }]));
    let from =
        |number: &str| desk.shop.post("sales/invoices/from-order", json!({ "orderId": order, "number": number }));
    let draft = desk.invoice(&from("FROM-1").is(201).id());
    let line = |index: usize| (draft["lines"][index]["quantity"].clone(), draft["lines"][index]["unitCount"].clone());
    assert_eq!([line(0), line(1)], [(json!("3.000000"), json!(0)), (json!("2.000000"), json!(2))]);
    desk.try_issue(&draft.id(), json!({})).is(200);
    from("FROM-2").refused(409, "ILLEGAL_STATE").fault("/orderId", "NOTHING_TO_BILL");
    let (buyer, desk) = (&office.buyer, &office.purchases);
    let order = buyer.place(json!([line_of(&box_, "5", "2"), line_of(&phone, "2", "90")]));
    let numbers = stoa_tests::purchases::fresh_serials(1);
    let came = json!([order.goods(0, "3"), order.units(1, stoa_tests::purchases::serials(&numbers))]);
    order.receive(came).is(201);
    let from = |basis: &str| {
        let body = json!({ "orderId": order.id, "number": fresh("FROM-"), "basis": basis });
        let id = desk.shop.post("purchases/invoices/from-order", body).is(201).id();
        let lines = desk.invoice(&id)["lines"].as_array().cloned().unwrap_or_default();
        lines.iter().map(|line| (line["quantity"].clone(), line["unitCount"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(from("RECEIVED"), [(json!("3.000000"), json!(0)), (json!("1.000000"), json!(1))]);
    assert_eq!(from("ORDERED"), [(json!("5.000000"), json!(0)), (json!("2.000000"), json!(0))]);
    office.shop.verified();
}

fn d2_lines_are_counted_from_one(database: Database) {
    let office = Office::new(database);
    let key = office.shop.machine(&["sales.read", "purchases.read"]);
    let numbers = |body: &Json| {
        body["lines"].as_array().into_iter().flatten().map(|line| line["lineNo"].clone()).collect::<Vec<_>>()
    };
    for desk in office.desks() {
        let draft = desk.draft(json!([desk.free("1", "10"), desk.free("2", "3")]));
        assert_eq!(numbers(&desk.invoice(&draft).body), [1, 2]);
        assert_eq!(numbers(&key.get(&desk.at(&format!("invoices/{draft}"))).is(200).body), [1, 2]);
    }
}

/// A draft of 150 ordered phones has the first hundred, and says that its line has a rest.
fn a_draft_of_many_units_is_cut_at_what_an_invoice_names(database: Database) {
    let office = Office::new(database);
    let (buyer, desk) = (&office.buyer, &office.purchases);
    let order =
        buyer.place(json!([line_of(&office.shop.phone(), "150", "2"), line_of(&office.shop.counted(0), "150", "2")]));
    let body = json!({ "orderId": order.id, "number": fresh("FROM-"), "basis": "ORDERED" });
    let draft = desk.shop.post("purchases/invoices/from-order", body).is(201);
    let lines = desk.invoice(&draft.id())["lines"].clone();
    let quantities = [&lines[0]["quantity"], &lines[1]["quantity"]];
    assert_eq!((quantities, &draft["remainingLines"]), ([&json!("100.000000"), &json!("150.000000")], &json!(1)));
    office.shop.verified();
}

/// 51 receipts of two lines are 102: the draft has the first hundred, and says that two remain.
fn a_draft_of_many_receipts_is_cut_at_what_an_invoice_holds(database: Database) {
    let office = Office::new(database);
    let (buyer, desk) = (&office.buyer, &office.purchases);
    let goods = || line_of(&office.shop.counted(0), "51", "2");
    let order = buyer.place(json!([goods(), goods()]));
    for _ in 0..51 {
        order.receive(json!([order.goods(0, "1"), order.goods(1, "1")])).is(201);
    }
    let from = || {
        let body = json!({ "orderId": order.id, "number": fresh("FROM-"), "basis": "RECEIVED" });
        desk.shop.post("purchases/invoices/from-order", body)
    };
    let first = from().is(201);
    let lines = |draft: &str| desk.invoice(draft)["lines"].as_array().map(Vec::len);
    assert_eq!((&first["remainingLines"], lines(&first.id())), (&json!(2), Some(100)));
    desk.try_issue(&first.id(), json!({})).is(200);
    let last = from().is(201);
    assert_eq!((&last["remainingLines"], lines(&last.id())), (&json!(0), Some(2)));
    desk.try_issue(&last.id(), json!({})).is(200);
    from().refused(409, "ILLEGAL_STATE").fault("/orderId", "NOTHING_TO_BILL");
    office.shop.verified();
}

fn d3_what_is_billed_by_the_order_is_not_drafted_of_its_receipts(database: Database) {
    let office = Office::new(database);
    let (buyer, desk) = (&office.buyer, &office.purchases);
    let order =
        buyer.place(json!([line_of(&office.shop.counted(0), "5", "2"), line_of(&office.shop.phone(), "3", "90")]));
    let numbers = stoa_tests::purchases::fresh_serials(3);
    let units = |chosen: &[String]| order.units(1, stoa_tests::purchases::serials(chosen));
    order.receive(json!([order.goods(0, "3"), units(&numbers[..2])])).is(201);
    order.receive(json!([order.goods(0, "1"), units(&numbers[2..])])).is(201);
    let from = |basis: &str| {
        let body = json!({ "orderId": order.id, "number": fresh("FROM-"), "basis": basis });
        desk.shop.post("purchases/invoices/from-order", body)
    };
    let drafted = |basis: &str| {
        let draft = desk.invoice(&from(basis).is(201).id());
        let lines = draft["lines"].as_array().cloned().unwrap_or_default();
        lines.iter().map(|line| (line["quantity"].clone(), line["unitCount"].clone())).collect::<Vec<_>>()
    };
    let reported =
        |figures: &[(&str, u64)]| figures.iter().map(|(much, units)| (json!(much), json!(units))).collect::<Vec<_>>();
    let all = [("3.000000", 0), ("2.000000", 2), ("1.000000", 0), ("1.000000", 1)];
    let mut found = drafted("RECEIVED");
    let mut expected = reported(&all);
    let sort = |rows: &mut Vec<(Json, Json)>| rows.sort_by_key(|row| format!("{row:?}"));
    sort(&mut found);
    sort(&mut expected);
    assert_eq!(found, expected);
    // Only by the order's lines, which name no receipt: two boxes.
    desk.issue(json!([{ "orderItemId": order.item_id(0), "quantity": "2" }]));
    let mut found = drafted("RECEIVED");
    let mut expected = reported(&[("1.000000", 0), ("2.000000", 2), ("1.000000", 0), ("1.000000", 1)]);
    sort(&mut found);
    sort(&mut expected);
    assert_eq!(found, expected);
    desk.issue(json!([
        { "orderItemId": order.item_id(0), "quantity": "2" }, { "orderItemId": order.item_id(1), "quantity": "3" },
    ]));
    from("RECEIVED").refused(409, "ILLEGAL_STATE").fault("/orderId", "NOTHING_TO_BILL");
    // The one that has not come is still ordered, until the order is cancelled.
    assert_eq!(drafted("ORDERED"), reported(&[("1.000000", 0)]));
    order.cancel().is(200);
    from("ORDERED").refused(409, "ILLEGAL_STATE").fault("/orderId", "NOTHING_TO_BILL");
    office.shop.verified();
}

fn line_of(variant: &str, quantity: &str, cost: &str) -> Json {
    line(variant, quantity, cost)
}

fn a_draft_is_replaced_whole(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let members = json!({ "reference": "first", "notes": "a word" });
        let draft = desk.try_draft(json!([desk.free("1", "10"), desk.free("2", "3")]), members).is(201).id();
        desk.replace(&draft, json!([desk.free("1", "4")]), json!({})).is(200);
        let read = desk.invoice(&draft);
        assert_eq!((&read["version"], &read["total"]), (&json!(2), &json!("4.000000")));
        assert_eq!((&read["reference"], &read["notes"]), (&Json::Null, &Json::Null));
        assert_eq!(read["lines"].as_array().map(Vec::len), Some(1));
        let other = json!({ "legalEntityId": office.shop.other_entity() });
        desk.replace(&draft, json!([]), other).refused(409, "IMMUTABLE_FIELD").at("/legalEntityId");
        desk.replace(&draft, json!([]), json!({ "number": "ANOTHER" })).refused(409, "IMMUTABLE_FIELD").at("/number");
        desk.replace(&draft, json!([]), json!({ "expectedVersion": 1 })).refused(409, "VERSION_CONFLICT");
    }
    office.shop.verified();
}

fn lists_find_invoices(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let open = desk.owe("30");
        let settled = desk.owe("20");
        desk.pay_for("20", &[(&settled, "20")]);
        let drafts: Vec<String> = [("issuedOn", "2025-05-05"), ("dueOn", "2099-01-01")]
            .map(|(member, on)| {
                desk.try_draft(json!([]), json!({ (member): on, "reference": "Quarterly Report" })).is(201).id()
            })
            .to_vec();
        let find = |query: &[(&str, &str)]| desk.shop.list(&desk.at("invoices"), query).is(200).ids();
        assert_eq!(find(&[("open", "true")]), [open.as_str()]);
        assert_eq!(find(&[("open", "false")]), [settled.as_str()]);
        assert_eq!(find(&[("status", "DRAFT")]), drafts);
        assert_eq!(find(&[("from", "2025-05-05"), ("to", "2025-05-05")]), drafts[..1]);
        assert_eq!(find(&[("dueFrom", "2098-12-31"), ("dueTo", "2099-01-01")]), drafts[1..]);
        assert_eq!(find(&[("text", "quarterly")]), drafts);
        assert_eq!(find(&[("totalMin", "20.000001"), ("totalMax", "30")]), [open]);
        assert_eq!(find(&[("partyId", &desk.party), ("totalMin", "20"), ("totalMax", "20")]), [settled]);
        assert!(find(&[("partyId", &uuid::Uuid::now_v7().to_string())]).is_empty());
    }
}

fn keys_read_what_they_may(database: Database) {
    let office = Office::new(database);
    let reader = office.shop.machine(&["sales.read"]);
    let (phone, units) = office.counter.phone("300", 1);
    let lines = json!([with(&office.sales.goods(&phone, "1", "300"), json!({ "unitIds": units }))]);
    let members = json!({ "notes": "for us alone" });
    let invoice = office.sales.try_draft(lines, members).is(201).id();
    let read = reader.get(&format!("sales/invoices/{invoice}")).is(200);
    assert_eq!(read["lines"][0]["unitCount"], 1);
    for hidden in ["tenantId", "notes", "voidReason"] {
        assert!(read.body.get(hidden).is_none(), "{hidden}: {read}");
    }
    for hidden in ["units", "unitIds", "accountId"] {
        assert!(read["lines"][0].get(hidden).is_none(), "{hidden}: {read}");
    }
    assert!(!read.tells(&units[0]), "{read}");
    reader.get("purchases/invoices").refused(403, "SCOPE_DENIED");
    reader.get("reports/sales").refused(404, "NOT_FOUND");
}
