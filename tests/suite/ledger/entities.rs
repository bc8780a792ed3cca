//! Legal entities and branches: codes, books that are never turned off, holds, archive.

use serde_json::{Value as Json, json};
use stoa_tests::books::{self, books, books_with, day, entity};
use stoa_tests::company::with;
use stoa_tests::services::ledger::{Branch, Call, Entity};
use stoa_tests::services::{self, key, new_key};
use stoa_tests::{Company, Database, at_once, company, on_both_databases};

on_both_databases![
    onboarding_begins_books,
    l01_books_need_currency_and_a_past_start,
    l02_codes_are_unique_in_any_case,
    l04_foreign_entities_are_unknown,
    l09_a_held_or_standing_entity_is_not_archived,
    replacement_resets_what_it_omits,
    branches_live_under_their_entity,
    directory_is_open_to_members_and_changes_are_not,
    l100_entities_at_most,
    lists_tell_what_changed_since,
];

on_both_databases![
    rules:
    onboarding_makes_entity_and_branch,
    l03_what_books_are_never_changes,
    begin_keeps_books_once,
    d1_keys_read_entities_and_branches,
    countries_are_assigned_codes,
];

const PATH: &str = "ledger/legal-entities";

fn onboarding_makes_entity_and_branch(database: Database) {
    let shop = company(database);
    let main = shop.get(&format!("{PATH}/{}", shop.made("LEGAL_ENTITY").expect("an entity"))).is(200);
    assert_eq!((&main["code"], &main["keepsBooks"], &main["version"]), (&json!("MAIN"), &json!(false), &json!(1)));
    let branch = shop.get(&format!("ledger/branches/{}", shop.made("BRANCH").expect("a branch"))).is(200);
    assert_eq!((&branch["code"], &branch["legalEntityId"]), (&json!("MAIN"), &main["id"]));
}

/// Onboards a company of these members.
fn onboarded(shop: &Company, members: Json) -> stoa_tests::Answer {
    let body = with(&stoa_tests::company::onboarding("Onboarded"), members);
    shop.host.request("POST", "/v1/onboarding/companies").token(&shop.token).json(&body).send()
}

fn onboarding_begins_books(database: Database) {
    let shop = company(database);
    let requested = json!({ "name": " Acme Ltd ", "taxId": "X-1" });
    for (members, keeps_books, accounts) in [
        (json!({ "keepsBooks": true, "legalEntity": requested }), true, 28),
        (json!({ "chartTemplate": "STANDARD" }), false, 28),
        (json!({ "keepsBooks": true, "chartTemplate": "DETAILED" }), true, 109),
        (json!({ "withDefaults": false, "legalEntity": { "name": "Acme Ltd" } }), false, 0),
    ] {
        let made = onboarded(&shop, members.clone()).is(201);
        let other = Company { tenant: made.text("tenantId"), ..shop.clone() };
        let entity = other.get(PATH).is(200).items()[0].clone();
        assert_eq!(entity["keepsBooks"], json!(keeps_books), "{members}");
        assert_eq!(entity["currencyCode"], if keeps_books { json!("EUR") } else { Json::Null }, "{members}");
        if members["legalEntity"].is_object() {
            assert_eq!(entity["name"], "Acme Ltd", "{members}");
        }
        let id = entity["id"].as_str().expect("an id");
        let query = [("legalEntityId", id), ("limit", "100")];
        assert_eq!(other.all("ledger/accounts", &query).len(), accounts, "{members}");
        let set = other.get(&format!("{PATH}/{id}/mappings")).is(200);
        let mapped = set["roles"].as_array().into_iter().flatten().filter(|role| !role["accountId"].is_null());
        assert_eq!(mapped.count(), if accounts == 0 { 0 } else { 21 }, "{members}");
    }
    let none = onboarded(&shop, json!({ "withDefaults": false })).is(201);
    let other = Company { tenant: none.text("tenantId"), ..shop.clone() };
    assert!(other.get(PATH).is(200).items().is_empty());
    for (pointer, wrong) in [
        ("/legalEntity/name", json!({ "legalEntity": { "name": " " } })),
        ("/legalEntity", json!({ "legalEntity": { "name": "A", "vat": "x" } })),
        ("/chartTemplate", json!({ "chartTemplate": "OTHER" })),
        ("/keepsBooks", json!({ "keepsBooks": "yes" })),
    ] {
        onboarded(&shop, wrong).refused(400, "VALIDATION_FAILED").at(pointer);
    }
}

