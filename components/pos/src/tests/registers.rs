//! Registers.

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{ask, rows, whole};
use stoa_sdk::store::Reply;
use stoa_sdk::{Id, Problem};

use crate::Pos;
use crate::records::register::RegisterRow;
use crate::tests::counter::{
    Counter, ENTITY, LIST, REGISTER, SAFE, SESSION, TILL, WAREHOUSE, a_refusal, call, kinds, refusal, register,
};

fn create(body: Json) -> Result<Json, Problem> {
    ask::<Pos>("createPosRegister", &[], &[], Some(body))
}

fn body() -> Json {
    json!({ "code": "POS-2", "name": "Two", "warehouseId": WAREHOUSE, "priceListId": LIST })
}

fn with(member: &str, value: Id) -> Json {
    let mut body = body();
    body[member] = json!(value);
    body
}

#[test]
fn a_register_takes_entity_and_currency_from_what_it_names() {
    let (log, _) = Counter::default().open(vec![vec![Reply::Inserted(vec![true])]]);
    let made = create(with("cashAccountId", TILL)).unwrap();
    assert_eq!((made["legalEntityId"].clone(), made["currencyCode"].clone()), (json!(ENTITY), json!("EUR")));
    assert_eq!((made["cashAccountId"].clone(), made["openSessionId"].clone()), (json!(TILL), Json::Null));
    assert_eq!(kinds(&log), ["pos.register.created"]);
}

#[test]
fn e285_what_a_register_names_must_be_usable() {
    let all = Counter::default;
    let nowhere = Id(9, 9);
    for (counter, body, expected) in [
        (all(), with("warehouseId", nowhere), a_refusal("NOT_FOUND", &["/warehouseId NOT_FOUND"])),
        (all(), with("priceListId", nowhere), a_refusal("NOT_FOUND", &["/priceListId NOT_FOUND"])),
        (
            Counter { warehouse_is_active: false, ..all() },
            body(),
            a_refusal("REFERENCE_INVALID", &["/warehouseId ARCHIVED"]),
        ),
        (
            Counter { warehouse_is_normal: false, ..all() },
            body(),
            a_refusal("REFERENCE_INVALID", &["/warehouseId NOT_NORMAL"]),
        ),
        (
            Counter { list_is_active: false, ..all() },
            body(),
            a_refusal("REFERENCE_INVALID", &["/priceListId ARCHIVED"]),
        ),
        // [E286]
        (
            all(),
            with("cashAccountId", SAFE),
            a_refusal("PAYMENT_ACCOUNT_INVALID", &["/cashAccountId PAYMENT_ACCOUNT_INVALID"]),
        ),
    ] {
        let (log, _) = counter.open(Vec::new());
        assert_eq!(refusal(create(body)), expected);
        assert!(log.borrow().runs.is_empty());
    }
}

#[test]
fn e284_a_register_with_an_open_session_is_not_archived() {
    let open = RegisterRow { open_session_id: Some(SESSION), ..register() };
    Counter::default().open(vec![vec![rows([whole(&open, 1)])]]);
    assert_eq!(refusal(call("archivePosRegister", REGISTER, json!({}))), a_refusal("SESSION_OPEN", &[]));
    let (log, _) = Counter::default().open(vec![vec![rows([whole(&register(), 1)])], vec![Reply::Done]]);
    let archived = call("archivePosRegister", REGISTER, json!({})).unwrap();
    assert_eq!(archived["status"], json!("ARCHIVED"));
    assert_eq!(kinds(&log), ["pos.register.archived"]);
}
