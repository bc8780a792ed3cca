//! Permissions, roles and memberships as they are listed and read.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use stoa_tests::people::somebody;
use stoa_tests::{Company, Database, company, on_both_databases};

on_both_databases![
    permissions_are_those_of_the_active_modules,
    roles_by_pages_and_filters,
    memberships_by_pages_and_filters,
    texts_are_literal_and_in_either_case,
    a_text_is_found_beyond_the_first_pages,
    p16_p17_parameters_are_closed,
    only_who_manages_people_may_look,
];

const LISTS: [&str; 2] = ["iam/roles", "iam/memberships"];

fn permissions_are_those_of_the_active_modules(database: Database) {
    let shop = company(database);
    let items = shop.get("iam/permissions").is(200).items().to_vec();
    let owner = |code: &str| items.iter().find(|item| item["code"] == code).map(|item| item["module"].clone());
    for (code, module) in [
        ("api.manage", "platform"),
        ("settings.manage", "platform"),
        ("users.manage", "platform"),
        ("catalog.read", "catalog"),
        ("catalog.write", "catalog"),
        ("pricing.read", "pricing"),
        ("pricing.write", "pricing"),
    ] {
        assert_eq!(owner(code), Some(json!(module)), "{code}");
    }
    let codes: Vec<&str> = items.iter().filter_map(|item| item["code"].as_str()).collect();
    assert!(codes.is_sorted_by(|one, next| one < next), "sorted, each once: {codes:?}");
    assert!(items.iter().all(|item| item["description"].as_str().is_some_and(|text| !text.is_empty())));
    assert_eq!(shop.get("context").is(200)["permissions"], json!(codes), "OWNER holds them all");
}

#[track_caller]
fn listed(shop: &Company, path: &str, query: &[(&str, &str)]) -> Vec<String> {
    let items = shop.all(path, query);
    items.iter().filter_map(|item| item["id"].as_str().map(str::to_string)).collect()
}

fn roles_by_pages_and_filters(database: Database) {
    let shop = company(database);
    let owner = shop.owner_role();
    let made: Vec<String> = (0..5).map(|n| shop.role(&format!("R{n}"), &["catalog.read", "catalog.write"])).collect();
    let all: Vec<String> = std::iter::once(owner.clone()).chain(made.clone()).collect();
    for limit in ["1", "2", "3", "6", "100"] {
        assert_eq!(listed(&shop, "iam/roles", &[("limit", limit)]), all, "pages of {limit}");
    }
    shop.iam("set_role_status", json!({ "roleId": made[1], "status": "DISABLED" })).is(201);
    assert_eq!(listed(&shop, "iam/roles", &[("status", "DISABLED")]), [made[1].clone()]);
    assert_eq!(listed(&shop, "iam/roles", &[("status", "ACTIVE"), ("limit", "2")]).len(), 5);
    assert_eq!(listed(&shop, "iam/roles", &[("status", "DISABLED"), ("text", "r2")]), [""; 0]);
    for role in shop.all("iam/roles", &[]) {
        let id = role["id"].as_str().unwrap_or_default();
        assert_eq!(shop.get(&format!("iam/roles/{id}")).is(200).body, role, "read as listed");
        let permissions = role["permissions"].as_array().map_or(0, Vec::len);
        assert_eq!(permissions > 2, role["system"] == true, "{role}");
    }
}

fn memberships_by_pages_and_filters(database: Database) {
    let shop = company(database);
    let (reader, writer) = (shop.role("READER", &["catalog.read"]), shop.role("WRITER", &["catalog.write"]));
    let first = shop.own_membership();
    let (both, _) = shop.member("both", &[&writer, &reader]);
    let (one, _) = shop.member("one", &[&reader]);
    let (none, _) = shop.member("none", &[]);
    let all = [first.clone(), both.clone(), one.clone(), none.clone()];
    for limit in ["1", "2", "3", "4", "100"] {
        assert_eq!(listed(&shop, "iam/memberships", &[("limit", limit)]), all, "pages of {limit}");
    }
    assert_eq!(listed(&shop, "iam/memberships", &[("roleId", &reader)]), [both.clone(), one.clone()]);
    assert_eq!(listed(&shop, "iam/memberships", &[("roleId", &reader), ("limit", "1")]), [both.clone(), one.clone()]);
    shop.iam("set_membership_status", json!({ "membershipId": one, "status": "SUSPENDED" })).is(201);
    assert_eq!(listed(&shop, "iam/memberships", &[("status", "SUSPENDED")]), [one.as_str()]);
    assert_eq!(listed(&shop, "iam/memberships", &[("status", "ACTIVE"), ("roleId", &reader)]), [both.as_str()]);
    let read = shop.get(&format!("iam/memberships/{both}")).is(200);
    let roles: Vec<&Json> = read["roles"].as_array().into_iter().flatten().map(|role| &role["code"]).collect();
    assert_eq!(roles, ["READER", "WRITER"]);
    assert!(read["email"].as_str().is_some_and(|email| email.starts_with("both-")), "{read}");
    for membership in shop.all("iam/memberships", &[("limit", "2")]) {
        let id = membership["id"].as_str().unwrap_or_default();
        assert_eq!(shop.get(&format!("iam/memberships/{id}")).is(200).body, membership, "read as listed");
        assert_eq!(membership["tenantId"], json!(shop.tenant));
    }
}

