//! Versions end: the write that would go beyond the last one is refused, whichever module keeps the record. [A28]

use serde_json::{Value as Json, json};
use stoa_tests::company::product;
use stoa_tests::{Database, company, on_both_databases};

on_both_databases![a28_the_last_version_takes_no_change];

const LAST: u64 = 2_147_483_646;

fn a28_the_last_version_takes_no_change(database: Database) {
    let shop = company(database);
    let made = |resource_type: &str| shop.made(resource_type).expect("onboarding makes one");
    let (brand, article) = (shop.brand("LAST"), shop.product("Last"));
    let (list, entity) = (made("PRICE_LIST"), made("LEGAL_ENTITY"));
    let warehouse = shop.warehouse("PHYSICAL");
    let code = shop.get(&format!("inventory/warehouses/{warehouse}")).is(200)["code"].clone();
    type Body<'a> = Box<dyn Fn(&str, u64) -> Json + 'a>;
    let cases: [(&str, &str, String, Body); 5] = [
        (
            "catalog_lookup",
            &brand,
            format!("catalog/lookups/brands/{brand}"),
            Box::new(|name, _| json!({ "name": name, "code": "LAST" })),
        ),
        ("catalog_product", &article, format!("catalog/products/{article}"), Box::new(|name, _| product(name))),
        (
            "pricing_price_list",
            &list,
            format!("pricing/price-lists/{list}"),
            Box::new(|name, _| json!({ "name": name, "code": "BASE", "currencyCode": "EUR" })),
        ),
        (
            "inventory_warehouse",
            &warehouse,
            format!("inventory/warehouses/{warehouse}"),
            Box::new(
                |name, _| json!({ "name": name, "code": code, "type": "PHYSICAL", "legalEntityId": made("LEGAL_ENTITY") }),
            ),
        ),
        (
            "ledger_legal_entity",
            &entity,
            format!("ledger/legal-entities/{entity}"),
            Box::new(|name, version| json!({ "name": name, "expectedVersion": version })),
        ),
    ];
    for (table, id, path, body) in cases {
        shop.change(&format!(
            "update {table} set version = {} where {{tenant}} and id = {}",
            LAST - 1,
            shop.literal(id)
        ));
        shop.put(&path, body("The last", LAST - 1)).is(200);
        let before = shop.digest();
        let last = json!({ "maximum": LAST, "counted": "VERSIONS" });
        shop.put(&path, body("One too many", LAST)).refused(409, "LIMIT_EXCEEDED").bounds("", last);
        assert_eq!(shop.digest(), before, "{table}");
        assert_eq!(shop.get(&path).is(200)["name"], "The last");
    }
}
