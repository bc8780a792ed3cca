//! Short words for what tests do with invoices, payments, credits, refunds and returns of both sides.

use serde_json::{Value as Json, json};

use crate::books::{Books, day, month_day};
use crate::company::{fresh, with};
use crate::goods::WHY;
use crate::purchases::Buyer;
use crate::selling::Counter;
use crate::tables::figure;
use crate::{Answer, Company, Database, company, services};

/// Which side of the trade a desk writes documents of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trade {
    Sales,
    Purchases,
}

/// The writer of documents of one side, about one party and in one entity.
#[derive(Clone)]
pub struct Desk {
    pub shop: Company,
    pub trade: Trade,
    pub entity: String,
    pub party: String,
}

/// A company with a desk for either side.
#[derive(Clone)]
pub struct Office {
    pub shop: Company,
    pub entity: String,
    pub counter: Counter,
    pub buyer: Buyer,
    pub sales: Desk,
    pub purchases: Desk,
}

impl Office {
    /// In a company without books.
    #[track_caller]
    pub fn new(database: Database) -> Office {
        let shop = company(database);
        Office::from_shop(shop.clone(), shop.entity())
    }

    /// In a company that keeps books in euro from today on.
    #[track_caller]
    pub fn with_books(database: Database) -> Office {
        let shop = crate::goods::bookkeeping(database);
        Office::from_shop(shop.clone(), shop.entity())
    }

    /// In an entity that has kept books in euro for three months; it has no goods.
    #[track_caller]
    pub fn with_old_books(database: Database) -> Office {
        let shop = company(database);
        let code = fresh("OLD");
        let entity = json!({
            "code": code, "name": code, "keepsBooks": true, "currencyCode": "EUR", "chart": "STANDARD",
            "booksStartOn": month_day(3, 1),
        });
        let entity = shop.post("ledger/legal-entities", entity).is(201).id();
        Office::from_shop(shop, entity)
    }

    /// In a company on the host whose services tests may call, with or without books.
    #[track_caller]
    pub fn with_services(database: Database, keeps_books: bool) -> Office {
        let host = services::host(database);
        let shop = if keeps_books { host.company_with(json!({ "keepsBooks": true })) } else { host.company() };
        Office::from_shop(shop.clone(), shop.entity())
    }

    #[track_caller]
    pub fn from_shop(shop: Company, entity: String) -> Office {
        let counter = Counter { entity: entity.clone(), ..Counter::new(shop.clone()) };
        let buyer = Buyer::from_shop(shop.clone());
        let desk =
            |trade, party: &str| Desk { shop: shop.clone(), trade, entity: entity.clone(), party: party.to_string() };
        let (sales, purchases) = (desk(Trade::Sales, &counter.customer), desk(Trade::Purchases, &buyer.supplier));
        Office { shop, entity, counter, buyer, sales, purchases }
    }

    pub fn desks(&self) -> [&Desk; 2] {
        [&self.sales, &self.purchases]
    }

    pub fn books(&self) -> Books {
        Books { shop: self.shop.clone(), entity: self.entity.clone() }
    }

    /// The same documents in the eyes of another of the company's people.
    pub fn as_person(&self, shop: &Company) -> Office {
        let desk = |desk: &Desk| Desk { shop: shop.clone(), ..desk.clone() };
        Office {
            shop: shop.clone(),
            counter: Counter { shop: shop.clone(), ..self.counter.clone() },
            buyer: self.buyer.as_person(shop),
            sales: desk(&self.sales),
            purchases: desk(&self.purchases),
            ..self.clone()
        }
    }

    /// The entries of a source in the order of posting: purpose, then account and signed amount of each line.
    #[track_caller]
    pub fn entries(&self, source: &str) -> Vec<String> {
        let query = [("legalEntityId", self.entity.as_str()), ("sourceId", source)];
        let mut entries: Vec<String> =
            self.shop.all("ledger/journal-entries", &query).iter().filter_map(id_of).collect();
        entries.sort();
        entries
            .iter()
            .map(|entry| self.shop.get(&format!("ledger/journal-entries/{entry}")).is(200))
            .map(tell)
            .collect()
    }

    /// The entry of each application of an invoice.
    #[track_caller]
    pub fn application_entries(&self, desk: &Desk, invoice: &str) -> Vec<String> {
        let applications = desk.shop.all(&desk.at(&format!("invoices/{invoice}/applications")), &[]);
        applications.iter().filter_map(id_of).flat_map(|id| self.entries(&id)).collect()
    }

