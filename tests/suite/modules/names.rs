//! Names that a module introduces: its own, and those of no other.

use serde_json::{Value as Json, json};
use stoa_tests::company::{onboarding, with};
use stoa_tests::host::Settings;
use stoa_tests::operator::{Operator, signed_by};
use stoa_tests::puppet::{descriptor, descriptor_of_partner, puppet, route};
use stoa_tests::{Answer, Database, Stoa, modules, on_both_databases};

use super::vetter::{Vetter, trust_file};

on_both_databases![
    a_partner_introduces_only_its_own_names,
    an_entry_grants_more_names,
    a_replacement_keeps_its_predecessors_names,
    a_first_generation_is_held_to_its_names,
    a_clash_names_its_holder,
    no_module_takes_the_hosts_onboarding,
    a_modules_members_stand_under_its_name,
    names_of_schemas_depend_on_no_other_module,
    a_push_tells_what_an_activation_rejects,
];

/// A `--dev` host without modules that trusts this entry in addition to its own key, which is the deployment's.
fn deployment(database: Database, entry: String) -> (Stoa, Operator) {
    let settings = Settings::default().modules(modules::none()).set("STOA_SANDBOX", "fast");
    let host = Stoa::start_with(database, settings.file(trust_file(&[entry])));
    let console = host.console();
    (host, console)
}

fn push(console: &Operator, by: &Vetter, descriptor: &Json) -> Answer {
    console.push(&signed_by(by.key(), &puppet(descriptor)))
}

#[track_caller]
fn activate(console: &Operator, pushed: Answer) {
    assert!(matches!(pushed.status, 200 | 201), "{pushed}");
    console.activate(&pushed.text("digest"), json!({})).is(200);
}

fn list_names(codes: &[&str]) -> Json {
    codes.iter().map(|code| json!({ "code": code, "description": "It." })).collect()
}

/// `evil` of the trial: a name of every sort that is not its own.
fn evil() -> Json {
    let open = json!({ "access": { "any": [] } });
    with(
        &descriptor("evil"),
        json!({
            "permissions": list_names(&["evil.read", "catalog.superread"]),
            "scopes": list_names(&["catalog.everything"]),
            "events": [{
                "code": "sales.order.stolen",
                "description": "It was.",
                "resourceType": "SALES_ORDER",
                "data": { "type": "object" },
                "example": {},
            }],
            "problems": [{ "code": "CATALOG_BROKEN", "status": 409, "detail": "It is." }],
            "itemCodes": list_names(&["CATALOG_STUCK"]),
            "auditFilters": list_names(&["catalogId"]),
            "schemas": { "SubscriptionPlan": { "type": "object" } },
            "onboarding": { "type": "object", "properties": { "catalogThing": { "type": "boolean" } } },
            "routes": [with(&route("iam", "GET", "backdoor", "superCatalogThing"), open)],
        }),
    )
}

