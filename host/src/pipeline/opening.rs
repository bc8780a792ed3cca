//! The opening statement: in one round trip it begins, reads membership and permissions from live rows, takes the request's
//! instant from the database, claims the idempotency key and, on PostgreSQL, names the tenant to row-level security.
//!
//! Authorization takes no lock and no cache: a call that begins after a revocation was answered is refused.

use std::collections::BTreeSet;

use stoa_descriptor::Access;
use uuid::Uuid;

use super::request::{Key, tenant_or_nil};
use crate::database::{Cell, Error, Session, postgres, sqlite};
use crate::problem::Problem;

/// What the opening asks.
pub struct Opening<'a> {
    pub tenant: Option<Uuid>,
    pub user: Uuid,
    pub operation: &'a str,
    pub access: &'a Access,
    /// `None`: a read, or a request that will be refused.
    pub claim: Option<&'a Key>,
    pub read_only: bool,
}

/// What it found.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The one instant of this request: milliseconds since 1970, by the database's clock.
    pub now: i64,
    pub member: Option<Member>,
    /// The key was free and is this transaction's now.
    pub claimed: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub tenant_status: String,
    pub time_zone: String,
    pub membership: Uuid,
    pub membership_status: String,
    /// Holds every permission of the active catalog.
    pub owner: bool,
    pub permissions: BTreeSet<String>,
}

impl Opened {
    /// Whether the caller may go on.
    pub fn authorize(&self, tenant: Option<Uuid>, access: &Access) -> Result<(), Problem> {
        if tenant.is_none() {
            return Ok(());
        }
        let Some(member) = &self.member else { return Err(Problem::of("MEMBERSHIP_REQUIRED")) };
        if member.membership_status != "ACTIVE" {
            return Err(Problem::of("MEMBERSHIP_REQUIRED"));
        }
        if member.tenant_status != "ACTIVE" {
            return Err(Problem::of("TENANT_SUSPENDED"));
        }
        let holds = |code: &String| member.owner || member.permissions.contains(code);
        let allowed = match access {
            Access::All(codes) => codes.iter().all(holds),
            Access::Any(codes) => codes.is_empty() || codes.iter().any(holds),
        };
        if allowed { Ok(()) } else { Err(Problem::of("PERMISSION_DENIED")) }
    }
}

/// Prepared on every connection: planned once, and short enough to travel in one message with BEGIN.
pub const POSTGRES_PREPARED: &[&str] = &[
    "prepare stoa_open_read(uuid, uuid) as
with member as (
  select t.status as tenant_status, t.time_zone, m.id as membership, m.status as membership_status,
    coalesce(bool_or(r.system), false) as owner,
    array_to_string(array_remove(array_agg(distinct p.permission), null), ' ') as permissions
  from stoa_membership m
  join stoa_tenant t on t.id = m.tenant_id
  left join stoa_membership_role a on a.tenant_id = m.tenant_id and a.membership_id = m.id
  left join stoa_role r on r.tenant_id = a.tenant_id and r.id = a.role_id and r.status = 'ACTIVE'
  left join stoa_role_permission p on p.tenant_id = r.tenant_id and p.role_id = r.id
  where m.tenant_id = $1 and m.user_id = $2
  group by t.status, t.time_zone, m.id, m.status)
select date_trunc('milliseconds', statement_timestamp()), tenant_status, time_zone, membership, membership_status, owner,
  permissions, set_config('stoa.tenant', $1::text, true), false
from (select 1) as one left join member on true",
    "prepare stoa_open_write(uuid, uuid, boolean, text[], boolean, text, uuid, bytea) as
with member as (
  select t.status as tenant_status, t.time_zone, m.id as membership, m.status as membership_status,
    coalesce(bool_or(r.system), false) as owner,
    array_to_string(array_remove(array_agg(distinct p.permission), null), ' ') as permissions
  from stoa_membership m
  join stoa_tenant t on t.id = m.tenant_id
  left join stoa_membership_role a on a.tenant_id = m.tenant_id and a.membership_id = m.id
  left join stoa_role r on r.tenant_id = a.tenant_id and r.id = a.role_id and r.status = 'ACTIVE'
  left join stoa_role_permission p on p.tenant_id = r.tenant_id and p.role_id = r.id
  where m.tenant_id = $1 and m.user_id = $2
  group by t.status, t.time_zone, m.id, m.status),
allowed as (
  select 1 where not $3 or exists (
    select 1 from member
    where tenant_status = 'ACTIVE' and membership_status = 'ACTIVE'
      and (owner or case when $5 then string_to_array(permissions, ' ') && $4
                         else string_to_array(permissions, ' ') @> $4 end))),
claim as (
  insert into stoa_idempotency (tenant_id, actor_id, operation, key, fingerprint, created_at)
  select $1, $2, $6, $7, $8, date_trunc('milliseconds', statement_timestamp()) from allowed
  on conflict do nothing
  returning 1)
select date_trunc('milliseconds', statement_timestamp()), tenant_status, time_zone, membership, membership_status, owner,
  permissions, set_config('stoa.tenant', $1::text, true), exists (select 1 from claim)
from (select 1) as one left join member on true",
];

/// Longest wait for another request that holds the same key.
const CLAIM_WAIT: &str = "set local lock_timeout = '2s'";
const ORDINARY_WAIT: &str = "set local lock_timeout = '3s'";

/// Opens the transaction.
pub async fn open(session: &mut Session, opening: &Opening<'_>) -> Result<Opened, Error> {
    match session {
        Session::Sqlite(connection) => open_sqlite(connection, opening),
        Session::Postgres(transaction) => open_postgres(transaction, opening).await,
    }
}

