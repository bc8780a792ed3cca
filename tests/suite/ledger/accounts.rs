//! The chart of accounts: its tree, its limits, what keeps an account from being archived, and the charts to begin with.

use serde_json::{Value as Json, json};
use stoa_tests::books::{Books, ZERO, books, books_with, day};
use stoa_tests::company::with;
use stoa_tests::{Answer, Database, on_both_databases};

on_both_databases![l11_two_thousand_accounts_at_most, charts_are_installed_once, filters,];

on_both_databases![
    rules:
    account_lives_through_create_read_replace_archive,
    l10_parents_are_headings_above,
    l12_standing_accounts_are_not_archived,
    l13_postable_is_fixed_by_the_first_line,
];

const PATH: &str = "ledger/accounts";

fn account(books: &Books, code: &str, members: Json) -> Json {
    let base =
        json!({ "legalEntityId": books.entity, "code": code, "name": format!("Account {code}"), "type": "EXPENSE" });
    with(&base, members)
}

#[track_caller]
fn make(books: &Books, code: &str, members: Json) -> String {
    books.shop.post(PATH, account(books, code, members)).is(201).id()
}

fn put(books: &Books, id: &str, members: Json) -> Answer {
    books.shop.put(&format!("{PATH}/{id}"), with(&json!({ "name": "N" }), members))
}

fn account_lives_through_create_read_replace_archive(database: Database) {
    let books = books(database);
    let made = books.shop.post(PATH, account(&books, "6100", json!({ "description": "Shops" }))).is(201);
    assert_eq!(
        (&made["type"], &made["postable"], &made["controlRole"]),
        (&json!("EXPENSE"), &json!(true), &Json::Null)
    );
    let path = format!("{PATH}/{}", made.id());
    assert_eq!(books.shop.get(&path).is(200).body, made.body);
    let taken = books.shop.post(PATH, account(&books, "6100", json!({}))).refused(409, "DUPLICATE").at("/code");
    assert_eq!(taken.errors()[0]["conflictsWith"], made["id"], "{taken}");
    let longest = "9".repeat(32);
    for code in ["a", "A.b-c_d", longest.as_str()] {
        make(&books, code, json!({}));
    }
    let too_long = "9".repeat(33);
    for code in ["", "-1", "1 0", "1/0", "é", too_long.as_str()] {
        books.shop.post(PATH, account(&books, code, json!({}))).refused(400, "VALIDATION_FAILED").at("/code");
    }
    for (pointer, change) in [
        ("/code", json!({ "code": "6101" })),
        ("/type", json!({ "type": "INCOME" })),
        ("/legalEntityId", json!({ "legalEntityId": made["id"] })),
    ] {
        put(&books, &made.id(), change).refused(409, "IMMUTABLE_FIELD").at(pointer);
    }
    let all = json!({ "code": "6101", "type": "INCOME", "legalEntityId": made["id"] });
    let refused = put(&books, &made.id(), all).refused(409, "IMMUTABLE_FIELD");
    assert_eq!(refused.pointers(), ["/legalEntityId", "/code", "/type"]);
    let replaced = put(&books, &made.id(), json!({ "code": "6100", "type": "EXPENSE" })).is(200);
    assert_eq!((&replaced["name"], &replaced["description"]), (&json!("N"), &Json::Null));
    let archived = books.shop.archive(&path).is(200);
    assert_eq!(archived["status"], "ARCHIVED");
    books.shop.archive(&path).refused(409, "ARCHIVED");
    put(&books, &made.id(), json!({})).refused(409, "ARCHIVED");
    books.shop.post(PATH, account(&books, "6100", json!({}))).refused(409, "DUPLICATE");
}

