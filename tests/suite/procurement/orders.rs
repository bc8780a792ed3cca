//! Purchase orders as drafts: numbers, lines, replacement, lists, and what is refused. [E82]..[E88], [E93], [E98], [E99]

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, product, with};
use stoa_tests::purchases::{Buyer, line};
use stoa_tests::{Answer, Database, at_once, on_both_databases};

on_both_databases![
    an_order_is_what_was_asked_for,
    e82_numbers,
    e87_a_hundred_lines_at_the_limits_have_an_exact_total,
    orders_are_listed_by_what_they_are,
];

on_both_databases![
    rules:
    e83_number_and_entity_are_immutable,
    e84_only_drafts_are_replaced,
    e85_between_one_and_a_hundred_lines_of_one_article_each,
    e86_quantity_is_above_zero_and_cost_may_be_zero,
    e88_the_warehouse_is_of_the_entity,
    e93_currencies_are_upper_case_and_known,
    e98_what_is_omitted_is_null,
    e99_a_line_that_comes_back_keeps_its_id,
    quantities_fit_the_unit,
    what_an_order_names_must_be_usable,
    versions_come_before_states,
    e95_keys_prepare_drafts_and_approve_none,
];

fn e82_numbers(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let items = json!([line(&shop.counted(0), "1", "1")]);
    let draft = |members: Json| buyer.try_draft(items.clone(), members);
    let number = |answer: Answer| buyer.order(&answer.is(201).id()).read().text("number");
    assert_eq!(number(draft(json!({}))), "PO-000001");
    assert_eq!(number(draft(json!({ "number": null }))), "PO-000002");
    assert_eq!(number(draft(json!({ "number": "Spring.order_1" }))), "Spring.order_1");
    let taken = draft(json!({ "number": "SPRING.ORDER_1" })).refused(409, "DUPLICATE").at("/number");
    let named = shop.list("purchases/orders", &[("number", "spring")]).is(200).ids();
    assert_eq!(taken.errors()[0]["conflictsWith"], json!(named[0]), "{taken}");
    // A number that a user typed is skipped.
    draft(json!({ "number": "po-000003" })).is(201);
    assert_eq!(number(draft(json!({}))), "PO-000004");
    let order = buyer.order(&draft(json!({ "number": "Gone" })).is(201).id());
    order.cancel().is(200);
    draft(json!({ "number": "gone" })).refused(409, "DUPLICATE").at("/number");
    // Another entity counts for itself.
    let entity = shop.other_entity();
    let elsewhere = json!({ "legalEntityId": entity, "warehouseId": shop.warehouse_of("PHYSICAL", &entity) });
    draft(with(&elsewhere, json!({ "number": "SPRING.ORDER_1" }))).is(201);
    assert_eq!(number(draft(elsewhere)), "PO-000001");
    for wrong in ["", "1A", "A B", "Ä", &"A".repeat(65)] {
        draft(json!({ "number": wrong })).refused(400, "VALIDATION_FAILED").at("/number");
    }
    let mut numbers: Vec<String> =
        at_once(20, |_| draft(json!({})).is(201).id()).iter().map(|id| buyer.order(id).read().text("number")).collect();
    numbers.sort();
    numbers.dedup();
    assert_eq!(numbers.len(), 20, "{numbers:?}");
}

