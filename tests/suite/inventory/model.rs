//! Ten thousand random operations against a model that tracks every single piece, with a kill -9 in the middle. [E75]

use std::thread;
use std::time::Duration;

use serde_json::{Value as Json, json};
use stoa_tests::goods::{WHY, inbound, outbound};
use stoa_tests::host::Settings;
use stoa_tests::services::inventory::{
    Call, ChargeLine, CorrectionLine, CustomerReturn, Delivered, DeliveryLine, Disposition, IncomingLine, Receipt,
    ReceiptLine, ReserveLine, Reserved, ReturnLine, Returned, SalesOrder,
};
use stoa_tests::services::{Key, key, read_answer};
use stoa_tests::{Answer, Company, Database, Dice, Stoa, modules, on_both_databases};

on_both_databases![e75_random_operations_follow_the_model,];

const SHELVES: usize = 8;
/// Operations that every shelf does in each half.
const OPERATIONS: u64 = 640;
/// Units of the twelfth digit in a cost of one.
const ONE: i128 = 1_000_000_000_000;

/// One piece of goods, for ever.
#[derive(Clone, Debug)]
struct Piece {
    cost: i128,
    receipt: Option<u64>,
    place: Place,
}

#[derive(Clone, Debug, PartialEq)]
enum Place {
    OnHand,
    /// By a sale that may come back, at this position in the order of leaving.
    Sold {
        order: u64,
        position: u64,
    },
    Gone {
        destination: &'static str,
        position: u64,
    },
}

/// A variant in two warehouses, and the model's figures of it.
struct Shelf {
    shop: Company,
    variant: String,
    warehouses: [String; 2],
    on_hand: [i128; 2],
    reserved: [i128; 2],
    /// In the order in which they will leave.
    pieces: Vec<Piece>,
    holds: Vec<(String, usize, i128)>,
    /// Sales by their order, with the movement.
    sales: Vec<(u64, Key)>,
    position: u64,
    dice: Dice,
    /// Operations that were sent.
    sent: u64,
}

fn e75_random_operations_follow_the_model(database: Database) {
    let folder = modules::with(&[("porter.wasm", &modules::guest("porter"))]);
    let host = Stoa::start_with(database, Settings::default().modules(folder.path()));
    let mut dice = Dice::new("e75_random_operations_follow_the_model");
    let shop = host.company();
    let warehouses = [shop.main(), shop.warehouse("PHYSICAL")];
    let mut shelves: Vec<Shelf> = (0..SHELVES).map(|_| Shelf::new(&shop, &warehouses, dice.fork())).collect();
    run(&mut shelves, 0);
    agree(&shelves);
    shop.verified();

    // The power goes while all of them write; every operation is then repeated with its key.
    thread::scope(|scope| {
        let writers = scope.spawn(|| run(&mut shelves, 1));
        thread::sleep(Duration::from_millis(dice.between(300, 1500)));
        host.kill9();
        host.restart();
        writers.join().expect("the writers failed");
    });
    agree(&shelves);
    shop.verified();
    let sent: u64 = shelves.iter().map(|shelf| shelf.sent).sum();
    assert!(sent >= 10_000, "only {sent} operations");
}

/// One half of the operations, all shelves at once; each has ids of its own.
fn run(shelves: &mut [Shelf], half: u64) {
    thread::scope(|scope| {
        for (n, shelf) in shelves.iter_mut().enumerate() {
            let first = (n as u64 + 1) * 1_000_000 + half * 500_000;
            scope.spawn(move || {
                let (mut id, enough) = (first, shelf.sent + OPERATIONS);
                while shelf.sent < enough {
                    shelf.step(id);
                    id += 1;
                }
            });
        }
    });
}

fn agree(shelves: &[Shelf]) {
    for shelf in shelves {
        for (index, warehouse) in shelf.warehouses.iter().enumerate() {
            let level = shelf.shop.level(&shelf.variant, warehouse);
            let figure = |name: &str| level[name].as_str().unwrap_or("0.000000").to_string();
            assert_eq!(figure("onHand"), format!("{}.000000", shelf.on_hand[index]));
            assert_eq!(figure("reserved"), format!("{}.000000", shelf.reserved[index]));
        }
        let worth: i128 = shelf.on_hand_pieces().map(|piece| piece.cost).sum();
        assert_eq!(shelf.worth(), worth, "{}", shelf.variant);
    }
}

fn amount(units: i128) -> String {
    format!("{}.{:012}", units / ONE, units % ONE)
}

/// A cost of up to six digits after the point.
fn cost(dice: &mut Dice) -> (i128, String) {
    let millionths = i128::from(dice.between(0, 5_000_000));
    (millionths * 1_000_000, format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000))
}

