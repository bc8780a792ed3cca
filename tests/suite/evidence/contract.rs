//! The published contract: one document per set of modules, whole, closed, and the same from the command line as served.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use jsonschema::Draft;
use serde_json::{Value as Json, json};
use stoa_tests::answer::CODES;
use stoa_tests::contract::{Contract, Operation, codes};
use stoa_tests::folder::Folder;
use stoa_tests::reviewed::reviewed_all;
use stoa_tests::{Database, abridged, host, modules, on_one_database};

stoa_tests::tests![reviewed];

// Checked before a request reaches the database, or independent of it.
on_one_database![
    served_as_printed,
    operations_are_whole,
    references_resolve,
    lists_look_alike,
    problems_are_closed,
    codes_of_modules_read_as_ever,
    webhooks_are_whole
];

/// `stoa openapi` over the suite's modules.
pub fn contract_of_modules() -> &'static Json {
    static PRINTED: LazyLock<Json> = LazyLock::new(|| print_contract(&modules::folder()));
    &PRINTED
}

/// `stoa openapi` over the modules of a folder.
fn print_contract(folder: &Path) -> Json {
    let scratch = Folder::new("openapi");
    let output = Command::new(host::binary())
        .arg("openapi")
        .env("STOA_MODULES_DIR", folder)
        .env("STOA_DATA_DIR", scratch.path())
        .env("STOA_MODULE_CACHE_DIR", host::compiled_modules())
        .current_dir(scratch.path())
        .output()
        .expect("cannot run the binary");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("`stoa openapi` prints JSON")
}

/// A change of the interface shows as a change of the texts of the modules that changed.
fn reviewed() {
    let texts = abridged::texts(contract_of_modules());
    reviewed_all(texts.into_iter().map(|(module, text)| (format!("{module}.snap"), text)).collect());
}

fn served_as_printed(database: Database) {
    let served = host::shared(database).get("/v1/openapi.json").is(200).body;
    let strip = |mut document: Json| {
        // Build and generation differ from host to host.
        if let Some(info) = document["info"].as_object_mut() {
            info.retain(|name, _| !name.starts_with("x-"));
        }
        if let Some(members) = document.as_object_mut() {
            members.remove("servers");
        }
        document
    };
    assert_eq!(strip(served), strip(contract_of_modules().clone()));
}

fn contract(database: Database) -> std::sync::Arc<Contract> {
    host::shared(database).contract()
}

fn operations_are_whole(database: Database) {
    let contract = contract(database);
    let document = &contract.document;
    assert_eq!((&document["openapi"], &document["info"]["version"]), (&json!("3.1.0"), &json!("1.32.0")));
    let mut ids = BTreeSet::new();
    for operation in &contract.operations {
        let shown = &operation.document;
        let id = &operation.id;
        assert!(!id.is_empty() && ids.insert(id.clone()), "operationId {id:?} of {} is taken", operation.path);
        assert!(
            id.chars().all(|c| c.is_ascii_alphanumeric()) && id.starts_with(|c: char| c.is_ascii_lowercase()),
            "{id}"
        );
        assert!(shown["summary"].as_str().is_some_and(|text| !text.is_empty()), "{id} has no summary");
        let responses = shown["responses"].as_object().unwrap_or_else(|| panic!("{id} has no responses"));
        let successes: Vec<&String> = responses.keys().filter(|status| status.starts_with('2')).collect();
        assert_eq!(successes.len(), 1, "{id}: {successes:?}");
        let parameters: Vec<&Json> = contract.parameters(operation).collect();
        let named = |place: &str, name: &str| parameters.iter().any(|p| p["in"] == place && p["name"] == name);
        for name in operation.path_parameters() {
            assert!(named("path", name), "{id} does not show its path parameter {name}");
        }
        if operation.of_tenant() {
            for status in ["401", "403", "404"] {
                assert!(responses.contains_key(status) || responses.contains_key("default"), "{id} shows no {status}");
            }
            let writes = operation.method != "GET" && !id.starts_with("resolve");
            assert_eq!(named("header", "Idempotency-Key"), writes, "{id}: Idempotency-Key");
            assert!(!shown["security"].is_null() || !document["security"].is_null(), "{id} shows no security");
        }
        for status in ["406", "500", "503"] {
            assert!(responses.contains_key(status) || responses.contains_key("default"), "{id} shows no {status}");
        }
    }
    assert!(ids.len() >= 25, "only {} operations: {ids:?}", ids.len());
}

