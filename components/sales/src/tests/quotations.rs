//! Quotations: their states by the clock, to the millisecond.

use stoa_sdk::scripted::{NOW, script};
use stoa_sdk::{Id, Instant};

use crate::records::quotation::{QuotationRow, QuotationStatus};
use crate::rules::line::Named;
use crate::work::quotation::new_quotation;
use crate::work::references::References;

fn quotation(status: QuotationStatus, valid_until: Option<i64>) -> QuotationRow {
    script([]);
    let named = Named { entity: Id(3, 1), warehouse: None, customer: Id(3, 4), price_list: Id(3, 3), lines: &[] };
    let valid_until = valid_until.map(Instant);
    QuotationRow { status, valid_until, ..new_quotation(&named, &References::default()) }
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
