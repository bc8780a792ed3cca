//! Mapping sets: whether one is complete, and which accounts its control roles refuse.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Item, Problem, item};
use stoa_trade::payment_method::Method;
use stoa_trade::refusal::refuse;

use crate::records::mapping::{MethodMapping, MethodMappingRow, RoleMapping, RoleMappingRow};
use crate::records::role::Role;
use crate::rules::roles::ROLES;

/// Returns whether nothing is left to map: roles without fallback, and methods.
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

/// A role or method, its account, and where the body names it.
pub type Wanted<K> = (K, Option<Id>, String);

/// The rows whose account is another one than wanted, with that one, and a new row for each key that has none yet.
/// `read`: key and account of a row.
pub fn compare<K: Copy + PartialEq, R>(
    wanted: &[Wanted<K>],
    rows: &[R],
    read: impl Fn(&R) -> (K, Option<Id>),
    change: impl Fn(&R, Option<Id>) -> R,
    new: impl Fn(K, Option<Id>) -> R,
) -> (Vec<R>, Vec<R>) {
    let (mut changed, mut added) = (Vec::new(), Vec::new());
    for (key, account, _) in wanted {
        match rows.iter().find(|row| read(row).0 == *key) {
            Some(row) if read(row).1 != *account => changed.push(change(row, *account)),
            None if account.is_some() => added.push(new(*key, *account)),
            _ => {}
        }
    }
    (changed, added)
}

/// A control role's account serves no other role, and no money account.
pub fn check_control(wanted: &[Wanted<Role>], is_money: impl Fn(Id) -> bool) -> Result<(), Problem> {
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
    refuse("ILLEGAL_STATE", reasons)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_account_serves_one_role_and_no_money() {
        let money = Id(0, 9);
        for (wanted, refused) in [
            (vec![(Role::Receivable, 1), (Role::Payable, 2)], vec![]),
            (vec![(Role::Receivable, 1), (Role::Revenue, 1)], vec!["/0", "/1"]),
            (vec![(Role::Revenue, 1), (Role::CashMovement, 1)], vec![]),
            (vec![(Role::Inventory, 9), (Role::Revenue, 3)], vec!["/0"]),
            (vec![(Role::Revenue, 9)], vec![]),
        ] {
            let named = wanted
                .iter()
                .enumerate()
                .map(|(index, (role, account))| (*role, Some(Id(0, *account)), format!("/{index}")));
            let named: Vec<_> = named.chain([(Role::SupplierCredit, None, "/none".to_owned())]).collect();
            let problem = check_control(&named, |account| account == money).err();
            let pointers = problem.iter().flat_map(|problem| &problem.errors).map(|item| item.pointer.as_str());
            assert_eq!(pointers.collect::<Vec<_>>(), refused, "{wanted:?}");
        }
    }

    #[test]
    fn a_set_is_complete_without_roles_that_fall_back() {
        let role = |facts: &crate::rules::roles::PostingRole| RoleMapping {
            role: facts.role,
            account_id: facts.fallback.is_none().then_some(Id(0, 1)),
        };
        let mut roles: Vec<RoleMapping> = ROLES.iter().map(role).collect();
        let (_, mut methods) = list_mappings(&[], &[]);
        assert!(!is_complete(&roles, &methods), "no method is mapped");
        methods.iter_mut().for_each(|method| method.money_account_id = Some(Id(0, 2)));
        assert!(is_complete(&roles, &methods));
        roles[0].account_id = None;
        assert!(!is_complete(&roles, &methods));
    }
}
