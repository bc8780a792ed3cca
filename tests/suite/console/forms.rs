//! Forms: every body of the contract's examples is drawn, read back, sent and accepted, and the rules of single fields.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value as Json, json};
use stoa_tests::contract::{Audience, Contract, Operation};
use stoa_tests::examples::{Example, Records, company_for};
use stoa_tests::pages::{Form, Page};
use stoa_tests::{Database, Stoa, host, on_both_databases, on_one_database};

use super::lists::Desk;

on_one_database![
    examples_of_catalog_by_form,
    examples_of_pricing_by_form,
    examples_of_sales_by_form,
    examples_of_inventory_by_form,
    examples_of_procurement_by_form,
    examples_of_finance_by_form,
    examples_of_ledger_by_form,
    examples_of_pos_by_form,
    examples_of_platform_by_form,
];

on_both_databases![
    rows_are_added_and_removed_without_a_script,
    a_branch_shows_its_fields,
    a_record_is_replaced_as_it_was_read,
    an_emptied_field_is_null,
    a_comma_is_rejected_at_its_field,
    a_text_that_is_no_json_is_not_sent,
    an_instant_is_in_the_zone_of_the_company,
    a_reference_is_found_among_many,
    a_company_is_made_by_its_form,
];

fn examples_of_catalog_by_form(database: Database) {
    send_examples(database, "catalog");
}

fn examples_of_pricing_by_form(database: Database) {
    send_examples(database, "pricing");
}

fn examples_of_sales_by_form(database: Database) {
    send_examples(database, "sales");
}

fn examples_of_inventory_by_form(database: Database) {
    send_examples(database, "inventory");
}

fn examples_of_procurement_by_form(database: Database) {
    send_examples(database, "procurement");
}

fn examples_of_finance_by_form(database: Database) {
    send_examples(database, "finance");
}

fn examples_of_ledger_by_form(database: Database) {
    send_examples(database, "ledger");
}

fn examples_of_pos_by_form(database: Database) {
    send_examples(database, "pos");
}

fn examples_of_platform_by_form(database: Database) {
    send_examples(database, "platform");
}

/// Sends the examples of a module by forms, each in a company of its own, and reports all that fail.
fn send_examples(database: Database, module: &str) {
    let stoa = host::shared(database);
    let contract = stoa.contract();
    let (mut sent, mut faults) = (0, Vec::new());
    let writes = contract.operations.iter().filter(|one| {
        one.method != "GET" && one.document["tags"][0] == module && one.audience() == Audience::User && one.of_tenant()
    });
    for operation in writes {
        let Some(example) = Example::find(&contract, operation) else { continue };
        sent += 1;
        match catch_unwind(AssertUnwindSafe(|| send(&stoa, &contract, operation, &example))) {
            Ok(done) if done.status == 200 && !done.html.contains("role=\"alert\"") => {}
            Ok(done) => faults.push(format!("{}: {} {}", operation.id, done.status, done.text())),
            Err(_) => faults.push(format!("{}: its form or a record of it failed, see above", operation.id)),
        }
    }
    assert!(sent > 0, "no operation of {module} has an example");
    assert!(faults.is_empty(), "{} of {sent} forms:\n{}", faults.len(), faults.join("\n"));
}

fn send(stoa: &Stoa, contract: &Contract, operation: &Operation, example: &Example) -> Page {
    let records = Records::new(company_for(stoa, &operation.id));
    records.prepare(&operation.id);
    let text = |value: &Json| value.as_str().map_or(value.to_string(), str::to_owned);
    let path = operation.filled(&records.shop.tenant, |name| {
        text(&records.insert_ids(example.path.get(name).unwrap_or_else(|| panic!("{name} is not in the example"))))
    });
    let body = example.body.as_ref().map(|body| records.insert_ids(body));
    let desk = Desk::from_company(records.shop.clone(), "owner@example.test");
    let (address, parts) = find_page(contract, operation, &path);
    let address = address.replace("/v1/tenants/", "/console/");
    let parts: String = parts.iter().map(|(name, value)| format!("&p/{name}={value}")).collect();
    let mut form = desk.browser.open(&format!("{address}?_form={}{parts}", operation.id)).is(200).form(&operation.id);
    if let Some(body) = body {
        form = fill(&desk, form, &operation.id, &body, "");
    }
    form.submit("send")
}