    /// Balances of the accounts that have one: `1010 100, 4000 -100`.
    #[track_caller]
    pub fn balances(&self) -> String {
        let reported =
            self.books().closing().into_iter().map(|(code, closing)| format!("{code} {}", figure(&json!(closing))));
        reported.collect::<Vec<_>>().join(", ")
    }

    /// Every control account is at what the documents say, and `stoa verify` finds nothing.
    #[track_caller]
    pub fn sound(&self) {
        self.reconcile();
        self.shop.verified();
    }

    #[track_caller]
    pub fn reconcile(&self) {
        let report = self.shop.list("reports/reconciliation", &[("legalEntityId", &self.entity)]).is(200);
        assert_eq!(report.items().len(), 7, "{report}");
        assert!(report.items().iter().all(|row| row["difference"] == crate::books::ZERO), "{report}");
    }
}

fn id_of(record: &Json) -> Option<String> {
    record["id"].as_str().map(str::to_string)
}

/// Debits first, each side in the order of the accounts.
fn tell(entry: Answer) -> String {
    let line = |line: &Json| {
        let (debit, credit) = (figure(&line["debit"]), figure(&line["credit"]));
        let is_credit = debit == "0";
        let amount = if is_credit { format!("-{credit}") } else { format!("+{debit}") };
        (is_credit, format!("{} {amount}", line["accountCode"].as_str().unwrap_or_default()))
    };
    let mut lines: Vec<(bool, String)> = entry["lines"].as_array().into_iter().flatten().map(line).collect();
    lines.sort();
    let lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
    format!("{}: {}", entry.text("purpose"), lines.join(", "))
}

/// Parts of invoices as a body states them.
pub fn parts(parts: &[(&str, &str)]) -> Json {
    parts.iter().map(|(invoice, amount)| json!({ "invoiceId": invoice, "amount": amount })).collect()
}

impl Desk {
    /// A path of this side: `sales/invoices`.
    pub fn at(&self, path: &str) -> String {
        let side = match self.trade {
            Trade::Sales => "sales",
            Trade::Purchases => "purchases",
        };
        format!("{side}/{path}")
    }

