//! Quotations: their states by the clock, to the millisecond.

use stoa_sdk::scripted::NOW;
use stoa_sdk::{Id, Instant};

use crate::records::quotation::{QuotationRow, QuotationStatus};

fn quotation(status: QuotationStatus, valid_until: Option<i64>) -> QuotationRow {
    QuotationRow {
        id: Id(11, 1),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        number: "QT-000001".to_owned(),
        number_key: "qt-000001".to_owned(),
        legal_entity_id: Id(3, 1),
        customer_id: Id(3, 4),
        warehouse_id: Some(Id(3, 2)),
        price_list_id: Id(3, 3),
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

#[test]
fn e226_e227_a_quotation_ends_at_its_instant() {
    for (status, until, expected) in [
        (QuotationStatus::Sent, Some(NOW + 1), QuotationStatus::Sent),
        (QuotationStatus::Sent, Some(NOW), QuotationStatus::Expired),
        (QuotationStatus::Sent, Some(NOW - 1), QuotationStatus::Expired),
        (QuotationStatus::Sent, None, QuotationStatus::Sent),
        (QuotationStatus::Draft, Some(NOW), QuotationStatus::Draft),
        (QuotationStatus::Accepted, Some(NOW), QuotationStatus::Accepted),
    ] {
        assert_eq!(quotation(status, until).status_at(Instant(NOW)), expected, "{status:?} until {until:?}");
    }
}