fn l01_books_need_currency_and_a_past_start(database: Database) {
    let shop = company(database);
    let kept = |members: Json| with(&with(&entity("B"), json!({ "keepsBooks": true })), members);
    let wrong = [
        ("/currencyCode", kept(json!({}))),
        ("/currencyCode", kept(json!({ "currencyCode": null }))),
        ("/currencyCode", kept(json!({ "currencyCode": "DEM" }))),
        ("/currencyCode", kept(json!({ "currencyCode": "EU" }))),
        ("/booksStartOn", kept(json!({ "currencyCode": "EUR", "booksStartOn": day(2) }))),
        ("/booksStartOn", kept(json!({ "currencyCode": "EUR", "booksStartOn": "2026-02-30" }))),
        ("/amountScale", kept(json!({ "currencyCode": "EUR", "amountScale": 5 }))),
        ("/amountScale", kept(json!({ "currencyCode": "EUR", "amountScale": 13 }))),
        ("/booksStartOn", with(&entity("B"), json!({ "booksStartOn": day(-1) }))),
        ("/currencyCode", with(&entity("B"), json!({ "currencyCode": "EUR" }))),
        ("/amountScale", with(&entity("B"), json!({ "amountScale": 6 }))),
        ("/chart", with(&entity("B"), json!({ "chart": "OTHER" }))),
        ("/code", entity("1B")),
        ("/name", with(&entity("B"), json!({ "name": "  " }))),
        ("/countryCode", with(&entity("B"), json!({ "countryCode": "de" }))),
        ("/countryCode", with(&entity("B"), json!({ "countryCode": "ZZ" }))),
    ];
    for (pointer, body) in wrong {
        shop.post(PATH, body).refused(400, "VALIDATION_FAILED").at(pointer);
    }
    let made = shop.post(PATH, kept(json!({ "currencyCode": "eur" }))).is(201);
    assert_eq!((&made["currencyCode"], &made["amountScale"]), (&json!("EUR"), &json!(6)));
    assert_eq!(made["booksStartOn"], json!(day(0)), "omitted: today");
    assert_eq!(shop.count("ledger_account", "1 = 1"), 0, "a chart is installed where it is asked for");
}

fn l02_codes_are_unique_in_any_case(database: Database) {
    let shop = company(database);
    let answers = at_once(2, |n| shop.post(PATH, entity(["shop", "SHOP"][n])));
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    let (made, refused) = if answers[0].status == 201 { (0, 1) } else { (1, 0) };
    answers[refused].clone().refused(409, "DUPLICATE").at("/code");
    let made = &answers[made];
    let taken = shop.post(PATH, entity("sHOP")).refused(409, "DUPLICATE");
    assert_eq!(taken.errors()[0]["conflictsWith"], made["id"], "{taken}");
    assert_eq!(shop.get(&format!("{PATH}/{}", made.id())).is(200)["code"], made["code"], "kept as typed");
    shop.archive(&format!("{PATH}/{}", made.id())).is(200);
    for code in ["shop", "SHOP", "Shop", "main"] {
        shop.post(PATH, entity(code)).refused(409, "DUPLICATE").at("/code");
    }
}

fn l03_what_books_are_never_changes(database: Database) {
    let books = books(database);
    let path = format!("{PATH}/{}", books.entity);
    let stored = books.shop.get(&path).is(200);
    let body = |change: Json| with(&json!({ "expectedVersion": 1, "name": "N" }), change);
    for (pointer, change) in [
        ("/keepsBooks", json!({ "keepsBooks": false })),
        ("/currencyCode", json!({ "currencyCode": "USD" })),
        ("/amountScale", json!({ "amountScale": 7 })),
        ("/booksStartOn", json!({ "booksStartOn": day(0) })),
        ("/code", json!({ "code": "books" })),
    ] {
        books.shop.put(&path, body(change)).refused(409, "IMMUTABLE_FIELD").at(pointer);
    }
    books.shop.put(&path, body(json!({ "expectedVersion": 2 }))).refused(409, "VERSION_CONFLICT");
    let same: Json = ["keepsBooks", "currencyCode", "amountScale", "booksStartOn", "code"]
        .iter()
        .map(|member| (member.to_string(), stored[*member].clone()))
        .collect::<serde_json::Map<String, Json>>()
        .into();
    let replaced = books.shop.put(&path, body(same)).is(200);
    assert_eq!((&replaced["name"], &replaced["version"]), (&json!("N"), &json!(2)));
}

