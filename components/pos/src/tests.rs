//! Findings of `verify` about registers, sessions and receipts that are not as they should be.

use stoa_sdk::scripted::{NOW, rows, script, whole};
use stoa_sdk::store::{Reply, Value};
use stoa_sdk::{Findings, Id, Instant};
use stoa_trade::clients::Key;
use stoa_trade::clients::sales::{self, Item, Order, Status, Tracking};
use stoa_trade::clients::tills::{self, State, Tally};
use stoa_trade::payment_method::Method;

use crate::records::payment::{Component, Paid, PaymentRow};
use crate::records::receipt::ReceiptRow;
use crate::records::register::RegisterRow;
use crate::records::session::{OPEN_SLOT, SessionRow, SessionStatus};
use crate::verify::verify;

const REGISTER: Id = Id(4, 1);
const SESSION: Id = Id(4, 2);
const ORDER: Id = Id(4, 3);

fn register() -> RegisterRow {
    RegisterRow {
        id: REGISTER,
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        code: "POS-1".to_owned(),
        code_key: "pos-1".to_owned(),
        name: "Register 1".to_owned(),
        legal_entity_id: Id(3, 1),
        branch_id: None,
        warehouse_id: Id(3, 2),
        price_list_id: Id(3, 3),
        currency_code: "EUR".to_owned(),
        cash_account_id: None,
        status: stoa_trade::Status::Active,
        archived_at: None,
        open_session_id: None,
        last_session_no: 6,
        smallest_coin: None,
    }
}

/// An open session.
fn session() -> SessionRow {
    SessionRow {
        id: SESSION,
        version: 3,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        register_id: REGISTER,
        session_no: 7,
        open_slot: Some(OPEN_SLOT),
        legal_entity_id: Id(3, 1),
        branch_id: None,
        warehouse_id: Id(3, 2),
        price_list_id: Id(3, 3),
        currency_code: "EUR".to_owned(),
        cash_account_id: Some(Id(3, 5)),
        operator_id: "alice".to_owned(),
        status: SessionStatus::Open,
        opening_amount: "100".parse().unwrap(),
        expected_at_close: None,
        counted_amount: None,
        variance: None,
        notes: None,
        opened_at: Instant(NOW),
        closed_at: None,
        closed_by: None,
        smallest_coin: None,
    }
}

/// A confirmed order of one line.
fn order(total: &str) -> Order {
    let line = Item {
        id: (7, 1),
        order_id: ORDER.into(),
        line_no: 1,
        variant_id: (5, 1),
        product_id: (9, 9),
        sku: "A-1".to_owned(),
        description: "Phone".to_owned(),
        tracking: Tracking::Quantity,
        quantity: "1.000000".to_owned(),
        price_id: (6, 1),
        unit_price: "10.000000".to_owned(),
        line_total: total.to_owned(),
        list_unit_price: None,
        negotiated: false,
        discount_percent: None,
        discount_amount: None,
        reason: None,
        origin: None,
        billed: "0.000000".to_owned(),
        allocations: Vec::new(),
        units: Vec::new(),
    };
    Order {
        id: ORDER.into(),
        number: "SO-000001".to_owned(),
        status: Status::Confirmed,
        version: 2,
        customer_id: (3, 4),
        legal_entity_id: Id(3, 1).into(),
        branch_id: None,
        warehouse_id: Id(3, 2).into(),
        price_list_id: Id(3, 3).into(),
        currency_code: "EUR".to_owned(),
        total: total.to_owned(),
        collectable: true,
        receipt_id: None,
        completed_at: None,
        items: vec![line],
    }
}

/// A drawer that should hold 100 and gave one refund of 10.
fn drawer(session: Key) -> State {
    State {
        session_id: session,
        is_open: true,
        expected: "100.000000".to_owned(),
        refunds: Tally { count: 1, amount: "10.000000".to_owned() },
        voided_refunds: Tally { count: 0, amount: "0.000000".to_owned() },
    }
}

fn invariants(findings: &Findings) -> Vec<&str> {
    findings.findings.iter().map(|finding| finding.invariant.as_str()).collect()
}

fn id(id: Id) -> Value {
    Value::Id(id.into())
}

fn registers(register: RegisterRow, last_no: i64) -> Vec<String> {
    let open = vec![id(SESSION), id(REGISTER)];
    let numbered = vec![id(REGISTER), Value::Integer(7), Value::Integer(last_no)];
    script(vec![vec![rows([whole(&register, 1)])], vec![rows([open]), rows([numbered])]]);
    invariants(&verify(None)).into_iter().map(str::to_owned).collect()
}

