//! Posting through the services: which code is told when, fallbacks of roles, and what is asked before anything is locked.

use chrono::{FixedOffset, Utc};
use serde_json::{Value as Json, json};
use stoa_tests::books::{Books, books, books_with, day, text};
use stoa_tests::company::with;
use stoa_tests::{Answer, Database, at_once, on_both_databases};
use uuid::Uuid;

on_both_databases![
    without_books_nothing_is_posted,
    l16_an_unmapped_role_falls_back,
    l19_every_missing_role_is_named,
    l20_currency_is_told_before_set_up,
    l21_each_role_is_needed_where_it_is_used,
    l27_entries_are_dated_by_the_company_s_calendar,
    l31_costs_fit_the_grid,
    admit_asks_early,
    targets_may_be_accounts_and_money,
    balances_and_flows_are_those_of_the_lines,
    posters_share_the_books,
    archived_books_take_nothing,
];

/// Roles of the table, and an account of the standard chart on which the other side may stand.
const ROLES: [(&str, Option<&str>); 21] = [
    ("RECEIVABLE", None),
    ("SUPPLIER_CREDIT", None),
    ("SALES_CLEARING", None),
    ("INVENTORY", None),
    ("PAYABLE", None),
    ("CUSTOMER_CREDIT", None),
    ("GOODS_RECEIVED_NOT_INVOICED", None),
    ("IMPORT_CHARGES", None),
    ("OPENING_BALANCE", None),
    ("REVENUE", None),
    ("SALES_CREDITS", Some("4000")),
    ("COST_OF_GOODS_SOLD", None),
    ("PURCHASE_EXPENSE", None),
    ("PURCHASE_VARIANCE", Some("5100")),
    ("PURCHASE_CREDITS", Some("5100")),
    ("SUPPLIER_RETURNS", Some("5120")),
    ("INVENTORY_ADJUSTMENT", None),
    ("INVENTORY_DAMAGE", Some("5200")),
    ("INVENTORY_LOSS", Some("5200")),
    ("CASH_OVER_SHORT", None),
    ("CASH_MOVEMENT", None),
];

fn without_books_nothing_is_posted(database: Database) {
    let of = books_with(
        database,
        json!({
            "keepsBooks": false, "currencyCode": null, "booksStartOn": null, "chart": "NONE",
        }),
    );
    let before = of.shop.digest();
    let mut posting =
        of.posting(&[("REVENUE", "debit", "0.0000000000001"), ("INVENTORY", "credit", "0.0000000000001")]);
    posting["currency"] = json!("XXX");
    posting["on"] = json!(day(9));
    assert_eq!(of.call(posting).is(200)["answers"], json!([null]));
    let admit = of.asked("admit", json!({ "currency": "USD", "roles": ["REVENUE"] }));
    assert_eq!(of.call(admit).is(200)["answers"], json!([null]));
    let cost = json!({ "unitCost": "0.333333", "decimalPlaces": 6, "pointer": "/unitCost" });
    of.call(of.asked("admitCosts", json!({ "costs": [cost] }))).is(200);
    let after = of.shop.digest();
    assert_eq!(before["ledger_entry"], after["ledger_entry"]);
    of.shop.list("ledger/trial-balance", &[("legalEntityId", &of.entity)]).refused(409, "ILLEGAL_STATE");
}

fn l16_an_unmapped_role_falls_back(database: Database) {
    let of = books(database);
    of.map(&[("INVENTORY_LOSS", None), ("SUPPLIER_RETURNS", None), ("PURCHASE_CREDITS", None)]).is(200);
    of.call(of.posting(&[("INVENTORY_LOSS", "debit", "4"), ("SUPPLIER_RETURNS", "credit", "4")])).is(200);
    let closing = of.closing();
    assert_eq!((closing["5200"].as_str(), closing["5100"].as_str()), ("4.000000000000", "-4.000000000000"));
    of.map(&[("INVENTORY_ADJUSTMENT", None)]).is(200);
    of.call(of.posting(&[("INVENTORY_LOSS", "debit", "4"), ("CASH_MOVEMENT", "credit", "4")]))
        .refused(409, "ACCOUNTING_SETUP_REQUIRED")
        .fault("/mappings/roles/INVENTORY_LOSS", "ROLE_UNMAPPED");
}

