//! What inventory does for a new company: a warehouse to work in and one for goods on their way; and the checklist.

use stoa_sdk::store::{read, select};
use stoa_sdk::{Created, Id, Problem, ProvisionOptions, Step, all, view};
use stoa_trade::Status;
use stoa_trade::clients::directory;

use crate::records::warehouse::{WarehouseRow, WarehouseType};
use crate::work::warehouses::insert_warehouse;

view! { WarehouseId of WarehouseRow { id: Id } }

/// What onboarding calls the first entity and its branch.
const MAIN: &str = "MAIN";

/// Warehouses MAIN and TRANSIT of the entity that the ledger made, so that transfer orders work at once.
pub fn provision(options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
    let Some((legal_entity_id, branch_id)) = directory::find_by_code(MAIN).filter(|_| options.with_defaults) else {
        return Ok(Vec::new());
    };
    let new = [
        (MAIN, "Main warehouse", WarehouseType::Physical, branch_id),
        ("TRANSIT", "Goods in transit", WarehouseType::InTransit, None),
    ];
    new.into_iter()
        .map(|(code, name, kind, branch_id)| {
            let row = insert_warehouse(code.to_owned(), name.to_owned(), kind, legal_entity_id, branch_id)?;
            Ok(Created { resource_type: "WAREHOUSE".to_owned(), resource: row.id.into() })
        })
        .collect()
}

pub fn checklist() -> Vec<Step> {
    let normal = [WarehouseType::Physical, WarehouseType::Virtual, WarehouseType::ThirdParty];
    let normal = all([WarehouseRow::status.eq(Status::Active), WarehouseRow::kind.one_of(normal)]);
    let found = read(select::<WarehouseId>(normal).first());
    let hint = "Create a warehouse where goods can be sold.".to_owned();
    vec![Step { code: "WAREHOUSE".to_owned(), done: found.is_some(), hint }]
}
