//! Purchases of the demo company: orders of real devices from made-up wholesalers, the goods that came of them, and the bills for
//! those.
//!
//! Two more kinds of figures are made up by rule: a piece costs 72 % of its retail price, and the identities of units, whose
//! IMEIs begin with the digits of test devices.

use std::collections::HashMap;

use anyhow::{Context, Result};
use serde_json::{Value as Json, json};

use super::facts::{self, Catalogue, Cents};
use super::loader::{CURRENCY, Loader};
use super::parties::Parties;
use super::premises::Premises;
use crate::api::{items, text};

const PURCHASES: &str = include_str!("../../demo/purchases.psv");
const WHY: &str = "Delivery of the demo company";

/// Everything that is bought.
pub struct Purchases {
    orders: Vec<Order>,
}

struct Order {
    number: &'static str,
    supplier: &'static str,
    lines: Vec<Line>,
}

struct Line {
    sku: String,
    cost: Cents,
    pieces: u32,
    /// `None` for a draft.
    received: Option<u32>,
    identity: Identity,
}

/// How the units of an article are distinguished.
#[derive(Clone, Copy, PartialEq)]
enum Identity {
    None,
    Serial,
    Imei,
}

impl Purchases {
    /// Writes of a load: of each order its creation, its approval, its receipt and the bill of that, every second of
    /// which is paid.
    pub fn steps(&self) -> usize {
        let of_receipt = 1 + Loader::BILL_STEPS;
        let order_steps =
            |order: &Order| 1 + usize::from(order.is_approved()) + of_receipt * usize::from(order.has_receipt());
        let receipts = self.orders.iter().filter(|order| order.has_receipt()).count();
        self.orders.iter().map(order_steps).sum::<usize>() + receipts.div_ceil(2)
    }

    /// Pieces of each article that came.
    #[cfg(test)]
    pub fn pieces(&self) -> impl Iterator<Item = (&str, u32)> {
        let lines = self.orders.iter().flat_map(|order| &order.lines);
        lines.map(|line| (line.sku.as_str(), line.received.unwrap_or_default()))
    }
}

impl Order {
    fn is_approved(&self) -> bool {
        self.lines.iter().all(|line| line.received.is_some())
    }

    fn has_receipt(&self) -> bool {
        self.lines.iter().any(|line| line.received.is_some_and(|received| received > 0))
    }
}

/// Reads the tables. An error names the table and the line.
pub fn purchases(catalogue: &Catalogue) -> Result<Purchases> {
    let mut orders: Vec<Order> = Vec::new();
    facts::table("purchases", PURCHASES, |[number, supplier, product, condition, pieces, received]| {
        let product = catalogue.products.iter().find(|known| known.name == product).context("an unknown product")?;
        let category = catalogue.categories.iter().find(|known| known.named.code == product.category);
        let identity = match category.is_some_and(|category| category.serials) {
            false => Identity::None,
            true if product.category.starts_with("PHONES") => Identity::Imei,
            true => Identity::Serial,
        };
        let pieces: u32 = pieces.parse()?;
        let received = if received == "-" { None } else { Some(received.parse::<u32>()?.min(pieces)) };
        let variants = product.variants.iter().filter(|variant| variant.condition == condition);
        let lines = variants.map(|variant| Line {
            sku: variant.sku.clone(),
            cost: variant.retail.cost(),
            pieces,
            received,
            identity,
        });
        match orders.iter_mut().find(|order| order.number == number) {
            Some(order) => order.lines.extend(lines),
            None => orders.push(Order { number, supplier, lines: lines.collect() }),
        }
        Ok(())
    })?;
    Ok(Purchases { orders })
}

