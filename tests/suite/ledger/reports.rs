//! Reports: the trial balance against a model, statements page by page, income statement and balance sheet.

use std::collections::BTreeMap;

use serde_json::json;
use stoa_tests::books::{Books, ZERO, books, books_with, customer, day, month, month_day, text};
use stoa_tests::services::Key;
use stoa_tests::services::ledger::{Call, Mirror};
use stoa_tests::{Database, Dice, on_both_databases};
use uuid::Uuid;

on_both_databases![
    l34_trial_balance_follows_a_model,
    l35_figures_need_both_permissions,
    l36_a_statement_goes_on_where_it_stopped,
    the_general_ledger_is_in_posting_order,
    results_are_derived,
];

/// A line of the model: day, account code, units of the last of 12 digits, debit positive.
type Line = (String, String, i128);

fn units(amount: &str) -> i128 {
    let digits: String = amount.chars().filter(|letter| *letter != '.').collect();
    digits.parse().unwrap_or_else(|_| panic!("no amount: {amount}"))
}

/// A thousand random postings, mirrors and closings; then random ranges against the model.
fn l34_trial_balance_follows_a_model(database: Database) {
    let books = books(database);
    let mut dice = Dice::new("l34_trial_balance_follows_a_model");
    let roles = [
        ("RECEIVABLE", "1100"),
        ("SALES_CLEARING", "1160"),
        ("INVENTORY", "1200"),
        ("PAYABLE", "2000"),
        ("REVENUE", "4000"),
        ("COST_OF_GOODS_SOLD", "5000"),
        ("INVENTORY_LOSS", "5220"),
        ("CASH_MOVEMENT", "5310"),
    ];
    let mut model: Vec<Line> = Vec::new();
    let mut sources: Vec<(Key, Vec<(String, i128)>)> = Vec::new();
    let mut closed = 4;
    for round in 0..50 {
        let mut postings = Vec::new();
        for _ in 0..20 {
            let on = month_day(dice.between(0, closed) as u32, 1);
            let legs: Vec<(&str, &str, String)> = (0..dice.between(1, 4))
                .flat_map(|_| {
                    let amount = format!("{}.{:06}", dice.between(0, 1 << 40), dice.between(0, 1_000_000));
                    let (debit, credit) = (dice.pick(&roles).0, dice.pick(&roles).0);
                    [(debit, "debit", amount.clone()), (credit, "credit", amount)]
                })
                .collect();
            let borrowed: Vec<(&str, &str, &str)> = legs.iter().map(|(r, s, a)| (*r, *s, a.as_str())).collect();
            let mut posting = books.posting(&borrowed);
            posting.on = Some(on.clone());
            let mut lines = Vec::new();
            for (role, side, amount) in &legs {
                let code = roles.iter().find(|(known, _)| known == role).map(|(_, code)| (*code).to_string());
                let amount = units(&format!("{amount}000000"));
                lines.push((code.unwrap_or_default(), if *side == "debit" { amount } else { -amount }));
            }
            model.extend(lines.iter().map(|(code, amount)| (on.clone(), code.clone(), *amount)));
            sources.push((posting.source_id, lines));
            postings.push(posting);
        }
        books.call(Call::PostAll(postings)).is(200);
        if dice.one_in(3) {
            let (source, lines) = sources.swap_remove(dice.between(0, sources.len() as u64) as usize);
            let (source_kind, text) = ("TEST".to_string(), "Void".to_string());
            let mirror = Mirror { source_kind, source_id: source, on: None, on_pointer: None, text };
            books.call(Call::Mirror(mirror)).is(200);
            model.extend(lines.into_iter().map(|(code, amount)| (day(0), code, -amount)));
        }
        if round % 12 == 11 {
            match closed > 1 && !dice.one_in(3) {
                true => {
                    closed -= 1;
                    books.close(&month(closed as u32)).is(200);
                }
                false if closed < 4 => {
                    books.reopen(&month(closed as u32)).is(200);
                    closed += 1;
                }
                false => {}
            }
        }
    }
    for _ in 0..20 {
        let mut days = [dice.between(0, 100) as i64, dice.between(0, 100) as i64].map(|back| day(-back));
        days.sort();
        check(&books, &model, &days[0], &days[1]);
    }
    check(&books, &model, &month_day(3, 1), &day(1));
    for ago in 1..=3 {
        check(&books, &model, &month_day(ago, 1), &month_day(ago, 28));
    }
}