impl Shelf {
    fn new(shop: &Company, warehouses: &[String; 2], dice: Dice) -> Shelf {
        Shelf {
            shop: shop.clone(),
            variant: shop.counted(0),
            warehouses: warehouses.clone(),
            on_hand: [0; 2],
            reserved: [0; 2],
            pieces: Vec::new(),
            holds: Vec::new(),
            sales: Vec::new(),
            position: 0,
            dice,
            sent: 0,
        }
    }

    /// The value of the goods as the service reports it, all currencies together, in units of the twelfth digit.
    fn worth(&self) -> i128 {
        let page = self.shop.list("inventory/valuation", &[("variantId", &self.variant)]).is(200);
        let values = page.items().first().and_then(|row| row["values"].as_array()).cloned().unwrap_or_default();
        let units = |value: &Json| -> i128 {
            value["value"].as_str().unwrap_or_default().replace('.', "").parse().expect("an amount")
        };
        values.iter().map(units).sum()
    }

    fn on_hand_pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().filter(|piece| piece.place == Place::OnHand)
    }

    fn step(&mut self, n: u64) {
        let index = self.dice.between(0, 2) as usize;
        let quantity = i128::from(self.dice.between(1, 9));
        match self.dice.between(0, 12) {
            0 | 1 => self.bring(index, quantity),
            2 | 3 => self.receive(n, index, quantity),
            4 => self.lose(index, quantity),
            5 => self.transfer(index, quantity),
            6 => self.reserve(index, quantity),
            7 => self.release(),
            8 | 9 => self.sell(n, index, quantity),
            10 => self.take_back(n, index, quantity),
            _ => self.recost(n),
        }
    }

    /// Sends until there is an answer: across a power cut with the same key.
    fn send(&mut self, path: &str, body: &Json) -> Answer {
        self.sent += 1;
        let key = uuid::Uuid::new_v4().to_string();
        for _ in 0..2_000 {
            match self.shop.request("POST", path).key(&key).json(body).unchecked().try_send() {
                Ok(answer) => return answer,
                Err(_) => thread::sleep(Duration::from_millis(50)),
            }
        }
        panic!("the host did not come back");
    }

    fn call(&mut self, calls: &[Call]) -> Answer {
        self.send("porter/calls", &json!({ "calls": calls }))
    }

    /// Returns whether a write that the model allows so was done so.
    #[track_caller]
    fn done(answer: &Answer, allowed: bool, refusal: &str) -> bool {
        match allowed {
            true => assert!([200, 201].contains(&answer.status), "the model allows it: {answer}"),
            false => assert!(answer.status == 409 && answer.body["code"] == refusal, "the model refuses it: {answer}"),
        }
        allowed
    }

    fn bring(&mut self, index: usize, quantity: i128) {
        let (units, text) = cost(&mut self.dice);
        let body = inbound(&self.variant, &self.warehouses[index], &quantity.to_string(), Some(&text));
        Self::done(&self.send("inventory/adjustments", &body), true, "");
        self.on_hand[index] += quantity;
        let piece = Piece { cost: units, receipt: None, place: Place::OnHand };
        self.pieces.extend((0..quantity).map(|_| piece.clone()));
    }

    fn receive(&mut self, n: u64, index: usize, quantity: i128) {
        let (units, text) = cost(&mut self.dice);
        let (variant_id, warehouse_id) = (key(&self.variant), key(&self.warehouses[index]));
        let incoming = IncomingLine { variant_id, warehouse_id, delta: quantity.to_string() };
        let receipt = Receipt {
            id: (n, 0),
            warehouse_id,
            location_id: None,
            currency_code: "EUR".to_string(),
            reason: WHY.to_string(),
        };
        let line = ReceiptLine {
            receipt_item_id: (n, n),
            variant_id,
            quantity: quantity.to_string(),
            unit_cost: text,
            charge: None,
            units: Vec::new(),
        };
        let answer = self.call(&[Call::ChangeIncoming(vec![incoming]), Call::Receive(receipt, vec![line])]);
        Self::done(&answer, true, "");
        self.on_hand[index] += quantity;
        let piece = Piece { cost: units, receipt: Some(n), place: Place::OnHand };
        self.pieces.extend((0..quantity).map(|_| piece.clone()));
    }

    fn free(&self, index: usize) -> i128 {
        self.on_hand[index] - self.reserved[index]
    }

    /// The oldest pieces leave; answers what they cost.
    fn leave(&mut self, quantity: i128, place: impl Fn(u64) -> Place) -> i128 {
        let mut total = 0;
        for _ in 0..quantity {
            let position = self.position;
            self.position += 1;
            let piece = self.pieces.iter_mut().find(|piece| piece.place == Place::OnHand).expect("the model has none");
            piece.place = place(position);
            total += piece.cost;
        }
        total
    }

    fn lose(&mut self, index: usize, quantity: i128) {
        let (kind, destination) =
            *self.dice.pick(&[("ADJUSTMENT_OUT", "AdjustedOut"), ("DAMAGE", "Damaged"), ("LOSS", "Lost")]);
        let body = outbound(kind, &self.variant, &self.warehouses[index], &quantity.to_string());
        let answer = self.send("inventory/adjustments", &body);
        if Self::done(&answer, quantity <= self.free(index), "INSUFFICIENT_STOCK") {
            self.on_hand[index] -= quantity;
            self.leave(quantity, |position| Place::Gone { destination, position });
        }
    }

    fn transfer(&mut self, index: usize, quantity: i128) {
        let (from, to) = (&self.warehouses[index], &self.warehouses[1 - index]);
        let body = json!({
            "variantId": self.variant, "quantity": quantity.to_string(), "fromWarehouseId": from, "toWarehouseId": to,
            "reason": WHY
        });
        if Self::done(&self.send("inventory/transfers", &body), quantity <= self.free(index), "INSUFFICIENT_STOCK") {
            self.on_hand[index] -= quantity;
            self.on_hand[1 - index] += quantity;
        }
    }

    fn reserve(&mut self, index: usize, quantity: i128) {
        let body = json!({
            "variantId": self.variant, "warehouseId": self.warehouses[index], "quantity": quantity.to_string(),
            "reason": WHY
        });
        let answer = self.send("inventory/reservations", &body);
        if Self::done(&answer, quantity <= self.free(index), "INSUFFICIENT_STOCK") {
            self.reserved[index] += quantity;
            self.holds.push((answer.id(), index, quantity));
        }
    }

    fn release(&mut self) {
        if self.holds.is_empty() {
            return;
        }
        let nth = self.dice.between(0, self.holds.len() as u64) as usize;
        let (id, index, quantity) = self.holds.swap_remove(nth);
        let path = format!("inventory/reservations/{id}/release");
        let answer = self.send(&path, &json!({ "reason": WHY }));
        Self::done(&answer, true, "");
        self.reserved[index] -= quantity;
    }

    fn sell(&mut self, n: u64, index: usize, quantity: i128) {
        let order = SalesOrder { id: (n, n), number: format!("SO-{n}") };
        let line = ReserveLine {
            line: (n, 1),
            variant_id: key(&self.variant),
            quantity: quantity.to_string(),
            unit_ids: Vec::new(),
        };
        let answer = self.call(&[Call::Reserve(order.clone(), key(&self.warehouses[index]), vec![line])]);
        if !Self::done(&answer, quantity <= self.free(index), "INSUFFICIENT_STOCK") {
            return;
        }
        let reservation_id = read_answer::<Vec<Reserved>>(&answer, 0)[0].reservation_id;
        let line = DeliveryLine { reservation_id, sale_allocation_id: (n, 7) };
        let answer = self.call(&[Call::Deliver(order, vec![line])]);
        Self::done(&answer, true, "");
        let currencies = self.currencies(quantity);
        self.on_hand[index] -= quantity;
        let total = self.leave(quantity, |position| Place::Sold { order: n, position });
        let delivered = read_answer::<Vec<Delivered>>(&answer, 0).remove(0);
        if currencies == 1 {
            assert_eq!(delivered.cost, Some(amount(total)), "{delivered:?}");
        }
        self.sales.push((n, delivered.movement_id));
    }

    /// How many currencies the oldest pieces have: those of receipts are in euro, others in none.
    fn currencies(&self, quantity: i128) -> usize {
        let mut oldest: Vec<bool> =
            self.on_hand_pieces().take(quantity as usize).map(|piece| piece.receipt.is_some()).collect();
        oldest.sort_unstable();
        oldest.dedup();
        oldest.len()
    }

    fn take_back(&mut self, n: u64, index: usize, quantity: i128) {
        if self.sales.is_empty() {
            return;
        }
        let (order, movement) = self.sales[self.dice.between(0, self.sales.len() as u64) as usize];
        let to = CustomerReturn {
            id: (n, 3),
            order_id: (order, order),
            warehouse_id: key(&self.warehouses[index]),
            location_id: None,
            reason: WHY.to_string(),
        };
        let line = ReturnLine {
            movement_id: movement,
            sale_allocation_id: (order, 7),
            unit_id: None,
            quantity: quantity.to_string(),
            disposition: Disposition::Restock,
        };
        let answer = self.call(&[Call::ReturnFromCustomer(to, vec![line])]);
        let of_order = |piece: &Piece| matches!(piece.place, Place::Sold { order: sold_in, .. } if sold_in == order);
        let mut sold: Vec<usize> = (0..self.pieces.len()).filter(|nth| of_order(&self.pieces[*nth])).collect();
        if !Self::done(&answer, quantity <= sold.len() as i128, "LIMIT_EXCEEDED") {
            return;
        }
        sold.sort_by_key(|nth| {
            let Place::Sold { position, .. } = self.pieces[*nth].place else { unreachable!("it was sold") };
            (std::cmp::Reverse(self.pieces[*nth].cost), position)
        });
        sold.truncate(quantity as usize);
        let back: Vec<Piece> =
            sold.iter().map(|nth| Piece { place: Place::OnHand, ..self.pieces[*nth].clone() }).collect();
        let total: i128 = back.iter().map(|piece| piece.cost).sum();
        let known = back.iter().all(|piece| piece.receipt.is_some() == back[0].receipt.is_some());
        if known {
            assert_eq!(read_answer::<Vec<Returned>>(&answer, 0)[0].cost, Some(amount(total)));
        }
        sold.sort_unstable();
        for nth in sold.into_iter().rev() {
            self.pieces.remove(nth);
        }
        self.pieces.extend(back);
        self.on_hand[index] += quantity;
    }

    /// A correction or a charge of a receipt's line, dealt piece by piece.
    fn recost(&mut self, n: u64) {
        let receipts: Vec<u64> = self.pieces.iter().filter_map(|piece| piece.receipt).collect();
        if receipts.is_empty() {
            return;
        }
        let item = *self.dice.pick(&receipts);
        let millionths = i128::from(self.dice.between(1, 9_000_000));
        let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
        let mut line: Vec<usize> =
            (0..self.pieces.len()).filter(|nth| self.pieces[*nth].receipt == Some(item)).collect();
        line.sort_by_key(|nth| {
            let piece = &self.pieces[*nth];
            let age = match piece.place {
                Place::Sold { position, .. } | Place::Gone { position, .. } => (false, position as usize),
                Place::OnHand => (true, *nth),
            };
            (std::cmp::Reverse(piece.cost), age)
        });
        let worth: i128 = line.iter().map(|nth| self.pieces[*nth].cost).sum();
        let units = millionths * 1_000_000;
        let lowers = self.dice.one_in(2);
        let receipt_item_id = (item, item);
        let answer = self.call(&[match lowers {
            true => Call::Correct((n, 8), vec![CorrectionLine { receipt_item_id, unit_id: None, amount: text }]),
            false => Call::Charge((n, 9), vec![ChargeLine { receipt_item_id, amount: text }]),
        }]);
        if !Self::done(&answer, !lowers || units <= worth, "LIMIT_EXCEEDED") {
            return;
        }
        let costs: Vec<i128> = line.iter().map(|nth| self.pieces[*nth].cost).collect();
        let shares = if lowers { lowered(&costs, units) } else { raised(costs.len() as i128, units) };
        for (nth, share) in line.into_iter().zip(shares) {
            self.pieces[nth].cost += if lowers { -share } else { share };
        }
    }
}