fn l04_foreign_entities_are_unknown(database: Database) {
    let (mine, theirs) = (books(database), books(database));
    let account = theirs.account("1000");
    let path = format!("{PATH}/{}", theirs.entity);
    let put = json!({ "expectedVersion": 1, "name": "N" });
    mine.shop.get(&path).refused(404, "NOT_FOUND");
    mine.shop.put(&path, put).refused(404, "NOT_FOUND");
    mine.shop.archive(&path).refused(404, "NOT_FOUND");
    mine.shop.get(&format!("{path}/mappings")).refused(404, "NOT_FOUND");
    mine.shop.list(&format!("{path}/periods"), &[("year", "2026")]).refused(404, "NOT_FOUND");
    mine.shop.post(&format!("{path}/chart"), json!({ "template": "STANDARD" })).refused(404, "NOT_FOUND");
    mine.shop.get(&format!("ledger/accounts/{account}")).refused(404, "NOT_FOUND");
    mine.shop.get(&format!("ledger/accounts/{account}/statement")).refused(404, "NOT_FOUND");
    mine.shop
        .list("ledger/trial-balance", &[("legalEntityId", &theirs.entity)])
        .refused(404, "NOT_FOUND")
        .at("/query/legalEntityId");
    assert!(mine.shop.list("ledger/accounts", &[("legalEntityId", &theirs.entity)]).is(200).items().is_empty());
    let refused = |pointer: &str, path: &str, body: Json| {
        mine.shop.post(path, body).refused(404, "NOT_FOUND").at(pointer);
    };
    let branch = json!({ "legalEntityId": theirs.entity, "code": "B", "name": "B" });
    refused("/legalEntityId", "ledger/branches", branch);
    let of_them = json!({ "legalEntityId": theirs.entity, "code": "9", "name": "N", "type": "ASSET" });
    refused("/legalEntityId", "ledger/accounts", of_them.clone());
    refused(
        "/parentId",
        "ledger/accounts",
        with(&of_them, json!({ "legalEntityId": mine.entity, "parentId": account })),
    );
    let money = json!({ "legalEntityId": mine.entity, "code": "M", "name": "M", "kind": "BANK", "accountId": account });
    refused("/accountId", "ledger/money-accounts", money);
    let entry = with(&mine.entry(&day(0), &[("1000", "debit", "1"), ("3000", "credit", "1")]), json!({}));
    let mut foreign = entry.clone();
    foreign["lines"][0]["accountId"] = json!(account);
    refused("/lines/0/accountId", "ledger/journal-entries", foreign);
    refused("/legalEntityId", "ledger/journal-entries", with(&entry, json!({ "legalEntityId": theirs.entity })));
    mine.map(&[("REVENUE", Some(&account))]).refused(404, "NOT_FOUND").at("/roles/9/accountId");
    mine.call(Call::Require(theirs.key(), None)).refused(404, "NOT_FOUND").at("/legalEntityId");
}

