//! The audit log as it is read: newest first, every filter, and all of them together.

use std::collections::BTreeSet;

use chrono::{DateTime, Duration, SecondsFormat, Utc};
use serde_json::{Value as Json, json};
use stoa_tests::host::Settings;
use stoa_tests::puppet::puppet_of_text;
use stoa_tests::{Company, Database, Stoa, company, eventually, modules, on_both_databases};

on_both_databases![
    entries_tell_what_happened,
    newest_first_by_pages,
    filters_find_what_they_name,
    filters_narrow_together_before_the_page_is_cut,
    bounds_are_inclusive,
    days_are_those_of_the_company,
    texts_are_literal_and_in_either_case,
    filters_of_modules_find_what_belongs_to_it,
    a_filter_is_there_with_its_module,
    p16_parameters_are_closed,
    p18_everybody_has_their_own,
    whoever_manages_settings_may_look,
    admissions_and_denials_are_listed,
];

/// Ids of the entries that a query finds, over all pages.
#[track_caller]
fn found(shop: &Company, query: &[(&str, &str)]) -> Vec<String> {
    let items = shop.all("audit", query);
    items.iter().filter_map(|item| item["id"].as_str().map(str::to_string)).collect()
}

/// Operations of the entries that a query finds, oldest first.
#[track_caller]
fn operations(shop: &Company, query: &[(&str, &str)]) -> Vec<String> {
    let items = shop.all("audit", query);
    items.iter().rev().filter_map(|item| item["operation"].as_str().map(str::to_string)).collect()
}

/// An entry as the recorder of admissions and denials writes it.
fn denied(shop: &Company, actor: &str, reason: &str) {
    let time = match shop.host.database() {
        Database::Sqlite => Utc::now().timestamp_millis().to_string(),
        Database::Postgres => format!("'{}'", Utc::now().to_rfc3339()),
    };
    let (tenant, id) = (shop.literal(&shop.tenant), shop.fresh_id());
    shop.change(&format!(
        "insert into stoa_audit (tenant_id, id, request_id, actor_type, actor_id, operation, resource_type, resource_id,
           metadata, created_at)
         values ({tenant}, {id}, {id}, 'API_CLIENT', '{actor}', 'getProduct', 'API_REQUEST', {id},
           '{{\"result\":\"DENIED\",\"reason\":\"{reason}\",\"responseCode\":429}}', {time})"
    ));
}

fn entries_tell_what_happened(database: Database) {
    let shop = company(database);
    let brand = shop
        .request("POST", "catalog/lookups/brands")
        .header("user-agent", "curl/8.5.0")
        .json(&json!({ "name": "B", "code": "B" }))
        .send()
        .is(201);
    let entry = shop.list("audit", &[("limit", "1")]).is(200).items()[0].clone();
    let known: BTreeSet<&str> = entry.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let expected = BTreeSet::from([
        "id",
        "tenantId",
        "requestId",
        "resourceId",
        "actorType",
        "actorId",
        "operation",
        "resourceType",
        "ipAddress",
        "userAgent",
        "metadata",
        "createdAt",
    ]);
    assert_eq!(known, expected);
    let me = shop.host.request("GET", "/v1/auth/me").token(&shop.token).send().is(200).id();
    for (member, value) in [
        ("tenantId", json!(shop.tenant)),
        ("requestId", json!(brand.header("x-request-id"))),
        ("resourceId", brand["id"].clone()),
        ("actorType", json!("USER")),
        ("actorId", json!(me)),
        ("operation", json!("createLookup")),
        ("resourceType", json!("CATALOG_LOOKUP")),
        ("ipAddress", json!("127.0.0.1")),
        ("userAgent", json!("curl/8")),
        ("createdAt", brand["createdAt"].clone()),
    ] {
        assert_eq!(entry[member], value, "{member}");
    }
    assert_eq!((&entry["metadata"]["result"], &entry["metadata"]["responseCode"]), (&json!("SUCCESS"), &json!(201)));
    // Reads and refusals leave none.
    let before = found(&shop, &[]);
    shop.get("catalog/products").is(200);
    shop.post("catalog/lookups/brands", json!({ "name": "B", "code": "B" })).refused(409, "DUPLICATE");
    assert_eq!(found(&shop, &[]), before);
}

