//! Sales' services for finance and the register. [E253]; `sell`, `bill`, `deliver`, and the figures of what was sold.

use serde_json::{Value as Json, json};
use stoa_tests::books::day;
use stoa_tests::selling::{Counter, counter_with_services};
use stoa_tests::services::sales::{
    BillLine, Call, Customer, Figure, Group, Order, Question, Report, Sale, SellLine, Status,
};
use stoa_tests::services::{id, key, new_key};
use stoa_tests::{Database, on_both_databases};

on_both_databases![
    customers_are_returned_by_their_ids,
    an_order_is_delivered_for_another_document,
    a_sale_that_is_refused_leaves_nothing,
    what_was_sold_is_summed_in_groups,
];

on_both_databases![
    rules:
    e253_what_is_billed_is_not_cancelled,
    nothing_is_billed_twice,
    an_invoice_sells_at_once_and_once,
];

fn one(variant: &str, quantity: &str) -> Json {
    json!([{ "variantId": variant, "quantity": quantity }])
}

#[track_caller]
fn orders(counter: &Counter, order: &str) -> Order {
    counter.call::<Vec<Order>>(Call::Items(vec![key(order)], Vec::new(), true)).remove(0)
}

fn sale(counter: &Counter, lines: Vec<SellLine>) -> Sale {
    Sale {
        invoice_id: new_key(),
        number: stoa_tests::company::fresh("INV-"),
        customer_id: key(&counter.customer),
        legal_entity_id: key(&counter.entity),
        warehouse_id: key(&counter.main),
        price_list_id: key(&counter.list),
        lines,
    }
}

fn sell_line(variant: &str, quantity: &str, price: Option<&str>, units: &[String], index: usize) -> SellLine {
    SellLine {
        variant_id: key(variant),
        quantity: quantity.to_string(),
        unit_price: price.map(str::to_string),
        reason: None,
        unit_ids: units.iter().map(|unit| key(unit)).collect(),
        pointer: format!("/lines/{index}"),
    }
}

fn customers_are_returned_by_their_ids(database: Database) {
    let counter = counter_with_services(database, false);
    let profile = json!({ "code": "TERMS", "name": "Terms", "profile": { "paymentTermDays": 14 } });
    let other = counter.shop.post("sales/customers", profile).is(201).id();
    let mut reported: Vec<Customer> =
        counter.call(Call::Customers(vec![key(&other), new_key(), key(&counter.customer)]));
    reported.sort_by_key(|customer| customer.code == "TERMS");
    assert_eq!(reported.iter().map(|customer| customer.payment_term_days).collect::<Vec<_>>(), [None, Some(14)]);
    assert!(reported.iter().all(|customer| customer.active));
}

fn e253_what_is_billed_is_not_cancelled(database: Database) {
    let counter = counter_with_services(database, false);
    let variant = counter.good("10", "5");
    let order = counter.draft_of(&variant, "2");
    counter.confirm(&order).is(200);
    let item_id = orders(&counter, &order).items[0].id;
    let bill = |quantity: &str| {
        counter.call::<()>(Call::Bill(vec![BillLine { item_id, quantity: quantity.to_string() }]));
    };
    bill("1");
    counter.cancel(&order, 2).refused(409, "ILLEGAL_STATE").fault("/items/0", "ORDER_BILLED");
    assert_eq!(counter.read(&order)["items"][0]["billedQuantity"], "1.000000");
    assert_eq!(counter.read(&order)["version"], 2, "billing leaves the version");
    bill("-1");
    counter.cancel(&order, 2).is(200);
    counter.shop.verified();
}

fn nothing_is_billed_twice(database: Database) {
    let counter = counter_with_services(database, false);
    let variant = counter.good("10", "5");
    let order = counter.draft_of(&variant, "2");
    let item_id = orders(&counter, &order).items[0].id;
    let bill = |quantity: &str| {
        counter.try_services(&[Call::Bill(vec![BillLine { item_id, quantity: quantity.to_string() }])])
    };
    bill("1").refused(409, "ILLEGAL_STATE").at("/lines/0");
    counter.confirm(&order).is(200);
    bill("2").is(201);
    bill("0.000001").refused(409, "LIMIT_EXCEEDED").at("/lines/0");
    bill("-3").refused(409, "LIMIT_EXCEEDED").at("/lines/0");
    assert_eq!(orders(&counter, &order).items[0].billed, "2.000000");
    counter.shop.verified();
}

fn an_order_is_delivered_for_another_document(database: Database) {
    let counter = counter_with_services(database, true);
    let variant = counter.good("10", "5");
    let order = counter.draft_of(&variant, "2");
    counter.confirm(&order).is(200);
    let receipt = new_key();
    counter.try_services(&[Call::Deliver(key(&order), 1, None)]).refused(409, "VERSION_CONFLICT");
    let delivered: Order = counter.call(Call::Deliver(key(&order), 2, Some(receipt)));
    assert_eq!((delivered.status, delivered.version, delivered.receipt_id), (Status::Completed, 3, Some(receipt)));
    assert!(delivered.items[0].allocations[0].movement_id.is_some());
    counter.try_services(&[Call::Deliver(key(&order), 3, None)]).refused(409, "ILLEGAL_STATE");
    assert_eq!(counter.shop.list("sales/orders", &[("collected", "true")]).is(200).ids(), [order]);
    counter.shop.verified();
}

