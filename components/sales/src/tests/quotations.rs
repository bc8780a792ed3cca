//! Quotations: their states by the clock, and the order that they become.

use serde_json::json;
use stoa_sdk::scripted::{NOW, rows, whole};
use stoa_sdk::store::{Call, Reply};
use stoa_sdk::{Id, Instant};
use stoa_trade::Status;
use stoa_trade::quantity::{Money, Tracking};

use crate::records::quotation::{QuotationItemRow, QuotationRow, QuotationStatus};
use crate::tests::shop::{CUSTOMER, ENTITY, GOOD, LIST, Shop, WAREHOUSE, a_refusal, call, customer, kinds, refusal};

const QUOTATION: Id = Id(11, 1);

fn quotation(status: QuotationStatus, valid_until: Option<i64>) -> QuotationRow {
    QuotationRow {
        id: QUOTATION,
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        number: "QT-000001".to_owned(),
        number_key: "qt-000001".to_owned(),
        legal_entity_id: ENTITY,
        customer_id: CUSTOMER,
        warehouse_id: Some(WAREHOUSE),
        price_list_id: LIST,
        currency_code: "EUR".to_owned(),
        status,
        valid_until: valid_until.map(Instant),
        notes: None,
        total: "20".parse().unwrap(),
        prices_as_of: Instant(NOW),
        item_count: 1,
        sent_at: None,
        accepted_at: None,
        rejected_at: None,
        expired_at: None,
        close_reason: None,
        order_id: None,
        revision_of: None,
    }
}

/// Two pieces at the list's 10, without an agreement.
fn item() -> QuotationItemRow {
    QuotationItemRow {
        id: Id(12, 1),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        quotation_id: QUOTATION,
        variant_id: GOOD,
        product_id: Id(9, 9),
        line_no: Some(0),
        sku: "A-1".to_owned(),
        description: "Phone".to_owned(),
        tracking: Tracking::Quantity,
        quantity: "2".parse().unwrap(),
        price_id: Id(6, 1),
        list_price: "10".parse().unwrap(),
        agreed_price: None,
        reason: None,
        unit_price: "10".parse().unwrap(),
        line_total: "20".parse().unwrap(),
    }
}

fn lock_replies(row: &QuotationRow) -> Vec<Reply> {
    vec![rows([whole(row, 1)]), rows([whole(&item(), 1)]), rows([customer(Status::Active)])]
}

fn acceptance_replies() -> Vec<Vec<Reply>> {
    vec![vec![Reply::Number(1)], vec![Reply::Inserted(vec![true]), Reply::Inserted(vec![true])], vec![Reply::Done]]
}

#[test]
fn e230_an_accepted_line_keeps_the_quoted_price_whatever_the_list_asks_now() {
    for (price, negotiated) in [("12.000000", true), ("10.000000", false)] {
        let sent = quotation(QuotationStatus::Sent, Some(NOW + 1));
        let log = Shop { price, ..Shop::default() }.open([vec![lock_replies(&sent)], acceptance_replies()].concat());
        let answer = call("acceptQuotation", QUOTATION, json!({ "expectedVersion": 1 })).unwrap();
        assert_eq!((answer["version"].as_i64(), answer["orderNumber"].as_str()), (Some(2), Some("SO-000001")));
        assert_eq!(kinds(&log), ["sale.created"]);
        let log = log.borrow();
        let [Call::Insert(_), Call::Insert(items)] = log.runs[2].as_slice() else { panic!("{:?}", log.runs[2]) };
        let value = |column: &str| {
            let index = items.columns.iter().position(|name| name == column).unwrap();
            items.rows[0][index].clone()
        };
        let put = |text: &str| stoa_sdk::Field::put(&text.parse::<Money>().unwrap());
        assert_eq!((value("agreed_price"), value("unit_price")), (put("10"), put("10")));
        assert_eq!(value("list_price"), put(price), "negotiated: {negotiated}");
        assert_eq!(value("agreed_origin"), stoa_sdk::store::Value::Text("QUOTATION".to_owned()));
    }
}

