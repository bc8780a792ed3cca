//! Months of the books: closed in order with their totals, opened again from the last, and never posted into once closed.

use serde_json::{Value as Json, json};
use stoa_tests::books::{Books, books, books_with, customer, day, entity, leg, month, month_day, text};
use stoa_tests::broken::find_broken;
use stoa_tests::services::ledger::{Call, Target};
use stoa_tests::{Database, at_once, on_both_databases};
use uuid::Uuid;

on_both_databases![
    months_are_open_until_closed,
    l24_the_second_snapshot_counts,
    l25_a_close_sees_every_posting_or_refuses_it,
    l28_periods_are_those_of_a_year,
    snapshots_keep_branches_apart,
    months_of_an_archived_entity_stay,
    a_month_of_more_than_four_pages_of_groups_closes,
    lines_are_summed_as_others_are_posted,
    late_lines_are_counted_once,
];

on_both_databases![
    rules:
    l22_months_close_in_order,
    l23_only_the_last_closed_month_opens,
    l26_entries_are_dated_within_the_books,
];

fn period(books: &Books, months_ago: u32) -> Json {
    let wanted = month(months_ago);
    let listed = books.shop.list(&books.at("periods"), &[("year", &wanted[..4])]).is(200);
    listed.items().iter().find(|period| period["month"] == wanted).cloned().unwrap_or(Json::Null)
}

fn months_are_open_until_closed(database: Database) {
    let books = books(database);
    let open = period(&books, 3);
    assert_eq!(
        (&open["status"], &open["version"], &open["from"]),
        (&json!("OPEN"), &json!(1), &json!(month_day(3, 1)))
    );
    assert_eq!((&open["closedAt"], &open["closedBy"]), (&Json::Null, &Json::Null));
    let closed = books.close(&month(3)).is(200);
    assert_eq!((&closed["status"], &closed["version"]), (&json!("CLOSED"), &json!(2)));
    assert!(closed["closedAt"].is_string() && closed["closedBy"].is_string(), "{closed}");
    assert_eq!(period(&books, 3), closed.body);
    let opened = books.reopen(&month(3)).is(200);
    assert_eq!((&opened["status"], &opened["version"]), (&json!("OPEN"), &json!(3)));
    assert!(opened["reopenedAt"].is_string(), "{opened}");
    let audited = books
        .shop
        .rows("select operation from stoa_audit where {tenant} and resource_type = 'ACCOUNTING_PERIOD' order by id");
    assert_eq!(audited, [["closePeriod"], ["reopenPeriod"]]);
}

fn l22_months_close_in_order(database: Database) {
    let books = books(database);
    let refused = |months_ago: u32, code: &str| {
        books.close(&month(months_ago)).refused(409, "ILLEGAL_STATE").fault("/path/month", code);
    };
    refused(0, "MONTH_NOT_ENDED");
    refused(2, "EARLIER_MONTH_OPEN");
    let close_path = |months_ago: u32| books.at(&format!("periods/{}/close", month(months_ago)));
    books.shop.post(&close_path(3), json!({ "expectedVersion": 2 })).refused(409, "VERSION_CONFLICT");
    books.shop.post(&close_path(4), json!({ "expectedVersion": 1 })).refused(404, "NOT_FOUND");
    books.close(&month(3)).is(200);
    refused(3, "CLOSED");
    books.shop.post(&close_path(3), json!({ "expectedVersion": 1 })).refused(409, "VERSION_CONFLICT");
    refused(1, "EARLIER_MONTH_OPEN");
    books.close(&month(2)).is(200);
    books.close(&month(1)).is(200);
    refused(0, "MONTH_NOT_ENDED");
    for wrong in ["2026-13", "2026-1", "2026", "2026-00"] {
        let path = books.at(&format!("periods/{wrong}/close"));
        books.shop.post(&path, json!({ "expectedVersion": 1 })).refused(400, "VALIDATION_FAILED").at("/path/month");
    }
    let without = books.shop.post("ledger/legal-entities", entity("NONE")).is(201).id();
    let path = format!("ledger/legal-entities/{without}/periods/{}/close", month(3));
    books.shop.post(&path, json!({ "expectedVersion": 1 })).refused(404, "NOT_FOUND");
}

