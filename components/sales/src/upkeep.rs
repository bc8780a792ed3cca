//! Set-up of sales for a new company, and the checklist.

use stoa_sdk::store::{read, select};
use stoa_sdk::{Created, Problem, ProvisionOptions, Step, view};
use stoa_trade::Status;

use crate::records::customer::{CUSTOMER, CustomerRow};
use crate::work::customer::provision_walk_in;

view! { CustomerId of CustomerRow { id: stoa_sdk::Id } }

/// The walk-in customer: an order always names one, so that the till needs it on the first day (decisions.md G17).
pub fn provision(options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
    if !options.with_defaults {
        return Ok(Vec::new());
    }
    let id = provision_walk_in()?;
    Ok(vec![Created { resource_type: CUSTOMER.to_owned(), resource: id.into() }])
}

pub fn checklist() -> Vec<Step> {
    let active = read(select::<CustomerId>(CustomerRow::status.eq(Status::Active)).first());
    vec![Step { code: "CUSTOMER".to_owned(), done: active.is_some(), hint: "Create a customer.".to_owned() }]
}