impl Loader<'_> {
    /// Loads orders, receipts and bills; `variants` are ids by SKU.
    pub async fn purchases(
        &mut self,
        purchases: &Purchases,
        premises: &Premises,
        parties: &Parties,
        variants: &HashMap<&str, &str>,
    ) -> Result<()> {
        // Units of the whole demo are numbered through.
        let mut units = 0;
        let mut is_paid = true;
        for order in &purchases.orders {
            let lines = order.lines.iter().map(|line| {
                let variant = variants.get(line.sku.as_str()).with_context(|| format!("no variant {}", line.sku))?;
                Ok(json!({ "variantId": variant, "quantity": line.pieces.to_string(), "unitCost": line.cost.to_string() }))
            });
            let body = json!({
                "number": order.number, "legalEntityId": premises.entity, "warehouseId": premises.warehouse,
                "currencyCode": CURRENCY, "supplierId": parties.supplier(order.supplier)?,
                "items": lines.collect::<Result<Vec<Json>>>()?,
            });
            let made = self.create("purchases/orders", order.number, &body).await?;
            let path = format!("purchases/orders/{}", text(&made, "id")?);
            if order.is_approved() {
                self.create(&format!("{path}/approve"), order.number, &json!({ "expectedVersion": 1 })).await?;
            }
            if order.has_receipt() {
                let read = self.api.get(&self.path(&path)).await?;
                let body =
                    json!({ "expectedVersion": 2, "reason": WHY, "items": receipt_lines(order, &read, &mut units)? });
                let receipt = self.create(&format!("{path}/receipts"), order.number, &body).await?;
                self.bill(&text(&made, "id")?, order.number, &text(&receipt, "createdAt")?, is_paid).await?;
                is_paid = !is_paid;
            }
        }
        Ok(())
    }
}

/// The lines of an order's receipt.
fn receipt_lines(order: &Order, read: &Json, units: &mut u32) -> Result<Vec<Json>> {
    let mut lines = Vec::new();
    for (line, item) in order.lines.iter().zip(items(read)) {
        let received = line.received.unwrap_or_default();
        if received == 0 {
            continue;
        }
        let mut body = json!({ "orderItemId": text(item, "id")?, "quantity": received.to_string() });
        if line.identity != Identity::None {
            let count = *units + 1..=*units + received;
            *units += received;
            body["units"] = count.map(|number| unit(line.identity, number)).collect();
        }
        lines.push(body);
    }
    Ok(lines)
}

fn unit(identity: Identity, number: u32) -> Json {
    match identity {
        Identity::Imei => json!({ "serialNumber": format!("DEMO{number:06}"), "imei1": imei(number) }),
        _ => json!({ "serialNumber": format!("DEMO{number:06}") }),
    }
}

/// An IMEI of the range of test devices, with its check digit.
fn imei(number: u32) -> String {
    let digits = format!("00100100{number:06}");
    let sum: u32 = digits
        .bytes()
        .enumerate()
        .map(|(index, byte)| {
            let digit = u32::from(byte - b'0') * if index % 2 == 1 { 2 } else { 1 };
            digit / 10 + digit % 10
        })
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::parties;

    #[test]
    fn the_tables_make_orders_that_the_service_takes() {
        let catalogue = facts::catalogue().unwrap();
        let Purchases { orders } = purchases(&catalogue).unwrap();
        let suppliers = parties::suppliers().unwrap();
        assert!(suppliers.len() >= 3 && orders.len() >= 6);
        for order in &orders {
            assert!((1..=100).contains(&order.lines.len()), "{}: {} lines", order.number, order.lines.len());
            assert!(suppliers.iter().any(|supplier| supplier.code == order.supplier), "{}", order.supplier);
            let mut skus: Vec<&str> = order.lines.iter().map(|line| line.sku.as_str()).collect();
            skus.sort_unstable();
            skus.dedup();
            assert_eq!(skus.len(), order.lines.len(), "{}: an article twice", order.number);
            let named = order.lines.iter().filter(|line| line.identity != Identity::None);
            let units: u32 = named.filter_map(|line| line.received).sum();
            assert!(units <= 100, "{}: {units} units", order.number);
            let drafts = order.lines.iter().filter(|line| line.received.is_none()).count();
            assert!(drafts == 0 || drafts == order.lines.len(), "{} is half a draft", order.number);
        }
        let is = |wanted: fn(&Order) -> bool| orders.iter().any(wanted);
        assert!(is(|order| !order.is_approved()) && is(|order| order.is_approved() && !order.has_receipt()));
        assert!(is(|order| order
            .lines
            .iter()
            .any(|line| line.received.is_some_and(|received| 0 < received && received < line.pieces))));
    }

    #[test]
    fn imeis_have_their_check_digit() {
        // The third digit counts once, the sixth and the fourteenth twice: 5, and 5 more make ten.
        assert_eq!(imei(1), "001001000000015");
        assert_eq!(imei(0).len(), 15);
    }
}
