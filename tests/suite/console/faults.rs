//! Rejections lead back to the fields, and a form that is sent again has no second effect.

use serde_json::json;
use stoa_tests::selling::Counter;
use stoa_tests::{Database, on_both_databases};

use super::lists::{Desk, first_cells};
use crate::modules::hostile;

on_both_databases![
    a_fault_of_a_row_is_at_the_row_that_was_typed,
    a_duplicate_leads_to_the_record_in_the_way,
    a_version_that_is_old_leads_to_the_record,
    a_state_that_is_old_is_rejected,
    a_form_that_is_sent_twice_writes_once,
    a_form_has_a_new_key_after_a_rejection,
    a_form_keeps_its_key_if_it_was_not_judged,
    a_foreign_part_of_an_address_is_not_found,
];

fn a_fault_of_a_row_is_at_the_row_that_was_typed(database: Database) {
    let desk = Desk::new(database);
    let mut form = desk.open("catalog/products?_form=createProduct").form("createProduct");
    form = form.fill("v/name", "Phone").fill("v/productType", "Good").fill("v/unitOfMeasure", "UNIT");
    for _ in 0..3 {
        form = form.submit("add:/variants").is(200).form("createProduct");
    }
    // The second row is blank: in the request the third one is the second.
    let rejected = form.fill("v/variants/0/sku", "PHONE-1").fill("v/variants/2/sku", "no sku").submit("send").is(400);
    assert!(rejected.html.contains("id=\"v/variants/2/sku-fault\""), "{}", rejected.text());
    assert!(!rejected.html.contains("id=\"v/variants/1/sku-fault\""), "{}", rejected.text());
    let link = rejected.links().into_iter().find(|(_, address)| address == "#v/variants/2/sku");
    assert_eq!(link.map(|(text, _)| text).as_deref(), Some("Variants 3, sku"));
    let again = rejected.form("createProduct");
    assert_eq!([again.value("v/variants/1/sku"), again.value("v/variants/2/sku")], ["", "no sku"]);
    again.fill("v/variants/2/sku", "PHONE-3").submit("send").is(200);
}

fn a_duplicate_leads_to_the_record_in_the_way(database: Database) {
    let desk = Desk::new(database);
    let brand = desk.company.brand("ACME");
    let form = desk.open("catalog/lookups/brands?_form=createLookup").form("createLookup");
    let rejected = form.fill("v/name", "Other").fill("v/code", "ACME").submit("send").is(409);
    assert!(rejected.html.contains("id=\"v/code-fault\""), "{}", rejected.text());
    let there = rejected.follow("The record in the way").is(200);
    assert!(there.path.ends_with(&format!("/catalog/lookups/brands/{brand}")), "{}", there.path);
}

fn a_version_that_is_old_leads_to_the_record(database: Database) {
    let desk = Desk::new(database);
    let counter = Counter::new(desk.company.clone());
    let order = counter.draft_of(&counter.good("12.5", "9"), "2");
    let page = desk.open(&format!("sales/orders/{order}"));
    let form = page.follow("Replace a draft of a sales order").is(200).form("replaceSalesOrder");
    counter.step(&order, "refresh-prices", 1, json!({})).is(200);
    let rejected = form.submit("send").is(409);
    assert!(rejected.has("The record has changed"), "{}", rejected.text());
    let form = rejected.follow("Read it again").is(200).form("replaceSalesOrder");
    assert_eq!(form.value("version"), "2");
    // A button of the record's page has the version that the page shows.
    assert!(page.form("refreshSalesOrderPrices").submit("send").is(409).has("The record has changed"));
}

fn a_state_that_is_old_is_rejected(database: Database) {
    let desk = Desk::new(database);
    let brand = desk.company.brand("ACME");
    let path = format!("catalog/lookups/brands/{brand}");
    let form = desk.open(&format!("{path}?_form=replaceLookup")).form("replaceLookup");
    desk.company.put(&path, json!({ "name": "Changed meanwhile", "code": "ACME" })).is(200);
    let rejected = form.fill("v/name", "Mine").submit("send").is(412);
    assert!(rejected.has("The record has changed"), "{}", rejected.text());
    assert_eq!(desk.company.get(&path).is(200)["name"], "Changed meanwhile");
    let form = rejected.follow("Read it again").is(200).form("replaceLookup");
    form.fill("v/name", "Mine").submit("send").is(200);
    assert_eq!(desk.company.get(&path).is(200)["name"], "Mine");
}

fn a_form_that_is_sent_twice_writes_once(database: Database) {
    let desk = Desk::new(database);
    let list = desk.company.price_list("RETAIL");
    let variant = desk.company.on_sale("PHONE-1");
    let path = format!("pricing/price-lists/{list}/prices");
    let page = desk.open(&format!("{path}?_form=createPrice"));
    let form = || {
        page.form("createPrice").fill("v/variantId", &variant).fill("v/currencyCode", "EUR").fill("v/amount", "1.50")
    };
    let (first, second) = (form().submit("send").is(200), form().submit("send").is(200));
    assert_eq!(first.path, second.path, "both lead to one record");
    assert_eq!(desk.company.get(&path).is(200).items().len(), 1);
}

fn a_form_has_a_new_key_after_a_rejection(database: Database) {
    let desk = Desk::new(database);
    desk.company.brand("ACME");
    let form = desk.open("catalog/lookups/brands?_form=createLookup").form("createLookup");
    let key = form.value("key").to_owned();
    let rejected = form.fill("v/name", "Other").fill("v/code", "ACME").submit("send").is(409);
    let again = rejected.form("createLookup");
    assert_ne!(again.value("key"), key);
    again.fill("v/code", "OTHER").submit("send").is(200);
    assert_eq!(first_cells(&desk.open("catalog/lookups/brands")).len(), 2);
}

/// A module that does not return in time: the host cannot say that the write was not done.
fn a_form_keeps_its_key_if_it_was_not_judged(database: Database) {
    let desk = Desk::from_company(hostile::host(database).company(), "owner@example.test");
    let form = desk.open("hostile/loop?_form=commitAttack").form("commitAttack").fill("v/text", "again");
    let key = form.value("key").to_owned();
    let failed = form.submit("send").is(503);
    let again = failed.form("commitAttack");
    assert_eq!([again.value("key"), again.value("v/text")], [key.as_str(), "again"], "{}", failed.text());
}

fn a_foreign_part_of_an_address_is_not_found(database: Database) {
    let desk = Desk::new(database);
    for path in [
        "catalog/nothing",
        "catalog/products?_form=createBranch",
        "catalog/products?_form=nothing",
        "catalog/products/019aaaaa-0000-7000-8000-000000000000",
    ] {
        desk.browser.open(&desk.address(path)).is(404);
    }
}
