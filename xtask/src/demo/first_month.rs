//! The demo company's first month, before it had goods: capital, wages, what others billed it and what it billed for
//! work. Nothing else lies in that month, for documents of goods and of the till carry the clock of the service; so it
//! is closed.

use std::collections::HashMap;

use anyhow::{Context, Result};
use serde_json::json;

use super::facts::{Cents, parse_amount, parse_optional, table};
use super::loader::{CURRENCY, Loader};
use super::parties::Parties;
use super::premises::Premises;
use crate::api::{items, text};

const ACCOUNTS: &str = include_str!("../../demo/accounts.psv");
const ENTRIES: &str = include_str!("../../demo/entries.psv");
const COSTS: &str = include_str!("../../demo/costs.psv");
const SERVICES: &str = include_str!("../../demo/services.psv");
/// The account that work is sold on.
const SERVICES_ACCOUNT: &str = "4010";

/// The contents of the month's tables.
pub struct FirstMonth {
    accounts: Vec<Account>,
    entries: Vec<Entry>,
    costs: Vec<Cost>,
    services: Vec<Service>,
}

struct Account {
    code: &'static str,
    account_type: &'static str,
    name: &'static str,
}

struct Entry {
    day: u8,
    description: &'static str,
    debit: &'static str,
    credit: &'static str,
    amount: Cents,
}

/// A supplier's bill for no goods.
struct Cost {
    day: u8,
    supplier: &'static str,
    document: &'static str,
    description: &'static str,
    account: &'static str,
    amount: Cents,
    paid_on: Option<u8>,
}

/// Work that was billed to a customer.
struct Service {
    day: u8,
    customer: &'static str,
    number: &'static str,
    description: &'static str,
    quantity: &'static str,
    price: Cents,
    paid_on: Option<u8>,
}

/// Reads the tables. An error names the table and the line.
pub fn first_month() -> Result<FirstMonth> {
    let accounts = table("accounts", ACCOUNTS, |[code, account_type, name]| Ok(Account { code, account_type, name }))?;
    let entries = table("entries", ENTRIES, |[day, description, debit, credit, amount]| {
        Ok(Entry { day: day.parse()?, description, debit, credit, amount: parse_amount(amount)? })
    })?;
    let costs = table("costs", COSTS, |[day, supplier, document, description, account, amount, paid]| {
        let (day, amount, paid_on) = (day.parse()?, parse_amount(amount)?, parse_optional(paid)?);
        Ok(Cost { day, supplier, document, description, account, amount, paid_on })
    })?;
    let services = table("services", SERVICES, |[day, customer, number, description, quantity, price, paid]| {
        let (day, price, paid_on) = (day.parse()?, parse_amount(price)?, parse_optional(paid)?);
        Ok(Service { day, customer, number, description, quantity, price, paid_on })
    })?;
    Ok(FirstMonth { accounts, entries, costs, services })
}

impl FirstMonth {
    /// Writes of a load: accounts and entries once, of each invoice its draft, its recognition and its payment; the close.
    pub fn steps(&self) -> usize {
        let dues = self.costs.iter().map(|cost| cost.paid_on).chain(self.services.iter().map(|work| work.paid_on));
        let invoices = dues.map(|paid| 2 + usize::from(paid.is_some())).sum::<usize>();
        self.accounts.len() + self.entries.len() + invoices + 1
    }
}

impl Loader<'_> {
    pub async fn first_month(&mut self, month: &FirstMonth, premises: &Premises, parties: &Parties) -> Result<()> {
        let accounts = self.accounts(month, premises).await?;
        let account = |code: &str| accounts.get(code).with_context(|| format!("no account {code}"));
        for entry in &month.entries {
            let (debit, credit) = (account(entry.debit)?, account(entry.credit)?);
            let amount = entry.amount.to_string();
            let body = json!({
                "legalEntityId": premises.entity, "entryDate": premises.month.day(entry.day), "description": entry.description,
                "lines": [{ "accountId": debit, "debit": amount }, { "accountId": credit, "credit": amount }],
            });
            self.create("ledger/journal-entries", entry.description, &body).await?;
        }
        for cost in &month.costs {
            let day = premises.month.day(cost.day);
            let line = json!({
                "description": cost.description, "quantity": "1", "unitCost": cost.amount.to_string(),
                "accountId": account(cost.account)?,
            });
            let body = json!({
                "number": format!("BILL-{}", cost.document), "legalEntityId": premises.entity, "currencyCode": CURRENCY,
                "partyId": parties.supplier(cost.supplier)?, "issuedOn": day, "documentReference": cost.document,
                "lines": [line],
            });
            let draft = text(&self.create("purchases/invoices", cost.document, &body).await?, "id")?;
            let path = format!("purchases/invoices/{draft}");
            let body = json!({ "expectedVersion": 1, "documentReference": cost.document, "recognizedOn": day });
            self.create(&format!("{path}/recognize"), cost.document, &body).await?;
            if let Some(paid_on) = cost.paid_on {
                self.pay(&path, cost.document, &premises.month.day(paid_on)).await?;
            }
        }
        for work in &month.services {
            let day = premises.month.day(work.day);
            let line = json!({
                "description": work.description, "quantity": work.quantity, "unitPrice": work.price.to_string(),
                "accountId": account(SERVICES_ACCOUNT)?,
            });
            let body = json!({
                "number": work.number, "legalEntityId": premises.entity, "currencyCode": CURRENCY,
                "partyId": parties.customer(work.customer)?, "issuedOn": day, "lines": [line],
            });
            let draft = text(&self.create("sales/invoices", work.number, &body).await?, "id")?;
            let path = format!("sales/invoices/{draft}");
            let body = json!({ "expectedVersion": 1, "recognizedOn": day, "issuedOn": day });
            self.create(&format!("{path}/recognize"), work.number, &body).await?;
            if let Some(paid_on) = work.paid_on {
                self.pay(&path, work.number, &premises.month.day(paid_on)).await?;
            }
        }
        let close = format!("ledger/legal-entities/{}/periods/{}/close", premises.entity, premises.month.as_str());
        self.create(&close, "close", &json!({ "expectedVersion": 1 })).await?;
        Ok(())
    }

    /// Adds the table's accounts to the chart; answers all of them by code.
    async fn accounts(&mut self, month: &FirstMonth, premises: &Premises) -> Result<HashMap<String, String>> {
        for account in &month.accounts {
            let body = json!({
                "legalEntityId": premises.entity, "code": account.code, "name": account.name, "type": account.account_type,
            });
            self.create("ledger/accounts", account.code, &body).await?;
        }
        let chart = format!("ledger/accounts?legalEntityId={}&limit=100", premises.entity);
        let page = self.api.get(&self.path(&chart)).await?;
        items(&page).map(|account| Ok((text(account, "code")?, text(account, "id")?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_month_has_the_days_and_nothing_is_paid_before_it_is_billed() {
        let month = first_month().unwrap();
        let costs = month.costs.iter().map(|cost| (cost.day, cost.paid_on));
        let services = month.services.iter().map(|work| (work.day, work.paid_on));
        let entries = month.entries.iter().map(|entry| (entry.day, None));
        for (day, paid_on) in costs.chain(services).chain(entries) {
            assert!((1..=28).contains(&day));
            assert!(paid_on.is_none_or(|paid_on| (day..=28).contains(&paid_on)), "{day}");
        }
    }
}
