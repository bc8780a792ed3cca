//! Posting through the services: which code is reported when, fallbacks of roles, and what is asked before anything is locked.

use chrono::{FixedOffset, Utc};
use serde_json::{Value as Json, json};
use stoa_tests::assert_table;
use stoa_tests::books::{Books, books, books_with, day, leg, text};
use stoa_tests::services::ledger::{
    Account, Admission, Amount, Call, Cost, Entity, Flow, Posting, RoleBalance, Target, Terms,
};
use stoa_tests::services::{Key, id, key, new_key, read_answer};
use stoa_tests::{Answer, Database, at_once, on_both_databases};

on_both_databases![
    without_books_nothing_is_posted,
    l19_every_missing_role_is_named,
    balances_and_flows_are_those_of_the_lines,
    posters_share_the_books,
];

on_both_databases![
    rules:
    l16_an_unmapped_role_falls_back,
    l20_currency_is_reported_before_set_up,
    l21_each_role_is_needed_where_it_is_used,
    l27_entries_are_dated_by_the_company_s_calendar,
    l31_costs_fit_the_grid,
    admit_asks_early,
    targets_may_be_accounts_and_money,
    archived_books_take_nothing,
];

/// Roles of the table, and an account of the standard chart to which the other side may be posted.
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
    let books = books_with(
        database,
        json!({
            "keepsBooks": false, "currencyCode": null, "booksStartOn": null, "chart": "NONE",
        }),
    );
    let before = books.shop.digest();
    let mut posting =
        books.posting(&[("REVENUE", "debit", "0.0000000000001"), ("INVENTORY", "credit", "0.0000000000001")]);
    posting.currency_code = "XXX".to_string();
    posting.on = Some(day(9));
    assert_eq!(books.ask::<Option<Key>>(posting), None);
    let asked = Admission {
        currency_code: Some("USD".to_string()),
        roles: vec!["REVENUE".to_string()],
        ..Admission::default()
    };
    assert_eq!(books.ask::<Option<Terms>>(Call::Admit(books.key(), asked)), None);
    books.call(Call::AdmitCosts(books.key(), vec![cost("0.333333", 6, "/unitCost")])).is(200);
    let after = books.shop.digest();
    assert_eq!(before["ledger_entry"], after["ledger_entry"]);
    books.shop.list("ledger/trial-balance", &[("legalEntityId", &books.entity)]).refused(409, "ILLEGAL_STATE");
}

fn cost(unit_cost: &str, decimal_places: u8, pointer: &str) -> Cost {
    Cost { unit_cost: unit_cost.to_string(), decimal_places, pointer: pointer.to_string() }
}

fn amount(value: &str, pointer: Option<&str>) -> Amount {
    Amount { value: value.to_string(), pointer: pointer.map(str::to_string) }
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|text| (*text).to_string()).collect()
}

