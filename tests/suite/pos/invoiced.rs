//! Orders that are billed and collected: only the receipt settles them, whichever comes first. [E326], rule 6

use serde_json::json;
use stoa_tests::company::fresh;
use stoa_tests::tills::{Till, cash, parts, till_with_books};
use stoa_tests::{Database, assert_table, on_both_databases};

on_both_databases![
    rules:
    e326_an_issued_invoice_is_settled_by_the_receipt,
    e326_an_invoice_that_is_partly_paid_stops_the_checkout,
    e326_an_order_that_is_partly_billed_stops_the_checkout,
    an_invoice_after_the_receipt_is_settled_at_once,
    e225_a_price_is_followed_from_quotation_to_collection,
];

fn balance(till: &Till, invoice: &str) -> String {
    till.shop().get(&format!("sales/invoices/{invoice}")).is(200).text("balance")
}

fn e326_an_issued_invoice_is_settled_by_the_receipt(database: Database) {
    let till = till_with_books(database);
    let session = till.open("0");
    let order = till.order_of("10");
    let invoice = till.bill(&order);
    assert_eq!(balance(&till, &invoice), "10.000000");
    session.try_check_out(&order, parts(&[("CARD", "4"), ("CASH", "6")])).is(201);
    assert_eq!(balance(&till, &invoice), "0.000000");
    assert_table!(till.shop().journal_table(&till.counter.entity), @r"
    entry  account              debit  credit
        1  1100 Receivables        10
           1160 Sales clearing             10
        2  1160 Sales clearing     10
           4000 Sales                      10
        3  1020 Card clearing       4
           1000 Cash                6
           1160 Sales clearing             10
        4  1160 Sales clearing      4
           1100 Receivables                 4
        5  1160 Sales clearing      6
           1100 Receivables                 6
    ");
    till.shop().verified();
}

fn e326_an_invoice_that_is_partly_paid_stops_the_checkout(database: Database) {
    let till = till_with_books(database);
    let session = till.open("0");
    let order = till.order_of("10");
    let invoice = till.bill(&order);
    let payment = till.prepay("1");
    let apply = json!({ "expectedVersion": 1, "applications": [{ "invoiceId": invoice, "amount": "1" }] });
    till.shop().post(&format!("sales/payments/{payment}/applications"), apply).is(201);
    session.try_check_out(&order, cash("10")).refused(409, "ILLEGAL_STATE").fault("/orderId", "ORDER_BILLED");
    assert_eq!(till.counter.read(&order)["status"], "CONFIRMED");
    assert_eq!(session.version(), 1);
    till.shop().verified();
}

fn e326_an_order_that_is_partly_billed_stops_the_checkout(database: Database) {
    let till = till_with_books(database);
    let session = till.open("0");
    let service = till.counter.service("10");
    let order = till.order(json!([{ "variantId": service, "quantity": "2" }]));
    let item = till.counter.read(&order)["items"][0]["id"].clone();
    let body = json!({
        "number": fresh("INV-"), "legalEntityId": till.counter.entity, "partyId": till.counter.customer,
        "currencyCode": "EUR", "lines": [{ "orderItemId": item, "quantity": "1" }],
    });
    let invoice = till.shop().post("sales/invoices", body).is(201).id();
    till.shop().post(&format!("sales/invoices/{invoice}/issue"), json!({ "expectedVersion": 1 })).is(200);
    session.try_check_out(&order, cash("20")).refused(409, "ILLEGAL_STATE").fault("/orderId", "ORDER_BILLED");
    till.shop().verified();
}

fn an_invoice_after_the_receipt_is_settled_at_once(database: Database) {
    let till = till_with_books(database);
    let receipt = till.open("0").sell("10", cash("10"));
    let invoice = till.bill(&receipt.text("orderId"));
    assert_eq!(balance(&till, &invoice), "0.000000");
    let void = json!({ "expectedVersion": 2, "reason": "a mistake" });
    till.shop().post(&format!("sales/invoices/{invoice}/void"), void).refused(409, "ILLEGAL_STATE");
    till.shop().verified();
}

fn e225_a_price_is_followed_from_quotation_to_collection(database: Database) {
    let till = till_with_books(database);
    let session = till.open("0");
    let counter = &till.counter;
    let variant = counter.good("10", "5");
    let items = json!([{ "variantId": variant, "quantity": "2", "unitPrice": "9", "priceReason": "first order" }]);
    let quotation = till.shop().post("sales/quotations", counter.quotation(items)).is(201).id();
    let path = format!("sales/quotations/{quotation}");
    till.shop().post(&format!("{path}/send"), json!({ "expectedVersion": 1 })).is(200);
    let quoted = till.shop().get(&path).is(200)["items"][0].clone();
    let accepted = till.shop().post(&format!("{path}/accept"), json!({ "expectedVersion": 2 })).is(201);
    let order = accepted.text("orderId");
    counter.confirm(&order).is(200);
    let invoice = till.bill(&order);
    let receipt = session.try_check_out(&order, cash("20")).is(201);
    assert_eq!((&receipt["total"], &receipt["changeAmount"]), (&json!("18.000000"), &json!("2.000000")));
    let ordered = counter.read(&order)["items"][0].clone();
    for name in ["unitPrice", "listUnitPrice", "priceReason", "priceOrigin", "priceId", "lineTotal"] {
        assert_eq!(ordered[name], quoted[name], "{name}");
    }
    let billed = till.shop().get(&format!("sales/invoices/{invoice}")).is(200);
    assert_eq!((&billed["lines"][0]["unitPrice"], &billed["total"]), (&quoted["unitPrice"], &receipt["total"]));
    assert_eq!((&ordered["unitPrice"], &billed["balance"]), (&json!("9.000000"), &json!("0.000000")));
    till.shop().verified();
}
