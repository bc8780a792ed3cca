//! Setup of the point of sale for a new company, and the checklist.

use stoa_sdk::store::{read, select};
use stoa_sdk::{Created, Id, Problem, ProvisionOptions, Step, view};
use stoa_trade::Status;
use stoa_trade::clients::{prices, warehouses};
use stoa_trade::text::Line;

use crate::records::register::{POS_REGISTER, RegisterRow};
use crate::work::register::{PosRegisterInput, insert_register};

view! { RegisterId of RegisterRow { id: Id } }

/// The register of the first day: it sells from the warehouse and at the list that onboarding made.
const FIRST: &str = "POS-1";

/// Register POS-1 on warehouse MAIN and list BASE, so that a company can sell at once.
pub fn provision(options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
    if !options.with_defaults {
        return Ok(Vec::new());
    }
    let places = (warehouses::service::find_by_code("MAIN"), prices::service::find_list("BASE"));
    let (Some(warehouse), Some(list)) = places else { return Ok(Vec::new()) };
    let register = PosRegisterInput {
        code: FIRST.to_owned(),
        name: Line("Register 1".to_owned()),
        warehouse_id: warehouse.id.into(),
        price_list_id: list.id.into(),
        cash_account_id: None,
        smallest_coin: None,
    };
    let row = insert_register(register, &warehouse, list)?;
    Ok(vec![Created { resource_type: POS_REGISTER.to_owned(), resource: row.id.into() }])
}

pub fn checklist() -> Vec<Step> {
    let active = read(select::<RegisterId>(RegisterRow::status.eq(Status::Active)).first());
    let hint = "Create a register, to sell over the counter.".to_owned();
    vec![Step { code: "REGISTER".to_owned(), done: active.is_some(), hint }]
}
