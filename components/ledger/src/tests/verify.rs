//! Findings of `verify`.

use stoa_sdk::scripted::{NOW, rows, script, whole};
use stoa_sdk::{Id, Instant, Module};

use crate::Ledger;
use crate::records::entry::{EntryRow, LineRow};
use crate::tests::rows::{ENTITY, date, line, postability};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;

#[test]
fn verify_finds_entries_that_do_not_balance() {
    let entry = EntryRow {
        id: Id(8, 1),
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        legal_entity_id: ENTITY,
        entry_date: date("2026-01-01"),
        month: Month::from_day(date("2026-01-01")),
        currency_code: "EUR".to_owned(),
        source_kind: "TEST".to_owned(),
        source_id: Id(9, 9),
        purpose: "TEST".to_owned(),
        description: "Test".to_owned(),
        reference: None,
        reversal_of: None,
        total: Amount::from_units(5),
        actor_type: "USER".to_owned(),
        actor_id: "alice".to_owned(),
        request_id: Id(2, 2),
    };
    let line = |line_no: i64, debit: i128, credit: i128| {
        let (debit, credit) = (Amount::from_units(debit), Amount::from_units(credit));
        LineRow { line_no, debit, credit, ..line(Id(8, 10), "2026-01-01", 1) }
    };
    let found = |lines: Vec<LineRow>| -> Vec<String> {
        let lines = rows(lines.iter().map(|line| whole(line, 1)));
        script(vec![vec![rows(vec![whole(&entry, 1)])], vec![lines], vec![rows(vec![postability(1, true)])]]);
        let findings = (Ledger::MANIFEST.verify)(None);
        assert_eq!(findings.next.as_deref(), Some("day:"));
        findings.findings.into_iter().map(|finding| finding.invariant).collect()
    };
    assert!(found(vec![line(1, 5, 0), line(2, 0, 5)]).is_empty());
    assert_eq!(found(vec![line(1, 5, 0), line(2, 0, 4)]), ["entry-balance"]);
    assert_eq!(found(vec![line(1, 5, 5)]), ["entry-line"]);
    let late = LineRow { entry_date: date("2026-01-02"), ..line(2, 0, 5) };
    assert_eq!(found(vec![line(1, 5, 0), late]), ["entry-line"]);
}
