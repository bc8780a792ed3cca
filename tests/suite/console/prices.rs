//! The price grid in a browser without script: a column is set at once, and only that one.

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::pages::Page;
use stoa_tests::{Company, Database, company, on_both_databases};

use super::till::{browse, open, sku};

on_both_databases![
    a_column_is_set_at_once,
    a_fault_of_a_cell_names_its_article,
    prices_can_begin_at_an_instant,
    the_grid_is_searched_and_paged,
];

/// A company with two articles and two price lists.
fn shop(database: Database) -> (Company, [String; 2], [String; 2]) {
    let shop = company(database);
    let variants = [0, 1].map(|_| shop.on_sale(&fresh("ART-")));
    let lists = [0, 1].map(|_| shop.price_list(&fresh("LIST-")));
    (shop, variants, lists)
}

/// The amounts in effect of these variants in a list.
fn resolve(shop: &Company, list: &str, variants: &[String]) -> Vec<Json> {
    let body = json!({ "variantIds": variants });
    let found = shop.post(&format!("pricing/price-lists/{list}/resolve"), body).is(200);
    let amount = |variant: &String| {
        found.items().iter().find(|price| price["variantId"] == **variant).map(|price| price["amount"].clone())
    };
    variants.iter().map(|variant| amount(variant).unwrap_or_default()).collect()
}

fn row(page: &Page, shop: &Company, variant: &str) -> String {
    let sku = sku(shop, variant);
    let rows = page.rows();
    let row = rows.iter().find(|row| row.first() == Some(&sku));
    row.unwrap_or_else(|| panic!("{sku}: {rows:?}")).join(" | ")
}

fn a_column_is_set_at_once(database: Database) {
    let (shop, [one, other], lists) = shop(database);
    let page = open(&browse(&shop), &shop, "/-/prices").is(200);
    let form = |page: &Page, list: usize| page.form(&format!("list-{}", lists[list]));
    let (first, second) = (format!("v-{one}"), format!("v-{other}"));
    let page = form(&page, 0).fill(&first, "9.99").fill(&second, "20").submit("Set prices").is(200);
    let variants = [one.clone(), other.clone()];
    assert_eq!(resolve(&shop, &lists[0], &variants), [json!("9.990000"), json!("20.000000")]);
    assert_eq!(resolve(&shop, &lists[1], &variants), [Json::Null, Json::Null]);
    assert!(row(&page, &shop, &one).contains("9.99"), "{}", row(&page, &shop, &one));
    // A price that is in effect is replaced from now on; an empty field changes nothing.
    let page = form(&page, 0).fill(&first, "8.5").submit("Set prices").is(200);
    assert_eq!(resolve(&shop, &lists[0], &variants), [json!("8.500000"), json!("20.000000")]);
    assert!(form(&page, 1).submit("Set prices").is(200).has("State a price in the column first."));
    shop.verified();
}

fn a_fault_of_a_cell_names_its_article(database: Database) {
    let (shop, [one, other], lists) = shop(database);
    let page = open(&browse(&shop), &shop, "/-/prices").is(200);
    let form = page.form(&format!("list-{}", lists[0]));
    let rejected =
        form.fill(&format!("v-{one}"), "9.99").fill(&format!("v-{other}"), "1,5").submit("Set prices").is(400);
    assert!(rejected.has(&format!("{}:", sku(&shop, &other))), "{}", rejected.text());
    assert!(!rejected.has(&format!("{}:", sku(&shop, &one))), "{}", rejected.text());
    assert_eq!(rejected.form(&format!("list-{}", lists[0])).value(&format!("v-{one}")), "9.99");
    assert_eq!(rejected.form(&format!("list-{}", lists[1])).value(&format!("v-{one}")), "");
    assert_eq!(resolve(&shop, &lists[0], &[one, other]), [Json::Null, Json::Null]);
}

fn prices_can_begin_at_an_instant(database: Database) {
    let (shop, [one, _], lists) = shop(database);
    let page = open(&browse(&shop), &shop, "/-/prices").is(200);
    let form = page.form(&format!("list-{}", lists[0])).fill(&format!("v-{one}"), "5");
    let page = form.fill("from", "2099-01-02T03:04").submit("Set prices").is(200);
    assert!(row(&page, &shop, &one).contains("none"), "{}", row(&page, &shop, &one));
    let prices = shop.all(&format!("pricing/price-lists/{}/prices", lists[0]), &[]);
    let zone = shop.get("context").is(200)["tenant"]["timeZone"].as_str().expect("a zone").to_owned();
    assert_eq!(zone, "UTC", "the instant below is of that zone");
    assert_eq!(prices[0]["validFrom"], "2099-01-02T03:04:00.000Z");
}

fn the_grid_is_searched_and_paged(database: Database) {
    let (shop, [one, other], _) = shop(database);
    (0..3).for_each(|_| drop(shop.price_list(&fresh("MORE-"))));
    let browser = browse(&shop);
    let found = open(&browser, &shop, &format!("/-/prices?text={}", sku(&shop, &one))).is(200);
    assert!(found.has(&sku(&shop, &one)) && !found.has(&sku(&shop, &other)), "{}", found.text());
    // Four lists are on a page.
    let first = open(&browser, &shop, "/-/prices").is(200);
    let next = first.follow("More price lists").is(200);
    let heads = |page: &Page| page.rows().first().map_or(0, |head| head.len() - 1);
    assert_eq!([&first, &next].map(heads), [4, shop.all("pricing/price-lists", &[]).len() - 4]);
}
