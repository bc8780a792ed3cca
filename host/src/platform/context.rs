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
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Tenant {
    id: Uuid,
    name: String,
    status: TenantStatus,
    /// IANA name of the time zone in which the company's days begin.
    time_zone: String,
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
    // The company, and a row for each role. A role is of the member's company.
    let rows = session
        .query(
            "select t.name, t.status, t.entitlements, r.id, r.code, r.name from stoa_tenant t
             left join stoa_membership_role a on a.tenant_id = $1 and a.membership_id = $2
             left join stoa_role r on r.tenant_id = $1 and r.id = a.role_id
             where t.id = $1 order by r.code",
            &[Cell::Id(tenant), Cell::Id(member.id)],
        )
        .await?;
    let company = rows.first().ok_or_else(|| Problem::new("MEMBERSHIP_REQUIRED"))?;
    let roles = rows.iter().filter(|row| !row.is_null(3)).map(|row| AssignedRole::read(row, 3));
    answer(&TenantContext {
        tenant: Tenant {
            id: tenant,
            name: company.text(0)?,
            status: TenantStatus::read(company, 1)?,
            time_zone: member.time_zone.clone(),
            entitlements: serde_json::from_str(&company.text(2)?).unwrap_or_default(),
        },
        membership: OwnMembership {
            id: member.id,
            status: member.status.clone(),
            roles: roles.collect::<Result<_, Error>>()?,
        },
        permissions: match member.owner {
            true => call.request.generation.permissions.keys().cloned().collect(),
            false => member.permissions.iter().cloned().collect(),
        },
    })
}