fn l09_a_held_or_standing_entity_is_not_archived(database: Database) {
    let held = books_with(database, json!({ "chart": "NONE" }));
    let path = format!("{PATH}/{}", held.entity);
    let branch = json!({ "legalEntityId": held.entity, "code": "B", "name": "B" });
    let branch = held.shop.post("ledger/branches", branch).is(201).id();
    let warehouse = new_key();
    let hold = held.hold("WAREHOUSE", warehouse, Some(key(&branch)), None);
    held.call(hold.clone()).is(200);
    let refused = held.shop.archive(&path).refused(409, "ILLEGAL_STATE");
    refused.fault("/path/id", "ACTIVE_BRANCH").fault("/path/id", "HELD");
    let branch_path = format!("ledger/branches/{branch}");
    held.shop.archive(&branch_path).refused(409, "ILLEGAL_STATE").fault("/path/id", "HELD");
    held.call(Call::Release("WAREHOUSE".to_string(), warehouse)).is(200);
    held.shop.archive(&branch_path).is(200);
    held.call(hold).refused(409, "REFERENCE_INVALID").at("/branchId");
    held.shop.archive(&path).is(200);
    held.shop.archive(&path).refused(409, "ARCHIVED");
    held.call(held.hold("REGISTER", warehouse, None, None)).refused(409, "REFERENCE_INVALID").at("/legalEntityId");
    held.shop
        .post("ledger/branches", json!({ "legalEntityId": held.entity, "code": "C", "name": "C" }))
        .refused(409, "REFERENCE_INVALID")
        .at("/legalEntityId");
    held.shop.put(&path, json!({ "expectedVersion": 2, "name": "N" })).refused(409, "ARCHIVED");

    let standing = books(database);
    standing
        .call(standing.posting(&[("INVENTORY", "debit", "0.000001"), ("OPENING_BALANCE", "credit", "0.000001")]))
        .is(200);
    let refused = standing.shop.archive(&format!("{PATH}/{}", standing.entity)).refused(409, "ILLEGAL_STATE");
    refused.fault("/path/id", "CONTROL_BALANCE_NOT_ZERO").fault("/path/id", "ACTIVE_MONEY_ACCOUNT");
}

fn replacement_resets_what_it_omits(database: Database) {
    let shop = company(database);
    let full = json!({ "legalName": "Long name", "taxId": "DE 1", "countryCode": "DE" });
    let id = shop.post(PATH, with(&entity("FULL"), full)).is(201).id();
    let path = format!("{PATH}/{id}");
    let replaced = shop.put(&path, json!({ "expectedVersion": 1, "name": "New" })).is(200);
    for member in ["legalName", "taxId", "countryCode"] {
        assert_eq!(replaced[member], Json::Null, "{member}");
    }
    assert_eq!(shop.list(PATH, &[("text", "nEw")]).is(200).ids(), [id]);
}

fn branches_live_under_their_entity(database: Database) {
    let books = books_with(database, json!({ "chart": "NONE" }));
    let path = "ledger/branches";
    let body =
        |code: &str| json!({ "legalEntityId": books.entity, "code": code, "name": "North", "address": "Street 1" });
    let made = books.shop.post(path, body("North")).is(201);
    let taken = books.shop.post(path, body("NORTH")).refused(409, "DUPLICATE").at("/code");
    assert_eq!(taken.errors()[0]["conflictsWith"], made["id"], "{taken}");
    let other = books.shop.post(PATH, entity("OTHER")).is(201).id();
    books.shop.post(path, with(&body("NORTH"), json!({ "legalEntityId": other }))).is(201);
    let branch_path = format!("{path}/{}", made.id());
    for (pointer, change) in
        [("/code", json!({ "code": "SOUTH" })), ("/legalEntityId", json!({ "legalEntityId": other }))]
    {
        books.shop.put(&branch_path, with(&json!({ "name": "N" }), change)).refused(409, "IMMUTABLE_FIELD").at(pointer);
    }
    let etag = books.shop.get(&branch_path).is(200).etag();
    let put =
        |etag: &str| books.shop.request("PUT", &branch_path).if_match(etag).json(&json!({ "name": "New" })).send();
    let replaced = put(&etag).is(200);
    assert_eq!((&replaced["name"], &replaced["address"]), (&json!("New"), &Json::Null));
    put(&etag).refused(412, "PRECONDITION_FAILED");
    assert_eq!(books.shop.list(path, &[("legalEntityId", &books.entity)]).is(200).ids(), [made.id()]);
    let found: Option<Branch> = books.ask(Call::FindBranch(books.key(), "NORTH".to_string()));
    assert_eq!(found.map(|branch| branch.id), Some(key(&made.id())));
    books.call(Call::Require(key(&other), Some(key(&made.id())))).refused(409, "REFERENCE_INVALID").at("/branchId");
    books.shop.archive(&branch_path).is(200);
    books.shop.archive(&branch_path).refused(409, "ARCHIVED");
    assert!(books.shop.list(path, &[("legalEntityId", &books.entity)]).is(200).items().is_empty());
}

