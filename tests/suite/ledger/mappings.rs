//! Mapping sets and money accounts: what fits a role or a method, control accounts, and what holds money where it is.

use serde_json::{Value as Json, json};
use stoa_tests::books::{Books, books, day};
use stoa_tests::company::with;
use stoa_tests::services::ledger::{Account, Call, Usage};
use stoa_tests::services::{key, new_key, read_answer};
use stoa_tests::{Database, on_both_databases};
use uuid::Uuid;

on_both_databases![left_out_is_unmapped, l17_a_method_takes_fitting_money, money_accounts_live_and_end,];

on_both_databases![
    rules:
    l14_control_roles_have_an_account_of_their_own,
    l15_control_roles_move_at_zero,
    l18_one_money_account_on_a_ledger_account,
    unfit_accounts_are_refused,
    money_is_resolved_by_method,
];

fn account(books: &Books, code: &str, members: Json) -> String {
    let base =
        json!({ "legalEntityId": books.entity, "code": code, "name": format!("Account {code}"), "type": "ASSET" });
    books.shop.post("ledger/accounts", with(&base, members)).is(201).id()
}

fn money(books: &Books, code: &str, kind: &str, account: &str) -> Json {
    json!({ "legalEntityId": books.entity, "code": code, "name": code, "kind": kind, "accountId": account })
}

fn left_out_is_unmapped(database: Database) {
    let books = books(database);
    let set = books.mappings();
    assert_eq!((&set["version"], set["roles"].as_array().map(Vec::len)), (&json!(1), Some(21)));
    let put = |body: Json| books.shop.put(&books.at("mappings"), body);
    let body = json!({ "expectedVersion": 1, "roles": [], "methods": [] });
    put(with(&body, json!({ "expectedVersion": 2 }))).refused(409, "VERSION_CONFLICT");
    let role = |name: &str| json!({ "role": name, "accountId": null });
    put(with(&body, json!({ "roles": [role("REVENUE"), role("PAYABLE"), role("REVENUE")] })))
        .refused(400, "VALIDATION_FAILED")
        .fault("/roles/2/role", "REPEATED");
    put(with(&body, json!({ "roles": [role("NOTHING")] }))).refused(400, "VALIDATION_FAILED").at("/roles/0/role");
    put(with(&body, json!({ "methods": [{ "method": "CASH" }, { "method": "CASH" }] })))
        .refused(400, "VALIDATION_FAILED")
        .fault("/methods/1/method", "REPEATED");
    let emptied = put(body).is(200);
    assert_eq!(emptied["version"], 2);
    let roles = emptied["roles"].as_array().cloned().unwrap_or_default();
    assert!(!roles.is_empty() && roles.iter().all(|role| role["accountId"].is_null()), "{emptied}");
    assert_eq!(books.mappings(), emptied.body);
    assert_eq!(
        books.shop.get(&format!("ledger/accounts/{}", books.account("1100"))).is(200)["controlRole"],
        Json::Null
    );
    let entity = books.shop.get(&format!("ledger/legal-entities/{}", books.entity)).is(200);
    assert_eq!(entity["version"], 1, "the set has a version of its own");
    let again: Vec<(&str, String)> =
        [("RECEIVABLE", "1100"), ("REVENUE", "4000")].map(|(role, code)| (role, books.account(code))).to_vec();
    let again: Vec<(&str, Option<&str>)> = again.iter().map(|(role, id)| (*role, Some(id.as_str()))).collect();
    assert_eq!(books.map(&again).is(200)["version"], 3);
}

fn l14_control_roles_have_an_account_of_their_own(database: Database) {
    let books = books(database);
    let (receivable, clearing, payable) = (books.account("1100"), books.account("1160"), books.account("2000"));
    books
        .map(&[("SALES_CLEARING", Some(&receivable))])
        .refused(409, "ILLEGAL_STATE")
        .fault("/roles/0/accountId", "CONTROL_ACCOUNT")
        .fault("/roles/2/accountId", "CONTROL_ACCOUNT");
    books.map(&[("RECEIVABLE", Some(&payable))]).refused(409, "REFERENCE_INVALID").at("/roles/0/accountId");
    books.map(&[("PAYABLE", Some(&receivable))]).refused(409, "REFERENCE_INVALID").at("/roles/4/accountId");
    // A role that is not a control role must not share it either, nor may money be posted to it.
    books
        .map(&[("CASH_MOVEMENT", Some(&clearing))])
        .refused(409, "ILLEGAL_STATE")
        .fault("/roles/20/accountId", "CONTROL_ACCOUNT");
    books
        .map(&[("RECEIVABLE", Some(&books.account("1010")))])
        .refused(409, "ILLEGAL_STATE")
        .fault("/roles/0/accountId", "CONTROL_ACCOUNT");
    // Two may change places.
    let both = [("RECEIVABLE", Some(clearing.as_str())), ("SALES_CLEARING", Some(receivable.as_str()))];
    books.map(&both).is(200);
    let role = |id: &str| books.shop.get(&format!("ledger/accounts/{id}")).is(200)["controlRole"].clone();
    assert_eq!((role(&clearing), role(&receivable)), (json!("RECEIVABLE"), json!("SALES_CLEARING")));
}