fn an_order_is_what_was_asked_for(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (box_, phone, service) = (shop.counted(2), shop.phone(), shop.service());
    let items = json!([line(&box_, "2.5", "1.000001"), line(&phone, "3", "100"), line(&service, "1", "0.5")]);
    let members = json!({ "number": "First", "notes": "Ring the bell", "expectedOn": "2027-02-28" });
    let made = buyer.try_draft(items, members).is(201);
    let mut reported: Vec<&String> = made.body.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    reported.sort();
    assert_eq!(reported, ["createdAt", "id", "items", "status", "updatedAt", "version"]);
    assert_eq!((&made["status"], &made["version"]), (&json!("DRAFT"), &json!(1)));
    let read = buyer.order(&made.id()).read();
    assert_eq!(read.header("cache-control"), Some("no-store"));
    // 2.5 x 1.000001 + 3 x 100 + 1 x 0.5
    for (member, value) in [
        ("kind", json!("STANDARD")),
        ("number", json!("First")),
        ("legalEntityId", json!(shop.entity())),
        ("warehouseId", json!(buyer.main)),
        ("supplierId", json!(buyer.supplier)),
        ("currencyCode", json!("EUR")),
        ("notes", json!("Ring the bell")),
        ("expectedOn", json!("2027-02-28")),
        ("status", json!("DRAFT")),
        ("version", json!(1)),
        ("total", json!("303.000002500000")),
        ("approvedAt", Json::Null),
        ("approvedBy", Json::Null),
        ("cancelledAt", Json::Null),
        ("cancelReason", Json::Null),
        ("tenantId", json!(shop.tenant)),
    ] {
        assert_eq!(read[member], value, "{member}: {read}");
    }
    assert!(read["createdBy"].is_string());
    let expected = [
        (&box_, "QUANTITY", "2.500000", "1.000001", "2.500002500000"),
        (&phone, "SERIALIZED", "3.000000", "100.000000", "300.000000000000"),
        (&service, "NONE", "1.000000", "0.500000", "0.500000000000"),
    ];
    for (index, (variant, tracking, quantity, cost, total)) in expected.into_iter().enumerate() {
        let item = &read["items"][index];
        assert!(item["id"].is_string());
        let reported = json!({
            "id": item["id"], "lineNo": index + 1, "variantId": variant, "trackingMode": tracking, "quantity": quantity,
            "unitCost": cost, "lineTotal": total, "receivedQuantity": "0.000000", "pendingQuantity": "0.000000",
            "billedQuantity": "0.000000",
        });
        assert_eq!(*item, reported, "only approved orders have pending quantities");
    }
    shop.assert_level(&buyer.main, &phone, json!({}));
    let events = shop.events_like("procurement.order.%");
    let id = made.id();
    let data = json!({ "orderId": id, "number": "First", "kind": "STANDARD", "status": "DRAFT" });
    assert_eq!(events, [("procurement.order.created".to_string(), id, data)]);
    shop.verified();
}

fn e83_number_and_entity_are_immutable(database: Database) {
    let buyer = Buyer::new(database);
    let items = json!([line(&buyer.shop.counted(0), "1", "1")]);
    let order = buyer.order(&buyer.try_draft(items.clone(), json!({ "number": "A-1" })).is(201).id());
    order.replace(items.clone(), json!({ "number": "A-2" })).refused(409, "IMMUTABLE_FIELD").at("/number");
    let entity = buyer.shop.other_entity();
    let elsewhere = json!({ "legalEntityId": entity, "warehouseId": buyer.shop.warehouse_of("PHYSICAL", &entity) });
    order.replace(items.clone(), elsewhere).refused(409, "IMMUTABLE_FIELD").at("/legalEntityId");
    let missing = json!({ "expectedVersion": 1 });
    let put = buyer.shop.put(&order.path(), with(&buyer.body(items.clone()), missing));
    put.refused(400, "VALIDATION_FAILED").fault("/number", "REQUIRED");
    order.replace(items, json!({})).is(200);
}

fn e84_only_drafts_are_replaced(database: Database) {
    let buyer = Buyer::new(database);
    let box_ = buyer.shop.counted(0);
    let items = json!([line(&box_, "1", "1")]);
    let order = buyer.place(items.clone());
    order.replace(items.clone(), json!({})).refused(409, "ILLEGAL_STATE");
    order.receive(json!([order.goods(0, "1")])).is(201);
    order.replace(items.clone(), json!({})).refused(409, "ILLEGAL_STATE");
    let cancelled = buyer.draft(items.clone());
    cancelled.cancel().is(200);
    cancelled.replace(items, json!({})).refused(409, "ILLEGAL_STATE");
}