fn l16_an_unmapped_role_falls_back(database: Database) {
    let books = books(database);
    books.map(&[("INVENTORY_LOSS", None), ("SUPPLIER_RETURNS", None), ("PURCHASE_CREDITS", None)]).is(200);
    books.call(books.posting(&[("INVENTORY_LOSS", "debit", "4"), ("SUPPLIER_RETURNS", "credit", "4")])).is(200);
    // A loss is an adjustment; goods that went back to a supplier are a purchase.
    assert_table!(books.journal(), @r"
    entry  account                      debit  credit
        1  5200 Inventory adjustments       4
           5100 Purchases and services              4
    ");
    books.map(&[("INVENTORY_ADJUSTMENT", None)]).is(200);
    books
        .call(books.posting(&[("INVENTORY_LOSS", "debit", "4"), ("CASH_MOVEMENT", "credit", "4")]))
        .refused(409, "ACCOUNTING_SETUP_REQUIRED")
        .fault("/mappings/roles/INVENTORY_LOSS", "ROLE_UNMAPPED");
}

fn l19_every_missing_role_is_named(database: Database) {
    let books = books(database);
    books.map(&[("REVENUE", None), ("SALES_CLEARING", None)]).is(200);
    let delivery = |total: &str| {
        books.call(books.posting(&[
            ("SALES_CLEARING", "debit", total),
            ("COST_OF_GOODS_SOLD", "debit", "6"),
            ("REVENUE", "credit", total),
            ("INVENTORY", "credit", "6"),
        ]))
    };
    let before = books.shop.digest();
    let refused = delivery("10").refused(409, "ACCOUNTING_SETUP_REQUIRED");
    assert_eq!(refused.pointers(), ["/mappings/roles/SALES_CLEARING", "/mappings/roles/REVENUE"]);
    assert_eq!(books.shop.digest(), before, "nothing of the delivery remains");
    // Given away: it costs, and brings nothing.
    delivery("0").is(200);
    assert_table!(books.journal(), @r"
    entry  account                  debit  credit
        1  5000 Cost of goods sold      6
           1200 Inventory                       6
    ");
}

fn l20_currency_is_reported_before_set_up(database: Database) {
    let books = books(database);
    books.map(&[("REVENUE", None)]).is(200);
    let mut posting = books.posting(&[("CASH_MOVEMENT", "debit", "1"), ("REVENUE", "credit", "1")]);
    posting.currency_code = "USD".to_string();
    posting.on = Some("2001-01-01".to_string());
    posting.on_pointer = Some("/paidOn".to_string());
    posting.legs.iter_mut().for_each(|leg| leg.amount = "1.0000001".to_string());
    posting.legs[0].pointer = Some("/amount".to_string());
    let early = Posting { on: Some(day(2)), ..posting.clone() };
    books.call(early).refused(400, "VALIDATION_FAILED").fault("/paidOn", "DATE_IN_FUTURE");
    let refused = books.call(posting.clone()).refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED");
    assert!(refused.errors().is_empty(), "{refused}");
    posting.currency_pointer = Some("/currencyCode".to_string());
    books.call(posting.clone()).refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED").at("/currencyCode");
    posting.currency_code = "EUR".to_string();
    books.call(posting.clone()).refused(409, "ACCOUNTING_SETUP_REQUIRED");
    books.map(&[("REVENUE", Some(&books.account("4000")))]).is(200);
    books.call(posting.clone()).refused(409, "ACCOUNTING_PERIOD_CLOSED").fault("/paidOn", "BEFORE_BOOKS");
    posting.on = Some(day(0));
    books.call(posting).refused(409, "ACCOUNTING_AMOUNT_PRECISION").fault("/amount", "AMOUNT_PRECISION");
}

/// Every role unmapped in turn: an entry that uses it is refused, or uses its fallback; every other passes.
fn l21_each_role_is_needed_where_it_is_used(database: Database) {
    let books = books(database);
    let entry = |role: &str| {
        let against = if role == "CASH_MOVEMENT" { "CASH_OVER_SHORT" } else { "CASH_MOVEMENT" };
        books.posting(&[(role, "debit", "1"), (against, "credit", "1"), (role, "credit", "1"), (against, "debit", "1")])
    };
    let version = |set: &Json| set["version"].clone();
    let full = books.mappings();
    let put = |roles: &Json| {
        let body = json!({ "expectedVersion": version(&books.mappings()), "roles": roles, "methods": full["methods"] });
        books.shop.put(&books.at("mappings"), body).is(200)
    };
    for (index, (role, fallback)) in ROLES.iter().enumerate() {
        assert_eq!(full["roles"][index]["role"], json!(role));
        let mut roles = full["roles"].clone();
        roles[index]["accountId"] = Json::Null;
        put(&roles);
        let answer = books.call(entry(role));
        match fallback {
            None => {
                let pointer = format!("/mappings/roles/{role}");
                answer.refused(409, "ACCOUNTING_SETUP_REQUIRED").fault(&pointer, "ROLE_UNMAPPED");
            }
            Some(code) => {
                let entry = read_answer::<Option<Key>>(&answer.is(200), 0).expect("an entry");
                let read = books.shop.get(&format!("ledger/journal-entries/{}", id(entry))).is(200);
                assert_eq!(read["lines"][0]["accountCode"], json!(code), "{role}");
            }
        }
        for other in ["REVENUE", "PAYABLE", "INVENTORY_ADJUSTMENT"].iter().filter(|other| *other != role) {
            let unaffected = *role != "CASH_MOVEMENT";
            books.call(entry(other)).is(if unaffected { 200 } else { 409 });
        }
    }
}

/// Two zones that are never on the same day: a posting from now on is dated by the one that the company has.
fn l27_entries_are_dated_by_the_company_s_calendar(database: Database) {
    let books = books(database);
    for (zone, hours) in [("Pacific/Kiritimati", 14), ("Etc/GMT+12", -12)] {
        let now = books.shop.get("settings").is(200);
        let settings = json!({
            "name": now["name"], "defaultCurrencyCode": now["defaultCurrencyCode"], "timeZone": zone,
            "expectedVersion": now["version"],
        });
        books.shop.put("settings", settings).is(200);
        let offset = FixedOffset::east_opt(hours * 3600).expect("an offset");
        let today = || Utc::now().with_timezone(&offset).date_naive().to_string();
        let before = today();
        let entry =
            books.post_entry(books.posting(&[("CASH_MOVEMENT", "debit", "1"), ("CASH_OVER_SHORT", "credit", "1")]));
        let reported = text(&entry["entryDate"]);
        assert!([before, today()].contains(&reported), "{zone}: {reported}");
        assert_eq!(entry["month"], reported[..7], "{zone}");
    }
}

fn l31_costs_fit_the_grid(database: Database) {
    let coarse = books(database);
    let fine = books_with(database, json!({ "amountScale": 7 }));
    let admit = |books: &Books, unit_cost: &str, places: u8| {
        let costs = vec![cost("1", 6, "/lines/0/unitCost"), cost(unit_cost, places, "/lines/1/unitCost")];
        books.call(Call::AdmitCosts(books.key(), costs))
    };
    for (cost, places) in [("0.333333", 1), ("0.1", 6), ("1.000001", 1)] {
        let refused = admit(&coarse, cost, places).refused(409, "ACCOUNTING_AMOUNT_PRECISION");
        assert_eq!(refused.pointers(), ["/lines/1/unitCost"]);
        admit(&fine, cost, places).is(200);
    }
    for (cost, places) in [("0.333333", 0), ("0.100000", 5), ("12", 6), ("0", 6)] {
        admit(&coarse, cost, places).is(200);
    }
    let issue = fine.posting(&[("COST_OF_GOODS_SOLD", "debit", "0.0333333"), ("INVENTORY", "credit", "0.0333333")]);
    fine.call(issue).is(200);
    assert_eq!(fine.closing()["5000"], "0.033333300000");
}

fn admit_asks_early(database: Database) {
    let books = books(database);
    let admit = |asked: Admission| books.call(Call::Admit(books.key(), asked));
    let terms: Option<Terms> = books.ask(Call::Admit(books.key(), Admission::default()));
    assert_eq!(terms, Some(Terms { currency_code: "EUR".to_string(), amount_scale: 6 }));
    admit(Admission {
        currency_code: Some("EUR".to_string()),
        roles: texts(&["REVENUE", "INVENTORY_LOSS"]),
        amounts: vec![amount("1.000001", None)],
        ..Admission::default()
    })
    .is(200);
    let (currency_code, currency_pointer) = (Some("USD".to_string()), Some("/currencyCode".to_string()));
    admit(Admission { currency_code, currency_pointer, ..Admission::default() })
        .refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED")
        .at("/currencyCode");
    let amounts = vec![amount("1", None), amount("0.0000001", Some("/lines/1"))];
    let refused = admit(Admission { amounts, ..Admission::default() }).refused(409, "ACCOUNTING_AMOUNT_PRECISION");
    assert_eq!(refused.pointers(), ["/lines/1"]);
    books.map(&[("INVENTORY", None)]).is(200);
    admit(Admission { roles: texts(&["REVENUE", "INVENTORY"]), ..Admission::default() })
        .refused(409, "ACCOUNTING_SETUP_REQUIRED")
        .fault("/mappings/roles/INVENTORY", "ROLE_UNMAPPED");
    books.call(Call::Admit(new_key(), Admission::default())).refused(404, "NOT_FOUND");
}

fn targets_may_be_accounts_and_money(database: Database) {
    let home = books(database);
    let revenue = || Target::Role("REVENUE".to_string());
    let post = |debit: Target, credit: Target| -> Answer {
        let mut posting = home.posting(&[]);
        posting.legs = vec![leg(debit, "debit", "3"), leg(credit, "credit", "3")];
        posting.legs[0].pointer = Some("/lines/0/accountId".to_string());
        home.call(posting)
    };
    post(Target::Money(key(&home.money("CASH"))), Target::Account(key(&home.account("4000")))).is(200);
    assert_table!(home.journal(), @r"
    entry  account     debit  credit
        1  1000 Cash       3
           4000 Sales              3
    ");
    for unfit in [key(&home.account("1200")), new_key()] {
        post(Target::Account(unfit), revenue()).refused(409, "REFERENCE_INVALID").at("/lines/0/accountId");
    }
    let accounts = [home.account("5100"), home.account("4000"), home.account("1200")];
    let asked = accounts.iter().map(|id| key(id)).chain([new_key()]).collect();
    let fit: Vec<Key> = home.ask(Call::LineAccounts(home.key(), asked, texts(&["EXPENSE", "ASSET"])));
    assert_eq!(fit, [key(&accounts[0])]);
    let elsewhere = books(database);
    post(Target::Money(key(&elsewhere.money("CASH"))), revenue()).refused(500, "MODULE_FAILED");
}

fn balances_and_flows_are_those_of_the_lines(database: Database) {
    let books = books(database);
    let month = stoa_tests::books::month;
    let month_day = stoa_tests::books::month_day;
    books.manual(&month_day(3, 4), "1010", "3000", "100").is(201);
    books.close(&month(3)).is(200);
    books.manual(&month_day(2, 4), "1000", "1010", "30").is(201);
    books.manual(&month_day(1, 4), "5310", "1000", "5").is(201);
    let full = |amount: &str| format!("{amount}.000000000000");
    let flow = |code: &str, [opening, in_, out, closing]: [&str; 4]| Flow {
        account: key(&books.money(code)),
        opening: full(opening),
        in_: full(in_),
        out: full(out),
        closing: full(closing),
    };
    let flows: Vec<Flow> = books.ask(Call::Flows(books.key(), month_day(2, 1), day(0)));
    assert_eq!(flows, [flow("CASH", ["0", "30", "5", "25"]), flow("BANK", ["100", "0", "30", "70"])]);
    books.call(books.posting(&[("INVENTORY", "debit", "8"), ("INVENTORY_ADJUSTMENT", "credit", "8")])).is(200);
    books.map(&[("CASH_MOVEMENT", None)]).is(200);
    let balances = |day: Option<String>| {
        let roles = texts(&["INVENTORY", "INVENTORY_ADJUSTMENT", "CASH_MOVEMENT", "PAYABLE"]);
        let mut found: Vec<RoleBalance> = books.ask(Call::RoleBalances(books.key(), roles, day));
        found.sort_by(|a, b| a.role.cmp(&b.role));
        found
    };
    let balance = |role: &str, amount: &str| RoleBalance { role: role.to_string(), balance: full(amount) };
    assert_eq!(
        balances(None),
        [balance("INVENTORY", "8"), balance("INVENTORY_ADJUSTMENT", "-8"), balance("PAYABLE", "0")]
    );
    assert_eq!(balances(Some(day(-1)))[0], balance("INVENTORY", "0"));
    let found: Vec<Account> = books.ask(Call::MoneyAccounts(vec![key(&books.money("CARD")), new_key()]));
    assert_eq!(found.len(), 1);
}

/// Posters never wait for each other: all succeed, each once, and the sums are exact.
fn posters_share_the_books(database: Database) {
    let books = books(database);
    let answers = at_once(16, |n| {
        let amount = format!("{}.000001", n + 1);
        (0..4)
            .map(|_| {
                books.call(
                    books.posting(&[("INVENTORY", "debit", &amount), ("INVENTORY_ADJUSTMENT", "credit", &amount)]),
                )
            })
            .collect::<Vec<_>>()
    });
    answers.into_iter().flatten().for_each(|answer| drop(answer.is(200)));
    assert_eq!(books.closing()["1200"], "544.000064000000");
    assert_eq!(books.entries(), 64);
}

fn archived_books_take_nothing(database: Database) {
    let books = books_with(database, json!({ "chart": "NONE" }));
    books.shop.archive(&format!("ledger/legal-entities/{}", books.entity)).is(200);
    books.call(books.posting(&[("INVENTORY", "debit", "1"), ("REVENUE", "credit", "1")])).refused(409, "ARCHIVED");
    books.call(Call::Admit(books.key(), Admission::default())).refused(409, "ARCHIVED");
    books.call(Call::Require(books.key(), None)).refused(409, "REFERENCE_INVALID").at("/legalEntityId");
    let found: Vec<Entity> = books.ask(Call::Entities(vec![books.key(), new_key()]));
    assert_eq!(found.iter().map(|entity| entity.active).collect::<Vec<_>>(), [false]);
}