fn l10_parents_are_headings_above(database: Database) {
    let books = books(database);
    let heading =
        |code: &str, parent: Option<&str>| make(&books, code, json!({ "postable": false, "parentId": parent }));
    let below = |parent: &str| books.shop.post(PATH, account(&books, "X", json!({ "parentId": parent })));
    let top = heading("6", None);
    let income = make(&books, "4", json!({ "type": "INCOME", "postable": false }));
    let postable = make(&books, "69", json!({}));
    let gone = heading("68", None);
    books.shop.archive(&format!("{PATH}/{gone}")).is(200);
    let other = books.shop.post("ledger/legal-entities", stoa_tests::books::entity("OTHER")).is(201).id();
    let elsewhere = make(&books, "6", json!({ "legalEntityId": other, "postable": false }));
    for parent in [&income, &postable, &gone, &elsewhere] {
        below(parent).refused(409, "REFERENCE_INVALID").at("/parentId");
    }
    below(&uuid::Uuid::now_v7().to_string()).refused(404, "NOT_FOUND").at("/parentId");
    let mut line = vec![top.clone()];
    for level in 2..=4 {
        line.push(heading(&format!("6L{level}"), line.last().map(String::as_str)));
    }
    let leaf = make(&books, "6L5", json!({ "parentId": line[3] }));
    let deepest = make(&books, "6H5", json!({ "parentId": line[3], "postable": false }));
    below(&deepest).refused(409, "REFERENCE_INVALID").at("/parentId");
    let move_to = |id: &str, parent: &str| put(&books, id, json!({ "postable": false, "parentId": parent }));
    for (id, parent) in [(&top, &top), (&top, &line[2]), (&line[1], &line[3])] {
        move_to(id, parent).refused(409, "REFERENCE_INVALID").at("/parentId");
    }
    let second = heading("7", None);
    move_to(&top, &second).refused(409, "REFERENCE_INVALID").at("/parentId");
    move_to(&line[1], &second).is(200);
    put(&books, &line[3], json!({ "parentId": line[2] }))
        .refused(409, "ILLEGAL_STATE")
        .fault("/postable", "HAS_CHILDREN");
    let refused = books.shop.archive(&format!("{PATH}/{}", line[3])).refused(409, "ILLEGAL_STATE");
    refused.fault("/path/id", "ACTIVE_CHILDREN");
    assert_eq!(books.shop.get(&format!("{PATH}/{leaf}")).is(200)["parentId"], json!(line[3]));
}

/// The rows are made behind the host's back: two thousand requests would say no more.
fn l11_two_thousand_accounts_at_most(database: Database) {
    let books = books(database);
    let columns = match database {
        Database::Sqlite => "select name from pragma_table_info('ledger_account')",
        Database::Postgres => {
            "select column_name::text from information_schema.columns where table_name = 'ledger_account'"
        }
    };
    let columns: Vec<String> = books.shop.rows(columns).into_iter().flatten().collect();
    let (id, number) = match database {
        Database::Sqlite => ("randomblob(16)", "cast(n.i as text)"),
        Database::Postgres => ("gen_random_uuid()", "n.i::text"),
    };
    let values: Vec<String> = columns
        .iter()
        .map(|column| match column.as_str() {
            "id" => id.to_string(),
            "code" => format!("'Z' || {number}"),
            other => format!("a.{other}"),
        })
        .collect();
    let present = books.shop.count("ledger_account", "1 = 1");
    books.shop.change(&format!(
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < {})
         insert into ledger_account ({}) select {} from n join (select * from ledger_account where {{tenant}} and code = '5310') a on 1 = 1",
        1999 - present,
        columns.join(", "),
        values.join(", "),
    ));
    make(&books, "LAST", json!({}));
    books.shop.post(PATH, account(&books, "BEYOND", json!({}))).refused(409, "LIMIT_EXCEEDED");
    assert_eq!(books.trial_answer(&[("includeZero", "true")])["rows"].as_array().map(Vec::len), Some(2000));
}

fn l12_standing_accounts_are_not_archived(database: Database) {
    let books = books(database);
    let archive = |id: &str| books.shop.archive(&format!("{PATH}/{id}"));
    archive(&books.account("5220")).refused(409, "ILLEGAL_STATE").fault("/path/id", "MAPPED");
    archive(&books.account("1040")).refused(409, "ILLEGAL_STATE").fault("/path/id", "ACTIVE_MONEY_ACCOUNT");
    let rent = make(&books, "6100", json!({}));
    books.manual(&day(0), "6100", "1010", "0.000001").is(201);
    archive(&rent).refused(409, "ILLEGAL_STATE").fault("/path/id", "BALANCE_NOT_ZERO");
    books.manual(&day(0), "1010", "6100", "0.000001").is(201);
    archive(&rent).is(200);
    let history = books.trial(&[]);
    assert_eq!(history["6100"]["debit"], "0.000001000000");
    assert_eq!(history["6100"]["closing"], ZERO);
    books
        .shop
        .post(
            "ledger/journal-entries",
            json!({
                "legalEntityId": books.entity, "entryDate": day(0), "description": "Late",
                "lines": [{ "accountId": rent, "debit": "1" }, { "accountId": books.account("1010"), "credit": "1" }],
            }),
        )
        .refused(409, "REFERENCE_INVALID")
        .at("/lines/0/accountId");
}

