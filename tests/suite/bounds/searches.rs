//! A search of text looks at so many rows of a company and no more, however many it has; the pages together find everything.

use serde_json::{Value as Json, json};
use stoa_tests::company::{product, with};
use stoa_tests::{Company, Database, company, on_both_databases};

on_both_databases![a_page_looks_at_so_many_rows, a_page_of_the_audit_looks_at_so_many_entries];

/// Rows between the first match and the last: more than one page looks at.
const HAY: u32 = 12_000;

/// The ids that each page shows, the first as the last.
#[track_caller]
fn pages(shop: &Company, path: &str, query: &[(&str, &str)]) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let after = cursor.iter().map(|cursor| ("cursor", cursor.as_str()));
        let page = shop.list(path, &query.iter().copied().chain(after).collect::<Vec<_>>()).is(200);
        let id = |item: &Json| item["id"].as_str().expect("an id").to_owned();
        pages.push(page["items"].as_array().expect("items").iter().map(id).collect());
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return pages,
        }
        assert!(pages.len() < 10, "{path}: the pages do not end");
    }
}

fn a_page_looks_at_so_many_rows(database: Database) {
    let shop = company(database);
    // By their variants alone are products found here.
    let article = |name: &str, sku: &str| {
        let body = with(&product(name), json!({ "variants": [{ "sku": sku }] }));
        let made = shop.post("catalog/products", body).is(201);
        (made.id(), made["variants"][0]["id"].as_str().expect("its variant").to_owned())
    };
    let (first, first_variant) = article("First", "NEEDLE-1");
    article("Hay", "HAY");
    shop.copy_rows("catalog_product", "slug = 'hay'", HAY, &[("slug", "t.slug || s.n")]);
    shop.copy_rows("catalog_variant", "sku = 'HAY'", HAY, &[("sku", "t.sku || s.n")]);
    let (last, last_variant) = article("Last", "NEEDLE-2");

    let expected = [vec![first.clone()], vec![last]];
    assert_eq!(pages(&shop, "catalog/products", &[("text", "eedle-")]), expected);
    assert_eq!(pages(&shop, "catalog/variants", &[("text", "eedle-")]), [vec![first_variant], vec![last_variant]]);
    assert_eq!(pages(&shop, "catalog/products", &[("text", "nowhere")]), [[""; 0], [""; 0]], "reported as it is");
    assert_eq!(pages(&shop, "catalog/products", &[("text", "eedle-1"), ("limit", "1")])[0], [first]);
    // A page that is full before is as it always was.
    let full = shop.list("catalog/products", &[("text", "hay"), ("limit", "2")]).is(200);
    assert_eq!(full["nextCursor"], full["items"][1]["id"]);
}

fn a_page_of_the_audit_looks_at_so_many_entries(database: Database) {
    let shop = company(database);
    shop.unit("HAY", 0);
    shop.copy_rows("stoa_audit", "operation = 'createLookup'", HAY, &[("operation", "'hay'")]);
    shop.product("Last");
    let found = |query: &[(&str, &str)]| pages(&shop, "audit", query);
    let one = |operation: &str| {
        let entries = shop.list("audit", &[("operation", operation), ("limit", "1")]).is(200);
        entries["items"][0]["id"].as_str().expect("an entry").to_owned()
    };
    let last = one("createProduct");
    assert_eq!(found(&[("text", "createproduct")])[0], [last], "the newest first");
    assert!(found(&[("text", "createproduct")]).len() > 1, "what is older is looked at page by page");
    let first = one("createCompany");
    assert_eq!(found(&[("text", "createcompany")]).concat(), [first]);
    assert!(found(&[("result", "DENIED")]).len() > 1, "no index knows results");
}
