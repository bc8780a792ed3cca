//! Units in what other modules do: received, held, sold, brought back and sent back, through the services of stock and units.

use serde_json::{Value as Json, json};
use stoa_tests::assert_table;
use stoa_tests::company::fresh;
use stoa_tests::serials::imei;
use stoa_tests::services::inventory::{
    Call, CustomerReturn, Delivered, DeliveryLine, Disposition, Found, IncomingLine, NewUnit, Receipt, ReceiptLine,
    Received, ReserveLine, Reserved, ReturnLine, Returned, SalesOrder, SentBack, SupplierReturn, SupplierReturnLine,
    Unit, UnitsOf,
};
use stoa_tests::services::{self, Key, id, key, keys, new_key, read_answer};
use stoa_tests::{Company, Database, on_both_databases};

on_both_databases![
    a_unit_is_received_sold_and_brought_back,
    e66_a_unit_comes_back_once_at_what_it_cost,
    e105_receipts_take_new_identities_only,
    charges_are_dealt_over_units,
    units_are_never_chosen,
    mixed_orders_are_all_or_nothing,
    released_units_are_free,
];

on_both_databases![
    rules:
    e24_damaged_units_go_back_for_nothing,
    units_are_reported_to_who_may_know,
];

fn shop(database: Database) -> Company {
    services::host(database).company_with(json!({ "keepsBooks": true }))
}

/// A call that receives new units on one line: the call, and the receipt item.
fn receipt(warehouse: &str, variant: &str, cost: &str, charge: Option<&str>, units: &[NewUnit]) -> (Call, Key) {
    let item = new_key();
    let from = Receipt {
        id: new_key(),
        warehouse_id: key(warehouse),
        location_id: None,
        currency_code: "EUR".to_string(),
        reason: "Delivery note 7".to_string(),
    };
    let line = ReceiptLine {
        receipt_item_id: item,
        variant_id: key(variant),
        quantity: units.len().to_string(),
        unit_cost: cost.to_string(),
        charge: charge.map(str::to_string),
        units: units.to_vec(),
    };
    (Call::Receive(from, vec![line]), item)
}

fn expect(shop: &Company, warehouse: &str, variant: &str, count: usize) {
    let line = IncomingLine { variant_id: key(variant), warehouse_id: key(warehouse), delta: count.to_string() };
    shop.call_inventory::<()>(Call::ChangeIncoming(vec![line]));
}

fn unit(serial: &str) -> NewUnit {
    NewUnit { serial_number: Some(serial.to_string()), imei1: None, imei2: None, condition: None, grade: None }
}

/// Receives units with fresh serial numbers: their ids, and the receipt item.
fn receive(shop: &Company, warehouse: &str, variant: &str, cost: &str, count: usize) -> (Vec<String>, Key) {
    expect(shop, warehouse, variant, count);
    let units: Vec<NewUnit> = (0..count).map(|_| unit(&fresh("RC-"))).collect();
    let (call, item) = receipt(warehouse, variant, cost, None, &units);
    let received: Vec<Received> = shop.call_inventory(call);
    (received[0].unit_ids.iter().copied().map(id).collect(), item)
}

fn order() -> SalesOrder {
    SalesOrder { id: new_key(), number: fresh("SO-") }
}

fn line(variant: &str, quantity: usize, units: &[String]) -> ReserveLine {
    ReserveLine { line: new_key(), variant_id: key(variant), quantity: quantity.to_string(), unit_ids: keys(units) }
}

fn hold(order: &SalesOrder, warehouse: &str, variant: &str, units: &[String]) -> Call {
    Call::Reserve(order.clone(), key(warehouse), vec![line(variant, units.len(), units)])
}

fn delivery(order: &SalesOrder, held: &[Reserved]) -> Call {
    let line = |held: &Reserved| DeliveryLine { reservation_id: held.reservation_id, sale_allocation_id: new_key() };
    Call::Deliver(order.clone(), held.iter().map(line).collect())
}

/// Holds and delivers units: the order, and what was delivered.
fn sell(shop: &Company, warehouse: &str, variant: &str, units: &[String]) -> (SalesOrder, Vec<Delivered>) {
    let order = order();
    let held: Vec<Reserved> = shop.call_inventory(hold(&order, warehouse, variant, units));
    let delivered = shop.call_inventory(delivery(&order, &held));
    (order, delivered)
}