fn directory_is_open_to_members_and_changes_are_not(database: Database) {
    let books = books(database);
    books.shop.allow_only(&["catalog.read"]);
    for path in [PATH, "ledger/branches", "ledger/posting-roles", "ledger/money-accounts"] {
        books.shop.get(path).is(200);
    }
    books.shop.list("ledger/accounts", &[("legalEntityId", &books.entity)]).is(200);
    books.shop.get(&books.at("mappings")).is(200);
    books.shop.post(PATH, entity("NEW")).refused(403, "PERMISSION_DENIED");
    books.shop.post("ledger/journal-entries", json!({})).refused(403, "PERMISSION_DENIED");
    books.shop.as_user("stranger@example.test").get(PATH).refused(403, "MEMBERSHIP_REQUIRED");
    books.shop.allow_only(&["settings.manage"]);
    books.shop.post(PATH, entity("NEW")).is(201);
}

fn begin_keeps_books_once(database: Database) {
    let shop = services::host(database).company();
    let id = shop.made("LEGAL_ENTITY").expect("an entity");
    let books = books::Books { shop: shop.clone(), entity: id.clone() };
    let found: Option<Entity> = books.ask(Call::FindEntity("main".to_string()));
    assert_eq!(found.map(|entity| (entity.id, entity.keeps_books)), Some((books.key(), false)));
    let begin = |version: i64, currency: &str, scale: u8| {
        books.call(Call::Begin(books.key(), version, currency.to_string(), scale))
    };
    begin(2, "EUR", 6).refused(409, "VERSION_CONFLICT");
    begin(1, "DEM", 6).refused(400, "VALIDATION_FAILED").at("/currencyCode");
    begin(1, "EUR", 13).refused(400, "VALIDATION_FAILED").at("/amountScale");
    begin(1, "EUR", 9).is(200);
    let entity = shop.get(&format!("{PATH}/{id}")).is(200);
    assert_eq!((&entity["keepsBooks"], &entity["currencyCode"]), (&json!(true), &json!("EUR")));
    assert_eq!((&entity["booksStartOn"], &entity["amountScale"]), (&json!(day(0)), &json!(9)));
    begin(2, "EUR", 6).refused(409, "ILLEGAL_STATE").fault("/path/id", "BOOKS_KEPT");
}

fn d1_keys_read_entities_and_branches(database: Database) {
    let shop = company(database);
    let (entity, branch) = (shop.made("LEGAL_ENTITY").expect("an entity"), shop.made("BRANCH").expect("a branch"));
    let other = shop.post(PATH, books::entity("SHUT")).is(201).id();
    shop.archive(&format!("{PATH}/{other}")).is(200);
    let key = shop.machine(&["catalog.read"]);
    let main = json!({ "id": entity, "status": "ACTIVE", "code": "MAIN", "name": shop.get(&format!("{PATH}/{entity}")).is(200)["name"] });
    assert_eq!(key.get(&format!("{PATH}/{entity}")).is(200).body, main);
    assert_eq!(key.get(PATH).is(200).items(), [main]);
    let archived = key.get(&format!("{PATH}?status=ARCHIVED")).is(200);
    assert_eq!((archived.ids(), &archived.items()[0]["status"]), (vec![other.clone()], &json!("ARCHIVED")));
    let shown = json!({
        "id": branch, "status": "ACTIVE", "code": "MAIN", "legalEntityId": entity,
        "name": shop.get(&format!("ledger/branches/{branch}")).is(200)["name"],
    });
    assert_eq!(key.get(&format!("ledger/branches/{branch}")).is(200).body, shown);
    assert_eq!(key.get(&format!("ledger/branches?legalEntityId={entity}")).is(200).items(), [shown]);
    assert!(key.get(&format!("ledger/branches?legalEntityId={other}")).is(200).items().is_empty());
    assert_eq!(key.get(&format!("{PATH}?ids={other},{entity}")).is(200).ids(), std::slice::from_ref(&entity));
    assert_eq!(key.get(&format!("ledger/branches?ids={branch}")).is(200).ids(), std::slice::from_ref(&branch));
    assert!(key.get(&format!("ledger/branches?ids={entity}")).is(200).items().is_empty());
    let answer = key.get(&format!("{PATH}/{entity}")).is(200);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let blind = shop.machine(&["pricing.read"]);
    let stranger = company(database).machine(&["catalog.read"]);
    for path in [PATH, &format!("{PATH}/{entity}"), "ledger/branches", &format!("ledger/branches/{branch}")] {
        blind.get(path).refused(403, "SCOPE_DENIED");
    }
    for path in [format!("{PATH}/{entity}"), format!("ledger/branches/{branch}")] {
        stranger.get(&path).refused(404, "NOT_FOUND");
    }
}

