//! Members that extensions add to responses, in the places that modules declare, and what the contract and the audit
//! say of extensions.

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::extending::{host, own_host};
use stoa_tests::selling::Counter;
use stoa_tests::{Database, Stoa, modules, on_both_databases, on_one_database};

on_both_databases![
    members_are_below_the_name_of_their_module,
    a_document_that_breaks_its_schema_fails,
    the_audit_names_extensions
];
on_one_database![the_contract_has_the_members_while_a_module_shows_them];

/// The schema of a component's member `extensions`; null where it has none.
#[track_caller]
fn place(host: &Stoa, component: &str) -> Json {
    let document = host.get("/v1/openapi.json").is(200);
    let schema = document["components"]["schemas"][component].clone();
    assert!(schema.is_object(), "no {component}");
    schema["properties"]["extensions"].clone()
}

fn members_are_below_the_name_of_their_module(database: Database) {
    let counter = Counter::new(host(database).company());
    let shop = &counter.shop;
    let order = counter.draft_of(&counter.good("10", "0"), "1");
    let product = format!("catalog/products/{}", shop.product(&fresh("Lamp ")));
    assert!(counter.read(&order).body.get("extensions").is_none(), "nothing is shown of it");
    shop.extend('a', "views", "show red");
    shop.extend('b', "views", "show blue");
    let both = json!({ "extender-a": { "shown": "red" }, "extender-b": { "shown": "blue" } });
    assert_eq!(counter.read(&order)["extensions"], both);
    assert_eq!(shop.get(&product).is(200)["extensions"], both);
    let listed = shop.list("sales/orders", &[]).is(200);
    assert!(listed["items"][0].get("extensions").is_none(), "lists leave them out");
}

fn a_document_that_breaks_its_schema_fails(database: Database) {
    let counter = Counter::new(host(database).company());
    let console = counter.shop.host.console();
    let order = counter.draft_of(&counter.good("10", "0"), "1");
    counter.shop.extend('a', "views", "wrong");
    let failed = counter.shop.get(&format!("sales/orders/{order}")).refused(500, "MODULE_FAILED");
    console.failure_of("extender-a", &failed);
}

fn the_audit_names_extensions(database: Database) {
    let counter = Counter::new(host(database).company());
    let order = counter.draft_of(&counter.good("10", "5"), "1");
    counter.shop.extend('a', "order-confirmation", "note");
    counter.confirm(&order).is(200);
    let condition = "operation = 'confirmSalesOrder' and metadata like '%\"module\":\"extender-a\"%'";
    assert_eq!(counter.shop.count("stoa_audit", condition), 1);
}

fn the_contract_has_the_members_while_a_module_shows_them(database: Database) {
    let host = own_host(database, &[]);
    let console = host.console();
    assert_eq!(place(&host, "SalesOrder"), Json::Null);
    let plain = console.runs();
    let digest = console.pushed(&modules::extender('a', 1));
    console.activate(&digest, json!({ "allow": ["POINT_EXTENDED", "EVENT_RECEIVED", "TIMER_ADDED"] })).is(200);
    let expected = json!({ "extender-a": { "$ref": "#/components/schemas/ExtenderAShown" } });
    assert_eq!(place(&host, "SalesOrder")["properties"], expected);
    let document = host.get("/v1/openapi.json").is(200);
    let confirm = &document["paths"]["/tenants/{tenantId}/sales/orders/{id}/confirm"]["post"];
    assert_eq!(confirm["x-stoa-extensions"], json!(["extender-a"]), "{confirm}");
    console.restore(plain).is(200);
    assert_eq!(place(&host, "SalesOrder"), Json::Null);
}