fn l23_only_the_last_closed_month_opens(database: Database) {
    let books = books(database);
    books.reopen(&month(3)).refused(409, "ILLEGAL_STATE").fault("/path/month", "NOT_CLOSED");
    books.close(&month(3)).is(200);
    books.close(&month(2)).is(200);
    books.reopen(&month(3)).refused(409, "ILLEGAL_STATE").fault("/path/month", "LATER_MONTH_CLOSED");
    books.reopen(&month(2)).is(200);
    books.reopen(&month(3)).is(200);
    let path = books.at(&format!("periods/{}/reopen", month(3)));
    books.shop.post(&path, json!({ "expectedVersion": 3 })).refused(400, "VALIDATION_FAILED").at("/reason");
}

fn l24_the_second_snapshot_counts(database: Database) {
    let books = books(database);
    books.manual(&month_day(3, 5), "1010", "3000", "10").is(201);
    books.close(&month(3)).is(200);
    books
        .manual(&month_day(3, 6), "1010", "3000", "1")
        .refused(409, "ACCOUNTING_PERIOD_CLOSED")
        .fault("/entryDate", "MONTH_CLOSED");
    books.reopen(&month(3)).is(200);
    books.manual(&month_day(3, 6), "1010", "3000", "1").is(201);
    books.manual(&month_day(2, 6), "1010", "3000", "0.5").is(201);
    books.close(&month(3)).is(200);
    books.close(&month(2)).is(200);
    let snapshots = books
        .shop
        .rows("select month, closing_no, count(*) from ledger_period_total where {tenant} group by 1, 2 order by 1, 2");
    let expected = [(3, 1), (3, 2), (2, 1)].map(|(ago, no)| vec![month(ago), no.to_string(), "2".to_string()]);
    assert_eq!(snapshots, expected);
    assert_eq!(books.closing()["1010"], "11.500000000000");
    let opening = books.trial(&[("from", &month_day(2, 1)), ("to", &month_day(2, 7))]);
    assert_eq!(
        (&opening["1010"]["opening"], &opening["1010"]["debit"]),
        (&json!("11.000000000000"), &json!("0.500000000000"))
    );
}

/// Fifty postings of a month race its close: each is in the snapshot, or was refused.
fn l25_a_close_sees_every_posting_or_refuses_it(database: Database) {
    let books = books_with(database, json!({ "booksStartOn": month_day(1, 1) }));
    let (bank, capital) = (books.account("1010"), books.account("3000"));
    let entry = json!({
        "legalEntityId": books.entity, "entryDate": month_day(1, 9), "description": "Race",
        "lines": [{ "accountId": bank, "debit": "1" }, { "accountId": capital, "credit": "1" }],
    });
    let closing = books.at(&format!("periods/{}/close", month(1)));
    let answers = at_once(51, |n| match n {
        25 => books.shop.post(&closing, json!({ "expectedVersion": 1 })),
        n if n % 2 == 0 => books.shop.post("ledger/journal-entries", entry.clone()),
        _ => {
            let mut posting = books.posting(&[("CASH_MOVEMENT", "debit", "1"), ("REVENUE", "credit", "1")]);
            posting.on = Some(month_day(1, 9));
            posting.on_pointer = Some("/paidOn".to_string());
            books.call(posting)
        }
    });
    let mut posted: (i64, i64) = (0, 0);
    for (n, answer) in answers.into_iter().enumerate() {
        match (n, answer.status) {
            (25, _) => drop(answer.is(200)),
            (n, 200 | 201) if n % 2 == 0 => posted.0 += 1,
            (_, 200 | 201) => posted.1 += 1,
            _ => {
                let pointer = if n % 2 == 0 { "/entryDate" } else { "/paidOn" };
                answer.refused(409, "ACCOUNTING_PERIOD_CLOSED").fault(pointer, "MONTH_CLOSED");
            }
        }
    }
    let next = books.trial(&[("from", &month_day(0, 1)), ("includeZero", "true")]);
    for (code, count) in [("1010", posted.0), ("5310", posted.1)] {
        assert_eq!(next[code]["opening"], json!(format!("{count}.000000000000")), "{code}");
    }
    assert_eq!(books.entries(), posted.0 + posted.1);
    let kept = books.shop.count("ledger_period_total", "closing_no = 1");
    assert_eq!(kept, 2 * i64::from(posted.0 > 0) + 2 * i64::from(posted.1 > 0));
}

