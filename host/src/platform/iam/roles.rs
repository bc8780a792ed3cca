//! Roles: named sets of permissions. OWNER, the company's own, holds every permission there is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::super::conditions::Conditions;
use super::super::operation::{PlatformOperation, on_session};
use super::super::page::{Limit, Page};
use super::super::values::{Instant, text_enum};
use super::super::{Call, Performed};
use super::MANAGE;
use super::search::{Asked, List};
use crate::database::{Cell, Error, Row, Session};

pub const OPERATIONS: &[PlatformOperation] = &[
    PlatformOperation::read("/tenants/{tenantId}/iam/roles", "listRoles", on_session!(list))
        .summary("Roles of any status")
        .needs(&[MANAGE])
        .query::<ListRoles>()
        .answers::<Page<Role>>(),
    PlatformOperation::read("/tenants/{tenantId}/iam/roles/{id}", "getRole", on_session!(get))
        .summary("A role")
        .needs(&[MANAGE])
        .answers::<Role>(),
];

text_enum! {
    /// The state of a role: a DISABLED one grants nothing.
    pub enum RoleStatus { Active => "ACTIVE", Disabled => "DISABLED" }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListRoles {
    /// Id of the last item of the previous page.
    cursor: Option<Uuid>,
    #[serde(default)]
    limit: Limit,
    /// Omitted: every status.
    status: Option<RoleStatus>,
    /// Only roles whose code or name contains the text, ignoring case.
    #[schemars(length(min = 1, max = 200), extend("x-normalize" = ["trim"]))]
    text: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Role {
    id: Uuid,
    tenant_id: Uuid,
    code: String,
    name: String,
    status: RoleStatus,
    permissions: Vec<String>,
    /// True for the role OWNER, which has every permission and cannot change.
    system: bool,
    created_at: Instant,
    updated_at: Instant,
}

/// A role as a membership names it.
#[derive(Serialize, JsonSchema)]
#[schemars(inline, description = "")]
pub struct AssignedRole {
    id: Uuid,
    code: String,
    name: String,
}

impl AssignedRole {
    /// From id, code and name, the first of which is the column `at`.
    pub fn read(row: &Row, first: usize) -> Result<AssignedRole, Error> {
        Ok(AssignedRole { id: row.id(first)?, code: row.text(first + 1)?, name: row.text(first + 2)? })
    }
}

const ROLES: List<Role> = List {
    table: "stoa_role",
    after: "id > ?",
    until: "id <= ?",
    statement,
    records,
    id: |role| role.id,
    texts: |role| vec![&role.code, &role.name],
};

async fn list(session: &mut Session, call: &Call<'_>) -> Performed {
    let ListRoles { cursor, limit, status, text } = call.query()?;
    let mut conditions = Conditions::new("tenant_id", call.tenant()?);
    conditions.and_some("status = ?", status.map(RoleStatus::as_str), Cell::text);
    ROLES.page(session, call, Asked { conditions, cursor, limit, text }).await
}

async fn get(session: &mut Session, call: &Call<'_>) -> Performed {
    let mut conditions = Conditions::new("tenant_id", call.tenant()?);
    conditions.and("id = ?", Cell::Id(call.path_id("id")?));
    ROLES.one(session, call, conditions).await
}

fn statement(conditions: &Conditions, limit: &str) -> String {
    format!(
        "select r.id, r.code, r.name, r.status, r.system, r.created_at, r.updated_at, p.permission
         from (select * from stoa_role where {} order by id limit {limit}) r
         left join stoa_role_permission p on p.tenant_id = $1 and p.role_id = r.id
         order by r.id, p.permission",
        conditions.sql(),
    )
}

/// One record of the rows of each role: a row for each permission.
fn records(call: &Call<'_>, rows: &[Row]) -> Result<Vec<Role>, Error> {
    let all = &call.request.generation.permissions;
    let tenant_id = call.request.tenant.unwrap_or_default();
    let mut roles: Vec<Role> = Vec::new();
    for row in rows {
        let id = row.id(0)?;
        if roles.last().is_none_or(|last| last.id != id) {
            let system = row.boolean(4)?;
            roles.push(Role {
                id,
                tenant_id,
                code: row.text(1)?,
                name: row.text(2)?,
                status: RoleStatus::read(row, 3)?,
                permissions: if system { all.keys().cloned().collect() } else { Vec::new() },
                system,
                created_at: Instant(row.instant(5)?),
                updated_at: Instant(row.instant(6)?),
            });
        }
        if let (Some(permission), Some(role)) = (row.optional(7, Row::text)?, roles.last_mut()) {
            role.permissions.push(permission);
        }
    }
    Ok(roles)
}