/// The page that has the form: the nearest one that a GET reads; with the parameters of the path that its address lacks.
fn find_page(contract: &Contract, operation: &Operation, path: &str) -> (String, Vec<(String, String)>) {
    let (stated, filled): (Vec<&str>, Vec<&str>) = (operation.path.split('/').collect(), path.split('/').collect());
    let is_read = |length: &usize| contract.operation("GET", &filled[..*length].join("/")).is_some();
    let length = (5..=filled.len()).rev().find(is_read).unwrap_or(filled.len());
    let parts =
        stated.iter().zip(&filled).skip(length).filter_map(|(name, value)| {
            Some((name.strip_prefix('{')?.strip_suffix('}')?.to_owned(), (*value).to_owned()))
        });
    (filled[..length].join("/"), parts.collect())
}

/// Types a value into a form. The version of the record is there already.
fn fill(desk: &Desk, form: Form, id: &str, value: &Json, pointer: &str) -> Form {
    let name = format!("v{pointer}");
    let has = |form: &Form, name: &str| form.names().iter().any(|other| other == name);
    match value {
        _ if pointer == "/expectedVersion" && has(&form, "version") => form,
        Json::Null if !has(&form, &name) => form,
        Json::Null => form.fill(&name, ""),
        Json::Object(_) if has(&form, &name) => form.fill(&name, &value.to_string()),
        Json::Object(members) => {
            let mut form = form;
            // The branch first: it has the other fields.
            let has_branches = form.buttons().contains(&"Show its fields");
            let branches = ["kind", "movementType"].map(|member| (format!("{name}/{member}"), members.get(member)));
            let mut stated = branches.into_iter().filter(|(name, _)| has_branches && has(&form, name));
            if let Some((name, Some(Json::String(branch)))) = stated.next() {
                form = form.fill(&name, branch).submit(&format!("branch:{pointer}")).is(200).form(id);
            }
            let fill =
                |form, (member, value): (&String, _)| fill(desk, form, id, value, &format!("{pointer}/{member}"));
            members.iter().fold(form, fill)
        }
        Json::Array(items) if items.iter().all(Json::is_object) && has(&form, &format!("n{pointer}")) => {
            let mut form = form;
            let count = |form: &Form| form.value(&format!("n{pointer}")).parse::<usize>().expect("a number of rows");
            while count(&form) < items.len() {
                form = form.submit(&format!("add:{pointer}")).is(200).form(id);
            }
            while count(&form) > items.len() {
                form = form.submit(&format!("remove:{pointer}/{}", items.len())).is(200).form(id);
            }
            let items = items.iter().enumerate();
            items.fold(form, |form, (index, item)| fill(desk, form, id, item, &format!("{pointer}/{index}")))
        }
        Json::Array(items) => {
            let texts: Vec<String> =
                items.iter().map(|item| item.as_str().map_or(item.to_string(), str::to_owned)).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            match form.options(&name).is_empty() {
                true => form.fill(&name, &texts.join("\n")),
                false => form.choose(&name, &texts),
            }
        }
        Json::Bool(is_on) if form.options(&name).iter().any(|(value, _)| *value == "on") => {
            form.choose(&name, if *is_on { &["on"] } else { &[] })
        }
        Json::String(text) if has(&form, &name) => form.fill(&name, text),
        // One of many records: a search finds it.
        Json::String(text) => {
            let code = desk.company.get(&format!("ledger/accounts/{text}")).is(200).text("code");
            let searched = form.fill(&format!("s{pointer}"), &code).submit(&format!("find:{pointer}"));
            searched.is(200).form(id).fill(&name, text)
        }
        other => form.fill(&name, &other.to_string()),
    }
}

