//! Races between writers: unique for ever, all or nothing, and no response states what did not happen.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use stoa_tests::company::{product, with};
use stoa_tests::{Database, at_once, company, on_both_databases};

on_both_databases![
    c01_two_creates_with_one_sku,
    c02_twenty_creates_of_one_name,
    one_code_in_parallel,
    archive_in_parallel,
    variant_against_archive_of_its_product,
    single_mode_in_parallel,
    unit_shrink_against_product,
    crossing_batches_do_not_deadlock,
];

fn c01_two_creates_with_one_sku(database: Database) {
    let shop = company(database);
    for round in 0..10 {
        let sku = format!("RACE-{round}");
        let answers = at_once(2, |n| {
            let variants =
                json!([{ "sku": format!("OWN-{round}-{n}") }, { "sku": sku }, { "sku": format!("TOO-{round}-{n}") }]);
            shop.post(
                "catalog/products",
                with(&product(&format!("Racer {round} {n}")), json!({ "variants": variants })),
            )
        });
        let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409], "round {round}: {} {}", answers[0], answers[1]);
        for answer in answers.into_iter().filter(|answer| answer.status == 409) {
            answer.refused(409, "DUPLICATE").at("/variants/1/sku");
        }
    }
    assert_eq!(shop.all("catalog/products", &[]).len(), 10, "nothing half-written");
    assert_eq!(shop.all("catalog/variants", &[("limit", "100")]).len(), 30);
}

fn c02_twenty_creates_of_one_name(database: Database) {
    let shop = company(database);
    let slugs: BTreeSet<String> =
        at_once(20, |_| shop.post("catalog/products", product("Café Crème!")).is(201).text("slug"))
            .into_iter()
            .collect();
    let expected: BTreeSet<String> =
        (1..=20).map(|n| if n == 1 { "cafe-creme".to_string() } else { format!("cafe-creme-{n}") }).collect();
    assert_eq!(slugs, expected);
}

fn one_code_in_parallel(database: Database) {
    let shop = company(database);
    for path in ["catalog/lookups/brands", "catalog/lookups/units"] {
        let answers = at_once(8, |_| shop.post(path, json!({ "name": "Same", "code": "SAME" })));
        assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
        for answer in answers.into_iter().filter(|answer| answer.status != 201) {
            answer.refused(409, "DUPLICATE");
        }
    }
}

fn archive_in_parallel(database: Database) {
    let shop = company(database);
    let (id, _) = shop.article("A");
    let answers = at_once(8, |_| shop.archive(&format!("catalog/products/{id}")));
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 200) {
        answer.refused(409, "ARCHIVED");
    }
}

/// A variant is added before the archive (and is archived with it) or refused: never an active one under an archived product.
fn variant_against_archive_of_its_product(database: Database) {
    let shop = company(database);
    for round in 0..10 {
        let (id, _) = shop.article(&format!("P{round}"));
        let path = format!("catalog/products/{id}");
        let answers = at_once(5, |n| match n {
            0 => shop.archive(&path),
            _ => shop.post(&format!("{path}/variants"), json!({ "sku": format!("P{round}-{n}") })),
        });
        assert_eq!(answers[0].status, 200, "{}", answers[0]);
        for answer in &answers[1..] {
            assert!(answer.status == 201 || (answer.status, &answer["code"]) == (409, &json!("ARCHIVED")), "{answer}");
        }
        let active = shop.list(&format!("{path}/variants"), &[("status", "ACTIVE")]).is(200);
        assert_eq!(active.items(), &[] as &[Json], "round {round}");
    }
}

/// SINGLE stated by a replacement while a second variant is being added: never SINGLE with two.
fn single_mode_in_parallel(database: Database) {
    let shop = company(database);
    for round in 0..10 {
        let (id, _) = shop.article(&format!("S{round}"));
        let path = format!("catalog/products/{id}");
        let single = with(&product("Single"), json!({ "variantMode": "SINGLE" }));
        let mut answers = at_once(2, |n| match n {
            0 => shop.put(&path, single.clone()),
            _ => shop.post(&format!("{path}/variants"), json!({ "sku": format!("S{round}-2") })).is(201),
        });
        let replaced = answers.remove(0);
        if replaced.status != 200 {
            replaced.refused(409, "ILLEGAL_STATE").at("/variantMode");
        }
        let read = shop.get(&path).is(200);
        assert_eq!((&read["variantMode"], &read["variantCount"]), (&json!("MULTIPLE"), &json!(2)), "round {round}");
    }
}

/// Decimal places shrink, or a product takes the unit: not both.
fn unit_shrink_against_product(database: Database) {
    let shop = company(database);
    for round in 0..10 {
        let code = format!("U{round}");
        let unit = shop.unit(&code, 3);
        let answers = at_once(2, |n| match n {
            0 => shop.put(&format!("catalog/lookups/units/{unit}"), json!({ "name": "Less", "code": code })),
            _ => shop.post("catalog/products", with(&product("Weighed"), json!({ "unitOfMeasure": code }))).is(201),
        });
        let places = shop.get(&format!("catalog/lookups/units/{unit}")).is(200)["decimalPlaces"].clone();
        // Shrunk first, then named by the product; or named first, and the shrink refused.
        match answers[0].status {
            200 => assert_eq!(places, 0, "round {round}"),
            _ => {
                answers[0].clone().refused(409, "ILLEGAL_STATE").at("/decimalPlaces");
                assert_eq!(places, 3, "round {round}");
            }
        }
    }
}

/// Products with the same hundred SKUs in opposite orders: one wins whole, and no caller sees a deadlock.
fn crossing_batches_do_not_deadlock(database: Database) {
    let shop = company(database);
    for round in 0..3 {
        let mut variants: Vec<Json> = (0..100).map(|n| json!({ "sku": format!("X{round}-{n}") })).collect();
        let forward = json!({ "variants": variants });
        variants.reverse();
        let backward = json!({ "variants": variants });
        let answers = at_once(4, |n| {
            let members = if n % 2 == 0 { forward.clone() } else { backward.clone() };
            shop.post("catalog/products", with(&product(&format!("X {round} {n}")), members))
        });
        assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1, "round {round}");
        for answer in answers.into_iter().filter(|answer| answer.status != 201) {
            answer.refused(409, "DUPLICATE");
        }
    }
}