fn e85_between_one_and_a_hundred_lines_of_one_article_each(database: Database) {
    let buyer = Buyer::new(database);
    let box_ = buyer.shop.counted(0);
    let try_draft = |items: Json| buyer.try_draft(items, json!({}));
    try_draft(json!([])).refused(400, "VALIDATION_FAILED").fault("/items", "TOO_FEW");
    let many: Vec<Json> = (0..101).map(|_| line(&uuid::Uuid::now_v7().to_string(), "1", "1")).collect();
    try_draft(json!(many)).refused(400, "VALIDATION_FAILED").fault("/items", "TOO_MANY");
    let twice = json!([line(&box_, "1", "1"), line(&box_, "2", "1")]);
    try_draft(twice.clone()).refused(400, "VALIDATION_FAILED").fault("/items/1/variantId", "REPEATED");
    let order = buyer.draft(json!([line(&box_, "1", "1")]));
    order.replace(twice, json!({})).refused(400, "VALIDATION_FAILED").fault("/items/1/variantId", "REPEATED");
    order.replace(json!([]), json!({})).refused(400, "VALIDATION_FAILED").fault("/items", "TOO_FEW");
}

fn e86_quantity_is_above_zero_and_cost_may_be_zero(database: Database) {
    let buyer = Buyer::new(database);
    let box_ = buyer.shop.counted(6);
    for wrong in ["0", "0.000000", "-1", "+1", "1e2", "1.0000001", "1000000000000", "01", ".5", ""] {
        let items = json!([line(&box_, wrong, "1")]);
        buyer.try_draft(items, json!({})).refused(400, "VALIDATION_FAILED").at("/items/0/quantity");
    }
    for wrong in ["-1", "1e2", "1.0000001", "1000000000000", ""] {
        let items = json!([line(&box_, "1", wrong)]);
        buyer.try_draft(items, json!({})).refused(400, "VALIDATION_FAILED").at("/items/0/unitCost");
    }
    let number = json!([{ "variantId": box_, "quantity": 1, "unitCost": "1" }]);
    buyer.try_draft(number, json!({})).refused(400, "VALIDATION_FAILED").fault("/items/0/quantity", "TYPE");
    let free = buyer.draft(json!([line(&box_, "0.000001", "0")]));
    assert_eq!(free.read()["total"], "0.000000000000");
    free.approve().is(200);
    free.receive(json!([free.goods(0, "0.000001")])).is(201);
    assert_eq!(buyer.shop.worth(&box_), "0.000000000000");
}

fn e87_a_hundred_lines_at_the_limits_have_an_exact_total(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (unit, sku) = (fresh("U"), fresh("WIDE-"));
    shop.unit(&unit, 6);
    let variants: Vec<Json> = (0..100).map(|n| json!({ "sku": format!("{sku}-{n}") })).collect();
    let members = json!({
        "unitOfMeasure": unit, "trackInventory": true, "publicationStatus": "PUBLISHED", "variants": variants,
    });
    let made = shop.post("catalog/products", with(&product(&sku), members)).is(201);
    let ids: Vec<String> =
        made["variants"].as_array().into_iter().flatten().map(|v| v["id"].to_string().replace('"', "")).collect();
    let most = "999999999999.999999";
    let items: Json = ids.iter().map(|variant| line(variant, most, most)).collect();
    let order = buyer.place(items);
    let read = order.read();
    // (10^12 - 10^-6)^2 = 10^24 - 2 x 10^6 + 10^-12, a hundred times.
    assert_eq!(read["items"][0]["lineTotal"], "999999999999999998000000.000000000001");
    assert_eq!(read["total"], "99999999999999999800000000.000000000100");
    assert_eq!(shop.figure(&ids[99], &buyer.main, "incoming"), most);
    let lines: Vec<Json> = read["items"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| json!({ "orderItemId": item["id"], "quantity": most }))
        .collect();
    let receipt = order.receive(json!(lines)).is(201).id();
    assert_eq!(buyer.receipt(&receipt)["total"], "99999999999999999800000000.000000000100");
    assert_eq!((order.status().as_str(), shop.figure(&ids[0], &buyer.main, "onHand").as_str()), ("RECEIVED", most));
    assert_eq!(shop.worth(&ids[0]), "999999999999999998000000.000000000001");
    let beyond = shop.list("purchases/orders", &[("totalMin", "99999999999999999800000000.0000000001")]).is(200);
    assert_eq!(beyond.ids(), [order.id]);
    shop.verified();
}