fn rows_are_added_and_removed_without_a_script(database: Database) {
    let desk = Desk::new(database);
    let form = desk.open("catalog/products?_form=createProduct").form("createProduct");
    let form = form.fill("v/name", "Phone").fill("v/productType", "Good").fill("v/unitOfMeasure", "UNIT");
    let mut form = form;
    for index in 0..3 {
        form = form.submit("add:/variants").is(200).form("createProduct");
        form = form.fill(&format!("v/variants/{index}/sku"), &format!("PHONE-{index}"));
    }
    let form = form.submit("remove:/variants/1").is(200).form("createProduct");
    assert_eq!(form.value("v/name"), "Phone", "what was typed stays");
    assert_eq!([form.value("v/variants/0/sku"), form.value("v/variants/1/sku")], ["PHONE-0", "PHONE-2"]);
    let done = form.submit("send").is(200);
    assert!(done.has("PHONE-0") && done.has("PHONE-2") && !done.has("PHONE-1"), "{}", done.text());
}

fn a_branch_shows_its_fields(database: Database) {
    let desk = Desk::new(database);
    let form = desk.open("iam/commands?_form=executeIamCommand").form("executeIamCommand");
    assert!(!form.names().iter().any(|name| name == "v/code"));
    let form = form.fill("v/kind", "create_role").submit("branch:").is(200).form("executeIamCommand");
    form.fill("v/code", "CLERK").fill("v/name", "Clerk").submit("send").is(200);
    let roles = desk.company.list("iam/roles", &[("text", "Clerk")]).is(200);
    assert_eq!(roles.items()[0]["code"], "CLERK");
}

fn a_record_is_replaced_as_it_was_read(database: Database) {
    let desk = Desk::new(database);
    let body = json!({
        "name": "Phone", "productType": "GOOD", "unitOfMeasure": "UNIT", "trackInventory": true, "description": "Two\nlines",
        "attributes": { "warrantyMonths": 24 }, "brandId": desk.company.brand("ACME"),
    });
    let made = desk.company.post("catalog/products", body).is(201);
    let path = format!("catalog/products/{}", made.id());
    let before = desk.company.get(&path).is(200);
    let form = desk.open(&path).follow("Replace a product").is(200).form("replaceProduct");
    assert_eq!(form.value("v/brandId"), before["brandId"].as_str().expect("an id"));
    form.fill("v/name", "Telephone").submit("send").is(200);
    let after = desk.company.get(&path).is(200);
    for member in ["description", "attributes", "brandId", "productType", "trackInventory", "publicationStatus", "slug"]
    {
        assert_eq!(after[member], before[member], "{member}");
    }
    assert_eq!(after["name"], "Telephone");
}

fn an_emptied_field_is_null(database: Database) {
    let desk = Desk::new(database);
    let brand = desk.company.brand("ACME");
    let body = json!({ "name": "Phone", "productType": "GOOD", "unitOfMeasure": "UNIT", "brandId": brand });
    let path = format!("catalog/products/{}", desk.company.post("catalog/products", body).is(201).id());
    let form = desk.open(&path).follow("Replace a product").is(200).form("replaceProduct");
    form.fill("v/brandId", "").submit("send").is(200);
    assert_eq!(desk.company.get(&path).is(200)["brandId"], Json::Null);
}

fn a_comma_is_rejected_at_its_field(database: Database) {
    let desk = Desk::new(database);
    let (variant, list) = (desk.company.on_sale("PHONE-1"), desk.company.price_list("RETAIL"));
    let path = format!("pricing/price-lists/{list}/prices?_form=createPrice");
    let form = desk.open(&path).form("createPrice");
    let form = form.fill("v/variantId", &variant).fill("v/currencyCode", "EUR").fill("v/amount", "1,50");
    let rejected = form.submit("send").is(400);
    assert!(rejected.html.contains("id=\"v/amount-fault\""), "{}", rejected.text());
    let form = rejected.form("createPrice");
    assert_eq!([form.value("v/amount"), form.value("v/variantId")], ["1,50", variant.as_str()], "nothing is lost");
    form.fill("v/amount", "1.50").submit("send").is(200);
}

fn a_text_that_is_no_json_is_not_sent(database: Database) {
    let desk = Desk::new(database);
    let form = desk.open("catalog/products?_form=createProduct").form("createProduct");
    let form = form.fill("v/name", "Phone").fill("v/productType", "Good").fill("v/unitOfMeasure", "UNIT");
    let rejected = form.fill("v/attributes", "{\"a\":").submit("send").is(400);
    assert!(rejected.html.contains("id=\"v/attributes-fault\""), "{}", rejected.text());
    assert!(desk.company.list("catalog/products", &[]).is(200).items().is_empty());
    rejected.form("createProduct").fill("v/attributes", "{\"a\": 1.50}").submit("send").is(200);
}

