//! Random documents against a model that computes every millionth: each operation answers as the model foretells, and
//! after every round balances, the books and the money of the company are what the model says. [F80]
//!
//! The suite writes some hundred documents; `STOA_TEST_DOCUMENTS=10000` writes that many, in rounds.

use std::thread;

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office, Trade, parts};
use stoa_tests::company::fresh;
use stoa_tests::goods::WHY;
use stoa_tests::{Answer, Database, Dice, on_both_databases};

on_both_databases![f80_random_documents_follow_the_model];

/// Documents that the suite writes unless it is given another number.
const DOCUMENTS: usize = 400;
/// Documents between two looks at everything.
const ROUND: usize = 500;
/// Each writes documents of a party of its own, so that its model can predict the result.
const HANDS: usize = 4;
/// Older documents are not used: a hand keeps to those that may still change.
const IN_HAND: usize = 12;
/// Millionths in one.
const ONE: i64 = 1_000_000;

fn f80_random_documents_follow_the_model(database: Database) {
    let wanted = std::env::var("STOA_TEST_DOCUMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(DOCUMENTS);
    let mut dice = Dice::new("f80_random_documents_follow_the_model");
    let office = Office::with_books(database);
    let mut hands: Vec<Hand> = (0..HANDS).map(|n| Hand::new(&office, n, dice.fork())).collect();
    let mut written = 0;
    while written < wanted {
        let each = ROUND.min(wanted - written).div_ceil(HANDS);
        thread::scope(|scope| {
            for hand in &mut hands {
                scope.spawn(move || hand.write(each));
            }
        });
        written += each * HANDS;
        check_books(&office, &hands);
        hands.iter().for_each(Hand::check_party);
    }
    println!("{written} documents, {} operations", hands.iter().map(|hand| hand.operations).sum::<usize>());
    office.sound();
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// A draft, a payment that is pending, a credit that is requested.
    Open,
    Posted,
    Undone,
}

#[derive(Debug)]
struct Invoice {
    id: String,
    total: i64,
    applied: i64,
    state: State,
}

/// A payment or a credit.
#[derive(Debug)]
struct Source {
    path: String,
    amount: i64,
    applied: i64,
    refunded: i64,
    state: State,
    /// Invoices with what it paid of them.
    paid: Vec<(usize, i64)>,
}

#[derive(Debug)]
struct Refund {
    path: String,
    source: usize,
    amount: i64,
    is_void: bool,
}

impl Invoice {
    fn balance(&self) -> i64 {
        if self.state == State::Posted { self.total - self.applied } else { 0 }
    }
}

impl Source {
    fn available(&self) -> i64 {
        if self.state == State::Posted { self.amount - self.applied - self.refunded } else { 0 }
    }

    fn is_payment(&self) -> bool {
        self.path.starts_with("payments")
    }
}

/// The writer of documents of one party, and the model's record of them.
struct Hand {
    desk: Desk,
    dice: Dice,
    invoices: Vec<Invoice>,
    sources: Vec<Source>,
    refunds: Vec<Refund>,
    operations: usize,
}

/// The model's prediction: nothing, or the code of a refusal.
type Foretold = Result<(), &'static str>;

fn text(amount: i64) -> String {
    format!("{}.{:06}", amount / ONE, amount % ONE)
}

fn allow(may: bool, code: &'static str) -> Foretold {
    if may { Ok(()) } else { Err(code) }
}

impl Hand {
    fn new(office: &Office, n: usize, dice: Dice) -> Hand {
        let (desk, parties) = match n % 2 {
            0 => (&office.sales, "sales/customers"),
            _ => (&office.purchases, "purchases/suppliers"),
        };
        let party = office.shop.post(parties, json!({ "code": fresh("H-"), "name": format!("Hand {n}") })).is(201).id();
        let desk = Desk { party, ..desk.clone() };
        Hand { desk, dice, invoices: Vec::new(), sources: Vec::new(), refunds: Vec::new(), operations: 0 }
    }

    fn documents(&self) -> usize {
        self.invoices.len() + self.sources.len() + self.refunds.len()
    }

    fn write(&mut self, documents: usize) {
        let enough = self.documents() + documents;
        while self.documents() < enough {
            self.operations += 1;
            match self.dice.between(0, 20) {
                0..=2 => self.draft(),
                3..=5 => self.issue(),
                6 => self.void_invoice(),
                7..=8 => self.pay(),
                9 => self.request(),
                10..=11 => self.post(),
                12 => self.undo(),
                13 => self.reverse(),
                14..=15 => self.give_back(),
                16 => self.void_refund(),
                _ => self.apply(),
            }
        }
    }

    /// One of the last few, if there is any.
    fn recent(&mut self, count: usize) -> Option<usize> {
        let first = count.saturating_sub(IN_HAND);
        (count > 0).then(|| self.dice.between(first as u64, count as u64) as usize)
    }

    /// Up to thirty, to the last digit.
    fn amount(&mut self) -> i64 {
        self.dice.between(1, 30 * ONE as u64) as i64
    }

    /// All there is, a millionth more, or something: where rules end is where they break.
    fn part_of(&mut self, most: i64) -> i64 {
        match self.dice.between(0, 5) {
            0 if most > 0 => most,
            1 => most + 1,
            2 if most > 1 => most - 1,
            _ => self.amount() / 3 + 1,
        }
    }

    #[track_caller]
    fn agree(&self, answer: &Answer, foretold: Foretold) -> bool {
        match foretold {
            Ok(()) => assert!(answer.status < 300, "the model allows it: {answer}"),
            Err(code) => assert!(answer.status == 409 && answer["code"] == code, "the model says {code}: {answer}"),
        }
        foretold.is_ok()
    }

    fn draft(&mut self) {
        let total = self.amount();
        let id = self.desk.owe_draft(&text(total));
        self.invoices.push(Invoice { id, total, applied: 0, state: State::Open });
    }

    fn issue(&mut self) {
        let Some(index) = self.recent(self.invoices.len()) else { return self.draft() };
        let answer = self.desk.try_issue(&self.invoices[index].id, json!({}));
        if self.agree(&answer, allow(self.invoices[index].state == State::Open, "ILLEGAL_STATE")) {
            self.invoices[index].state = State::Posted;
        }
    }

    fn void_invoice(&mut self) {
        let Some(index) = self.recent(self.invoices.len()) else { return self.draft() };
        let invoice = &self.invoices[index];
        let answer = self.desk.void(&format!("invoices/{}", invoice.id), json!({}));
        let may = invoice.state != State::Undone && invoice.applied == 0;
        if self.agree(&answer, allow(may, "ILLEGAL_STATE")) {
            self.invoices[index].state = State::Undone;
        }
    }

    /// Foretells if a source with this much left may pay this part.
    fn foretell_part(&self, invoice: usize, part: i64, available: i64) -> Foretold {
        allow(self.invoices[invoice].state == State::Posted, "REFERENCE_INVALID")?;
        allow(part <= available && part <= self.invoices[invoice].balance(), "LIMIT_EXCEEDED")
    }

    fn settle(&mut self, source: usize, invoice: usize, part: i64) {
        self.invoices[invoice].applied += part;
        self.sources[source].applied += part;
        self.sources[source].paid.push((invoice, part));
    }

    fn remember(&mut self, path: String, amount: i64, state: State) {
        self.sources.push(Source { path, amount, applied: 0, refunded: 0, state, paid: Vec::new() });
    }

    /// A payment, pending or recorded, or one that pays an invoice at once.
    fn pay(&mut self) {
        let amount = self.amount();
        let path = |answer: &Answer| format!("payments/{}", answer["id"].as_str().unwrap_or_default());
        match self.dice.between(0, 3) {
            0 => {
                let answer = self.desk.try_pay(&text(amount), json!({ "status": "PENDING" })).is(201);
                self.remember(path(&answer), amount, State::Open);
            }
            1 => {
                let answer = self.desk.try_pay(&text(amount), json!({})).is(201);
                self.remember(path(&answer), amount, State::Posted);
            }
            _ => {
                let Some(index) = self.recent(self.invoices.len()) else { return self.draft() };
                let part = self.part_of(self.invoices[index].balance().min(amount));
                let applications = parts(&[(&self.invoices[index].id, &text(part))]);
                let answer = self.desk.try_pay(&text(amount), json!({ "applications": applications }));
                if self.agree(&answer, self.foretell_part(index, part, amount)) {
                    self.remember(path(&answer), amount, State::Posted);
                    self.settle(self.sources.len() - 1, index, part);
                }
            }
        }
    }

    fn request(&mut self) {
        let amount = self.amount();
        let path = self.desk.request(&text(amount), json!({}));
        self.remember(path, amount, State::Open);
    }

    /// Confirms a payment, recognises a credit.
    fn post(&mut self) {
        let Some(index) = self.recent(self.sources.len()) else { return self.request() };
        let source = &self.sources[index];
        let answer = match source.is_payment() {
            true => self.desk.step(&source.path, "confirm", json!({})),
            false => self.desk.recognize(&source.path, json!({})),
        };
        if self.agree(&answer, allow(source.state == State::Open, "ILLEGAL_STATE")) {
            self.sources[index].state = State::Posted;
        }
    }

    fn undo(&mut self) {
        let Some(index) = self.recent(self.sources.len()) else { return self.request() };
        let source = &self.sources[index];
        let answer = self.desk.void(&source.path, json!({}));
        let may = source.state != State::Undone && source.applied == 0 && source.refunded == 0;
        if self.agree(&answer, allow(may, "ILLEGAL_STATE")) {
            self.sources[index].state = State::Undone;
        }
    }

    /// The money of a payment failed: the amount that it paid is owed again.
    fn reverse(&mut self) {
        let Some(index) = self.recent(self.sources.len()).filter(|index| self.sources[*index].is_payment()) else {
            return self.pay();
        };
        let source = &self.sources[index];
        let answer = self.desk.step(&source.path, "reverse", json!({ "reason": WHY }));
        let may = source.state == State::Posted && source.applied > 0 && source.refunded == 0;
        if self.agree(&answer, allow(may, "ILLEGAL_STATE")) {
            let source = &mut self.sources[index];
            (source.state, source.applied) = (State::Undone, 0);
            for (invoice, part) in std::mem::take(&mut source.paid) {
                self.invoices[invoice].applied -= part;
            }
        }
    }

    fn give_back(&mut self) {
        let Some(source) = self.recent(self.sources.len()) else { return self.pay() };
        let amount = self.part_of(self.sources[source].available());
        let answer = self.desk.try_refund(&self.sources[source].path, &text(amount), json!({}));
        let foretold = allow(self.sources[source].state == State::Posted, "ILLEGAL_STATE")
            .and_then(|()| allow(amount <= self.sources[source].available(), "LIMIT_EXCEEDED"));
        if self.agree(&answer, foretold) {
            self.sources[source].refunded += amount;
            self.refunds.push(Refund { path: format!("refunds/{}", answer.id()), source, amount, is_void: false });
        }
    }

    fn void_refund(&mut self) {
        let Some(index) = self.recent(self.refunds.len()) else { return self.give_back() };
        let answer = self.desk.void(&self.refunds[index].path, json!({}));
        if self.agree(&answer, allow(!self.refunds[index].is_void, "ILLEGAL_STATE")) {
            self.refunds[index].is_void = true;
            self.sources[self.refunds[index].source].refunded -= self.refunds[index].amount;
        }
    }

    fn apply(&mut self) {
        let (Some(source), Some(invoice)) = (self.recent(self.sources.len()), self.recent(self.invoices.len())) else {
            return self.draft();
        };
        let available = self.sources[source].available();
        let part = self.part_of(available.min(self.invoices[invoice].balance()));
        let answer = self.desk.apply(&self.sources[source].path, &[(&self.invoices[invoice].id, &text(part))]);
        let foretold = allow(self.sources[source].state == State::Posted, "ILLEGAL_STATE")
            .and_then(|()| self.foretell_part(invoice, part, available));
        if self.agree(&answer, foretold) {
            self.settle(source, invoice, part);
        }
    }

    fn debt(&self) -> i64 {
        self.invoices.iter().map(Invoice::balance).sum()
    }

    fn sum_available(&self, is_payment: bool) -> i64 {
        self.sources.iter().filter(|source| source.is_payment() == is_payment).map(Source::available).sum()
    }

    /// The amount that the party paid and was not given back.
    fn money(&self) -> i64 {
        let paid = self.sources.iter().filter(|source| source.is_payment() && source.state == State::Posted);
        let back = self.refunds.iter().filter(|refund| !refund.is_void);
        paid.map(|source| source.amount).sum::<i64>() - back.map(|refund| refund.amount).sum::<i64>()
    }

    fn check_party(&self) {
        let parties = if self.desk.trade == Trade::Sales { "sales/customers" } else { "purchases/suppliers" };
        let path = format!("{parties}/{}/balance", self.desk.party);
        let reported = self.desk.shop.list(&path, &[("currencyCode", "EUR")]).is(200);
        let row = reported.items().first().cloned().unwrap_or_default();
        let names = ["openInvoices", "unappliedPayments", "availableCredits"];
        let found = names.map(|name| millionths(&row[name]));
        assert_eq!(found, [self.debt(), self.sum_available(true), self.sum_available(false)], "{reported}");
        // The newest documents one by one.
        for invoice in self.invoices.iter().rev().take(IN_HAND) {
            let read = self.desk.invoice(&invoice.id);
            assert_eq!(millionths(&read["balance"]), invoice.balance(), "{read}");
            assert_eq!(
                read["settledOn"].is_string(),
                invoice.state == State::Posted && invoice.balance() == 0,
                "{read}"
            );
        }
        for source in self.sources.iter().rev().take(IN_HAND) {
            let read = self.desk.read(&source.path);
            assert_eq!(millionths(&read["available"]), source.available(), "{read}");
        }
    }
}

/// An amount of any scale whose digits behind the sixth are zeros; null is nothing.
fn millionths(amount: &Json) -> i64 {
    let text = amount.as_str().unwrap_or("0.0");
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let (six, rest) = fraction.split_at(fraction.len().min(6));
    assert!(rest.bytes().all(|digit| digit == b'0'), "finer than documents are: {amount}");
    sign * format!("{whole}{six:0<6}").parse::<i64>().expect("an amount")
}

/// The accounts of the whole company: what is owed, what is left, and the bank to the last digit.
fn check_books(office: &Office, hands: &[Hand]) {
    let closing = office.books().closing();
    let found = |account: &str| closing.get(account).map_or(0, |closing| millionths(&json!(closing)));
    let total = |trade: Trade, figure: &dyn Fn(&Hand) -> i64| -> i64 {
        hands.iter().filter(|hand| hand.desk.trade == trade).map(figure).sum()
    };
    let left = |hand: &Hand| hand.sum_available(true) + hand.sum_available(false);
    assert_eq!(found("1100"), total(Trade::Sales, &Hand::debt), "what customers owe");
    assert_eq!(found("2050"), -total(Trade::Sales, &left), "what customers have left");
    assert_eq!(found("2000"), -total(Trade::Purchases, &Hand::debt), "what is owed to suppliers");
    assert_eq!(found("1150"), total(Trade::Purchases, &left), "what suppliers have left");
    let bank = total(Trade::Sales, &Hand::money) - total(Trade::Purchases, &Hand::money);
    assert_eq!(found("1010"), bank, "the money of the company");
}