fn e88_the_warehouse_is_of_the_entity(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let items = json!([line(&shop.counted(0), "1", "1")]);
    let elsewhere = json!({ "warehouseId": shop.warehouse_of("PHYSICAL", &shop.other_entity()) });
    buyer.try_draft(items.clone(), elsewhere.clone()).refused(409, "CUSTODY_CONFLICT").at("/warehouseId");
    let order = buyer.draft(items.clone());
    order.replace(items, elsewhere).refused(409, "CUSTODY_CONFLICT").at("/warehouseId");
}

fn e93_currencies_are_upper_case_and_known(database: Database) {
    let buyer = Buyer::new(database);
    let items = json!([line(&buyer.shop.counted(0), "1", "1")]);
    let lower = buyer.try_draft(items.clone(), json!({ "currencyCode": "usd" })).is(201).id();
    assert_eq!(buyer.order(&lower).read()["currencyCode"], "USD");
    for wrong in ["EUX", "EU", "EURO", "", "DEM"] {
        let refused = buyer.try_draft(items.clone(), json!({ "currencyCode": wrong }));
        refused.refused(400, "VALIDATION_FAILED").at("/currencyCode");
    }
}

fn e98_what_is_omitted_is_null(database: Database) {
    let buyer = Buyer::new(database);
    let items = json!([line(&buyer.shop.counted(0), "1", "1")]);
    let members = json!({ "notes": "Fragile", "expectedOn": "2027-01-31" });
    let order = buyer.order(&buyer.try_draft(items.clone(), members).is(201).id());
    let replaced = order.replace(items.clone(), json!({})).is(200);
    assert_eq!((&replaced["status"], &replaced["version"]), (&json!("DRAFT"), &json!(2)));
    let read = order.read();
    assert_eq!((&read["notes"], &read["expectedOn"]), (&Json::Null, &Json::Null));
    for (member, wrong) in [("expectedOn", json!("2027-02-30")), ("notes", json!("n".repeat(2001)))] {
        let refused = order.replace(items.clone(), json!({ (member): wrong }));
        refused.refused(400, "VALIDATION_FAILED").at(&format!("/{member}"));
    }
    let kinds: Vec<String> = buyer.shop.events_like("procurement.order.%").into_iter().map(|(kind, ..)| kind).collect();
    assert_eq!(kinds, ["procurement.order.created", "procurement.order.updated"]);
}

fn e99_a_line_that_comes_back_keeps_its_id(database: Database) {
    let buyer = Buyer::new(database);
    let (one, two) = (buyer.shop.counted(0), buyer.shop.counted(0));
    let order = buyer.draft(json!([line(&one, "1", "1"), line(&two, "2", "2")]));
    let before = order.read();
    order.replace(json!([line(&two, "3", "2")]), json!({})).is(200);
    let without = order.read();
    assert_eq!(without["items"].as_array().map(Vec::len), Some(1));
    assert_eq!((&without["items"][0]["id"], &without["total"]), (&before["items"][1]["id"], &json!("6.000000000000")));
    order.replace(json!([line(&two, "3", "2"), line(&one, "5", "4")]), json!({})).is(200);
    let after = order.read();
    assert_eq!(after["items"][1]["id"], before["items"][0]["id"]);
    assert_eq!((&after["items"][1]["lineNo"], &after["items"][1]["quantity"]), (&json!(2), &json!("5.000000")));
    assert_eq!(after["total"], "26.000000000000");
    buyer.shop.verified();
}

fn quantities_fit_the_unit(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (whole, tenths, phone) = (shop.counted(0), shop.counted(1), shop.phone());
    let refuse = |variant: &str, quantity: &str| {
        let refused = buyer.try_draft(json!([line(variant, quantity, "1")]), json!({}));
        refused.refused(400, "VALIDATION_FAILED").fault("/items/0/quantity", "QUANTITY_SCALE");
    };
    refuse(&whole, "1.5");
    refuse(&tenths, "1.55");
    refuse(&phone, "0.5");
    let order = buyer.place(json!([line(&whole, "2.000000", "1"), line(&tenths, "2.5", "1")]));
    let finer = order.receive(json!([order.goods(1, "0.05")]));
    finer.refused(400, "VALIDATION_FAILED").fault("/items/0/quantity", "QUANTITY_SCALE");
    order.receive(json!([order.goods(1, "0.5")])).is(201);
}

