//! The document holds together: every reference resolves, every parameter is declared, and what it publishes is what validates.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use stoa_descriptor::{EventKind, Named, ProblemCode, Route};

use super::*;
use crate::contract::Schema;

mod places;

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
        "Product": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "format": "uuid"}}},
        "ProductPage": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/Product"}}}},
        "Item": {"type": "object", "properties": {"inner": {"$ref": "#/$defs/Inner"}}},
        "Inner": {"type": "integer"},
        "Code": {"type": "string", "pattern": "^[A-Z]+$"},
        "Tag": {"type": "object", "required": ["code"], "properties": {"code": {"$ref": "#/$defs/Code"}}},
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
    let events = [kind("catalog.product.created", json!({"$ref": "#/$defs/Tag"}), json!({"code": "A"}))];
    let words = [("text", "What is looked for."), ("limit", "Of nothing.")]
        .map(|(name, text)| Named { code: name.to_owned(), description: text.to_owned() });
    let hints = serde_json::from_value(json!({"lists": [{"list": "listThings", "group": "Goods"}]})).unwrap();
    let platform = DocumentedModule { description: "The platform.", ..new_module("platform", &none, false) };
    let modules = [
        platform,
        DocumentedModule {
            name: "catalog",
            description: "Products.",
            schemas: &catalog,
            problems: &problems,
            events: &events,
            words: &words,
            console: Some(&hints),
            ..platform
        },
        DocumentedModule { name: "pricing", description: "Prices.", schemas: &pricing, ..platform },
        DocumentedModule { name: "idle", description: "Nothing.", ..platform },
    ];
    let routes = routes();
    let operations: Vec<DocumentedOperation> = routes
        .iter()
        .map(|(route, module, public)| DocumentedOperation { route, module, extensions: &[], public: *public })
        .collect();
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
    let hints = json!({"lists": [{"list": "listThings", "group": "Goods"}]});
    let shown: Vec<&Value> = document["tags"].as_array().unwrap().iter().map(|tag| &tag["x-stoa-console"]).collect();
    assert_eq!(shown, [&Value::Null, &hints, &Value::Null, &Value::Null]);
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
            "ItemCode",
            "PriceInput",
            "PricingInner",
            "PricingItem",
            "ProblemCode",
            "ProblemDetails",
            "ProblemItem",
            "Product",
            "ProductInput",
            "ProductPage",
            "Tag",
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
    assert_eq!(schemas["Tag"]["properties"]["code"], json!({"$ref": "#/components/schemas/Code"}));
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
    assert_eq!(schema["properties"]["data"]["$ref"], "#/components/schemas/Tag");
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
    let module = new_module("m", &none, false);
    let get = |operation: &str, path: &str| route(json!({"method": "GET", "path": path, "operation": operation}));
    let refused = |routes: &[Route], modules: &[DocumentedModule]| {
        let operations: Vec<DocumentedOperation> = routes
            .iter()
            .map(|route| DocumentedOperation { route, module: "m", extensions: &[], public: false })
            .collect();
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

/// A module with nothing but schemas.
fn new_module<'a>(name: &'a str, schemas: &'a Map<String, Value>, by_partner: bool) -> DocumentedModule<'a> {
    DocumentedModule {
        name,
        description: "",
        schemas,
        problems: &[],
        item_codes: &[],
        events: &[],
        words: &[],
        shows: &[],
        console: None,
        by_partner,
    }
}

/// Two modules with these schemas under one name; the second is a partner's or not.
fn compose_two(first: &Value, second: &Value, by_partner: bool) -> Result<Value, String> {
    let [first, second] = [first, second].map(|schema| object(json!({ "ShopItem": schema })));
    let modules = [new_module("shop", &first, by_partner), new_module("shop-item", &second, false)];
    let routes = ["shop", "shop-item"].map(|name| {
        let (path, operation) = (format!("/{name}"), schemas::pascal(&format!("get-{name}")));
        let response = json!({"$ref": "#/$defs/ShopItem"});
        (route(json!({"method": "GET", "path": path, "operation": operation, "response": response})), name)
    });
    let operations: Vec<DocumentedOperation> = routes
        .iter()
        .map(|(route, module)| DocumentedOperation { route, module, extensions: &[], public: false })
        .collect();
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

/// A document of modules: name, schemas, whether it is a partner's, and its operations.
fn compose_modules(modules: &[(&str, Value, bool, Vec<Value>)]) -> Result<Value, String> {
    let schemas: Vec<Map<String, Value>> = modules.iter().map(|(_, schemas, ..)| object(schemas.clone())).collect();
    let routes: Vec<(Route, &str)> = modules
        .iter()
        .flat_map(|(name, .., routes)| routes.iter().map(move |value| (route(value.clone()), *name)))
        .collect();
    let documented: Vec<DocumentedModule> = modules
        .iter()
        .zip(&schemas)
        .map(|((name, _, by_partner, _), schemas)| new_module(name, schemas, *by_partner))
        .collect();
    let operations: Vec<DocumentedOperation> = routes
        .iter()
        .map(|(route, module)| DocumentedOperation { route, module, extensions: &[], public: false })
        .collect();
    compose(&operations, &documented, &Info { generation: 1, build: "", description: "" })
}

/// An operation that answers a schema of its module.
fn read(operation: &str, schema: &str) -> Value {
    let response = json!({"$ref": format!("#/$defs/{schema}")});
    json!({"method": "GET", "path": format!("/{operation}"), "operation": operation, "response": response})
}

#[test]
fn an_operation_lists_possible_refusals_only() {
    let document = document();
    let refusal = |path: &str, method: &str, status: &str| {
        let response = &document["paths"][path][method]["responses"][status];
        let response = match response["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
            Some(pointer) => document.pointer(pointer).unwrap(),
            None => response,
        };
        response["description"].as_str().unwrap_or_default().to_owned()
    };
    let (products, price) = ("/tenants/{tenantId}/products", "/api-client/prices/{kind}");
    for (path, method, status, listed, others) in [
        (products, "get", "400", ["VALIDATION_FAILED"].as_slice(), ["MALFORMED_JSON", "IDEMPOTENCY_KEY"].as_slice()),
        (products, "post", "400", &["MALFORMED_JSON", "IDEMPOTENCY_KEY_REQUIRED", "IDEMPOTENCY_KEY_INVALID"], &[]),
        (price, "post", "400", &["MALFORMED_JSON", "IDEMPOTENCY_KEY_INVALID"], &["IDEMPOTENCY_KEY_REQUIRED"]),
        (products, "get", "403", &["PERMISSION_DENIED", "MEMBERSHIP_REQUIRED", "WRONG_IDENTITY_FAMILY"], &["SCOPE"]),
        (price, "post", "403", &["SCOPE_DENIED", "WRONG_IDENTITY_FAMILY"], &["PERMISSION", "MEMBERSHIP", "TENANT"]),
        (products, "get", "429", &["RATE_LIMITED"], &["QUOTA", "PUBLIC_API", "COMPANY_LIMIT"]),
        (price, "post", "429", &["RATE_LIMITED", "QUOTA_EXCEEDED", "PUBLIC_API_DISABLED"], &["COMPANY_LIMIT"]),
    ] {
        let codes = refusal(path, method, status);
        assert!(listed.iter().all(|code| codes.contains(&format!("`{code}`"))), "{method} {path} {status}: {codes}");
        assert!(!others.iter().any(|code| codes.contains(code)), "{method} {path} {status}: {codes}");
    }
    let text = document["paths"].to_string();
    for name in document["components"]["responses"].as_object().unwrap().keys() {
        assert!(text.contains(&format!("\"{}{name}\"", components::RESPONSE)), "no operation has {name}");
    }
}

#[test]
fn a_response_has_one_list_of_codes() {
    let document = document();
    let responses = document["components"]["responses"].as_object().unwrap();
    let mut seen = BTreeSet::new();
    for (name, response) in responses {
        assert!(seen.insert(response["description"].as_str().unwrap()), "{name} says what another says");
    }
}

#[test]
fn a_new_record_has_a_location() {
    let document = document();
    let headers = |path: &str, method: &str, status: &str| {
        document["paths"][path][method]["responses"][status]["headers"].get("Location").cloned()
    };
    let reference = json!({"$ref": "#/components/headers/Location"});
    assert_eq!(headers("/tenants/{tenantId}/products", "post", "201"), Some(reference));
    assert_eq!(headers("/tenants/{tenantId}/products", "get", "200"), None);
    assert_eq!(headers("/api-client/prices/{kind}", "post", "200"), None);
}

#[test]
fn an_enumeration_is_named_once() {
    let color = |values: &[&str]| json!({"type": "string", "title": "Color", "enum": values});
    let with_color = |color: Value| json!({"type": "object", "properties": {"color": color}});
    let mut described = color(&["RED", "BLUE"]);
    described["description"] = "Color of the paint.".into();
    described["default"] = "RED".into();
    let nullable = json!({"type": ["string", "null"], "title": "Color", "enum": ["RED", "BLUE", null]});
    let single = json!({"type": "string", "title": "Color", "enum": ["RED"]});
    let listed = json!({"type": "array", "items": color(&["RED", "BLUE"])});
    let mut list = read("listPaints", "Paint");
    list["query"] = json!({"type": "object", "properties": {"color": described}});
    let shop = json!({
        "Paint": with_color(described.clone()), "Nullable": with_color(nullable),
        "Single": with_color(single), "Listed": with_color(listed),
    });
    let document = compose_modules(&[
        ("paint", shop, false, vec![list, read("a", "Nullable"), read("b", "Single"), read("c", "Listed")]),
        ("ink", json!({"Ink": with_color(color(&["RED", "BLUE"]))}), false, vec![read("d", "Ink")]),
        ("dye", json!({"Dye": with_color(color(&["RED", "BLUE", "GREEN"]))}), false, vec![read("e", "Dye")]),
        ("acme", json!({"Acme": with_color(color(&["RED", "BLUE"]))}), true, vec![read("f", "Acme")]),
    ])
    .unwrap();
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["Color"], json!({"type": "string", "enum": ["RED", "BLUE"]}));
    assert_eq!(schemas["DyeColor"]["enum"], json!(["RED", "BLUE", "GREEN"]));
    assert_eq!(schemas["AcmeColor"]["enum"], json!(["RED", "BLUE"]), "a partner's is its own");
    let named = json!({"$ref": "#/components/schemas/Color"});
    let member = |name: &str| schemas[name]["properties"]["color"].clone();
    assert_eq!(member("Ink"), named);
    assert_eq!(member("Dye"), json!({"$ref": "#/components/schemas/DyeColor"}));
    assert_eq!(member("Acme"), json!({"$ref": "#/components/schemas/AcmeColor"}));
    assert_eq!(member("Nullable"), json!({"anyOf": [named, {"type": "null"}]}));
    assert_eq!(member("Listed")["items"], named);
    assert_eq!(member("Single")["enum"], json!(["RED"]), "a single value stays in place");
    let stated = json!({"$ref": named["$ref"], "description": "Color of the paint.", "default": "RED"});
    assert_eq!(member("Paint"), stated);
    let parameter = &document["paths"]["/listPaints"]["get"]["parameters"][0];
    assert_eq!(parameter["schema"], json!({"$ref": named["$ref"], "default": "RED"}));
    assert_eq!(parameter["description"], "Color of the paint.");
}

#[test]
fn a_union_names_the_member_that_tells_its_branches_apart() {
    let branch = |title: &str, kind: &str| json!({"type": "object", "title": title, "required": ["kind"], "properties": {"kind": {"type": "string", "const": kind}}});
    let (circle, square) = (branch("Circle", "circle"), branch("Square", "square"));
    let schemas = json!({
        "Shape": {"oneOf": [circle, square]},
        "Mixed": {"oneOf": [{"$ref": "#/$defs/Point"}, circle]},
        "Point": branch("A point", "point"),
        "Alike": {"oneOf": [branch("One", "same"), branch("Two", "same")]},
        "Untitled": {"oneOf": [branch("A circle", "circle"), branch("A square", "square")]},
    });
    let reads = ["Shape", "Mixed", "Alike", "Untitled"].map(|name| read(&format!("get{name}"), name));
    let document = compose_modules(&[("shapes", schemas, false, reads.to_vec())]).unwrap();
    let schemas = &document["components"]["schemas"];
    let reference = |name: &str| format!("#/components/schemas/{name}");
    let mapping = &schemas["Shape"]["discriminator"]["mapping"];
    assert_eq!(schemas["Shape"]["discriminator"]["propertyName"], "kind");
    for (nth, value) in ["circle", "square"].into_iter().enumerate() {
        assert_eq!(schemas["Shape"]["oneOf"][nth]["$ref"], mapping[value]);
        let named = document.pointer(mapping[value].as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
        assert_eq!(named["properties"]["kind"]["const"], value);
        assert_eq!(named.get("title"), None);
    }
    assert_eq!(schemas["Mixed"]["discriminator"]["mapping"]["point"], reference("Point"));
    for name in ["Alike", "Untitled"] {
        assert_eq!(schemas[name].get("discriminator"), None, "{name}");
    }
    assert_eq!(breaches(&document), [""; 0]);
}

#[test]
fn a_default_of_a_request_is_said_and_not_demanded() {
    let input = json!({"type": "object", "additionalProperties": false, "properties": {
        "aliases": {"type": "array", "items": {"type": "string"}, "default": []},
        "state": {"type": "string", "description": "State at the start.", "default": "DRAFT"},
        "note": {"type": ["string", "null"], "default": null},
    }});
    let answer = json!({"type": "object", "properties": {"state": {"type": "string", "default": "DRAFT"}}});
    let write = json!({"method": "POST", "path": "/things", "operation": "createThing", "body": {"$ref": "#/$defs/Input"},
        "response": {"$ref": "#/$defs/Answer"}, "query": {"type": "object", "properties": {"deep": {"type": "boolean", "default": false}}}});
    let schemas = json!({"Input": input, "Answer": answer});
    let document = compose_modules(&[("things", schemas.clone(), false, vec![write])]).unwrap();
    let published = &document["components"]["schemas"];
    let members = &published["Input"]["properties"];
    assert_eq!(members["aliases"]["description"], "Default: `[]`.");
    assert_eq!(members["aliases"]["x-default"], json!([]));
    assert_eq!(members["state"]["description"], "State at the start. Default: `DRAFT`.");
    assert!(["aliases", "state", "note"].iter().all(|name| members[name].get("default").is_none()));
    assert_eq!(members["note"].get("x-default"), None);
    assert_eq!(published["Answer"]["properties"]["state"]["default"], "DRAFT");
    assert_eq!(document["paths"]["/things"]["post"]["parameters"][0]["schema"]["default"], false);
    let judge = Schema::compile(&json!({"$ref": "#/$defs/Input"}), &object(schemas)).unwrap();
    let mut body = json!({});
    assert!(judge.check(&mut body).is_empty());
    assert_eq!(body["state"], "DRAFT", "the host fills it in as before");
}

#[test]
fn a_member_that_may_only_be_null_is_taken_and_not_published() {
    let members = json!({"used": {"type": "string"}, "unused": {"type": "null", "default": null}});
    let schemas = json!({"Input": {"type": "object", "additionalProperties": false, "properties": members}});
    let document = compose_modules(&[("things", schemas.clone(), false, vec![read("getThing", "Input")])]).unwrap();
    let published = object(document["components"]["schemas"]["Input"]["properties"].clone());
    assert_eq!(published.keys().collect::<Vec<_>>(), ["used"]);
    let judge = Schema::compile(&json!({"$ref": "#/$defs/Input"}), &object(schemas)).unwrap();
    assert_eq!([json!(null), json!("a")].map(|value| judge.check(&mut json!({"unused": value})).len()), [0, 1]);
}

#[test]
fn a_delivery_has_an_id_and_no_credential() {
    let document = document();
    let sent = &document["webhooks"]["catalog.product.created"]["post"];
    assert_eq!(sent["operationId"], "receiveCatalogProductCreated");
    assert_eq!(sent["security"], json!([]));
}

#[test]
fn an_api_clients_operation_has_a_summary_of_its_own() {
    let twin = |operation: &str, audience: &str, summary: &str| json!({"method": "GET", "path": format!("/{operation}"), "operation": operation, "audience": audience, "summary": summary});
    let routes = vec![
        twin("listThings", "user", "Things"),
        twin("apiListThings", "api-client", "Things"),
        twin("apiGetOne", "api-client", "One"),
    ];
    let document = compose_modules(&[("things", json!({}), false, routes)]).unwrap();
    let summary = |operation: &str| document["paths"][format!("/{operation}")]["get"]["summary"].clone();
    assert_eq!(summary("listThings"), "Things");
    assert_eq!(summary("apiListThings"), "Things (API client)");
    assert_eq!(summary("apiGetOne"), "One");
}
