//! The backfill of an older version's rows.

use stoa_sdk::scripted::{NOW, rows, script, whole};
use stoa_sdk::store::{Call, Reply};
use stoa_sdk::{Field, Id, Instant, Module};
use stoa_trade::quantity::{Amount, Quantity, Tracking};

use crate::Procurement;
use crate::records::order_item::OrderItemRow;

const ORDER: Id = Id(3, 4);

/// The line at this place, of ten pieces at 3.5, which does not say that it is settled.
fn item(nth: u64) -> OrderItemRow {
    OrderItemRow {
        id: Id(4, nth),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        order_id: ORDER,
        line_no: i64::try_from(nth).ok(),
        variant_id: Id(8, nth),
        tracking: Tracking::Quantity,
        quantity: "10".parse().unwrap(),
        unit_cost: "3.5".parse().unwrap(),
        line_total: "35".parse().unwrap(),
        received: Quantity::ZERO,
        billed: Quantity::ZERO,
        received_value: Amount::ZERO,
        billed_value: Amount::ZERO,
        legal_entity_id: Id(3, 1),
        warehouse_id: Id(3, 2),
        currency_code: "EUR".to_owned(),
        open: true,
        settled: false,
    }
}

#[test]
fn older_lines_come_to_say_whether_they_are_settled() {
    let came = OrderItemRow { received_value: "100".parse().unwrap(), ..item(1) };
    let ordered = [item(0), came, item(2)];
    let read = || rows(ordered.iter().map(|item| whole(item, 1)));
    let log = script([vec![read()], vec![rows([]), read()], vec![Reply::Done]]);
    assert_eq!(Procurement::upgrade("0.1.0", None), Ok(None));
    let runs = &log.borrow().runs;
    let [Call::Update(settled)] = runs[2].as_slice() else { panic!("{runs:?}") };
    let ids: Vec<_> = settled.rows.iter().map(|row| (row.key.clone(), row.set.clone())).collect();
    assert_eq!(ids, [ordered[0].id, ordered[2].id].map(|id| (vec![id.put()], vec![true.put()])));
}
