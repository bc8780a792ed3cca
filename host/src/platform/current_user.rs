//! `GET /auth/me`: who the token says one is, and where one belongs.

use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::iam::MembershipStatus;
use super::operation::{PlatformOperation, on_session};
use super::reply::answer;
use super::values::Instant;
use super::{Call, Performed};
use crate::database::{Cell, Row, Session};

pub const OPERATIONS: &[PlatformOperation] = &[PlatformOperation::read("/auth/me", "getCurrentUser", on_session!(get))
    .summary("The caller's own user record.")
    .answers::<CurrentUser>()];

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CurrentUser {
    id: Uuid,
    subject: String,
    email: String,
    email_verified: bool,
    display_name: Option<String>,
    memberships: Vec<UserMembership>,
    created_at: Instant,
    updated_at: Instant,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UserMembership {
    tenant_id: Uuid,
    tenant_name: String,
    membership_id: Uuid,
    status: MembershipStatus,
    roles: Vec<String>,
}

async fn get(session: &mut Session, call: &Call<'_>) -> Performed {
    let user = call.user()?;
    let rows = session
        .query(
            "select m.tenant_id, t.name, m.id, m.status, r.code
             from stoa_membership m
             join stoa_tenant t on t.id = m.tenant_id
             left join stoa_membership_role a on a.tenant_id = m.tenant_id and a.membership_id = m.id
             left join stoa_role r on r.tenant_id = a.tenant_id and r.id = a.role_id
             where m.user_id = $1
             order by m.tenant_id, r.code",
            &[Cell::Id(user.id)],
        )
        .await?;
    let mut memberships: Vec<UserMembership> = Vec::new();
    for row in &rows {
        let tenant_id = row.id(0)?;
        if memberships.last().is_none_or(|last| last.tenant_id != tenant_id) {
            memberships.push(UserMembership {
                tenant_id,
                tenant_name: row.text(1)?,
                membership_id: row.id(2)?,
                status: MembershipStatus::read(row, 3)?,
                roles: Vec::new(),
            });
        }
        if let (Some(code), Some(membership)) = (row.optional(4, Row::text)?, memberships.last_mut()) {
            membership.roles.push(code);
        }
    }
    answer(&CurrentUser {
        id: user.id,
        subject: user.subject.clone(),
        email: user.email.clone(),
        email_verified: true,
        display_name: user.display_name.clone(),
        memberships,
        created_at: Instant(user.created_at),
        updated_at: Instant(user.updated_at),
    })
}