fn l19_every_missing_role_is_named(database: Database) {
    let of = books(database);
    of.map(&[("REVENUE", None), ("SALES_CLEARING", None)]).is(200);
    let delivery = |total: &str| {
        of.call(of.posting(&[
            ("SALES_CLEARING", "debit", total),
            ("COST_OF_GOODS_SOLD", "debit", "6"),
            ("REVENUE", "credit", total),
            ("INVENTORY", "credit", "6"),
        ]))
    };
    let before = of.shop.digest();
    let refused = delivery("10").refused(409, "ACCOUNTING_SETUP_REQUIRED");
    assert_eq!(refused.pointers(), ["/mappings/roles/SALES_CLEARING", "/mappings/roles/REVENUE"]);
    assert_eq!(of.shop.digest(), before, "nothing of the delivery remains");
    delivery("0").is(200);
    assert_eq!(of.closing().into_keys().collect::<Vec<_>>(), ["1200", "5000"], "cost only");
}

fn l20_currency_is_told_before_set_up(database: Database) {
    let of = books(database);
    of.map(&[("REVENUE", None)]).is(200);
    let mut posting = of.posting(&[("CASH_MOVEMENT", "debit", "1"), ("REVENUE", "credit", "1")]);
    posting["currency"] = json!("USD");
    posting["on"] = json!("2001-01-01");
    posting["onPointer"] = json!("/paidOn");
    posting["legs"][0]["amount"] = json!("1.0000001");
    posting["legs"][1]["amount"] = json!("1.0000001");
    posting["legs"][0]["pointer"] = json!("/amount");
    let refused = of.call(posting.clone()).refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED");
    assert!(refused.errors().is_empty(), "{refused}");
    posting["currencyPointer"] = json!("/currencyCode");
    of.call(posting.clone()).refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED").at("/currencyCode");
    posting["currency"] = json!("EUR");
    of.call(posting.clone()).refused(409, "ACCOUNTING_SETUP_REQUIRED");
    of.map(&[("REVENUE", Some(&of.account("4000")))]).is(200);
    of.call(posting.clone()).refused(409, "ACCOUNTING_PERIOD_CLOSED").fault("/paidOn", "BEFORE_BOOKS");
    posting["on"] = json!(day(0));
    of.call(posting).refused(409, "ACCOUNTING_AMOUNT_PRECISION").fault("/amount", "AMOUNT_PRECISION");
}

/// Every role unmapped in turn: an entry that uses it is refused, or stands on its fallback; every other passes.
fn l21_each_role_is_needed_where_it_is_used(database: Database) {
    let of = books(database);
    let entry = |role: &str| {
        let against = if role == "CASH_MOVEMENT" { "CASH_OVER_SHORT" } else { "CASH_MOVEMENT" };
        of.posting(&[(role, "debit", "1"), (against, "credit", "1"), (role, "credit", "1"), (against, "debit", "1")])
    };
    let version = |set: &Json| set["version"].clone();
    let full = of.mappings();
    let put = |roles: &Json| {
        let body = json!({ "expectedVersion": version(&of.mappings()), "roles": roles, "methods": full["methods"] });
        of.shop.put(&of.at("mappings"), body).is(200)
    };
    for (at, (role, fallback)) in ROLES.iter().enumerate() {
        assert_eq!(full["roles"][at]["role"], json!(role));
        let mut roles = full["roles"].clone();
        roles[at]["accountId"] = Json::Null;
        put(&roles);
        let answer = of.call(entry(role));
        match fallback {
            None => {
                let pointer = format!("/mappings/roles/{role}");
                answer.refused(409, "ACCOUNTING_SETUP_REQUIRED").fault(&pointer, "ROLE_UNMAPPED");
            }
            Some(code) => {
                let id = answer.is(200)["answers"][0].as_str().expect("an entry").to_string();
                let read = of.shop.get(&format!("ledger/journal-entries/{id}")).is(200);
                assert_eq!(read["lines"][0]["accountCode"], json!(code), "{role}");
            }
        }
        for other in ["REVENUE", "PAYABLE", "INVENTORY_ADJUSTMENT"].iter().filter(|other| *other != role) {
            let unaffected = *role != "CASH_MOVEMENT";
            of.call(entry(other)).is(if unaffected { 200 } else { 409 });
        }
    }
}

