//! Rights to receive, and to know which units came: permissions and scopes of receipts, projections, reads in the audit.
//! [E109], [E110], [E116]

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::purchases::{Buyer, Order, line, serials};
use stoa_tests::serials::imei;
use stoa_tests::services::inventory::{
    Call, DeliveryLine, ReserveLine, Reserved, SalesOrder, SupplierReturn, SupplierReturnLine,
};
use stoa_tests::services::{self, key, keys, new_key};
use stoa_tests::{Answer, Database, eventually, on_both_databases};

on_both_databases![
    e110_a_receipt_asks_for_both_rights,
    keys_read_receipts_without_units,
    units_of_a_receipt_are_shown_to_who_may_know,
    reads_of_units_are_audited,
    nothing_written_names_a_unit,
    e116_sold_and_returned_units_are_known,
];

/// A buyer whose order of two phones was received, and everything that identifies these.
struct Known {
    buyer: Buyer,
    order: Order,
    receipt: String,
    secrets: Vec<String>,
}

fn receive_known(database: Database) -> Known {
    let buyer = Buyer::new(database);
    let order = buyer.place(json!([line(&buyer.shop.phone(), "3", "77.123456")]));
    let stem = 80_000 + u64::from(std::process::id()) % 1_000;
    let secrets = vec![fresh("SECRET-"), imei(stem), imei(stem + 1_000)];
    let units = json!([{ "serialNumber": secrets[0] }, { "imei1": secrets[1], "imei2": secrets[2] }]);
    let receipt = order.receive(json!([order.units(0, units)])).is(201).id();
    Known { buyer, order, receipt, secrets }
}

impl Known {
    #[track_caller]
    fn keeps_secrets(&self, answer: &Answer) {
        let text = answer.body.to_string();
        for secret in &self.secrets {
            assert!(!text.contains(secret), "{secret} is reported: {answer}");
        }
    }
}

fn e110_a_receipt_asks_for_both_rights(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let order = buyer.place(json!([line(&shop.counted(0), "9", "1")]));
    let path = format!("{}/receipts", order.path());
    for scopes in [&["purchases.write", "purchases.read"][..], &["inventory.write", "purchases.read"]] {
        let machine = shop.machine(scopes);
        machine.post(&path, order.receipt_body(json!([order.goods(0, "1")]))).refused(403, "SCOPE_DENIED");
    }
    for permissions in [&["purchases.create", "purchases.read"][..], &["inventory.adjust", "purchases.read"]] {
        let person = buyer.as_person(&shop.colleague(permissions));
        let order = person.order(&order.id);
        order.receive(json!([order.goods(0, "1")])).refused(403, "PERMISSION_DENIED");
    }
    let machine = shop.machine(&["purchases.write", "inventory.write"]);
    let answer = machine.post(&path, order.receipt_body(json!([order.goods(0, "1")]))).is(201);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let receipt = buyer.receipt(&answer.id());
    assert_eq!(
        (receipt.text("actorType"), receipt.text("actorId")),
        ("API_CLIENT".to_string(), machine.client.clone())
    );
    let person = buyer.as_person(&shop.colleague(&["purchases.create", "inventory.adjust", "purchases.read"]));
    let order = person.order(&order.id);
    order.receive(json!([order.goods(0, "1")])).is(201);
}

fn keys_read_receipts_without_units(database: Database) {
    let known = receive_known(database);
    let shop = &known.buyer.shop;
    let machine = shop.machine(&["purchases.read", "purchases.write", "inventory.read", "inventory.write"]);
    let read = machine.get(&format!("purchases/receipts/{}", known.receipt)).is(200);
    known.keeps_secrets(&read);
    assert_eq!(read["items"][0]["unitCount"], 2);
    let lists = [
        "purchases/receipts".to_string(),
        format!("{}/receipts", known.order.path()),
        known.order.path(),
        "purchases/orders".to_string(),
        "purchases/incoming".to_string(),
        "inventory/movements".to_string(),
    ];
    let answers: Vec<Answer> = lists.iter().map(|path| machine.get(path).is(200)).chain([read]).collect();
    for answer in &answers {
        known.keeps_secrets(answer);
        // [T32]
        for hidden in ["tenantId", "billedQuantity", "actorId", "requestId", "chargeAmount", "unitId", "\"units\""] {
            assert!(!answer.body.to_string().contains(hidden), "{hidden}: {answer}");
        }
    }
    // A key receives goods, and its answer names none of their units.
    let body = known.order.receipt_body(json!([known.order.units(0, serials(&[fresh("KEY-")]))]));
    let written = machine.post(&format!("{}/receipts", known.order.path()), body).is(201);
    let mut reported: Vec<&String> = written.body.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    reported.sort();
    assert_eq!(reported, ["createdAt", "id", "items", "orderId", "orderVersion"]);
    assert!(!written.tells("unit"), "{written}");
}