fn what_an_order_names_must_be_usable(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (box_, gone) = (shop.counted(0), shop.counted(0));
    let items = json!([line(&box_, "1", "1")]);
    let absent = uuid::Uuid::now_v7().to_string();
    for member in ["supplierId", "warehouseId", "legalEntityId"] {
        let refused = buyer.try_draft(items.clone(), json!({ (member): absent }));
        refused.refused(404, "NOT_FOUND").at(&format!("/{member}"));
    }
    let unknown = json!([line(&box_, "1", "1"), line(&absent, "1", "1")]);
    buyer.try_draft(unknown, json!({})).refused(404, "NOT_FOUND").at("/items/1/variantId");
    shop.archive(&format!("catalog/variants/{gone}")).is(200);
    let archived = json!([line(&box_, "1", "1"), line(&gone, "1", "1")]);
    buyer.try_draft(archived, json!({})).refused(409, "REFERENCE_INVALID").fault("/items/1/variantId", "ARCHIVED");
    let place = shop.warehouse("PHYSICAL");
    shop.archive(&format!("inventory/warehouses/{place}")).is(200);
    let closed = buyer.try_draft(items, json!({ "warehouseId": place }));
    closed.refused(409, "REFERENCE_INVALID").fault("/warehouseId", "ARCHIVED");
}

fn versions_come_before_states(database: Database) {
    let buyer = Buyer::new(database);
    let items = json!([line(&buyer.shop.counted(0), "1", "1")]);
    let order = buyer.draft(items.clone());
    order.replace(items.clone(), json!({ "expectedVersion": 2 })).refused(409, "VERSION_CONFLICT");
    order.approve_at(json!(2)).refused(409, "VERSION_CONFLICT");
    order.cancel().is(200);
    order.approve_at(json!(1)).refused(409, "VERSION_CONFLICT");
    order.approve_at(json!(2)).refused(409, "ILLEGAL_STATE");
    for wrong in [json!(0), json!(2_147_483_647_u32), json!("1"), json!(1.5)] {
        order.approve_at(wrong).refused(400, "VALIDATION_FAILED").at("/expectedVersion");
    }
    buyer.shop.get(&format!("purchases/orders/{}", uuid::Uuid::now_v7())).refused(404, "NOT_FOUND");
}

fn orders_are_listed_by_what_they_are(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (one, two, place) = (shop.counted(0), shop.counted(0), shop.warehouse("PHYSICAL"));
    let first =
        buyer.try_draft(json!([line(&one, "2", "1.5")]), json!({ "number": "A%1", "expectedOn": "2027-03-01" }));
    first.refused(400, "VALIDATION_FAILED").at("/number");
    let first =
        buyer.try_draft(json!([line(&one, "2", "1.5")]), json!({ "number": "A_1", "expectedOn": "2027-03-01" }));
    let first = first.is(201).id();
    let members = json!({ "number": "AB1", "warehouseId": place, "currencyCode": "USD", "expectedOn": "2027-03-05" });
    let second = buyer.try_draft(json!([line(&two, "1", "7"), line(&one, "1", "1")]), members).is(201).id();
    let supplier = shop.new_supplier();
    let third = buyer.try_draft(json!([line(&two, "1", "0")]), json!({ "supplierId": supplier })).is(201).id();
    buyer.order(&third).approve().is(200);
    let import = shop.post("purchases/import-orders", buyer.body(json!([line(&one, "1", "1000")]))).is(201).id();
    let found = |query: &[(&str, &str)]| shop.list("purchases/orders", query).is(200).ids();
    assert_eq!(found(&[]), [first.clone(), second.clone(), third.clone(), import.clone()]);
    for (query, expected) in [
        (vec![("status", "APPROVED")], vec![&third]),
        (vec![("ids", format!("{import},{first}").as_str())], vec![&first, &import]),
        (vec![("ids", &*third), ("kind", "IMPORT")], vec![]),
        (vec![("status", "DRAFT")], vec![&first, &second, &import]),
        (vec![("kind", "IMPORT")], vec![&import]),
        (vec![("kind", "STANDARD"), ("variantId", one.as_str())], vec![&first, &second]),
        (vec![("variantId", two.as_str())], vec![&second, &third]),
        (vec![("supplierId", supplier.as_str())], vec![&third]),
        (vec![("warehouseId", place.as_str())], vec![&second]),
        (vec![("currencyCode", "USD")], vec![&second]),
        (vec![("number", "_")], vec![&first]),
        (vec![("number", "b1")], vec![&second]),
        (vec![("expectedFrom", "2027-03-01"), ("expectedTo", "2027-03-04")], vec![&first]),
        (vec![("expectedFrom", "2027-03-05")], vec![&second]),
        (vec![("totalMin", "3"), ("totalMax", "8")], vec![&first, &second]),
        (vec![("totalMin", "8.000000000001")], vec![&import]),
        (vec![("totalMax", "2.999999999999")], vec![&third]),
        (vec![("limit", "2")], vec![&first, &second]),
        (vec![("limit", "2"), ("cursor", second.as_str())], vec![&third, &import]),
    ] {
        assert_eq!(found(&query), expected.into_iter().cloned().collect::<Vec<_>>(), "{query:?}");
    }
    let created = buyer.order(&third).read().text("createdAt");
    assert_eq!(found(&[("from", &created), ("to", &created)]), std::slice::from_ref(&third));
    let updated = buyer.order(&third).read().text("updatedAt");
    assert!(found(&[("updatedSince", &updated)]).contains(&third));
    let page = shop.list("purchases/orders", &[("number", "b1")]).is(200);
    let header = &page.items()[0];
    assert_eq!(
        (&header["itemCount"], header.get("items"), &header["total"]),
        (&json!(2), None, &json!("8.000000000000"))
    );
    assert!(found(&[("legalEntityId", &shop.other_entity())]).is_empty());
}

