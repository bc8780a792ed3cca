//! `stoa verify` finds what does not add up: each invariant is broken behind the host's back, and is named.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use stoa_tests::books::{Books, books, day, month, month_day};
use stoa_tests::broken::{assert_found, find_broken};
use stoa_tests::company::fresh;
use stoa_tests::goods::{WHY, bookkeeping};
use stoa_tests::purchases::{Buyer, fresh_serials, line, serials};
use stoa_tests::services::inventory::{
    Call, DeliveryLine, IncomingLine, Receipt, ReceiptLine, ReserveLine, Reserved, SalesOrder,
};
use stoa_tests::services::{self, key};
use stoa_tests::{Company, Database, Stoa, company, on_both_databases};

on_both_databases![
    faults_of_goods_are_found,
    faults_of_purchases_are_found,
    faults_of_books_are_found,
    books_that_forget_goods_are_found,
    entries_that_do_not_fit_their_goods_are_found,
    members_whom_the_directory_does_not_know_are_found,
    an_entry_is_checked_however_many_movements_its_request_made,
    goods_in_transit_are_checked_however_many_orders_there_are,
    units_are_counted_in_any_number_of_places,
    a_company_without_its_record_is_found,
    a_check_that_is_cut_off_says_so,
    a_directory_that_cannot_be_read_hides_no_finding,
    a_running_host_reports_as_the_command_does,
    a_running_host_verifies_known_companies_alone,
];

/// A company with goods in every state: received and brought, held, sold, on a transfer order, with serial numbers.
fn busy(database: Database) -> Company {
    let shop = services::host(database).company();
    let (main, there, box_, phone) = (shop.main(), shop.warehouse("PHYSICAL"), shop.counted(0), shop.phone());
    shop.bring(&box_, &main, "10", Some("2")).is(201);
    let (variant_id, warehouse_id) = (key(&box_), key(&main));
    let incoming = IncomingLine { variant_id, warehouse_id, delta: "5".to_string() };
    let receipt = Receipt {
        id: (1, 0),
        warehouse_id,
        location_id: None,
        currency_code: "EUR".to_string(),
        reason: WHY.to_string(),
    };
    let line = ReceiptLine {
        receipt_item_id: (1, 1),
        variant_id,
        quantity: "5".to_string(),
        unit_cost: "3".to_string(),
        charge: None,
        units: Vec::new(),
    };
    shop.try_inventory(&[Call::ChangeIncoming(vec![incoming]), Call::Receive(receipt, vec![line])]).is(201);
    let order = SalesOrder { id: (2, 2), number: "SO-2".to_string() };
    let line = ReserveLine { line: (2, 1), variant_id, quantity: "2".to_string(), unit_ids: Vec::new() };
    let held: Vec<Reserved> = shop.call_inventory(Call::Reserve(order.clone(), warehouse_id, vec![line]));
    let line = DeliveryLine { reservation_id: held[0].reservation_id, sale_allocation_id: (2, 7) };
    shop.try_inventory(&[Call::Deliver(order, vec![line])]).is(201);
    shop.reserve(&box_, &main, "3").is(201);
    let units = shop.admit(&phone, &main, 2);
    let hold = json!({ "expectedVersion": 1, "reason": WHY });
    shop.post(&format!("inventory/units/{}/reservations", units[0]), hold).is(201);
    let items = json!([{ "variantId": box_, "quantity": "1" }]);
    let transfer = json!({ "fromWarehouseId": main, "toWarehouseId": there, "items": items });
    let transfer = shop.post("inventory/transfer-orders", transfer).is(201).id();
    shop.post(&format!("inventory/transfer-orders/{transfer}/ship"), json!({ "expectedVersion": 1 })).is(200);
    shop
}

