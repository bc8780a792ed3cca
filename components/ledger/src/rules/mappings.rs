//! Mapping sets: whether one is complete, and which accounts its control roles refuse.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Item, Problem, item};

use crate::records::mapping::{MethodMapping, MethodMappingRow, RoleMapping, RoleMappingRow};
use crate::records::role::{Method, Role};
use crate::rules::refusal::illegal_state;
use crate::rules::roles::ROLES;

/// Whether nothing is left to map: roles without fallback, and methods.
pub fn is_complete(roles: &[RoleMapping], methods: &[MethodMapping]) -> bool {
    roles.iter().all(|mapping| mapping.account_id.is_some() || mapping.role.facts().fallback.is_some())
        && methods.iter().all(|mapping| mapping.money_account_id.is_some())
}

/// Every role and method in order, with what the rows say of it.
pub fn list_mappings(roles: &[RoleMappingRow], methods: &[MethodMappingRow]) -> (Vec<RoleMapping>, Vec<MethodMapping>) {
    let account = |role: Role| roles.iter().find(|row| row.role == role).and_then(|row| row.account_id);
    let money = |method: Method| methods.iter().find(|row| row.method == method).and_then(|row| row.money_account_id);
    (
        ROLES.iter().map(|facts| RoleMapping { role: facts.role, account_id: account(facts.role) }).collect(),
        Method::ALL.into_iter().map(|method| MethodMapping { method, money_account_id: money(method) }).collect(),
    )
}

/// A control role's account serves no other role, and no money account.
pub fn check_control(wanted: &[(Role, Option<Id>, String)], is_money: impl Fn(Id) -> bool) -> Result<(), Problem> {
    let mut serves: BTreeMap<Id, Vec<Role>> = BTreeMap::new();
    for (role, account, _) in wanted {
        if let Some(account) = account {
            serves.entry(*account).or_default().push(*role);
        }
    }
    let shared = |account: Id| {
        serves.get(&account).is_some_and(|roles| {
            roles.iter().any(|role| role.facts().control) && (roles.len() > 1 || is_money(account))
        })
    };
    let reasons: Vec<Item> = wanted
        .iter()
        .filter(|(_, account, _)| account.is_some_and(shared))
        .map(|(.., pointer)| item(pointer.clone(), "CONTROL_ACCOUNT"))
        .collect();
    if reasons.is_empty() { Ok(()) } else { Err(illegal_state(reasons)) }
}
