//! Installing a chart of accounts in an entity that has no account.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, lock, run, select, update_by};
use stoa_sdk::{Answer, Call, Field, Operation, Problem, Reply};
use stoa_trade::require_unarchived;

use crate::records::account::{Account, AccountId, AccountRow};
use crate::records::entity::{EntityRow, LEGAL_ENTITY};
use crate::records::mapping::MappingSetRow;
use crate::records::permission::SETTINGS;
use crate::rules::books::books_lock;
use crate::rules::charts::TemplateCode;
use crate::rules::refusal::refuse_while;
use crate::work::chart::install;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create("/ledger/legal-entities/{id}/chart", "installChart", create)
        .summary("Install a chart of accounts")
        .description("Installs accounts, mappings of every role and method, and money accounts. The legal entity must have no \
            account.")
        .needs(SETTINGS).body::<ChartInput>().answers::<InstalledChart>()
        .writes(LEGAL_ENTITY, &[]).problems(&["ARCHIVED", "ILLEGAL_STATE"]).item_codes(&["CHART_EXISTS"]),
];

/// Chart of accounts to install.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChartInput {
    template: TemplateCode,
}

/// Installed accounts. Mappings and money accounts were created with them.
#[derive(Serialize, JsonSchema)]
pub struct InstalledChart {
    accounts: Vec<Account>,
}

pub fn create(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: ChartInput = call.body()?;
    let (_, entity, account) = run((
        lock(books_lock(id)),
        get::<EntityRow>(id),
        select::<AccountId>(AccountRow::legal_entity_id.eq(id)).first(),
    ))?;
    require_unarchived(entity.ok_or_else(Problem::not_found)?)?;
    refuse_while(&[("CHART_EXISTS", account.is_some())])?;
    let accounts = install(id, input.template.template())?;
    run(update_by::<MappingSetRow>("entity", [vec![id.put()]]).set(MappingSetRow::complete, &true))?;
    let accounts = accounts.iter().map(Account::from_row).collect();
    Ok(Reply::json(&InstalledChart { accounts }).resource(id))
}
