//! Memberships: a user in a company, with the roles assigned to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::super::conditions::Conditions;
use super::super::operation::{PlatformOperation, on_session};
use super::super::page::{Limit, Page};
use super::super::values::{Instant, text_enum};
use super::super::{Call, Performed};
use super::search::{Asked, List};
use super::{AssignedRole, MANAGE};
use crate::database::{Cell, Error, Row, Session};

pub const OPERATIONS: &[PlatformOperation] = &[
    PlatformOperation::read("/tenants/{tenantId}/iam/memberships", "listMemberships", on_session!(list))
        .summary("Memberships of any status")
        .needs(&[MANAGE])
        .query::<ListMemberships>()
        .answers::<Page<Membership>>(),
    PlatformOperation::read("/tenants/{tenantId}/iam/memberships/{id}", "getMembership", on_session!(get))
        .summary("A membership")
        .needs(&[MANAGE])
        .answers::<Membership>(),
];

text_enum! {
    /// The state of a member: the host admits only ACTIVE ones.
    pub enum MembershipStatus { Active => "ACTIVE", Suspended => "SUSPENDED" }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ListMemberships {
    /// Id of the last item of the previous page.
    cursor: Option<Uuid>,
    #[serde(default)]
    limit: Limit,
    /// Omitted: every status.
    status: Option<MembershipStatus>,
    /// Only memberships with this role.
    role_id: Option<Uuid>,
    /// Only memberships whose e-mail address contains the text, ignoring case.
    #[schemars(length(min = 1, max = 200), extend("x-normalize" = ["trim"]))]
    text: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Membership {
    id: Uuid,
    tenant_id: Uuid,
    user_id: Uuid,
    /// E-mail address in the user's last access token.
    email: String,
    status: MembershipStatus,
    roles: Vec<AssignedRole>,
    created_at: Instant,
    updated_at: Instant,
}

const MEMBERSHIPS: List<Membership> = List {
    table: "stoa_membership",
    after: "m.id > ?",
    until: "m.id <= ?",
    statement,
    records,
    id: |membership| membership.id,
    texts: |membership| vec![&membership.email],
};

async fn list(session: &mut Session, call: &Call<'_>) -> Performed {
    let ListMemberships { cursor, limit, status, role_id, text } = call.query()?;
    let mut conditions = Conditions::new("m.tenant_id", call.tenant()?);
    conditions.and_some("m.status = ?", status.map(MembershipStatus::as_str), Cell::text);
    conditions.and_some(
        "exists (select 1 from stoa_membership_role a
           where a.tenant_id = $1 and a.membership_id = m.id and a.role_id = ?)",
        role_id,
        Cell::Id,
    );
    MEMBERSHIPS.page(session, call, Asked { conditions, cursor, limit, text }).await
}

async fn get(session: &mut Session, call: &Call<'_>) -> Performed {
    let mut conditions = Conditions::new("m.tenant_id", call.tenant()?);
    conditions.and("m.id = ?", Cell::Id(call.path_id("id")?));
    MEMBERSHIPS.one(session, call, conditions).await
}

fn statement(conditions: &Conditions, limit: &str) -> String {
    format!(
        "select m.id, m.user_id, m.email, m.status, m.created_at, m.updated_at, r.id, r.code, r.name
         from (select m.*, u.email from stoa_membership m join stoa_user u on u.id = m.user_id
               where {} order by m.id limit {limit}) m
         left join stoa_membership_role a on a.tenant_id = $1 and a.membership_id = m.id
         left join stoa_role r on r.tenant_id = $1 and r.id = a.role_id
         order by m.id, r.code",
        conditions.sql(),
    )
}

/// One record of the rows of each membership: a row for each role.
fn records(call: &Call<'_>, rows: &[Row]) -> Result<Vec<Membership>, Error> {
    let tenant_id = call.request.tenant.unwrap_or_default();
    let mut memberships: Vec<Membership> = Vec::new();
    for row in rows {
        let id = row.id(0)?;
        if memberships.last().is_none_or(|last| last.id != id) {
            memberships.push(Membership {
                id,
                tenant_id,
                user_id: row.id(1)?,
                email: row.text(2)?,
                status: MembershipStatus::read(row, 3)?,
                roles: Vec::new(),
                created_at: Instant(row.instant(4)?),
                updated_at: Instant(row.instant(5)?),
            });
        }
        if let (false, Some(membership)) = (row.is_null(6), memberships.last_mut()) {
            membership.roles.push(AssignedRole::read(row, 6)?);
        }
    }
    Ok(memberships)
}
