//! Setup of a new company: a warehouse to work in and one for goods on their way; the checklist; and the backfill of an older
//! version's rows.

use stoa_sdk::store::{find, read, run, select};
use stoa_sdk::{Created, Filter, Id, Problem, ProvisionOptions, Step, all, view};
use stoa_trade::Status;
use stoa_trade::clients::{directory, holdings};

use crate::records::stock::StockRow;
use crate::records::warehouse::{WarehouseRow, WarehouseType};
use crate::rules::delta::Pair;
use crate::work::costs::totals;
use crate::work::goods::holding_of;
use crate::work::warehouses::insert_warehouse;

view! { WarehouseId of WarehouseRow { id: Id } }

/// Code of the first entity and of its branch, as onboarding creates them.
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

/// Rows of stock of a batch of the backfill.
const ROWS: u32 = 500;
/// Prefix of the backfill's cursor once the totals are brought forward; the id of the last row of stock follows.
const HOLDINGS: &str = "holdings:";

/// Brings the totals of costs forward, then reports to the catalog of which variants there are goods: a version that
/// does not report it may have moved any.
pub fn upgrade(cursor: Option<String>) -> Result<Option<String>, Problem> {
    match cursor.as_deref().and_then(|cursor| cursor.strip_prefix(HOLDINGS)) {
        None => Ok(Some(totals::upgrade(cursor)?.unwrap_or_else(|| HOLDINGS.to_owned()))),
        Some(after) => {
            let page = run(select::<StockRow>(Filter::default()).after(after.parse().ok()).limit(ROWS))?;
            let pair = |row: &StockRow| Pair { warehouse: row.warehouse_id, variant: row.variant_id }.key();
            // Held, so that no change of a pair comes between what is read of it and what is said of it.
            let rows = run(find::<StockRow>("pair", page.items.iter().map(pair)).locked())?;
            holdings::note(&rows.iter().map(holding_of).collect::<Vec<_>>());
            Ok(page.items.last().filter(|_| page.more).map(|row| format!("{HOLDINGS}{}", row.id)))
        }
    }
}