fn lists_tell_what_changed_since(database: Database) {
    let books = books(database);
    let shop = &books.shop;
    let entity = shop.post(PATH, entity("LATER")).is(201).id();
    let branch = json!({ "legalEntityId": entity, "code": "LATER", "name": "Later" });
    let branch = shop.post("ledger/branches", branch).is(201).id();
    let account = json!({ "legalEntityId": books.entity, "code": "9999", "name": "Later", "type": "EXPENSE" });
    let account = shop.post("ledger/accounts", account).is(201).id();
    let money = format!("ledger/money-accounts/{}", books.money("BANK"));
    let renamed = shop.put(&money, json!({ "name": "Renamed" })).is(200);
    let posted = books.manual(&day(0), "1000", "3000", "1").is(201);
    // An instant before the first of these changes and after all others.
    let since = shop.get(&format!("{PATH}/{entity}")).is(200).text("createdAt");
    let found = |path: &str, query: &[(&str, &str)]| {
        shop.list(path, &[&[("updatedSince", since.as_str())][..], query].concat()).is(200).ids()
    };
    let of_books = [("legalEntityId", books.entity.as_str())];
    assert_eq!(found(PATH, &[]), std::slice::from_ref(&entity));
    assert_eq!(found("ledger/branches", &[]), std::slice::from_ref(&branch));
    assert!(found("ledger/accounts", &of_books).contains(&account), "and those that were posted to");
    assert!(!found("ledger/accounts", &of_books).contains(&books.account("1200")));
    assert_eq!(found("ledger/money-accounts", &[]), [renamed.id()]);
    assert_eq!(found("ledger/journal-entries", &of_books), [posted.id()]);
    let never = [("updatedSince", "2999-01-01T00:00:00Z"), of_books[0]];
    for path in [PATH, "ledger/branches", "ledger/accounts", "ledger/money-accounts", "ledger/journal-entries"] {
        let query = if path == PATH { &never[..1] } else { &never[..] };
        assert!(shop.list(path, query).is(200).items().is_empty(), "{path}");
    }
}

fn l100_entities_at_most(database: Database) {
    let shop = company(database);
    let answers = at_once(4, |n| (0..25).map(|i| shop.post(PATH, entity(&format!("E{n}x{i}")))).collect::<Vec<_>>());
    let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().flatten().partition(|answer| answer.status == 201);
    assert_eq!((made.len(), refused.len()), (99, 1), "one of the 100 is MAIN");
    refused.into_iter().for_each(|answer| drop(answer.refused(409, "LIMIT_EXCEEDED")));
}

fn countries_are_assigned_codes(database: Database) {
    let shop = company(database);
    let made = shop.post(PATH, with(&entity("B"), json!({ "countryCode": "TR" }))).is(201);
    let path = format!("{PATH}/{}", made.id());
    let change = |code: &str| shop.put(&path, json!({ "expectedVersion": 1, "name": "B", "countryCode": code }));
    for code in ["ZZ", "UK", "EU"] {
        let stated = with(&entity("C"), json!({ "countryCode": code }));
        shop.post(PATH, stated).refused(400, "VALIDATION_FAILED").fault("/countryCode", "FORMAT");
        change(code).refused(400, "VALIDATION_FAILED").fault("/countryCode", "FORMAT");
    }
    assert_eq!(change("GB").is(200)["countryCode"], "GB");
}
