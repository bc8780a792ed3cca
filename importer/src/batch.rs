//! Items to send, put together to batches, and the way back from a refusal's pointer to the line.

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::api::ProblemItem;
use crate::columns::{self, Part};
use crate::fault::Fault;

/// Items of one request at most: products of an import, or prices.
const MOST: usize = 500;
/// Variants of one import at most.
const MOST_VARIANTS: usize = 2_000;
/// Bytes of a body at most; the service takes 16 MiB of products and 1 MiB of prices.
const LARGEST: [(Place, usize); 2] = [(Place::Product, 15 << 20), (Place::Price, 900 << 10)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Product,
    Price,
}

/// A product with its variants, or a price.
#[derive(Debug, Clone)]
pub struct Item {
    pub place: Place,
    /// The digest of its body and its target, which identifies it in the report.
    pub digest: String,
    pub body: Json,
    /// A price that begins when the run does.
    pub starts_now: bool,
    /// The lines that it comes from: a product's first one before those of its variants.
    pub line: u64,
    pub parts: Vec<(u64, String)>,
    /// The column of a price.
    pub column: String,
}

impl Item {
    pub fn new(place: Place, to: &str, body: Json, line: u64, parts: Vec<(u64, String)>, column: &str) -> Item {
        let hash = Sha256::digest(format!("{to}\n{body}"));
        let digest = hex::encode(hash.first_chunk::<12>().map_or(&[][..], |part| &part[..]));
        Item { place, digest, body, starts_now: false, line, parts, column: column.to_owned() }
    }

    /// Rows of the file that it is made of.
    pub fn rows(&self) -> Vec<u64> {
        match self.parts.is_empty() {
            true => vec![self.line],
            false => self.parts.iter().map(|(line, _)| *line).collect(),
        }
    }

    fn fault(&self, rest: &[&str], code: &str) -> Fault {
        let (line, column) = match (self.place, rest) {
            (Place::Product, ["variants", nth, rest @ ..]) => {
                let part = nth.parse().ok().and_then(|nth: usize| self.parts.get(nth));
                let member = rest.first().copied().unwrap_or_default();
                (part.map_or(self.line, |(line, _)| *line), columns::of_member(member, Part::Variant))
            }
            (Place::Product, [member, ..]) => (self.line, columns::of_member(member, Part::Product)),
            (Place::Price, ["variantId", ..]) => (self.line, "sku".to_owned()),
            // The begin of a price is in the way of another price: the price's own cell says which.
            (Place::Price, ["validFrom"]) if code == "PRICE_PERIOD_OVERLAP" => (self.line, self.column.clone()),
            (Place::Price, [member @ ("validFrom" | "validTo"), ..]) => (self.line, (*member).to_owned()),
            (Place::Price, _) => (self.line, self.column.clone()),
            (Place::Product, []) => (self.line, String::new()),
        };
        Fault::new(line, column, code)
    }
}

/// The item that a pointer such as `/products/3/variants/1/sku` leads to, by its place in the batch, and its bad line.
pub fn culprit(batch: &[Item], item: &ProblemItem) -> Option<(usize, Fault)> {
    let steps: Vec<&str> = item.pointer.split('/').skip(1).collect();
    match steps.as_slice() {
        ["products" | "prices", nth, rest @ ..] => {
            let nth = nth.parse().ok()?;
            Some((nth, batch.get(nth)?.fault(rest, &item.code).with_details(item)))
        }
        _ => None,
    }
}

/// Every line of the batch, where a refusal points to none.
pub fn all(batch: &[Item], code: &str) -> Vec<Fault> {
    batch.iter().map(|item| item.fault(&[], code)).collect()
}

/// The items in their order, as many together as one request takes.
pub fn batches(items: Vec<Item>) -> Vec<Vec<Item>> {
    let mut batches: Vec<Vec<Item>> = Vec::new();
    let (mut bytes, mut variants) = (0, 0);
    for item in items {
        let size = item.body.to_string().len() + 1;
        let largest = LARGEST.iter().find(|(place, _)| *place == item.place).map_or(0, |(_, largest)| *largest);
        let (more_bytes, more_variants) = (bytes + size, variants + item.parts.len());
        match batches
            .last_mut()
            .filter(|batch| batch.len() < MOST && more_bytes <= largest && more_variants <= MOST_VARIANTS)
        {
            Some(batch) => {
                (bytes, variants) = (more_bytes, more_variants);
                batch.push(item);
            }
            None => {
                (bytes, variants) = (size, item.parts.len());
                batches.push(vec![item]);
            }
        }
    }
    batches
}

