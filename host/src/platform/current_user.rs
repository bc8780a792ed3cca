//! `GET /auth/me`: who the token says one is, and where one belongs.

use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::iam::MembershipStatus;
use super::iam::directory::read_companies;
use super::operation::{PlatformOperation, on_session};
use super::reply::answer;
use super::values::Instant;
use super::{Call, Performed};
use crate::database::{Cell, Error, Row, Session};

pub const OPERATIONS: &[PlatformOperation] = &[PlatformOperation::read("/auth/me", "getCurrentUser", on_session!(get))
    .summary("The caller's user record")
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
    let companies = read_companies(session, user.id).await?;
    let memberships = read_memberships(session, user.id, &companies).await?;
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

/// The user's memberships in these companies, in the order of their ids. They are where the session is: on one server, every company
/// is.
async fn read_memberships(session: &mut Session, user: Uuid, companies: &[Uuid]) -> Result<Vec<UserMembership>, Error> {
    let mut memberships: Vec<UserMembership> = Vec::new();
    if companies.is_empty() {
        return Ok(memberships);
    }
    let ids = companies.iter().map(|id| id.simple().to_string()).collect::<Vec<_>>().join(",");
    // One text for any number of companies, so that it is planned once.
    let within = match session {
        Session::Sqlite(_) => r#"in (select unhex(value) from json_each('["' || replace($2, ',', '","') || '"]'))"#,
        Session::Postgres(_) => "= any(string_to_array($2, ',')::uuid[])",
    };
    let sql = format!(
        "select m.tenant_id, t.name, m.id, m.status, r.code
         from stoa_membership m
         join stoa_tenant t on t.id = m.tenant_id
         left join stoa_membership_role a on a.tenant_id = m.tenant_id and a.membership_id = m.id
         left join stoa_role r on r.tenant_id = a.tenant_id and r.id = a.role_id
         where m.user_id = $1 and m.tenant_id {within}
         order by m.tenant_id, r.code"
    );
    for row in &session.query_composed(sql, &[Cell::Id(user), Cell::Text(ids)]).await? {
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
    Ok(memberships)
}
