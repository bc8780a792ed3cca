//! Whom the demo company buys from and sells to, by the codes of the tables.

use std::collections::HashMap;

use anyhow::{Context, Result};
use serde_json::{Value as Json, json};

use super::facts::{parse_optional, table, unless_dash};
use super::loader::{CURRENCY, Loader};
use crate::api::text;

const SUPPLIERS: &str = include_str!("../../demo/suppliers.psv");
const CUSTOMERS: &str = include_str!("../../demo/customers.psv");

/// A party to create.
pub struct NewParty {
    pub code: &'static str,
    body: Json,
}

/// Ids of the parties.
pub struct Parties {
    suppliers: HashMap<&'static str, String>,
    customers: HashMap<&'static str, String>,
}

impl Parties {
    pub fn supplier(&self, code: &str) -> Result<&str> {
        self.suppliers.get(code).map(String::as_str).with_context(|| format!("an unknown supplier {code}"))
    }

    pub fn customer(&self, code: &str) -> Result<&str> {
        self.customers.get(code).map(String::as_str).with_context(|| format!("an unknown customer {code}"))
    }
}

/// Reads the suppliers. An error names the line.
pub fn suppliers() -> Result<Vec<NewParty>> {
    table("suppliers", SUPPLIERS, |[code, name, legal, country, site, pay, lead]| {
        let profile = json!({
            "kind": "COMPANY", "legalName": legal, "website": site, "defaultCurrencyCode": CURRENCY,
            "paymentTermDays": pay.parse::<u16>()?, "leadTimeDays": lead.parse::<u16>()?,
            "addresses": [{ "use": "BILLING", "line1": "1 Warehouse Road", "countryCode": country }],
        });
        Ok(NewParty { code, body: json!({ "code": code, "name": name, "profile": profile }) })
    })
}

/// Reads the customers. An error names the line.
pub fn customers() -> Result<Vec<NewParty>> {
    table("customers", CUSTOMERS, |[code, name, kind, pay]| {
        let profile = json!({ "kind": unless_dash(kind), "paymentTermDays": parse_optional::<u16>(pay)? });
        Ok(NewParty { code, body: json!({ "code": code, "name": name, "profile": profile }) })
    })
}

impl Loader<'_> {
    pub async fn parties(&mut self, suppliers: &[NewParty], customers: &[NewParty]) -> Result<Parties> {
        let suppliers = self.create_parties("purchases/suppliers", suppliers).await?;
        let customers = self.create_parties("sales/customers", customers).await?;
        Ok(Parties { suppliers, customers })
    }

    async fn create_parties(&mut self, path: &str, parties: &[NewParty]) -> Result<HashMap<&'static str, String>> {
        let mut ids = HashMap::new();
        for party in parties {
            let answer = self.create(path, party.code, &party.body).await?;
            ids.insert(party.code, text(&answer, "id")?);
        }
        Ok(ids)
    }
}
