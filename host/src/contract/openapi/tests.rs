//! The document holds together: every reference resolves, every parameter is declared, and what it publishes is what validates.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use stoa_descriptor::{EventKind, Named, ProblemCode, Route};

use super::*;
use crate::contract::Schema;

fn route(value: Value) -> Route {
    let mut whole = json!({
        "summary": "Does it.", "audience": "user", "access": {"all": ["catalog.read"]}, "idempotency": "none", "readOnly": true,
        "status": 200, "response": {"type": "object"}, "bodyLimit": 1 << 20,
    });
    whole.as_object_mut().unwrap().extend(value.as_object().cloned().unwrap());
    serde_json::from_value(whole).unwrap()
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn catalog_schemas() -> Map<String, Value> {
    object(json!({
        "ProductInput": {"type": "object", "additionalProperties": false, "required": ["name", "item"], "properties": {
            "name": {"type": "string", "minLength": 1, "x-normalize": ["trim"]},
            "item": {"$ref": "#/$defs/Item"}, "code": {"$ref": "#/$defs/Code"},
        }},
        "Product": {"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}}},
        "ProductPage": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/Product"}}}},
        "Item": {"type": "object", "properties": {"inner": {"$ref": "#/$defs/Inner"}}},
        "Inner": {"type": "integer"},
        "Code": {"type": "string", "pattern": "^[A-Z]+$"},
        "Told": {"type": "object", "required": ["code"], "properties": {"code": {"$ref": "#/$defs/Code"}}},
        "Unused": {"type": "null"},
    }))
}

fn pricing_schemas() -> Map<String, Value> {
    object(json!({
        "PriceInput": {"type": "object", "properties": {"code": {"$ref": "#/$defs/Code"}, "item": {"$ref": "#/$defs/Item"}}},
        // The same text as catalog's, but its Inner is another: so they are two.
        "Item": {"type": "object", "properties": {"inner": {"$ref": "#/$defs/Inner"}}},
        "Inner": {"type": "string"},
        "Code": {"type": "string", "pattern": "^[A-Z]+$"},
    }))
}

fn routes() -> Vec<(Route, &'static str, bool)> {
    vec![
        (
            route(json!({"method": "GET", "path": "/health", "operation": "getHealth", "response": {
            "type": "object", "properties": {"status": {"const": "ok"}}}})),
            "platform",
            true,
        ),
        (
            route(json!({"method": "GET", "path": "/docs", "operation": "getDocs", "response": {
            "type": "string", "contentMediaType": "text/html"}})),
            "platform",
            true,
        ),
        (
            route(json!({"method": "GET", "path": "/tenants/{tenantId}/products", "operation": "listProducts",
            "query": {"type": "object", "required": ["text"], "properties": {
                "limit": {"type": "integer", "description": "Page size.", "default": 50}, "text": {"type": "string"}, "code": {"$ref": "#/$defs/Code"}}},
            "response": {"$ref": "#/$defs/ProductPage"}})),
            "catalog",
            false,
        ),
        (
            route(
                json!({"method": "POST", "path": "/tenants/{tenantId}/products", "operation": "createProduct", "readOnly": false, "status": 201,
            "idempotency": "required", "access": {"all": ["catalog.write", "pricing.read"]}, "body": {"$ref": "#/$defs/ProductInput"},
            "response": {"$ref": "#/$defs/Product"}, "problems": ["DUPLICATE", "TEAPOT"], "events": ["catalog.product.created"],
            "bodyLimit": 16 << 20, "cacheControl": "no-store"}),
            ),
            "catalog",
            false,
        ),
        (
            route(json!({"method": "GET", "path": "/tenants/{tenantId}/products/{id}", "operation": "getProduct",
            "response": {"$ref": "#/$defs/Product"}})),
            "catalog",
            false,
        ),
        (
            route(
                json!({"method": "PUT", "path": "/tenants/{tenantId}/products/{id}", "operation": "replaceProduct", "readOnly": false,
            "idempotency": "required", "ifMatch": true, "body": {"$ref": "#/$defs/ProductInput"}, "response": {"$ref": "#/$defs/Product"}}),
            ),
            "catalog",
            false,
        ),
        (
            route(
                json!({"method": "POST", "path": "/api-client/prices/{kind}", "operation": "createPrice", "audience": "api-client",
            "access": {"any": ["pricing.write", "catalog.write"]}, "idempotency": "optional", "readOnly": false,
            "pathSchema": {"type": "object", "properties": {"kind": {"type": "string", "enum": ["a"], "description": "Which."}}},
            "body": {"$ref": "#/$defs/PriceInput"}, "response": {"type": "object", "properties": {"item": {"$ref": "#/$defs/Item"}}}}),
            ),
            "pricing",
            false,
        ),
    ]
}

fn kind(code: &str, data: Value, example: Value) -> EventKind {
    let (code, description) = (code.to_owned(), "A product was made.".to_owned());
    EventKind { code, description, resource_type: "PRODUCT".into(), data, example }
}

fn document() -> Value {
    let (catalog, pricing, none) = (catalog_schemas(), pricing_schemas(), Map::new());
    let problems = [ProblemCode { code: "TEAPOT".into(), status: 418, detail: "It is a teapot.".into() }];
    let events = [kind("catalog.product.created", json!({"$ref": "#/$defs/Told"}), json!({"code": "A"}))];
    let words = [("text", "What is looked for."), ("limit", "Of nothing.")]
        .map(|(name, text)| Named { code: name.to_owned(), description: text.to_owned() });
    let modules = [
        DocumentedModule {
            name: "platform",
            description: "The platform.",
            schemas: &none,
            problems: &[],
            events: &[],
            words: &[],
            by_partner: false,
        },
        DocumentedModule {
            name: "catalog",
            description: "Products.",
            schemas: &catalog,
            problems: &problems,
            events: &events,
            words: &words,
            by_partner: false,
        },
        DocumentedModule {
            name: "pricing",
            description: "Prices.",
            schemas: &pricing,
            problems: &[],
            events: &[],
            words: &[],
            by_partner: false,
        },
        DocumentedModule {
            name: "idle",
            description: "Nothing.",
            schemas: &none,
            problems: &[],
            events: &[],
            words: &[],
            by_partner: false,
        },
    ];
    let routes = routes();
    let operations: Vec<DocumentedOperation> =
        routes.iter().map(|(route, module, public)| DocumentedOperation { route, module, public: *public }).collect();
    compose(&operations, &modules, &Info { generation: 7, build: "0.1.0", description: "A market." }).unwrap()
}

/// Breaches of OpenAPI 3.1's rules that a generator would stumble over.
fn breaches(document: &Value) -> Vec<String> {
    let mut all = Vec::new();
    let mut references = BTreeSet::new();
    crate::contract::refs::collect(document, &mut references);
    for reference in references {
        if reference.strip_prefix('#').and_then(|pointer| document.pointer(pointer)).is_none() {
            all.push(format!("{reference} resolves to nothing"));
        }
    }
    let mut ids = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        if !path.starts_with('/') {
            all.push(format!("{path} does not begin with /"));
        }
        for (method, operation) in methods.as_object().unwrap() {
            let label = format!("{method} {path}");
            if !ids.insert(operation["operationId"].as_str().unwrap()) {
                all.push(format!("{label}: the id is taken"));
            }
            let mut declared = BTreeSet::new();
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let parameter = parameter
                    .get("$ref")
                    .and_then(|reference| document.pointer(reference.as_str()?.strip_prefix('#')?))
                    .unwrap_or(parameter);
                let (name, location) = (parameter["name"].as_str().unwrap(), parameter["in"].as_str().unwrap());
                if !declared.insert((location, name)) {
                    all.push(format!("{label}: {name} is declared twice"));
                }
                if location == "path" && (parameter["required"] != true || !path.contains(&format!("{{{name}}}"))) {
                    all.push(format!("{label}: {name} is no required part of the path"));
                }
                if parameter.get("schema").is_none() {
                    all.push(format!("{label}: {name} has no schema"));
                }
            }
            for name in crate::contract::parameters::names(path) {
                if !declared.contains(&("path", name)) {
                    all.push(format!("{label}: {name} is not declared"));
                }
            }
            let responses = operation["responses"].as_object().unwrap();
            if responses.is_empty()
                || responses.values().any(|one| one.get("$ref").is_none() && one.get("description").is_none())
            {
                all.push(format!("{label}: a response without a description"));
            }
            for scheme in
                operation["security"].as_array().unwrap().iter().flat_map(|all| all.as_object().unwrap().keys())
            {
                if document["components"]["securitySchemes"].get(scheme).is_none() {
                    all.push(format!("{label}: there is no scheme {scheme}"));
                }
            }
            let tags: Vec<&Value> = document["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
            if !operation["tags"].as_array().unwrap().iter().all(|tag| tags.contains(&tag)) {
                all.push(format!("{label}: a tag that is not described"));
            }
        }
    }
    for group in document["components"].as_object().unwrap().values() {
        for name in group.as_object().unwrap().keys() {
            if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)) {
                all.push(format!("{name} cannot name a component"));
            }
        }
    }
    all
}

