//! The mapping set of an entity, replaced alone with the books: later entries use the new accounts, earlier ones stay.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{find, get, get_all, insert, lock, run, select, update, update_all};
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
use crate::rules::mappings::{check_control, compare, is_complete, list_mappings};
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
        .problems(&["ARCHIVED", "VERSION_CONFLICT", "REFERENCE_INVALID", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),
];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoleInput {
    role: Role,
    #[serde(default)]
    account_id: Option<Id>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MethodInput {
    /// Payment method.
    method: Method,
    #[serde(default)]
    money_account_id: Option<Id>,
}

/// The whole mapping set: an omitted role or method is unmapped.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MappingInput {
    #[schemars(range(min = 1, max = 2_147_483_646))]
    expected_version: i64,
    #[schemars(length(max = 50))]
    roles: Vec<RoleInput>,
    #[schemars(length(max = 10))]
    methods: Vec<MethodInput>,
}

view! { MoneyOfAccount of MoneyRow { account_id: Id } }

impl MappingInput {
    fn check(&self) -> Result<(), Problem> {
        let twice = |index: usize| self.roles[..index].iter().any(|other| other.role == self.roles[index].role);
        let roles = (0..self.roles.len()).filter(|index| twice(*index)).map(|index| format!("/roles/{index}/role"));
        let again = |index: usize| self.methods[..index].iter().any(|other| other.method == self.methods[index].method);
        let methods =
            (0..self.methods.len()).filter(|index| again(*index)).map(|index| format!("/methods/{index}/method"));
        let faults: Vec<Item> = roles.chain(methods).map(|pointer| item(pointer, "REPEATED")).collect();
        refuse_invalid(faults)
    }

    /// Every role with its account, and where the body names it.
    fn roles(&self) -> Vec<(Role, Option<Id>, String)> {
        let role = |role: Role| match self.roles.iter().position(|input| input.role == role) {
            Some(index) => (role, self.roles[index].account_id, format!("/roles/{index}/accountId")),
            None => (role, None, "/roles".to_owned()),
        };
        ROLES.iter().map(|facts| role(facts.role)).collect()
    }

    fn methods(&self) -> Vec<(Method, Option<Id>, String)> {
        let method = |method: Method| match self.methods.iter().position(|input| input.method == method) {
            Some(index) => (method, self.methods[index].money_account_id, format!("/methods/{index}/moneyAccountId")),
            None => (method, None, "/methods".to_owned()),
        };
        Method::ALL.into_iter().map(method).collect()
    }
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
    Ok(Reply::json(&MappingSet {
        legal_entity_id: id,
        version: set.version,
        roles,
        methods,
        updated_at: set.updated_at,
    }))
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: MappingInput = call.body()?;
    input.check()?;
    let (wanted, methods) = (input.roles(), input.methods());
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
    let missing = |id: &Option<Id>, known: bool| id.is_some() && !known;
    let roles_missing = wanted.iter().filter(|(_, id, _)| missing(id, id.is_some_and(|id| accounts.contains_key(&id))));
    let money_missing = methods.iter().filter(|(_, id, _)| missing(id, id.is_some_and(|id| money.contains_key(&id))));
    let pointers =
        roles_missing.map(|(.., pointer)| pointer).chain(money_missing.map(|(.., pointer)| pointer)).cloned().collect();
    refuse_at("NOT_FOUND", pointers)?;
    ExpectedVersion(input.expected_version).check(current.version)?;
    require_unarchived(entity)?;

    let unfit = wanted.iter().filter(|(role, account, _)| {
        account.and_then(|id| accounts.get(&id)).is_some_and(|account| !role.takes(account, id))
    });
    let unfit_money = methods.iter().filter(|(method, account, _)| {
        account.and_then(|id| money.get(&id)).is_some_and(|money| !takes_money(*method, money, id))
    });
    refuse_at(
        "REFERENCE_INVALID",
        unfit.map(|(.., pointer)| pointer).chain(unfit_money.map(|(.., pointer)| pointer)).cloned().collect(),
    )?;

    let under_money = set(under_money.into_iter().flatten().map(|row| row.account_id));
    check_control(&wanted, |account| under_money.contains(&account))?;
    let before = map(role_rows.iter().map(|row| (row.role.as_str(), row.account_id)));
    let old = |role: Role| before.get(role.as_str()).copied().flatten();
    let moved: Vec<&(Role, Option<Id>, String)> =
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
    wanted: &[(Role, Option<Id>, String)],
    methods: &[(Method, Option<Id>, String)],
    role_rows: Vec<RoleMappingRow>,
    method_rows: Vec<MethodMappingRow>,
    control: (Vec<Id>, Vec<(Id, Role)>),
) -> Result<Vec<&'static str>, Problem> {
    let role_rows: Vec<_> = role_rows.iter().map(|row| (row.role, row.id, row.account_id)).collect();
    let (roles_changed, new_roles) = compare(wanted, &role_rows);
    let method_rows: Vec<_> = method_rows.iter().map(|row| (row.method, row.id, row.money_account_id)).collect();
    let (methods_changed, new_methods) = compare(methods, &method_rows);
    let new_roles: Vec<_> =
        new_roles.into_iter().map(|(role, id)| RoleMappingRow::new(entity, role, Some(id))).collect();
    let new_methods: Vec<_> =
        new_methods.into_iter().map(|(method, id)| MethodMappingRow::new(entity, method, Some(id))).collect();
    let mut changed = Vec::new();
    if !roles_changed.is_empty() || !new_roles.is_empty() {
        changed.push("roles");
    }
    if !methods_changed.is_empty() || !new_methods.is_empty() {
        changed.push("methods");
    }
    let ids = |pairs: &[(Id, Option<Id>)]| pairs.iter().map(|(id, _)| *id).collect::<Vec<_>>();
    let values = |pairs: &[(Id, Option<Id>)]| pairs.iter().map(|(_, value)| *value).collect::<Vec<_>>();
    let (left, taken) = control;
    run((
        update_all::<RoleMappingRow>(ids(&roles_changed)).set_each(RoleMappingRow::account_id, values(&roles_changed)),
        insert(&new_roles),
        update_all::<MethodMappingRow>(ids(&methods_changed))
            .set_each(MethodMappingRow::money_account_id, values(&methods_changed)),
        insert(&new_methods),
        // First free what ceases to serve: two roles may change places.
        update_all::<AccountRow>(left).set(AccountRow::control_role, &None),
        update_all::<AccountRow>(taken.iter().map(|(id, _)| *id).collect::<Vec<_>>())
            .set_each(AccountRow::control_role, taken.iter().map(|(_, role)| Some(*role)).collect::<Vec<_>>()),
    ))?;
    Ok(changed)
}
