//! New customers, those of callers and the one that every company begins with.

use stoa_sdk::store::{insert, run};
use stoa_sdk::{Field, Id, Problem, emit};
use stoa_trade::clients::prices;
use stoa_trade::party::{CustomerTerms, PartyInput};
use stoa_trade::refusal::unusable;

use crate::records::customer::{CUSTOMER_CREATED, CustomerEvent, CustomerRow};
use crate::records::permission::READ_CUSTOMERS;
use crate::work::owner::find_owner;

/// A customer as a body states it.
pub type CustomerBody = PartyInput<CustomerTerms>;

/// Where a body states the list that a profile proposes.
const DEFAULT_LIST: &str = "/profile/defaultPriceListId";

/// Reads whether the list that a profile proposes is active; none if none is stated, else NOT_FOUND without one.
pub fn find_default_list(input: &CustomerBody) -> Result<Option<bool>, Problem> {
    let stated = input.profile.new_value().and_then(|profile| profile.terms.default_price_list_id);
    let Some(id) = stated else { return Ok(None) };
    let list = prices::service::get_list(id.into());
    Ok(Some(list.ok_or_else(|| Problem::reference_missing(DEFAULT_LIST))?.active))
}

/// Refuses with REFERENCE_INVALID a list that is archived.
pub fn require_usable(default_list: Option<bool>) -> Result<(), Problem> {
    if default_list == Some(false) { Err(unusable(DEFAULT_LIST, "ARCHIVED")) } else { Ok(()) }
}

/// Puts a customer in and says so.
///
/// # Errors
/// DUPLICATE at `/code`; NOT_FOUND, REFERENCE_INVALID at the list that its profile proposes.
pub fn insert_customer(input: CustomerBody) -> Result<CustomerRow, Problem> {
    require_usable(find_default_list(&input)?)?;
    let row = CustomerRow::new(input);
    if run(insert([&row]).unless_taken())? != [true] {
        let owner = find_owner::<CustomerRow>(READ_CUSTOMERS, "code", vec![row.code_key.put()])?;
        return Err(Problem::conflict("DUPLICATE", "/code", owner));
    }
    emit([CUSTOMER_CREATED.of(row.id, None, &CustomerEvent::from_row(&row))]);
    Ok(row)
}

/// The customer that the till sells to from the first day.
pub const WALK_IN: &str = "WALK-IN";

/// Puts the walk-in customer in.
pub fn provision_walk_in() -> Result<Id, Problem> {
    let input: CustomerBody =
        serde_json::from_value(serde_json::json!({ "code": WALK_IN, "name": "Walk-in customer" }))
            .map_err(|_| Problem::invalid(Vec::new()))?;
    insert_customer(input).map(|row| row.id)
}
