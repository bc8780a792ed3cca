//! Installing a chart of accounts in an entity that has none: accounts, mappings and money accounts at once.

use stoa_sdk::host::fault;
use stoa_sdk::store::{insert, run};
use stoa_sdk::{Id, Problem, map};
use stoa_trade::payment_method::METHODS;

use crate::records::account::AccountRow;
use crate::records::mapping::{MethodMappingRow, RoleMappingRow};
use crate::records::money_account::MoneyRow;
use crate::rules::roles::ROLES;
use crate::rules::template::Template;

/// Writes the template into an entity without accounts; the caller holds its books exclusively, or has just made it.
/// The mapping set is then complete, which the caller records.
pub fn install(entity: Id, template: &Template) -> Result<Vec<AccountRow>, Problem> {
    let template_accounts = template.accounts();
    let mut accounts: Vec<AccountRow> = template_accounts
        .iter()
        .map(|account| AccountRow {
            postable: !account.heading,
            ..AccountRow::new(entity, account.code, account.name, account.account_type)
        })
        .collect();
    let ids = map(accounts.iter().map(|row| (row.code.clone(), row.id)));
    let id = |code: &str| ids.get(code).copied().unwrap_or_else(|| fault("a template names an account it lacks"));
    for (row, account) in accounts.iter_mut().zip(&template_accounts) {
        row.parent_id = account.parent.map(id);
        let control = ROLES.iter().find(|facts| facts.control && facts.account == account.code);
        row.control_role = control.map(|facts| facts.role);
    }
    let money: Vec<MoneyRow> = METHODS
        .iter()
        .map(|facts| {
            let (opened, kind) = (&facts.money_account, facts.money_kinds[0]);
            let name = template.money_name(facts);
            MoneyRow { till: facts.is_cash, ..MoneyRow::new(entity, opened.code, name, kind, id(opened.account)) }
        })
        .collect();
    let roles: Vec<RoleMappingRow> =
        ROLES.iter().map(|facts| RoleMappingRow::new(entity, facts.role, Some(id(facts.account)))).collect();
    let methods: Vec<MethodMappingRow> = METHODS
        .iter()
        .zip(&money)
        .map(|(facts, row)| MethodMappingRow::new(entity, facts.method, Some(row.id)))
        .collect();
    run((insert(&accounts), insert(&money), insert(&roles), insert(&methods)))?;
    Ok(accounts)
}
