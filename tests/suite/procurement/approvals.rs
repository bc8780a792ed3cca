//! Approval and cancellation: who may, what is judged again, and what stock expects from then on. [E89]..[E97]

use serde_json::{Value as Json, json};
use stoa_tests::assert_table;
use stoa_tests::company::with;
use stoa_tests::purchases::{Buyer, line};
use stoa_tests::{Database, at_once, on_both_databases};

on_both_databases![
    e89_what_was_archived_meanwhile_is_refused,
    e90_incoming_follows_the_outstanding,
    e92_two_approvals_of_one_version,
    e96_books_take_their_own_currency,
    incoming_is_listed_by_line,
    settings_are_a_managers,
    an_approval_is_written_down,
    a_warehouse_that_expects_goods_stays_open,
];

on_both_databases![
    rules:
    e91_a_received_order_is_not_cancelled,
    e94_approval_is_a_right_of_its_own,
    e96_books_are_set_up_before_an_approval,
    e96_costs_fit_the_books,
    e97_a_second_person_approves,
];

fn e89_what_was_archived_meanwhile_is_refused(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (one, two) = (shop.counted(0), shop.counted(0));
    let draft = |members: Json| {
        let made = buyer.try_draft(json!([line(&one, "1", "1"), line(&two, "1", "1")]), members);
        buyer.order(&made.is(201).id())
    };
    let (supplier, place) = (shop.new_supplier(), shop.warehouse("PHYSICAL"));
    let cases = [
        (draft(json!({ "supplierId": supplier })), format!("purchases/suppliers/{supplier}"), "/supplierId"),
        (draft(json!({ "warehouseId": place })), format!("inventory/warehouses/{place}"), "/warehouseId"),
        (draft(json!({})), format!("catalog/variants/{two}"), "/items/1/variantId"),
    ];
    let all = draft(json!({ "supplierId": supplier, "warehouseId": place }));
    for (order, record, pointer) in cases {
        shop.archive(&record).is(200);
        order.approve().refused(409, "ARCHIVED").at(pointer);
        assert_eq!((order.status().as_str(), order.version()), ("DRAFT", json!(1)), "{pointer}");
    }
    let refused = all.approve().refused(409, "ARCHIVED");
    assert_eq!(refused.pointers(), ["/supplierId", "/warehouseId", "/items/1/variantId"]);
    assert_eq!(shop.count("inventory_stock", "incoming <> 0"), 0);
}

