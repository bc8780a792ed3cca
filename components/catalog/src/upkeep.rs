//! Setup of the catalog for a new company: defaults and the checklist.

use stoa_sdk::store::{read, select};
use stoa_sdk::{Created, Problem, ProvisionOptions, Step, Text, all};
use stoa_trade::Status;

use crate::records::lookup::{AUDIT, Kind, LookupId, LookupRow};
use crate::records::product::{ProductId, ProductRow, ProductState};
use crate::rules::lookup::CatalogLookupInput;
use crate::work::lookup::insert_lookup;

/// The unit UNIT, where defaults are wanted.
pub fn provision(options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
    if !options.with_defaults {
        return Ok(Vec::new());
    }
    let unit = CatalogLookupInput {
        name: Text("Unit".to_owned()),
        code: "UNIT".to_owned(),
        parent_id: None,
        decimal_places: Some(0),
    };
    let row = insert_lookup(Kind::Units, unit)?;
    Ok(vec![Created { resource_type: AUDIT.to_owned(), resource: row.id.into() }])
}

pub fn checklist() -> Vec<Step> {
    let units = all([LookupRow::kind.eq(Kind::Units), LookupRow::status.eq(Status::Active)]);
    let products = ProductRow::status.eq(ProductState::Active);
    let (unit, product) = read((select::<LookupId>(units).first(), select::<ProductId>(products).first()));
    vec![
        Step {
            code: "UNIT".to_owned(),
            done: unit.is_some(),
            hint: "Create a unit of measure that products are counted in.".to_owned(),
        },
        Step { code: "PRODUCT".to_owned(), done: product.is_some(), hint: "Create the first product.".to_owned() },
    ]
}
