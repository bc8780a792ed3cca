//! kill -9 while orders are made, approved and received: requests without a response are repeated with their keys, a
//! receipt is there once with its goods and its entry, and `stoa verify` finds nothing in any module. [E111]

use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::goods::WHY;
use stoa_tests::purchases::{Buyer, fresh_serials, line, serials};
use stoa_tests::{Database, Dice, Stoa, cuts, eventually, on_both_databases};

on_both_databases![e111_receipts_survive_the_power];

const WRITERS: usize = 6;

/// The state that the writers share, and how much they received.
struct Dock {
    buyer: Buyer,
    box_: String,
    phone: String,
    receipts: AtomicI64,
    boxes: AtomicI64,
    phones: AtomicI64,
}

fn e111_receipts_survive_the_power(database: Database) {
    let host = Stoa::start(database);
    let buyer = Buyer::from_shop(host.company_with(json!({ "keepsBooks": true })));
    let shop = buyer.shop.clone();
    let (box_, phone) = (shop.counted(0), shop.phone());
    let none = AtomicI64::default;
    let dock = Dock { buyer, box_, phone, receipts: none(), boxes: none(), phones: none() };
    let written = || dock.receipts.load(Ordering::Relaxed);
    cuts::survive(&host, "e111_receipts_survive_the_power", WRITERS, 4, written, |_, dice| dock.buy(dice));
    let total = |count: &AtomicI64| count.load(Ordering::Relaxed);
    let (receipts, boxes, phones) = (total(&dock.receipts), total(&dock.boxes), total(&dock.phones));
    println!("{receipts} receipts of {boxes} boxes and {phones} phones");
    assert_eq!(shop.count("procurement_receipt", "1 = 1"), receipts);
    assert_eq!(shop.count("ledger_entry", "source_kind = 'GOODS_RECEIPT'"), receipts);
    assert_eq!(shop.count("inventory_unit", "1 = 1"), phones);
    assert_eq!(shop.count("stoa_event", "kind = 'procurement.receipt.created'"), receipts);
    assert_eq!(shop.count("stoa_idempotency", "status is null"), 0, "no claim was left open");
    shop.assert_level(&dock.buyer.main, &dock.phone, json!({ "onHand": phones, "available": phones }));
    assert_eq!(shop.pieces(&dock.buyer.main, &dock.box_)["onHand"], boxes);
    shop.verified();
}

impl Dock {
    /// An order of boxes and phones, received in two parts.
    fn buy(&self, dice: &mut Dice) {
        let shop = &self.buyer.shop;
        let (boxes, phones) = (dice.between(2, 9), dice.between(1, 4));
        let items =
            json!([line(&self.box_, &boxes.to_string(), "1.25"), line(&self.phone, &phones.to_string(), "99.5")]);
        let order = shop.post_until_answered("purchases/orders", &self.buyer.body(items)).is(201).id();
        let path = format!("purchases/orders/{order}");
        shop.post_until_answered(&format!("{path}/approve"), &json!({ "expectedVersion": 1 })).is(200);
        let lines = self.read_lines(&path);
        let units = serials(&fresh_serials(phones as usize));
        let parts = [
            json!([{ "orderItemId": lines[0], "quantity": "1" }]),
            json!([
                { "orderItemId": lines[0], "quantity": (boxes - 1).to_string() },
                { "orderItemId": lines[1], "quantity": phones.to_string(), "units": units },
            ]),
        ];
        for (index, items) in parts.into_iter().enumerate() {
            let body = json!({ "expectedVersion": index + 2, "reason": fresh(WHY), "items": items });
            shop.post_until_answered(&format!("{path}/receipts"), &body).is(201);
            self.boxes.fetch_add(if index == 0 { 1 } else { boxes as i64 - 1 }, Ordering::Relaxed);
            self.phones.fetch_add(if index == 0 { 0 } else { phones as i64 }, Ordering::Relaxed);
            self.receipts.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The ids of an order's lines, as soon as the host is there to return them.
    fn read_lines(&self, path: &str) -> Vec<Json> {
        eventually(|| {
            let read = self.buyer.shop.request("GET", path).unchecked().try_send().ok()?;
            let items = read["items"].as_array()?;
            Some(items.iter().map(|item| item["id"].clone()).collect())
        })
    }
}
