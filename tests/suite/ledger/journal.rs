//! The journal: manual entries and their reversal, amounts to the last digit, mirrors, and entries that nothing can change.

use serde_json::{Value as Json, json};
use stoa_tests::assert_table;
use stoa_tests::books::{Books, books, books_with, customer, day, entity, month, month_day};
use stoa_tests::company::{with, without};
use stoa_tests::services::ledger::{Call, Mirror, Posting, Target};
use stoa_tests::services::{Key, id, new_key, read_answer};
use stoa_tests::{Database, at_once, on_both_databases};
use uuid::Uuid;

on_both_databases![
    l30_an_entry_is_reversed_once,
    l33_exact_to_the_last_digit,
    l39_a_failed_operation_leaves_no_entry,
    filters_of_the_journal,
    manual_lines_are_as_fine_as_the_books,
];

on_both_databases![
    rules:
    l29_manual_entries_balance,
    l29_control_accounts_take_no_manual_line,
    l30_documents_are_not_reversed_by_hand,
    l32_legs_are_summed_before_they_must_fit,
    l37_mirrors_use_the_accounts_of_their_originals,
    l38_entries_never_change,
];

const PATH: &str = "ledger/journal-entries";

fn l29_manual_entries_balance(database: Database) {
    let books = books(database);
    let good = books.entry(&day(0), &[("1010", "debit", "10"), ("3000", "credit", "10")]);
    let lines = |lines: Json| with(&good, json!({ "lines": lines }));
    let (bank, capital) = (good["lines"][0]["accountId"].clone(), good["lines"][1]["accountId"].clone());
    let credit = json!({ "accountId": capital, "credit": "10" });
    let line = |members: Json| lines(json!([with(&json!({ "accountId": bank }), members), credit]));
    for (pointer, code, body) in [
        ("/lines", "UNBALANCED", line(json!({ "debit": "9.999999" }))),
        ("/lines/0/credit", "NOT_ALLOWED", line(json!({ "debit": "10", "credit": "10" }))),
        ("/lines/0/debit", "REQUIRED", line(json!({}))),
        ("/lines/0/debit", "RANGE", line(json!({ "debit": "0" }))),
        ("/lines/0/debit", "FORMAT", line(json!({ "debit": "-10" }))),
        ("/lines/0/debit", "FORMAT", line(json!({ "debit": "1e1" }))),
        ("/lines/0/debit", "FORMAT", line(json!({ "debit": "10.0000000000001" }))),
        ("/lines/0/debit", "TYPE", line(json!({ "debit": 10 }))),
        ("/lines", "TOO_FEW", lines(json!([credit]))),
        ("/lines", "TOO_MANY", lines(json!(vec![credit.clone(); 101]))),
        ("/description", "REQUIRED", without(&good, "description")),
    ] {
        books.shop.post(PATH, body).refused(400, "VALIDATION_FAILED").fault(pointer, code);
    }
    assert_eq!(books.entries(), 0);
    let described = json!([
        { "accountId": bank, "debit": "4", "description": "first" },
        { "accountId": bank, "debit": "6" },
        { "accountId": capital, "credit": "10" },
    ]);
    let made = books.shop.post(PATH, with(&lines(described), json!({ "reference": "R-1" }))).is(201);
    assert_eq!((&made["total"], &made["entryDate"]), (&json!("10.000000000000"), &json!(day(0))));
    let read = books.shop.get(&format!("{PATH}/{}", made.id())).is(200);
    assert_eq!(read["lines"].as_array().map(Vec::len), Some(3), "lines stay as they were written");
    assert_eq!((&read["lines"][0]["description"], &read["lines"][0]["accountCode"]), (&json!("first"), &json!("1010")));
    assert_eq!(
        (&read["sourceKind"], &read["sourceId"], &read["purpose"]),
        (&json!("MANUAL"), &made["id"], &json!("ENTRY"))
    );
    assert_eq!(
        (&read["reference"], &read["currencyCode"], &read["month"]),
        (&json!("R-1"), &json!("EUR"), &json!(month(0)))
    );
    let absent = with(&good, json!({ "branchId": Uuid::now_v7() }));
    books.shop.post(PATH, absent).refused(404, "NOT_FOUND").at("/branchId");
}