fn units_of_a_receipt_are_shown_to_who_may_know(database: Database) {
    let known = receive_known(database);
    let shop = &known.buyer.shop;
    let read = known.buyer.receipt(&known.receipt);
    let units = read["items"][0]["units"].as_array().expect("units").clone();
    let reported: Vec<&Json> =
        units.iter().flat_map(|unit| ["serialNumber", "imei1", "imei2"].map(|slot| &unit[slot])).collect();
    for secret in &known.secrets {
        assert!(reported.contains(&&json!(secret)), "{secret}: {read}");
    }
    assert!(units.iter().all(|unit| unit["unitId"].is_string() && unit["status"] == "AVAILABLE"));
    // The state is that of now.
    let unit = units[0]["unitId"].as_str().unwrap_or_default();
    shop.move_unit(unit, "DAMAGE", json!({})).is(201);
    let again = known.buyer.receipt(&known.receipt);
    let states: Vec<&Json> =
        again["items"][0]["units"].as_array().into_iter().flatten().map(|unit| &unit["status"]).collect();
    assert!(states.contains(&&json!("DAMAGED")), "{again}");
    let clerk = shop.colleague(&["purchases.read", "inventory.read"]);
    let hidden = clerk.get(&format!("purchases/receipts/{}", known.receipt)).is(200);
    known.keeps_secrets(&hidden);
    assert_eq!(
        (hidden["items"][0].get("units").filter(|units| !units.is_null()), &hidden["items"][0]["unitCount"]),
        (None, &json!(2))
    );
    // Costs of charges are another right; the prices agreed with the supplier are for buyers.
    assert_eq!(hidden["items"][0]["unitCost"], "77.123456");
    for path in ["purchases/receipts".to_string(), format!("{}/receipts", known.order.path()), known.order.path()] {
        known.keeps_secrets(&shop.get(&path).is(200));
    }
    shop.colleague(&["inventory.read", "inventory.serials.read"])
        .get(&format!("purchases/receipts/{}", known.receipt))
        .refused(403, "PERMISSION_DENIED");
}

fn reads_of_units_are_audited(database: Database) {
    let known = receive_known(database);
    let shop = &known.buyer.shop;
    let audited = |operation: &str| shop.count("stoa_audit", &format!("operation = '{operation}'"));
    assert_eq!(audited("getGoodsReceipt"), 0);
    known.buyer.receipt(&known.receipt);
    known.order.read();
    shop.get("purchases/receipts").is(200);
    eventually(|| (audited("getGoodsReceipt") == 1).then_some(()));
    assert_eq!((audited("getPurchaseOrder"), audited("listGoodsReceipts")), (0, 0));
}

fn nothing_written_names_a_unit(database: Database) {
    let known = receive_known(database);
    let shop = &known.buyer.shop;
    for table in ["stoa_event", "stoa_audit"] {
        let rows = shop.rows(&format!("select * from {table} where {{tenant}}")).concat().concat();
        for secret in &known.secrets {
            assert!(!rows.contains(secret), "an identity is in {table}");
        }
    }
    let units: Vec<String> =
        shop.all("inventory/units", &[]).iter().filter_map(|unit| unit["id"].as_str().map(String::from)).collect();
    assert_eq!(units.len(), 2);
    let events = shop.rows("select data from stoa_event where {tenant}").concat().concat();
    for unit in &units {
        assert!(!events.contains(unit), "a unit is in an event");
    }
    // A rejection names no unit either, to any caller.
    let taken = known.order.units(0, serials(&known.secrets[..1]));
    let refused = known.order.receive(json!([taken])).refused(409, "DUPLICATE");
    known.keeps_secrets(&refused);
    assert!(units.iter().all(|unit| !refused.body.to_string().contains(unit)), "{refused}");
}

fn e116_sold_and_returned_units_are_known(database: Database) {
    let shop = services::host(database).company();
    let buyer = Buyer::from_shop(shop.clone());
    let phone = shop.phone();
    let order = buyer.place(json!([line(&phone, "4", "100")]));
    let numbers = ["Sold-1", "Rma-1"];
    let receipt = order.receive(json!([order.units(0, serials(&numbers))])).is(201).id();
    let read = buyer.receipt(&receipt);
    let item = &read["items"][0];
    let unit = |serial: &str| {
        let units = item["units"].as_array().into_iter().flatten();
        let found = units.into_iter().find(|unit| unit["serialNumber"] == serial);
        found.and_then(|unit| unit["unitId"].as_str()).expect("a unit").to_string()
    };
    let document = SalesOrder { id: new_key(), number: fresh("SO-") };
    let sold = ReserveLine {
        line: new_key(),
        variant_id: key(&phone),
        quantity: "1".to_string(),
        unit_ids: keys(&[unit("Sold-1")]),
    };
    let held: Vec<Reserved> = shop.call_inventory(Call::Reserve(document.clone(), key(&buyer.main), vec![sold]));
    let lines = vec![DeliveryLine { reservation_id: held[0].reservation_id, sale_allocation_id: new_key() }];
    shop.call_inventory::<Json>(Call::Deliver(document, lines));
    let back = SupplierReturnLine {
        receipt_item_id: key(item["id"].as_str().unwrap_or_default()),
        receipt_id: key(&receipt),
        variant_id: key(&phone),
        quantity: "1".to_string(),
        unit_ids: keys(&[unit("Rma-1")]),
    };
    let to = SupplierReturn { id: new_key(), warehouse_id: key(&buyer.main), reason: "Faulty".to_string() };
    shop.call_inventory::<Json>(Call::ReturnToSupplier(to, vec![back]));
    for (serial, status) in [("Sold-1", "SOLD"), ("Rma-1", "RMA")] {
        assert_eq!(shop.serial_unit(&unit(serial))["status"], status);
        let again = order.receive(json!([order.units(0, serials(&[serial.to_uppercase()]))]));
        let refused = again.refused(409, "DUPLICATE");
        assert!(refused.pointers()[0].starts_with("/items/0/units/0"), "{refused}");
    }
    shop.assert_level(&buyer.main, &phone, json!({ "incoming": 2 }));
}
