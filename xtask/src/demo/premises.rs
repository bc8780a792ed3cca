//! Where the demo company is at home: a legal entity that has kept books since the first of the month before the
//! company was made, its branch and its warehouses. That month is over, so that it can be closed.

use anyhow::{Context, Result};
use serde_json::json;

use super::loader::{COMPANY, CURRENCY, Loader};
use crate::api::{items, text};

const MAIN: &str = "MAIN";

/// The records that everything else depends on.
pub struct Premises {
    pub month: Month,
    pub entity: String,
    pub warehouse: String,
}

/// A month: `2026-10`.
#[derive(Debug, PartialEq)]
pub struct Month(String);

impl Month {
    /// The month before the one in which an instant lies.
    fn before(instant: &str) -> Result<Month> {
        let part = |from: usize, to: usize| instant.get(from..to)?.parse::<u16>().ok();
        let (year, month) = part(0, 4).zip(part(5, 7)).context("an instant without its month")?;
        let (year, month) = if month == 1 { (year - 1, 12) } else { (year, month - 1) };
        Ok(Month(format!("{year:04}-{month:02}")))
    }

    /// A day of it: `2026-10-05`.
    pub fn day(&self, day: u8) -> String {
        format!("{}-{day:02}", self.0)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Loader<'_> {
    /// Writes of `premises`.
    pub const PREMISES_STEPS: usize = 4;

    pub async fn premises(&mut self) -> Result<Premises> {
        // When the company was made, not the clock: a loader that goes on in another month writes what it would have written.
        let members = self.api.get(&self.path("iam/memberships?limit=1")).await?;
        let first = items(&members).next().context("a company without a member")?;
        let month = Month::before(&text(first, "createdAt")?)?;
        let body = json!({
            "code": MAIN, "name": COMPANY, "countryCode": "US", "keepsBooks": true, "currencyCode": CURRENCY,
            "booksStartOn": month.day(1), "chart": "STANDARD",
        });
        let entity = text(&self.create("ledger/legal-entities", MAIN, &body).await?, "id")?;
        let body = json!({ "code": MAIN, "name": "Quay Street", "legalEntityId": entity });
        let branch = text(&self.create("ledger/branches", MAIN, &body).await?, "id")?;
        let body = json!({
            "code": MAIN, "name": "Main warehouse", "type": "PHYSICAL", "legalEntityId": entity, "branchId": branch,
        });
        let warehouse = text(&self.create("inventory/warehouses", MAIN, &body).await?, "id")?;
        let body =
            json!({ "code": "TRANSIT", "name": "Goods in transit", "type": "IN_TRANSIT", "legalEntityId": entity });
        self.create("inventory/warehouses", "TRANSIT", &body).await?;
        Ok(Premises { month, entity, warehouse })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_month_before_january_is_december() {
        assert_eq!(Month::before("2026-01-31T10:00:00.000Z").unwrap(), Month("2025-12".to_owned()));
        assert_eq!(Month::before("2026-11-01T00:00:00.000Z").unwrap().day(5), "2026-10-05");
        assert!(Month::before("2026").is_err());
    }
}
