//! Posting through the services: which code is told when, fallbacks of roles, and what is asked before anything is locked.

use chrono::{FixedOffset, Utc};
use serde_json::{Value as Json, json};
use stoa_tests::assert_table;
use stoa_tests::books::{Books, books, books_with, day, leg, text};
use stoa_tests::services::ledger::{Account, Admission, Amount, Call, Cost, Entity, Flow, RoleBalance, Target, Terms};
use stoa_tests::services::{Key, id, key, new_key, read_answer};
use stoa_tests::{Answer, Database, at_once, on_both_databases};

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
    posting.currency_code = "XXX".to_string();
    posting.on = Some(day(9));
    assert_eq!(of.ask::<Option<Key>>(posting), None);
    let asked = Admission {
        currency_code: Some("USD".to_string()),
        roles: vec!["REVENUE".to_string()],
        ..Admission::default()
    };
    assert_eq!(of.ask::<Option<Terms>>(Call::Admit(of.key(), asked)), None);
    of.call(Call::AdmitCosts(of.key(), vec![cost("0.333333", 6, "/unitCost")])).is(200);
    let after = of.shop.digest();
    assert_eq!(before["ledger_entry"], after["ledger_entry"]);
    of.shop.list("ledger/trial-balance", &[("legalEntityId", &of.entity)]).refused(409, "ILLEGAL_STATE");
}

fn cost(unit_cost: &str, decimal_places: u8, pointer: &str) -> Cost {
    Cost { unit_cost: unit_cost.to_string(), decimal_places, pointer: pointer.to_string() }
}

fn amount(value: &str, pointer: Option<&str>) -> Amount {
    Amount { value: value.to_string(), pointer: pointer.map(str::to_string) }
}

fn texts(of: &[&str]) -> Vec<String> {
    of.iter().map(|text| (*text).to_string()).collect()
}

