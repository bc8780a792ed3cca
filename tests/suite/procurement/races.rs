//! Races: two receipts of the last goods, approval and replacement, one unit in two orders, receipt and cancellation, and
//! numbers. One of each wins, and what is expected and what is there agree. [E105], [E106], [E115], [E125]

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::WHY;
use stoa_tests::purchases::{Buyer, Order, fresh_serials, line, serials};
use stoa_tests::{Answer, Database, Dice, at_once, on_both_databases};

on_both_databases![
    e105_one_unit_received_by_two_orders,
    e106_two_receipts_of_one_version,
    t12_two_receipts_of_the_last_goods,
    e115_a_receipt_races_a_cancellation,
    an_approval_races_a_replacement,
    e125_two_allocations_of_the_rest,
    one_order_or_supplier_for_one_number,
    crossing_receipts_of_the_same_goods,
    e119_two_shipments_of_the_last_goods,
    random_purchases_leave_everything_sound,
];

/// Asserts that one answer succeeded and the others were refused with one of these codes; the place of the first.
#[track_caller]
fn one_wins(answers: &[Answer], codes: &[&str]) -> usize {
    let won: Vec<usize> = (0..answers.len()).filter(|index| answers[*index].status < 300).collect();
    let reported = || answers.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert_eq!(won.len(), 1, "{}", reported());
    for answer in answers.iter().filter(|answer| answer.status >= 300) {
        assert!(answer.status == 409 && codes.contains(&answer["code"].as_str().unwrap_or_default()), "{answer}");
    }
    won[0]
}

fn e105_one_unit_received_by_two_orders(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let phone = shop.phone();
    for round in 0..4 {
        let orders = [buyer.place(json!([line(&phone, "3", "100")])), buyer.place(json!([line(&phone, "3", "90")]))];
        let bodies: Vec<Json> = orders
            .iter()
            .enumerate()
            .map(|(n, order)| {
                // In opposite orders, with units of their own around it.
                let mut numbers = [fresh_serials(2), vec![format!("Race-{round}")]].concat();
                if n == 1 {
                    numbers.reverse();
                }
                order.receipt_body(json!([order.units(0, serials(&numbers))]))
            })
            .collect();
        let answers = at_once(2, |n| orders[n].post_receipt(bodies[n].clone()));
        let lost = 1 - one_wins(&answers, &["DUPLICATE"]);
        assert_eq!(answers[lost].pointers().len(), 1, "{}", answers[lost]);
        let place = if lost == 0 { 2 } else { 0 };
        assert!(answers[lost].pointers()[0].starts_with(&format!("/items/0/units/{place}")), "{}", answers[lost]);
        assert_eq!((orders[lost].status().as_str(), orders[lost].version()), ("APPROVED", json!(2)));
        let there = 3 * (round + 1);
        shop.assert_level(
            &buyer.main,
            &phone,
            json!({ "onHand": there, "available": there, "incoming": 3 * (round + 1) }),
        );
    }
    assert_eq!(shop.count("inventory_unit", "1 = 1"), 12, "no half receipt");
    shop.verified();
}

fn e106_two_receipts_of_one_version(database: Database) {
    let buyer = Buyer::new(database);
    let box_ = buyer.shop.counted(0);
    let order = buyer.place(json!([line(&box_, "20", "1")]));
    for round in 1..=4 {
        let body = order.receipt_body(json!([order.goods(0, "1")]));
        let answers = at_once(4, |_| order.post_receipt(body.clone()));
        one_wins(&answers, &["VERSION_CONFLICT"]);
        buyer.shop.assert_level(
            &buyer.main,
            &box_,
            json!({ "onHand": round, "available": round, "incoming": 20 - round }),
        );
    }
    // The same request twice is one.
    let (body, key) = (order.receipt_body(json!([order.goods(0, "1")])), uuid::Uuid::new_v4().to_string());
    let path = format!("{}/receipts", order.path());
    let answers = at_once(4, |_| buyer.shop.request("POST", &path).key(&key).json(&body).send().is(201));
    assert!(answers.iter().all(|answer| answer.id() == answers[0].id()));
    buyer.shop.assert_level(&buyer.main, &box_, json!({ "onHand": 5, "available": 5, "incoming": 15 }));
    buyer.shop.verified();
}