fn faults_of_goods_are_found(database: Database) {
    busy(database).verified();
    assert_found(
        || busy(database),
        &[
            ("update inventory_stock set on_hand = reserved where {tenant}", "I1"),
            ("update inventory_stock set reserved = on_hand where {tenant}", "I2"),
            ("update catalog_holding set held = (1 = 0) where {tenant}", "stock-holding"),
            ("update inventory_stock set incoming = on_hand where {tenant}", "incoming"),
            ("update inventory_stock set in_transit = incoming where {tenant}", "transit-stock"),
            ("update inventory_stock set damaged = on_hand where {tenant}", "unit-stock"),
            ("update inventory_warehouse set status = 'ARCHIVED' where {tenant}", "I14"),
            ("update inventory_reservation set status = 'RELEASED' where {tenant}", "I7"),
            ("update inventory_cost_layer set value = unit_cost where {tenant}", "I9"),
            ("update inventory_cost_layer set remaining = quantity where {tenant}", "I8"),
            ("update inventory_cost_layer set spent = (1 = 1) where {tenant}", "I8"),
            ("update inventory_cost_pool set next_seq = 1 where {tenant}", "I8"),
            ("update inventory_cost_layer set receipt_item_id = null where {tenant}", "I16"),
            ("update inventory_sale_balance set returned = sold where {tenant}", "I15"),
            ("update inventory_unit set grade = 'C' where {tenant}", "unit-ledger"),
            ("update inventory_unit set version = version + 1 where {tenant}", "unit-ledger"),
            ("update inventory_unit set warehouse_id = null where {tenant}", "unit-custody"),
            ("update inventory_unit set reservation_id = null where {tenant}", "unit-reservation"),
            ("update inventory_unit set status = 'LOST' where {tenant}", "unit-layer"),
            ("update inventory_unit set serial_number = 'X' where {tenant} and status = 'RESERVED'", "unit-identity"),
            ("update inventory_transfer_item set received = quantity where {tenant}", "transfer-lines"),
        ],
    );
}

/// A company that bought: an import with a shipment, a charge and units received, an order of boxes received in part, a draft.
fn buy_goods(database: Database) -> Company {
    let buyer = Buyer::new(database);
    let (box_, phone) = (buyer.shop.counted(0), buyer.shop.phone());
    let import = buyer.place_import(json!([line(&phone, "3", "100"), line(&box_, "4", "2")]));
    let shipment = import.clear(&[(0, "3"), (1, "2")]);
    let units = json!([import.units(0, serials(&fresh_serials(2)))]);
    let receipt = import.receive_with(units, json!({ "shipmentId": shipment })).is(201).id();
    let item = buyer.receipt(&receipt)["items"][0]["id"].clone();
    import.allocate(&import.charge("9"), &[(item.as_str().unwrap_or_default(), "5")]).is(201);
    let order = buyer.place(json!([line(&box_, "10", "3")]));
    order.receive(json!([order.goods(0, "4")])).is(201);
    buyer.draft(json!([line(&box_, "1", "1")]));
    buyer.shop
}

/// [J1]..[J9] of procurement, and what its records say twice.
fn faults_of_purchases_are_found(database: Database) {
    buy_goods(database).verified();
    assert_found(
        || buy_goods(database),
        &[
            ("update procurement_purchase_item set received = quantity where {tenant}", "J1"),
            ("update procurement_purchase_order set status = 'RECEIVED' where {tenant}", "J2"),
            ("update procurement_purchase_order set approved_at = null where {tenant}", "J2"),
            ("update inventory_stock set incoming = on_hand where {tenant}", "J3"),
            ("update procurement_shipment_item set received = quantity where {tenant}", "J4"),
            ("update procurement_shipment set stage = 'RECEIVED' where {tenant}", "J4"),
            ("update procurement_purchase_item set billed = quantity where {tenant}", "J5"),
            ("update procurement_receipt_balance set quantity = charge_amount where {tenant}", "J5"),
            ("update procurement_purchase_order set number_key = 'x' || number_key where {tenant}", "J6"),
            ("update procurement_supplier set code_key = 'x' || code_key where {tenant}", "J6"),
            ("update inventory_unit set receipt_item_id = null where {tenant}", "J7"),
            ("update procurement_charge set allocated = amount where {tenant}", "J8"),
            ("update procurement_receipt_balance set charge_amount = quantity where {tenant}", "J8"),
            ("update procurement_purchase_order set item_count = item_count + 1 where {tenant}", "J9"),
            ("update procurement_purchase_item set line_total = received_value where {tenant}", "J9"),
            ("update procurement_charge set status = 'ESTIMATED' where {tenant}", "charge-status"),
            ("update procurement_purchase_item set settled = (1 = 1) where {tenant}", "settled"),
            ("update procurement_purchase_item set open = (1 = 0) where {tenant}", "order-line"),
            ("update procurement_purchase_order set warehouse_id = supplier_id where {tenant}", "receipt-order"),
        ],
    );
}