/// Every `$ref` leads somewhere, and every schema is one of draft 2020-12.
fn references_resolve(database: Database) {
    let contract = contract(database);
    let mut found = Vec::new();
    collect(&contract.document, &mut found);
    for reference in &found {
        let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} leads out of the document"));
        assert!(contract.document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
    let schemas = contract.document["components"]["schemas"].as_object().into_iter().flatten();
    let each: Vec<Json> = schemas.map(|(name, _)| json!({ "$ref": format!("#/components/schemas/{name}") })).collect();
    let whole = json!({ "allOf": each, "components": contract.document["components"] });
    let built = jsonschema::options().with_draft(Draft::Draft202012).build(&whole);
    assert!(built.is_ok(), "{:?}", built.err().map(|error| error.to_string()));
}

fn collect(value: &Json, found: &mut Vec<String>) {
    match value {
        Json::Object(members) => {
            for (name, value) in members {
                match (name.as_str(), value) {
                    ("$ref", Json::String(reference)) => found.push(reference.clone()),
                    _ => collect(value, found),
                }
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

/// Lists that are short by their nature: the months of a year.
const ONE_PAGE: &[&str] = &["listPeriods"];

fn lists_look_alike(database: Database) {
    let contract = contract(database);
    let mut lists = 0;
    let is_list = |operation: &&Operation| ["list", "apiList"].iter().any(|verb| operation.id.starts_with(verb));
    for operation in contract.operations.iter().filter(is_list) {
        let answer = &operation.document["responses"]["200"]["content"]["application/json"]["schema"];
        let next = &contract.resolve(answer)["properties"]["nextCursor"];
        if next.is_null() || ONE_PAGE.contains(&operation.id.as_str()) {
            // A short list is listed whole.
            let paged = contract.parameters(operation).any(|parameter| parameter["name"] == "cursor");
            assert!(!paged, "{}", operation.id);
            continue;
        }
        let parameters: Vec<&Json> = contract.parameters(operation).collect();
        let schema = |name: &str| {
            let found = parameters.iter().find(|p| p["name"] == name && p["in"] == "query");
            contract.resolve(found.map_or(&Json::Null, |p| &p["schema"])).clone()
        };
        let limit = schema("limit");
        let bounds = (&limit["minimum"], &limit["maximum"], &limit["default"]);
        assert_eq!(bounds, (&json!(1), &json!(100), &json!(50)), "{}: limit", operation.id);
        assert_eq!(schema("cursor")["format"], "uuid", "{}: cursor", operation.id);
        lists += 1;
    }
    assert!(lists >= 5, "{lists} lists");
}

/// The list of problem codes is closed: an enumeration with every documented code that can occur.
fn problems_are_closed(database: Database) {
    let contract = contract(database);
    let problem = &contract.document["components"]["schemas"]["ProblemDetails"];
    assert!(problem.is_object(), "no schema ProblemDetails");
    let codes: BTreeSet<&str> = contract.resolve(&problem["properties"]["code"])["enum"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect();
    for (code, _) in CODES {
        assert!(codes.contains(code), "{code} is not in the contract");
    }
}

/// The codes that modules declare, with their status. Their texts are reviewed in `tests/contract/words.txt`.
const DECLARED: &[(&str, u16)] = &[
    ("PRICE_NOT_IN_EFFECT", 404),
    ("PRICE_PERIOD_OVERLAP", 409),
    ("INSUFFICIENT_STOCK", 409),
    ("CUSTODY_CONFLICT", 409),
    ("UNIT_UNAVAILABLE", 409),
    ("UNIT_CONDITION_REQUIRED", 409),
    ("UNIT_CONDITION_MISMATCH", 409),
    ("UNIT_COUNT_MISMATCH", 409),
    ("VALUATION_COST_REQUIRED", 409),
    ("PAYMENT_ACCOUNT_INVALID", 409),
    ("ACCOUNTING_SETUP_REQUIRED", 409),
    ("ACCOUNTING_PERIOD_CLOSED", 409),
    ("ACCOUNTING_CURRENCY_UNSUPPORTED", 409),
    ("ACCOUNTING_AMOUNT_PRECISION", 409),
];

/// A host without modules has none of them.
fn codes_of_modules_read_as_ever(database: Database) {
    let contract = contract(database);
    let schema = &contract.document["components"]["schemas"]["ProblemCode"];
    let listed = schema["enum"].as_array().cloned().unwrap_or_default();
    for (code, _) in DECLARED {
        assert!(listed.contains(&json!(code)), "{code} is not in the list");
    }
    for operation in &contract.operations {
        for (status, response) in operation.document["responses"].as_object().into_iter().flatten() {
            for code in codes(contract.resolve(response)) {
                let declared = DECLARED.iter().find(|(known, _)| *known == code);
                let as_ever = declared.is_none_or(|(_, known)| known.to_string() == *status);
                assert!(as_ever, "{}: {code} with {status}", operation.id);
            }
        }
    }
    let bare = print_contract(modules::none());
    let host_codes = bare["components"]["schemas"]["ProblemCode"]["enum"].as_array().expect("codes");
    let of_modules = host_codes.iter().find(|code| DECLARED.iter().any(|(declared, _)| *code == declared));
    assert_eq!(of_modules, None);
    assert_eq!(host_codes.len(), CODES.len(), "the host's list is as documented");
}

/// Every kind of event that the interface names: 48, of which an endpoint takes 42.
const KINDS: &str = "
    catalog.lookup.archived catalog.lookup.created catalog.lookup.updated catalog.media.archived catalog.media.created
    catalog.media.updated catalog.product.archived catalog.product.created catalog.product.deleted catalog.product.updated
    catalog.variant.archived catalog.variant.created catalog.variant.updated inventory.location.archived
    inventory.location.created inventory.location.updated inventory.updated inventory.warehouse.archived
    inventory.warehouse.created inventory.warehouse.updated pos.receipt.created pos.register.archived pos.register.created
    pos.session.closed pos.session.opened pricing.list.archived pricing.list.created pricing.list.updated pricing.price.archived
    pricing.price.created pricing.price.updated procurement.order.approved procurement.order.cancelled procurement.order.created
    procurement.order.updated procurement.receipt.created procurement.supplier.archived procurement.supplier.created
    procurement.supplier.updated sale.cancelled sale.completed sale.confirmed sale.created sale.updated sales.customer.archived
    sales.customer.created sales.customer.updated webhook.test
";

fn webhooks_are_whole(database: Database) {
    let contract = contract(database);
    let webhooks = contract.document["webhooks"].as_object().expect("no webhooks");
    assert_eq!(webhooks.keys().map(String::as_str).collect::<BTreeSet<_>>(), KINDS.split_whitespace().collect());
    for (kind, webhook) in webhooks {
        let sent = &webhook["post"];
        assert!(sent["summary"].as_str().is_some_and(|text| !text.is_empty()), "{kind} has no summary");
        let content = &sent["requestBody"]["content"]["application/json"];
        let (schema, example) = (&content["schema"], &content["example"]);
        assert!(contract.takes(schema, example), "the example of {kind} is none: {example}");
        assert_eq!(example["kind"], **kind);
        for member in ["id", "kind", "tenantId", "occurredAt", "requestId", "resource", "data"] {
            let mut less = example.clone();
            less.as_object_mut().expect("an object").remove(member);
            assert!(!contract.takes(schema, &less), "{kind} is sent without {member}");
        }
        for parameter in sent["parameters"].as_array().into_iter().flatten() {
            assert_eq!(contract.resolve(parameter)["in"], "header", "{kind}");
        }
    }
    for operation in &contract.operations {
        for kind in operation.document["x-stoa-events"].as_array().into_iter().flatten() {
            let described = kind.as_str().is_some_and(|kind| webhooks.contains_key(kind));
            assert!(described, "{}: {kind} is not described", operation.id);
        }
    }
}