fn t12_two_receipts_of_the_last_goods(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let box_ = shop.counted(0);
    for round in 1..=4 {
        let order = buyer.place(json!([line(&box_, "5", "2")]));
        order.receive(json!([order.goods(0, "3")])).is(201);
        // One names the version that is, the other the one that will be.
        let bodies = [3, 4].map(|version| {
            with(&order.receipt_body(json!([order.goods(0, "2")])), json!({ "expectedVersion": version }))
        });
        let answers = at_once(2, |n| order.post_receipt(bodies[n].clone()));
        let won = one_wins(&answers, &["VERSION_CONFLICT", "ILLEGAL_STATE"]);
        assert_eq!(won, 0, "round {round}");
        // Nothing is left of the order, and so nothing of its state.
        order.post_receipt(bodies[1].clone()).refused(409, "ILLEGAL_STATE");
        assert_eq!(order.status(), "RECEIVED");
        shop.assert_level(&buyer.main, &box_, json!({ "onHand": 5 * round, "available": 5 * round }));
    }
    // Another line keeps the order open: then it is the line that is exhausted.
    let order = buyer.place(json!([line(&box_, "2", "2"), line(&shop.counted(0), "1", "2")]));
    let bodies = [2, 3]
        .map(|version| with(&order.receipt_body(json!([order.goods(0, "2")])), json!({ "expectedVersion": version })));
    let answers = at_once(2, |n| order.post_receipt(bodies[n].clone()));
    assert_eq!(one_wins(&answers, &["VERSION_CONFLICT", "LIMIT_EXCEEDED"]), 0);
    order.post_receipt(bodies[1].clone()).refused(409, "LIMIT_EXCEEDED").at("/items/0/quantity");
    shop.verified();
}

fn e115_a_receipt_races_a_cancellation(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let (box_, phone) = (shop.counted(0), shop.phone());
    let mut boxes = 0;
    for round in 0..6 {
        let order = buyer.place(json!([line(&box_, "5", "2"), line(&phone, "1", "100")]));
        let receipt = order.receipt_body(json!([order.goods(0, "3"), order.units(1, serials(&fresh_serials(1)))]));
        let cancel = json!({ "expectedVersion": 2, "reason": WHY });
        let answers = at_once(2, |n| match n {
            0 => order.post_receipt(receipt.clone()),
            _ => shop.post(&format!("{}/cancel", order.path()), cancel.clone()),
        });
        let won = one_wins(&answers, &["VERSION_CONFLICT"]);
        let (status, pending) = if won == 0 { ("PARTIALLY_RECEIVED", 2) } else { ("CANCELLED", 0) };
        boxes += if won == 0 { 3 } else { 0 };
        assert_eq!(order.status(), status, "round {round}");
        shop.assert_level(&buyer.main, &box_, json!({ "onHand": boxes, "available": boxes, "incoming": pending }));
        if won == 0 {
            order.cancel().is(200);
        }
        shop.assert_level(&buyer.main, &box_, json!({ "onHand": boxes, "available": boxes }));
    }
    shop.verified();
}

fn an_approval_races_a_replacement(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (one, two) = (shop.counted(0), shop.counted(0));
    for round in 0..6 {
        let order = buyer.draft(json!([line(&one, "1", "1")]));
        let number = order.read()["number"].clone();
        let fixed = json!({ "number": number, "expectedVersion": 1 });
        let replacement = with(&buyer.body(json!([line(&two, "7", "3")])), fixed);
        let answers = at_once(2, |n| match n {
            0 => order.approve_at(json!(1)),
            _ => shop.put(&order.path(), replacement.clone()),
        });
        let won = one_wins(&answers, &["VERSION_CONFLICT"]);
        let read = order.read();
        let (status, variant, total) = match won {
            0 => ("APPROVED", &one, "1.000000000000"),
            _ => ("DRAFT", &two, "21.000000000000"),
        };
        assert_eq!((&read["status"], &read["total"]), (&json!(status), &json!(total)), "round {round}");
        assert_eq!(read["items"][0]["variantId"], json!(variant));
        // The approved lines are the expected ones.
        let expected = if won == 0 { 1 } else { 0 };
        shop.assert_level(&buyer.main, &one, json!({ "incoming": expected }));
        shop.assert_level(&buyer.main, &two, json!({}));
        order.cancel().is(200);
    }
    shop.verified();
}

fn e125_two_allocations_of_the_rest(database: Database) {
    let buyer = Buyer::with_books(database);
    let order = buyer.place_import(json!([line(&buyer.shop.counted(0), "4", "1")]));
    let shipment = order.clear(&[(0, "4")]);
    let receipt = order.receive_with(json!([order.goods(0, "4")]), json!({ "shipmentId": shipment })).is(201).id();
    let item = buyer.receipt(&receipt)["items"][0]["id"].clone();
    for _ in 0..3 {
        let charge = order.charge("10");
        order.allocate(&charge, &[(item.as_str().unwrap_or_default(), "4")]).is(201);
        let version = order.version();
        let allocation = json!([{ "receiptItemId": item, "amount": "6" }]);
        let body = json!({ "expectedVersion": version, "allocations": allocation });
        let path = format!("{}/charges/{charge}/allocations", order.import_path());
        let answers = at_once(2, |_| buyer.shop.post(&path, body.clone()));
        one_wins(&answers, &["VERSION_CONFLICT"]);
        // And one that names the version after it finds nothing left.
        let late = with(&body, json!({ "expectedVersion": order.version() }));
        let refused = buyer.shop.post(&path, late);
        let code = refused["code"].as_str().unwrap_or_default();
        assert!(refused.status == 409 && ["LIMIT_EXCEEDED", "ILLEGAL_STATE"].contains(&code), "{refused}");
    }
    buyer.shop.verified();
}