fn l26_entries_are_dated_within_the_books(database: Database) {
    let books = books(database);
    let before = stoa_tests::books::month_day(4, 28);
    books
        .manual(&before, "1010", "3000", "1")
        .refused(409, "ACCOUNTING_PERIOD_CLOSED")
        .fault("/entryDate", "BEFORE_BOOKS");
    books.manual(&day(2), "1010", "3000", "1").refused(400, "VALIDATION_FAILED").fault("/entryDate", "DATE_IN_FUTURE");
    let posted = |on: &str| {
        let mut posting = books.posting(&[("CASH_MOVEMENT", "debit", "1"), ("REVENUE", "credit", "1")]);
        posting.on = Some(on.to_string());
        posting.on_pointer = Some("/issuedOn".to_string());
        books.call(posting)
    };
    posted(&before).refused(409, "ACCOUNTING_PERIOD_CLOSED").fault("/issuedOn", "BEFORE_BOOKS");
    posted(&day(2)).refused(400, "VALIDATION_FAILED").fault("/issuedOn", "DATE_IN_FUTURE");
    for on in [month_day(3, 1), day(0), day(1)] {
        posted(&on).is(200);
        books.manual(&on, "1010", "3000", "1").is(201);
    }
    for wrong in ["2026-02-30", "2026-1-1", "today", ""] {
        books.manual(wrong, "1010", "3000", "1").refused(400, "VALIDATION_FAILED").at("/entryDate");
    }
    assert_eq!(books.ask::<String>(Call::Today), day(0));
}

fn l28_periods_are_those_of_a_year(database: Database) {
    let books = books_with(database, json!({ "booksStartOn": "2024-03-15" }));
    books.shop.get(&books.at("periods")).refused(400, "VALIDATION_FAILED").at("/query/year");
    books.shop.list(&books.at("periods"), &[("year", "0")]).refused(400, "VALIDATION_FAILED").at("/query/year");
    let months = |year: &str| {
        let listed = books.shop.list(&books.at("periods"), &[("year", year)]).is(200);
        assert_eq!(listed["nextCursor"], Json::Null);
        listed.items().iter().map(|period| period["month"].as_str().unwrap_or_default().to_string()).collect::<Vec<_>>()
    };
    assert_eq!((months("2023").len(), months("2024").len(), months("2025").len()), (0, 10, 12));
    assert_eq!(months("2024")[0], "2024-03");
    assert_eq!(months(&month(0)[..4]).last(), Some(&month(0)));
    assert!(months("9999").is_empty());
    let unknown = format!("ledger/legal-entities/{}/periods", Uuid::now_v7());
    books.shop.list(&unknown, &[("year", "2026")]).refused(404, "NOT_FOUND");
}

