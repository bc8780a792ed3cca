//! Archiving what there are goods of: it is done, and the response warns.

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::parallel::at_once;
use stoa_tests::{Answer, Company, Database, Stoa, company, eventually, on_both_databases};

on_both_databases![
    first_goods_in_two_warehouses_at_once_are_both_known,
    stock_of_an_older_version_is_reported_afterwards,
];

on_both_databases![
    rules:
    what_is_archived_with_goods_on_hand_is_warned_of,
    at_most_twenty_variants_are_named,
];

/// A product with this many variants, counted in pieces.
fn product(shop: &Company, variants: usize) -> (String, Vec<String>) {
    let skus: Vec<Json> = (0..variants).map(|_| json!({ "sku": fresh("SKU") })).collect();
    let body = json!({
        "name": "Lamp", "productType": "GOOD", "unitOfMeasure": "UNIT", "trackInventory": true,
        "publicationStatus": "PUBLISHED", "variantMode": "MULTIPLE", "variants": skus,
    });
    let made = shop.post("catalog/products", body).is(201);
    let ids = made["variants"].as_array().into_iter().flatten();
    (made.id(), ids.filter_map(|variant| variant["id"].as_str().map(str::to_string)).collect())
}

fn archive(shop: &Company, kind: &str, id: &str) -> Answer {
    shop.archive(&format!("catalog/{kind}/{id}")).is(200)
}

/// The response warns of exactly these variants.
#[track_caller]
fn assert_warned(answer: &Answer, variants: &[&str]) {
    let warnings: Vec<Json> = variants.iter().map(|id| json!({ "code": "STOCK_ON_HAND", "variantId": id })).collect();
    assert_eq!((&answer["warnings"], &answer["warningCount"]), (&json!(warnings), &json!(variants.len())), "{answer}");
}

fn what_is_archived_with_goods_on_hand_is_warned_of(database: Database) {
    let shop = company(database);
    let (main, other) = (shop.warehouse("PHYSICAL"), shop.warehouse("PHYSICAL"));
    let (lamp, variants) = product(&shop, 4);
    let [held, moved, gone, never] = variants.as_slice() else { panic!("four variants") };
    shop.stock_up(&main, held, "5");
    shop.stock_up(&other, held, "3");
    shop.stock_up(&main, moved, "2");
    shop.stock_up(&main, gone, "2");
    shop.take("ADJUSTMENT_OUT", held, &main, "5").is(201);
    shop.transfer(moved, "2", &main, &other).is(201);
    shop.take("ADJUSTMENT_OUT", gone, &main, "1").is(201);
    shop.take("ADJUSTMENT_OUT", gone, &main, "1").is(201);
    let archived = archive(&shop, "variants", never);
    assert_eq!(archived["status"], "ARCHIVED");
    assert_warned(&archived, &[]);
    assert_warned(&archive(&shop, "variants", moved), &[moved]);
    let archived = archive(&shop, "products", &lamp);
    assert_eq!(archived["status"], "ARCHIVED");
    assert_warned(&archived, &[held, moved]);
    shop.take("ADJUSTMENT_OUT", held, &other, "3").is(201);
    shop.verified();

    let (empty, variants) = product(&shop, 1);
    shop.stock_up(&main, &variants[0], "1");
    shop.reserve(&variants[0], &main, "1").is(201);
    assert_warned(&archive(&shop, "products", &empty), &[&variants[0]]);
    shop.verified();
}

fn first_goods_in_two_warehouses_at_once_are_both_known(database: Database) {
    let shop = company(database);
    let warehouses = [shop.warehouse("PHYSICAL"), shop.warehouse("PHYSICAL")];
    let (lamp, variants) = product(&shop, 1);
    at_once(8, |nth| shop.stock_up(&warehouses[nth % 2], &variants[0], "1"));
    at_once(8, |nth| match nth {
        0..4 => drop(shop.take("ADJUSTMENT_OUT", &variants[0], &warehouses[0], "1").is(201)),
        _ => shop.stock_up(&warehouses[1], &variants[0], "1"),
    });
    shop.verified();
    assert_warned(&archive(&shop, "products", &lamp), &[&variants[0]]);
    shop.take("ADJUSTMENT_OUT", &variants[0], &warehouses[1], "8").is(201);
    shop.verified();
}

fn at_most_twenty_variants_are_named(database: Database) {
    let shop = company(database);
    let main = shop.warehouse("PHYSICAL");
    let (lamp, variants) = product(&shop, 23);
    variants.iter().for_each(|variant| shop.stock_up(&main, variant, "1"));
    let archived = archive(&shop, "products", &lamp);
    let named = archived["warnings"].as_array().map(Vec::len);
    assert_eq!((named, &archived["warningCount"]), (Some(20), &json!(23)), "{archived}");
}

/// An older version of inventory reported nothing to the catalog. The backfill of the version that follows it reports all stock.
fn stock_of_an_older_version_is_reported_afterwards(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company();
    let main = shop.warehouse("PHYSICAL");
    let (lamp, variants) = product(&shop, 3);
    variants.iter().for_each(|variant| shop.stock_up(&main, variant, "2"));
    shop.take("ADJUSTMENT_OUT", &variants[2], &main, "2").is(201);
    shop.change("delete from catalog_holding where {tenant}");
    let is_done = "from stoa_upgrade where module = 'inventory' and done_at is not null";
    host.change_everywhere("delete from stoa_upgrade where module = 'inventory'");
    host.change_everywhere(
        "insert into stoa_upgrade (generation, module, from_version, to_version, batches)
         select max(generation), 'inventory', '0.0.1', '0.1.0', 0 from stoa_generation_module where module = 'inventory'",
    );
    eventually(|| (host.rows(&format!("select module {is_done}")).len() == 1).then_some(()));
    shop.verified();
    assert_warned(&archive(&shop, "products", &lamp), &[&variants[0], &variants[1]]);
}