fn one_order_or_supplier_for_one_number(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let items = json!([line(&shop.counted(0), "1", "1")]);
    for _ in 0..3 {
        let number = fresh("Num-");
        let spell = |n: usize| if n.is_multiple_of(2) { number.to_lowercase() } else { number.to_uppercase() };
        let answers = at_once(6, |n| buyer.try_draft(items.clone(), json!({ "number": spell(n) })));
        one_wins(&answers, &["DUPLICATE"]);
        let suppliers = at_once(6, |n| shop.post("purchases/suppliers", json!({ "code": spell(n), "name": "Same" })));
        one_wins(&suppliers, &["DUPLICATE"]);
    }
    shop.verified();
}

/// Orders of the same goods in opposite orders of lines, received at once: no caller sees a deadlock.
fn crossing_receipts_of_the_same_goods(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let boxes: Vec<String> = (0..5).map(|_| shop.counted(0)).collect();
    let orders: Vec<Order> = (0..8)
        .map(|n| {
            let mut items: Vec<Json> = boxes.iter().map(|variant| line(variant, "4", "1.5")).collect();
            if n % 2 == 1 {
                items.reverse();
            }
            buyer.place(json!(items))
        })
        .collect();
    at_once(orders.len(), |n| {
        let order = &orders[n];
        for _ in 0..2 {
            let items: Vec<Json> = (0..boxes.len()).map(|index| order.goods(index, "2")).collect();
            order.receive(json!(items)).is(201);
        }
        assert_eq!(order.status(), "RECEIVED");
    });
    for box_ in &boxes {
        shop.assert_level(&buyer.main, box_, json!({ "onHand": 32, "available": 32 }));
        assert_eq!(shop.worth(box_), "48.000000000000");
    }
    shop.verified();
}

fn e119_two_shipments_of_the_last_goods(database: Database) {
    let buyer = Buyer::new(database);
    let order = buyer.place_import(json!([line(&buyer.shop.counted(0), "4", "1")]));
    let goods = order.goods(0, "4");
    let answers = at_once(3, |n| {
        let body = json!({ "expectedVersion": 2, "number": format!("S-{n}"), "items": [goods] });
        buyer.shop.post(&format!("{}/shipments", order.import_path()), body)
    });
    one_wins(&answers, &["VERSION_CONFLICT"]);
    order.try_ship(&[(0, "0.000001")]).refused(400, "VALIDATION_FAILED");
    order.try_ship(&[(0, "1")]).refused(409, "LIMIT_EXCEEDED");
    buyer.shop.verified();
}

/// Random purchases by three people at once on few orders, then every invariant of both modules and of the books.
fn random_purchases_leave_everything_sound(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let (one, two, phone, service) = (shop.counted(2), shop.counted(0), shop.phone(), shop.service());
    let items =
        json!([line(&one, "9.75", "1.25"), line(&two, "6", "3"), line(&phone, "5", "99.5"), line(&service, "3", "7")]);
    let orders: Vec<Order> = (0..6).map(|_| buyer.draft(items.clone())).collect();
    let mut dice = Dice::new("random purchases");
    let seeds: Vec<u64> = (0..3).map(|_| dice.roll()).collect();
    at_once(seeds.len(), |n| {
        let mut dice = Dice::seeded(seeds[n]);
        for _ in 0..40 {
            step(&mut dice, &orders, &items);
        }
    });
    shop.verified();
}

/// One random operation: it succeeds, or is refused as the specification says.
fn step(dice: &mut Dice, orders: &[Order], items: &Json) {
    let order = dice.pick(orders);
    let answer = match dice.between(0, 12) {
        0 => order.replace(items.clone(), json!({ "notes": "At random" })),
        1..=4 => order.approve(),
        5 if dice.one_in(4) => order.cancel(),
        _ => {
            let index = dice.between(0, 4) as usize;
            let line = match index {
                0 => order.goods(0, &format!("{}.{:02}", dice.between(0, 4), dice.between(1, 100))),
                2 => order.units(2, serials(&fresh_serials(dice.between(1, 4) as usize))),
                _ => order.goods(index, &dice.between(1, 5).to_string()),
            };
            order.receive(json!([line]))
        }
    };
    let expected = ["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED"];
    let is_refused = answer.status == 409 && expected.contains(&answer["code"].as_str().unwrap_or(""));
    assert!(answer.status < 300 || is_refused, "{answer}");
}