fn newest_first_by_pages(database: Database) {
    let shop = company(database);
    let made: Vec<String> = (0..7).map(|n| shop.brand(&format!("B{n}"))).collect();
    let resources: Vec<String> =
        shop.all("audit", &[]).iter().filter_map(|item| item["resourceId"].as_str().map(str::to_string)).collect();
    let expected: Vec<String> = made.iter().rev().cloned().chain([shop.tenant.clone()]).collect();
    assert_eq!(resources, expected, "the company itself is the oldest");
    let all = found(&shop, &[]);
    assert!(all.is_sorted_by(|newer, older| newer > older));
    for limit in ["1", "3", "7", "8", "100"] {
        assert_eq!(found(&shop, &[("limit", limit)]), all, "pages of {limit}");
    }
    let page = shop.list("audit", &[("limit", "3")]).is(200);
    assert_eq!(page["nextCursor"], json!(all[2]), "the last id of the page");
    let after = |cursor: &str| shop.list("audit", &[("cursor", cursor)]).is(200).ids();
    assert_eq!(after(&all[5]), all[6..]);
    assert_eq!(after("ffffffff-ffff-ffff-ffff-ffffffffffff"), all);
    assert_eq!(after("00000000-0000-0000-0000-000000000000"), [""; 0]);
}

fn filters_find_what_they_name(database: Database) {
    let shop = company(database);
    let brand = shop.brand("B");
    let role = shop.role("KEEPER", &["settings.manage", "catalog.write", "catalog.read"]);
    let (member, keeper) = shop.member("keeper", &[&role]);
    keeper.put(&format!("catalog/lookups/brands/{brand}"), json!({ "name": "N", "code": "B" })).is(200);
    let client = uuid::Uuid::now_v7().to_string();
    denied(&shop, &client, "RATE_LIMITED");
    let keeper_id = keeper.host.request("GET", "/v1/auth/me").token(&keeper.token).send().is(200).id();
    let all = ["createCompany", "createLookup"];
    let iam = ["executeIamCommand"; 4];
    let rest = ["replaceLookup", "getProduct"];
    let every: Vec<&str> = all.into_iter().chain(iam).chain(rest).collect();
    assert_eq!(operations(&shop, &[]), every);
    for (query, expected) in [
        (("resourceType", "CATALOG_LOOKUP"), vec!["createLookup", "replaceLookup"]),
        (("resourceType", "ROLE"), vec!["executeIamCommand"; 2]),
        (("resourceType", "MEMBERSHIP"), vec!["executeIamCommand"; 2]),
        (("resourceType", "NOTHING_YET"), vec![]),
        (("resourceId", brand.as_str()), vec!["createLookup", "replaceLookup"]),
        (("resourceId", &brand.to_uppercase()), vec!["createLookup", "replaceLookup"]),
        (("resourceId", &member), vec!["executeIamCommand"; 2]),
        (("resourceId", &client), vec![]),
        (("actorType", "USER"), every[..7].to_vec()),
        (("actorType", "API_CLIENT"), vec!["getProduct"]),
        (("actorType", "SYSTEM"), vec![]),
        (("actorId", &keeper_id), vec!["replaceLookup"]),
        (("actorId", &keeper_id.to_uppercase()), vec!["replaceLookup"]),
        (("actorId", &client), vec!["getProduct"]),
        (("actorId", "nobody"), vec![]),
        (("operation", "executeIamCommand"), vec!["executeIamCommand"; 4]),
        (("operation", "executeIam"), vec![]),
        (("result", "SUCCESS"), every[..7].to_vec()),
        (("result", "DENIED"), vec!["getProduct"]),
        (("result", "ADMITTED"), vec![]),
        (("text", "iamcomm"), vec!["executeIamCommand"; 4]),
        (("text", "rate_limited"), vec!["getProduct"]),
        (("text", "denied"), vec!["getProduct"]),
    ] {
        assert_eq!(operations(&shop, &[query]), expected, "{query:?}");
        assert_eq!(operations(&shop, &[query, ("limit", "1")]), expected, "{query:?} by pages");
    }
}

