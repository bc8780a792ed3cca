//! Races for units: one identity admitted twice, versions under parallel moves, transfers that cross, places that close.

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, with};
use stoa_tests::serials::imei;
use stoa_tests::{Answer, Company, Database, Dice, at_once, company, on_both_databases};

on_both_databases![
    e45_one_imei_admitted_twice,
    overlapping_receipts_in_opposite_orders,
    e38_two_holds_of_one_version,
    e40_versions_without_a_gap_under_parallel_moves,
    e06_a_location_closes_while_units_come,
    e56_two_receipts_of_one_version,
    crossing_transfer_orders,
    e07_a_warehouse_closes_under_an_approval,
    e75_random_operations_leave_everything_sound,
];

fn e45_one_imei_admitted_twice(database: Database) {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    for round in 0..5 {
        let same = imei(5_000 + round);
        let answers = at_once(4, |n| {
            // In either slot, with an identity of its own.
            let slot = if n % 2 == 0 { "imei1" } else { "imei2" };
            let units = json!([
                { "serialNumber": format!("OWN-{round}-{n}") }, { "serialNumber": format!("TOO-{round}-{n}"), slot: same },
            ]);
            shop.try_admit(&phone, &main, None, units)
        });
        assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1, "round {round}");
        for answer in answers.into_iter().filter(|answer| answer.status != 201) {
            answer.refused(409, "DUPLICATE").at("/units/1");
        }
    }
    shop.assert_level(&main, &phone, json!({ "onHand": 10, "available": 10 }));
    assert_eq!(shop.count("inventory_unit", "true"), 10, "no half unit");
    assert_eq!(shop.count("inventory_unit_entry", "true"), 10);
    shop.verified();
}

fn overlapping_receipts_in_opposite_orders(database: Database) {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    for round in 0..3 {
        let mut units: Vec<Json> = (0..50).map(|n| json!({ "serialNumber": format!("X{round}-{n}") })).collect();
        let forward = json!(units);
        units.reverse();
        let backward = json!(units);
        let answers = at_once(4, |n| {
            let units = if n % 2 == 0 { forward.clone() } else { backward.clone() };
            shop.try_admit(&phone, &main, None, units)
        });
        assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1, "round {round}");
        for answer in answers.into_iter().filter(|answer| answer.status != 201) {
            assert_eq!(answer.refused(409, "DUPLICATE").errors().len(), 50, "every one of them is reported");
        }
    }
}

fn e38_two_holds_of_one_version(database: Database) {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    for unit in shop.admit(&phone, &main, 5) {
        let body = json!({ "expectedVersion": 1, "reason": "Mine" });
        let answers = at_once(4, |_| shop.post(&format!("inventory/units/{unit}/reservations"), body.clone()));
        let held: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 201).collect();
        assert_eq!(held.len(), 1);
        let id = held[0].id();
        for answer in answers.iter().filter(|answer| answer.status != 201) {
            assert_eq!(answer["code"], "VERSION_CONFLICT", "{answer}");
        }
        // [E24]
        let released =
            at_once(4, |_| shop.post(&format!("inventory/reservations/{id}/release"), json!({ "reason": "No" })));
        assert_eq!(released.iter().filter(|answer| answer.status == 200).count(), 1);
        for answer in released.into_iter().filter(|answer| answer.status != 200) {
            answer.refused(409, "ILLEGAL_STATE");
        }
    }
    shop.assert_level(&main, &phone, json!({ "onHand": 5, "available": 5 }));
    shop.verified();
}

/// Everybody retries until his move is done: no version is given twice or left out.
fn e40_versions_without_a_gap_under_parallel_moves(database: Database) {
    let shop = company(database);
    let phone = shop.phone();
    let places: Vec<String> = (0..4).map(|_| shop.warehouse("PHYSICAL")).collect();
    let units = shop.admit(&phone, &places[0], 2);
    let done: Vec<usize> = at_once(4, |n| {
        let mut done = 0;
        for round in 0..10 {
            let to = &places[(n + round) % places.len()];
            let answer = shop.move_unit(&units[round % 2], "TRANSFER", json!({ "toWarehouseId": to }));
            match answer.status {
                201 => done += 1,
                409 => assert!(
                    ["VERSION_CONFLICT", "CUSTODY_CONFLICT"].contains(&answer["code"].as_str().unwrap_or("")),
                    "{answer}"
                ),
                _ => panic!("{answer}"),
            }
        }
        done
    });
    let mut versions = 0;
    for unit in &units {
        let history = shop.all(&format!("inventory/units/{unit}/history"), &[("limit", "100")]);
        let mut reported: Vec<i64> = history.iter().filter_map(|entry| entry["unitVersion"].as_i64()).collect();
        reported.sort_unstable();
        assert_eq!(reported, (1..=reported.len() as i64).collect::<Vec<_>>());
        assert_eq!(shop.serial_unit(unit)["version"], json!(reported.len()));
        versions += reported.len();
    }
    assert_eq!(versions, done.iter().sum::<usize>() + units.len(), "one version for each success");
    shop.verified();
}