fn an_invoice_sells_at_once_and_once(database: Database) {
    let counter = counter_with_services(database, true);
    let (good, service) = (counter.good("10", "5"), counter.service("3"));
    let (phone, units) = counter.phone("300", 2);
    let lines = vec![
        sell_line(&good, "2", Some("9"), &[], 0),
        sell_line(&phone, "2", None, &units, 1),
        sell_line(&service, "1", Some("3"), &[], 2),
    ];
    let sale = sale(&counter, lines);
    let sold: Order = counter.call(Call::Sell(sale.clone()));
    assert_eq!((sold.status, sold.version, sold.total.as_str()), (Status::Completed, 3, "621.000000000000"));
    let order = id(sold.id);
    let read = counter.read(&order);
    assert_eq!((&read["version"], &read["invoiceId"]), (&json!(3), &json!(id(sale.invoice_id))));
    let first = &read["items"][0];
    assert_eq!((&first["priceOrigin"], &first["listUnitPrice"]), (&json!("SALES_INVOICE"), &json!("10.000000")));
    assert_eq!(counter.sale_kinds(), ["sale.created", "sale.confirmed", "sale.completed"]);
    assert_eq!(counter.shop.serial_unit(&units[0])["status"], "SOLD");
    let again = Sale { number: "OTHER".to_string(), lines: vec![sell_line(&good, "1", None, &[], 0)], ..sale };
    counter.try_services(&[Call::Sell(again)]).refused(409, "DUPLICATE").at("/invoice");
    counter.shop.verified();
}

fn a_sale_that_is_refused_leaves_nothing(database: Database) {
    let counter = counter_with_services(database, true);
    let good = counter.good("10", "1");
    let (phone, _) = counter.phone("300", 1);
    for (lines, code, pointer) in [
        (vec![sell_line(&good, "2", None, &[], 4)], "INSUFFICIENT_STOCK", "/lines/4/quantity"),
        (vec![sell_line(&phone, "1", None, &[], 5)], "UNIT_COUNT_MISMATCH", "/lines/5"),
        (
            vec![sell_line(&good, "1", None, &[], 6), sell_line(&good, "1", None, &[], 7)],
            "REFERENCE_INVALID",
            "/lines/7/variantId",
        ),
    ] {
        counter.try_services(&[Call::Sell(sale(&counter, lines))]).refused(409, code).at(pointer);
    }
    assert!(counter.shop.all("sales/orders", &[]).is_empty());
    assert_eq!(counter.shop.figure(&good, &counter.main, "reserved"), "0.000000");
    assert!(counter.sale_kinds().is_empty());
}

fn what_was_sold_is_summed_in_groups(database: Database) {
    let counter = counter_with_services(database, true);
    let (good, service) = (counter.good("10", "9"), counter.service("3"));
    let order =
        counter.deliver(json!([{ "variantId": good, "quantity": "2" }, { "variantId": service, "quantity": "1" }]));
    counter.deliver(one(&good, "1"));
    let item = counter.read(&order)["items"][0]["id"].clone();
    let back = json!({ "orderId": order, "reason": "no", "items": [{ "itemId": item, "quantity": "1" }] });
    let back = counter.shop.post("sales/returns", back).is(201).id();
    counter.shop.post(&format!("sales/returns/{back}/receive"), json!({ "expectedVersion": 1 })).is(200);
    let figures = |by: Group, cursor: Option<String>, limit: u32| -> Report {
        counter.call(Call::Figures(Question {
            legal_entity_id: key(&counter.entity),
            currency_code: "EUR".to_string(),
            since: day(-1),
            until: day(1),
            by,
            customer_id: None,
            variant_id: None,
            branch_id: None,
            warehouse_id: None,
            cursor,
            limit,
        }))
    };
    let short = |row: &Figure| {
        let figure = |text: &str| text.trim_end_matches('0').trim_end_matches('.').to_string();
        (row.documents, figure(&row.quantity), figure(&row.revenue), row.cost.as_deref().map(figure))
    };
    let expected = |documents: u64, quantity: &str, revenue: &str, cost: &str| {
        (documents, quantity.to_string(), revenue.to_string(), Some(cost.to_string()))
    };
    let days = figures(Group::Day, None, 50);
    assert_eq!(days.rows.iter().map(short).collect::<Vec<_>>(), [expected(2, "3", "33", "2")]);
    assert_eq!(short(&days.total), expected(2, "3", "33", "2"));
    assert_eq!(days.rows[0].key, day(0));
    let first = figures(Group::Variant, None, 1);
    let second = figures(Group::Variant, first.next.clone(), 1);
    let mut rows = [&first.rows[0], &second.rows[0]];
    rows.sort_by_key(|row| row.key != good);
    assert_eq!(short(rows[0]), expected(2, "2", "30", "2"));
    assert_eq!((rows[1].quantity.as_str(), second.next), ("1.000000", None));
    for group in [Group::Month, Group::Customer, Group::Branch, Group::Warehouse] {
        assert_eq!(short(&figures(group, None, 50).rows[0]), expected(2, "3", "33", "2"), "{group:?}");
    }
    let position: String = counter.call(Call::Position(key(&counter.entity), "EUR".to_string()));
    assert_eq!(position, "33.000000000000");
}