fn a_partner_introduces_only_its_own_names(database: Database) {
    let acme = Vetter::make("acme", "partner");
    let (_host, console) = deployment(database, acme.entry(""));
    let answer = push(&console, &acme, &evil()).refused(403, "SIGNER_OUT_OF_REACH");
    let said = answer.text("detail");
    for expected in [
        "permission `catalog.superread` (begins with `evil.`)",
        "scope `catalog.everything` (begins with `evil.`)",
        "event `sales.order.stolen` (begins with `evil.`)",
        "resource type `SALES_ORDER` (begins with `EVIL`)",
        "problem `CATALOG_BROKEN` (begins with `EVIL`)",
        "item code `CATALOG_STUCK` (begins with `EVIL`)",
        "audit filter `catalogId` (begins with `evil`)",
        "schema `SubscriptionPlan` (begins with `Evil`)",
        "onboarding member `catalogThing` (begins with `evil`)",
        "route `/tenants/{tenantId}/iam/backdoor` (begins with `/tenants/{tenantId}/evil`)",
        "operation `superCatalogThing` (is a verb and `Evil`",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert!(!said.contains("evil.read"), "its own is its own: {said}");
    let lawful = push(&console, &acme, &descriptor_of_partner("evil"));
    activate(&console, lawful);
}

fn an_entry_grants_more_names(database: Database) {
    let acme = Vetter::make("acme", "partner");
    let (_host, console) = deployment(database, acme.entry(":evil+names:catalog*+names:iam+names:subscription"));
    let said = push(&console, &acme, &evil()).refused(403, "SIGNER_OUT_OF_REACH").text("detail");
    assert!(said.contains("`sales.order.stolen`") && said.contains("`SALES_ORDER`"), "{said}");
    assert!(["catalog", "Catalog", "CATALOG", "iam", "Plan"].iter().all(|word| !said.contains(word)), "{said}");
    let granted = with(&evil(), json!({ "events": [] }));
    let granted = push(&console, &acme, &granted);
    activate(&console, granted);
}

/// The names of the deployment's module go on, in any module that takes its place; new ones begin with its name.
fn a_replacement_keeps_its_predecessors_names(database: Database) {
    let acme = Vetter::make("acme", "partner");
    let (host, console) = deployment(database, acme.entry(":puppet"));
    let first = with(
        &descriptor("puppet"),
        json!({ "permissions": list_names(&["puppet.read", "shelf.read"]), "schemas": { "Shelf": { "type": "object" } } }),
    );
    activate(&console, console.push(&host.signed(&puppet(&first))));
    let wider = json!({ "version": "1.1.0", "permissions": list_names(&["puppet.read", "shelf.read", "shelf.write"]) });
    let said = push(&console, &acme, &with(&first, wider)).refused(403, "SIGNER_OUT_OF_REACH").text("detail");
    assert!(said.contains("`shelf.write`") && !said.contains("shelf.read") && !said.contains("listThings"), "{said}");
    let second = push(&console, &acme, &with(&first, json!({ "version": "1.1.0" })));
    assert_eq!(second.status, 201, "{second}");
    console.activate(&second.text("digest"), json!({ "allow": ["SIGNER_CHANGED"] })).is(200);
}

/// The folder of a deployment is read as a push is.
fn a_first_generation_is_held_to_its_names(database: Database) {
    let acme = Vetter::make("acme", "partner");
    let folder = modules::empty_with(&[("evil.wasm", &puppet(&evil()))]);
    acme.sign(&folder.path().join("evil.wasm"));
    let said = Stoa::try_start(database, Vetter::settings_with(&[acme.entry("")], folder)).err().unwrap_or_default();
    assert!(said.contains("SIGNER_OUT_OF_REACH") && said.contains("catalog.superread"), "{said}");
}

fn a_clash_names_its_holder(database: Database) {
    let acme = Vetter::make("acme", "partner");
    let (host, console) = deployment(database, acme.entry(""));
    let holder = with(&descriptor_of_partner("holder"), json!({ "scopes": list_names(&["shared.sync"]) }));
    activate(&console, console.push(&host.signed(&puppet(&holder))));
    let claims = json!({
        "permissions": list_names(&["aside.read", "holder.read", "users.manage"]),
        "scopes": list_names(&["shared.sync"]),
    });
    // Its name goes before the holder's, and it comes after it.
    let aside = with(&descriptor_of_partner("aside"), claims);
    let pushed = console.push(&host.signed(&puppet(&aside))).is(201);
    let expected = [
        "aside: permission `holder.read` is claimed twice: `holder` has it",
        "aside: permission `users.manage` is claimed twice: the host has it",
        "aside: scope `shared.sync` is claimed twice: `holder` has it",
    ];
    assert_eq!(pushed["conflicts"], json!(expected), "{pushed}");
    let refused = console.activate(&pushed.text("digest"), json!({})).refused(400, "DESCRIPTOR_INVALID");
    let said = refused.text("detail");
    assert!(said.contains("holder") && said.contains("the host has it"), "{said}");
}

/// Nor do the deployment's own modules.
fn no_module_takes_the_hosts_onboarding(database: Database) {
    let acme = Vetter::make("acme", "partner");
    let (host, console) = deployment(database, acme.entry(""));
    let members = ["name", "countryCode", "currencyCode", "withDefaults", "historyFrom"];
    let properties: serde_json::Map<String, Json> =
        members.iter().map(|member| (member.to_string(), json!({ "type": "integer" }))).collect();
    let taking = json!({ "onboarding": { "type": "object", "properties": properties } });
    let pushed = console.push(&host.signed(&puppet(&with(&descriptor("puppet"), taking)))).is(201);
    for member in members {
        let expected = format!("onboarding member `{member}` is claimed twice: the host has it");
        assert!(pushed["conflicts"].to_string().contains(&expected), "{pushed}");
    }
    console.activate(&pushed.text("digest"), json!({})).refused(400, "DESCRIPTOR_INVALID");
    host.company();
}

fn a_modules_members_stand_under_its_name(database: Database) {
    let acme = Vetter::make("acme", "partner");
    let (host, console) = deployment(database, acme.entry(""));
    let member = json!({
        "type": "object",
        "properties": { "tier": { "type": "integer" } },
        "required": ["tier"],
        "additionalProperties": false,
    });
    let declared = json!({ "type": "object", "properties": { "loyalty": member } });
    let loyalty = with(&descriptor_of_partner("loyalty"), json!({ "onboarding": declared }));
    let pushed = push(&console, &acme, &loyalty);
    activate(&console, pushed);
    host.forget_contract();
    let make = |members: Json| {
        let body = with(&onboarding("Loyal"), members);
        let token = host.token("owner@example.test");
        host.request("POST", "/v1/onboarding/companies").token(&token).json(&body).send()
    };
    make(json!({})).is(201);
    make(json!({ "loyalty": { "tier": 1 } })).is(201);
    let refused = make(json!({ "loyalty": { "tier": "gold" } })).refused(400, "VALIDATION_FAILED");
    assert_eq!(refused["errors"][0]["pointer"], "/loyalty/tier", "{refused}");
    make(json!({ "tier": 1 })).refused(400, "VALIDATION_FAILED");

    // Bodies without it stay complete: a partner makes it required for no caller, the deployment only where an operator
    // allows it.
    let mut required = with(&loyalty, json!({ "version": "1.1.0" }));
    required["onboarding"]["required"] = json!(["loyalty"]);
    let said = push(&console, &acme, &required).refused(403, "SIGNER_OUT_OF_REACH").text("detail");
    assert!(said.contains("required onboarding member `loyalty`"), "{said}");
    let pushed = console.push(&host.signed(&puppet(&required))).is(201);
    let answer = console.activate(&pushed.text("digest"), json!({ "allow": ["SIGNER_CHANGED"] }));
    let changes = answer.refused(409, "CONTRACT_BREAKING")["changes"].to_string();
    assert!(changes.contains("REQUEST_MEMBER_REQUIRED"), "{changes}");
}

/// A module whose answer is this schema.
fn answer_with(base: &Json, name: &str, schema: &str) -> Json {
    let mut descriptor = with(base, json!({ "schemas": { schema: { "type": "object", "title": name } } }));
    descriptor["routes"][0]["response"] = json!({ "$ref": format!("#/$defs/{schema}") });
    descriptor
}

/// `shop-item` may name a schema as `shop` does, and then it has none of that name.
fn names_of_schemas_depend_on_no_other_module(database: Database) {
    let acme = Vetter::make("acme", "partner");
    let (host, console) = deployment(database, acme.entry(""));
    let shop = answer_with(&descriptor("shop"), "shop", "ShopItem");
    activate(&console, console.push(&host.signed(&puppet(&shop))));
    let components = || host.get("/v1/openapi.json").is(200)["components"]["schemas"].clone();
    let before = components();
    assert_eq!(before["ShopItem"]["title"], "shop", "{}", before["ShopItem"]);

    let partner = descriptor_of_partner("shop-item");
    let same_name = push(&console, &acme, &answer_with(&partner, "shop-item", "ShopItem")).is(201);
    let conflicts = same_name["conflicts"].to_string();
    assert!(conflicts.contains("schema `ShopItem` is claimed twice: `shop` has another"), "{conflicts}");
    let refused = console.activate(&same_name.text("digest"), json!({})).refused(400, "DESCRIPTOR_INVALID");
    let said = refused.text("detail");
    assert!(said.contains("`ShopItem`") && said.contains("`shop`"), "{said}");

    let proper_name = push(&console, &acme, &answer_with(&partner, "shop-item", "ShopItemPage"));
    activate(&console, proper_name);
    host.forget_contract();
    let after = components();
    for (name, schema) in before.as_object().expect("components").iter().filter(|(_, schema)| schema["title"] == "shop")
    {
        assert_eq!(&after[name.as_str()], schema, "{name}");
    }
    assert_eq!(after["ShopItemPage"]["title"], "shop-item", "{}", after["ShopItemPage"]);
}

/// A module whose one collection has these columns.
fn keep(name: &str, version: &str, collection: &str, columns: Json) -> Json {
    let collections = json!([{ "name": collection, "kind": "record", "columns": columns }]);
    with(&descriptor(name), json!({ "version": version, "collections": collections }))
}

/// Not only by names: by tables that were kept, by services, by a withdrawal.
fn a_push_tells_what_an_activation_rejects(database: Database) {
    let acme = Vetter::make("acme", "partner");
    let (host, console) = deployment(database, acme.entry(""));
    let push = |descriptor: &Json| console.push(&host.signed(&puppet(descriptor)));
    let expect_reported = |pushed: &Answer, code: &str, words: &str| {
        let conflicts = &pushed["conflicts"];
        let message = conflicts[0].as_str().unwrap_or_else(|| panic!("{code} is not reported: {pushed}"));
        assert!(message.starts_with(&format!("{code}: ")) && message.contains(words), "{message}");
        let digest = pushed.text("digest");
        assert_eq!(console.get(&format!("modules/{digest}/diff")).is(200)["conflicts"], *conflicts);
        console.activate(&digest, json!({ "allow": ["SERVICE_WANTED"] })).refused(409, code);
    };
    let label = json!({ "name": "label", "type": "text" });
    activate(&console, push(&keep("puppet-price", "1.0.0", "list", json!([label]))));
    console.post("modules/puppet-price/deactivate", json!({})).is(200);
    expect_reported(&push(&keep("puppet", "1.0.0", "price_list", json!([label]))), "TABLE_TAKEN", "puppet_price_list");

    let size = |type_: &str| json!({ "name": "size", "type": type_, "nullable": true });
    let shelf = |version: &str, columns: Json| keep("shelf", version, "board", columns);
    activate(&console, push(&shelf("1.0.0", json!([label, size("integer")]))));
    let without_size = shelf("1.1.0", json!([label]));
    activate(&console, push(&without_size));
    let other_type = push(&shelf("1.2.0", json!([label, size("text")])));
    expect_reported(&other_type, "SCHEMA_NOT_ADDITIVE", "column size has another type");

    console.post("modules/shelf/rollback", json!({})).is(200);
    expect_reported(&push(&without_size), "MODULE_WITHDRAWN", "shelf 1.1.0");

    let reader = console.push(&host.signed(&modules::guest("reader")));
    expect_reported(&reader, "SERVICE_UNRESOLVED", "reader");
}
