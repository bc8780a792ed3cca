//! Records: their members, lists and writes, as far as the user is permitted.

use serde_json::json;
use stoa_tests::company::{product, with};
use stoa_tests::people::somebody;
use stoa_tests::selling::Counter;
use stoa_tests::{Database, on_both_databases};

use super::lists::Desk;

const ARCHIVE: &str = "Archive a product with its active variants and media";

on_both_databases![
    a_record_has_its_members_lists_and_audit,
    a_write_without_permission_is_not_offered_and_rejected,
    a_transition_that_asks_nothing_is_one_button,
    a_grave_write_asks_on_a_page_of_its_own,
    a_part_of_a_record_is_chosen,
    a_row_without_a_page_has_its_writes,
    a_secret_is_shown_once,
];

fn a_record_has_its_members_lists_and_audit(database: Database) {
    let desk = Desk::new(database);
    let body = with(&product("Phone"), json!({ "variants": [{ "sku": "PHONE-1" }, { "sku": "PHONE-2" }] }));
    let id = desk.company.post("catalog/products", body).is(201).id();
    let page = desk.open(&format!("catalog/products/{id}"));
    for text in ["Phone", "Good", "PHONE-1", "PHONE-2", "Create a variant of a product"] {
        assert!(page.has(text), "{text}: {}", page.text());
    }
    let audit = page.follow("Audit").is(200);
    assert!(audit.path.contains(&format!("/audit?resourceId={id}")), "{}", audit.path);
    assert!(audit.rows().len() > 1, "{}", audit.text());
    let variant = page.follow("PHONE-2").is(200);
    assert!(variant.path.contains("/catalog/variants/"), "{}", variant.path);
}

fn a_write_without_permission_is_not_offered_and_rejected(database: Database) {
    let desk = Desk::new(database);
    let id = desk.company.product("Phone");
    let role = desk.company.role("READER", &["catalog.read"]);
    let email = somebody("reader");
    let user = desk.company.host.user_id(&email);
    let membership = desk.company.iam("create_membership", json!({ "userId": user })).is(201).id();
    desk.company.iam("assign_role", json!({ "membershipId": membership, "roleId": role })).is(201);
    let owner = desk.open(&format!("catalog/products/{id}"));
    let edit = owner.link("Replace a product");
    let form = owner.follow(ARCHIVE).is(200).form("archiveProduct");
    let reader = Desk::from_company(desk.company.clone(), &email);
    let page = reader.open(&format!("catalog/products/{id}"));
    assert!(page.has("Phone"));
    for text in ["Replace a product", ARCHIVE, "Audit"] {
        assert!(!page.links().iter().any(|(shown, _)| shown == text), "{text}");
    }
    reader.browser.open(&edit).is(403);
    // The same form with a token of the reader's own: the host rejects it.
    let csrf = page.form("sign-out").value("csrf").to_owned();
    let body = stoa_tests::pages::encode(&[
        ("csrf".to_owned(), csrf),
        ("do".to_owned(), "send".to_owned()),
        ("key".to_owned(), form.value("key").to_owned()),
    ]);
    let address = format!("{}?_form=archiveProduct", reader.address(&format!("catalog/products/{id}")));
    let origin = reader.company.host.url();
    let headers = [("origin", origin.as_str()), ("content-type", "application/x-www-form-urlencoded")];
    reader.browser.send("POST", &address, &headers, body.into_bytes()).is(403);
    assert_eq!(desk.company.get(&format!("catalog/products/{id}")).is(200)["status"], "ACTIVE");
}

fn a_transition_that_asks_nothing_is_one_button(database: Database) {
    let desk = Desk::new(database);
    let counter = Counter::new(desk.company.clone());
    let good = counter.good("12.5", "9");
    let order = counter.draft_of(&good, "2");
    let page = desk.open(&format!("sales/orders/{order}"));
    let done = page.form("refreshSalesOrderPrices").submit("send").is(200);
    assert!(done.has("Done:"), "{}", done.text());
    assert!(done.path.contains(&format!("/sales/orders/{order}?_done=refreshSalesOrderPrices")), "{}", done.path);
    assert_eq!(counter.read(&order)["version"], 2);
}

