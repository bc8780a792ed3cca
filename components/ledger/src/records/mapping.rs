//! Which account serves each posting role, and which money account each method of payment: one versioned set per entity.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, collection, new_id, view};
use stoa_trade::new_record;
use stoa_trade::payment_method::Method;

use crate::records::role::Role;

/// Name of this record type in the audit log.
pub const MAPPING: &str = "ACCOUNT_MAPPING";

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

view! { pub RoleMappingId of RoleMappingRow { id: Id } }
view! { pub MethodMappingId of MethodMappingRow { id: Id } }

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
    /// Payment method.
    pub method: Method,
    pub money_account_id: Option<Id>,
}

/// All roles and methods of a legal entity.
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
    pub fn empty(legal_entity_id: Id) -> MappingSetRow {
        new_record!(MappingSetRow { id: new_id(), legal_entity_id, complete: false })
    }
}

impl RoleMappingRow {
    pub fn new(legal_entity_id: Id, role: Role, account_id: Option<Id>) -> RoleMappingRow {
        new_record!(RoleMappingRow { id: new_id(), legal_entity_id, role, account_id })
    }
}

impl MethodMappingRow {
    pub fn new(legal_entity_id: Id, method: Method, money_account_id: Option<Id>) -> MethodMappingRow {
        new_record!(MethodMappingRow { id: new_id(), legal_entity_id, method, money_account_id })
    }
}
