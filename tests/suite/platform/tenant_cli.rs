//! `stoa tenant`: what operators do to companies while a host runs, and what the host makes of it at once.

use std::process::Command;

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::folder::Folder;
use stoa_tests::people::somebody;
use stoa_tests::{Company, Database, Stoa, company, host, on_both_databases};

on_both_databases![
    a_company_is_made_as_by_onboarding,
    an_owner_is_one_user_who_has_signed_in,
    a_body_is_judged_as_by_onboarding,
    suspended_and_resumed_at_once,
    entitlements_are_granted_and_revoked,
    every_change_is_audited_once,
    companies_are_listed,
    migrate_takes_the_folder_of_the_data,
    what_is_not_there_is_said,
];

fn made(host: &Stoa, name: &str, owner: &[&str]) -> Result<Json, String> {
    host.operator(&[&["create", "--name", name, "--currency", "EUR"], owner].concat())
}

fn a_company_is_made_as_by_onboarding(database: Database) {
    let host = host::shared(database);
    let email = somebody("owner");
    let owner = host.user_id(&email);
    let name = fresh("Made ");
    let reported = made(&host, &format!(" {name} "), &["--owner", &owner]).expect("a company");
    let text = |name: &str| reported[name].as_str().unwrap_or_default().to_string();
    let shop = Company {
        tenant: text("tenantId"),
        token: host.token(&email),
        created: reported["created"].as_array().cloned().unwrap_or_default(),
        host: host.clone(),
    };
    let context = shop.get("context").is(200);
    assert_eq!(context["tenant"]["name"], json!(name));
    assert_eq!(context["tenant"]["entitlements"], json!([]), "none by itself");
    assert_eq!(context["membership"]["id"], json!(text("membershipId")));
    assert_eq!(context["membership"]["roles"][0]["code"], "OWNER");
    // The modules made what they make for everybody, and reported it.
    let usual = host.company();
    let types =
        |shop: &Company| -> Vec<Json> { shop.created.iter().map(|made| made["resourceType"].clone()).collect() };
    assert_eq!(types(&shop), types(&usual));
    let kinds = "select kind, resource_type, resource_version from stoa_event where {tenant} order by kind";
    assert_eq!(shop.rows(kinds), usual.rows(kinds));
    let unit = shop.made("CATALOG_LOOKUP").expect("a unit");
    assert_eq!(shop.get(&format!("catalog/lookups/units/{unit}")).is(200)["code"], "UNIT");
    shop.product("It works");
    let audit = "select actor_type, actor_id, operation, resource_type, resource_id from stoa_audit where {tenant}
                 and actor_type = 'SYSTEM'";
    assert_eq!(shop.rows(audit), [["SYSTEM", "system:operator", "createCompany", "TENANT", &shop.tenant]]);
    // Without defaults, and with what else onboarding takes.
    let reported =
        made(&host, "Bare", &["--owner-email", &email, "--no-defaults", "--country", "DE"]).expect("a company");
    assert_eq!(reported["created"], json!([]));
}

fn an_owner_is_one_user_who_has_signed_in(database: Database) {
    let host = host::shared(database);
    let nobody = uuid::Uuid::now_v7().to_string();
    for owner in [["--owner", &nobody], ["--owner-email", &somebody("nobody")]] {
        let said = made(&host, "Ownerless", &owner).expect_err("no owner");
        assert!(said.contains("has signed in") && said.contains(owner[1]), "{said}");
    }
    // The same address at another issuer is another user.
    let email = somebody("twice");
    let first = host.user_id(&email);
    let shop = company(database);
    let id = shop.fresh_id();
    host.change(&format!(
        "insert into stoa_user (id, issuer, subject, email, created_at, updated_at)
         select {id}, 'https://other.example.test', subject, email, created_at, updated_at from stoa_user
         where email = '{email}'"
    ));
    let said = made(&host, "Whose", &["--owner-email", &email]).expect_err("two users");
    assert!(said.contains("several issuers") && said.contains(&first), "{said}");
    made(&host, "Hers", &["--owner", &first]).expect("named by id");
    for owner in [vec![], vec!["--owner", &first, "--owner-email", &email], vec!["--owner", "x"]] {
        made(&host, "Neither", &owner).expect_err("an owner is named in one way");
    }
}

