//! Where a company is: chosen when it is made, kept by the directory, and used by everything that its people and machines do.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::json;
use stoa_tests::company::fresh;
use stoa_tests::host::Settings;
use stoa_tests::people::somebody;
use stoa_tests::places::host_with;
use stoa_tests::{Company, Database, Folder, Receiver, Stoa, eventually_within, receiver, tests};

tests![
    a_new_company_goes_to_the_place_with_the_fewest_for_its_weight,
    a_place_without_weight_gets_only_what_an_operator_puts_there,
    a_key_makes_one_company_wherever_it_is,
    a_request_of_a_company_touches_one_server,
    everybody_sees_the_companies_of_all_places,
    a_member_is_added_and_renamed_at_another_place,
    a_machine_works_at_another_place_until_its_key_is_revoked,
    events_of_another_place_are_delivered,
    every_company_is_verified_and_listed,
    a_company_leaves_for_another_deployment_with_its_members,
    a_company_that_came_home_is_exported,
    a_company_that_moved_is_found_again,
    two_places_of_one_name_are_rejected,
];

fn count_by_place(companies: &[Company]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for company in companies {
        *counts.entry(company.place()).or_default() += 1;
    }
    counts
}

/// A host with one place besides home, and a company there.
fn elsewhere() -> (Stoa, Company) {
    let host = host_with(1);
    let company = host.company_at("place-1", "owner@example.test");
    (host, company)
}

fn a_new_company_goes_to_the_place_with_the_fewest_for_its_weight() {
    let weights = "[[places]]\nname = \"home\"\nweight = 2\n";
    let host = Stoa::start_with(Database::Postgres, Settings::default().file(weights).places(3));
    let companies: Vec<Company> = (0..8).map(|_| host.company()).collect();
    let expected = [("home", 4), ("place-1", 2), ("place-2", 2)];
    assert_eq!(count_by_place(&companies), expected.map(|(place, count)| (place.to_owned(), count)).into());
    for (place, count) in expected {
        assert_eq!(host.companies_at(place), count, "{place}");
    }
}

fn a_place_without_weight_gets_only_what_an_operator_puts_there() {
    let weights = "[[places]]\nname = \"home\"\nweight = 0\n";
    let host = Stoa::start_with(Database::Postgres, Settings::default().file(weights).places(2));
    assert_eq!([host.company().place(), host.company().place()], ["place-1", "place-1"]);
    assert_eq!(host.company_at("home", &somebody("owner")).place(), "home");
    let said =
        host.operator(&["create", "--name", "X", "--currency", "EUR", "--owner-email", "a@b.c", "--place", "moon"]);
    assert!(said.as_ref().is_err_and(|said| said.contains("no place moon")), "{said:?}");
}

fn a_key_makes_one_company_wherever_it_is() {
    let weights = "[[places]]\nname = \"home\"\nweight = 0\n";
    let host = Stoa::start_with(Database::Postgres, Settings::default().file(weights).places(2));
    let token = host.token("owner@example.test");
    let key = "0190d3a0-0000-4000-8000-000000000001";
    let create = || {
        let body = json!({ "name": "Once", "currencyCode": "EUR" });
        host.request("POST", "/v1/onboarding/companies").token(&token).key(key).json(&body).send().is(201)
    };
    let (first, second) = (create(), create());
    assert_eq!(first.text("tenantId"), second.text("tenantId"));
    assert_eq!((host.companies_at("place-1"), host.companies_at("home")), (1, 0));
    let company = Company { host: host.clone(), tenant: first.text("tenantId"), token, created: Vec::new() };
    let entries =
        company.rows("select operation, actor_type from stoa_audit where {tenant} and resource_type = 'TENANT'");
    assert_eq!(entries, [["createCompany", "USER"]], "the audit entry is where the company is");
}

fn a_request_of_a_company_touches_one_server() {
    let (host, shop) = elsewhere();
    let use_company = || {
        let brand = shop.brand(&fresh("B"));
        shop.get(&format!("catalog/lookups/brands/{brand}")).is(200);
        shop.list("catalog/products", &[("text", "a")]).is(200);
    };
    use_company();
    assert_eq!(host.run_at("home", "select count(*)::text from catalog_lookup"), Some("0".into()));
    // The host has cached the user and the company's place by now.
    host.take_away("home");
    use_company();
    host.bring_back("home");
}

fn everybody_sees_the_companies_of_all_places() {
    let host = host_with(2);
    let email = somebody("owner");
    let mut expected: Vec<String> =
        ["home", "place-1", "place-2"].iter().map(|place| host.company_at(place, &email).tenant).collect();
    expected.sort();
    let me = host.get_with("/v1/auth/me", &host.token(&email)).is(200);
    let memberships = me["memberships"].as_array().expect("memberships").iter();
    let seen: Vec<String> = memberships.map(|one| one["tenantId"].as_str().unwrap_or_default().to_owned()).collect();
    assert_eq!((seen, me.body.get("unreachable")), (expected, None));
}

fn a_member_is_added_and_renamed_at_another_place() {
    let (host, shop) = elsewhere();
    let role = shop.role("CLERK", &["catalog.read"]);
    let (_, clerk) = shop.member("clerk", &[&role]);
    clerk.list("catalog/products", &[]).is(200);
    clerk.post("catalog/lookups/brands", json!({ "name": "A", "code": "A" })).refused(403, "PERMISSION_DENIED");
    let members = shop.all("iam/memberships", &[("text", "clerk-")]);
    assert_eq!(members.len(), 1, "{members:?}");
    let user = members[0]["userId"].as_str().expect("a user").to_owned();
    // The record as it was before the user's token had another name.
    let older = format!(
        "update stoa_user set display_name = 'Old', updated_at = now() - interval '1 hour' where id = '{user}'"
    );
    ["home", "place-1"].iter().for_each(|place| drop(host.run_at(place, &older)));
    host.restart();
    host.get_with("/v1/auth/me", &clerk.token).is(200);
    let name = format!("select coalesce(display_name, 'none') from stoa_user where id = '{user}'");
    let names = ["home", "place-1"].map(|place| host.run_at(place, &name));
    assert_eq!(names[0], names[1]);
    assert_ne!(names[1].as_deref(), Some("Old"));
}

