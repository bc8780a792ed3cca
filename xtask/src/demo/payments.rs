//! Payments of whole invoices by transfer, on either side of the trade.

use anyhow::{Context, Result};
use serde_json::json;

use super::loader::Loader;
use crate::api::text;

impl Loader<'_> {
    /// Pays an invoice, `sales/invoices/ID` or `purchases/invoices/ID`, on a day.
    pub async fn pay(&mut self, invoice: &str, number: &str, on: &str) -> Result<()> {
        let (side, id) = invoice.split_once("/invoices/").context("no path of an invoice")?;
        let read = self.api.get(&self.path(invoice)).await?;
        let total = text(&read, "total")?;
        let body = json!({
            "number": format!("PAY-{number}"), "legalEntityId": text(&read, "legalEntityId")?,
            "partyId": text(&read, "partyId")?, "currencyCode": text(&read, "currencyCode")?,
            "amount": total, "method": "TRANSFER", "paidOn": on,
            "applications": [{ "invoiceId": id, "amount": total }],
        });
        self.create(&format!("{side}/payments"), number, &body).await?;
        Ok(())
    }
}
