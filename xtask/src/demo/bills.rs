//! Supplier invoices of the demo company: an invoice of each receipt, and some of them paid.

use anyhow::{Context, Result};
use serde_json::json;

use super::loader::Loader;
use crate::api::text;

impl Loader<'_> {
    /// Writes of a bill: its draft and its recognition, and of one that is paid the payment.
    pub const BILL_STEPS: usize = 2;

    /// Bills what came of an order on the day of its receipt, and pays it where it is to be paid.
    pub async fn bill(&mut self, order: &str, number: &str, received_at: &str, is_paid: bool) -> Result<()> {
        let day = received_at.get(..10).context("a receipt without its day")?;
        let bill = format!("BILL-{number}");
        let body = json!({ "orderId": order, "number": bill, "documentReference": bill });
        let draft = text(&self.create("purchases/invoices/from-order", number, &body).await?, "id")?;
        let path = format!("purchases/invoices/{draft}");
        let body = json!({ "expectedVersion": 1, "documentReference": bill, "recognizedOn": day });
        self.create(&format!("{path}/recognize"), number, &body).await?;
        if is_paid {
            self.pay(&path, number, day).await?;
        }
        Ok(())
    }
}