#[test]
fn holds_together() {
    let document = document();
    assert_eq!(breaches(&document), [""; 0]);
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], "1.32.0");
    assert_eq!(document["info"]["x-stoa-generation"], 7);
    assert_eq!(document["servers"], json!([{"url": "/v1"}]));
    assert_eq!(document["tags"].as_array().unwrap().len(), 4);
}

#[test]
fn schemas_share_one_list() {
    let document = document();
    let names: Vec<&String> = document["components"]["schemas"].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "CatalogProductCreatedEvent",
            "Code",
            "CreatePriceResponse",
            "GetHealthResponse",
            "Inner",
            "Item",
            "PriceInput",
            "PricingInner",
            "PricingItem",
            "ProblemCode",
            "ProblemDetails",
            "ProblemItem",
            "Product",
            "ProductInput",
            "ProductPage",
            "Told",
        ]
    );
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["PriceInput"]["properties"]["item"]["$ref"], "#/components/schemas/PricingItem");
    assert_eq!(schemas["PricingItem"]["properties"]["inner"]["$ref"], "#/components/schemas/PricingInner");
    assert_eq!(schemas["PriceInput"]["properties"]["code"]["$ref"], "#/components/schemas/Code");
    let codes = schemas["ProblemCode"]["enum"].as_array().unwrap();
    assert_eq!(codes.len(), problem::CODES.len() + 1);
    assert_eq!(schemas["ProblemCode"]["x-enum-descriptions"].as_array().unwrap().len(), codes.len());
}