#[track_caller]
fn check(books: &Books, model: &[Line], from: &str, to: &str) {
    let mut expected: BTreeMap<&str, (i128, i128, i128)> = BTreeMap::new();
    for (on, code, amount) in model {
        let sums = expected.entry(code).or_default();
        match on.as_str() {
            on if on < from => sums.0 += amount,
            on if on > to => {}
            _ if *amount > 0 => sums.1 += amount,
            _ => sums.2 -= amount,
        }
    }
    let rows = books.trial(&[("from", from), ("to", to), ("includeZero", "true")]);
    for (code, (opening, debit, credit)) in expected {
        let row = &rows[code];
        let found = ["opening", "debit", "credit", "closing"].map(|member| units(&text(&row[member])));
        // A debit and a credit of one account in one entry are two lines, so both sides are as they were posted.
        assert_eq!(found, [opening, debit, credit, opening + debit - credit], "{code} from {from} to {to}");
    }
}

fn l35_figures_need_both_permissions(database: Database) {
    let books = books(database);
    let entry = books.manual(&day(0), "1010", "3000", "1").is(201).id();
    let account = books.account("1010");
    let entity = format!("legalEntityId={}", books.entity);
    let range = format!("{entity}&from={}&to={}", day(-1), day(0));
    let reads = [
        format!("ledger/trial-balance?{entity}"),
        format!("ledger/journal-entries?{entity}"),
        format!("ledger/journal-entries/{entry}"),
        format!("ledger/general-ledger?{range}"),
        format!("ledger/accounts/{account}/statement"),
        format!("ledger/income-statement?{range}"),
        format!("ledger/balance-sheet?{entity}&asOf={}", day(0)),
    ];
    for held in [&["reports.cost.read"][..], &["reports.margin.read"], &["settings.manage"], &[]] {
        books.shop.allow_only(held);
        for path in &reads {
            books.shop.get(path).refused(403, "PERMISSION_DENIED");
        }
    }
    books.shop.allow_only(&["reports.cost.read", "reports.margin.read"]);
    for path in &reads {
        let answer = books.shop.get(path).is(200);
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{answer}");
    }
    books.shop.post("ledger/journal-entries", json!({})).refused(403, "PERMISSION_DENIED");
}

fn l36_a_statement_goes_on_where_it_stopped(database: Database) {
    let books = books(database);
    let account = books.account("1010");
    // Posted out of order: a statement is by date.
    for (on, amount) in [
        (month_day(1, 3), "4"),
        (month_day(3, 3), "1"),
        (month_day(1, 2), "3"),
        (month_day(2, 3), "2"),
        (month_day(1, 3), "5"),
    ] {
        books.manual(&on, "1010", "3000", amount).is(201);
    }
    books.close(&month(3)).is(200);
    let path = format!("ledger/accounts/{account}/statement");
    let (from, to) = (month_day(2, 1), month_day(1, 28));
    let page = |cursor: Option<&str>| {
        let query: Vec<(&str, &str)> =
            [("limit", "2"), ("from", &from), ("to", &to)].into_iter().chain(cursor.map(|c| ("cursor", c))).collect();
        books.shop.list(&path, &query).is(200)
    };
    let (mut cursor, mut balances, mut amounts) = (None::<String>, Vec::new(), Vec::new());
    loop {
        let answer = page(cursor.as_deref());
        assert_eq!(
            (text(&answer["opening"]), text(&answer["closing"])),
            ("1.000000000000".into(), "15.000000000000".into())
        );
        assert_eq!(answer["account"]["code"], "1010");
        amounts.extend(answer.items().iter().map(|item| text(&item["debit"])));
        balances.extend(answer.items().iter().map(|item| text(&item["balance"])));
        match answer["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_string()),
            None => break,
        }
    }
    let full = |amounts: [u32; 4]| amounts.map(|amount| format!("{amount}.000000000000")).to_vec();
    assert_eq!((amounts, balances), (full([2, 3, 4, 5]), full([3, 6, 10, 15])));
    // Any id is a position: one that is not a line has the day of its own instant.
    let after = |cursor: &str| books.shop.list(&path, &[("cursor", cursor), ("from", &from), ("to", &to)]).is(200);
    let last = after(&Uuid::now_v7().to_string());
    assert_eq!((last.items().len(), &last["nextCursor"]), (0, &json!(null)));
    let first = after(&Uuid::nil().to_string());
    assert_eq!((first.items().len(), &first.items()[0]["balance"]), (4, &json!("3.000000000000")));
    assert_eq!((&last["opening"], &last["closing"]), (&first["opening"], &first["closing"]));
    books.shop.list(&path, &[("from", &to), ("to", &from)]).refused(400, "VALIDATION_FAILED").at("/query/to");
    books.shop.get(&format!("ledger/accounts/{}/statement", Uuid::now_v7())).refused(404, "NOT_FOUND");
    // Entries of one party, snapshots or not.
    let party = Uuid::now_v7().to_string();
    let owed = books.account("1100");
    for (on, of_party) in [(month_day(2, 4), true), (month_day(2, 5), false), (month_day(1, 4), true)] {
        let mut posting = books.posting(&[("RECEIVABLE", "debit", "7"), ("SALES_CLEARING", "credit", "7")]);
        posting.on = Some(on);
        posting.legs[0].party = of_party.then(|| customer(&party)).flatten();
        books.call(posting).is(200);
    }
    books.close(&month(2)).is(200);
    let query = [("partyId", party.as_str()), ("from", &month_day(1, 1))];
    let statement = books.shop.list(&format!("ledger/accounts/{owed}/statement"), &query).is(200);
    assert_eq!(
        (text(&statement["opening"]), text(&statement["closing"])),
        ("7.000000000000".into(), "14.000000000000".into())
    );
    assert_eq!(statement.items().len(), 1);
}