fn l29_control_accounts_take_no_manual_line(database: Database) {
    let books = books(database);
    for code in ["1100", "1150", "1160", "1200", "2000", "2050", "2100"] {
        books
            .manual(&day(0), "5310", code, "1")
            .refused(409, "ILLEGAL_STATE")
            .fault("/lines/1/accountId", "CONTROL_ACCOUNT");
    }
    let other =
        books.shop.post("ledger/legal-entities", with(&entity("NONE"), json!({ "chart": "STANDARD" }))).is(201).id();
    let without = Books { shop: books.shop.clone(), entity: other.clone() };
    let body = without.entry(&day(0), &[("1010", "debit", "1"), ("3000", "credit", "1")]);
    books.shop.post(PATH, body.clone()).refused(409, "ILLEGAL_STATE").fault("/legalEntityId", "BOOKS_NOT_KEPT");
    let mixed = with(&body, json!({ "legalEntityId": books.entity }));
    books.shop.post(PATH, mixed).refused(409, "REFERENCE_INVALID").at("/lines/0/accountId").at("/lines/1/accountId");
    assert_eq!(books.entries(), 0);
}

fn l30_an_entry_is_reversed_once(database: Database) {
    let books = books(database);
    let made = books.manual(&day(-1), "1010", "3000", "12.5").is(201).id();
    let path = format!("{PATH}/{made}/reverse");
    let early = json!({ "reason": "Wrong", "entryDate": day(-2) });
    books.shop.post(&path, early).refused(409, "ILLEGAL_STATE").fault("/entryDate", "DATE_BEFORE_ORIGINAL");
    let late = json!({ "reason": "Wrong", "entryDate": day(2) });
    books.shop.post(&path, late).refused(400, "VALIDATION_FAILED").fault("/entryDate", "DATE_IN_FUTURE");
    let answers = at_once(8, |_| books.shop.post(&path, json!({ "reason": "Wrong" })));
    let (made_it, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!(made_it.len(), 1);
    for answer in refused {
        answer.refused(409, "ILLEGAL_STATE").fault("/path/id", "ALREADY_REVERSED");
    }
    let mirror = made_it[0].id();
    let read = books.shop.get(&format!("{PATH}/{mirror}")).is(200);
    assert_eq!((&read["reversalOfId"], &read["purpose"]), (&json!(made), &json!("ENTRY:VOID")));
    assert_eq!(
        (&read["lines"][0]["credit"], &read["lines"][1]["debit"]),
        (&json!("12.500000000000"), &json!("12.500000000000"))
    );
    assert_eq!((&read["description"], &read["entryDate"]), (&json!("Wrong"), &json!(day(0))));
    assert_eq!(books.shop.get(&format!("{PATH}/{made}")).is(200)["reversedById"], json!(mirror));
    books
        .shop
        .post(&format!("{PATH}/{mirror}/reverse"), json!({ "reason": "Wrong" }))
        .refused(409, "ILLEGAL_STATE")
        .fault("/path/id", "IS_REVERSAL");
    assert!(books.closing().is_empty(), "{:?}", books.closing());
    assert_eq!(books.entries(), 2);
}

fn l30_documents_are_not_reversed_by_hand(database: Database) {
    let books = books(database);
    let posted = books.post_entry(books.posting(&[("CASH_MOVEMENT", "debit", "1"), ("REVENUE", "credit", "1")]));
    let id = posted.id();
    let reverse = |id: &str| books.shop.post(&format!("{PATH}/{id}/reverse"), json!({ "reason": "Wrong" }));
    reverse(&id).refused(409, "ILLEGAL_STATE").fault("/path/id", "NOT_MANUAL");
    reverse(&Uuid::now_v7().to_string()).refused(404, "NOT_FOUND");
    // Only documents move an account that became one of control since.
    let account = json!({ "legalEntityId": books.entity, "code": "1101", "name": "Owed", "type": "ASSET" });
    let owed = books.shop.post("ledger/accounts", account).is(201).id();
    let there = books.manual(&day(0), "1101", "3000", "3").is(201).id();
    books.manual(&day(0), "3000", "1101", "3").is(201);
    books.map(&[("RECEIVABLE", Some(&owed))]).is(200);
    reverse(&there).refused(409, "ILLEGAL_STATE").fault("/path/id", "CONTROL_ACCOUNT");
}

fn l32_legs_are_summed_before_they_must_fit(database: Database) {
    let books = books(database);
    let half = "0.0000005";
    let legs = [("INVENTORY", "debit", half), ("INVENTORY_ADJUSTMENT", "credit", half)];
    books.call(books.posting(&[legs[0], legs[1], legs[0], legs[1]])).is(200);
    let mut alone = books.posting(&legs);
    alone.legs[0].pointer = Some("/unitCost".to_string());
    let refused = books.call(alone).refused(409, "ACCOUNTING_AMOUNT_PRECISION");
    refused.fault("/unitCost", "AMOUNT_PRECISION");
    // Branches and parties are not summed together; zeros are left out, and zeros only make no entry.
    let party = Uuid::now_v7().to_string();
    let mut of_party = books.posting(&[
        ("RECEIVABLE", "debit", "1"),
        ("RECEIVABLE", "debit", "2"),
        ("SALES_CLEARING", "credit", "3"),
        ("CASH_MOVEMENT", "debit", "0"),
    ]);
    of_party.legs[0].party = customer(&party);
    let read = books.post_entry(of_party);
    assert_eq!((&read["lines"][0]["partyType"], &read["lines"][0]["partyId"]), (&json!("CUSTOMER"), &json!(party)));
    let nothing = books.posting(&[("CASH_MOVEMENT", "debit", "0"), ("REVENUE", "credit", "0.000")]);
    assert_eq!(books.ask::<Option<Key>>(nothing), None);
    assert_table!(books.journal(), @r"
    entry  account                        debit    credit
        1  1200 Inventory              0.000001
           5200 Inventory adjustments            0.000001
        2  1100 Receivables                   1
           1100 Receivables                   2
           1160 Sales clearing                          3
    ");
}

fn l33_exact_to_the_last_digit(database: Database) {
    // 999999999999.999999 x 999999999999
    let large = "999999999998999999000000.000001";
    // 999999999999.999999 x 999999999999.999999
    let finest = "999999999999999998000000.000000000001";
    let posted = |books: &Books, amount: &str| {
        books.call(books.posting(&[("INVENTORY", "debit", amount), ("INVENTORY_ADJUSTMENT", "credit", amount)]))
    };
    let coarse = books(database);
    posted(&coarse, large).is(200);
    assert_eq!(coarse.closing()["1200"], format!("{large}000000"));
    posted(&coarse, finest).refused(409, "ACCOUNTING_AMOUNT_PRECISION");
    let fine = books_with(database, json!({ "amountScale": 12 }));
    posted(&fine, finest).is(200);
    assert_eq!(fine.closing()["1200"], finest);
    assert_eq!(fine.closing()["5200"], format!("-{finest}"));
    posted(&fine, "0.0000000000001").refused(409, "ACCOUNTING_AMOUNT_PRECISION");
    // 26 digits before the point are held, 27 are not, and a sum beyond them is refused, never wrong.
    let largest = "99999999999999999999999999.999999999999";
    let wide = books_with(database, json!({ "amountScale": 12 }));
    posted(&wide, "100000000000000000000000000").refused(409, "ACCOUNTING_AMOUNT_PRECISION");
    posted(&wide, largest).is(200);
    assert_eq!(wide.closing()["1200"], largest);
    posted(&wide, largest).is(200);
    let query = [("legalEntityId", wide.entity.as_str())];
    wide.shop.list("ledger/trial-balance", &query).refused(409, "LIMIT_EXCEEDED");
    let twice = [("INVENTORY", "debit", largest), ("INVENTORY_ADJUSTMENT", "credit", largest)];
    wide.call(wide.posting(&[twice[0], twice[1], twice[0], twice[1]])).refused(409, "ACCOUNTING_AMOUNT_PRECISION");
    assert_eq!(wide.entries(), 2);
}

fn l37_mirrors_use_the_accounts_of_their_originals(database: Database) {
    let books = books(database);
    let income = json!({ "legalEntityId": books.entity, "code": "4001", "name": "Old sales", "type": "INCOME" });
    let old = books.shop.post("ledger/accounts", income).is(201).id();
    let new = books.account("4000");
    books.map(&[("REVENUE", Some(&old))]).is(200);
    let sale = books.posting(&[("CASH_MOVEMENT", "debit", "9"), ("REVENUE", "credit", "9")]);
    let source_id = sale.source_id;
    books.call(sale).is(200);
    books.map(&[("REVENUE", Some(&new))]).is(200);
    books.manual(&day(0), "4001", "3000", "9").is(201);
    books.shop.archive(&format!("ledger/accounts/{old}")).is(200);
    let mirror = |source_id: Key, on: Option<String>| {
        let (source_kind, text) = ("TEST".to_string(), "Void".to_string());
        let on_pointer = Some("/voidedOn".to_string());
        Call::Mirror(Mirror { source_kind, source_id, on, on_pointer, text })
    };
    books
        .call(mirror(source_id, Some(day(-1))))
        .refused(409, "ILLEGAL_STATE")
        .fault("/voidedOn", "DATE_BEFORE_ORIGINAL");
    let mirrors: Vec<Key> = books.ask(mirror(source_id, None));
    let read = books.shop.get(&format!("{PATH}/{}", id(mirrors[0]))).is(200);
    assert_eq!((&read["lines"][1]["accountId"], &read["lines"][1]["debit"]), (&json!(old), &json!("9.000000000000")));
    assert_eq!((&read["sourceId"], &read["purpose"]), (&json!(id(source_id)), &json!("TEST:VOID")));
    assert_eq!(books.ask::<Vec<Key>>(mirror(source_id, None)), [], "mirrored once");
    assert_eq!(books.ask::<Vec<Key>>(mirror(new_key(), None)), []);
    // The sale, what was moved from its account by hand, and the mirror, on the account of the sale.
    assert_table!(books.journal(), @r"
    entry  account              debit  credit
        1  5310 Cash movements      9
           4001 Old sales                   9
        2  4001 Old sales           9
           3000 Capital                     9
        3  5310 Cash movements              9
           4001 Old sales           9
    ");
    // A source of several entries is mirrored whole, only into an open month.
    let mut first = books.posting(&[("CASH_MOVEMENT", "debit", "1"), ("REVENUE", "credit", "1")]);
    first.on = Some(month_day(3, 2));
    let second = Posting { purpose: "OTHER".to_string(), ..first.clone() };
    books.calls(&[first.clone().into(), second.into()]).is(200);
    books.call(first.clone()).refused(409, "DUPLICATE");
    books.close(&month(3)).is(200);
    books
        .call(mirror(first.source_id, Some(month_day(3, 9))))
        .refused(409, "ACCOUNTING_PERIOD_CLOSED")
        .fault("/voidedOn", "MONTH_CLOSED");
    assert_eq!(books.ask::<Vec<Key>>(mirror(first.source_id, None)).len(), 2);
}

fn l38_entries_never_change(database: Database) {
    let books = books(database);
    let id = books.manual(&day(0), "1010", "3000", "1").is(201).id();
    for method in ["PUT", "PATCH", "DELETE"] {
        let request = books.shop.request(method, &format!("{PATH}/{id}")).json(&json!({})).send();
        request.refused(405, "METHOD_NOT_ALLOWED");
    }
    for (table, change) in [
        ("ledger_entry", "update ledger_entry set description = 'x' where {tenant}"),
        ("ledger_entry_line", "update ledger_entry_line set line_no = 7 where {tenant}"),
        ("ledger_entry", "delete from ledger_entry where {tenant}"),
        ("ledger_entry_line", "delete from ledger_entry_line where {tenant}"),
    ] {
        assert!(books.shop.try_write(change).is_err(), "{table}: {change}");
    }
}

fn l39_a_failed_operation_leaves_no_entry(database: Database) {
    let books = books(database);
    let before = books.shop.digest();
    let post = books.posting(&[("CASH_MOVEMENT", "debit", "1"), ("REVENUE", "credit", "1")]);
    books.calls(&[post.clone().into(), Call::Fail]).refused(409, "ILLEGAL_STATE");
    let mut uneven = books.posting(&[("CASH_MOVEMENT", "debit", "1"), ("REVENUE", "credit", "2")]);
    books.calls(&[post.clone().into(), uneven.clone().into()]).refused(500, "MODULE_FAILED");
    uneven.legs[0].target = Target::Role("NO_SUCH_ROLE".to_string());
    books.call(uneven).refused(500, "MODULE_FAILED");
    let usd = Posting { currency_code: "USD".to_string(), ..post.clone() };
    books.call(Call::PostAll(vec![post.clone(), usd])).refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED");
    assert_eq!(books.shop.digest(), before);
    let answer = books.call(post).is(200);
    let entry = read_answer::<Option<Key>>(&answer, 0).expect("an entry");
    let read = books.shop.get(&format!("{PATH}/{}", id(entry))).is(200);
    assert_eq!(read["requestId"].as_str(), answer.header("x-request-id"));
    assert_eq!(read["actorType"], "USER");
    let one = || books.posting(&[("CASH_MOVEMENT", "debit", "1"), ("REVENUE", "credit", "1")]);
    let nothing = books.posting(&[("CASH_MOVEMENT", "debit", "0")]);
    let entries: Vec<Option<Key>> = books.ask(Call::PostAll(vec![one(), nothing, one(), one()]));
    assert_eq!(entries.iter().map(Option::is_none).collect::<Vec<_>>(), [false, true, false, false]);
}

fn filters_of_the_journal(database: Database) {
    let books = books(database);
    let first = books.manual(&month_day(3, 2), "1010", "3000", "10").is(201).id();
    let body = with(
        &books.entry(&month_day(2, 2), &[("1010", "debit", "20"), ("3000", "credit", "20")]),
        json!({
            "reference": "INV 77 %", "description": "Fee of the Bank",
        }),
    );
    let second = books.shop.post(PATH, body).is(201).id();
    let party = Uuid::now_v7().to_string();
    let mut posting = books.posting(&[("RECEIVABLE", "debit", "30"), ("SALES_CLEARING", "credit", "30")]);
    posting.legs[0].party = customer(&party);
    let source = id(posting.source_id);
    let third = books.post_entry(posting).id();
    let found = |query: &[(&str, &str)]| {
        let query: Vec<_> = query.iter().copied().chain([("legalEntityId", books.entity.as_str())]).collect();
        books.shop.list(PATH, &query).is(200).ids()
    };
    type Asked<'a> = &'a [(&'a str, &'a str)];
    let cases: [(Asked<'_>, Vec<&String>); 12] = [
        (&[], vec![&first, &second, &third]),
        (&[("from", &month_day(2, 2)), ("to", &month_day(2, 2))], vec![&second]),
        (&[("month", &month(3))], vec![&first]),
        (&[("accountId", &books.account("1010"))], vec![&first, &second]),
        (&[("sourceKind", "TEST")], vec![&third]),
        (&[("sourceId", &source)], vec![&third]),
        (&[("partyId", &party)], vec![&third]),
        (&[("partyId", &party), ("accountId", &books.account("1160"))], vec![]),
        (&[("totalMin", "20")], vec![&second, &third]),
        (&[("totalMin", "10.000001"), ("totalMax", "20")], vec![&second]),
        (&[("text", "bANK")], vec![&second]),
        (&[("text", "77 %")], vec![&second]),
    ];
    for (query, expected) in cases {
        assert_eq!(found(query).iter().collect::<Vec<_>>(), expected, "{query:?}");
    }
    assert_eq!(books.shop.all(PATH, &[("legalEntityId", &books.entity), ("limit", "1")]).len(), 3);
    books.shop.get(PATH).refused(400, "VALIDATION_FAILED").at("/query/legalEntityId");
}

fn manual_lines_are_as_fine_as_the_books(database: Database) {
    let (finest, total) = ("0.000000000001", "99999999999999999999999999.000000000001");
    let fine = books_with(database, json!({ "amountScale": 12 }));
    let small = fine.manual(&day(0), "1010", "3000", finest).is(201);
    assert_eq!(small["total"], finest);
    let large = fine.manual(&day(0), "1010", "3000", total).is(201).id();
    assert_eq!(fine.closing()["3000"], "-99999999999999999999999999.000000000002");
    let twice = fine.entry(&day(0), &[("1010", "debit", total); 2]);
    let lines = [twice["lines"].clone(), fine.entry(&day(0), &[("3000", "credit", total); 2])["lines"].clone()];
    let lines: Vec<Json> = lines.iter().flat_map(|lines| lines.as_array().cloned().unwrap_or_default()).collect();
    let wide = with(&twice, json!({ "lines": lines }));
    fine.shop.post(PATH, wide).refused(409, "ACCOUNTING_AMOUNT_PRECISION").fault("/lines", "AMOUNT_PRECISION");
    // Totals are found to the last digit.
    let found =
        |name: &str, bound: &str| fine.shop.list(PATH, &[("legalEntityId", &fine.entity), (name, bound)]).is(200).ids();
    assert_eq!(found("totalMin", total), [large.as_str()]);
    assert_eq!(found("totalMin", "0.000000000002"), [large]);
    assert_eq!(found("totalMax", finest), [small.id()]);
    for wrong in ["0.0000000000001", "100000000000000000000000000", "-1", "01"] {
        let query = [("legalEntityId", fine.entity.as_str()), ("totalMin", wrong)];
        fine.shop.list(PATH, &query).refused(400, "VALIDATION_FAILED").fault("/query/totalMin", "FORMAT");
    }
    let coarse = books_with(database, json!({ "amountScale": 7 }));
    coarse.manual(&day(0), "1010", "3000", "0.0000001").is(201);
    let refused = coarse.manual(&day(0), "1010", "3000", "0.00000001").refused(409, "ACCOUNTING_AMOUNT_PRECISION");
    refused.fault("/lines/0/debit", "AMOUNT_PRECISION").fault("/lines/1/credit", "AMOUNT_PRECISION");
    coarse.manual(&day(0), "1010", "3000", "0.100000000000").is(201);
}