fn e06_a_location_closes_while_units_come(database: Database) {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    let shelf = shop.shelf(&main);
    let units = shop.admit(&phone, &main, 12);
    let members = json!({ "toWarehouseId": main, "toLocationId": shelf });
    let answers = at_once(units.len() + 1, |n| match units.get(n) {
        Some(unit) => shop.move_unit(unit, "TRANSFER", members.clone()),
        None => shop.archive(&format!("inventory/warehouses/{main}/locations/{shelf}")),
    });
    let there = shop.list("inventory/units", &[("locationId", &shelf)]).is(200).ids().len();
    let (moves, archive) = answers.split_at(units.len());
    let (moved, refused): (Vec<&Answer>, Vec<&Answer>) = moves.iter().partition(|answer| answer.status == 201);
    assert_eq!(there, moved.len());
    for answer in refused {
        answer.clone().refused(409, "REFERENCE_INVALID").fault("/toLocationId", "ARCHIVED");
    }
    match archive[0].status {
        200 => assert_eq!(there, 0, "a unit is in an archived location"),
        _ => assert!(there > 0, "{}", archive[0].clone().refused(409, "CUSTODY_CONFLICT")),
    }
}

fn e56_two_receipts_of_one_version(database: Database) {
    let shop = company(database);
    let (box_, from, to) = (shop.counted(0), shop.warehouse("PHYSICAL"), shop.warehouse("PHYSICAL"));
    shop.stock_up(&from, &box_, "2");
    let items = json!([{ "variantId": box_, "quantity": "2" }]);
    let body = json!({ "fromWarehouseId": from, "toWarehouseId": to, "items": items });
    let order = format!("inventory/transfer-orders/{}", shop.post("inventory/transfer-orders", body).is(201).id());
    shop.post(&format!("{order}/ship"), json!({ "expectedVersion": 1 })).is(200);
    let item = shop.get(&order).is(200)["items"][0]["id"].clone();
    let body = json!({ "expectedVersion": 2, "items": [{ "itemId": item, "quantity": "1" }] });
    let answers = at_once(4, |_| shop.post(&format!("{order}/receive"), body.clone()));
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 200) {
        answer.refused(409, "VERSION_CONFLICT");
    }
    shop.assert_level(&to, &box_, json!({ "onHand": 1, "available": 1, "incoming": 1 }));
}

/// Orders of the same variants in opposite directions and orders of lines: no caller sees a deadlock. In each round
/// several begin the stock of the transit warehouse at once.
fn crossing_transfer_orders(database: Database) {
    (0..3).for_each(|_| cross_orders(database));
}

fn cross_orders(database: Database) {
    let shop = company(database);
    let (here, there, transit) = (shop.warehouse("PHYSICAL"), shop.warehouse("PHYSICAL"), shop.transit());
    let phone = shop.phone();
    let boxes: Vec<String> = (0..4).map(|_| shop.counted(0)).collect();
    for box_ in &boxes {
        shop.stock_up(&here, box_, "20");
        shop.stock_up(&there, box_, "20");
    }
    let units = [shop.admit(&phone, &here, 4), shop.admit(&phone, &there, 4)];
    let orders: Vec<String> = (0..8)
        .map(|n| {
            let (from, to) = if n % 2 == 0 { (&here, &there) } else { (&there, &here) };
            let mut items: Vec<Json> =
                boxes.iter().map(|variant| json!({ "variantId": variant, "quantity": "1" })).collect();
            items.push(json!({ "variantId": phone, "quantity": "1", "unitIds": [units[n % 2][n / 2]] }));
            if n % 3 == 0 {
                items.reverse();
            }
            let body = json!({ "fromWarehouseId": from, "toWarehouseId": to, "items": items });
            shop.post("inventory/transfer-orders", body).is(201).id()
        })
        .collect();
    at_once(orders.len(), |n| {
        let order = format!("inventory/transfer-orders/{}", orders[n]);
        let shipped = shop.post(&format!("{order}/ship"), json!({ "expectedVersion": 1 })).is(200);
        let read = shop.get(&order).is(200);
        let items: Vec<Json> = read["items"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| json!({ "itemId": item["id"], "quantity": "1" }))
            .collect();
        let body = json!({ "expectedVersion": shipped["version"], "items": items });
        shop.post(&format!("{order}/receive"), body).is(200);
    });
    for box_ in &boxes {
        for place in [&here, &there] {
            shop.assert_level(place, box_, json!({ "onHand": 20, "available": 20 }));
        }
        shop.assert_level(&transit, box_, json!({}));
    }
    for place in [&here, &there] {
        shop.assert_level(place, &phone, json!({ "onHand": 4, "available": 4 }));
    }
    shop.verified();
}