fn l15_control_roles_move_at_zero(database: Database) {
    let books = books(database);
    let other = account(&books, "1101", json!({}));
    let owed = |side: &str, against: &str| {
        books.call(books.posting(&[("RECEIVABLE", side, "0.000001"), ("SALES_CLEARING", against, "0.000001")])).is(200);
    };
    owed("debit", "credit");
    for to in [Some(other.as_str()), None] {
        books
            .map(&[("RECEIVABLE", to)])
            .refused(409, "ILLEGAL_STATE")
            .fault("/roles/0/accountId", "CONTROL_BALANCE_NOT_ZERO");
    }
    owed("credit", "debit");
    books.map(&[("RECEIVABLE", Some(&other))]).is(200);
    // The account that is mapped to it must also have a balance of nothing.
    let used = account(&books, "1102", json!({}));
    books.manual(&day(0), "1102", "3000", "7").is(201);
    books
        .map(&[("RECEIVABLE", Some(&used))])
        .refused(409, "ILLEGAL_STATE")
        .fault("/roles/0/accountId", "CONTROL_BALANCE_NOT_ZERO");
    // Other roles move at any time, and only later entries use the new account.
    let sale = |amount: &str| {
        books.call(books.posting(&[("CASH_MOVEMENT", "debit", amount), ("REVENUE", "credit", amount)])).is(200)
    };
    sale("5");
    let new = account(&books, "4001", json!({ "type": "INCOME" }));
    books.map(&[("REVENUE", Some(&new))]).is(200);
    sale("8");
    let closing = books.closing();
    assert_eq!((closing["4000"].as_str(), closing["4001"].as_str()), ("-5.000000000000", "-8.000000000000"));
}

fn l17_a_method_takes_fitting_money(database: Database) {
    let books = books(database);
    let money = |code: &str| books.money(code);
    for (method, unfit, index) in
        [("CARD", "CASH", 2), ("CASH", "BANK", 0), ("TRANSFER", "CARD", 1), ("CHECK", "OTHER", 3)]
    {
        let pointer = format!("/methods/{index}/moneyAccountId");
        books.map(&[(method, Some(&money(unfit)))]).refused(409, "REFERENCE_INVALID").at(&pointer);
    }
    for method in ["CARD", "TRANSFER", "CHECK", "OTHER"] {
        books.map(&[(method, Some(&money("BANK")))]).is(200);
    }
    let kinds = |method: &str| {
        let listed = books.shop.all("ledger/money-accounts", &[("legalEntityId", &books.entity), ("method", method)]);
        listed.iter().map(|item| item["kind"].as_str().unwrap_or_default().to_string()).collect::<Vec<_>>()
    };
    assert_eq!((kinds("CARD"), kinds("CASH")), (vec!["BANK".to_string(), "CARD".into()], vec!["CASH".to_string()]));
}

fn l18_one_money_account_on_a_ledger_account(database: Database) {
    let books = books(database);
    let path = "ledger/money-accounts";
    let free = account(&books, "1011", json!({}));
    for (code, account, pointer) in [
        ("SECOND", books.account("1010"), "/accountId"),
        ("bank", free.clone(), "/code"),
        ("bank", books.account("1000"), "/code"),
    ] {
        let taken = books.shop.post(path, money(&books, code, "BANK", &account)).refused(409, "DUPLICATE").at(pointer);
        assert_eq!(taken.errors()[0]["conflictsWith"], json!(books.money("BANK")), "{taken}");
    }
    books.shop.post(path, money(&books, "SECOND", "BANK", &free)).is(201);
}

fn unfit_accounts_are_refused(database: Database) {
    let books = books(database);
    let path = "ledger/money-accounts";
    let heading = account(&books, "19", json!({ "postable": false }));
    let gone = account(&books, "18", json!({}));
    books.shop.archive(&format!("ledger/accounts/{gone}")).is(200);
    let other = books.shop.post("ledger/legal-entities", stoa_tests::books::entity("OTHER")).is(201).id();
    let elsewhere = account(&books, "1", json!({ "legalEntityId": other }));
    for unfit in [&heading, &gone, &elsewhere, &books.account("1200"), &books.account("5300")] {
        books.shop.post(path, money(&books, "M", "BANK", unfit)).refused(409, "REFERENCE_INVALID").at("/accountId");
    }
    for unfit in [&heading, &gone, &elsewhere] {
        books.map(&[("CASH_MOVEMENT", Some(unfit))]).refused(409, "REFERENCE_INVALID").at("/roles/20/accountId");
    }
    let owed = account(&books, "24", json!({ "type": "LIABILITY" }));
    books.shop.post(path, money(&books, "M", "BANK", &owed)).refused(409, "REFERENCE_INVALID").at("/accountId");
    books.shop.post(path, money(&books, "M", "CARD", &owed)).is(201);
    let fit = account(&books, "17", json!({}));
    for (pointer, change) in [
        ("/reference", json!({ "reference": "4111 1111 1111 1111" })),
        ("/reference", json!({ "reference": "Ref 5555555555554444" })),
        ("/till", json!({ "till": true })),
        ("/kind", json!({ "kind": "SHARES" })),
    ] {
        let refused =
            books.shop.post(path, with(&money(&books, "N", "BANK", &fit), change)).refused(400, "VALIDATION_FAILED");
        assert!(!refused.tells("4111"), "{refused}");
        refused.at(pointer);
    }
    books
        .shop
        .post(path, with(&money(&books, "N", "BANK", &fit), json!({ "reference": "DE89370400440532013000" })))
        .is(201);
}

