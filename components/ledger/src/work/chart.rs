//! Installing a chart of accounts in an entity that has none: accounts, mappings and money accounts at once.

use stoa_sdk::host::fault;
use stoa_sdk::store::{insert, run};
use stoa_sdk::{Id, Problem, map};

use crate::records::account::AccountRow;
use crate::records::mapping::{MethodMappingRow, RoleMappingRow};
use crate::records::money_account::MoneyRow;
use crate::rules::template::{ROLE_ACCOUNTS, Template};

/// Writes the template into an entity without accounts; the caller is alone with its books, or has just made it. The mapping set
/// is then complete, which is the caller's to say.
pub fn install(entity: Id, template: &Template) -> Result<Vec<AccountRow>, Problem> {
    let mut accounts: Vec<AccountRow> = template
        .accounts()
        .map(|account| AccountRow {
            postable: !account.heading,
            ..AccountRow::new(entity, account.code, account.name, account.account_type)
        })
        .collect();
    let ids = map(accounts.iter().map(|row| (row.code.clone(), row.id)));
    let id = |code: &str| ids.get(code).copied().unwrap_or_else(|| fault("a template names an account it lacks"));
    for (row, account) in accounts.iter_mut().zip(template.accounts()) {
        row.parent_id = account.parent.map(id);
        let role = ROLE_ACCOUNTS.iter().find(|(role, code)| role.facts().control && *code == account.code);
        row.control_role = role.map(|(role, _)| *role);
    }
    let money: Vec<MoneyRow> = template
        .money
        .iter()
        .map(|template_money| MoneyRow {
            till: template_money.till,
            ..MoneyRow::new(
                entity,
                template_money.code,
                template_money.name,
                template_money.kind,
                id(template_money.account),
            )
        })
        .collect();
    let roles: Vec<RoleMappingRow> =
        ROLE_ACCOUNTS.iter().map(|(role, code)| RoleMappingRow::new(entity, *role, Some(id(code)))).collect();
    let methods: Vec<MethodMappingRow> = template
        .money
        .iter()
        .zip(&money)
        .map(|(template_money, row)| MethodMappingRow::new(entity, template_money.method, Some(row.id)))
        .collect();
    run((insert(&accounts), insert(&money), insert(&roles), insert(&methods)))?;
    Ok(accounts)
}
