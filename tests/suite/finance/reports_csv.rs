//! Reports as CSV: the same rows by `Accept: text/csv`, readable by a spreadsheet and harmless in it. [B9]

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office};
use stoa_tests::books::day;
use stoa_tests::company::fresh;
use stoa_tests::{Answer, Company, Database, on_both_databases};

on_both_databases![
    b9_every_report_has_rows_and_nothing_else_has,
    b9_rows_say_what_json_says,
    b9_text_of_a_cell_comes_back_and_is_no_formula,
    b9_pages_are_linked,
    b9_who_takes_neither_form_is_refused,
    b9_refusals_stay_json,
];

const REPORTS: [&str; 13] = [
    "getCashReport",
    "getCostReport",
    "getCustomerBalance",
    "getCustomerStatement",
    "getMarginReport",
    "getOrderSettlement",
    "getPayablesAgeing",
    "getReceivablesAgeing",
    "getReconciliation",
    "getSalesReport",
    "getSupplierBalance",
    "getSupplierStatement",
    "getValuationReport",
];

#[track_caller]
fn ask(shop: &Company, path: &str, query: &[(&str, &str)], accept: &str) -> Answer {
    shop.request("GET", path).query(query).header("accept", accept).send()
}

/// Names of the columns, and the lines.
#[track_caller]
fn read(answer: &Answer) -> (Vec<String>, Vec<Vec<String>>) {
    let texts = |record: &csv::StringRecord| record.iter().map(str::to_string).collect::<Vec<_>>();
    let mut reader = csv::Reader::from_reader(answer.bytes.as_slice());
    let names = texts(reader.headers().expect("a line of names"));
    let lines = reader.records().map(|record| texts(&record.expect("a line"))).collect();
    (names, lines)
}

