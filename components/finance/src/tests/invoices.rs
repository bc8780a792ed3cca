//! Invoices: what issuing and voiding one writes and posts, and what they refuse.

use serde_json::{Value as Json, json};
use stoa_sdk::Problem;
use stoa_sdk::scripted::{ask, rows, whole};
use stoa_sdk::store::{Call, Reply, Value};

use crate::Finance;
use crate::records::invoice::{InvoiceBalanceRow, InvoiceRow};
use crate::records::invoice_line::InvoiceLineRow;
use crate::tests::company::{legs, open};
use crate::tests::rows::{INVOICE, balance, draft, hold, issued_invoice, line};

fn act(operation: &str, body: Json) -> Result<Json, Problem> {
    ask::<Finance>(operation, &[("id", &INVOICE.to_string())], &[], Some(body))
}

/// The invoice as it is read first and then under its lock; it has no order.
fn read_twice(row: &InvoiceRow, lines: &[InvoiceLineRow], paid: Option<&InvoiceBalanceRow>) -> Vec<Vec<Reply>> {
    let invoice = || rows([whole(row, row.version)]);
    let lines = || rows(lines.iter().map(|line| whole(line, 1)));
    let paid = rows(paid.map(|paid| whole(paid, 1)));
    vec![vec![invoice(), lines()], vec![invoice(), lines(), paid, rows([])]]
}

fn refusal(refused: Result<Json, Problem>) -> (String, Vec<(String, String)>) {
    let problem = refused.unwrap_err();
    (problem.code, problem.errors.into_iter().map(|error| (error.pointer, error.code)).collect())
}

#[test]
fn an_invoice_is_issued_in_three_round_trips_of_its_own() {
    let lines = [line(0, "2", "30"), line(1, "1", "40")];
    let mut replies = read_twice(&draft("100"), &lines, None);
    replies.push([hold(None), vec![Reply::Done; 3]].concat());
    let (log, posted) = open(replies);
    let receipt = act("issueSalesInvoice", json!({ "expectedVersion": 1 })).unwrap();
    assert_eq!((&receipt["status"], &receipt["version"]), (&json!("ISSUED"), &json!(2)));
    let runs = &log.borrow().runs;
    assert_eq!(runs.len(), 3);
    let [Call::Lock(_), Call::Find(_), Call::Update(row), Call::Insert(paid), Call::Insert(entries)] =
        runs[2].as_slice()
    else {
        panic!("{:?}", runs[2]);
    };
    assert_eq!((paid.rows.len(), entries.rows.len()), (1, 1));
    // Due 30 days after it is issued, as the customer's terms are.
    let due = row.set.iter().position(|column| column == "due_on").unwrap();
    assert_eq!(row.rows[0].set[due], Value::Date("2026-01-31".to_owned()));
    let text = |literal: &str| literal.to_owned();
    let expected = vec![text("RECEIVABLE debit 100.000000000000"), text("SALES_CLEARING credit 100.000000000000")];
    assert_eq!(legs(&posted), [(text("SALES_INVOICE ISSUE"), expected)]);
}

#[test]
fn f15_a_draft_without_an_order_is_issued_and_recognised_at_once() {
    let mut replies = read_twice(&draft("100"), &[line(0, "1", "100")], None);
    replies.push([hold(None), vec![Reply::Done; 4]].concat());
    // The stand-in of permissions holds none.
    open(replies);
    let body = json!({ "expectedVersion": 1, "recognizedOn": "2026-01-01" });
    assert_eq!(refusal(act("recognizeSalesInvoice", body)).0, "PERMISSION_DENIED");
    let mut replies = read_twice(&issued_invoice("100"), &[line(0, "1", "100")], Some(&balance("0", "100")));
    replies.push([hold(None), vec![Reply::Done; 2]].concat());
    let (log, _) = open(replies);
    let entries = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let reported = entries.clone();
    stoa_trade::clients::books::service::stand_in::post(move |posting| {
        reported.borrow_mut().push(posting.clone());
        Ok(None)
    });
    let body = json!({ "expectedVersion": 2, "recognizedOn": "2026-01-01" });
    assert_eq!(act("recognizeSalesInvoice", body).unwrap()["version"], 3);
    assert_eq!(log.borrow().runs.len(), 3);
    let text = |literal: &str| literal.to_owned();
    let expected = vec![text("SALES_CLEARING debit 100.000000000000"), text("REVENUE credit 100.000000000000")];
    assert_eq!(legs(&entries), [(text("SALES_INVOICE RECOGNITION"), expected)]);
}

#[test]
fn f1_f9_f10_what_cannot_be_issued() {
    open(read_twice(&draft("0"), &[], None));
    let lines = vec![("/lines".to_owned(), "LINES_REQUIRED".to_owned())];
    let body = || json!({ "expectedVersion": 1 });
    assert_eq!(refusal(act("issueSalesInvoice", body())), ("ILLEGAL_STATE".to_owned(), lines));
    open(read_twice(&issued_invoice("100"), &[line(0, "1", "100")], Some(&balance("0", "100"))));
    assert_eq!(refusal(act("issueSalesInvoice", body())).0, "VERSION_CONFLICT");
    open(read_twice(&issued_invoice("100"), &[line(0, "1", "100")], Some(&balance("0", "100"))));
    assert_eq!(refusal(act("issueSalesInvoice", json!({ "expectedVersion": 2 }))).0, "ILLEGAL_STATE");
    open(read_twice(&draft("100"), &[line(0, "1", "100")], None));
    // An invoice of the other side is none.
    assert_eq!(
        refusal(act(
            "recognizePurchaseInvoice",
            json!({ "expectedVersion": 1, "documentReference": "X", "recognizedOn": "2026-01-01" })
        ))
        .0,
        "NOT_FOUND"
    );
}

#[test]
fn f12_an_invoice_that_is_paid_in_part_is_not_voided() {
    let body = || json!({ "expectedVersion": 2, "reason": "wrong" });
    open(read_twice(&issued_invoice("100"), &[line(0, "1", "100")], Some(&balance("0.000001", "99.999999"))));
    let why = vec![("/path/id".to_owned(), "HAS_APPLICATIONS".to_owned())];
    assert_eq!(refusal(act("voidSalesInvoice", body())), ("ILLEGAL_STATE".to_owned(), why));
    let mut replies = read_twice(&issued_invoice("100"), &[line(0, "1", "100")], Some(&balance("0", "100")));
    replies.push([hold(None), vec![Reply::Done; 3]].concat());
    let (log, _) = open(replies);
    assert_eq!(act("voidSalesInvoice", body()).unwrap()["status"], "VOID");
    let runs = &log.borrow().runs;
    let [Call::Lock(_), Call::Find(_), Call::Update(_), Call::Update(paid), Call::Insert(back)] = runs[2].as_slice()
    else {
        panic!("{:?}", runs[2]);
    };
    assert_eq!((paid.set.as_slice(), back.rows.len()), (&["balance".to_owned(), "settled_on".to_owned()][..], 1));
}
