//! Lists: columns, filters, search, paging and files are those of the API.

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, product, with};
use stoa_tests::pages::{Browser, Page};
use stoa_tests::{Company, Database, company, on_both_databases};

on_both_databases![
    columns_lead_to_the_records_and_name_others,
    filters_and_search_are_those_of_the_api,
    a_page_has_fifty_rows_and_leads_to_the_next,
    a_filter_that_is_required_is_filled_in_or_asked,
    a_rejected_filter_is_a_fault_at_its_field,
    rows_are_downloaded_as_a_file,
    a_value_of_a_path_is_a_list_of_its_own,
    an_operation_outside_a_company_is_no_action_of_a_list,
];

/// A user's browser at the pages of a company.
pub struct Desk {
    pub company: Company,
    pub browser: Browser,
}

impl Desk {
    /// The owner of a fresh company.
    pub fn new(database: Database) -> Desk {
        Desk::from_company(company(database), "owner@example.test")
    }

    pub fn from_company(company: Company, email: &str) -> Desk {
        let browser = company.host.browser();
        browser.sign_in(email).is(200);
        Desk { company, browser }
    }

    pub fn address(&self, path: &str) -> String {
        format!("/console/{}/{path}", self.company.tenant)
    }

    #[track_caller]
    pub fn open(&self, path: &str) -> Page {
        self.browser.open(&self.address(path)).is(200)
    }
}

/// The first cells of the rows of a page, without the head.
pub fn first_cells(page: &Page) -> Vec<String> {
    page.rows().into_iter().skip(1).filter_map(|row| row.first().cloned()).collect()
}

fn names(items: &[Json]) -> Vec<String> {
    items.iter().map(|item| item["name"].as_str().expect("a name").to_owned()).collect()
}

fn columns_lead_to_the_records_and_name_others(database: Database) {
    let desk = Desk::new(database);
    let brand = desk.company.brand("ACME");
    let body = with(
        &product("Phone"),
        json!({ "brandId": brand, "publicationStatus": "PUBLISHED", "trackInventory": true, "variants": [{ "sku": "PHONE-1" }] }),
    );
    let variant = desk.company.post("catalog/products", body).is(201)["variants"][0]["id"].clone();
    let page = desk.open("catalog/products");
    assert_eq!(first_cells(&page), ["Phone"]);
    assert!(page.follow("Phone").is(200).has("ACME"), "the record names its brand");
    // Ids of other records are shown by name, and lead to them.
    desk.company.bring(variant.as_str().expect("an id"), &desk.company.main(), "3", Some("2")).is(201);
    let stock = desk.open("inventory/movements");
    assert!(stock.follow("PHONE-1").is(200).path.contains("/catalog/variants/"), "{}", stock.text());
}

fn filters_and_search_are_those_of_the_api(database: Database) {
    let desk = Desk::new(database);
    for code in ["ACME", "BORG", "ACORN"] {
        desk.company.brand(code);
    }
    let archived = desk.company.brand("AXED");
    desk.company.archive(&format!("catalog/lookups/brands/{archived}")).is(200);
    let page = desk.open("catalog/lookups/brands");
    let found = page.form("filters").fill("v/text", "AC").submit("Show").is(200);
    assert!(found.path.ends_with("?text=AC"), "the address is that of the API: {}", found.path);
    let listed = desk.company.list("catalog/lookups/brands", &[("text", "AC")]).is(200);
    assert_eq!(found.rows().len() - 1, listed.items().len());
    let archived = page.form("filters").fill("v/status", "Archived").submit("Show").is(200);
    assert_eq!(archived.rows().len(), 2, "{}", archived.text());
    assert!(archived.has("AXED"), "{}", archived.text());
    assert_eq!(archived.form("filters").value("v/status"), "ARCHIVED", "the form keeps its values");
}

fn a_page_has_fifty_rows_and_leads_to_the_next(database: Database) {
    let desk = Desk::new(database);
    for number in 0..51 {
        desk.company.brand(&format!("B{number:03}"));
    }
    let first = desk.open("catalog/lookups/brands");
    let next = first.follow("Next").is(200);
    assert_eq!((first.rows().len() - 1, next.rows().len() - 1), (50, 1));
    assert_eq!(next.follow("First").rows(), first.rows());
    assert!(!next.links().iter().any(|(text, _)| text == "Next"));
}

fn a_filter_that_is_required_is_filled_in_or_asked(database: Database) {
    let desk = Desk::from_company(stoa_tests::goods::bookkeeping(database), "owner@example.test");
    // With one legal entity it is that one.
    let accounts = desk.open("ledger/accounts");
    let listed = desk.company.list("ledger/accounts", &[("legalEntityId", &desk.company.entity())]).is(200);
    assert_eq!(accounts.rows().len() - 1, listed.items().len().min(50));
    assert_eq!(accounts.form("filters").value("v/legalEntityId"), desk.company.entity());
    // The report has its month and its currency as well.
    let report = desk.open("reports/cash").form("filters");
    assert_eq!(report.value("v/currencyCode"), "EUR");
    assert!(report.value("v/from").ends_with("-01"), "{}", report.value("v/from"));
    desk.company.other_entity();
    let asked = desk.open("ledger/accounts");
    assert!(asked.rows().is_empty() && asked.has("State the filters"), "{}", asked.text());
    let entity = desk.company.entity();
    let found = asked.form("filters").fill("v/legalEntityId", &entity).submit("Show").is(200);
    assert_eq!(found.rows(), accounts.rows());
}

fn a_rejected_filter_is_a_fault_at_its_field(database: Database) {
    let desk = Desk::new(database);
    let page = desk.browser.open(&desk.address("sales/orders?totalMin=1,5")).is(400);
    assert!(page.html.contains("id=\"v/totalMin-fault\""), "{}", page.text());
    assert_eq!(page.form("filters").value("v/totalMin"), "1,5", "it is shown as it was typed");
}

fn rows_are_downloaded_as_a_file(database: Database) {
    let desk = Desk::from_company(stoa_tests::goods::bookkeeping(database), "owner@example.test");
    let page = desk.open("reports/valuation");
    let file = page.follow("CSV").is(200);
    assert!(file.header("content-type").is_some_and(|kind| kind.starts_with("text/csv")), "{:?}", file.headers);
    assert!(
        file.header("content-disposition").is_some_and(|text| text.starts_with("attachment")),
        "{:?}",
        file.headers
    );
    let query = [("legalEntityId", desk.company.entity())];
    let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let expected =
        desk.company.request("GET", "reports/valuation").query(&query).header("accept", "text/csv").send().is(200);
    assert_eq!(file.bytes, expected.bytes);
}

fn a_value_of_a_path_is_a_list_of_its_own(database: Database) {
    let desk = Desk::new(database);
    let name = fresh("Brand of ");
    let page = desk.open("catalog/lookups/brands");
    let form = page.follow("Create a lookup or a unit of measure").is(200).form("createLookup");
    form.fill("v/name", &name).fill("v/code", "ACME").submit("send").is(200);
    let listed = desk.company.list("catalog/lookups/brands", &[]).is(200);
    assert_eq!(names(listed.items()), [name.as_str()]);
    assert!(desk.open("catalog/lookups/brands").has(&name));
    assert!(!desk.open("catalog/lookups/manufacturers").has(&name));
}

/// The path of `createCompany` is one word below that of the checklist.
fn an_operation_outside_a_company_is_no_action_of_a_list(database: Database) {
    let page = Desk::new(database).open("onboarding").is(200);
    assert!(!page.html.contains("createCompany"), "{}", page.html);
}