fn snapshots_keep_branches_apart(database: Database) {
    let books = books(database);
    let branch = |code: &str| {
        let body = json!({ "legalEntityId": books.entity, "code": code, "name": code });
        books.shop.post("ledger/branches", body).is(201).id()
    };
    let (north, south) = (branch("NORTH"), branch("SOUTH"));
    let (bank, capital) = (books.account("1010"), books.account("3000"));
    let post = |on: String, branch_id: Option<&str>, amount: &str| {
        let body = json!({
            "legalEntityId": books.entity, "entryDate": on, "description": "Split", "branchId": branch_id,
            "lines": [
                { "accountId": bank, "debit": amount },
                { "accountId": capital, "credit": amount, "branchId": south },
            ],
        });
        books.shop.post("ledger/journal-entries", body).is(201);
    };
    post(month_day(3, 2), Some(&north), "1");
    post(month_day(3, 3), None, "2");
    books.close(&month(3)).is(200);
    post(month_day(2, 2), Some(&north), "4");
    books.close(&month(2)).is(200);
    post(month_day(1, 2), Some(&north), "8");
    let closing =
        |branch: &str, code: &str| books.trial(&[("branchId", branch)]).get(code).map(|row| row["closing"].clone());
    assert_eq!((closing(&north, "1010"), closing(&north, "3000")), (Some(json!("13.000000000000")), None));
    assert_eq!((closing(&south, "3000"), closing(&south, "1010")), (Some(json!("-15.000000000000")), None));
    assert_eq!(books.closing()["1010"], "15.000000000000");
    let absent = Uuid::now_v7().to_string();
    let query = [("legalEntityId", books.entity.as_str()), ("branchId", &absent)];
    books.shop.list("ledger/trial-balance", &query).refused(404, "NOT_FOUND").at("/query/branchId");
}

fn months_of_an_archived_entity_stay(database: Database) {
    let books = books_with(database, json!({ "chart": "NONE" }));
    books.close(&month(3)).is(200);
    books.shop.archive(&format!("ledger/legal-entities/{}", books.entity)).is(200);
    books.close(&month(2)).refused(409, "ARCHIVED");
    books.reopen(&month(3)).refused(409, "ARCHIVED");
    assert_eq!(
        (period(&books, 3)["status"].clone(), period(&books, 2)["status"].clone()),
        (json!("CLOSED"), json!("OPEN"))
    );
}

/// Copies the lines of the only entry, each copy for a branch of its own, behind the host's back: the requests that would write
/// them are as many. Their ids are of a time long past.
fn copy_lines(books: &Books, copies: u32) {
    let branch = match books.shop.host.database() {
        Database::Sqlite => "printf('00000000-0000-4000-8000-%012d', s.n)",
        Database::Postgres => "'00000000-0000-4000-8000-' || lpad(s.n::text, 12, '0')",
    };
    let (id, entry) = (books.shop.numbered_id("s.n * 2 + t.line_no"), books.shop.numbered_id("s.n"));
    books.shop.copy_rows(
        "ledger_entry_line",
        "1 = 1",
        copies,
        &[("id", &id), ("entry_id", &entry), ("branch", branch)],
    );
}

fn a_month_of_more_than_four_pages_of_groups_closes(database: Database) {
    let books = books(database);
    books.manual(&month_day(3, 2), "1010", "3000", "1").is(201);
    copy_lines(&books, 4_000);
    books.close(&month(3)).is(200);
    assert_eq!(books.shop.count("ledger_period_total", "1 = 1"), 8_002);
    assert_eq!(books.closing()["1010"], "4001.000000000000");
    // The snapshot is the next one's beginning.
    books.manual(&month_day(2, 2), "1010", "3000", "1").is(201);
    books.close(&month(2)).is(200);
    assert_eq!(books.shop.count("ledger_period_total", "1 = 1"), 16_004);
    assert_eq!(books.closing()["1010"], "4002.000000000000");
}

