//! Installing a chart of accounts in an entity that has none: accounts, mappings and money accounts at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::host::fault;
use stoa_sdk::store::{get, insert, lock, run, select, update_by};
use stoa_sdk::{Answer, Call, Field, Id, Problem, Reply, facts, map, text_enum, view};

use crate::account::{Account, AccountRow};
use crate::entity::{EntityRow, books_lock};
use crate::mapping::{MappingSetRow, MethodMappingRow, RoleMappingRow};
use crate::money_account::MoneyRow;
use crate::refusal::illegal;
use crate::template::{STANDARD, Template};
use crate::template_detailed::DETAILED;

text_enum! {
    /// STANDARD: a small trading company, 28 accounts without headings. DETAILED: the same numbers for what operations post to,
    /// with headings, fixed assets, loans, staff and running costs, some 100 accounts.
    pub enum TemplateCode { Standard => "STANDARD", Detailed => "DETAILED" }
}

impl TemplateCode {
    pub fn template(self) -> &'static Template {
        match self {
            TemplateCode::Standard => &STANDARD,
            TemplateCode::Detailed => &DETAILED,
        }
    }
}

/// Which chart is installed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChartInput {
    template: TemplateCode,
}

/// The accounts that were installed; mappings and money accounts came with them.
#[derive(Serialize, JsonSchema)]
pub struct InstalledChart {
    accounts: Vec<Account>,
}

view! { AccountId of AccountRow { id: Id } }

pub fn create(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: ChartInput = call.body()?;
    let (_, entity, accounts) = run((
        lock(books_lock(id)),
        get::<EntityRow>(id),
        select::<AccountId>(AccountRow::legal_entity_id.eq(id)).limit(1),
    ))?;
    entity.ok_or_else(Problem::not_found)?.unarchived()?;
    if !accounts.items.is_empty() {
        return Err(illegal("/path/id", "CHART_EXISTS"));
    }
    let accounts = install(id, input.template.template())?;
    run(update_by::<MappingSetRow>("entity", [vec![id.put()]]).set(MappingSetRow::complete, &true))?;
    let tenant = Id::from(facts().tenant);
    let accounts = accounts.into_iter().map(|row| Account::of(row, tenant)).collect();
    Ok(Reply::json(&InstalledChart { accounts }).resource(id))
}

/// Writes the template into an entity without accounts; the caller is alone with its books, or has just made it. The mapping set
/// is then complete, which is the caller's to say.
pub fn install(entity: Id, template: &Template) -> Result<Vec<AccountRow>, Problem> {
    let mut accounts: Vec<AccountRow> = template
        .accounts
        .iter()
        .map(|of| AccountRow { postable: !of.heading, ..AccountRow::new(entity, of.code, of.name, of.account_type) })
        .collect();
    let ids = map(accounts.iter().map(|row| (row.code.clone(), row.id)));
    let id = |code: &str| ids.get(code).copied().unwrap_or_else(|| fault("a template names an account it lacks"));
    for (row, of) in accounts.iter_mut().zip(template.accounts) {
        row.parent_id = of.parent.map(id);
        let role = template.roles.iter().find(|(role, code)| role.facts().control && *code == of.code);
        row.control_role = role.map(|(role, _)| *role);
    }
    let money: Vec<MoneyRow> = template
        .money
        .iter()
        .map(|of| MoneyRow { till: of.till, ..MoneyRow::new(entity, of.code, of.name, of.kind, id(of.account)) })
        .collect();
    let roles: Vec<RoleMappingRow> =
        template.roles.iter().map(|(role, code)| RoleMappingRow::new(entity, *role, Some(id(code)))).collect();
    let methods: Vec<MethodMappingRow> = template
        .money
        .iter()
        .zip(&money)
        .map(|(of, row)| MethodMappingRow::new(entity, of.method, Some(row.id)))
        .collect();
    run((insert(&accounts), insert(&money), insert(&roles), insert(&methods)))?;
    Ok(accounts)
}