fn a_grave_write_asks_on_a_page_of_its_own(database: Database) {
    let desk = Desk::new(database);
    let brand = desk.company.brand("ACME");
    let path = format!("catalog/lookups/brands/{brand}");
    let asked = desk.open(&path).follow("Archive a lookup or a unit of measure").is(200);
    assert_eq!(desk.company.get(&path).is(200)["status"], "ACTIVE");
    let done = asked.form("archiveLookup").submit("send").is(200);
    assert!(done.has("Archived"), "{}", done.text());
    assert_eq!(desk.company.get(&path).is(200)["status"], "ARCHIVED");
}

fn a_part_of_a_record_is_chosen(database: Database) {
    let desk = Desk::new(database);
    let (variant, supplier) = (desk.company.good_without_stock(), desk.company.new_supplier());
    let line = json!({ "variantId": variant, "quantity": "10", "unitCost": "450" });
    let body = json!({
        "number": "IM-1", "legalEntityId": desk.company.entity(), "warehouseId": desk.company.main(), "supplierId": supplier,
        "currencyCode": "EUR", "items": [line],
    });
    let order = desk.company.post("purchases/import-orders", body).is(201).id();
    desk.company.post(&format!("purchases/orders/{order}/approve"), json!({ "expectedVersion": 1 })).is(200);
    let path = format!("purchases/import-orders/{order}");
    let version = desk.company.get(&path).is(200)["version"].clone();
    let charge = json!({ "type": "FREIGHT", "amount": "120", "expectedVersion": version });
    let charge = desk.company.post(&format!("{path}/charges"), charge).is(201).text("chargeId");
    let form = desk.open(&format!("{path}?_form=cancelCharge")).form("cancelCharge");
    let offered: Vec<&str> = form.options("p/chargeId").iter().map(|(value, _)| *value).collect();
    assert!(offered.contains(&charge.as_str()), "{offered:?}");
    form.fill("p/chargeId", &charge).submit("send").is(200);
    let charges = desk.company.get(&path).is(200)["charges"].clone();
    assert_eq!(charges[0]["status"], "CANCELLED", "{charges}");
    // One that replaces in full is filled with the part that it replaces.
    let version = desk.company.get(&path).is(200)["version"].clone();
    let other = json!({ "type": "INSURANCE", "amount": "80.5", "expectedVersion": version });
    desk.company.post(&format!("{path}/charges"), other).is(201);
    let chosen = desk.open(&format!("{path}?_form=replaceCharge"));
    let links = chosen.links();
    let (text, _) = links.iter().find(|(text, _)| text.contains("INSURANCE")).expect("a link to the part");
    let form = chosen.follow(text).is(200).form("replaceCharge");
    assert_eq!(form.value("v/type"), "INSURANCE");
    assert!(form.value("v/amount").starts_with("80.5"), "{}", form.value("v/amount"));
}

fn a_row_without_a_page_has_its_writes(database: Database) {
    let desk = Desk::new(database);
    desk.company.entitle();
    let client = desk.company.post("api-clients", json!({ "name": "Feed", "scopes": ["catalog.read"] })).is(201).id();
    let key = desk.company.post(&format!("api-clients/{client}/keys"), json!({})).is(201).id();
    let page = desk.open(&format!("api-clients/{client}/keys"));
    let form = page.follow("Revoke a key, from the next request on").is(200).form("revokeApiKey");
    assert_eq!(form.value("p/keyId"), key);
    form.submit("send").is(200);
    let keys = desk.company.get(&format!("api-clients/{client}/keys")).is(200);
    assert_eq!(keys.items()[0]["status"], "REVOKED", "{keys}");
}

fn a_secret_is_shown_once(database: Database) {
    let desk = Desk::new(database);
    desk.company.entitle();
    let client = desk.company.post("api-clients", json!({ "name": "Feed", "scopes": ["catalog.read"] })).is(201).id();
    let path = format!("api-clients/{client}/keys");
    let shown = desk.open(&format!("{path}?_form=issueApiKey")).form("issueApiKey").submit("send").is(200);
    assert!(shown.has("Copy this now"), "{}", shown.text());
    let text = shown.text();
    let (_, members) = text.split_once("Copy this now").expect("the hint");
    let secret = members.split_once("API key ").and_then(|(_, rest)| rest.split(' ').next()).expect("the key");
    assert!(secret.len() > 20, "{secret}");
    assert!(!desk.open(&path).html.contains(secret));
}