fn lines_are_summed_as_others_are_posted(database: Database) {
    let books = books(database);
    books.manual(&month_day(3, 2), "1010", "3000", "1").is(201);
    copy_lines(&books, 3_000);
    assert_eq!(books.shop.count("ledger_day_total", "1 = 1"), 0);
    let before = books.trial(&[]);
    // One of about a thousand lines brings the totals forward: one of these 1,200 does. The first entry may have done so too, and
    // no person does twice in a minute.
    books.shop.change("delete from ledger_summed_lines where {tenant}");
    let postings = (0..6).map(|_| {
        let mut posting = books.posting(&[("SALES_CLEARING", "credit", "199")]);
        posting.legs.extend((0..199).map(|_| {
            let party = customer(&Uuid::now_v7().to_string());
            stoa_tests::services::ledger::Leg { party, ..leg(Target::Role("RECEIVABLE".to_string()), "debit", "1") }
        }));
        posting
    });
    books.call(Call::PostAll(postings.collect())).is(200);
    assert_eq!(books.shop.count("ledger_day_total", "1 = 1"), 6_000);
    let after = books.trial(&[]);
    assert_eq!((&after["1010"], &after["3000"]), (&before["1010"], &before["3000"]));
    assert_eq!(text(&after["1100"]["closing"]), "1194.000000000000");
    let branch = format!("00000000-0000-4000-8000-{:012}", 7);
    let of_branch =
        books.shop.rows(&format!("select count(*) from ledger_day_total where {{tenant}} and branch = '{branch}'"));
    assert_eq!(of_branch, [["2"]]);
    // They close as the lines do, and again after one more.
    books.close(&month(3)).is(200);
    assert_eq!(books.shop.count("ledger_period_total", "1 = 1"), 6_002);
    books.reopen(&month(3)).is(200);
    books.manual(&month_day(3, 2), "1010", "3000", "0.5").is(201);
    books.close(&month(3)).is(200);
    assert_eq!(books.closing()["1010"], "3001.500000000000");
    books.shop.verified();
    books.shop.change("update ledger_day_total set debit = credit where {tenant}");
    let broken = find_broken(&books.shop);
    assert!(broken.contains("day-total") && broken.contains("period-total"), "{broken:?}");
}

/// Lines of a time that is summed already: as of a request that comes to its lock late.
fn late_lines_are_counted_once(database: Database) {
    let books = books(database);
    let (id, later) = match database {
        Database::Sqlite => ("id", "created_at + 3600000"),
        Database::Postgres => ("id", "created_at + interval '1 hour'"),
    };
    books.shop.change(&format!(
        "insert into ledger_summed_lines (tenant_id, id, version, created_at, updated_at, legal_entity_id, until)
         select tenant_id, {id}, 1, created_at, updated_at, id, {later} from ledger_legal_entity
         where {{tenant}} and code = 'BOOKS'"
    ));
    let first = books.manual(&month_day(3, 2), "1010", "3000", "10").is(201).id();
    let reverse = json!({ "reason": "Wrong", "entryDate": month_day(3, 3) });
    books.shop.post(&format!("ledger/journal-entries/{first}/reverse"), reverse).is(201);
    books.manual(&month_day(3, 2), "1010", "3000", "4").is(201);
    let posting = || books.posting(&[("CASH_MOVEMENT", "debit", "1"), ("REVENUE", "credit", "1")]);
    books.call(Call::PostAll(vec![posting(), posting()])).is(200);
    // A total for each side of three days; no further line is read.
    assert_eq!(books.shop.count("ledger_day_total", "1 = 1"), 6);
    let closing = books.closing();
    assert_eq!((closing["1010"].as_str(), closing["4000"].as_str()), ("4.000000000000", "-2.000000000000"));
    let range = books.trial(&[("from", &month_day(3, 3)), ("to", &month_day(3, 3))]);
    assert_eq!(
        (&range["1010"]["opening"], &range["1010"]["credit"]),
        (&json!("14.000000000000"), &json!("10.000000000000"))
    );
    books.close(&month(3)).is(200);
    assert_eq!(books.closing(), closing);
    books.shop.verified();
}