fn money_accounts_live_and_end(database: Database) {
    let books = books(database);
    let branch = json!({ "legalEntityId": books.entity, "code": "B", "name": "B" });
    let branch = books.shop.post("ledger/branches", branch).is(201).id();
    let ledger = account(&books, "1001", json!({}));
    let body = with(&money(&books, "TILL", "CASH", &ledger), json!({ "till": true, "branchId": branch }));
    let made = books.shop.post("ledger/money-accounts", body).is(201);
    let path = format!("ledger/money-accounts/{}", made.id());
    let put = |members: Json| books.shop.put(&path, with(&json!({ "name": "Till", "till": true }), members));
    for (pointer, change) in [
        ("/code", json!({ "code": "T" })),
        ("/kind", json!({ "kind": "BANK" })),
        ("/accountId", json!({ "accountId": books.account("1000") })),
    ] {
        put(change).refused(409, "IMMUTABLE_FIELD").at(pointer);
    }
    let register = new_key();
    books.call(books.hold("REGISTER", register, None, Some(key(&made.id())))).is(200);
    put(json!({ "till": false })).refused(409, "ILLEGAL_STATE").fault("/till", "HELD");
    books.shop.archive(&path).refused(409, "ILLEGAL_STATE").fault("/path/id", "HELD");
    // A second hold of the register replaces its first.
    books.call(books.hold("REGISTER", register, None, Some(key(&books.money("CASH"))))).is(200);
    assert_eq!(put(json!({})).is(200)["branchId"], Json::Null);
    books.manual(&day(0), "1001", "3000", "1").is(201);
    books.shop.archive(&path).refused(409, "ILLEGAL_STATE").fault("/path/id", "BALANCE_NOT_ZERO");
    books.manual(&day(0), "3000", "1001", "1").is(201);
    books.shop.archive(&path).is(200);
    put(json!({})).refused(409, "ARCHIVED");
    let bank = format!("ledger/money-accounts/{}", books.money("BANK"));
    books.shop.archive(&bank).refused(409, "ILLEGAL_STATE").fault("/path/id", "MAPPED");
}

fn money_is_resolved_by_method(database: Database) {
    let books = books(database);
    let usage = |method: &str, stated: Option<&str>, pointer: &str| Usage {
        method: method.to_string(),
        stated: stated.map(key),
        pointer: pointer.to_string(),
    };
    let resolve = |uses: Vec<Usage>| books.call(Call::Resolve(books.key(), uses));
    let (cash, bank) = (books.money("CASH"), books.money("BANK"));
    let answer = resolve(vec![usage("CASH", None, "/a"), usage("CARD", Some(&bank), "/b")]).is(200);
    let found: Vec<Option<Account>> = read_answer(&answer, 0);
    let found: Vec<_> = found.into_iter().flatten().map(|account| (account.id, account.till)).collect();
    assert_eq!(found, [(key(&cash), true), (key(&bank), false)]);
    let absent = Uuid::now_v7().to_string();
    for unfit in [&cash, &absent] {
        resolve(vec![usage("TRANSFER", Some(unfit), "/accountId")])
            .refused(409, "PAYMENT_ACCOUNT_INVALID")
            .at("/accountId");
    }
    books.map(&[("CASH", None), ("OTHER", None)]).is(200);
    let uses = ["CASH", "OTHER", "CASH"].map(|method| usage(method, None, "/method"));
    let refused = resolve(uses.to_vec()).refused(409, "ACCOUNTING_SETUP_REQUIRED");
    assert_eq!(refused.pointers(), ["/mappings/methods/CASH", "/mappings/methods/OTHER"]);
    refused.fault("/mappings/methods/CASH", "METHOD_UNMAPPED");
    let shop = &books.shop;
    let without = Books { entity: shop.made("LEGAL_ENTITY").expect("an entity"), shop: shop.clone() };
    let resolve = |stated: Option<&str>| without.call(Call::Resolve(without.key(), vec![usage("CASH", stated, "/x")]));
    assert_eq!(read_answer::<Vec<Option<Account>>>(&resolve(None).is(200), 0), [None]);
    resolve(Some(&cash)).refused(409, "PAYMENT_ACCOUNT_INVALID").at("/x");
}