fn e07_a_warehouse_closes_under_an_approval(database: Database) {
    let shop = company(database);
    let (box_, from) = (shop.counted(0), shop.warehouse("PHYSICAL"));
    shop.stock_up(&from, &box_, "5");
    for round in 0..5 {
        let to = shop.warehouse("PHYSICAL");
        let items = json!([{ "variantId": box_, "quantity": "1" }]);
        let body = json!({ "fromWarehouseId": from, "toWarehouseId": to, "items": items });
        let order = shop.post("inventory/transfer-orders", body).is(201).id();
        let answers = at_once(2, |n| match n {
            0 => shop.archive(&format!("inventory/warehouses/{to}")),
            _ => shop.post(&format!("inventory/transfer-orders/{order}/approve"), json!({ "expectedVersion": 1 })),
        });
        match (answers[0].status, answers[1].status) {
            (200, 409) => assert_eq!(answers[1]["code"], "ARCHIVED", "round {round}"),
            (409, 200) => assert_eq!(answers[0]["code"], "ILLEGAL_STATE", "round {round}"),
            _ => panic!("round {round}: {} {}", answers[0], answers[1]),
        }
    }
}

/// Random operations on units by three people at once, then every invariant.
fn e75_random_operations_leave_everything_sound(database: Database) {
    let shop = company(database);
    let phone = shop.phone();
    let kinds = ["PHYSICAL", "PHYSICAL", "QUARANTINE", "IN_TRANSIT"];
    let places: Vec<String> = kinds.iter().map(|kind| shop.warehouse(kind)).collect();
    let units: Vec<String> = places.iter().flat_map(|place| shop.admit(&phone, place, 3)).collect();
    let mut dice = Dice::new("random operations on units");
    let seeds: Vec<u64> = (0..3).map(|_| dice.roll()).collect();
    at_once(seeds.len(), |n| {
        let mut dice = Dice::seeded(seeds[n]);
        for _ in 0..40 {
            step(&shop, &mut dice, &units, &places, &phone);
        }
    });
    for unit in &units {
        let history = shop.all(&format!("inventory/units/{unit}/history"), &[("limit", "100")]);
        assert_eq!(shop.serial_unit(unit)["version"], json!(history.len()));
    }
    shop.verified();
}

/// One random operation: it succeeds, or is refused as the specification says.
fn step(shop: &Company, dice: &mut Dice, units: &[String], places: &[String], phone: &str) {
    let unit = dice.pick(units).clone();
    let read = shop.serial_unit(&unit);
    let version = json!({ "expectedVersion": read["version"], "reason": "At random" });
    let to = dice.pick(places).clone();
    let path = format!("inventory/units/{unit}");
    let moved = |kind: &str, members: Json| {
        shop.post(&format!("{path}/movements"), with(&with(&version, json!({ "movementType": kind })), members))
    };
    let answer = match dice.between(0, 9) {
        0..=2 => moved("TRANSFER", json!({ "toWarehouseId": to })),
        3 => moved("DAMAGE", json!({})),
        4 => moved("LOSS", json!({})),
        5 => moved("ADJUSTMENT_IN", json!({ "toWarehouseId": to, "unitCost": "3.5" })),
        6 => shop.post(&format!("{path}/reservations"), version.clone()),
        7 => match read["reservationId"].as_str() {
            Some(held) => {
                shop.post(&format!("inventory/reservations/{held}/release"), json!({ "reason": "At random" }))
            }
            None => shop.post(&format!("{path}/readmissions"), version.clone()),
        },
        _ if dice.one_in(3) => shop.try_admit(phone, &to, None, json!([{ "serialNumber": fresh("RANDOM-") }])),
        _ => shop.post(&format!("{path}/regrade"), with(&version, json!({ "grade": dice.pick(&["A", "B", "C"]) }))),
    };
    let expected = ["VERSION_CONFLICT", "UNIT_UNAVAILABLE", "CUSTODY_CONFLICT", "ILLEGAL_STATE", "VALIDATION_FAILED"];
    let is_refused = [400, 409].contains(&answer.status) && expected.contains(&answer["code"].as_str().unwrap_or(""));
    assert!(answer.status < 300 || is_refused, "{answer}");
}
