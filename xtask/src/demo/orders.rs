//! Sales orders of the demo company: an offer, and orders that went as far as their table says.

use std::collections::HashMap;

use anyhow::{Result, bail};
use serde_json::{Value as Json, json};

use super::facts::{table, unless_dash};
use super::loader::Loader;
use super::parties::Parties;
use super::premises::Premises;
use super::stock::Stock;
use crate::api::{day, text};

const ORDERS: &str = include_str!("../../demo/orders.psv");
/// Whom the quotation is for, and its articles.
const PROSPECT: &str = "BRIGHT-OFFICE";
const QUOTED: usize = 3;

/// Everything that is sold on account.
pub struct Orders {
    orders: Vec<SalesOrder>,
}

struct SalesOrder {
    number: &'static str,
    customer: &'static str,
    stage: Stage,
    lines: Vec<Line>,
}

struct Line {
    sku: &'static str,
    pieces: u32,
    discount: Option<&'static str>,
}

/// How far an order went.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Stage {
    Draft,
    Confirmed,
    Completed,
    Billed,
    Paid,
}

/// Where sales happen.
pub struct Shop<'a> {
    pub premises: &'a Premises,
    pub parties: &'a Parties,
    pub price_list: &'a str,
}

/// Orders that are billed, by their numbers: the order's id and the invoice's.
pub type Billed = HashMap<&'static str, (String, String)>;

/// Reads the table. An error names the line.
pub fn orders() -> Result<Orders> {
    let mut orders: Vec<SalesOrder> = Vec::new();
    table("orders", ORDERS, |[number, customer, stage, sku, pieces, discount]| {
        let stage = match stage {
            "DRAFT" => Stage::Draft,
            "CONFIRMED" => Stage::Confirmed,
            "COMPLETED" => Stage::Completed,
            "BILLED" => Stage::Billed,
            "PAID" => Stage::Paid,
            _ => bail!("an order does not go that far"),
        };
        let line = Line { sku, pieces: pieces.parse()?, discount: unless_dash(discount) };
        match orders.iter_mut().find(|order| order.number == number) {
            Some(order) => order.lines.push(line),
            None => orders.push(SalesOrder { number, customer, stage, lines: vec![line] }),
        }
        Ok(())
    })?;
    Ok(Orders { orders })
}

impl Orders {
    /// Writes of a load: a quotation; of each order its creation, confirmation, delivery, the draft and the issue of
    /// its invoice, and its payment, as far as it goes.
    pub fn steps(&self) -> usize {
        let order_steps = |order: &SalesOrder| match order.stage {
            Stage::Draft => 1,
            Stage::Confirmed => 2,
            Stage::Completed => 3,
            Stage::Billed => 5,
            Stage::Paid => 6,
        };
        1 + self.orders.iter().map(order_steps).sum::<usize>()
    }

    /// Pieces of each article that the orders take.
    #[cfg(test)]
    pub fn pieces(&self) -> impl Iterator<Item = (&'static str, u32)> {
        self.orders.iter().flat_map(|order| order.lines.iter().map(|line| (line.sku, line.pieces)))
    }
}

impl Loader<'_> {
    pub async fn orders(&mut self, orders: &Orders, shop: &Shop<'_>, stock: &mut Stock<'_>) -> Result<Billed> {
        let mut billed = Billed::new();
        for order in &orders.orders {
            let mut lines = Vec::new();
            for line in &order.lines {
                let mut body = stock.line(line.sku, line.pieces)?;
                body["discountPercent"] = json!(line.discount);
                lines.push(body);
            }
            let id = self.order(shop, order.number, order.customer, lines).await?;
            if order.stage >= Stage::Confirmed {
                self.confirm(&id).await?;
            }
            if order.stage >= Stage::Completed {
                let path = format!("sales/orders/{id}/complete");
                self.create(&path, order.number, &json!({ "expectedVersion": 2 })).await?;
            }
            if order.stage >= Stage::Billed {
                let invoice = self.invoice(&id, order).await?;
                billed.insert(order.number, (id, invoice));
            }
        }
        Ok(billed)
    }

    /// An offer of the first articles, before anything is ordered.
    pub async fn quotation(&mut self, shop: &Shop<'_>, variants: &[&str]) -> Result<()> {
        let line = |variant: &&str| json!({ "variantId": variant, "quantity": "2", "discountPercent": "10" });
        let body = json!({
            "legalEntityId": shop.premises.entity, "customerId": shop.parties.customer(PROSPECT)?,
            "priceListId": shop.price_list, "items": variants.iter().take(QUOTED).map(line).collect::<Vec<_>>(),
        });
        self.create("sales/quotations", "first quotation", &body).await?;
        Ok(())
    }

    /// Creates a draft; answers its id.
    pub async fn order(&mut self, shop: &Shop<'_>, number: &str, customer: &str, lines: Vec<Json>) -> Result<String> {
        let body = json!({
            "number": number, "legalEntityId": shop.premises.entity, "warehouseId": shop.premises.warehouse,
            "customerId": shop.parties.customer(customer)?, "priceListId": shop.price_list, "items": lines,
        });
        text(&self.create("sales/orders", number, &body).await?, "id")
    }

    pub async fn confirm(&mut self, order: &str) -> Result<()> {
        let path = format!("sales/orders/{order}/confirm");
        self.create(&path, "confirm", &json!({ "expectedVersion": 1 })).await?;
        Ok(())
    }

    /// Bills an order, and has it paid where it is; answers the invoice's id.
    async fn invoice(&mut self, id: &str, order: &SalesOrder) -> Result<String> {
        let number = format!("INV-{}", order.number);
        let body = json!({ "orderId": id, "number": number });
        let draft = text(&self.create("sales/invoices/from-order", &number, &body).await?, "id")?;
        let path = format!("sales/invoices/{draft}");
        let issued = self.create(&format!("{path}/issue"), &number, &json!({ "expectedVersion": 1 })).await?;
        if order.stage == Stage::Paid {
            self.pay(&path, &number, &day(&issued)?).await?;
        }
        Ok(draft)
    }
}
