//! `GET /tenants/{tenantId}/context`: the company, and what the caller may do in it.

use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::company_settings::TenantStatus;
use super::iam::{AssignedRole, MembershipStatus};
use super::operation::{PlatformOperation, on_session};
use super::reply::answer;
use super::{Call, Performed};
use crate::database::{Cell, Error, Session};
use crate::problem::Problem;

pub const OPERATIONS: &[PlatformOperation] =
    &[PlatformOperation::read("/tenants/{tenantId}/context", "getTenantContext", on_session!(get))
        .summary("The company, and the caller's membership, roles and permissions in it")
        .answers::<TenantContext>()];

#[derive(Serialize, JsonSchema)]
struct TenantContext {
    tenant: Tenant,
    membership: OwnMembership,
    permissions: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Tenant {
    id: Uuid,
    name: String,
    status: TenantStatus,
    entitlements: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct OwnMembership {
    id: Uuid,
    #[schemars(with = "MembershipStatus")]
    status: String,
    roles: Vec<AssignedRole>,
}

async fn get(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let Some(member) = &call.opened.standing else { return Err(Problem::new("MEMBERSHIP_REQUIRED").into()) };
    let companies =
        session.query("select name, status, entitlements from stoa_tenant where id = $1", &[Cell::Id(tenant)]).await?;
    let company = companies.first().ok_or_else(|| Problem::new("MEMBERSHIP_REQUIRED"))?;
    let roles = session
        .query(
            "select r.id, r.code, r.name from stoa_membership_role a
             join stoa_role r on r.tenant_id = $1 and r.id = a.role_id
             where a.tenant_id = $1 and a.membership_id = $2 order by r.code",
            &[Cell::Id(tenant), Cell::Id(member.id)],
        )
        .await?;
    answer(&TenantContext {
        tenant: Tenant {
            id: tenant,
            name: company.text(0)?,
            status: TenantStatus::read(company, 1)?,
            entitlements: serde_json::from_str(&company.text(2)?).unwrap_or_default(),
        },
        membership: OwnMembership {
            id: member.id,
            status: member.status.clone(),
            roles: roles.iter().map(|role| AssignedRole::read(role, 0)).collect::<Result<_, Error>>()?,
        },
        permissions: match member.owner {
            true => call.request.generation.permissions.keys().cloned().collect(),
            false => member.permissions.iter().cloned().collect(),
        },
    })
}