    /// The name of this side's price or cost of one.
    pub fn amount_member(&self) -> &'static str {
        match self.trade {
            Trade::Sales => "unitPrice",
            Trade::Purchases => "unitCost",
        }
    }

    /// A line without an order, of nothing that is sold.
    pub fn free(&self, quantity: &str, amount: &str) -> Json {
        json!({ "description": "Work", "quantity": quantity, (self.amount_member()): amount })
    }

    /// A line of a variant without an order.
    pub fn goods(&self, variant: &str, quantity: &str, amount: &str) -> Json {
        json!({ "variantId": variant, "quantity": quantity, (self.amount_member()): amount })
    }

    pub fn body(&self, lines: Json) -> Json {
        json!({
            "number": fresh("INV-"), "legalEntityId": self.entity, "partyId": self.party, "currencyCode": "EUR",
            "lines": lines,
        })
    }

    #[track_caller]
    pub fn try_draft(&self, lines: Json, members: Json) -> Answer {
        self.shop.post(&self.at("invoices"), with(&self.body(lines), members))
    }

    /// A draft of these lines: its id.
    #[track_caller]
    pub fn draft(&self, lines: Json) -> String {
        self.try_draft(lines, json!({})).is(201).id()
    }

    #[track_caller]
    pub fn replace(&self, invoice: &str, lines: Json, members: Json) -> Answer {
        let read = self.invoice(invoice);
        let fixed = json!({ "number": read["number"], "expectedVersion": read["version"] });
        self.shop.put(&self.at(&format!("invoices/{invoice}")), with(&with(&self.body(lines), fixed), members))
    }

    #[track_caller]
    pub fn read(&self, path: &str) -> Answer {
        self.shop.get(&self.at(path)).is(200)
    }

    #[track_caller]
    pub fn invoice(&self, id: &str) -> Answer {
        self.read(&format!("invoices/{id}"))
    }

    #[track_caller]
    pub fn version(&self, path: &str) -> Json {
        self.read(path)["version"].clone()
    }

    /// A transition of a document at its present version.
    #[track_caller]
    pub fn step(&self, path: &str, verb: &str, members: Json) -> Answer {
        self.step_at(path, verb, self.version(path), members)
    }

    #[track_caller]
    pub fn step_at(&self, path: &str, verb: &str, version: Json, members: Json) -> Answer {
        let body = with(&json!({ "expectedVersion": version }), members);
        self.shop.post(&self.at(&format!("{path}/{verb}")), body)
    }

    /// Issues a sale, recognises a purchase.
    #[track_caller]
    pub fn try_issue(&self, invoice: &str, members: Json) -> Answer {
        let path = format!("invoices/{invoice}");
        match self.trade {
            Trade::Sales => self.step(&path, "issue", members),
            Trade::Purchases => self.step(&path, "recognize", with(&self.grounds(), members)),
        }
    }

    /// By what a supplier's document is recognised.
    pub fn grounds(&self) -> Json {
        json!({ "documentReference": fresh("DOC-"), "recognizedOn": day(0) })
    }

    /// An issued invoice of these lines: its id.
    #[track_caller]
    pub fn issue(&self, lines: Json) -> String {
        let invoice = self.draft(lines);
        self.try_issue(&invoice, json!({})).is(200);
        invoice
    }

    /// A draft of this amount without an order.
    #[track_caller]
    pub fn owe_draft(&self, amount: &str) -> String {
        self.draft(json!([self.free("1", amount)]))
    }

    /// An issued invoice of this amount without an order.
    #[track_caller]
    pub fn owe(&self, amount: &str) -> String {
        self.issue(json!([self.free("1", amount)]))
    }

    #[track_caller]
    pub fn void(&self, path: &str, members: Json) -> Answer {
        self.step(path, "void", with(&json!({ "reason": WHY }), members))
    }

    /// The amount still owed of an invoice, without the zeros at its end.
    #[track_caller]
    pub fn balance(&self, invoice: &str) -> String {
        figure(&self.invoice(invoice)["balance"])
    }

    pub fn payment(&self, amount: &str) -> Json {
        json!({
            "number": fresh("PAY-"), "legalEntityId": self.entity, "partyId": self.party, "currencyCode": "EUR",
            "amount": amount, "method": "TRANSFER", "paidOn": day(0),
        })
    }

    #[track_caller]
    pub fn try_pay(&self, amount: &str, members: Json) -> Answer {
        self.shop.post(&self.at("payments"), with(&self.payment(amount), members))
    }

    /// A recorded payment: its path.
    #[track_caller]
    pub fn pay(&self, amount: &str) -> String {
        format!("payments/{}", self.try_pay(amount, json!({})).is(201).id())
    }

    /// A recorded payment that pays these parts of invoices: its path.
    #[track_caller]
    pub fn pay_for(&self, amount: &str, applications: &[(&str, &str)]) -> String {
        format!("payments/{}", self.try_pay(amount, json!({ "applications": parts(applications) })).is(201).id())
    }

    /// Applies a payment or credit at its present version.
    #[track_caller]
    pub fn apply(&self, path: &str, applications: &[(&str, &str)]) -> Answer {
        self.step(path, "applications", json!({ "applications": parts(applications) }))
    }

    pub fn credit(&self, amount: &str) -> Json {
        json!({
            "number": fresh("CR-"), "legalEntityId": self.entity, "partyId": self.party, "currencyCode": "EUR",
            "amount": amount, "reasonType": "AGREEMENT",
        })
    }

    #[track_caller]
    pub fn try_request(&self, amount: &str, members: Json) -> Answer {
        self.shop.post(&self.at("credit-notes"), with(&self.credit(amount), members))
    }

    /// A requested credit: its path.
    #[track_caller]
    pub fn request(&self, amount: &str, members: Json) -> String {
        format!("credit-notes/{}", self.try_request(amount, members).is(201).id())
    }

    #[track_caller]
    pub fn recognize(&self, path: &str, members: Json) -> Answer {
        self.step(path, "recognize", with(&self.grounds(), members))
    }

    /// A recognised credit: its path.
    #[track_caller]
    pub fn grant(&self, amount: &str) -> String {
        let path = self.request(amount, json!({}));
        self.recognize(&path, json!({})).is(200);
        path
    }

    /// The rest of a payment or credit, without the zeros at its end.
    #[track_caller]
    pub fn available(&self, path: &str) -> String {
        figure(&self.read(path)["available"])
    }

    pub fn refund(&self, amount: &str) -> Json {
        json!({ "number": fresh("REF-"), "amount": amount, "method": "TRANSFER", "refundedOn": day(0) })
    }

    /// Refunds a payment or credit at its present version.
    #[track_caller]
    pub fn try_refund(&self, path: &str, amount: &str, members: Json) -> Answer {
        self.step(path, "refunds", with(&self.refund(amount), members))
    }

    /// A refund of a payment or credit: its path.
    #[track_caller]
    pub fn give_back(&self, path: &str, amount: &str) -> String {
        format!("refunds/{}", self.try_refund(path, amount, json!({})).is(201).id())
    }
}

/// The id at the end of a path.
pub fn id(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