fn filters_narrow_together_before_the_page_is_cut(database: Database) {
    let shop = company(database);
    let brand = shop.brand("B");
    for n in 0..5 {
        shop.put(&format!("catalog/lookups/brands/{brand}"), json!({ "name": format!("N{n}"), "code": "B" })).is(200);
        shop.brand(&format!("OTHER{n}"));
    }
    let query = [("resourceId", brand.as_str()), ("operation", "replaceLookup"), ("actorType", "USER"), ("limit", "2")];
    assert_eq!(operations(&shop, &query), ["replaceLookup"; 5]);
    let page = shop.list("audit", &query).is(200);
    assert_eq!(page.items().len(), 2, "a page is full of what was asked for");
    let query = [("resourceId", brand.as_str()), ("operation", "replaceLookup"), ("actorType", "SYSTEM")];
    assert_eq!(operations(&shop, &query), [""; 0]);
    let day = Utc::now().format("%Y-%m-%d").to_string();
    let me = shop.host.request("GET", "/v1/auth/me").token(&shop.token).send().is(200).id();
    let everything = [
        ("resourceType", "CATALOG_LOOKUP"),
        ("resourceId", &brand),
        ("actorType", "USER"),
        ("actorId", &me),
        ("operation", "createLookup"),
        ("result", "SUCCESS"),
        ("from", "2020-01-01"),
        ("to", &day),
        ("text", "LOOKUP"),
        ("productId", &brand),
        ("limit", "1"),
    ];
    assert_eq!(operations(&shop, &everything), ["createLookup"]);
}

fn bounds_are_inclusive(database: Database) {
    let shop = company(database);
    let mut made = Vec::new();
    for n in 0..3 {
        made.push(shop.post("catalog/lookups/brands", json!({ "name": "N", "code": format!("B{n}") })).is(201));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let times: Vec<DateTime<Utc>> = made
        .iter()
        .map(|made| made["createdAt"].as_str().and_then(|text| text.parse().ok()).expect("a time"))
        .collect();
    let text = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Millis, true);
    let millisecond = Duration::milliseconds(1);
    let within = |from: DateTime<Utc>, to: DateTime<Utc>| {
        operations(&shop, &[("from", &text(from)), ("to", &text(to)), ("limit", "1")]).len()
    };
    assert_eq!(within(times[0], times[2]), 3);
    assert_eq!(within(times[1], times[1]), 1);
    assert_eq!(within(times[0] + millisecond, times[2]), 2);
    assert_eq!(within(times[0], times[2] - millisecond), 2);
    assert_eq!(within(times[2], times[0]), 0);
    assert_eq!(operations(&shop, &[("from", &text(times[1]))]).len(), 2);
    assert_eq!(operations(&shop, &[("to", &text(times[1]))]).len(), 3, "and the company itself");
    for wide in [("from", "0001-01-01"), ("to", "9999-12-31"), ("to", "9999-12-31T23:59:59.999Z")] {
        assert_eq!(operations(&shop, &[wide]).len(), 4, "{wide:?}");
    }
}

/// The same entries lie on another day for a company on the other side of the world.
fn days_are_those_of_the_company(database: Database) {
    let shop = company(database);
    for (zone, hours) in [("Pacific/Kiritimati", 14), ("Etc/GMT+12", -12)] {
        let settings = shop.get("settings").is(200);
        let body = json!({
            "name": "N", "defaultCurrencyCode": "EUR", "timeZone": zone, "expectedVersion": settings["version"],
        });
        shop.put("settings", body).is(200);
        let all = shop.all("audit", &[]);
        let day = |entry: &Json, days: i64| {
            let time: DateTime<Utc> = entry["createdAt"].as_str().and_then(|text| text.parse().ok()).expect("a time");
            (time + Duration::hours(hours) + Duration::days(days)).format("%Y-%m-%d").to_string()
        };
        let newest = day(&all[0], 0);
        let on_it = all.iter().filter(|entry| day(entry, 0) == newest).count();
        assert_eq!(found(&shop, &[("from", &newest), ("to", &newest)]).len(), on_it, "{zone}");
        let (eve, morrow) = (day(&all[0], -1), day(&all[0], 1));
        assert_eq!(found(&shop, &[("from", &morrow)]), [""; 0], "{zone}");
        assert_eq!(found(&shop, &[("to", &eve)]).len(), all.len() - on_it, "{zone}");
    }
}