#[test]
fn what_says_nothing_is_described_by_its_name() {
    let document = document();
    let list = &document["paths"]["/tenants/{tenantId}/products"]["get"]["parameters"];
    assert_eq!(list[1]["description"], "Page size.", "its own comment wins");
    assert_eq!(list[2]["description"], "What is looked for.");
    assert_eq!(list[3].get("description"), None, "a reference says it where it leads");
    let one = &document["paths"]["/tenants/{tenantId}/products/{id}"]["get"]["parameters"];
    assert_eq!(one[1]["description"], "Id of one of the products.");
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["Product"]["properties"]["id"]["description"], "Unique identifier; never changes.");
    assert_eq!(schemas["Told"]["properties"]["code"], json!({"$ref": "#/components/schemas/Code"}));
}

#[test]
fn operations_say_what_they_do() {
    let document = document();
    let create = &document["paths"]["/tenants/{tenantId}/products"]["post"];
    let description = create["description"].as_str().unwrap();
    for part in [
        "permissions `catalog.write` and `pricing.read`",
        "`catalog.product.created`",
        "16 MiB",
        "Unknown query parameters",
    ] {
        assert!(description.contains(part), "{description}");
    }
    assert_eq!(create["parameters"][1]["$ref"], "#/components/parameters/IdempotencyKey");
    let headers = &create["responses"]["201"]["headers"];
    assert!(headers.get("Idempotency-Replayed").is_some() && headers.get("ETag").is_none());
    assert_eq!(headers["Cache-Control"]["schema"]["const"], "no-store");
    let conflict = create["responses"]["409"]["description"].as_str().unwrap();
    assert!(conflict.contains("`DUPLICATE`, `IDEMPOTENCY_KEY_REUSED`"), "{conflict}");
    assert!(create["responses"]["418"]["description"].as_str().unwrap().contains("TEAPOT"));
    assert!(create["responses"].get("412").is_none());

    let one = &document["paths"]["/tenants/{tenantId}/products/{id}"];
    assert_eq!(one["put"]["parameters"][3]["$ref"], "#/components/parameters/IfMatch");
    assert!(one["put"]["responses"].get("412").is_some());
    assert!(one["get"]["responses"]["200"]["headers"].get("ETag").is_some());

    let list = &document["paths"]["/tenants/{tenantId}/products"]["get"];
    assert_eq!(
        list["parameters"][1],
        json!({
        "name": "limit", "in": "query", "required": false, "description": "Page size.", "schema": {"type": "integer", "default": 50}})
    );
    assert_eq!(list["parameters"][2]["required"], true);
    assert_eq!(list["parameters"][3]["schema"]["$ref"], "#/components/schemas/Code");
    assert!(list["responses"].get("409").is_none() && list["responses"].get("404").is_none());

    let price = &document["paths"]["/api-client/prices/{kind}"]["post"];
    assert_eq!(price["security"], json!([{"PlatformApiKey": []}]));
    assert!(price["description"].as_str().unwrap().contains("one of the scopes `pricing.write`, `catalog.write`"));
    assert_eq!(price["parameters"][0]["description"], "Which.");

    let health = &document["paths"]["/health"]["get"];
    assert_eq!(health["security"], json!([]));
    assert!(health["responses"].get("401").is_none() && health.get("x-stoa-access").is_none());
    assert!(document["paths"]["/docs"]["get"]["responses"]["200"]["content"].get("text/html").is_some());
}

