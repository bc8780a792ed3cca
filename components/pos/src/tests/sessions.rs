//! Sessions: opened, closed, reported.

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{ask, rows, whole};
use stoa_sdk::store::{Reply, Value};
use stoa_sdk::{Id, Problem};
use stoa_trade::Status;

use crate::Pos;
use crate::records::register::RegisterRow;
use crate::records::session::SessionRow;
use crate::tests::counter::{
    Counter, REGISTER, SESSION, TILL, a_refusal, call, closed_session, kinds, refusal, register, session, session_reply,
};
use crate::work::figures::{Figures, draw_totals};

fn open(register: Id) -> Result<Json, Problem> {
    let body = json!({ "registerId": register, "openingAmount": "100" });
    ask::<Pos>("openPosSession", &[], &[], Some(body))
}

fn found_register(register: &RegisterRow) -> Vec<Reply> {
    vec![rows([whole(register, register.version)])]
}

#[test]
fn a_session_is_numbered_and_is_its_openers() {
    let written = vec![Reply::Done, Reply::Inserted(vec![true])];
    let (log, _) = Counter::default().open(vec![found_register(&register()), written]);
    let opened = open(REGISTER).unwrap();
    assert_eq!((opened["sessionNo"].clone(), opened["version"].clone()), (json!(7), json!(1)));
    assert_eq!((opened["operatorId"].clone(), opened["cashAccountId"].clone()), (json!("alice"), json!(TILL)));
    assert_eq!((opened["expectedCash"].clone(), opened["variance"].clone()), (json!("100.000000"), Json::Null));
    assert_eq!(kinds(&log), ["pos.session.opened"]);
}

#[test]
fn e290_what_the_register_stands_on_is_judged_again() {
    let archived = RegisterRow { status: Status::Archived, ..register() };
    let taken = RegisterRow { open_session_id: Some(SESSION), ..register() };
    let all = Counter::default;
    for (counter, register, expected) in [
        (all(), archived, a_refusal("REFERENCE_INVALID", &["/registerId REFERENCE_INVALID"])),
        (all(), taken, a_refusal("SESSION_OPEN", &["/registerId SESSION_OPEN"])),
        (
            Counter { warehouse_is_active: false, ..all() },
            register(),
            a_refusal("ARCHIVED", &["/warehouseId ARCHIVED"]),
        ),
        (Counter { list_is_active: false, ..all() }, register(), a_refusal("ARCHIVED", &["/priceListId ARCHIVED"])),
    ] {
        counter.open(vec![found_register(&register)]);
        assert_eq!(refusal(open(REGISTER)), expected);
    }
    all().open(vec![vec![rows([])]]);
    assert_eq!(refusal(open(Id(9, 9))), a_refusal("NOT_FOUND", &["/registerId NOT_FOUND"]));
}

fn close(version: i64, notes: &str) -> Result<Json, Problem> {
    call("closePosSession", SESSION, json!({ "expectedVersion": version, "countedAmount": "99", "notes": notes }))
}

fn lock_replies(session: &SessionRow) -> Vec<Vec<Reply>> {
    vec![vec![rows([vec![Value::Id(REGISTER.into())]])], vec![rows([whole(&register(), 1)]), session_reply(session)]]
}

#[test]
fn e295_the_close_fixes_what_is_expected_and_counted() {
    let mut replies = lock_replies(&session());
    replies.push(vec![rows([]), rows([]), rows([])]);
    replies.push(vec![Reply::Done, Reply::Done, Reply::Inserted(vec![true; 5])]);
    let (log, _) = Counter::default().open(replies);
    let closed = close(3, "all well").unwrap();
    assert_eq!((closed["status"].clone(), closed["version"].clone()), (json!("CLOSED"), json!(4)));
    assert_eq!((closed["expectedCash"].clone(), closed["variance"].clone()), (json!("100.000000"), json!("-1.000000")));
    assert_eq!((closed["closedBy"].clone(), closed["notes"].clone()), (json!("alice"), json!("all well")));
    assert_eq!(kinds(&log), ["pos.session.closed"]);
}

#[test]
fn e297_a_closed_session_is_closed_for_good() {
    let closed = SessionRow { version: 3, ..closed_session() };
    let other = SessionRow { operator_id: "bob".to_owned(), ..session() };
    for (session, version, notes, expected) in [
        (&closed, 3, "", a_refusal("ILLEGAL_STATE", &[])),
        (&session(), 2, "", a_refusal("VERSION_CONFLICT", &[])),
        // [E298]: the caller of these tests does not hold settings.manage.
        (&other, 3, "", a_refusal("PERMISSION_DENIED", &[])),
        (&other, 3, "4111111111111111", a_refusal("VALIDATION_FAILED", &["/notes CARD_NUMBER_REFUSED"])),
    ] {
        Counter::default().open(lock_replies(session));
        assert_eq!(refusal(close(version, notes)), expected);
    }
}

#[test]
fn e304_a_session_without_a_receipt_has_a_report() {
    let read = vec![session_reply(&session()), rows([whole(&register(), 1)]), rows([])];
    let nothing = vec![rows([]), rows([]), rows([])];
    Counter::default().open(vec![read, nothing, vec![rows([]), rows([])]]);
    let report = call("getPosSessionReport", SESSION, Json::Null).unwrap();
    assert_eq!((report["kind"].clone(), report["registerCode"].clone()), (json!("X"), json!("POS-1")));
    assert_eq!(report["byMethod"], json!([]));
    assert_eq!(report["receipts"], json!({ "count": 0, "total": "0.000000", "firstId": null, "lastId": null }));
    assert_eq!(report["cash"]["refunds"], json!({ "count": 1, "amount": "10.000000" }));
}

#[test]
fn e300_the_report_of_a_closed_session_is_what_its_close_kept() {
    let kept = Figures {
        receipts: crate::records::session_report::Tally::NONE,
        change_given: "2.5".parse().unwrap(),
        by_method: Vec::new(),
        movements_in: crate::records::session_report::Tally { count: 1, amount: "5".parse().unwrap() },
        movements_out: crate::records::session_report::Tally::NONE,
        refunds: crate::records::session_report::Tally::NONE,
        refunds_voided: crate::records::session_report::Tally::NONE,
    };
    Counter::default().open(Vec::new());
    let totals = draw_totals(SESSION, &kept);
    let read = vec![
        session_reply(&closed_session()),
        rows([whole(&register(), 1)]),
        rows(totals.iter().map(|total| whole(total, 1))),
    ];
    Counter::default().open(vec![read, vec![rows([]), rows([])]]);
    let report = call("getPosSessionReport", SESSION, Json::Null).unwrap();
    assert_eq!((report["kind"].clone(), report["variance"].clone()), (json!("Z"), json!("-1.000000")));
    assert_eq!(report["cash"]["movementsIn"], json!({ "count": 1, "amount": "5.000000" }));
    // Finance's drawer tells of a refund; the close did not know it.
    assert_eq!(report["cash"]["refunds"], json!({ "count": 0, "amount": "0.000000" }));
    assert_eq!(report["asOf"], report["closedAt"]);
}