fn a_body_is_judged_as_by_onboarding(database: Database) {
    let host = host::shared(database);
    let owner = host.user_id(&somebody("owner"));
    let create = |arguments: &[&str]| host.operator(&[&["create", "--owner", &owner], arguments].concat());
    for (arguments, pointer) in [
        (["--name", " ", "--currency", "EUR"].as_slice(), "/name RANGE"),
        (&["--name", "N", "--currency", "eur"], "/currencyCode FORMAT"),
        (&["--name", "N", "--currency", "EUR", "--country", "Germany"], "/countryCode FORMAT"),
        (&["--name", "N", "--currency", "EUR", "--members", "{\"bogus\": 1}"], "NOT_ALLOWED"),
        (&["--name", "N", "--currency", "ZZZ"], "/currencyCode FORMAT"),
        (&["--name", "N", "--currency", "EUR", "--country", "ZZ"], "/countryCode FORMAT"),
    ] {
        let said = create(arguments).expect_err("a fault");
        assert!(said.contains("VALIDATION_FAILED") && said.contains(pointer), "{arguments:?}: {said}");
    }
    create(&["--name", "N", "--currency", "EUR", "--members", "[]"]).expect_err("no object");
}

fn suspended_and_resumed_at_once(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read"]);
    let key = uuid::Uuid::new_v4().to_string();
    let body = json!({ "name": "B", "code": "B" });
    let write = || shop.request("POST", "catalog/lookups/brands").key(&key).json(&body).send();
    write().is(201);
    for _ in 0..2 {
        let reported = shop.host.operator(&["suspend", &shop.tenant]).expect("suspended");
        assert_eq!(reported["status"], "SUSPENDED");
        shop.get("catalog/products").refused(403, "TENANT_SUSPENDED");
        write().refused(403, "TENANT_SUSPENDED");
        shop.get("settings").refused(403, "TENANT_SUSPENDED");
        machine.get("context").refused(401, "UNAUTHENTICATED");
    }
    shop.host.company().get("catalog/products").is(200);
    for _ in 0..2 {
        let reported = shop.host.operator(&["resume", &shop.tenant]).expect("resumed");
        assert_eq!(reported["status"], "ACTIVE");
        shop.get("catalog/products").is(200);
        machine.get("context").is(200);
    }
    assert!(write().is(201).replayed());
    assert_eq!(shop.get("settings").is(200)["version"], 3, "two changes of the row");
}

fn entitlements_are_granted_and_revoked(database: Database) {
    let shop = company(database);
    let machine = shop.machine_of(json!({ "scopes": ["catalog.read"] }));
    let held = || shop.get("context").is(200)["tenant"]["entitlements"].clone();
    assert_eq!(held(), json!([]), "none by itself");
    machine.get("context").refused(429, "PUBLIC_API_DISABLED");
    for _ in 0..2 {
        let reported = shop.host.operator(&["entitle", &shop.tenant, "PUBLIC_API"]).expect("entitled");
        assert_eq!((&reported["entitlements"], held()), (&json!(["PUBLIC_API"]), json!(["PUBLIC_API"])));
        machine.get("context").is(200);
    }
    for _ in 0..2 {
        let reported = shop.host.operator(&["revoke", &shop.tenant, "PUBLIC_API"]).expect("revoked");
        assert_eq!((&reported["entitlements"], held()), (&json!([]), json!([])));
        machine.get("context").refused(429, "PUBLIC_API_DISABLED");
    }
    for unknown in ["public_api", "EVERYTHING", ""] {
        let said = shop.host.operator(&["entitle", &shop.tenant, unknown]).expect_err("unknown");
        assert!(said.contains("PUBLIC_API"), "the refusal names what there is: {said}");
    }
    assert_eq!(held(), json!([]));
}