fn e95_keys_prepare_drafts_and_approve_none(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let box_ = shop.counted(0);
    let machine = shop.machine(&["purchases.read", "purchases.write"]);
    let made = machine.post("purchases/orders", buyer.body(json!([line(&box_, "1", "2")]))).is(201);
    let order = buyer.order(&made.id());
    let number = order.read()["number"].clone();
    let body = with(&buyer.body(json!([line(&box_, "3", "2")])), json!({ "number": number, "expectedVersion": 1 }));
    let replaced = machine.put(&order.path(), body).is(200);
    assert_eq!((&replaced["status"], &replaced["version"]), (&json!("DRAFT"), &json!(2)));
    let read = machine.get(&order.path()).is(200);
    assert_eq!(read["total"], "6.000000000000");
    for hidden in ["tenantId", "createdBy", "approvedBy"] {
        assert!(read.body.get(hidden).is_none(), "{hidden}: {read}");
    }
    assert!(read["items"][0].get("billedQuantity").is_none(), "{read}");
    let page = machine.get("purchases/orders").is(200);
    for hidden in ["tenantId", "createdBy", "approvedBy", "billedQuantity"] {
        assert!(!page.body.to_string().contains(hidden), "{hidden}: {page}");
    }
    // [E95]
    let approve = json!({ "expectedVersion": 2 });
    machine.post(&format!("{}/approve", order.path()), approve.clone()).refused(404, "NOT_FOUND");
    let human = format!("/v1/tenants/{}/{}/approve", shop.tenant, order.path());
    shop.host.request("POST", &human).token(&machine.key).json(&approve).send().refused(403, "WRONG_IDENTITY_FAMILY");
    order.approve().is(200);
    let cancel = |version: u32| {
        machine.post(&format!("{}/cancel", order.path()), json!({ "expectedVersion": version, "reason": "No" }))
    };
    // A key can give up only drafts.
    cancel(3).refused(409, "ILLEGAL_STATE");
    let draft = buyer.draft(json!([line(&box_, "1", "2")]));
    let given_up = machine.post(&format!("{}/cancel", draft.path()), json!({ "expectedVersion": 1, "reason": "No" }));
    assert_eq!(given_up.is(200)["status"], "CANCELLED");
    shop.machine(&["purchases.read"]).post("purchases/orders", buyer.body(json!([]))).refused(403, "SCOPE_DENIED");
}