/// Two zones that are never on the same day: what is posted now is dated by the one that the company has.
fn l27_entries_are_dated_by_the_company_s_calendar(database: Database) {
    let of = books(database);
    for (zone, hours) in [("Pacific/Kiritimati", 14), ("Etc/GMT+12", -12)] {
        let now = of.shop.get("settings").is(200);
        let settings = json!({
            "name": now["name"], "defaultCurrencyCode": now["defaultCurrencyCode"], "timeZone": zone,
            "expectedVersion": now["version"],
        });
        of.shop.put("settings", settings).is(200);
        let offset = FixedOffset::east_opt(hours * 3600).expect("an offset");
        let today = || Utc::now().with_timezone(&offset).date_naive().to_string();
        let before = today();
        let posted =
            of.call(of.posting(&[("CASH_MOVEMENT", "debit", "1"), ("CASH_OVER_SHORT", "credit", "1")])).is(200);
        let entry = of.shop.get(&format!("ledger/journal-entries/{}", text(&posted["answers"][0]))).is(200);
        let told = text(&entry["entryDate"]);
        assert!([before, today()].contains(&told), "{zone}: {told}");
        assert_eq!(entry["month"], told[..7], "{zone}");
    }
}

fn l31_costs_fit_the_grid(database: Database) {
    let coarse = books(database);
    let fine = books_with(database, json!({ "amountScale": 7 }));
    let asked = |of: &Books, cost: &str, places: u8| {
        let fits = json!({ "unitCost": "1", "decimalPlaces": 6, "pointer": "/lines/0/unitCost" });
        let cost = json!({ "unitCost": cost, "decimalPlaces": places, "pointer": "/lines/1/unitCost" });
        of.call(of.asked("admitCosts", json!({ "costs": [fits, cost] })))
    };
    for (cost, places) in [("0.333333", 1), ("0.1", 6), ("1.000001", 1)] {
        let refused = asked(&coarse, cost, places).refused(409, "ACCOUNTING_AMOUNT_PRECISION");
        assert_eq!(refused.pointers(), ["/lines/1/unitCost"]);
        asked(&fine, cost, places).is(200);
    }
    for (cost, places) in [("0.333333", 0), ("0.100000", 5), ("12", 6), ("0", 6)] {
        asked(&coarse, cost, places).is(200);
    }
    let issue = fine.posting(&[("COST_OF_GOODS_SOLD", "debit", "0.0333333"), ("INVENTORY", "credit", "0.0333333")]);
    fine.call(issue).is(200);
    assert_eq!(fine.closing()["5000"], "0.033333300000");
}

fn admit_asks_early(database: Database) {
    let of = books(database);
    let admit = |arguments: Json| of.call(of.asked("admit", arguments));
    assert_eq!(admit(json!({})).is(200)["answers"][0], json!(["EUR", 6]));
    admit(json!({ "currency": "EUR", "roles": ["REVENUE", "INVENTORY_LOSS"], "amounts": [{ "value": "1.000001" }] }))
        .is(200);
    let usd = json!({ "currency": "USD", "currencyPointer": "/currencyCode" });
    admit(usd).refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED").at("/currencyCode");
    let amounts = json!([{ "value": "1" }, { "value": "0.0000001", "pointer": "/lines/1" }]);
    let refused = admit(json!({ "amounts": amounts })).refused(409, "ACCOUNTING_AMOUNT_PRECISION");
    assert_eq!(refused.pointers(), ["/lines/1"]);
    of.map(&[("INVENTORY", None)]).is(200);
    admit(json!({ "roles": ["REVENUE", "INVENTORY"] }))
        .refused(409, "ACCOUNTING_SETUP_REQUIRED")
        .fault("/mappings/roles/INVENTORY", "ROLE_UNMAPPED");
    let unknown = json!({ "entity": Uuid::now_v7() });
    admit(unknown).refused(404, "NOT_FOUND");
}