fn l13_postable_is_fixed_by_the_first_line(database: Database) {
    let books = books(database);
    let rent = make(&books, "6100", json!({}));
    put(&books, &rent, json!({ "postable": false })).is(200);
    put(&books, &rent, json!({ "postable": true })).is(200);
    books.manual(&day(0), "6100", "1010", "1").is(201);
    put(&books, &rent, json!({ "postable": false })).refused(409, "IMMUTABLE_FIELD").at("/postable");
    put(&books, &rent, json!({})).is(200);
    // A mapped account is not a heading, used or not.
    put(&books, &books.account("5210"), json!({ "postable": false }))
        .refused(409, "ILLEGAL_STATE")
        .fault("/postable", "MAPPED");
    let posted = books.posting(&[("REVENUE", "credit", "1"), ("CASH_MOVEMENT", "debit", "1")]);
    books.call(posted).is(200);
    put(&books, &books.account("4000"), json!({ "postable": false })).refused(409, "IMMUTABLE_FIELD").at("/postable");
}

fn charts_are_installed_once(database: Database) {
    for (template, accounts) in [("STANDARD", 28), ("DETAILED", 109)] {
        let books = books_with(database, json!({ "chart": "NONE" }));
        let installed = books.shop.post(&books.at("chart"), json!({ "template": template })).is(201);
        assert_eq!(installed["accounts"].as_array().map(Vec::len), Some(accounts));
        books.shop.post(&books.at("chart"), json!({ "template": template })).refused(409, "ILLEGAL_STATE");
        let set = books.mappings();
        for (list, member) in [("roles", "accountId"), ("methods", "moneyAccountId")] {
            let rows = set[list].as_array().cloned().unwrap_or_default();
            assert!(!rows.is_empty() && rows.iter().all(|row| row[member].is_string()), "{list}: {set}");
        }
        let inventory = books.shop.get(&format!("{PATH}/{}", books.account("1200"))).is(200);
        assert_eq!(inventory["controlRole"], "INVENTORY");
        let till = books.shop.get(&format!("ledger/money-accounts/{}", books.money("CASH"))).is(200);
        assert_eq!((&till["till"], &till["accountId"]), (&json!(true), &json!(books.account("1000"))));
        books.manual(&day(0), "1010", "3000", "5").is(201);
    }
    let books = books_with(database, json!({ "chart": "NONE" }));
    books
        .shop
        .post(&books.at("chart"), json!({ "template": "NONE" }))
        .refused(400, "VALIDATION_FAILED")
        .at("/template");
    make(&books, "1", json!({}));
    books.shop.post(&books.at("chart"), json!({ "template": "STANDARD" })).refused(409, "ILLEGAL_STATE");
}

fn filters(database: Database) {
    let books = books(database);
    let codes = |query: &[(&str, &str)]| {
        let query: Vec<_> = query.iter().copied().chain([("legalEntityId", books.entity.as_str())]).collect();
        let items = books.shop.all(PATH, &query);
        items.iter().map(|item| item["code"].as_str().unwrap_or_default().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&[("type", "EQUITY")]), ["3000", "3100", "3200"]);
    assert_eq!(codes(&[("text", "gOOds")]), ["2100", "5000", "5210", "5220"]);
    assert_eq!(codes(&[("postable", "false")]), Vec::<String>::new());
    let heading = make(&books, "6", json!({ "postable": false }));
    assert_eq!(codes(&[("postable", "false")]), ["6"]);
    books.shop.archive(&format!("{PATH}/{heading}")).is(200);
    assert_eq!(codes(&[("status", "ARCHIVED")]), ["6"]);
    books.shop.get(PATH).refused(400, "VALIDATION_FAILED").at("/query/legalEntityId");
    let roles = books.shop.get("ledger/posting-roles").is(200);
    assert_eq!(roles.items().len(), 21);
    assert_eq!(roles.items()[20]["types"], json!(["ASSET", "LIABILITY", "EQUITY", "INCOME", "EXPENSE"]));
}
