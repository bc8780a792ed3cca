//! Which account serves each posting role, and which money account each method of payment: one versioned set per entity.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::store::{find, get, run, select};
use stoa_sdk::{Answer, Call, Field, Id, Instant, Problem, Reply, collection, facts, new_id, view};

use crate::entity::EntityRow;
use crate::role::{Method, ROLES, Role};

collection! {
    // Its version and time are those of the set.
    pub record MappingSetRow in "mapping_set" {
        legal_entity_id: Id,
        // Every role without fallback and every method is mapped.
        complete: bool,
    }
    unique { entity: [legal_entity_id] }
    index { [complete] }
}

collection! {
    pub record RoleMappingRow in "role_mapping" {
        legal_entity_id: Id,
        role: Role,
        account_id: Option<Id>,
    }
    unique { role: [legal_entity_id, role] }
    index { [account_id] }
}

collection! {
    pub record MethodMappingRow in "method_mapping" {
        legal_entity_id: Id,
        method: Method,
        money_account_id: Option<Id>,
    }
    unique { method: [legal_entity_id, method] }
    index { [money_account_id] }
}

view! { EntityId of EntityRow { id: Id } }

/// The account of a role.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoleMapping {
    pub role: Role,
    pub account_id: Option<Id>,
}

/// The money account of a method.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MethodMapping {
    pub method: Method,
    pub money_account_id: Option<Id>,
}

/// Every role and method of an entity.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MappingSet {
    pub legal_entity_id: Id,
    pub version: i64,
    pub roles: Vec<RoleMapping>,
    pub methods: Vec<MethodMapping>,
    pub updated_at: Instant,
}

impl MappingSetRow {
    pub fn empty(entity: Id) -> MappingSetRow {
        let now = Instant(facts().now);
        MappingSetRow {
            id: new_id(),
            version: 1,
            created_at: now,
            updated_at: now,
            legal_entity_id: entity,
            complete: false,
        }
    }
}

impl RoleMappingRow {
    pub fn new(entity: Id, role: Role, account: Option<Id>) -> RoleMappingRow {
        let now = Instant(facts().now);
        RoleMappingRow {
            id: new_id(),
            version: 1,
            created_at: now,
            updated_at: now,
            legal_entity_id: entity,
            role,
            account_id: account,
        }
    }
}

impl MethodMappingRow {
    pub fn new(entity: Id, method: Method, money: Option<Id>) -> MethodMappingRow {
        let now = Instant(facts().now);
        MethodMappingRow {
            id: new_id(),
            version: 1,
            created_at: now,
            updated_at: now,
            legal_entity_id: entity,
            method,
            money_account_id: money,
        }
    }
}

/// Whether nothing is left to map: roles without fallback, and methods.
pub fn is_complete(roles: &[RoleMapping], methods: &[MethodMapping]) -> bool {
    roles.iter().all(|mapping| mapping.account_id.is_some() || mapping.role.facts().fallback.is_some())
        && methods.iter().all(|mapping| mapping.money_account_id.is_some())
}

/// Every role and method in order, with what the rows say of it.
pub fn listed(roles: &[RoleMappingRow], methods: &[MethodMappingRow]) -> (Vec<RoleMapping>, Vec<MethodMapping>) {
    let account = |role: Role| roles.iter().find(|row| row.role == role).and_then(|row| row.account_id);
    let money = |method: Method| methods.iter().find(|row| row.method == method).and_then(|row| row.money_account_id);
    (
        ROLES.iter().map(|facts| RoleMapping { role: facts.role, account_id: account(facts.role) }).collect(),
        Method::ALL.into_iter().map(|method| MethodMapping { method, money_account_id: money(method) }).collect(),
    )
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let (entity, set, roles, methods) = run((
        get::<EntityId>(id),
        find::<MappingSetRow>("entity", [vec![id.put()]]),
        select::<RoleMappingRow>(RoleMappingRow::legal_entity_id.eq(id)),
        select::<MethodMappingRow>(MethodMappingRow::legal_entity_id.eq(id)),
    ))?;
    let (Some(_), Some(set)) = (entity, set.into_iter().next()) else { return Err(Problem::not_found()) };
    let (roles, methods) = listed(&roles.items, &methods.items);
    Ok(Reply::json(&MappingSet {
        legal_entity_id: id,
        version: set.version,
        roles,
        methods,
        updated_at: set.updated_at,
    }))
}