/// Books with a closed month and an entry by hand.
fn closed(database: Database) -> Books {
    let books = books(database);
    books.manual(&month_day(3, 2), "1010", "3000", "5").is(201);
    books.close(&month(3)).is(200);
    books
}

fn faults_of_books_are_found(database: Database) {
    closed(database).shop.verified();
    assert_found(
        || closed(database).shop,
        &[
            ("update ledger_account set used = (1 = 0) where {tenant}", "entry-line"),
            ("update ledger_account set control_role = null where {tenant}", "mapping-control"),
            ("update ledger_account set status = 'ARCHIVED' where {tenant}", "mapping-account"),
            ("update ledger_period set closing_no = closing_no + 1 where {tenant}", "period-total"),
        ],
    );
}

/// I10: goods that are worth something, and books that have no entry of them.
fn books_that_forget_goods_are_found(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    shop.bring(&variant, &main, "10", Some("2")).is(201);
    shop.verified();
    shop.change("update inventory_cost_layer set value = unit_cost where {tenant}");
    assert!(find_broken(&shop).contains("I10"));

    let books = books(database);
    let place = books.shop.warehouse_of("PHYSICAL", &books.entity);
    let variant = books.shop.counted(0);
    books.shop.bring(&variant, &place, "10", Some("2")).is(201);
    books.shop.verified();
    books.call(books.posting(&[("INVENTORY", "debit", "5"), ("CASH_MOVEMENT", "credit", "5")])).is(200);
    assert_eq!(find_broken(&books.shop), BTreeSet::from(["I10".to_string()]));
}

fn entries_that_do_not_fit_their_goods_are_found(database: Database) {
    let books = books(database);
    let place = books.shop.warehouse_of("PHYSICAL", &books.entity);
    let free = books.shop.bring(&books.shop.counted(0), &place, "10", Some("0")).is(201).id();
    let costed = books.shop.bring(&books.shop.counted(0), &place, "10", Some("2")).is(201).id();
    books.shop.verified();
    post_by_another_hand(&books, &costed, "OTHER");
    assert!(find_broken(&books.shop).is_empty(), "another purpose is none of inventory's");
    post_by_another_hand(&books, &free, "ADJUSTMENT");
    assert_eq!(find_broken(&books.shop), BTreeSet::from(["entry-total".to_string()]));
}

fn members_whom_the_directory_does_not_know_are_found(database: Database) {
    let shop = company(database);
    shop.verified();
    // The directory is at home, wherever the company is.
    shop.host.change(&format!("delete from stoa_user_company where tenant_id = {}", shop.literal(&shop.tenant)));
    assert_eq!(find_broken(&shop), BTreeSet::from(["directory".to_string()]));
}

/// Posts an entry of which a movement is the source, as inventory would do itself.
#[track_caller]
fn post_by_another_hand(books: &Books, movement: &str, purpose: &str) {
    let mut posting = books.posting(&[("CASH_OVER_SHORT", "debit", "5"), ("CASH_MOVEMENT", "credit", "5")]);
    posting.source_kind = "INVENTORY_MOVEMENT".to_string();
    posting.source_id = key(movement);
    posting.purpose = purpose.to_string();
    posting.on = Some(day(0));
    posting.text = fresh("By another hand ");
    books.call(posting).is(200);
}