#[test]
fn registers_name_the_session_that_is_open_and_count_without_a_gap() {
    let well = RegisterRow { open_session_id: Some(SESSION), last_session_no: 7, ..register() };
    assert!(registers(well.clone(), 7).is_empty());
    assert_eq!(registers(RegisterRow { open_session_id: None, ..well.clone() }, 7), ["T1"]);
    assert_eq!(registers(RegisterRow { last_session_no: 8, ..well.clone() }, 7), ["T7"]);
    assert_eq!(registers(well, 8), ["T7"]);
}

/// A session that moved `taken` out of its drawer and gave a refund of 10.
fn sessions(session: SessionRow, taken: &str) -> Vec<String> {
    let movements =
        vec![id(SESSION), Value::Text("OUT".to_owned()), Value::Integer(1), Value::Decimal(taken.to_owned())];
    let receipts =
        vec![id(SESSION), Value::Integer(1), Value::Decimal("30".to_owned()), Value::Decimal("0".to_owned())];
    let cash = vec![
        id(SESSION),
        Value::Text("CASH".to_owned()),
        Value::Null,
        Value::Integer(1),
        Value::Decimal("30".to_owned()),
    ];
    let versions = |version: i64| rows([vec![id(SESSION), Value::Integer(version)]]);
    tills::service::stand_in::read(|sessions| sessions.iter().map(|id| drawer(*id)).collect());
    script(vec![
        vec![rows([whole(&session, session.version)])],
        vec![rows([receipts]), rows([cash]), rows([movements])],
        vec![rows([])],
        vec![versions(2), versions(3)],
    ]);
    invariants(&verify(Some("sessions:".to_owned()))).into_iter().map(str::to_owned).collect()
}

#[test]
fn sessions_hold_what_their_rows_tell() {
    // 100 + 30 - 20 - a refund of 10 is what finance's drawer holds.
    assert!(sessions(session(), "20").is_empty());
    assert_eq!(sessions(session(), "19"), ["T2"]);
    assert_eq!(sessions(SessionRow { version: 4, ..session() }, "20"), ["T5"]);
    assert_eq!(sessions(SessionRow { open_slot: None, ..session() }, "20"), ["T6"]);
}

const RECEIPT: Id = Id(11, 1);

fn receipt() -> ReceiptRow {
    script([]);
    let cash = Component {
        line_no: 1,
        method: Method::Cash,
        card_kind: None,
        amount: "10".parse().unwrap(),
        account: None,
        reference: None,
    };
    let (total, tendered, change) = ("10".parse().unwrap(), "12".parse().unwrap(), "2".parse().unwrap());
    ReceiptRow::new(RECEIPT, &session(), ORDER, &Paid { total, components: vec![cash], cash: total, tendered, change })
}

fn payment() -> PaymentRow {
    PaymentRow {
        id: Id(12, 1),
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        receipt_id: RECEIPT,
        session_id: SESSION,
        line_no: 1,
        method: Method::Cash,
        card_kind: None,
        amount: "10".parse().unwrap(),
        currency_code: "EUR".to_owned(),
        account_id: None,
        reference: None,
        payment_id: Id(20, 1),
    }
}

fn receipts(receipt: ReceiptRow, payments: Vec<PaymentRow>, order: Order) -> Vec<String> {
    let payments: Reply = rows(payments.iter().map(|payment| whole(payment, 1)));
    script(vec![vec![rows([whole(&receipt, 1)])], vec![payments]]);
    sales::service::stand_in::items(move |_, _, _| Ok(vec![order.clone()]));
    invariants(&verify(Some("receipts:".to_owned()))).into_iter().map(str::to_owned).collect()
}

#[test]
fn receipts_are_their_payments_and_their_orders() {
    let collected =
        || Order { status: Status::Completed, receipt_id: Some(RECEIPT.into()), ..order("10.000000000000") };
    let one = || vec![payment()];
    assert!(receipts(receipt(), one(), collected()).is_empty());
    let short = PaymentRow { amount: "9".parse().unwrap(), ..payment() };
    let second = PaymentRow { line_no: 2, ..payment() };
    let card = PaymentRow { method: Method::Card, ..payment() };
    let unchanged = ReceiptRow { change: "0".parse().unwrap(), ..receipt() };
    for (receipt, payments, what) in [
        (receipt(), vec![short], "the sum"),
        (receipt(), vec![second], "the lines"),
        (receipt(), vec![card], "the methods"),
        (receipt(), Vec::new(), "no payment"),
        (unchanged, one(), "the change"),
    ] {
        assert_eq!(receipts(receipt, payments, collected()), ["T3"], "{what}");
    }
    for order in [
        Order { status: Status::Confirmed, ..collected() },
        Order { receipt_id: None, ..collected() },
        Order { total: "11.000000000000".to_owned(), ..collected() },
        Order { currency_code: "USD".to_owned(), ..collected() },
    ] {
        assert_eq!(receipts(receipt(), one(), order), ["T8"]);
    }
}