fn targets_may_be_accounts_and_money(database: Database) {
    let of = books(database);
    let posted = |debit: Json, credit: Json| -> Answer {
        let mut posting = of.posting(&[("REVENUE", "debit", "3"), ("REVENUE", "credit", "3")]);
        posting["legs"][0] =
            with(&json!({ "amount": "3", "debit": debit }), json!({ "pointer": "/lines/0/accountId" }));
        posting["legs"][1]["credit"] = credit;
        of.call(posting)
    };
    posted(json!({ "money": of.money("CASH") }), json!({ "account": of.account("4000") })).is(200);
    assert_eq!(of.closing()["1000"], "3.000000000000");
    for unfit in [of.account("1200"), Uuid::now_v7().to_string()] {
        posted(json!({ "account": unfit }), json!("REVENUE"))
            .refused(409, "REFERENCE_INVALID")
            .at("/lines/0/accountId");
    }
    let asked = json!({
        "ids": [of.account("5100"), of.account("4000"), of.account("1200"), Uuid::now_v7()], "types": ["EXPENSE", "ASSET"],
    });
    assert_eq!(of.call(of.asked("lineAccounts", asked)).is(200)["answers"][0], json!([of.account("5100")]));
    let elsewhere = books(database);
    let foreign = of.posting(&[("REVENUE", "credit", "3")]);
    let mut foreign = foreign;
    foreign["legs"] = json!([
        { "debit": { "money": elsewhere.money("CASH") }, "amount": "3" },
        { "credit": "REVENUE", "amount": "3" },
    ]);
    of.call(foreign).refused(500, "MODULE_FAILED");
}

fn balances_and_flows_are_those_of_the_lines(database: Database) {
    let of = books(database);
    let month = stoa_tests::books::month;
    let month_day = stoa_tests::books::month_day;
    of.manual(&month_day(3, 4), "1010", "3000", "100").is(201);
    of.close(&month(3)).is(200);
    of.manual(&month_day(2, 4), "1000", "1010", "30").is(201);
    of.manual(&month_day(1, 4), "5310", "1000", "5").is(201);
    let flows = of.asked("flows", json!({ "since": month_day(2, 1), "until": day(0) }));
    let answer = of.call(flows).is(200)["answers"][0].clone();
    let full = |amount: &str| format!("{amount}.000000000000");
    assert_eq!(
        answer,
        json!([
            [of.money("CASH"), full("0"), full("30"), full("5"), full("25")],
            [of.money("BANK"), full("100"), full("0"), full("30"), full("70")],
        ])
    );
    of.call(of.posting(&[("INVENTORY", "debit", "8"), ("INVENTORY_ADJUSTMENT", "credit", "8")])).is(200);
    of.map(&[("CASH_MOVEMENT", None)]).is(200);
    let balances = |day: Option<String>| {
        let roles = json!({ "roles": ["INVENTORY", "INVENTORY_ADJUSTMENT", "CASH_MOVEMENT", "PAYABLE"], "asOf": day });
        let mut found =
            of.call(of.asked("roleBalances", roles)).is(200)["answers"][0].as_array().cloned().unwrap_or_default();
        found.sort_by_key(Json::to_string);
        Json::from(found)
    };
    assert_eq!(
        balances(None),
        json!([["INVENTORY", full("8")], ["INVENTORY_ADJUSTMENT", full("-8")], ["PAYABLE", full("0")]])
    );
    assert_eq!(balances(Some(day(-1)))[0], json!(["INVENTORY", full("0")]));
    let known = of.call(json!({ "call": "moneyAccounts", "ids": [of.money("CARD"), Uuid::now_v7()] })).is(200);
    assert_eq!(known["answers"][0].as_array().map(Vec::len), Some(1));
}

/// Posters never wait for each other: all succeed, each once, and the sums are exact.
fn posters_share_the_books(database: Database) {
    let of = books(database);
    let answers = at_once(16, |n| {
        let amount = format!("{}.000001", n + 1);
        (0..4)
            .map(|_| {
                of.call(of.posting(&[("INVENTORY", "debit", &amount), ("INVENTORY_ADJUSTMENT", "credit", &amount)]))
            })
            .collect::<Vec<_>>()
    });
    answers.into_iter().flatten().for_each(|answer| drop(answer.is(200)));
    assert_eq!(of.closing()["1200"], "544.000064000000");
    assert_eq!(of.entries(), 64);
}

fn archived_books_take_nothing(database: Database) {
    let of = books_with(database, json!({ "chart": "NONE" }));
    of.shop.archive(&format!("ledger/legal-entities/{}", of.entity)).is(200);
    of.call(of.posting(&[("INVENTORY", "debit", "1"), ("REVENUE", "credit", "1")])).refused(409, "ARCHIVED");
    of.call(of.asked("admit", json!({}))).refused(409, "ARCHIVED");
    of.call(of.asked("require", json!({}))).refused(409, "REFERENCE_INVALID").at("/legalEntityId");
    let known =
        of.call(json!({ "call": "entities", "ids": [of.entity, Uuid::now_v7()] })).is(200)["answers"][0].clone();
    assert_eq!((known.as_array().map(Vec::len), &known[0]["active"]), (Some(1), &json!(false)));
}