fn every_change_is_audited_once(database: Database) {
    let shop = company(database);
    let verbs = [
        ["suspend", &shop.tenant, ""],
        ["resume", &shop.tenant, ""],
        ["entitle", &shop.tenant, "PUBLIC_API"],
        ["revoke", &shop.tenant, "PUBLIC_API"],
    ];
    for verb in &verbs {
        let words: Vec<&str> = verb.iter().copied().filter(|word| !word.is_empty()).collect();
        for _ in 0..2 {
            shop.host.operator(&words).expect("done");
        }
    }
    let entries = shop.list("audit", &[("actorType", "SYSTEM")]).is(200);
    let reported: Vec<[&str; 4]> = entries
        .items()
        .iter()
        .rev()
        .map(|entry| {
            ["operation", "actorId", "resourceType", "resourceId"].map(|name| entry[name].as_str().unwrap_or(""))
        })
        .collect();
    let audited = |operation| [operation, "system:operator", "TENANT", shop.tenant.as_str()];
    let expected = ["suspendTenant", "resumeTenant", "entitleTenant", "revokeEntitlement"].map(audited);
    assert_eq!(reported, expected);
}

fn companies_are_listed(database: Database) {
    let shop = company(database);
    let all = shop.host.operator(&["list"]).expect("a list");
    let all = all.as_array().expect("an array");
    let mine = all.iter().find(|company| company["id"] == json!(shop.tenant)).expect("this company");
    assert_eq!(mine["name"], shop.get("settings").is(200)["name"]);
    assert_eq!((&mine["status"], &mine["entitlements"]), (&json!("ACTIVE"), &json!([])));
    let ids: Vec<&str> = all.iter().filter_map(|company| company["id"].as_str()).collect();
    assert!(ids.is_sorted(), "the oldest first");
    // For people: a line each, and a name commands no terminal.
    let evil = "Evil \u{1b}[2J\nname";
    let body = json!({
        "name": evil, "defaultCurrencyCode": "EUR", "timeZone": "UTC", "expectedVersion": 1,
    });
    shop.put("settings", body).is(200);
    let output = shop.host.command().args(["tenant", "list"]).output().expect("cannot run the binary");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && !text.contains('\u{1b}'), "{text}");
    let line = text.lines().find(|line| line.starts_with(&shop.tenant)).expect("a line");
    assert!(line.contains("ACTIVE") && line.ends_with("name"), "{line}");
}

fn what_is_not_there_is_said(database: Database) {
    let shop = company(database);
    let absent = uuid::Uuid::now_v7().to_string();
    for verb in [vec!["suspend", &absent], vec!["resume", &absent], vec!["entitle", &absent, "PUBLIC_API"]] {
        let said = shop.host.operator(&verb).expect_err("no such company");
        assert!(said.contains(&absent), "{said}");
    }
    shop.host.operator(&["suspend", "x"]).expect_err("no id");
    if database == Database::Sqlite {
        // A mistyped folder makes no new database.
        let empty = Folder::new("empty");
        let output = Command::new(host::binary())
            .args(["tenant", "list"])
            .env("STOA_DATA_DIR", empty.path())
            .current_dir(empty.path())
            .output()
            .expect("cannot run the binary");
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains("no database"));
        assert_eq!(std::fs::read_dir(empty.path()).into_iter().flatten().count(), 0);
    }
}

fn migrate_takes_the_folder_of_the_data(database: Database) {
    let host = host::shared(database);
    let folder = Folder::new("migrated");
    let output = host.command().args(["migrate", "--data-dir"]).arg(folder.path()).output().expect("cannot run stoa");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // PostgreSQL is named by its address, and has nothing in the folder.
    assert_eq!(folder.path().join("stoa.sqlite").exists(), database == Database::Sqlite);
}
