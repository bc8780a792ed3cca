//! The tables of the sample, and what they add up to: read and summed here by plain integers, apart from the service's decimals.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Sum;
use std::path::Path;

/// Money in ten-thousandths: the sample's own digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Money(i128);

impl Money {
    /// Reads a decimal of at most four digits after the point; zeros behind them do not count.
    #[track_caller]
    pub fn parse(text: &str) -> Money {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let fraction = fraction.trim_end_matches('0');
        assert!(fraction.len() <= 4, "finer than the sample: {text}");
        let digits = format!("{whole}{fraction:0<4}");
        Money(digits.parse().unwrap_or_else(|_| panic!("no decimal: {text}")))
    }

    fn times(self, count: u64) -> Money {
        Money(self.0 * i128::from(count))
    }

    /// As the service answers amounts: twelve digits after the point.
    pub fn amount(self) -> String {
        format!("{}.{:04}00000000", self.0 / 10_000, self.0 % 10_000)
    }

    /// As a unit cost is stated.
    pub fn cost(self) -> String {
        format!("{}.{:04}", self.0 / 10_000, self.0 % 10_000)
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Money>>(all: I) -> Money {
        Money(all.map(|money| money.0).sum())
    }
}

pub struct Source {
    pub vendors: Vec<Vendor>,
    pub products: Vec<Product>,
    pub orders: Vec<Order>,
    /// Lines of the sample; some of one product at one price are one line here.
    pub lines: usize,
}

pub struct Vendor {
    pub id: String,
    pub code: String,
    pub name: String,
}

pub struct Product {
    pub id: String,
    pub sku: String,
    pub name: String,
}

pub struct Order {
    id: String,
    pub vendor: String,
    pub subtotal: Money,
    /// 1 pending, 2 approved, 3 rejected, 4 complete.
    status: String,
    pub expected_on: String,
    pub lines: Vec<Line>,
}

pub struct Line {
    pub product: String,
    pub sku: String,
    pub ordered: u64,
    pub received: u64,
    pub price: Money,
}

impl Order {
    pub fn number(&self) -> String {
        format!("AW-{}", self.id)
    }

    fn is_whole(&self) -> bool {
        self.lines.iter().all(|line| line.received == line.ordered)
    }

    /// Returns whether nothing more comes of it, though not all has come: complete or rejected in the source.
    pub fn is_given_up(&self) -> bool {
        !self.is_whole() && ["3", "4"].contains(&self.status.as_str())
    }

    pub fn outcome(&self) -> &'static str {
        match (self.is_whole(), self.is_given_up()) {
            (true, _) => "RECEIVED",
            (_, true) => "CANCELLED",
            _ => "PARTIALLY_RECEIVED",
        }
    }
}

impl Source {
    pub fn read(folder: &Path) -> Source {
        let mut skus = BTreeMap::new();
        let mut products = Vec::new();
        for row in rows(folder, "Product") {
            skus.insert(row["ProductID"].clone(), row["ProductNumber"].clone());
            products.push(Product {
                id: row["ProductID"].clone(),
                sku: row["ProductNumber"].clone(),
                name: row["Name"].clone(),
            });
        }
        let details = rows(folder, "PurchaseOrderDetail");
        let bought: BTreeSet<&String> = details.iter().map(|row| &row["ProductID"]).collect();
        products.retain(|product| bought.contains(&product.id));
        let mut lines: BTreeMap<&str, Vec<Line>> = BTreeMap::new();
        for row in &details {
            let (ordered, received, price) =
                (count(&row["OrderQty"]), count(&row["ReceivedQty"]), Money::parse(&row["UnitPrice"]));
            assert_eq!(price.times(ordered), Money::parse(&row["LineTotal"]), "a line's total is its product");
            let of_order = lines.entry(&row["PurchaseOrderID"]).or_default();
            // An order has one line of an article: lines of one product at one price are one.
            match of_order.iter_mut().find(|line| line.product == row["ProductID"]) {
                Some(line) => {
                    assert_eq!(line.price, price, "one product at two prices");
                    line.ordered += ordered;
                    line.received += received;
                }
                None => {
                    let product = row["ProductID"].clone();
                    let sku = skus[&product].clone();
                    of_order.push(Line { product, sku, ordered, received, price });
                }
            }
        }
        let order = |row: &BTreeMap<String, String>| Order {
            id: row["PurchaseOrderID"].clone(),
            vendor: row["VendorID"].clone(),
            subtotal: Money::parse(&row["SubTotal"]),
            status: row["Status"].clone(),
            expected_on: row["ShipDate"].chars().take(10).collect(),
            lines: lines.remove(row["PurchaseOrderID"].as_str()).unwrap_or_default(),
        };
        let orders = rows(folder, "PurchaseOrderHeader").iter().map(order).collect();
        let vendor = |row: &BTreeMap<String, String>| Vendor {
            id: row["BusinessEntityID"].clone(),
            code: row["AccountNumber"].replace(|letter: char| !letter.is_ascii_alphanumeric(), "-"),
            name: row["Name"].clone(),
        };
        Source { vendors: rows(folder, "Vendor").iter().map(vendor).collect(), products, orders, lines: details.len() }
    }

    /// The value of the received goods, at the prices of the orders.
    pub fn sum_received(&self) -> Money {
        self.orders.iter().flat_map(|order| &order.lines).map(|line| line.price.times(line.received)).sum()
    }

    /// By SKU: pieces that came, and pieces that open orders still bring.
    pub fn stock(&self) -> BTreeMap<String, (u64, u64)> {
        let mut stock: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for order in &self.orders {
            for line in &order.lines {
                let (there, coming) = stock.entry(line.sku.clone()).or_default();
                *there += line.received;
                *coming += if order.is_given_up() { 0 } else { line.ordered - line.received };
            }
        }
        stock
    }
}

/// A whole number, as `3` or `3.00`.
#[track_caller]
fn count(text: &str) -> u64 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    assert!(fraction.bytes().all(|digit| digit == b'0'), "no whole number: {text}");
    whole.parse().unwrap_or_else(|_| panic!("no number: {text}"))
}

fn rows(folder: &Path, table: &str) -> Vec<BTreeMap<String, String>> {
    let path = folder.join(format!("{table}.csv"));
    let reader = csv::Reader::from_path(&path);
    let mut reader = reader.unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    let rows = reader.deserialize().collect::<Result<_, _>>();
    rows.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