fn texts_are_literal_and_in_either_case(database: Database) {
    let shop = company(database);
    for (code, name) in [("NIGHT_1", "Équipe 100%"), ("NIGHT-1", "Équipe 1000"), ("DAY", "ÄNDERER")] {
        shop.iam("create_role", json!({ "code": code, "name": name })).is(201);
    }
    let found = |text: &str| -> BTreeSet<String> {
        let items = shop.all("iam/roles", &[("text", text), ("limit", "1")]);
        items.iter().filter_map(|item| item["code"].as_str().map(str::to_string)).collect()
    };
    let codes = |codes: &[&str]| codes.iter().map(|code| code.to_string()).collect::<BTreeSet<String>>();
    for (text, expected) in [
        ("night", codes(&["NIGHT_1", "NIGHT-1"])),
        ("t_1", codes(&["NIGHT_1"])),
        ("%", codes(&["NIGHT_1"])),
        ("_", codes(&["NIGHT_1"])),
        ("équipe", codes(&["NIGHT_1", "NIGHT-1"])),
        ("ÉQUIPE 100%", codes(&["NIGHT_1"])),
        ("änd", codes(&["DAY"])),
        (" day ", codes(&["DAY"])),
        ("owne", codes(&["OWNER"])),
        ("nothing", codes(&[])),
        ("\\", codes(&[])),
        ("'", codes(&[])),
    ] {
        assert_eq!(found(text), expected, "{text}");
    }
    let email = somebody("Straße_1");
    let user = shop.host.user_id(&email);
    let id = shop.iam("create_membership", json!({ "userId": user })).is(201).id();
    for text in ["straße_1", "STRAßE_", &email.to_uppercase().replace("SS", "ß")] {
        assert_eq!(listed(&shop, "iam/memberships", &[("text", text)]), [id.as_str()], "{text}");
    }
    assert_eq!(listed(&shop, "iam/memberships", &[("text", "straße%")]), [""; 0]);
}

/// More records than are read at once lie between two that are looked for.
fn a_text_is_found_beyond_the_first_pages(database: Database) {
    let shop = company(database);
    let first = shop.role("NEEDLE-1", &["catalog.read"]);
    for n in 0..600 {
        let id = shop.fresh_id();
        shop.change(&format!(
            "insert into stoa_role (tenant_id, id, code, name, status, created_at, updated_at)
             select tenant_id, {id}, 'HAY{n}', 'Hay', 'ACTIVE', created_at, updated_at
             from stoa_role where {{tenant}} and code = 'NEEDLE-1'"
        ));
    }
    let last = shop.role("NEEDLE-2", &["catalog.write"]);
    for limit in ["1", "2", "50"] {
        assert_eq!(listed(&shop, "iam/roles", &[("text", "needle"), ("limit", limit)]), [first.clone(), last.clone()]);
    }
    assert_eq!(listed(&shop, "iam/roles", &[("text", "hay"), ("limit", "100")]).len(), 600);
}

fn p16_p17_parameters_are_closed(database: Database) {
    let shop = company(database);
    let foreign = company(database).role("FOREIGN", &[]);
    for path in LISTS {
        for query in [[("bogus", "1")], [("permission", "x")], [("q", "x")]] {
            shop.list(path, &query).refused(400, "UNKNOWN_QUERY_PARAMETER");
        }
        for (name, value) in
            [("status", "active"), ("status", "ARCHIVED"), ("limit", "0"), ("cursor", "x"), ("text", " ")]
        {
            shop.list(path, &[(name, value)]).refused(400, "VALIDATION_FAILED").at(&format!("/query/{name}"));
        }
        assert!(shop.list(path, &[("cursor", &foreign)]).is(200).items().is_empty());
    }
    shop.list("iam/memberships", &[("roleId", "x")]).refused(400, "VALIDATION_FAILED").at("/query/roleId");
    shop.list("iam/permissions", &[("limit", "1")]).refused(400, "UNKNOWN_QUERY_PARAMETER");
    for path in LISTS {
        shop.get(&format!("{path}/{foreign}")).refused(404, "NOT_FOUND");
        shop.get(&format!("{path}/x")).refused(400, "VALIDATION_FAILED").at("/path/id");
    }
}

fn only_who_manages_people_may_look(database: Database) {
    let shop = company(database);
    let settings = shop.role("SETTINGS", &["settings.manage", "api.manage", "catalog.read"]);
    let people = shop.role("PEOPLE", &["users.manage"]);
    let (_, other) = shop.member("other", &[&settings]);
    let (_, manager) = shop.member("manager", &[&people]);
    for path in ["iam/permissions", "iam/roles", "iam/memberships", &format!("iam/roles/{people}")] {
        other.get(path).refused(403, "PERMISSION_DENIED");
        manager.get(path).is(200);
    }
}