#[test]
fn e226_e227_a_quotation_ends_at_its_instant() {
    let plain = json!({ "expectedVersion": 1 });
    let reason = json!({ "expectedVersion": 1, "reason": "no" });
    let lapsed = quotation(QuotationStatus::Sent, Some(NOW));
    Shop::default().open(vec![lock_replies(&lapsed)]);
    let refusal_of = refusal(call("acceptQuotation", QUOTATION, plain.clone()));
    assert_eq!(refusal_of, a_refusal("QUOTATION_EXPIRED", &["/validUntil QUOTATION_EXPIRED"]));
    Shop::default().open(vec![lock_replies(&lapsed)]);
    assert_eq!(refusal(call("rejectQuotation", QUOTATION, reason)), a_refusal("ILLEGAL_STATE", &[]));
    Shop::default().open(vec![lock_replies(&lapsed)[..2].to_vec()]);
    let shown = call("getQuotation", QUOTATION, json!(null)).unwrap();
    assert_eq!(
        (shown["status"].as_str(), shown["expiredAt"].as_str()),
        (Some("EXPIRED"), Some("2026-01-01T00:00:00.000Z"))
    );
    Shop::default().open(vec![lock_replies(&lapsed), vec![Reply::Done]]);
    assert_eq!(call("expireQuotation", QUOTATION, plain).unwrap()["status"], "EXPIRED");
}

#[test]
fn e234_e236_only_a_draft_is_sent_and_only_with_a_future() {
    for (row, asked, expected) in [
        (quotation(QuotationStatus::Sent, None), json!({ "expectedVersion": 1 }), a_refusal("ILLEGAL_STATE", &[])),
        (
            quotation(QuotationStatus::Draft, Some(NOW)),
            json!({ "expectedVersion": 1 }),
            a_refusal("QUOTATION_EXPIRED", &["/validUntil QUOTATION_EXPIRED"]),
        ),
        (
            quotation(QuotationStatus::Draft, None),
            json!({ "expectedVersion": 1, "expectedTotal": "21" }),
            a_refusal("TOTAL_CHANGED", &["/expectedTotal TOTAL_CHANGED"]),
        ),
    ] {
        Shop::default().open(vec![lock_replies(&row)]);
        assert_eq!(refusal(call("sendQuotation", QUOTATION, asked)), expected);
    }
    let log = Shop::default().open(vec![lock_replies(&quotation(QuotationStatus::Draft, None)), vec![Reply::Done; 2]]);
    let answer = call("sendQuotation", QUOTATION, json!({ "expectedVersion": 1, "expectedTotal": "20" })).unwrap();
    assert_eq!(answer["status"], "SENT");
    assert!(kinds(&log).is_empty(), "there is no kind for quotations");
}

#[test]
fn e232_an_acceptance_needs_a_warehouse() {
    let sent = QuotationRow { warehouse_id: None, ..quotation(QuotationStatus::Sent, None) };
    Shop::default().open(vec![lock_replies(&sent)]);
    let refusal_of = refusal(call("acceptQuotation", QUOTATION, json!({ "expectedVersion": 1 })));
    assert_eq!(refusal_of, a_refusal("ILLEGAL_STATE", &["/warehouseId REQUIRED"]));
}

#[test]
fn e237_a_revision_ends_a_sent_one_and_leaves_a_rejected_one() {
    for (status, ends) in [(QuotationStatus::Sent, true), (QuotationStatus::Rejected, false)] {
        let mut replies = vec![lock_replies(&quotation(status, None))];
        replies.extend(acceptance_replies());
        let log = Shop::default().open(replies);
        let answer = call("reviseQuotation", QUOTATION, json!({ "expectedVersion": 1 })).unwrap();
        assert_eq!((answer["status"].as_str(), answer["number"].as_str()), (Some("DRAFT"), Some("QT-000001")));
        let updates = log.borrow().runs.iter().flatten().filter(|call| matches!(call, Call::Update(_))).count();
        assert_eq!(updates, usize::from(ends));
    }
}
