//! Postings of a receipt: goods received and not invoiced, services, and nothing where nothing may be posted. [E108], [E114]

use serde_json::{Value as Json, json};
use stoa_tests::assert_table;
use stoa_tests::books::Books;
use stoa_tests::company::with;
use stoa_tests::purchases::{Buyer, fresh_serials, line, serials};
use stoa_tests::{Database, on_both_databases};

on_both_databases![
    e108_services_are_accepted_without_goods,
    e114_one_entry_of_what_came,
    goods_for_nothing_post_nothing,
    without_books_nothing_is_posted,
    entries_bear_the_branch_of_the_warehouse,
];

on_both_databases![
    rules:
    e114_nothing_is_received_that_cannot_be_posted,
    parts_of_a_line_are_posted_as_they_come,
];

fn books_of(buyer: &Buyer) -> Books {
    Books { shop: buyer.shop.clone(), entity: buyer.shop.entity() }
}

fn e108_services_are_accepted_without_goods(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let (service, note, box_) = (shop.service(), shop.good_without_stock(), shop.counted(0));
    let order = buyer.place(json!([line(&service, "3", "19.5"), line(&note, "4", "0.25"), line(&box_, "9", "1")]));
    let receipt = order.receive(json!([order.goods(0, "2"), order.goods(1, "4")])).is(201).id();
    assert_eq!(order.status(), "PARTIALLY_RECEIVED");
    assert_eq!(
        (&order.item(0)["receivedQuantity"], &order.item(0)["pendingQuantity"]),
        (&json!("2.000000"), &json!("1.000000"))
    );
    assert_eq!(order.item(1)["pendingQuantity"], "0.000000");
    assert_eq!(shop.count("inventory_movement", "1 = 1"), 0);
    assert_eq!(shop.count("inventory_cost_layer", "1 = 1"), 0);
    shop.assert_level(&buyer.main, &box_, json!({ "incoming": 9 }));
    assert!(shop.level(&service, &buyer.main).is_null() && shop.level(&note, &buyer.main).is_null());
    // 2 x 19.5 + 4 x 0.25
    assert_table!(shop.journal_table(&shop.entity()), @r"
    entry  account                           debit  credit
        1  5100 Purchases and services          40
           2100 Goods received not invoiced             40
    ");
    let read = buyer.receipt(&receipt);
    assert_eq!((&read["total"], &read["items"][0]["trackingMode"]), (&json!("40.000000000000"), &json!("NONE")));
    assert!(shop.events_like("inventory.updated").is_empty(), "no stock changed");
    assert_eq!(shop.events_like("procurement.receipt.created").len(), 1);
    order.receive(json!([order.goods(0, "1"), order.goods(2, "9")])).is(201);
    assert_eq!(order.status(), "RECEIVED");
    shop.verified();
}

fn e114_one_entry_of_what_came(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let (box_, phone, service) = (shop.counted(1), shop.phone(), shop.service());
    let order =
        buyer.place(json!([line(&box_, "4.5", "1.2"), line(&phone, "2", "100.000001"), line(&service, "1", "30")]));
    assert_eq!(shop.count("ledger_entry", "1 = 1"), 0, "an approval posts nothing");
    let items = json!([order.goods(0, "4.5"), order.units(1, serials(&fresh_serials(2))), order.goods(2, "1")]);
    let answer = order.receive(items).is(201);
    // 4.5 x 1.2 + 2 x 100.000001 of goods, 30 of service.
    assert_table!(shop.journal_table(&shop.entity()), @r"
    entry  account                                debit      credit
        1  1200 Inventory                    205.400002
           5100 Purchases and services               30
           2100 Goods received not invoiced              235.400002
    ");
    assert_eq!(buyer.receipt(&answer.id())["total"], "235.400002000000");
    let entries = shop.all("ledger/journal-entries", &[("legalEntityId", &shop.entity())]);
    let entry = &entries[0];
    assert_eq!(
        (&entry["sourceKind"], &entry["sourceId"], &entry["purpose"]),
        (&json!("GOODS_RECEIPT"), &json!(answer.id()), &json!("RECEIPT"))
    );
    assert_table!(shop.layers_table(&phone), @r"
    quantity   unit cost  remaining       value  currency
           1  100.000001          1  100.000001  EUR
           1  100.000001          1  100.000001  EUR
    ");
    shop.verified();
}

fn e114_nothing_is_received_that_cannot_be_posted(database: Database) {
    let buyer = Buyer::with_books(database);
    let (shop, books) = (&buyer.shop, books_of(&buyer));
    let (box_, phone, service) = (shop.counted(0), shop.phone(), shop.service());
    let order = buyer.place(json!([line(&box_, "2", "3"), line(&phone, "1", "100"), line(&service, "1", "5")]));
    let items = json!([order.goods(0, "2"), order.units(1, serials(&fresh_serials(1)))]);
    let body = order.receipt_body(items);
    for (role, code) in [("INVENTORY", "1200"), ("GOODS_RECEIVED_NOT_INVOICED", "2100")] {
        books.map(&[(role, None)]).is(200);
        let before = shop.records();
        let refused = order.post_receipt(body.clone()).refused(409, "ACCOUNTING_SETUP_REQUIRED");
        refused.fault(&format!("/mappings/roles/{role}"), "ROLE_UNMAPPED");
        assert_eq!(shop.records(), before, "nothing was received");
        books.map(&[(role, Some(&books.account(code)))]).is(200);
    }
    assert_eq!(order.version(), json!(2));
    order.post_receipt(body).is(201);
    shop.verified();
}

fn goods_for_nothing_post_nothing(database: Database) {
    let buyer = Buyer::with_books(database);
    let box_ = buyer.shop.counted(0);
    let order = buyer.place(json!([line(&box_, "2", "0")]));
    order.receive(json!([order.goods(0, "2")])).is(201);
    assert_eq!(buyer.shop.count("ledger_entry", "1 = 1"), 0);
    assert_table!(buyer.shop.layers_table(&box_), @r"
    quantity  unit cost  remaining  value  currency
           2          0          2      0  EUR
    ");
    buyer.shop.verified();
}

fn parts_of_a_line_are_posted_as_they_come(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let box_ = shop.counted(0);
    let order = buyer.place(json!([line(&box_, "3", "33.333333")]));
    for _ in 0..3 {
        order.receive(json!([order.goods(0, "1")])).is(201);
    }
    assert_eq!(order.status(), "RECEIVED");
    assert_table!(shop.journal_table(&shop.entity()), @r"
    entry  account                               debit     credit
        1  1200 Inventory                    33.333333
           2100 Goods received not invoiced             33.333333
        2  1200 Inventory                    33.333333
           2100 Goods received not invoiced             33.333333
        3  1200 Inventory                    33.333333
           2100 Goods received not invoiced             33.333333
    ");
    let closing = books_of(&buyer).closing();
    let (goods, owed) = (&closing["1200"], &closing["2100"]);
    assert_eq!((goods.as_str(), owed.as_str()), ("99.999999000000", "-99.999999000000"));
    assert_eq!(*goods, shop.worth(&box_));
    shop.verified();
}

fn without_books_nothing_is_posted(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (box_, service) = (shop.counted(3), shop.service());
    // Finer than any books would take, and in a currency of its own.
    let made = buyer.try_draft(
        json!([line(&box_, "0.125", "0.123456"), line(&service, "1", "1")]),
        json!({ "currencyCode": "USD" }),
    );
    let order = buyer.order(&made.is(201).id());
    order.approve().is(200);
    order.receive(json!([order.goods(0, "0.125"), order.goods(1, "1")])).is(201);
    assert_eq!(shop.count("ledger_entry", "1 = 1"), 0);
    assert_table!(shop.layers_table(&box_), @r"
    quantity  unit cost  remaining     value  currency
       0.125   0.123456      0.125  0.015432  USD
    ");
    shop.verified();
}

fn entries_bear_the_branch_of_the_warehouse(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let branch = shop.post("ledger/branches", json!({ "code": "B1", "name": "B1", "legalEntityId": shop.entity() }));
    let branch = branch.is(201).id();
    let place =
        json!({ "code": "BW", "name": "BW", "type": "PHYSICAL", "legalEntityId": shop.entity(), "branchId": branch });
    let place = shop.post("inventory/warehouses", place).is(201).id();
    let body = with(&buyer.body(json!([line(&shop.counted(0), "1", "7")])), json!({ "warehouseId": place }));
    let order = buyer.order(&shop.post("purchases/orders", body).is(201).id());
    order.approve().is(200);
    order.receive(json!([order.goods(0, "1")])).is(201);
    let entry = shop.all("ledger/journal-entries", &[("legalEntityId", &shop.entity())]).remove(0);
    let entry = shop.get(&format!("ledger/journal-entries/{}", entry["id"].as_str().unwrap_or_default())).is(200);
    let branches: Vec<&Json> = entry["lines"].as_array().into_iter().flatten().map(|line| &line["branchId"]).collect();
    assert_eq!(branches, [&json!(branch), &json!(branch)], "{entry}");
    shop.verified();
}
