//! Setup of pricing for a new company: defaults and the checklist.

use stoa_sdk::store::{read, select};
use stoa_sdk::{Created, Problem, ProvisionOptions, Step, Text, currency, item};
use stoa_trade::Status;

use crate::records::price_list::{AUDIT, ListId, ListRow, Visibility};
use crate::work::price_list::{PriceListInput, insert_list};

/// The internal list BASE in the company's currency, where defaults are wanted.
pub fn provision(options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
    if !currency::is_active(&options.currency_code) {
        return Err(Problem::invalid(vec![item("/currencyCode", "FORMAT")]));
    }
    if !options.with_defaults {
        return Ok(Vec::new());
    }
    let row = insert_list(PriceListInput {
        code: "BASE".to_owned(),
        name: Text("Base prices".to_owned()),
        description: None,
        currency_code: options.currency_code.clone(),
        visibility: Visibility::Internal,
    })?;
    Ok(vec![Created { resource_type: AUDIT.to_owned(), resource: row.id.into() }])
}

pub fn checklist() -> Vec<Step> {
    let list = read(select::<ListId>(ListRow::status.eq(Status::Active)).first());
    vec![Step { code: "PRICE_LIST".to_owned(), done: list.is_some(), hint: "Create a price list.".to_owned() }]
}