fn e90_incoming_follows_the_outstanding(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (box_, phone, service, note) = (shop.counted(1), shop.phone(), shop.service(), shop.good_without_stock());
    let items =
        json!([line(&box_, "10.5", "2"), line(&phone, "3", "100"), line(&service, "4", "5"), line(&note, "6", "7")]);
    let names: [(&str, &str); 3] = [(&box_, "box"), (&phone, "phone"), (&buyer.main, "MAIN")];
    let order = buyer.place(items.clone());
    // Services and goods without stock are expected nowhere.
    assert_table!(shop.stock_table(&names), @r"
    article  warehouse  incoming
    box      MAIN           10.5
    phone    MAIN              3
    ");
    let other = buyer.place(items);
    order.receive(json!([order.goods(0, "4.5"), order.goods(2, "1")])).is(201);
    assert_table!(shop.stock_table(&names), @r"
    article  warehouse  on hand  available  incoming
    box      MAIN           4.5        4.5      16.5
    phone    MAIN             0          0         6
    ");
    let pending: Vec<Json> = (0..4).map(|index| order.item(index)["pendingQuantity"].clone()).collect();
    assert_eq!(json!(pending), json!(["6.000000", "3.000000", "3.000000", "6.000000"]));
    let cancelled = order.cancel().is(200);
    assert_eq!((&cancelled["status"], &cancelled["version"]), (&json!("CANCELLED"), &json!(4)));
    // Received goods stay; the other order still brings its own.
    assert_table!(shop.stock_table(&names), @r"
    article  warehouse  on hand  available  incoming
    box      MAIN           4.5        4.5      10.5
    phone    MAIN             0          0         3
    ");
    let read = order.read();
    assert_eq!(read["cancelReason"], "a test");
    assert!(read["cancelledAt"].is_string());
    assert!(read["items"].as_array().into_iter().flatten().all(|item| item["pendingQuantity"] == "0.000000"), "{read}");
    assert_eq!(read["items"][0]["receivedQuantity"], "4.500000");
    order.receive(json!([order.goods(0, "1")])).refused(409, "ILLEGAL_STATE");
    order.cancel().refused(409, "ILLEGAL_STATE");
    other.cancel().is(200);
    assert_table!(shop.stock_table(&names), @r"
    article  warehouse  on hand  available
    box      MAIN           4.5        4.5
    phone    MAIN             0          0
    ");
    shop.verified();
}

fn e91_a_received_order_is_not_cancelled(database: Database) {
    let buyer = Buyer::new(database);
    let order = buyer.place(json!([line(&buyer.shop.counted(0), "2", "1")]));
    order.receive(json!([order.goods(0, "2")])).is(201);
    assert_eq!(order.status(), "RECEIVED");
    order.cancel().refused(409, "ILLEGAL_STATE");
    let draft = buyer.draft(json!([line(&buyer.shop.counted(0), "2", "1")]));
    let body = json!({ "expectedVersion": 1, "reason": " " });
    buyer.shop.post(&format!("{}/cancel", draft.path()), body).refused(400, "VALIDATION_FAILED").at("/reason");
}

fn e92_two_approvals_of_one_version(database: Database) {
    let buyer = Buyer::new(database);
    let box_ = buyer.shop.counted(0);
    for round in 0..3 {
        let order = buyer.draft(json!([line(&box_, "1", "1")]));
        let answers = at_once(4, |_| order.approve_at(json!(1)));
        assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "round {round}");
        for answer in answers.into_iter().filter(|answer| answer.status != 200) {
            answer.refused(409, "VERSION_CONFLICT");
        }
        assert_eq!(buyer.shop.figure(&box_, &buyer.main, "incoming"), format!("{}.000000", round + 1));
    }
    buyer.shop.verified();
}

fn e94_approval_is_a_right_of_its_own(database: Database) {
    let buyer = Buyer::new(database);
    let box_ = buyer.shop.counted(0);
    let clerk = buyer.as_person(&buyer.shop.colleague(&["purchases.create", "purchases.read"]));
    let order = buyer.order(&clerk.draft(json!([line(&box_, "1", "1")])).id);
    let by_clerk = clerk.order(&order.id);
    by_clerk.approve().refused(403, "PERMISSION_DENIED");
    order.approve().is(200);
    by_clerk.cancel().refused(403, "PERMISSION_DENIED");
    assert_eq!(order.status(), "APPROVED");
    let draft = clerk.draft(json!([line(&box_, "1", "1")]));
    assert_eq!(draft.cancel().is(200)["status"], "CANCELLED");
    // An approver may end an approved order.
    let approver = buyer.as_person(&buyer.shop.colleague(&["purchases.approve", "purchases.read"]));
    approver.order(&order.id).cancel().is(200);
    approver.try_draft(json!([line(&box_, "1", "1")]), json!({})).refused(403, "PERMISSION_DENIED");
}

fn e96_books_take_their_own_currency(database: Database) {
    let buyer = Buyer::with_books(database);
    let items = json!([line(&buyer.shop.counted(0), "1", "1")]);
    let dollars = buyer.try_draft(items, json!({ "currencyCode": "USD" })).is(201).id();
    let order = buyer.order(&dollars);
    order.approve().refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED").at("/currencyCode");
    assert_eq!(order.status(), "DRAFT");
    assert_eq!(buyer.shop.count("inventory_stock", "incoming <> 0"), 0);
}

fn e96_books_are_set_up_before_an_approval(database: Database) {
    let buyer = Buyer::with_books(database);
    let books = stoa_tests::books::Books { shop: buyer.shop.clone(), entity: buyer.shop.entity() };
    let goods = buyer.draft(json!([line(&buyer.shop.counted(0), "1", "1")]));
    let service = buyer.draft(json!([line(&buyer.shop.service(), "1", "1")]));
    books.map(&[("GOODS_RECEIVED_NOT_INVOICED", None)]).is(200);
    for order in [&goods, &service] {
        let refused = order.approve().refused(409, "ACCOUNTING_SETUP_REQUIRED");
        refused.fault("/mappings/roles/GOODS_RECEIVED_NOT_INVOICED", "ROLE_UNMAPPED");
        assert_eq!(order.status(), "DRAFT");
    }
}

fn e96_costs_fit_the_books(database: Database) {
    let buyer = Buyer::with_books(database);
    let (whole, thousandths) = (buyer.shop.counted(0), buyer.shop.counted(3));
    // Three digits of the quantity and four of the cost are more than the six of the books.
    let order = buyer.draft(json!([line(&whole, "1", "0.123456"), line(&thousandths, "1", "0.1234")]));
    order.approve().refused(409, "ACCOUNTING_AMOUNT_PRECISION").at("/items/1/unitCost");
    order.replace(json!([line(&whole, "1", "0.123456"), line(&thousandths, "1", "0.123")]), json!({})).is(200);
    order.approve().is(200);
}

fn e97_a_second_person_approves(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let items = json!([line(&shop.counted(0), "1", "1")]);
    let rights = ["purchases.create", "purchases.approve", "purchases.read"];
    let (one, other) = (buyer.as_person(&shop.colleague(&rights)), buyer.as_person(&shop.colleague(&rights)));
    // Off: the author may.
    one.draft(items.clone()).approve().is(200);
    let settings = json!({ "expectedVersion": 0, "requireSecondApprover": true });
    shop.put("purchases/settings", settings).is(200);
    let order = one.draft(items.clone());
    order.approve().refused(403, "PERMISSION_DENIED");
    // [T31]: before version and state.
    order.approve_at(json!(7)).refused(403, "PERMISSION_DENIED");
    other.order(&order.id).approve().is(200);
    // The person who replaced it last wrote it too.
    let order = one.draft(items.clone());
    other.order(&order.id).replace(items.clone(), json!({})).is(200);
    other.order(&order.id).approve().refused(403, "PERMISSION_DENIED");
    order.approve().refused(403, "PERMISSION_DENIED");
    buyer.order(&order.id).approve().is(200);
    // A key's draft belongs to no user.
    let machine = shop.machine(&["purchases.write"]);
    let drafted = machine.post("purchases/orders", buyer.body(items)).is(201).id();
    one.order(&drafted).approve().is(200);
}

fn incoming_is_listed_by_line(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (box_, phone, service, place) = (shop.counted(0), shop.phone(), shop.service(), shop.warehouse("PHYSICAL"));
    let items = json!([line(&box_, "5", "1"), line(&phone, "2", "1"), line(&service, "3", "1")]);
    let members = json!({ "number": "IN-1", "expectedOn": "2027-04-01" });
    let first = buyer.order(&buyer.try_draft(items.clone(), members).is(201).id());
    first.approve().is(200);
    let members = json!({ "number": "IN-2", "warehouseId": place });
    let second = buyer.order(&buyer.try_draft(json!([line(&box_, "7", "1")]), members).is(201).id());
    second.approve().is(200);
    buyer.draft(items.clone());
    buyer.place(items).cancel().is(200);
    first.receive(json!([first.goods(0, "2")])).is(201);
    let found = shop.list("purchases/incoming", &[]).is(200);
    let reported: Vec<(&Json, &Json)> =
        found.items().iter().map(|item| (&item["number"], &item["variantId"])).collect();
    assert_eq!(
        reported,
        [(&json!("IN-1"), &json!(box_)), (&json!("IN-1"), &json!(phone)), (&json!("IN-2"), &json!(box_))]
    );
    let expected = json!({
        "orderId": first.id, "orderItemId": first.item_id(0), "number": "IN-1", "kind": "STANDARD",
        "supplierId": buyer.supplier, "warehouseId": buyer.main, "variantId": box_, "quantity": "5.000000",
        "receivedQuantity": "2.000000", "pendingQuantity": "3.000000", "expectedOn": "2027-04-01",
        "shippedQuantity": null,
    });
    assert_eq!(found.items()[0], expected);
    let count = |query: &[(&str, &str)]| shop.list("purchases/incoming", query).is(200).items().len();
    assert_eq!(count(&[("variantId", &box_)]), 2);
    assert_eq!(count(&[("warehouseId", &place)]), 1);
    assert_eq!(count(&[("supplierId", &shop.new_supplier())]), 0);
    assert_eq!(count(&[("legalEntityId", &shop.entity())]), 3);
    assert_eq!(count(&[("expectedFrom", "2027-04-01"), ("expectedTo", "2027-04-01")]), 2);
    assert_eq!(count(&[("expectedTo", "2027-03-31")]), 0);
    assert_eq!(count(&[("limit", "1")]), 1);
    let machine = shop.machine(&["purchases.read"]).get("purchases/incoming").is(200);
    assert_eq!(machine.items().len(), 3);
    assert!(machine.items()[0].get("tenantId").is_none());
    first.receive(json!([first.goods(0, "3")])).is(201);
    assert_eq!(count(&[("variantId", &box_)]), 1, "a line that has come is expected no longer");
}

fn settings_are_a_managers(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let before = shop.get("purchases/settings").is(200);
    // [T30]
    assert_eq!((&before["requireSecondApprover"], &before["version"]), (&json!(false), &json!(0)));
    let clerk = shop.colleague(&["purchases.create", "purchases.approve", "purchases.read"]);
    clerk.get("purchases/settings").refused(403, "PERMISSION_DENIED");
    let body = with(&json!({ "requireSecondApprover": true }), json!({ "expectedVersion": 0 }));
    clerk.put("purchases/settings", body.clone()).refused(403, "PERMISSION_DENIED");
    let set = shop.put("purchases/settings", body.clone()).is(200);
    assert_eq!((&set["requireSecondApprover"], &set["version"]), (&json!(true), &json!(1)));
    shop.put("purchases/settings", body).refused(409, "VERSION_CONFLICT");
    let answers = at_once(4, |n| {
        shop.put("purchases/settings", json!({ "expectedVersion": 1, "requireSecondApprover": n % 2 == 0 }))
    });
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert_eq!(shop.get("purchases/settings").is(200)["version"], 2);
    let audited = shop.all("audit", &[("operation", "replaceProcurementSettings")]);
    let changes: Vec<&Json> = audited.iter().filter(|entry| entry["metadata"]["result"] == "SUCCESS").collect();
    assert_eq!(changes.len(), 2);
    assert!(changes.iter().all(|entry| entry["resourceType"] == "PROCUREMENT_SETTINGS"), "{changes:?}");
    assert!(shop.events_like("procurement.settings%").is_empty());
}

fn an_approval_is_written_down(database: Database) {
    let buyer = Buyer::new(database);
    let (one, two) = (buyer.shop.counted(0), buyer.shop.counted(0));
    let order = buyer.draft(json!([line(&one, "1", "1"), line(&two, "1", "1")]));
    let approved = order.approve().is(200);
    let mut reported: Vec<&String> = approved.body.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    reported.sort();
    assert_eq!(reported, ["createdAt", "id", "status", "updatedAt", "version"]);
    assert_eq!((&approved["status"], &approved["version"]), (&json!("APPROVED"), &json!(2)));
    let read = order.read();
    assert!(read["approvedAt"].is_string());
    assert_eq!(read["approvedBy"], read["createdBy"]);
    order.cancel().is(200);
    let events = buyer.shop.events_like("procurement.order.%");
    let reported: Vec<(&str, &Json)> = events.iter().map(|(kind, _, data)| (kind.as_str(), &data["status"])).collect();
    assert_eq!(
        reported,
        [
            ("procurement.order.created", &json!("DRAFT")),
            ("procurement.order.approved", &json!("APPROVED")),
            ("procurement.order.cancelled", &json!("CANCELLED")),
        ]
    );
    // A change of only the incoming quantity is not a change of stock that is reported.
    assert!(buyer.shop.events_like("inventory.updated").is_empty());
}

fn a_warehouse_that_expects_goods_stays_open(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let place = shop.warehouse("PHYSICAL");
    let items = json!([line(&shop.counted(0), "1", "1")]);
    for round in 0..3 {
        let order = buyer.order(&buyer.try_draft(items.clone(), json!({ "warehouseId": place })).is(201).id());
        order.approve().is(200);
        shop.archive(&format!("inventory/warehouses/{place}")).refused(409, "ILLEGAL_STATE");
        order.cancel().is(200);
        assert_eq!(order.status(), "CANCELLED", "round {round}");
    }
    // [E7] Archive races an approval: never is anything expected in an archived warehouse.
    for round in 0..4 {
        let to = shop.warehouse("PHYSICAL");
        let order = buyer.order(&buyer.try_draft(items.clone(), json!({ "warehouseId": to })).is(201).id());
        let answers = at_once(2, |n| match n {
            0 => shop.archive(&format!("inventory/warehouses/{to}")),
            _ => order.approve_at(json!(1)),
        });
        match (answers[0].status, answers[1].status) {
            (200, 409) => assert_eq!(answers[1]["code"], "ARCHIVED", "round {round}: {}", answers[1]),
            (409, 200) => assert_eq!(answers[0]["code"], "ILLEGAL_STATE", "round {round}: {}", answers[0]),
            _ => panic!("round {round}: {} {}", answers[0], answers[1]),
        }
    }
    shop.verified();
}
