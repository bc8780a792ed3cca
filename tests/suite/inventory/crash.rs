//! kill -9 while stock, units, transfer orders and books are written at once: requests without a response are repeated
//! with their keys, every write has one effect and one entry, and `stoa verify` finds nothing in either module.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::{Value as Json, json};
use stoa_tests::books::{Books, day};
use stoa_tests::company::fresh;
use stoa_tests::goods::{WHY, inbound, outbound};
use stoa_tests::{Answer, Company, Database, Dice, Stoa, cuts, on_both_databases};

on_both_databases![stock_and_books_survive_the_power,];

const WRITERS: usize = 8;

/// The state that the writers share, and their results: how many writes of a kind succeeded.
struct Floor {
    books: Books,
    warehouses: [String; 2],
    boxes: Vec<String>,
    phone: String,
    /// A body for the journal.
    entry: Json,
    done: Mutex<BTreeMap<&'static str, i64>>,
}

fn stock_and_books_survive_the_power(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company_with(json!({ "keepsBooks": true }));
    let books = Books { shop: shop.clone(), entity: shop.entity() };
    let floor = Floor {
        warehouses: [shop.main(), shop.warehouse("PHYSICAL")],
        boxes: (0..3).map(|_| shop.counted(3)).collect(),
        phone: shop.phone(),
        entry: books.entry(&day(0), &[("1010", "debit", "1"), ("3000", "credit", "1")]),
        books,
        done: Mutex::default(),
    };
    cuts::survive(
        &host,
        "stock_and_books_survive_the_power",
        WRITERS,
        5,
        || floor.written(),
        |_, dice| floor.write(dice),
    );
    shop.verified();
    let done = floor.done.into_inner().expect("no writer panicked");
    let times = |kind: &str| done.get(kind).copied().unwrap_or_default();
    println!("{done:?}");
    // Exactly one movement and one entry for each write that says so.
    let moves = ["in", "out", "move", "admit"].map(times).iter().sum::<i64>();
    let shipped = shop.count("inventory_transfer_order", "status = 'IN_TRANSIT'");
    assert_eq!(shipped, times("ship"));
    assert_eq!(shop.count("inventory_movement", "document_id is null"), moves);
    assert_eq!(shop.count("inventory_movement", "document_id is not null"), times("ship"));
    assert_eq!(shop.count("inventory_unit", "1 = 1"), times("admit"));
    assert_eq!(shop.count("ledger_entry", "source_kind = 'MANUAL'"), times("entry"));
    let entries = ["in", "out", "admit"].map(times).iter().sum::<i64>();
    assert_eq!(shop.count("ledger_entry", "source_kind = 'INVENTORY_MOVEMENT'"), entries);
    assert_eq!(shop.count("stoa_idempotency", "status is null"), 0, "no claim was left open");
    floor.books.trial(&[("to", &day(1))]);
}

impl Floor {
    fn shop(&self) -> &Company {
        &self.books.shop
    }

    fn written(&self) -> i64 {
        self.done.lock().expect("no writer panicked").values().sum()
    }

    /// One write that is lawful unless the goods do not suffice.
    fn write(&self, dice: &mut Dice) {
        let (box_, index) = (dice.pick(&self.boxes).clone(), dice.between(0, 2) as usize);
        let (here, there) = (&self.warehouses[index], &self.warehouses[1 - index]);
        let quantity = format!("{}.{}", dice.between(1, 9), dice.between(0, 10));
        let (kind, path, body) = match dice.between(0, 8) {
            0..=2 => {
                let cost = format!("{}.{:03}", dice.between(0, 9), dice.between(1, 1_000));
                ("in", "adjustments", inbound(&box_, here, &quantity, Some(&cost)))
            }
            3 | 4 => {
                let kind = *dice.pick(&["ADJUSTMENT_OUT", "DAMAGE", "LOSS"]);
                ("out", "adjustments", outbound(kind, &box_, here, &quantity))
            }
            5 => {
                let body = json!({
                    "variantId": box_, "quantity": quantity, "fromWarehouseId": here, "toWarehouseId": there, "reason": WHY,
                });
                ("move", "transfers", body)
            }
            6 => {
                let units = json!([{ "serialNumber": fresh("CRASH-") }]);
                let body = json!({
                    "variantId": self.phone, "warehouseId": here, "unitCost": "99.5", "reason": WHY, "units": units,
                });
                ("admit", "units", body)
            }
            _ if dice.one_in(2) => return self.ship(&box_, here, there),
            _ => ("entry", "", self.entry.clone()),
        };
        let path = if path.is_empty() { "ledger/journal-entries".to_string() } else { format!("inventory/{path}") };
        self.count(kind, &self.shop().post_until_answered(&path, &body));
    }

    fn ship(&self, box_: &str, here: &str, there: &str) {
        let items = json!([{ "variantId": box_, "quantity": "1" }]);
        let order = json!({ "fromWarehouseId": here, "toWarehouseId": there, "items": items });
        let order = self.shop().post_until_answered("inventory/transfer-orders", &order).is(201).id();
        let path = format!("inventory/transfer-orders/{order}/ship");
        let ship = self.shop().post_until_answered(&path, &json!({ "expectedVersion": 1 }));
        self.count("ship", &ship);
    }

    fn count(&self, kind: &'static str, answer: &Answer) {
        match answer.status {
            200 | 201 => *self.done.lock().expect("no writer panicked").entry(kind).or_default() += 1,
            _ => assert_eq!(answer["code"], "INSUFFICIENT_STOCK", "{answer}"),
        }
    }
}