fn an_instant_is_in_the_zone_of_the_company(database: Database) {
    let desk = Desk::new(database);
    // By the form of the settings, which the PUT at the path of their GET makes.
    let settings = desk.open("settings").follow("Replace the settings of the company");
    settings.is(200).form("replaceTenantSettings").fill("v/timeZone", "Europe/Berlin").submit("send").is(200);
    let (variant, list) = (desk.company.on_sale("PHONE-1"), desk.company.price_list("RETAIL"));
    let path = format!("pricing/price-lists/{list}/prices");
    let form = desk.open(&format!("{path}?_form=createPrice")).form("createPrice");
    let form = form.fill("v/variantId", &variant).fill("v/currencyCode", "EUR").fill("v/amount", "1");
    // This hour comes twice: the first one. The other one never comes: the end of the gap.
    let form = form.fill("v/validFrom", "2030-03-31T02:30").fill("v/validTo", "2030-10-27T02:30");
    form.submit("send").is(200);
    let price = desk.company.get(&path).is(200).items()[0].clone();
    let instants = ["validFrom", "validTo"]
        .map(|member| price[member].as_str().unwrap_or_default().get(..16).unwrap_or_default().to_owned());
    assert_eq!(instants, ["2030-03-31T01:00", "2030-10-27T00:30"], "{price}");
    let id = price["id"].as_str().expect("an id");
    let form = desk.open(&format!("{path}/{id}?_form=replacePrice")).form("replacePrice");
    assert_eq!([form.value("v/validFrom"), form.value("v/validTo")], ["2030-03-31T03:00:00", "2030-10-27T02:30:00"]);
}

fn a_reference_is_found_among_many(database: Database) {
    let desk = Desk::new(database);
    for number in 0..51 {
        desk.company.brand(&format!("B{number:03}"));
    }
    let wanted = desk.company.brand("WANTED");
    let form = desk.open("catalog/products?_form=createProduct").form("createProduct");
    let form = form.fill("v/name", "Phone").fill("v/productType", "Good").fill("v/unitOfMeasure", "UNIT");
    let found = form.fill("s/brandId", "WANTED").submit("find:/brandId").is(200);
    let form = found.form("createProduct");
    let offered: Vec<&str> = form.options("v/brandId").iter().map(|(value, _)| *value).collect();
    assert_eq!(offered, ["", wanted.as_str()], "{}", found.text());
    // The choice stays, with its name, while another field is searched.
    let form = form.fill("v/brandId", &wanted).submit("add:/variants").is(200).form("createProduct");
    assert_eq!(form.value("v/brandId"), wanted);
    let form = form.fill("v/variants/0/sku", "PHONE-1");
    form.submit("send").is(200);
    assert_eq!(desk.company.list("catalog/products", &[]).is(200).items()[0]["brandId"], wanted.as_str());
    // The same for a script: only the controls.
    let path = "-/find/listLookups?bound=brands&text=WANTED&name=v/brandId&form=createProduct&at=/catalog/products";
    let fragment = desk.open(path);
    assert!(fragment.html.contains(&wanted) && !fragment.html.contains("<html"), "{}", fragment.html);
}

fn a_company_is_made_by_its_form(database: Database) {
    let stoa = host::shared(database);
    let email = stoa_tests::people::somebody("founder");
    let browser = stoa.browser();
    let form = browser.sign_in(&email).is(200).form("createCompany");
    let made = form.fill("v/name", "Corner shop").fill("v/currencyCode", "EUR").submit("send").is(200);
    let tenant = made.path.split('/').nth(2).expect("a company").to_owned();
    assert!(made.has("Corner shop"), "{}", made.text());
    let roles = stoa.request("GET", &format!("/v1/tenants/{tenant}/context")).token(&stoa.token(&email)).send().is(200);
    assert_eq!(roles["tenant"]["name"], "Corner shop");
}
