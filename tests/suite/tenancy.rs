//! Companies apart: another's record is a record that does not exist. [P18]

use serde_json::json;
use stoa_tests::company::{price, product, with};
use stoa_tests::{Answer, Company, Database, on_both_databases};

on_both_databases![
    p18_foreign_token_on_every_operation,
    p18_foreign_ids_in_paths,
    p18_foreign_ids_in_bodies_and_queries,
    p18_lists_never_mix,
    codes_and_skus_are_per_company,
];

/// Two companies of two people on the shared host.
fn two(database: Database) -> (Company, Company) {
    let host = stoa_tests::host::shared(database);
    (host.company_of("ada@example.test"), host.company_of("bob@example.test"))
}

fn p18_foreign_token_on_every_operation(database: Database) {
    let (mine, theirs) = two(database);
    let contract = mine.host.contract();
    let before = theirs.digest();
    for operation in contract.operations.iter().filter(|operation| operation.of_tenant()) {
        let path = operation.filled(&theirs.tenant, |name| match name {
            "kind" => "brands".to_string(),
            _ => uuid::Uuid::now_v7().to_string(),
        });
        let answer = mine.host.request(&operation.method, &path).token(&mine.token).json(&json!({})).send();
        assert_eq!(answer["code"], "MEMBERSHIP_REQUIRED", "{}: {answer}", operation.id);
    }
    assert_eq!(theirs.digest(), before);
}

/// Foreign and absent answer alike, byte for byte but for the request id.
#[track_caller]
fn alike(foreign: Answer, absent: Answer) {
    assert_eq!(foreign.masked(), absent.masked(), "{foreign}\n{absent}");
    assert_eq!(foreign.status, 404, "{foreign}");
    let names = |answer: &Answer| {
        let mut names: Vec<String> = answer.headers.keys().map(|name| name.to_string()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&foreign), names(&absent));
}

fn p18_foreign_ids_in_paths(database: Database) {
    let (mine, theirs) = two(database);
    let absent = uuid::Uuid::now_v7().to_string();
    let brand = theirs.brand("B");
    let unit = theirs.unit("U", 0);
    let (product_id, variant) = theirs.article("A");
    let list = theirs.price_list("L");
    let priced = theirs.price(&list, &variant, None, None).is(201).id();
    let my_list = mine.price_list("L");
    let (_, my_variant) = mine.article("A");
    // Path with `{}` for the id; the body of its PUT.
    let records = [
        ("catalog/lookups/brands/{}".to_string(), &brand, json!({ "name": "N", "code": "B" })),
        ("catalog/lookups/units/{}".into(), &unit, json!({ "name": "N", "code": "U" })),
        ("catalog/products/{}".into(), &product_id, product("N")),
        ("catalog/variants/{}".into(), &variant, json!({ "sku": "A" })),
        ("pricing/price-lists/{}".into(), &list, json!({ "name": "N", "code": "L", "currencyCode": "EUR" })),
        (format!("pricing/price-lists/{my_list}/prices/{{}}"), &priced, price(&my_variant, "1", None, None)),
        (format!("pricing/price-lists/{{}}/prices/{priced}"), &list, price(&variant, "1", None, None)),
    ];
    let before = theirs.digest();
    for (path, id, body) in &records {
        let at = |id: &str| path.replace("{}", id);
        alike(mine.get(&at(id)), mine.get(&at(&absent)));
        alike(mine.put(&at(id), body.clone()), mine.put(&at(&absent), body.clone()));
        alike(mine.archive(&at(id)), mine.archive(&at(&absent)));
    }
    let at = |path: &str, id: &str| path.replace("{}", id);
    for path in ["catalog/products/{}/variants", "pricing/price-lists/{}/prices"] {
        let id = if path.contains("products") { &product_id } else { &list };
        alike(mine.get(&at(path, id)), mine.get(&at(path, &absent)));
        let body = if path.contains("products") { json!({ "sku": "N" }) } else { price(&my_variant, "1", None, None) };
        alike(mine.post(&at(path, id), body.clone()), mine.post(&at(path, &absent), body));
    }
    alike(mine.delete(&at("catalog/products/{}", &product_id)), mine.delete(&at("catalog/products/{}", &absent)));
    for (list, variant) in [(&list, &variant), (&list, &my_variant), (&my_list, &variant)] {
        let foreign = mine.get(&format!("pricing/price-lists/{list}/resolve/{variant}"));
        assert_eq!(foreign.status, 404, "{foreign}");
    }
    assert_eq!(theirs.digest(), before);
}

fn p18_foreign_ids_in_bodies_and_queries(database: Database) {
    let (mine, theirs) = two(database);
    let absent = uuid::Uuid::now_v7().to_string();
    for (kind, member) in [("brands", "brandId"), ("categories", "categoryId"), ("manufacturers", "manufacturerId")] {
        let body = json!({ "name": "N", "code": "FOREIGN" });
        let foreign = theirs.post(&format!("catalog/lookups/{kind}"), body).is(201).id();
        let create = |id: &str| mine.post("catalog/products", with(&product("P"), json!({ member: id })));
        let answer = create(&foreign).at(&format!("/{member}"));
        alike(answer, create(&absent));
        if kind == "categories" {
            let child = |id: &str| {
                mine.post("catalog/lookups/categories", json!({ "name": "N", "code": "CHILD", "parentId": id }))
            };
            alike(child(&foreign).at("/parentId"), child(&absent));
        }
        assert!(mine.list("catalog/products", &[(member, &foreign)]).is(200).items().is_empty());
    }
    theirs.unit("THEIRS", 0);
    let named = |code: &str| mine.post("catalog/products", with(&product("P"), json!({ "unitOfMeasure": code })));
    alike(named("THEIRS"), named("NOBODYS"));
    let variant = theirs.on_sale("V");
    let list = mine.price_list("L");
    let create = |id: &str| mine.price(&list, id, None, None);
    alike(create(&variant).at("/variantId"), create(&absent));
    let resolved =
        mine.post(&format!("pricing/price-lists/{list}/resolve"), json!({ "variantIds": [variant, absent] })).is(200);
    assert_eq!(resolved["missing"].as_array().map(Vec::len), Some(2), "{resolved}");
}

fn p18_lists_never_mix(database: Database) {
    let (mine, theirs) = two(database);
    let (_, variant) = theirs.article("THEIRS");
    theirs.brand("THEIRS");
    let list = theirs.price_list("THEIRS");
    theirs.price(&list, &variant, None, None).is(201);
    assert!(mine.get("catalog/products").is(200).items().is_empty());
    assert!(mine.list("catalog/variants", &[("sku", "THEIRS")]).is(200).items().is_empty());
    assert!(mine.list("catalog/products", &[("text", "theirs")]).is(200).items().is_empty());
    assert!(mine.get("catalog/lookups/brands").is(200).items().is_empty());
    let codes: Vec<String> =
        mine.get("pricing/price-lists").is(200).items().iter().map(|l| l["code"].to_string()).collect();
    assert!(!codes.contains(&"\"THEIRS\"".to_string()), "{codes:?}");
}

fn codes_and_skus_are_per_company(database: Database) {
    let (mine, theirs) = two(database);
    for shop in [&mine, &theirs] {
        shop.brand("SAME");
        shop.article("SAME");
        shop.price_list("SAME");
    }
}