/// 2,101 movements of one request and instant, which is more than one reply of the store holds.
fn an_entry_is_checked_however_many_movements_its_request_made(database: Database) {
    let books = books(database);
    let place = books.shop.warehouse_of("PHYSICAL", &books.entity);
    let free = books.shop.bring(&books.shop.counted(0), &place, "10", Some("0")).is(201).id();
    books.shop.copy_rows("inventory_movement", "1 = 1", 2_100, &[]);
    assert!(!find_broken(&books.shop).contains("entry-total"));
    post_by_another_hand(&books, &free, "ADJUSTMENT");
    assert!(find_broken(&books.shop).contains("entry-total"));
}

/// 2,101 orders on their way, which is more than one reply of the store holds.
fn goods_in_transit_are_checked_however_many_orders_there_are(database: Database) {
    let shop = busy(database);
    let id = shop.numbered_id("s.n");
    let number = "t.number_key || cast(s.n as text)";
    shop.copy_rows("inventory_transfer_order", "1 = 1", 2_100, &[("id", &id), ("number_key", number)]);
    shop.copy_rows("inventory_transfer_item", "1 = 1", 2_100, &[("order_id", &id)]);
    let found = find_broken(&shop);
    assert!(found.contains("transit-stock") && found.contains("incoming"), "{found:?}");
    // One piece travels on each.
    shop.change("update inventory_stock set incoming = incoming * 2101, in_transit = in_transit * 2101 where {tenant}");
    let found = find_broken(&shop);
    assert!(!found.contains("transit-stock") && !found.contains("incoming"), "{found:?}");
}

/// Units of 61 variants in 61 warehouses, each of them in each: more groups than one reply of the store holds.
fn units_are_counted_in_any_number_of_places(database: Database) {
    let shop = company(database);
    let (main, phone) = (shop.main(), shop.phone());
    shop.admit(&phone, &main, 1);
    let (variant, warehouse) = (shop.numbered_id("(s.n - 1) / 60"), shop.numbered_id("(s.n - 1) % 60"));
    shop.copy_rows("inventory_unit", "1 = 1", 3_600, &[("variant_id", &variant), ("warehouse_id", &warehouse)]);
    let number = shop.numbered_id("s.n - 1");
    shop.copy_rows("inventory_stock", "1 = 1", 60, &[("variant_id", &number), ("warehouse_id", &number)]);
    assert!(!find_broken(&shop).contains("unit-stock"));
    let last = shop.numbered_id("59");
    shop.change(&format!(
        "update inventory_unit set status = 'DAMAGED' where {{tenant}} and variant_id = {last} and warehouse_id = {last}"
    ));
    assert!(find_broken(&shop).contains("unit-stock"));
}

/// A company that was copied without its own record has rows that no check would read.
fn a_company_without_its_record_is_found(database: Database) {
    let host = Stoa::start(database);
    let (shop, other) = (host.company(), host.company());
    shop.change("delete from stoa_tenant where {id}");
    let (status, report) = verify(&host, &[]);
    assert_eq!((status, &report["companies"]), (Some(1), &json!(1)), "{report}");
    let finding = &report["findings"][0];
    assert_eq!((&finding["tenantId"], &finding["invariant"]), (&json!(shop.tenant), &json!("company")), "{report}");
    assert_eq!(verify(&host, &["--tenant", &shop.tenant]).0, Some(1));
    assert_eq!(verify(&host, &["--tenant", &other.tenant]).0, Some(0));
    assert_eq!(verify(&host, &["--tenant", &uuid::Uuid::now_v7().to_string()]).0, Some(2), "nothing was checked");
}

