//! Goods that customers bring back, and the credit that is granted for them.

use anyhow::{Context, Result};
use serde_json::{Value as Json, json};

use super::facts::table;
use super::loader::{CURRENCY, Loader};
use super::orders::Billed;
use crate::api::{day, items, text};

const RETURNS: &str = include_str!("../../demo/returns.psv");

/// A piece of an order that is billed and not paid: its price is taken off the invoice.
pub struct Return {
    order: &'static str,
    sku: &'static str,
    disposition: &'static str,
    reason: &'static str,
}

/// A line of an order that comes back, in part or whole.
pub struct TakeBack<'a> {
    /// The number of the credit.
    pub number: &'a str,
    /// The order as it is read, and its line.
    pub order: &'a Json,
    pub line: &'a Json,
    pub pieces: u32,
    pub disposition: &'a str,
    pub reason: &'a str,
    pub amount: &'a str,
    /// The invoice that the credit is about.
    pub invoice: Option<&'a str>,
}

/// A recognised credit.
pub struct Credit {
    pub path: String,
    pub version: Json,
    pub recognized_on: String,
}

/// Reads the table. An error names the line.
pub fn returns() -> Result<Vec<Return>> {
    table("returns", RETURNS, |[order, sku, disposition, reason]| Ok(Return { order, sku, disposition, reason }))
}

impl Loader<'_> {
    /// Writes of a return of the table: those of `take_back`, and the application.
    pub const RETURN_STEPS: usize = Loader::TAKE_BACK_STEPS + 1;
    /// Writes of `take_back`.
    pub const TAKE_BACK_STEPS: usize = 4;

    pub async fn returns(&mut self, returns: &[Return], billed: &Billed) -> Result<()> {
        for back in returns {
            let (order, invoice) = billed.get(back.order).context("a return of an order that is not billed")?;
            let order = self.api.get(&self.path(&format!("sales/orders/{order}"))).await?;
            let line = items(&order).find(|line| line.get("sku").is_some_and(|sku| sku == back.sku));
            let line = line.context("a return of what was not ordered")?;
            let (number, amount) = (format!("CR-{}", back.order), text(line, "unitPrice")?);
            let back = TakeBack {
                number: &number,
                order: &order,
                line,
                pieces: 1,
                disposition: back.disposition,
                reason: back.reason,
                amount: &amount,
                invoice: Some(invoice),
            };
            let credit = self.take_back(back).await?;
            let body = json!({
                "expectedVersion": credit.version, "applications": [{ "invoiceId": invoice, "amount": amount }],
            });
            self.create(&format!("{}/applications", credit.path), &number, &body).await?;
        }
        Ok(())
    }

    /// Receives what comes back, and grants a credit for it.
    pub async fn take_back(&mut self, back: TakeBack<'_>) -> Result<Credit> {
        let units = back.line.get("units").and_then(Json::as_array).into_iter().flatten();
        let units: Vec<&Json> = units.filter_map(|unit| unit.get("unitId")).take(back.pieces as usize).collect();
        let item = json!({
            "itemId": text(back.line, "id")?, "quantity": back.pieces.to_string(), "disposition": back.disposition,
            "unitIds": units,
        });
        let body = json!({ "orderId": text(back.order, "id")?, "reason": back.reason, "items": [item] });
        let draft = text(&self.create("sales/returns", back.number, &body).await?, "id")?;
        let path = format!("sales/returns/{draft}/receive");
        self.create(&path, back.number, &json!({ "expectedVersion": 1 })).await?;
        let body = json!({
            "number": back.number, "legalEntityId": text(back.order, "legalEntityId")?, "currencyCode": CURRENCY,
            "partyId": text(back.order, "customerId")?, "amount": back.amount, "reasonType": "RETURN",
            "reason": back.reason, "originInvoiceId": back.invoice,
        });
        let request = self.create("sales/credit-notes", back.number, &body).await?;
        let (path, recognized_on) = (format!("sales/credit-notes/{}", text(&request, "id")?), day(&request)?);
        let body = json!({ "expectedVersion": 1, "documentReference": back.number, "recognizedOn": recognized_on });
        let answer = self.create(&format!("{path}/recognize"), back.number, &body).await?;
        let version = answer.get("version").context("a credit without its version")?.clone();
        Ok(Credit { path, version, recognized_on })
    }
}