fn texts_are_literal_and_in_either_case(database: Database) {
    let shop = company(database);
    shop.brand("B");
    denied(&shop, "system:relay", "QUOTA_EXCEEDED");
    for (text, expected) in [
        ("LOOKUP", vec!["createLookup"]),
        ("catalog_lookup", vec!["createLookup"]),
        ("g_l", vec!["createLookup"]),
        ("_", vec!["createLookup", "getProduct"]),
        ("%", vec![]),
        ("*", vec![]),
        ("\\", vec![]),
        ("'", vec![]),
        ("\u{1f}", vec![]),
        ("quota", vec!["getProduct"]),
        ("QUOTA_EXCEEDED", vec!["getProduct"]),
        ("system:RELAY", vec!["getProduct"]),
        ("tenant", vec!["createCompany"]),
        ("127.0.0.1", vec!["createCompany", "createLookup"]),
        ("metadata", vec![]),
        ("responsecode", vec![]),
        ("null", vec![]),
        // Not over the border of two fields.
        ("createLookupCATALOG", vec![]),
        ("createLookup CATALOG", vec![]),
        ("ſuccess", vec![]),
    ] {
        assert_eq!(operations(&shop, &[("text", text)]), expected, "{text:?}");
    }
}

fn filters_of_modules_find_what_belongs_to_it(database: Database) {
    let shop = company(database);
    let (product, variant) = shop.article("A");
    let other = shop.product("Other");
    let second = shop.variant(&product, "B");
    shop.put(&format!("catalog/variants/{second}"), json!({ "sku": "B", "color": "red" })).is(200);
    shop.archive(&format!("catalog/variants/{second}")).is(200);
    shop.variant(&other, "C");
    let expected = ["createProduct", "createVariant", "replaceVariant", "archiveVariant"];
    for limit in ["1", "3", "100"] {
        assert_eq!(operations(&shop, &[("productId", &product), ("limit", limit)]), expected);
    }
    assert_eq!(operations(&shop, &[("productId", &second)]), expected[1..], "by its own id");
    assert_eq!(operations(&shop, &[("productId", &product), ("resourceId", &second)]), expected[1..]);
    assert_eq!(operations(&shop, &[("productId", &product), ("operation", "archiveVariant")]), ["archiveVariant"]);
    assert_eq!(operations(&shop, &[("productId", &variant)]), [""; 0], "made together with its product");
    assert_eq!(operations(&shop, &[("productId", &uuid::Uuid::now_v7().to_string())]), [""; 0]);
    shop.list("audit", &[("productId", "x")]).refused(400, "VALIDATION_FAILED").at("/query/productId");
}

fn a_filter_is_there_with_its_module(database: Database) {
    let descriptor = |filters: Json| {
        json!({
            "name": "puppet", "version": "1.0.0", "description": "Says what the test wrote.",
            "permissions": [], "routes": [], "auditFilters": filters,
        })
        .to_string()
    };
    let folder = modules::empty_with(&[("puppet.wasm", &puppet_of_text(&descriptor(json!([]))))]);
    let shop = Stoa::start_with(database, Settings::default().modules(folder.path())).company();
    shop.list("audit", &[("productId", &shop.tenant)]).refused(400, "UNKNOWN_QUERY_PARAMETER");
    // One that takes the place of another is refused at the start.
    for (why, filters) in [
        (
            "/auditFilters/0/code: `text` is the host's own",
            json!([{ "code": "text", "description": "The host's own." }]),
        ),
        ("/auditFilters/0/code", json!([{ "code": "Thing-Id", "description": "No name." }])),
        (
            "audit filter `thingId` is claimed twice",
            json!([{ "code": "thingId", "description": "Once." }, { "code": "thingId", "description": "Twice." }]),
        ),
    ] {
        let folder = modules::empty_with(&[("puppet.wasm", &puppet_of_text(&descriptor(filters.clone())))]);
        let Err(said) = Stoa::try_start(database, Settings::default().modules(folder.path())) else {
            panic!("let in with {filters}");
        };
        assert!(said.contains("DESCRIPTOR_INVALID") && said.contains(why), "{said}");
    }
}