/// The body of a request. `from`: when prices begin that begin with the run; each ends an open price before it.
pub fn body(batch: &[Item], from: &str) -> Json {
    let items: Vec<Json> = batch.iter().map(|item| with_begin(item, from)).collect();
    match batch.first().map(|item| item.place) {
        Some(Place::Price) => json!({ "prices": items, "replace": true }),
        _ => json!({ "products": items }),
    }
}

fn with_begin(item: &Item, from: &str) -> Json {
    let mut body = item.body.clone();
    if let Some(members) = body.as_object_mut().filter(|_| item.starts_now) {
        members.insert("validFrom".to_owned(), json!(from));
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(line: u64, variants: u64) -> Item {
        let parts = (0..variants).map(|nth| (line + nth, format!("S{line}-{nth}"))).collect();
        Item::new(Place::Product, "products", json!({ "name": line }), line, parts, "")
    }

    #[test]
    fn pointers_lead_to_lines() {
        let price = Item::new(Place::Price, "BASE", json!({}), 9, Vec::new(), "price:BASE");
        let products = [product(2, 1), product(3, 4)];
        let found = |batch: &[Item], pointer: &str| {
            let item = ProblemItem {
                pointer: pointer.to_owned(),
                code: "X".to_owned(),
                expected: Some(json!({ "maxLength": 1 })),
                conflicts_with: None,
            };
            let found = culprit(batch, &item);
            assert!(found.iter().all(|(_, fault)| fault.expected == item.expected));
            found.map(|(nth, fault)| (nth, fault.line, fault.column))
        };
        let expected = |nth: usize, line: u64, column: &str| Some((nth, line, column.to_owned()));
        assert_eq!(found(&products, "/products/1/variants/2/sku"), expected(1, 5, "sku"));
        assert_eq!(found(&products, "/products/1/variants/2/attributes"), expected(1, 5, "variantAttribute"));
        assert_eq!(found(&products, "/products/1/categoryId"), expected(1, 3, "category"));
        assert_eq!(found(&products, "/products/0"), expected(0, 2, ""));
        assert_eq!(found(&products, "/products/2/name"), None);
        assert_eq!(found(&products, "/path/tenantId"), None);
        let prices = [price];
        assert_eq!(found(&prices, "/prices/0"), expected(0, 9, "price:BASE"));
        assert_eq!(found(&prices, "/prices/0/variantId"), expected(0, 9, "sku"));
        assert_eq!(found(&prices, "/prices/0/validFrom"), expected(0, 9, "validFrom"));
    }

    #[test]
    fn batches_stay_within_the_bounds_of_a_request() {
        let counts = |items: Vec<Item>| batches(items).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(counts((0..1_001).map(|line| product(line, 1)).collect()), [500, 500, 1]);
        assert_eq!(counts((0..41).map(|line| product(line, 100)).collect()), [20, 20, 1]);
        let large =
            |line: u64| Item::new(Place::Price, "B", json!({ "x": "y".repeat(400 << 10) }), line, Vec::new(), "");
        assert_eq!(counts((0..5).map(large).collect()), [2, 2, 1]);
    }

    #[test]
    fn a_digest_is_of_the_body_and_where_it_goes() {
        let item =
            |to: &str, amount: &str| Item::new(Place::Price, to, json!({ "amount": amount }), 1, Vec::new(), "").digest;
        assert_eq!(item("BASE", "1"), item("BASE", "1"));
        assert_ne!(item("BASE", "1"), item("BASE", "2"));
        assert_ne!(item("BASE", "1"), item("EU", "1"));
    }

    #[test]
    fn a_price_change_begins_with_the_run() {
        let price = |amount: &str| Item::new(Place::Price, "B", json!({ "amount": amount }), 2, Vec::new(), "price:B");
        let changed = Item { starts_now: true, ..price("2") };
        assert_eq!(changed.digest, price("2").digest, "the same in the run that continues this one");
        let expected = json!({ "prices": [{ "amount": "1" }, { "amount": "2", "validFrom": "now" }], "replace": true });
        assert_eq!(body(&[price("1"), changed], "now"), expected);
        assert_eq!(body(&[product(2, 1)], "now"), json!({ "products": [{ "name": 2 }] }));
    }
}
