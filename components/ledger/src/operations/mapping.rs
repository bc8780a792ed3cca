//! The mapping set of an entity, replaced under the books' exclusive lock: later entries use the new accounts, earlier ones stay.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{find, get, get_all, insert, lock, run, select, update, update_all, update_from};
use stoa_sdk::{Answer, Call, Field, Id, Item, Operation, Problem, Reply, item, map, now, set, view};
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::payment_method::Method;
use stoa_trade::refusal::{refuse, refuse_invalid};
use stoa_trade::require_unarchived;

use crate::records::account::{AccountRow, Postability};
use crate::records::entity::{EntityId, EntityRow};
use crate::records::mapping::{
    MAPPING, MappingSet, MappingSetRow, MethodMapping, MethodMappingRow, RoleMapping, RoleMappingRow,
};
use crate::records::money_account::MoneyRow;
use crate::records::permission::SETTINGS;
use crate::records::role::Role;
use crate::rules::books::books_lock;
use crate::rules::mappings::{Wanted, check_control, compare, is_complete, list_mappings};
use crate::rules::references::takes_money;
use crate::rules::refusal::refuse_at;
use crate::rules::roles::ROLES;
use crate::work::balance::{self, Scope};

const MAPPINGS_AT: &str = "/ledger/legal-entities/{id}/mappings";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(MAPPINGS_AT, "getMappings", read).summary("The mapping set of a legal entity")
        .for_members().answers::<MappingSet>(),
    Operation::replace(MAPPINGS_AT, "replaceMappings", replace).summary("Replace the mapping set")
        .description("Full replacement. Caution: an omitted role or method is unmapped. Later entries use the new accounts. A \
            control role can move only while the balances of its old and new account are zero.")
        .without_if_match().needs(SETTINGS).body::<MappingInput>().answers::<MappingSet>()
        .writes(MAPPING, &[])
        .problems(&["ARCHIVED", "VERSION_CONFLICT", "REFERENCE_INVALID", "ILLEGAL_STATE", "LIMIT_EXCEEDED"])
        .item_codes(&["CONTROL_ACCOUNT", "CONTROL_BALANCE_NOT_ZERO"]),
];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoleInput {
    role: Role,
    account_id: Option<Id>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MethodInput {
    /// Payment method.
    method: Method,
    money_account_id: Option<Id>,
}

/// The whole mapping set: an omitted role or method is unmapped.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MappingInput {
    #[schemars(range(min = 1, max = 2_147_483_646))]
    expected_version: i64,
    #[schemars(length(max = stoa_trade::limits::MAPPED_ROLES))]
    roles: Vec<RoleInput>,
    #[schemars(length(max = stoa_trade::limits::MAPPED_METHODS))]
    methods: Vec<MethodInput>,
}

view! { MoneyOfAccount of MoneyRow { account_id: Id } }

/// Every role with its account, and every method with its money account.
type WantedAccounts = (Vec<Wanted<Role>>, Vec<Wanted<Method>>);

/// # Errors
/// VALIDATION_FAILED where the body states a role or a method twice.
fn list_wanted(body: &MappingInput) -> Result<WantedAccounts, Problem> {
    let roles: Vec<_> = body.roles.iter().map(|stated| (stated.role, stated.account_id)).collect();
    let methods: Vec<_> = body.methods.iter().map(|stated| (stated.method, stated.money_account_id)).collect();
    let mut faults = list_repeated(&roles, "roles", "role");
    faults.extend(list_repeated(&methods, "methods", "method"));
    refuse_invalid(faults)?;
    let roles = list_keys(ROLES.iter().map(|facts| facts.role), &roles, "roles", "accountId");
    Ok((roles, list_keys(Method::ALL, &methods, "methods", "moneyAccountId")))
}

fn list_repeated<K: PartialEq>(stated: &[(K, Option<Id>)], list: &str, member: &str) -> Vec<Item> {
    let is_repeated = |index: &usize| stated[..*index].iter().any(|(key, _)| *key == stated[*index].0);
    let repeated = (0..stated.len()).filter(is_repeated);
    repeated.map(|index| item(format!("/{list}/{index}/{member}"), "REPEATED")).collect()
}

fn list_keys<K: Copy + PartialEq>(
    keys: impl IntoIterator<Item = K>,
    stated: &[(K, Option<Id>)],
    list: &str,
    member: &str,
) -> Vec<Wanted<K>> {
    let wanted = |key: K| match stated.iter().position(|(stated, _)| *stated == key) {
        Some(index) => (key, stated[index].1, format!("/{list}/{index}/{member}")),
        None => (key, None, format!("/{list}")),
    };
    keys.into_iter().map(wanted).collect()
}