fn back(order: &SalesOrder, warehouse: &str, sold: &Delivered, disposition: Disposition) -> Call {
    let to = CustomerReturn {
        id: new_key(),
        order_id: order.id,
        warehouse_id: key(warehouse),
        location_id: None,
        reason: "Did not like it".to_string(),
    };
    let line = ReturnLine {
        movement_id: sold.movement_id,
        sale_allocation_id: new_key(),
        unit_id: sold.unit_id,
        quantity: "1".to_string(),
        disposition,
    };
    Call::ReturnFromCustomer(to, vec![line])
}

/// Takes a sold unit back: what it cost.
#[track_caller]
fn take_back(
    shop: &Company,
    order: &SalesOrder,
    warehouse: &str,
    sold: &Delivered,
    disposition: Disposition,
) -> Option<String> {
    shop.call_inventory::<Vec<Returned>>(back(order, warehouse, sold, disposition)).remove(0).cost
}

fn a_unit_is_received_sold_and_brought_back(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    let (units, item) = receive(&shop, &main, &phone, "100", 2);
    shop.assert_level(&main, &phone, json!({ "onHand": 2, "available": 2 }));
    let read = shop.serial_unit(&units[0]);
    assert_eq!((&read["purchaseReceiptItemId"], &read["condition"]), (&json!(id(item)), &json!("NEW")));
    let (order, sold) = sell(&shop, &main, &phone, &units[..1]);
    assert_eq!((sold[0].cost.as_deref(), sold[0].currency_code.as_deref()), (Some("100.000000000000"), Some("EUR")));
    let names: [(&str, &str); 4] = [(&phone, "phone"), (&main, "MAIN"), (&units[0], "first"), (&units[1], "second")];
    assert_table!(shop.units_table(&phone, &names), @r"
    unit    status     warehouse
    first   SOLD
    second  AVAILABLE  MAIN
    ");
    assert_table!(shop.stock_table(&names), @r"
    article  warehouse  on hand  available
    phone    MAIN             1          1
    ");
    assert!(shop.serial_unit(&units[0])["saleAllocationId"].is_string());
    // [E33]
    for kind in ["DAMAGE", "LOSS"] {
        shop.move_unit(&units[0], kind, json!({})).refused(409, "UNIT_UNAVAILABLE");
    }
    let cost = take_back(&shop, &order, &main, &sold[0], Disposition::Inspect);
    assert_eq!(cost.as_deref(), Some("100.000000000000"));
    assert_table!(shop.units_table(&phone, &names), @r"
    unit    status     warehouse
    first   RETURNED   MAIN
    second  AVAILABLE  MAIN
    ");
    assert_table!(shop.stock_table(&names), @r"
    article  warehouse  on hand  available  returned
    phone    MAIN             1          1         1
    ");
    // [E47] An inspected unit goes on sale by a transfer into its own warehouse.
    shop.move_unit(&units[0], "TRANSFER", json!({ "toWarehouseId": main })).is(201);
    shop.assert_level(&main, &phone, json!({ "onHand": 2, "available": 2 }));
    assert_eq!(shop.worth(&phone), "200.000000000000");
    let movements = shop.all(&format!("inventory/units/{}/movements", units[0]), &[]);
    let reported: Vec<(&Json, &Json)> =
        movements.iter().map(|row| (&row["movementType"], &row["documentType"])).collect();
    assert_eq!(
        reported,
        [
            (&json!("PURCHASE_RECEIPT"), &Json::Null),
            (&json!("SALE"), &Json::Null),
            (&json!("ADJUSTMENT_IN"), &json!("CUSTOMER_RETURN")),
            (&json!("TRANSFER"), &Json::Null),
        ]
    );
    assert_eq!(movements[1]["reason"], json!(format!("SALES_ORDER {}", order.number)));
}

fn e66_a_unit_comes_back_once_at_what_it_cost(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    let (units, _) = receive(&shop, &main, &phone, "100", 3);
    let (first, sold) = sell(&shop, &main, &phone, &units[..1]);
    take_back(&shop, &first, &main, &sold[0], Disposition::Restock);
    assert_eq!(shop.worth(&phone), "300.000000000000", "as before");
    let again = shop.try_inventory(&[back(&first, &main, &sold[0], Disposition::Restock)]);
    again.refused(409, "UNIT_UNAVAILABLE").at("/lines/0/unitId");
    // Damaged ones are worth nothing.
    let (order, sold) = sell(&shop, &main, &phone, &units[1..2]);
    assert_eq!(take_back(&shop, &order, &main, &sold[0], Disposition::Damaged), None);
    assert_eq!(shop.worth(&phone), "200.000000000000");
    shop.assert_level(&main, &phone, json!({ "onHand": 2, "available": 2, "damaged": 1 }));
    // Sold, bought back, sold again: it comes back by the second sale only.
    let (first, one) = sell(&shop, &main, &phone, &units[2..]);
    let version = shop.serial_unit(&units[2])["version"].clone();
    let body = json!({ "expectedVersion": version, "toWarehouseId": main, "unitCost": "40", "reason": "Bought back" });
    shop.post(&format!("inventory/units/{}/readmissions", units[2]), body).is(201);
    assert_eq!(shop.worth(&phone), "140.000000000000");
    let (second, two) = sell(&shop, &main, &phone, &units[2..]);
    assert_eq!(two[0].cost.as_deref(), Some("40.000000000000"));
    let again = back(&first, &main, &one[0], Disposition::Restock);
    shop.try_inventory(&[again]).refused(409, "UNIT_UNAVAILABLE").at("/lines/0/unitId");
    take_back(&shop, &second, &main, &two[0], Disposition::Restock);
    assert_eq!(shop.worth(&phone), "140.000000000000");
}

fn e105_receipts_take_new_identities_only(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    let same = imei(42);
    let with_imei = |serial: &str| NewUnit { imei1: Some(same.clone()), ..unit(serial) };
    expect(&shop, &main, &phone, 20);
    let (call, _) = receipt(&main, &phone, "100", None, &[unit("KNOWN"), with_imei("WITH")]);
    shop.try_inventory(&[call]).is(201);
    let (call, _) = receipt(&main, &phone, "100", None, &[unit("NEW-1"), unit("known")]);
    shop.try_inventory(&[call]).refused(409, "DUPLICATE").at("/lines/0/units/1");
    let (call, _) = receipt(&main, &phone, "100", None, &[with_imei("NEW-2")]);
    shop.try_inventory(&[call]).refused(409, "DUPLICATE").at("/lines/0/units/0");
    let (call, _) = receipt(&main, &phone, "100", None, &[unit("TWICE"), unit("twice")]);
    shop.try_inventory(&[call]).refused(400, "VALIDATION_FAILED").at("/lines/0/units/1/serialNumber");
    let used = NewUnit { condition: Some("USED".to_string()), ..unit("USED") };
    let (call, _) = receipt(&main, &phone, "100", None, &[used]);
    shop.try_inventory(&[call]).refused(409, "UNIT_CONDITION_MISMATCH");
    shop.assert_level(&main, &phone, json!({ "onHand": 2, "available": 2, "incoming": 18 }));
    // The same identity received by two at once: one wins.
    let answers = stoa_tests::at_once(4, |n| {
        let (call, _) = receipt(&main, &phone, "100", None, &[unit(&format!("RACE-{n}")), unit("RACE")]);
        shop.try_inventory(&[call])
    });
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        answer.refused(409, "DUPLICATE");
    }
    shop.assert_level(&main, &phone, json!({ "onHand": 4, "available": 4, "incoming": 16 }));
}

fn charges_are_dealt_over_units(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    expect(&shop, &main, &phone, 3);
    let units = ["A", "B", "C"].map(|_| unit(&fresh("CH-")));
    let (call, item) = receipt(&main, &phone, "1", Some("10"), &units);
    let received: Vec<Received> = shop.call_inventory(call);
    assert_eq!(received[0].movement_ids.len(), 3);
    let layers = shop.all("inventory/cost-layers", &[("purchaseReceiptItemId", &id(item))]);
    let mut costs: Vec<&str> = layers.iter().filter_map(|layer| layer["unitCost"].as_str()).collect();
    costs.sort_unstable();
    assert_eq!(costs, ["4.333333000000", "4.333333000000", "4.333334000000"]);
    assert!(layers.iter().all(|layer| layer["inventoryUnitId"].is_string()));
    assert_eq!(shop.worth(&phone), "13.000000000000");
}

fn units_are_never_chosen(database: Database) {
    let shop = shop(database);
    let (phone, other, main, away) = (shop.phone(), shop.phone(), shop.main(), shop.warehouse("PHYSICAL"));
    let (units, _) = receive(&shop, &main, &phone, "100", 2);
    let order = order();
    let short = Call::Reserve(order.clone(), key(&main), vec![line(&phone, 2, &units[..1])]);
    let refused = shop.try_inventory(&[short]).refused(409, "UNIT_COUNT_MISMATCH");
    assert_eq!((&refused.errors()[0]["required"], &refused.errors()[0]["identified"]), (&json!(2), &json!(1)));
    shop.try_inventory(&[hold(&order, &main, &other, &units[..1])]).refused(409, "UNIT_UNAVAILABLE");
    shop.try_inventory(&[hold(&order, &away, &phone, &units[..1])]).refused(409, "UNIT_UNAVAILABLE");
    shop.try_inventory(&[hold(&order, &main, &phone, &[id(new_key())])]).refused(409, "UNIT_UNAVAILABLE");
    shop.try_inventory(&[hold(&order, &shop.warehouse("QUARANTINE"), &phone, &units[..1])])
        .refused(409, "CUSTODY_CONFLICT");
    let answers = stoa_tests::at_once(4, |_| shop.try_inventory(&[hold(&self::order(), &main, &phone, &units)]));
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        answer.refused(409, "UNIT_UNAVAILABLE");
    }
}

fn mixed_orders_are_all_or_nothing(database: Database) {
    let shop = shop(database);
    let (phone, box_, main) = (shop.phone(), shop.counted(0), shop.main());
    let (units, _) = receive(&shop, &main, &phone, "100", 2);
    shop.bring(&box_, &main, "3", Some("2")).is(201);
    let order = order();
    let hold =
        |boxes: usize| Call::Reserve(order.clone(), key(&main), vec![line(&box_, boxes, &[]), line(&phone, 2, &units)]);
    shop.try_inventory(&[hold(4)]).refused(409, "INSUFFICIENT_STOCK");
    shop.assert_level(&main, &phone, json!({ "onHand": 2, "available": 2 }));
    let held: Vec<Reserved> = shop.call_inventory(hold(3));
    assert_eq!((held.len(), held.iter().filter(|row| row.unit_id.is_some()).count()), (3, 2));
    let deliver = delivery(&order, &held);
    let delivered: Vec<Delivered> = shop.call_inventory(deliver.clone());
    let costs: Vec<&str> = delivered.iter().filter_map(|row| row.cost.as_deref()).collect();
    assert_eq!(costs, ["6.000000000000", "100.000000000000", "100.000000000000"]);
    shop.assert_level(&main, &phone, json!({}));
    shop.assert_level(&main, &box_, json!({}));
    shop.try_inventory(&[deliver]).refused(409, "ILLEGAL_STATE");
}

fn released_units_are_free(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    let (units, _) = receive(&shop, &main, &phone, "100", 1);
    let order = order();
    let held: Vec<Reserved> = shop.call_inventory(hold(&order, &main, &phone, &units));
    let reservation = held[0].reservation_id;
    let release = |order: Key, why: &str| Call::Release(order, vec![reservation], why.to_string());
    // [E25]
    shop.release(&id(reservation)).refused(409, "ILLEGAL_STATE");
    shop.try_inventory(&[release(new_key(), "No")]).refused(409, "ILLEGAL_STATE");
    shop.call_inventory::<()>(release(order.id, "Cancelled"));
    assert_eq!(shop.serial_unit(&units[0])["status"], "AVAILABLE");
    shop.try_inventory(&[release(order.id, "Again")]).refused(409, "ILLEGAL_STATE");
    shop.assert_level(&main, &phone, json!({ "onHand": 1, "available": 1 }));
}

/// Units go back to their supplier and may come back from there.
fn e24_damaged_units_go_back_for_nothing(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    let (units, item) = receive(&shop, &main, &phone, "100", 3);
    let (_, other_item) = receive(&shop, &main, &phone, "100", 1);
    shop.move_unit(&units[0], "DAMAGE", json!({})).is(201);
    let send = |item: Key, units: &[String]| {
        let to = SupplierReturn { id: new_key(), warehouse_id: key(&main), reason: "Faulty".to_string() };
        let line = SupplierReturnLine {
            receipt_item_id: item,
            receipt_id: new_key(),
            variant_id: key(&phone),
            quantity: units.len().to_string(),
            unit_ids: keys(units),
        };
        Call::ReturnToSupplier(to, vec![line])
    };
    shop.try_inventory(&[send(other_item, &units[..1])]).refused(409, "UNIT_UNAVAILABLE");
    let sent: Vec<SentBack> = shop.call_inventory(send(item, &units[..1]));
    assert_eq!(sent[0].cost.as_deref(), Some("0.000000000000"), "a damaged unit is worth nothing");
    let sent: Vec<SentBack> = shop.call_inventory(send(item, &units[1..]));
    assert_eq!(sent[0].cost.as_deref(), Some("200.000000000000"));
    for unit in &units {
        let read = shop.serial_unit(unit);
        assert_eq!((&read["status"], &read["warehouseId"]), (&json!("RMA"), &Json::Null));
    }
    shop.try_inventory(&[send(item, &units[..1])]).refused(409, "UNIT_UNAVAILABLE");
    assert_eq!(shop.worth(&phone), "100.000000000000");
    let readmit = |to: &str| {
        let version = shop.serial_unit(&units[1])["version"].clone();
        let body = json!({ "expectedVersion": version, "toWarehouseId": to, "unitCost": "90", "reason": "Exchanged" });
        shop.post(&format!("inventory/units/{}/readmissions", units[1]), body)
    };
    readmit(&shop.warehouse_of("PHYSICAL", &shop.other_entity())).refused(409, "CUSTODY_CONFLICT");
    readmit(&main).is(201);
    assert_eq!(shop.worth(&phone), "190.000000000000");
}

fn units_are_reported_to_who_may_know(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    expect(&shop, &main, &phone, 1);
    let same = imei(77);
    let whole = NewUnit { imei1: Some(same.clone()), ..unit("Tell-Me") };
    let (call, item) = receipt(&main, &phone, "100", None, &[whole]);
    let received_unit = shop.call_inventory::<Vec<Received>>(call)[0].unit_ids[0];
    let read = Call::Units(vec![received_unit]);
    let find = Call::Find(vec!["TELL-ME".to_string(), same.clone(), "nobody".to_string()]);
    let answer = shop.try_inventory(&[
        read.clone(),
        find.clone(),
        Call::OfReceiptItems(vec![item, new_key()]),
        Call::OfAllocations(vec![new_key()]),
    ]);
    let answer = answer.is(201);
    let units: Vec<Unit> = read_answer(&answer, 0);
    assert_eq!((units[0].serial_number.as_deref(), units[0].status.as_str()), (Some("Tell-Me"), "AVAILABLE"));
    let found = |identity: &str, unit_id: Option<Key>| Found { identity: identity.to_string(), unit_id };
    assert_eq!(
        read_answer::<Vec<Found>>(&answer, 1),
        [found("TELL-ME", Some(received_unit)), found(&same, Some(received_unit)), found("nobody", None)]
    );
    assert_eq!(read_answer::<Vec<UnitsOf>>(&answer, 2), [UnitsOf { id: item, unit_ids: vec![received_unit] }]);
    assert_eq!(read_answer::<Vec<UnitsOf>>(&answer, 3), []);
    let shop = shop.colleague(&["porter.call", "inventory.read"]);
    let hidden = &shop.call_inventory::<Vec<Unit>>(read)[0];
    assert_eq!((&hidden.serial_number, &hidden.imei1, &hidden.imei2), (&None, &None, &None));
    shop.try_inventory(&[find]).refused(403, "PERMISSION_DENIED");
}