#[test]
fn what_is_published_validates_alike() {
    let document = document();
    let published = json!({"$ref": "#/components/schemas/ProductInput", "components": document["components"]});
    let published =
        jsonschema::draft202012::options().offline().should_validate_formats(true).build(&published).unwrap();
    let used = Schema::compile(&json!({"$ref": "#/$defs/ProductInput"}), &catalog_schemas()).unwrap();
    for body in [
        json!({"name": "a", "item": {}}),
        json!({"name": "a", "item": {"inner": 1}}),
        json!({"name": "a", "item": {"inner": "x"}}),
        json!({"name": "", "item": {}}),
        json!({"name": "a", "item": {}, "code": "a"}),
        json!({"name": "a", "item": {}, "code": "A"}),
        json!({"name": "a", "item": {}, "other": 1}),
        json!({}),
        json!([]),
    ] {
        assert_eq!(published.is_valid(&body), used.check(&mut body.clone()).is_empty(), "{body}");
    }
}

#[test]
fn what_is_sent_is_described_and_its_example_meets_it() {
    let document = document();
    let sent = &document["webhooks"]["catalog.product.created"]["post"];
    assert_eq!((&sent["tags"], &sent["summary"]), (&json!(["events"]), &json!("A product was made.")));
    let content = &sent["requestBody"]["content"]["application/json"];
    assert_eq!(content["schema"]["$ref"], "#/components/schemas/CatalogProductCreatedEvent");
    let schema = &document["components"]["schemas"]["CatalogProductCreatedEvent"];
    assert_eq!(schema["properties"]["data"]["$ref"], "#/components/schemas/Told");
    let published = json!({"$ref": content["schema"]["$ref"], "components": document["components"]});
    let published =
        jsonschema::draft202012::options().offline().should_validate_formats(true).build(&published).unwrap();
    let example = &content["example"];
    assert!(published.is_valid(example), "{example}");
    let members: Vec<&String> = example.as_object().unwrap().keys().collect();
    assert_eq!(members, ["id", "kind", "tenantId", "occurredAt", "requestId", "resource", "data"]);
    for (pointer, value) in [
        ("/kind", json!("catalog.product.updated")),
        ("/resource/type", json!("VARIANT")),
        ("/data", json!({})),
        ("/data/code", json!("a")),
        ("/tenantId", json!("x")),
    ] {
        let mut other = example.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        assert!(!published.is_valid(&other), "{pointer}");
    }
    for parameter in sent["parameters"].as_array().unwrap() {
        let name = parameter["$ref"].as_str().unwrap().strip_prefix('#').unwrap();
        assert_eq!(document.pointer(name).unwrap()["in"], "header", "{name}");
    }
}