fn raised(pieces: i128, units: i128) -> Vec<i128> {
    (0..pieces).map(|nth| units / pieces + i128::from(nth < units % pieces)).collect()
}

/// Every piece gives the same, the first ones a grain more; who has less gives all, and the others the rest.
fn lowered(costs: &[i128], units: i128) -> Vec<i128> {
    let mut given: Vec<Option<i128>> = vec![None; costs.len()];
    let mut rest = units;
    loop {
        let open: Vec<usize> = (0..costs.len()).filter(|nth| given[*nth].is_none()).collect();
        if open.is_empty() {
            assert_eq!(rest, 0, "more than it costs");
            break;
        }
        let (base, extra) = (rest / open.len() as i128, rest % open.len() as i128);
        let able: Vec<usize> = open.iter().copied().filter(|nth| costs[*nth] > base).collect();
        let poor: Vec<usize> = match open.iter().any(|nth| costs[*nth] < base) {
            true => open.iter().copied().filter(|nth| costs[*nth] < base).collect(),
            false if (able.len() as i128) < extra => open.iter().copied().filter(|nth| costs[*nth] <= base).collect(),
            false => Vec::new(),
        };
        if poor.is_empty() {
            for nth in open {
                given[nth] = Some(base);
            }
            for nth in able.into_iter().take(extra as usize) {
                given[nth] = Some(base + 1);
            }
            break;
        }
        for nth in poor {
            given[nth] = Some(costs[nth]);
            rest -= costs[nth];
        }
    }
    given.into_iter().flatten().collect()
}