/// A report's path and its query.
type Question = (String, Vec<(&'static str, String)>);

/// A company in which every report has rows, and the questions that show them.
fn busy(database: Database) -> (Office, Vec<Question>) {
    let office = Office::with_books(database);
    let counter = &office.counter;
    let order = counter.deliver(json!([{ "variantId": counter.good("10", "50"), "quantity": "3" }]));
    let item = counter.read(&order)["items"][0]["id"].clone();
    for quantity in ["1", "2"] {
        office.sales.issue(json!([{ "orderItemId": item, "quantity": quantity }]));
    }
    office.buyer.stock(&office.shop.counted(0), "3", "30");
    for desk in office.desks() {
        desk.owe("7");
        desk.pay("5");
    }
    let entity = ("legalEntityId", office.entity.clone());
    let currency = ("currencyCode", "EUR".to_string());
    let (from, to) = (("from", day(0)), ("to", day(1)));
    let (customer, supplier) = (&office.sales.party, &office.purchases.party);
    let range = vec![entity.clone(), currency.clone(), from.clone(), to.clone()];
    let debts = vec![entity.clone(), currency.clone()];
    let questions = vec![
        (format!("sales/customers/{customer}/balance"), vec![]),
        (format!("purchases/suppliers/{supplier}/balance"), vec![]),
        (format!("sales/customers/{customer}/statement"), debts.clone()),
        (format!("purchases/suppliers/{supplier}/statement"), debts.clone()),
        ("reports/receivables-ageing".to_string(), debts.clone()),
        ("reports/payables-ageing".to_string(), debts),
        (format!("sales/orders/{order}/settlement"), vec![]),
        ("reports/sales".to_string(), range.clone()),
        ("reports/margin".to_string(), range.clone()),
        ("reports/cash".to_string(), range),
        ("reports/valuation".to_string(), vec![entity.clone()]),
        ("reports/costs".to_string(), vec![entity.clone(), from, to]),
        ("reports/reconciliation".to_string(), vec![entity]),
    ];
    (office, questions)
}

fn b9_every_report_has_rows_and_nothing_else_has(database: Database) {
    let office = Office::new(database);
    let contract = office.shop.host.contract();
    let has_rows = |operation: &&stoa_tests::contract::Operation| {
        !operation.document["responses"]["200"]["content"]["text/csv"].is_null()
    };
    let found: BTreeSet<&str> =
        contract.operations.iter().filter(has_rows).map(|operation| operation.id.as_str()).collect();
    assert_eq!(found, BTreeSet::from(REPORTS));
    for operation in contract.operations.iter().filter(has_rows) {
        let answer = &operation.document["responses"]["200"];
        assert!(!answer["content"]["application/json"].is_null() && !answer["headers"]["Link"].is_null());
    }
}

/// The cells of a JSON row below these names, once for each entry of a list within.
fn cells(names: &[String], row: &Json) -> Vec<Vec<String>> {
    let entries = row.as_object().into_iter().flatten().find(|(_, value)| value.is_array());
    let line = |entry: Option<&Json>| {
        let cell = |name: &String| {
            let value = match (entries, name.split_once('.')) {
                (Some((list, _)), Some((before, after))) if list == before => entry.map(|entry| &entry[after]),
                _ => Some(&row[name.as_str()]),
            };
            match value.unwrap_or(&Json::Null) {
                Json::Null => String::new(),
                Json::String(text) => text.clone(),
                other => other.to_string(),
            }
        };
        names.iter().map(cell).collect::<Vec<_>>()
    };
    match entries.and_then(|(_, list)| list.as_array()) {
        Some(list) if !list.is_empty() => list.iter().map(|entry| line(Some(entry))).collect(),
        _ => vec![line(None)],
    }
}

fn b9_rows_say_what_json_says(database: Database) {
    let (office, questions) = busy(database);
    assert_eq!(questions.len(), REPORTS.len());
    for (path, query) in &questions {
        let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let plain = ask(&office.shop, path, &query, "application/json").is(200);
        let rows = ask(&office.shop, path, &query, "text/csv").is(200);
        let header = |name: &str| rows.header(name).unwrap_or_default();
        assert_eq!(header("content-type"), "text/csv; charset=utf-8; header=present", "{path}");
        assert_eq!((header("cache-control"), header("vary")), ("no-store", "accept"), "{path}");
        assert!(rows.tells("\r\n") && rows.bytes.ends_with(b"\r\n"), "{path}: {rows}");
        let (names, lines) = read(&rows);
        let expected: Vec<Vec<String>> = match plain.body["items"].as_array() {
            Some(items) => items.iter().flat_map(|item| cells(&names, item)).collect(),
            None => cells(&names, &plain.body),
        };
        assert!(!lines.is_empty(), "{path}: {plain}");
        assert_eq!(lines, expected, "{path}");
    }
    // The columns are those of the schema, whether there are rows or none.
    let nobody = office.shop.post("sales/customers", json!({ "code": fresh("C-"), "name": "Nobody" })).is(201).id();
    let none = ask(&office.shop, &format!("sales/customers/{nobody}/balance"), &[], "text/csv").is(200);
    let text = "legalEntityId,currencyCode,openInvoices,unappliedPayments,availableCredits,balance\r\n";
    assert_eq!(String::from_utf8_lossy(&none.bytes), text);
}

/// Bills new customers of these names, for the sales report.
#[track_caller]
fn sell_to(office: &Office, names: &[&str]) {
    for name in names {
        let customer = json!({ "code": fresh("C-"), "name": name });
        let party = office.shop.post("sales/customers", customer).is(201).id();
        let desk = Desk { party, ..office.sales.clone() };
        let draft = desk.draft(json!([desk.free("1", "1")]));
        desk.step(&format!("invoices/{draft}"), "recognize", json!({ "recognizedOn": day(0) })).is(200);
    }
}

fn by_customer(office: &Office) -> Vec<(&'static str, String)> {
    let (entity, from, to) = (office.entity.clone(), day(0), day(1));
    let currency = "EUR".to_string();
    let by = "CUSTOMER".to_string();
    vec![("legalEntityId", entity), ("currencyCode", currency), ("from", from), ("to", to), ("groupBy", by)]
}

fn b9_text_of_a_cell_comes_back_and_is_no_formula(database: Database) {
    let office = Office::new(database);
    let plain = ["a,b", "say \"so\"", "Straße; 北京", "a=1", "-12.5"];
    let formulas = ["=1+1", "+49 30 1", "-1+2", "@SUM(A1)"];
    sell_to(&office, &plain);
    sell_to(&office, &formulas);
    let query = by_customer(&office);
    let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let rows = ask(&office.shop, "reports/sales", &query, "text/csv").is(200);
    let (names, lines) = read(&rows);
    let column = names.iter().position(|name| name == "label").expect("a column of labels");
    let found: BTreeSet<String> = lines.iter().map(|line| line[column].clone()).collect();
    let expected = plain.iter().map(|name| (*name).to_string()).chain(formulas.iter().map(|name| format!("'{name}")));
    assert_eq!(found, expected.collect());
    assert!(rows.tells("\"a,b\"") && rows.tells("\"say \"\"so\"\"\""), "{rows}");
    let json = ask(&office.shop, "reports/sales", &query, "application/json").is(200);
    assert!(json.items().iter().any(|row| row["label"] == "=1+1"), "JSON stays as it is: {json}");
}

fn b9_pages_are_linked(database: Database) {
    let office = Office::new(database);
    sell_to(&office, &["One", "Two", "Three", "Four", "Five"]);
    let query = by_customer(&office);
    let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let whole = ask(&office.shop, "reports/sales", &query, "text/csv").is(200);
    assert_eq!(whole.header("link"), None);
    let (names, expected) = read(&whole);
    let first: Vec<(&str, &str)> = query.iter().copied().chain([("limit", "2")]).collect();
    let mut page = ask(&office.shop, "reports/sales", &first, "text/csv").is(200);
    let mut lines = Vec::new();
    loop {
        let (of_page, page_lines) = read(&page);
        assert_eq!(of_page, names);
        lines.extend(page_lines);
        let Some(link) = page.header("link").map(str::to_string) else { break };
        let next = link.strip_prefix('<').and_then(|rest| rest.strip_suffix(">; rel=\"next\"")).expect("a link");
        let request = office.shop.host.request("GET", next).token(&office.shop.token).header("accept", "text/csv");
        page = request.send().is(200);
    }
    assert_eq!(lines, expected);
    let json = ask(&office.shop, "reports/sales", &first, "application/json").is(200);
    assert!(json.header("link").is_none() && json["nextCursor"].is_string());
}

fn b9_who_takes_neither_form_is_refused(database: Database) {
    let office = Office::new(database);
    let path = format!("sales/customers/{}/balance", office.sales.party);
    for accept in ["text/csv", "text/*", "text/csv, */*", "application/json;q=0.1, text/csv"] {
        let kind = ask(&office.shop, &path, &[], accept).is(200);
        assert!(kind.header("content-type").is_some_and(|kind| kind.starts_with("text/csv")), "{accept}: {kind}");
    }
    for accept in ["application/json, text/csv", "*/*", "text/csv;q=0.1, application/json", "text/csv;q=0, */*"] {
        let kind = ask(&office.shop, &path, &[], accept).is(200);
        assert_eq!(kind.header("content-type"), Some("application/json"), "{accept}: {kind}");
    }
    for accept in ["text/html", "text/csv;q=0", "application/xml"] {
        ask(&office.shop, &path, &[], accept).refused(406, "NOT_ACCEPTABLE");
    }
    // A read that is not a report has no rows, nor has a machine's read.
    ask(&office.shop, "catalog/products", &[], "text/csv").refused(406, "NOT_ACCEPTABLE");
    let machine = office.shop.machine(&["sales.read"]);
    machine.request("GET", &path).header("accept", "text/csv").send().refused(406, "NOT_ACCEPTABLE");
}

fn b9_refusals_stay_json(database: Database) {
    let office = Office::new(database);
    // That each of them is a problem in JSON is seen by `send`.
    ask(&office.shop, "reports/sales", &[], "text/csv").refused(400, "VALIDATION_FAILED").at("/query/legalEntityId");
    let nobody = format!("sales/customers/{}/balance", uuid::Uuid::now_v7());
    ask(&office.shop, &nobody, &[], "text/csv").refused(404, "NOT_FOUND");
    let reader = office.shop.colleague(&["catalog.read"]);
    ask(&reader, &nobody, &[], "text/csv").refused(403, "PERMISSION_DENIED");
}