fn l16_an_unmapped_role_falls_back(database: Database) {
    let of = books(database);
    of.map(&[("INVENTORY_LOSS", None), ("SUPPLIER_RETURNS", None), ("PURCHASE_CREDITS", None)]).is(200);
    of.call(of.posting(&[("INVENTORY_LOSS", "debit", "4"), ("SUPPLIER_RETURNS", "credit", "4")])).is(200);
    // A loss is an adjustment; what went back to a supplier is a purchase.
    assert_table!(of.journal(), @r"
    entry  account                      debit  credit
        1  5200 Inventory adjustments       4
           5100 Purchases and services              4
    ");
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
    // Given away: it costs, and brings nothing.
    delivery("0").is(200);
    assert_table!(of.journal(), @r"
    entry  account                  debit  credit
        1  5000 Cost of goods sold      6
           1200 Inventory                       6
    ");
}

fn l20_currency_is_told_before_set_up(database: Database) {
    let of = books(database);
    of.map(&[("REVENUE", None)]).is(200);
    let mut posting = of.posting(&[("CASH_MOVEMENT", "debit", "1"), ("REVENUE", "credit", "1")]);
    posting.currency_code = "USD".to_string();
    posting.on = Some("2001-01-01".to_string());
    posting.on_pointer = Some("/paidOn".to_string());
    posting.legs.iter_mut().for_each(|leg| leg.amount = "1.0000001".to_string());
    posting.legs[0].pointer = Some("/amount".to_string());
    let refused = of.call(posting.clone()).refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED");
    assert!(refused.errors().is_empty(), "{refused}");
    posting.currency_pointer = Some("/currencyCode".to_string());
    of.call(posting.clone()).refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED").at("/currencyCode");
    posting.currency_code = "EUR".to_string();
    of.call(posting.clone()).refused(409, "ACCOUNTING_SETUP_REQUIRED");
    of.map(&[("REVENUE", Some(&of.account("4000")))]).is(200);
    of.call(posting.clone()).refused(409, "ACCOUNTING_PERIOD_CLOSED").fault("/paidOn", "BEFORE_BOOKS");
    posting.on = Some(day(0));
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
                let entry = read_answer::<Option<Key>>(&answer.is(200), 0).expect("an entry");
                let read = of.shop.get(&format!("ledger/journal-entries/{}", id(entry))).is(200);
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
        let entry = of.post_entry(of.posting(&[("CASH_MOVEMENT", "debit", "1"), ("CASH_OVER_SHORT", "credit", "1")]));
        let reported = text(&entry["entryDate"]);
        assert!([before, today()].contains(&reported), "{zone}: {reported}");
        assert_eq!(entry["month"], reported[..7], "{zone}");
    }
}

fn l31_costs_fit_the_grid(database: Database) {
    let coarse = books(database);
    let fine = books_with(database, json!({ "amountScale": 7 }));
    let admit = |of: &Books, unit_cost: &str, places: u8| {
        let costs = vec![cost("1", 6, "/lines/0/unitCost"), cost(unit_cost, places, "/lines/1/unitCost")];
        of.call(Call::AdmitCosts(of.key(), costs))
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
    let of = books(database);
    let admit = |asked: Admission| of.call(Call::Admit(of.key(), asked));
    let terms: Option<Terms> = of.ask(Call::Admit(of.key(), Admission::default()));
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
    of.map(&[("INVENTORY", None)]).is(200);
    admit(Admission { roles: texts(&["REVENUE", "INVENTORY"]), ..Admission::default() })
        .refused(409, "ACCOUNTING_SETUP_REQUIRED")
        .fault("/mappings/roles/INVENTORY", "ROLE_UNMAPPED");
    of.call(Call::Admit(new_key(), Admission::default())).refused(404, "NOT_FOUND");
}

fn targets_may_be_accounts_and_money(database: Database) {
    let of = books(database);
    let revenue = || Target::Role("REVENUE".to_string());
    let post = |debit: Target, credit: Target| -> Answer {
        let mut posting = of.posting(&[]);
        posting.legs = vec![leg(debit, "debit", "3"), leg(credit, "credit", "3")];
        posting.legs[0].pointer = Some("/lines/0/accountId".to_string());
        of.call(posting)
    };
    post(Target::Money(key(&of.money("CASH"))), Target::Account(key(&of.account("4000")))).is(200);
    assert_table!(of.journal(), @r"
    entry  account     debit  credit
        1  1000 Cash       3
           4000 Sales              3
    ");
    for unfit in [key(&of.account("1200")), new_key()] {
        post(Target::Account(unfit), revenue()).refused(409, "REFERENCE_INVALID").at("/lines/0/accountId");
    }
    let accounts = [of.account("5100"), of.account("4000"), of.account("1200")];
    let asked = accounts.iter().map(|id| key(id)).chain([new_key()]).collect();
    let fit: Vec<Key> = of.ask(Call::LineAccounts(of.key(), asked, texts(&["EXPENSE", "ASSET"])));
    assert_eq!(fit, [key(&accounts[0])]);
    let elsewhere = books(database);
    post(Target::Money(key(&elsewhere.money("CASH"))), revenue()).refused(500, "MODULE_FAILED");
}

fn balances_and_flows_are_those_of_the_lines(database: Database) {
    let of = books(database);
    let month = stoa_tests::books::month;
    let month_day = stoa_tests::books::month_day;
    of.manual(&month_day(3, 4), "1010", "3000", "100").is(201);
    of.close(&month(3)).is(200);
    of.manual(&month_day(2, 4), "1000", "1010", "30").is(201);
    of.manual(&month_day(1, 4), "5310", "1000", "5").is(201);
    let full = |amount: &str| format!("{amount}.000000000000");
    let flow = |code: &str, [opening, in_, out, closing]: [&str; 4]| Flow {
        account: key(&of.money(code)),
        opening: full(opening),
        in_: full(in_),
        out: full(out),
        closing: full(closing),
    };
    let flows: Vec<Flow> = of.ask(Call::Flows(of.key(), month_day(2, 1), day(0)));
    assert_eq!(flows, [flow("CASH", ["0", "30", "5", "25"]), flow("BANK", ["100", "0", "30", "70"])]);
    of.call(of.posting(&[("INVENTORY", "debit", "8"), ("INVENTORY_ADJUSTMENT", "credit", "8")])).is(200);
    of.map(&[("CASH_MOVEMENT", None)]).is(200);
    let balances = |day: Option<String>| {
        let roles = texts(&["INVENTORY", "INVENTORY_ADJUSTMENT", "CASH_MOVEMENT", "PAYABLE"]);
        let mut found: Vec<RoleBalance> = of.ask(Call::RoleBalances(of.key(), roles, day));
        found.sort_by(|a, b| a.role.cmp(&b.role));
        found
    };
    let balance = |role: &str, amount: &str| RoleBalance { role: role.to_string(), balance: full(amount) };
    assert_eq!(
        balances(None),
        [balance("INVENTORY", "8"), balance("INVENTORY_ADJUSTMENT", "-8"), balance("PAYABLE", "0")]
    );
    assert_eq!(balances(Some(day(-1)))[0], balance("INVENTORY", "0"));
    let found: Vec<Account> = of.ask(Call::MoneyAccounts(vec![key(&of.money("CARD")), new_key()]));
    assert_eq!(found.len(), 1);
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
    of.call(Call::Admit(of.key(), Admission::default())).refused(409, "ARCHIVED");
    of.call(Call::Require(of.key(), None)).refused(409, "REFERENCE_INVALID").at("/legalEntityId");
    let found: Vec<Entity> = of.ask(Call::Entities(vec![of.key(), new_key()]));
    assert_eq!(found.iter().map(|entity| entity.active).collect::<Vec<_>>(), [false]);
}
