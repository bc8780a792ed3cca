//! Customer returns against the ledger of deliveries and the books: received ones have a row for each line and at most one entry.

use stoa_sdk::{Filter, Id, all};
use stoa_trade::clients::books;
use stoa_trade::pages::read_every;
use stoa_trade::quantity::Amount;
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::customer_return::{CUSTOMER_RETURN, ReturnStatus, SalesReturnItemRow, SalesReturnRow};
use crate::records::delivery::{DeliveryKind, DeliveryLineRow};
use crate::verify::DOCUMENTS;

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<SalesReturnRow>(Filter::default(), after, DOCUMENTS) else { return NOTHING_LEFT };
    let ids: Vec<Id> = page.rows.iter().map(|row| row.id).collect();
    let live = all([SalesReturnItemRow::return_id.one_of(ids.iter().copied()), SalesReturnItemRow::line_no.not_null()]);
    let items = read_every(&live, |row: &SalesReturnItemRow| row.id);
    let orders = page.rows.iter().map(|row| row.order_id);
    let reported = all([DeliveryLineRow::order_id.one_of(orders), DeliveryLineRow::kind.eq(DeliveryKind::Return)]);
    let lines = read_every(&reported, |row: &DeliveryLineRow| row.id);
    let entries = books::entries(CUSTOMER_RETURN, &ids);
    let mut findings = Vec::new();
    for row in &page.rows {
        let is_received = row.status == ReturnStatus::Received;
        let own_items = items.iter().filter(|item| item.return_id == row.id);
        let (mut fits, mut worth) = (true, 0_i128);
        for item in own_items {
            let line = lines.iter().find(|line| line.source_id == item.id);
            fits &= match line {
                Some(line) => is_received && line.quantity.units() == -item.quantity.units(),
                None => !is_received,
            };
            worth -= line.and_then(|line| line.cost).unwrap_or(Amount::ZERO).units();
        }
        if !fits {
            findings.push(finding("S9", row.id, "The ledger of deliveries differs from the goods of the return."));
        }
        let posted: Vec<_> = entries.iter().filter(|entry| Id::from(entry.source_id) == row.id).collect();
        let is_posted = match posted.as_slice() {
            [] => true,
            [entry] => is_received && entry.total.parse() == Ok(Amount::from_units(worth)),
            _ => false,
        };
        if !is_posted {
            findings.push(finding(
                "S11",
                row.id,
                "The entry of the books differs from the cost of the return's goods.",
            ));
        }
    }
    (findings, page.last)
}