fn the_general_ledger_is_in_posting_order(database: Database) {
    let books = books(database);
    for (on, amount) in [(day(0), "1"), (day(-2), "2"), (day(-1), "3")] {
        books.manual(&on, "1010", "3000", amount).is(201);
    }
    let query = [("legalEntityId", books.entity.as_str()), ("from", &day(-2)), ("to", &day(0)), ("limit", "4")];
    let lines = books.shop.all("ledger/general-ledger", &query);
    let shown: Vec<(String, String, String)> =
        lines.iter().map(|line| (text(&line["accountCode"]), text(&line["debit"]), text(&line["credit"]))).collect();
    let expected: Vec<(String, String, String)> = [1, 2, 3]
        .iter()
        .flat_map(|amount| {
            let full = format!("{amount}.000000000000");
            [("1010".to_string(), full.clone(), ZERO.to_string()), ("3000".to_string(), ZERO.to_string(), full)]
        })
        .collect();
    assert_eq!(shown, expected);
    assert_eq!((&lines[0]["description"], &lines[0]["sourceKind"]), (&json!("By hand"), &json!("MANUAL")));
    let asked = |from: &str, to: &str| {
        books.shop.list("ledger/general-ledger", &[("legalEntityId", &books.entity), ("from", from), ("to", to)])
    };
    asked("2025-01-01", "2026-01-01").is(200);
    asked("2025-01-01", "2026-01-02").refused(400, "VALIDATION_FAILED").at("/query/to");
    asked("2025-01-02", "2025-01-01").refused(400, "VALIDATION_FAILED").at("/query/to");
}

fn results_are_derived(database: Database) {
    let books = books_with(database, json!({ "booksStartOn": "2024-01-01" }));
    for (on, debit, credit, amount) in [
        ("2024-03-01", "1010", "3000", "1000"),
        ("2024-04-01", "1010", "4000", "300"),
        ("2024-05-01", "5100", "1010", "100.5"),
        ("2025-01-01", "1010", "4000", "40"),
        ("2025-02-01", "5100", "1010", "60"),
        ("2025-03-01", "4100", "1010", "1"),
    ] {
        books.manual(on, debit, credit, amount).is(201);
    }
    books.close("2024-01").is(200);
    books.close("2024-02").is(200);
    books.close("2024-03").is(200);
    books.close("2024-04").is(200);
    let income = |from: &str, to: &str| {
        let query = [("legalEntityId", books.entity.as_str()), ("from", from), ("to", to)];
        books.shop.list("ledger/income-statement", &query).is(200)
    };
    let year = income("2025-01-01", "2025-12-31");
    let rows: Vec<(String, String)> =
        year["rows"].as_array().into_iter().flatten().map(|row| (text(&row["code"]), text(&row["amount"]))).collect();
    let full = |amount: &str| format!("{amount}.000000000000");
    let expected =
        [("4000", "40"), ("4100", "-1"), ("5100", "60")].map(|(code, amount)| (code.to_string(), full(amount)));
    assert_eq!(rows, expected);
    assert_eq!(
        year["subtotals"],
        json!([{ "type": "INCOME", "amount": full("39") }, { "type": "EXPENSE", "amount": full("60") }])
    );
    assert_eq!(year["result"], json!(full("-21")));
    assert_eq!(income("2024-04-01", "2024-04-30")["result"], json!(full("300")));
    let sheet = |day: &str| {
        let query = [("legalEntityId", books.entity.as_str()), ("asOf", day)];
        books.shop.list("ledger/balance-sheet", &query).is(200)
    };
    let year_end = sheet("2025-12-31");
    assert_eq!(
        (&year_end["resultBroughtForward"], &year_end["resultOfYear"]),
        (&json!("199.500000000000"), &json!(full("-21")))
    );
    assert_eq!(year_end["subtotals"][0], json!({ "type": "ASSET", "amount": "1178.500000000000" }));
    assert_eq!(year_end["subtotals"][2], json!({ "type": "EQUITY", "amount": full("1000") }));
    let earlier = sheet("2024-04-30");
    assert_eq!((&earlier["resultBroughtForward"], &earlier["resultOfYear"]), (&json!(ZERO), &json!(full("300"))));
}
