//! Cash movements.

use serde_json::json;
use stoa_sdk::store::Reply;

use crate::records::session::SessionRow;
use crate::tests::counter::{
    Counter, SESSION, a_refusal, call, closed_session, kinds, refusal, session, session_reply,
};

#[test]
fn e292_only_the_operator_moves_cash_and_knows_the_version() {
    let other = SessionRow { operator_id: "bob".to_owned(), ..session() };
    let closed = SessionRow { version: 3, ..closed_session() };
    let here = session();
    for (session, version, reason, expected) in [
        (&other, 3, "change", a_refusal("PERMISSION_DENIED", &[])),
        (&here, 2, "change", a_refusal("VERSION_CONFLICT", &[])),
        (&closed, 3, "change", a_refusal("ILLEGAL_STATE", &[])),
        (&other, 3, "4111 1111 1111 1111", a_refusal("VALIDATION_FAILED", &["/reason CARD_NUMBER_REFUSED"])),
    ] {
        let (_, acts) = Counter::default().open(vec![vec![session_reply(session)]]);
        let body = json!({ "expectedVersion": version, "direction": "OUT", "amount": "5", "reason": reason });
        assert_eq!(refusal(call("createPosCashMovement", SESSION, body)), expected);
        assert!(acts.borrow().is_empty());
    }
}

#[test]
fn a_movement_raises_the_sessions_version_and_tells_nobody() {
    let written = vec![Reply::Done, Reply::Inserted(vec![true])];
    let (log, acts) = Counter::default().open(vec![vec![session_reply(&session())], written]);
    let body = json!({ "expectedVersion": 3, "direction": "IN", "amount": "5", "reason": "change" });
    let movement = call("createPosCashMovement", SESSION, body).unwrap();
    assert_eq!((movement["sessionVersion"].clone(), movement["createdBy"].clone()), (json!(4), json!("alice")));
    assert_eq!(*acts.borrow(), ["move 5.000000"]);
    assert!(kinds(&log).is_empty());
}