/// A machine that is too slow breaks no invariant.
fn a_check_that_is_cut_off_says_so(database: Database) {
    let host = Stoa::start(database);
    let (one, two) = (host.company(), host.company());
    let mut command = host.command();
    let output =
        command.args(["verify", "--json"]).env("STOA_HEAVY_READ_TIMEOUT", "1us").output().expect("cannot run stoa");
    let report: Json = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!((output.status.code(), &report["findings"]), (Some(2), &json!([])), "{output:?}");
    let unfinished = report["unfinished"].as_array().cloned().unwrap_or_default();
    let companies: BTreeSet<&str> = unfinished.iter().filter_map(|stopped| stopped["tenantId"].as_str()).collect();
    assert_eq!(companies, BTreeSet::from([one.tenant.as_str(), two.tenant.as_str()]), "it goes on");
}

/// The check of the directory is unfinished, and those of the modules report what they find.
fn a_directory_that_cannot_be_read_hides_no_finding(database: Database) {
    let host = Stoa::start(database);
    let (one, two) = (host.company(), host.company());
    one.bring(&one.counted(0), &one.main(), "10", Some("2")).is(201);
    one.change("update inventory_warehouse set status = 'ARCHIVED' where {tenant}");
    let broken = find_broken(&one);
    assert!(broken.contains("I14"), "{broken:?}");
    host.change("drop table stoa_user_company");
    let (status, report) = verify(&host, &["--tenant", &one.tenant, "--tenant", &two.tenant]);
    let unfinished = report["unfinished"].as_array().cloned().unwrap_or_default();
    let stopped = |stopped: &Json| (stopped["tenantId"].to_string(), stopped["module"].to_string());
    let expected = [&one, &two].map(|shop| (json!(shop.tenant).to_string(), json!("platform").to_string()));
    assert_eq!(unfinished.iter().map(stopped).collect::<BTreeSet<_>>(), BTreeSet::from(expected), "{report}");
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let invariant = |finding: &Json| finding["invariant"].as_str().map(str::to_string);
    assert_eq!(findings.iter().filter_map(invariant).collect::<BTreeSet<_>>(), broken, "{report}");
    assert_eq!(status, Some(1), "a finding is reported before what is unfinished");
    assert_eq!(verify(&host, &["--tenant", &two.tenant]).0, Some(2));
}

fn a_running_host_reports_as_the_command_does(database: Database) {
    let shop = busy(database);
    let other = shop.host.company();
    shop.change("update inventory_unit set serial_number = 'X' where {tenant} and status = 'RESERVED'");
    let reported = shop.host.console().post("verify", json!({ "tenantIds": [shop.tenant, other.tenant] })).is(200).body;
    assert_eq!(reported["companies"], 2, "{reported}");
    assert!(!reported["findings"].as_array().expect("a list").is_empty(), "{reported}");
    let arguments = ["--tenant", &shop.tenant, "--tenant", &other.tenant];
    assert_eq!(verify(&shop.host, &arguments), (Some(1), reported));
}

fn a_running_host_verifies_known_companies_alone(database: Database) {
    let shop = company(database);
    let console = shop.host.console();
    let ask = |tenants: Json| console.post("verify", json!({ "tenantIds": tenants }));
    let (unknown, many) = (uuid::Uuid::now_v7(), (0..101).map(|_| uuid::Uuid::now_v7()).collect::<Vec<_>>());
    ask(json!([shop.tenant, unknown])).refused(404, "NOT_FOUND");
    for wrong in [json!([]), json!(many), json!(["everything"]), Json::Null] {
        ask(wrong).refused(400, "VALIDATION_FAILED");
    }
    console.send("POST", "verify", &[], Vec::new()).refused(400, "VALIDATION_FAILED");
    ask(json!([shop.tenant])).is(200);
    let of_this = format!("operation = 'verify' and metadata like '%{}%'", shop.tenant);
    let written = shop.host.rows(&format!("select actor, result from stoa_operator_audit where {of_this}"));
    assert_eq!(written, [["dev", "SUCCESS"]]);
}

/// The exit status and the report of `stoa verify --json`.
fn verify(host: &Stoa, arguments: &[&str]) -> (Option<i32>, Json) {
    let output = host.command().args(["verify", "--json"]).args(arguments).output().expect("cannot run stoa");
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or_default())
}