/// Where accounts are named that are wrong for their role or method.
fn list_wrong<K: Copy>(wanted: &[Wanted<K>], is_wrong: impl Fn(K, Id) -> bool) -> Vec<String> {
    let wrong = wanted.iter().filter(|(key, account, _)| account.is_some_and(|account| is_wrong(*key, account)));
    wrong.map(|(.., pointer)| pointer.clone()).collect()
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let (entity, set, roles, methods) = run((
        get::<EntityId>(id),
        find::<MappingSetRow>("entity", [vec![id.put()]]),
        select::<RoleMappingRow>(RoleMappingRow::legal_entity_id.eq(id)).whole(),
        select::<MethodMappingRow>(MethodMappingRow::legal_entity_id.eq(id)).whole(),
    ))?;
    let (Some(_), Some(set)) = (entity, set.into_iter().next()) else { return Err(Problem::not_found()) };
    let (roles, methods) = list_mappings(&roles, &methods);
    let MappingSetRow { version, updated_at, .. } = set;
    Ok(Reply::json(&MappingSet { legal_entity_id: id, version, roles, methods, updated_at }))
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: MappingInput = call.body()?;
    let (wanted, methods) = list_wanted(&input)?;
    let accounts = set(wanted.iter().filter_map(|(_, account, _)| *account));
    let money = set(methods.iter().filter_map(|(_, money, _)| *money));
    let under_money =
        (!accounts.is_empty()).then(|| select::<MoneyOfAccount>(MoneyRow::account_id.one_of(accounts.clone())).whole());
    let (_, (entity, current), role_rows, method_rows, accounts, money, under_money) = run((
        lock(books_lock(id)),
        (get::<EntityRow>(id), find::<MappingSetRow>("entity", [vec![id.put()]])),
        select::<RoleMappingRow>(RoleMappingRow::legal_entity_id.eq(id)).whole(),
        select::<MethodMappingRow>(MethodMappingRow::legal_entity_id.eq(id)).whole(),
        get_all::<Postability>(accounts),
        get_all::<MoneyRow>(money),
        under_money,
    ))?;
    let (Some(entity), Some(current)) = (entity, current.into_iter().next()) else {
        return Err(Problem::not_found());
    };
    let accounts = map(accounts.into_iter().map(|account| (account.id, account)));
    let money = map(money.into_iter().map(|money| (money.id, money)));
    let mut missing = list_wrong(&wanted, |_, account| !accounts.contains_key(&account));
    missing.extend(list_wrong(&methods, |_, account| !money.contains_key(&account)));
    refuse_at("NOT_FOUND", missing)?;
    ExpectedVersion(input.expected_version).check(current.version)?;
    require_unarchived(entity)?;

    let takes = |role: Role, account| accounts.get(&account).is_some_and(|account| role.takes(account, id));
    let mut unfit = list_wrong(&wanted, |role, account| !takes(role, account));
    let takes = |method, account| money.get(&account).is_some_and(|money| takes_money(method, money, id));
    unfit.extend(list_wrong(&methods, |method, account| !takes(method, account)));
    refuse_at("REFERENCE_INVALID", unfit)?;

    let under_money = set(under_money.into_iter().flatten().map(|row| row.account_id));
    check_control(&wanted, |account| under_money.contains(&account))?;
    let before = map(role_rows.iter().map(|row| (row.role.as_str(), row.account_id)));
    let old = |role: Role| before.get(role.as_str()).copied().flatten();
    let moved: Vec<&Wanted<Role>> =
        wanted.iter().filter(|(role, account, _)| role.facts().control && old(*role) != *account).collect();
    let mut reasons = Vec::new();
    for (role, account, pointer) in &moved {
        let ends: Vec<Id> = old(*role).into_iter().chain(*account).collect();
        if balance::any_balance(&Scope::accounts(id, ends))? {
            reasons.push(item(pointer.clone(), "CONTROL_BALANCE_NOT_ZERO"));
        }
    }
    refuse("ILLEGAL_STATE", reasons)?;

    let left: Vec<Id> = moved.iter().filter_map(|(role, ..)| old(*role)).collect();
    let taken: Vec<(Id, Role)> = moved.iter().filter_map(|(role, account, _)| Some(((*account)?, *role))).collect();
    let changed = write(id, &wanted, &methods, role_rows, method_rows, (left, taken))?;
    let roles: Vec<RoleMapping> =
        wanted.into_iter().map(|(role, account_id, _)| RoleMapping { role, account_id }).collect();
    let methods: Vec<MethodMapping> =
        methods.into_iter().map(|(method, money_account_id, _)| MethodMapping { method, money_account_id }).collect();
    run(update::<MappingSetRow>(current.id).set(MappingSetRow::complete, &is_complete(&roles, &methods)))?;
    let body = MappingSet { legal_entity_id: id, version: current.version + 1, roles, methods, updated_at: now() };
    Ok(Reply::json(&body).resource(id).changed(changed))
}

/// Writes what differs; answers which members do. `control`: accounts that cease to serve a control role, and those that begin.
fn write(
    entity: Id,
    wanted: &[Wanted<Role>],
    methods: &[Wanted<Method>],
    role_rows: Vec<RoleMappingRow>,
    method_rows: Vec<MethodMappingRow>,
    control: (Vec<Id>, Vec<(Id, Role)>),
) -> Result<Vec<&'static str>, Problem> {
    let (roles_changed, new_roles) = compare(
        wanted,
        &role_rows,
        |row| (row.role, row.account_id),
        |row, account_id| RoleMappingRow { account_id, ..row.clone() },
        |role, account| RoleMappingRow::new(entity, role, account),
    );
    let (methods_changed, new_methods) = compare(
        methods,
        &method_rows,
        |row| (row.method, row.money_account_id),
        |row, money_account_id| MethodMappingRow { money_account_id, ..row.clone() },
        |method, account| MethodMappingRow::new(entity, method, account),
    );
    let mut changed = Vec::new();
    if !roles_changed.is_empty() || !new_roles.is_empty() {
        changed.push("roles");
    }
    if !methods_changed.is_empty() || !new_methods.is_empty() {
        changed.push("methods");
    }
    let (left, taken) = control;
    run((
        update_from(&roles_changed, &["account_id"]),
        insert(&new_roles),
        update_from(&methods_changed, &["money_account_id"]),
        insert(&new_methods),
        // First free what ceases to serve: two roles may change places.
        update_all::<AccountRow>(left).set(AccountRow::control_role, &None),
        update_all::<AccountRow>(taken.iter().map(|(id, _)| *id))
            .set_each(AccountRow::control_role, taken.iter().map(|(_, role)| Some(*role))),
    ))?;
    Ok(changed)
}