#[test]
fn what_cannot_be_published() {
    let none = Map::new();
    let module = DocumentedModule {
        name: "m",
        description: "",
        schemas: &none,
        problems: &[],
        events: &[],
        words: &[],
        by_partner: false,
    };
    let get = |operation: &str, path: &str| route(json!({"method": "GET", "path": path, "operation": operation}));
    let refused = |routes: &[Route], modules: &[DocumentedModule]| {
        let operations: Vec<DocumentedOperation> =
            routes.iter().map(|route| DocumentedOperation { route, module: "m", public: false }).collect();
        compose(&operations, modules, &Info { generation: 1, build: "", description: "" }).unwrap_err()
    };
    assert!(refused(&[get("a", "/a"), get("a", "/b")], &[module]).contains("this id"));
    assert!(refused(&[get("a", "/a"), get("b", "/a")], &[module]).contains("method and path"));
    assert!(refused(&[get("a", "/a")], &[]).contains("no module m"));
    let unknown = route(json!({"method": "GET", "path": "/a", "operation": "a", "problems": ["NO_SUCH"]}));
    assert!(refused(&[unknown], &[module]).contains("NO_SUCH"));
    let dangling =
        route(json!({"method": "GET", "path": "/a", "operation": "a", "response": {"$ref": "#/$defs/None"}}));
    assert!(refused(&[dangling], &[module]).contains("names no schema"));
    let odd = route(json!({"method": "TRACE", "path": "/a", "operation": "a"}));
    assert!(refused(&[odd], &[module]).contains("TRACE"));
    let events = [kind("m.made", json!({"$ref": "#/$defs/None"}), json!({}))];
    assert!(refused(&[get("a", "/a")], &[DocumentedModule { events: &events, ..module }]).contains("names no schema"));
    let twice =
        [kind("m.made", json!({"type": "object"}), json!({})), kind("m.made", json!({"type": "object"}), json!({}))];
    assert!(refused(&[get("a", "/a")], &[DocumentedModule { events: &twice, ..module }]).contains("m.made"));
    let two = [ProblemCode { code: "NOT_FOUND".into(), status: 410, detail: String::new() }];
    assert!(refused(&[get("a", "/a")], &[DocumentedModule { problems: &two, ..module }]).contains("two statuses"));
}

/// Two modules with these schemas under one name; the second is a partner's or not.
fn compose_two(first: &Value, second: &Value, by_partner: bool) -> Result<Value, String> {
    let [first, second] = [first, second].map(|schema| object(json!({ "ShopItem": schema })));
    let module = |name, schemas, by_partner| DocumentedModule {
        name,
        description: "",
        schemas,
        problems: &[],
        events: &[],
        words: &[],
        by_partner,
    };
    let modules = [module("shop", &first, by_partner), module("shop-item", &second, false)];
    let routes = ["shop", "shop-item"].map(|name| {
        let (path, operation) = (format!("/{name}"), schemas::pascal(&format!("get-{name}")));
        let response = json!({"$ref": "#/$defs/ShopItem"});
        (route(json!({"method": "GET", "path": path, "operation": operation, "response": response})), name)
    });
    let operations: Vec<DocumentedOperation> =
        routes.iter().map(|(route, module)| DocumentedOperation { route, module, public: false }).collect();
    compose(&operations, &modules, &Info { generation: 1, build: "", description: "" })
}

#[test]
fn no_schema_is_renamed_for_a_partners() {
    let (text, number) = (json!({"type": "string"}), json!({"type": "number"}));
    let renamed = compose_two(&text, &number, false).unwrap();
    assert_eq!(renamed["components"]["schemas"]["ShopItemShopItem"], number);
    let refused = compose_two(&text, &number, true).unwrap_err();
    assert!(refused.contains("`ShopItem`") && refused.contains("`shop`"), "{refused}");
    let shared = compose_two(&text, &text, true).unwrap();
    assert!(shared["components"]["schemas"].get("ShopItemShopItem").is_none());
}