fn p16_parameters_are_closed(database: Database) {
    let shop = company(database);
    for name in ["bogus", "subjectId", "subject", "offset", "resourcetype", "requestId"] {
        shop.list("audit", &[(name, "1")]).refused(400, "UNKNOWN_QUERY_PARAMETER");
    }
    for (name, value) in [
        ("resourceType", "catalog"),
        ("resourceType", ""),
        ("resourceId", "x"),
        ("actorType", "user"),
        ("actorId", ""),
        ("operation", "no operation"),
        ("result", "success"),
        ("from", "yesterday"),
        ("from", "2026-02-30"),
        ("from", "2026-01-01T00:00:00"),
        ("to", "2026-01-01T00:00:00+01:00"),
        ("to", "1767225600"),
        ("text", ""),
        ("text", "  "),
        ("limit", "101"),
        ("cursor", "x"),
    ] {
        let answer = shop.list("audit", &[(name, value)]).refused(400, "VALIDATION_FAILED");
        answer.at(&format!("/query/{name}"));
    }
}

fn p18_everybody_has_their_own(database: Database) {
    let host = stoa_tests::host::shared(database);
    let (mine, theirs) = (host.company_of("ada@example.test"), host.company_of("bob@example.test"));
    let brand = theirs.brand("THEIRS");
    let entries = found(&theirs, &[]);
    for query in
        [("resourceId", brand.as_str()), ("productId", &brand), ("cursor", "ffffffff-ffff-ffff-ffff-ffffffffffff")]
    {
        let seen = found(&mine, &[query]);
        assert!(seen.iter().all(|id| !entries.contains(id)), "{query:?}");
    }
    assert_eq!(found(&mine, &[("resourceId", &brand)]), [""; 0]);
    mine.host
        .request("GET", &format!("/v1/tenants/{}/audit", theirs.tenant))
        .token(&mine.token)
        .send()
        .refused(403, "MEMBERSHIP_REQUIRED");
}

fn whoever_manages_settings_may_look(database: Database) {
    let shop = company(database);
    let (_, other) = shop.member("other", &[&shop.role("OTHER", &["users.manage", "api.manage", "catalog.read"])]);
    let (_, keeper) = shop.member("keeper", &[&shop.role("KEEPER", &["settings.manage"])]);
    assert_eq!(found(&keeper, &[]), found(&shop, &[]));
    other.get("audit").refused(403, "PERMISSION_DENIED");
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        shop.request(method, "audit").json(&json!({})).send().refused(405, "METHOD_NOT_ALLOWED");
    }
}

/// Requests of keys, and denials of every caller, are listed within a second; a key itself may not read them.
fn admissions_and_denials_are_listed(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read"]);
    machine.get("context").is(200);
    let (_, other) = shop.member("other", &[]);
    other.get("audit").refused(403, "PERMISSION_DENIED");
    machine
        .host
        .request("GET", &format!("/v1/tenants/{}/audit", shop.tenant))
        .token(&machine.key)
        .send()
        .refused(403, "WRONG_IDENTITY_FAMILY");
    eventually(|| (operations(&shop, &[("result", "ADMITTED")]).len() == 1).then_some(()));
    let admitted = shop.all("audit", &[("result", "ADMITTED"), ("actorId", &machine.client)]);
    for (member, value) in [
        ("actorType", json!("API_CLIENT")),
        ("resourceType", json!("API_REQUEST")),
        ("resourceId", json!(machine.client)),
        ("metadata", json!({ "result": "ADMITTED", "responseCode": 200, "keyId": machine.key_id })),
    ] {
        assert_eq!(admitted[0][member], value, "{member}");
    }
    let denied = || operations(&shop, &[("result", "DENIED"), ("actorType", "USER")]);
    eventually(|| (denied() == ["listAuditEntries"]).then_some(()));
}
