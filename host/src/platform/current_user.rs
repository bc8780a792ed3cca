//! `GET /auth/me`: who the token says one is, and where one belongs.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;
use uuid::Uuid;

use super::iam::MembershipStatus;
use super::iam::directory::read_companies;
use super::operation::{PlatformOperation, on_session};
use super::reply::answer;
use super::values::Instant;
use super::{Call, Performed};
use crate::database::{Cell, Database, Error, QueueKey, Row, Session};

/// Longest wait for a place.
const PLACE: Duration = Duration::from_secs(1);

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
    /// Ids of companies whose database server does not respond now; `memberships` omits them. Absent if all servers
    /// respond.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreachable: Vec<Uuid>,
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
    let (mut at_home, mut elsewhere) = (Vec::new(), BTreeMap::<String, Vec<Uuid>>::new());
    for (company, place) in read_companies(session, user.id).await? {
        match place {
            None => at_home.push(company),
            Some(place) => elsewhere.entry(place).or_default().push(company),
        }
    }
    let mut memberships = read_memberships(session, user.id, &at_home).await?;
    let mut unreachable = Vec::new();
    let database = &*call.platform.database;
    let reads = elsewhere.into_iter().map(|(place, companies)| read_place(database, user.id, place, companies));
    for read in join_all(reads).await {
        match read {
            Ok(there) => memberships.extend(there),
            Err(companies) => unreachable.extend(companies),
        }
    }
    memberships.sort_by_key(|membership| membership.tenant_id);
    unreachable.sort();
    answer(&CurrentUser {
        id: user.id,
        subject: user.subject.clone(),
        email: user.email.clone(),
        email_verified: true,
        display_name: user.display_name.clone(),
        memberships,
        unreachable,
        created_at: Instant(user.created_at),
        updated_at: Instant(user.updated_at),
    })
}

/// The user's memberships at another place, or the companies whose place does not answer in time.
async fn read_place(
    database: &Database,
    user: Uuid,
    place: String,
    companies: Vec<Uuid>,
) -> Result<Vec<UserMembership>, Vec<Uuid>> {
    let Some(shard) = database.find_place(&place) else { return Err(companies) };
    let asked = (user, companies.clone());
    let read = database.read_plain(shard.with_queue(QueueKey::Caller(user)), asked, |session, (user, companies)| {
        Box::pin(read_memberships(session, *user, companies))
    });
    match timeout(PLACE, read).await {
        Ok(Ok(memberships)) => Ok(memberships),
        Ok(Err(error)) => {
            tracing::warn!(place, %error, "memberships are left out");
            Err(companies)
        }
        Err(_) => Err(companies),
    }
}

/// The user's memberships in these companies, in the order of their ids. They are where the session is.
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
