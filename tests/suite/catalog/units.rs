//! Units of measure: their codes, and decimal places that may grow but never shrink under a product.

use serde_json::{Value as Json, json};
use stoa_tests::company::{product, with};
use stoa_tests::{Database, company, on_both_databases};

on_both_databases![
    rules:
    code_follows_its_grammar,
    decimal_places_are_zero_to_six,
    omitted_decimal_places_return_to_zero,
    decimal_places_never_shrink_under_a_product,
    product_names_an_active_unit,
    serial_product_needs_a_whole_unit,
    company_begins_with_a_unit,
];

fn unit(code: &str, places: Json) -> Json {
    json!({ "name": format!("Unit {code}"), "code": code, "decimalPlaces": places })
}

fn code_follows_its_grammar(database: Database) {
    let shop = company(database);
    for code in ["A", "KG", "M2", "A_B", "A123456789012345"] {
        shop.post("catalog/lookups/units", unit(code, json!(0))).is(201);
    }
    for code in ["A1234567890123456", "A-B", "A.B", "1A", "", "K G"] {
        shop.post("catalog/lookups/units", unit(code, json!(0))).refused(400, "VALIDATION_FAILED").at("/code");
    }
}

fn decimal_places_are_zero_to_six(database: Database) {
    let shop = company(database);
    for places in 0..=6 {
        let made = shop.post("catalog/lookups/units", unit(&format!("P{places}"), json!(places))).is(201);
        assert_eq!(made["decimalPlaces"], json!(places));
    }
    let made = shop.post("catalog/lookups/units", json!({ "name": "Default", "code": "DEF" })).is(201);
    assert_eq!(made["decimalPlaces"], json!(0));
    for wrong in [json!(7), json!(-1), json!(1.5), json!("1"), Json::Null, json!(1e300), json!([])] {
        shop.post("catalog/lookups/units", unit("X", wrong)).refused(400, "VALIDATION_FAILED").at("/decimalPlaces");
    }
    // An integer spelt as a float is the same integer.
    let body = br#"{"name":"Two","code":"TWO","decimalPlaces":2.0}"#;
    let made = shop.request("POST", "catalog/lookups/units").bytes(body.as_slice()).send().is(201);
    assert_eq!(made["decimalPlaces"], json!(2));
}

fn omitted_decimal_places_return_to_zero(database: Database) {
    let shop = company(database);
    let id = shop.unit("KG", 3);
    let answer = shop.put(&format!("catalog/lookups/units/{id}"), json!({ "name": "Kilo", "code": "KG" })).is(200);
    assert_eq!(answer["decimalPlaces"], json!(0));
}

fn decimal_places_never_shrink_under_a_product(database: Database) {
    let shop = company(database);
    let id = shop.unit("KG", 2);
    let path = format!("catalog/lookups/units/{id}");
    let product = shop.post("catalog/products", with(&product("Flour"), json!({ "unitOfMeasure": "KG" }))).is(201).id();
    shop.put(&path, unit("KG", json!(1))).refused(409, "ILLEGAL_STATE");
    shop.put(&path, json!({ "name": "Kilo", "code": "KG" })).refused(409, "ILLEGAL_STATE");
    shop.put(&path, unit("KG", json!(2))).is(200);
    shop.put(&path, unit("KG", json!(5))).is(200);
    shop.put(&path, unit("KG", json!(4))).refused(409, "ILLEGAL_STATE");
    // An archived product still names the unit.
    shop.archive(&format!("catalog/products/{product}")).is(200);
    shop.put(&path, unit("KG", json!(4))).refused(409, "ILLEGAL_STATE");
    assert_eq!(shop.get(&path).is(200)["decimalPlaces"], json!(5));
}

fn product_names_an_active_unit(database: Database) {
    let shop = company(database);
    let named = |code: &str| shop.post("catalog/products", with(&product("P"), json!({ "unitOfMeasure": code })));
    named("NOSUCH").refused(404, "NOT_FOUND").at("/unitOfMeasure");
    let id = shop.unit("OLD", 0);
    let kept = named("OLD").is(201).id();
    shop.archive(&format!("catalog/lookups/units/{id}")).is(200);
    named("OLD").refused(409, "REFERENCE_INVALID").at("/unitOfMeasure");
    let path = format!("catalog/products/{kept}");
    let body = with(&product("Renamed"), json!({ "unitOfMeasure": "OLD" }));
    assert_eq!(shop.put(&path, body).is(200)["unitOfMeasure"], "OLD", "a product keeps its archived unit");
    // A brand's code is not a unit.
    shop.brand("NOUNIT");
    named("NOUNIT").refused(404, "NOT_FOUND").at("/unitOfMeasure");
}

fn serial_product_needs_a_whole_unit(database: Database) {
    let shop = company(database);
    shop.unit("KG", 3);
    shop.unit("PC", 0);
    let tracked = json!({ "trackInventory": true, "trackSerials": true });
    let serial = |unit: &str| with(&with(&product("Phone"), tracked.clone()), json!({ "unitOfMeasure": unit }));
    shop.post("catalog/products", serial("KG")).refused(409, "ILLEGAL_STATE");
    let id = shop.post("catalog/products", serial("PC")).is(201).id();
    shop.put(&format!("catalog/products/{id}"), serial("KG")).refused(409, "ILLEGAL_STATE");
}

fn company_begins_with_a_unit(database: Database) {
    let shop = company(database);
    let units = shop.get("catalog/lookups/units").is(200);
    let codes: Vec<&Json> = units.items().iter().map(|unit| &unit["code"]).collect();
    assert_eq!(codes, ["UNIT"]);
}
