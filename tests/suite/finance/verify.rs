//! `stoa verify` finds what does not add up in finance: each invariant is broken behind the host's back, and is named.
//! [FI1] to [FI12]

use serde_json::json;
use stoa_tests::billing::Office;
use stoa_tests::broken::assert_found;
use stoa_tests::company::fresh;
use stoa_tests::drawer::component;
use stoa_tests::goods::WHY;
use stoa_tests::services::finance::Direction;
use stoa_tests::{Database, on_both_databases};

on_both_databases![what_does_not_add_up_is_found];

/// A company with documents of every kind, in nearly every state.
fn busy(database: Database) -> Office {
    let office = Office::with_services(database, true);
    for desk in office.desks() {
        let (open, paid) = (desk.owe("100"), desk.owe("30"));
        desk.pay_for("50", &[(&open, "20"), (&paid, "30")]);
        let credit = desk.grant("20");
        desk.apply(&credit, &[(&open, "5")]).is(201);
        desk.give_back(&credit, "5");
        let bounced = desk.pay_for("10", &[(&open, "10")]);
        desk.step(&bounced, "reverse", json!({ "reason": WHY })).is(200);
        desk.void(&format!("invoices/{}", desk.owe("7")), json!({})).is(200);
    }
    let lines = json!([{ "variantId": office.counter.good("10", "5"), "quantity": "1", "amount": "3" }]);
    let credit = office.sales.request("3", json!({ "lines": lines }));
    office.sales.recognize(&credit, json!({})).is(200);
    let (phone, units) = office.counter.phone("300", 2);
    let sold = office.counter.deliver(json!([{ "variantId": phone, "quantity": "2", "unitIds": units }]));
    let sold = office.counter.read(&sold)["items"][0]["id"].clone();
    office.sales.issue(json!([{ "orderItemId": sold, "quantity": "1", "unitIds": units[..1] }]));
    let drawer = office.drawer("100");
    drawer.checkout(&office.order("50"), &[component(1, "CASH", "20"), component(2, "CARD", "30")]);
    drawer.try_move(Direction::Out, "15").is(201);
    let item = office.buyer.stock(&office.shop.counted(0), "3", "10");
    let body = json!({
        "number": fresh("RET-"), "legalEntityId": office.entity, "partyId": office.purchases.party,
        "warehouseId": office.buyer.main, "reason": WHY, "lines": [{ "receiptItemId": item, "quantity": "1" }],
    });
    let back = office.shop.post("purchases/returns", body).is(201).id();
    office.shop.post(&format!("purchases/returns/{back}/ship"), json!({ "expectedVersion": 1 })).is(200);
    office
}

fn what_does_not_add_up_is_found(database: Database) {
    busy(database).sound();
    let cases = [
        ("update finance_invoice_balance set applied = balance where {tenant}", "FI1"),
        ("delete from finance_invoice_balance where {tenant}", "FI1"),
        ("update finance_funds set available = applied where {tenant}", "FI2"),
        ("update finance_funds set refunded = applied where {tenant}", "FI2"),
        ("delete from finance_funds where {tenant}", "FI2"),
        ("update finance_payment set currency_code = 'USD' where {tenant}", "FI3"),
        ("update finance_credit set party_id = legal_entity_id where {tenant}", "FI3"),
        ("update sales_sales_order_item set billed = quantity where {tenant}", "FI4"),
        ("update finance_unit_claim set invoice_id = null where {tenant}", "FI5"),
        ("update finance_return_progress set returned = received where {tenant}", "FI6"),
        ("update finance_payment set receipt_id = null where {tenant}", "FI7"),
        ("update finance_till set expected = opening where {tenant}", "FI8"),
        ("update finance_invoice_balance set settled_on = null where {tenant}", "FI10"),
        ("update finance_invoice_balance set balance = applied where {tenant}", "FI11"),
        ("update inventory_cost_layer set value = unit_cost where {tenant}", "FI11"),
        ("update finance_credit set line_set_id = id where {tenant}", "FI12"),
    ];
    assert_found(|| busy(database).shop, &cases);
}