async fn open_postgres(transaction: &mut postgres::Transaction, opening: &Opening<'_>) -> Result<Opened, Error> {
    // Literals, since a message of several statements takes no parameters: uuids, hexadecimal digits and identifiers that
    // the descriptor check admits; quoted all the same.
    let tenant = tenant_or_nil(opening.tenant);
    let user = opening.user;
    let sql = match opening.claim {
        None => format!("execute stoa_open_read('{tenant}', '{user}')"),
        Some(key) => {
            let (codes, any) = match opening.access {
                Access::All(codes) => (codes, false),
                Access::Any(codes) => (codes, true),
            };
            let list: Vec<String> = codes.iter().map(|code| quoted(code)).collect();
            format!(
                "{CLAIM_WAIT}; execute stoa_open_write('{tenant}', '{user}', {}, array[{}]::text[], {any}, {}, '{}', '\\x{}'); \
                 {ORDINARY_WAIT}",
                opening.tenant.is_some(),
                list.join(", "),
                quoted(opening.operation),
                key.id,
                hex::encode(key.fingerprint),
            )
        }
    };
    let rows = transaction.begin(opening.read_only, &sql).await?;
    let row = rows.first().ok_or_else(|| Error::Fault("the opening gave no row".into()))?;
    let row = postgres::decode(row)?;
    let member = if row.is_null(1) {
        None
    } else {
        Some(Member {
            tenant_status: row.text(1)?,
            time_zone: row.text(2)?,
            membership: row.id(3)?,
            membership_status: row.text(4)?,
            owner: row.boolean(5)?,
            permissions: row.text(6)?.split_ascii_whitespace().map(str::to_string).collect(),
        })
    };
    Ok(Opened { now: row.instant(0)?, member, claimed: row.boolean(8)? })
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn open_sqlite(connection: &rusqlite::Connection, opening: &Opening<'_>) -> Result<Opened, Error> {
    let now = chrono::Utc::now().timestamp_millis();
    let tenant = Cell::Id(tenant_or_nil(opening.tenant));
    let user = Cell::Id(opening.user);
    let rows = sqlite::query(
        connection,
        "select t.status, t.time_zone, m.id, m.status, r.system, p.permission
         from stoa_membership m
         join stoa_tenant t on t.id = m.tenant_id
         left join stoa_membership_role a on a.tenant_id = m.tenant_id and a.membership_id = m.id
         left join stoa_role r on r.tenant_id = a.tenant_id and r.id = a.role_id and r.status = 'ACTIVE'
         left join stoa_role_permission p on p.tenant_id = r.tenant_id and p.role_id = r.id
         where m.tenant_id = $1 and m.user_id = $2",
        &[tenant.clone(), user.clone()],
    )?;
    let mut member: Option<Member> = None;
    for row in &rows {
        let member = match &mut member {
            Some(member) => member,
            None => member.insert(Member {
                tenant_status: row.text(0)?,
                time_zone: row.text(1)?,
                membership: row.id(2)?,
                membership_status: row.text(3)?,
                owner: false,
                permissions: BTreeSet::new(),
            }),
        };
        member.owner |= row.optional(4, crate::database::Row::boolean)?.unwrap_or(false);
        member.permissions.extend(row.optional(5, crate::database::Row::text)?);
    }
    let mut opened = Opened { now, member, claimed: false };
    if let Some(key) = opening.claim
        && opened.authorize(opening.tenant, opening.access).is_ok()
    {
        let claimed = sqlite::query(
            connection,
            "insert into stoa_idempotency (tenant_id, actor_id, operation, key, fingerprint, created_at)
             values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1",
            &[
                tenant,
                user,
                Cell::text(opening.operation),
                Cell::Id(key.id),
                Cell::Bytes(key.fingerprint.to_vec()),
                Cell::Instant(now),
            ],
        )?;
        opened.claimed = !claimed.is_empty();
    }
    Ok(opened)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(status: &str, tenant: &str, owner: bool, held: &[&str]) -> Opened {
        let member = Member {
            tenant_status: tenant.into(),
            time_zone: "UTC".into(),
            membership: Uuid::nil(),
            membership_status: status.into(),
            owner,
            permissions: held.iter().map(|code| code.to_string()).collect(),
        };
        Opened { now: 0, member: Some(member), claimed: false }
    }

    #[test]
    fn who_may_call() {
        let all = Access::All(vec!["a.read".into(), "b.read".into()]);
        let any = Access::Any(vec!["a.read".into(), "b.read".into()]);
        let cases = [
            (opened("ACTIVE", "ACTIVE", false, &["a.read", "b.read"]), &all, "OK"),
            (opened("ACTIVE", "ACTIVE", false, &["a.read"]), &all, "PERMISSION_DENIED"),
            (opened("ACTIVE", "ACTIVE", false, &["a.read"]), &any, "OK"),
            (opened("ACTIVE", "ACTIVE", false, &[]), &any, "PERMISSION_DENIED"),
            (opened("ACTIVE", "ACTIVE", true, &[]), &all, "OK"),
            (opened("SUSPENDED", "ACTIVE", true, &[]), &all, "MEMBERSHIP_REQUIRED"),
            (opened("ACTIVE", "SUSPENDED", true, &[]), &all, "TENANT_SUSPENDED"),
            (Opened { now: 0, member: None, claimed: false }, &all, "MEMBERSHIP_REQUIRED"),
        ];
        for (opened, access, expected) in cases {
            let answer = opened.authorize(Some(Uuid::max()), access);
            assert_eq!(answer.map_or_else(|problem| problem.code.to_string(), |()| "OK".into()), expected);
        }
    }
}
