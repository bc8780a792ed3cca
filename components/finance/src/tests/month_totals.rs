//! How lines come into the totals by month in steps, and what is read of them meanwhile.

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{NOW, ask, rows, script, whole};
use stoa_sdk::store::{Call, LockMode, Reply, Value};
use stoa_sdk::{Field, Id, Instant, Module};
use stoa_trade::quantity::Amount;
use stoa_trade::snapshot::SummedLinesRow;

use crate::Finance;
use crate::records::party_entry::{DocumentKind, PartyAccount, PartyAct, PartyEntryRow};
use crate::records::side::Side;
use crate::tests::rows::{CUSTOMER, ENTITY, INVOICE, day, money};
use crate::work::entries::{Debtor, Document, Owed, entry};

const MINUTE: i64 = 60_000;

/// A customer's debt of an invoice that was posted on this day, written at this time.
fn debt(time: i64, amount: &str, on: &str) -> PartyEntryRow {
    let debtor = Debtor { side: Side::Sales, party: CUSTOMER, entity: ENTITY, currency_code: "EUR".to_owned() };
    let document = Document { kind: DocumentKind::Invoice, id: INVOICE, number: "INV-1".to_owned() };
    let owed = Owed { invoice: INVOICE, due_on: day("2026-01-31") };
    let row = entry(&debtor, &document, PartyAct::Post, PartyAccount::Invoices, Some(owed), day(on), money(amount));
    PartyEntryRow { id: Id::first_at(Instant(time)), ..row }
}

#[test]
fn a_step_waits_for_the_minutes_before_and_sums_each_month_and_due_day() {
    script([]);
    let lines = [
        debt(NOW - 9 * MINUTE, "7", "2025-12-30"),
        debt(NOW - 8 * MINUTE, "0.5", "2025-12-31"),
        debt(NOW - 8 * MINUTE + 1, "1", "2025-11-30"),
    ];
    let ids = || rows(lines.iter().map(|line| vec![line.id.put()]));
    let summed = SummedLinesRow::new(ENTITY);
    let log = script([
        vec![Reply::Done, Reply::Inserted(vec![false]), rows([whole(&summed, 1)])],
        vec![ids()],
        vec![rows([])],
        vec![rows([])],
        vec![rows(lines.iter().map(|line| whole(line, 1)))],
        vec![Reply::Done],
        vec![rows([])],
        vec![rows([])],
        vec![Reply::Done],
    ]);
    assert_eq!(Finance::upgrade("0.1.0", Some(ENTITY.to_string())).unwrap(), Some(format!("{ENTITY}.")));
    let runs = &log.borrow().runs;
    let Call::Lock(past) = &runs[0][0] else { panic!("{:?}", runs[0]) };
    assert_eq!(past.names.first(), Some(&(format!("lines:{ENTITY}:58"), LockMode::Exclusive)));
    let [Call::Update(added)] = runs[5].as_slice() else { panic!("{:?}", runs[5]) };
    assert_eq!((added.collection.as_str(), added.rows.len()), ("party_total", 2));
    let amount = |text: &str| text.parse::<Amount>().unwrap().to_string();
    let sums: Vec<_> = added.rows.iter().map(|row| (row.key[6].clone(), row.add.clone())).collect();
    let month = |text: &str| Value::Text(text.to_owned());
    assert_eq!(sums, [(month("2025-11"), vec![amount("1")]), (month("2025-12"), vec![amount("7.5")])]);
    let [Call::Update(until)] = runs[8].as_slice() else { panic!("{:?}", runs[8]) };
    assert_eq!(until.rows[0].set, [Value::Instant(NOW - MINUTE)]);
}

fn read_ageing(replies: Vec<Vec<Reply>>, as_of: &str) -> (Json, Vec<Vec<Call>>) {
    let log = script(replies);
    let query = [("legalEntityId", &*ENTITY.to_string()), ("currencyCode", "EUR"), ("asOf", as_of)];
    let answer = ask::<Finance>("getReceivablesAgeing", &[], &query, None).unwrap();
    let runs = log.borrow().runs.clone();
    (answer, runs)
}

fn of_months(amounts: [&str; 7]) -> Reply {
    rows([amounts.iter().map(|text| text.parse::<Amount>().unwrap().put()).collect()])
}

fn of_lines(amounts: [&str; 7]) -> Reply {
    rows([amounts.iter().map(|text| money(text).put()).collect()])
}

#[test]
fn what_is_asked_of_all_parties_is_read_of_months_edges_and_the_last_lines() {
    let until = || rows([vec![ENTITY.put(), Instant(NOW - 9 * MINUTE).put()]]);
    let sums = || {
        vec![
            rows([]),
            of_months(["100", "0", "0", "0", "0", "100", "-7"]),
            of_lines(["10", "0", "0", "0", "0", "10", "0"]),
            of_lines(["1", "0", "0", "0", "0", "1", "-0.5"]),
        ]
    };
    let (answer, runs) = read_ageing(vec![vec![until()], [sums(), vec![until()]].concat()], "2025-12-20");
    let totals = &answer["totals"];
    assert_eq!((&totals["total"], &totals["unapplied"]), (&json!("91.000000"), &json!("7.500000")));
    let [Call::Aggregate(_), Call::Aggregate(months), Call::Aggregate(edge), Call::Aggregate(last), Call::Find(_)] =
        runs[1].as_slice()
    else {
        panic!("{:?}", runs[1]);
    };
    assert_eq!((months.collection.as_str(), edge.collection.as_str()), ("party_total", "party_entry"));
    // The edge is what December has after the day; the last lines are found only by their ids.
    let text = |value: &dyn std::fmt::Debug| format!("{value:?}");
    assert!(text(&edge.where_).contains("2025-12-21") && text(&edge.where_).contains("2025-12-31"), "{edge:?}");
    assert!(
        !text(&last.where_).contains("currency_code") && text(&last.measures).contains("currency_code"),
        "{last:?}"
    );
    // Lines that were summed meanwhile are read again.
    let later = || rows([vec![ENTITY.put(), Instant(NOW - 5 * MINUTE).put()]]);
    let replies = vec![vec![until()], [sums(), vec![later()]].concat(), [sums(), vec![later()]].concat()];
    assert_eq!(read_ageing(replies, "2025-12-20").1.len(), 3);
}
