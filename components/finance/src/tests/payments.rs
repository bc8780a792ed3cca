//! Payments: what one writes and posts, how many round trips it takes, and what it refuses.

use serde_json::{Value as Json, json};
use stoa_sdk::Problem;
use stoa_sdk::scripted::{ask, rows, whole};
use stoa_sdk::store::{Call, Reply};

use crate::Finance;
use crate::records::invoice::{InvoiceBalanceRow, InvoiceRow, InvoiceStatus};
use crate::tests::company::{legs, open};
use crate::tests::rows::{CUSTOMER, ENTITY, INVOICE, balance, hold, issued_invoice};

fn pay(amount: &str, applied: &str) -> Result<Json, Problem> {
    let body = json!({
        "number": "P-1",
        "legalEntityId": ENTITY.to_string(),
        "partyId": CUSTOMER.to_string(),
        "currencyCode": "EUR",
        "amount": amount,
        "method": "TRANSFER",
        "paidOn": "2026-01-01",
        "applications": [{ "invoiceId": INVOICE.to_string(), "amount": applied }],
    });
    ask::<Finance>("createSalesPayment", &[], &[], Some(body))
}

/// The invoice and what is paid of it, as they are read under their locks.
fn read_locked(row: &InvoiceRow, paid: &InvoiceBalanceRow) -> Vec<Reply> {
    vec![rows([whole(row, row.version)]), rows([whole(paid, 1)])]
}

fn read_refusal(refused: Result<Json, Problem>) -> (String, Vec<(String, String)>) {
    let problem = refused.unwrap_err();
    (problem.code, problem.errors.into_iter().map(|error| (error.pointer, error.code)).collect())
}

#[test]
fn a_payment_and_what_it_pays_are_two_round_trips_of_its_own() {
    let written = [hold(None), vec![Reply::Done; 6]].concat();
    let (log, posted) = open(vec![read_locked(&issued_invoice("100"), &balance("0", "100")), written]);
    let receipt = pay("60", "60").unwrap();
    assert_eq!(receipt["status"], "RECORDED");
    let runs = &log.borrow().runs;
    assert_eq!(runs.len(), 2);
    let [
        Call::Lock(_),
        Call::Find(_),
        Call::Insert(payment),
        Call::Insert(funds),
        Call::Insert(applications),
        Call::Update(paid),
        Call::Insert(entries),
        Call::Insert(moved),
    ] = runs[1].as_slice()
    else {
        panic!("{:?}", runs[1]);
    };
    let counts = [payment, funds, applications, entries, moved].map(|insert| insert.rows.len());
    assert_eq!(counts, [1, 1, 1, 3, 1]);
    assert_eq!(
        (paid.set.as_slice(), paid.add.as_slice()),
        (&["settled_on".to_owned()][..], &["applied".to_owned(), "balance".to_owned()][..])
    );
    let text = |literal: &str| literal.to_owned();
    assert_eq!(
        legs(&posted),
        [
            (text("PAYMENT MONEY"), vec![text("CUSTOMER_CREDIT credit 60.000000000000")]),
            (
                text("APPLICATION APPLICATION"),
                vec![text("CUSTOMER_CREDIT debit 60.000000000000"), text("RECEIVABLE credit 60.000000000000")]
            ),
        ]
    );
}

#[test]
fn f44_what_exceeds_either_balance_is_refused_and_nothing_written() {
    let errors = |code: &str| vec![("/applications/0/amount".to_owned(), code.to_owned())];
    let (log, posted) = open(vec![read_locked(&issued_invoice("100"), &balance("40", "60"))]);
    assert_eq!(read_refusal(pay("100", "60.000001")), ("LIMIT_EXCEEDED".to_owned(), errors("EXCEEDS_INVOICE_BALANCE")));
    assert_eq!((log.borrow().runs.len(), posted.borrow().len()), (1, 0));
    open(vec![read_locked(&issued_invoice("100"), &balance("0", "100"))]);
    assert_eq!(read_refusal(pay("50", "60")), ("LIMIT_EXCEEDED".to_owned(), errors("EXCEEDS_AVAILABLE")));
}

#[test]
fn f45_only_what_the_party_owes_is_paid() {
    let errors = || vec![("/applications/0/invoiceId".to_owned(), "REFERENCE_INVALID".to_owned())];
    let other = |row: InvoiceRow| {
        open(vec![read_locked(&row, &balance("0", "100"))]);
        read_refusal(pay("50", "50"))
    };
    for row in [
        InvoiceRow { party_id: ENTITY, ..issued_invoice("100") },
        InvoiceRow { legal_entity_id: CUSTOMER, ..issued_invoice("100") },
        InvoiceRow { currency_code: "USD".to_owned(), ..issued_invoice("100") },
        InvoiceRow { status: InvoiceStatus::Void, ..issued_invoice("100") },
    ] {
        assert_eq!(other(row), ("REFERENCE_INVALID".to_owned(), errors()));
    }
    open(vec![vec![rows([]), rows([])]]);
    let missing = vec![("/applications/0/invoiceId".to_owned(), "NOT_FOUND".to_owned())];
    assert_eq!(read_refusal(pay("50", "50")), ("NOT_FOUND".to_owned(), missing));
}

#[test]
fn f72_what_a_register_collected_is_paid_by_its_receipt_alone() {
    let collected = InvoiceBalanceRow { collected: true, ..balance("0", "100") };
    open(vec![read_locked(&issued_invoice("100"), &collected)]);
    let errors = vec![("/applications/0/invoiceId".to_owned(), "COLLECTED_AT_REGISTER".to_owned())];
    assert_eq!(read_refusal(pay("50", "50")), ("ILLEGAL_STATE".to_owned(), errors));
}