fn a_machine_works_at_another_place_until_its_key_is_revoked() {
    let (host, shop) = elsewhere();
    let machine = shop.machine(&["catalog.read"]);
    machine.get("catalog/products").is(200);
    let other = host.beside();
    machine.on(&other).get("catalog/products").is(200);
    shop.post(&format!("api-clients/{}/keys/{}/revoke", machine.client, machine.key_id), json!({})).is(201);
    for host in [&host, &other] {
        machine.on(host).get("catalog/products").refused(401, "UNAUTHENTICATED");
    }
}

fn events_of_another_place_are_delivered() {
    let receiver = Receiver::friendly();
    let targets: Vec<String> = receiver::list_addresses().iter().map(ToString::to_string).collect();
    let settings = Settings::default().set("STOA_WEBHOOK_DEV_TARGETS", targets.join(",")).places(2);
    let host = Stoa::start_with(Database::Postgres, settings);
    let shop = host.company_at("place-1", "owner@example.test");
    let body = json!({ "name": "Hook", "url": receiver.url(), "status": "ACTIVE", "subscriptions": ["catalog.lookup.created"] });
    shop.post("webhooks", body).is(201);
    shop.brand("B");
    let received = eventually_within(Duration::from_secs(60), || receiver.list_received().into_iter().next());
    assert_eq!(received.json()["tenantId"], json!(shop.tenant));
}

fn every_company_is_verified_and_listed() {
    let host = host_with(1);
    let companies = ["home", "place-1"].map(|place| host.company_at(place, "owner@example.test"));
    companies.iter().for_each(|company| drop(company.brand("B")));
    let listed = host.operator(&["list"]).expect("a list");
    let ids: BTreeSet<&str> =
        listed.as_array().expect("companies").iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(ids, companies.iter().map(|company| &*company.tenant).collect());
    let tenants: Vec<&str> = ids.into_iter().collect();
    let verified = host.verify(&tenants);
    assert_eq!((&verified["companies"], &verified["findings"]), (&json!(2), &json!([])), "{verified}");
}

fn a_company_leaves_for_another_deployment_with_its_members() {
    let (host, shop) = elsewhere();
    let (email, target) = ("member@example.test", host_with(1));
    shop.iam("create_membership", json!({ "userId": host.user_id(email) })).is(201);
    let folder = Folder::new("leaves");
    let file = folder.path().join("company.ndjson");
    let run = |host: &Stoa, arguments: &[&str]| {
        let output = host.command().args(arguments).arg(&file).output().expect("cannot run the binary");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert!(run(&host, &["export", &shop.tenant, "--output"]).0);
    let (is_imported, said) = run(&target, &["import-company"]);
    assert!(is_imported, "{said}");
    for person in ["owner@example.test", email] {
        let me = target.get_with("/v1/auth/me", &target.token(person)).is(200);
        assert_eq!(me["memberships"][0]["tenantId"], shop.tenant, "{person}");
    }
    // It arrives once, also where it is at another place by now.
    let id = &shop.tenant;
    target.change(&format!("delete from stoa_tenant where id = '{id}'"));
    target.change(&format!("insert into stoa_company_place values ('{id}', 'place-1', now())"));
    let (is_imported, said) = run(&target, &["import-company"]);
    assert!(!is_imported && said.contains("in this database already"), "{said}");
}

/// The directory has a row of such a company until the place that it left is purged.
fn a_company_that_came_home_is_exported() {
    let host = host_with(1);
    let shop = host.company_at("home", "owner@example.test");
    host.change(&format!("insert into stoa_company_place values ('{}', 'home', now())", shop.tenant));
    let output = host.command().args(["export", &shop.tenant]).output().expect("cannot run the binary");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The rows of a company go to the other database behind the hosts' back, which have its place in mind.
fn a_company_that_moved_is_found_again() {
    let host = host_with(1);
    let shop = host.company_at("home", "owner@example.test");
    let brand = shop.brand("B");
    shop.get(&format!("catalog/lookups/brands/{brand}")).is(200);
    host.copy_company(&shop, "place-1");
    let id = &shop.tenant;
    host.change(&format!("delete from stoa_tenant where id = '{id}'"));
    host.change(&format!("insert into stoa_company_place values ('{id}', 'place-1', now() - interval '1 hour')"));
    shop.get(&format!("catalog/lookups/brands/{brand}")).is(200);
    shop.brand("C");
    assert_eq!(shop.count("catalog_lookup", "code in ('B', 'C')"), 2);
    let stranger = Company { tenant: uuid::Uuid::now_v7().to_string(), ..shop };
    stranger.get("catalog/products").refused(403, "MEMBERSHIP_REQUIRED");
}

fn two_places_of_one_name_are_rejected() {
    let twice = "[[places]]\nname = \"place-1\"\nurl = \"postgres://stoa@localhost/other\"\n";
    let said = Stoa::try_start(Database::Postgres, Settings::default().file(twice).places(2)).err();
    assert!(said.as_ref().is_some_and(|said| said.contains("two places are called place-1")), "{said:?}");
    let said = Stoa::try_start(Database::Sqlite, Settings::default().file(twice)).err();
    assert!(said.as_ref().is_some_and(|said| said.contains("need PostgreSQL")), "{said:?}");
}
