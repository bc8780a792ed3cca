//! The opening statement: in one round trip it begins, reads what the caller may do from live rows, takes the request's
//! instant from the database, claims the idempotency key and, on PostgreSQL, names the tenant to row-level security.
//!
//! Authorization takes no lock and no cache: a call that begins after a revocation was answered is refused.

use std::collections::BTreeSet;
use std::sync::Arc;

use stoa_descriptor::Access;
use uuid::Uuid;

use super::request::{Caller, Key, tenant_or_nil};
use crate::database::watermark::{self, ON_ITS_WAY};
use crate::database::{Cell, Error, Row, Session, postgres, sqlite};
use crate::problem::Problem;

/// The entitlement without which no API key is served.
pub const PUBLIC_API: &str = "PUBLIC_API";

/// Status of a company that is on its way to another place.
pub const MOVING: &str = "MOVING";

/// The fault of a key that is revoked, which it remains.
pub const KEY_REVOKED: &str = "The key is revoked.";

/// The input of the opening.
pub struct Opening<'a> {
    pub tenant: Option<Uuid>,
    pub caller: &'a Caller,
    pub operation: &'a str,
    pub access: &'a Access,
    /// `None`: a read, or a request that will be refused.
    pub claim: Option<&'a Key>,
    pub read_only: bool,
}

/// The result of the opening.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The one instant of this request: milliseconds since 1970, by the database's clock.
    pub now: i64,
    pub standing: Option<Standing>,
    /// The key was free and is this transaction's now.
    pub claimed: bool,
}

/// A caller's role in a company: a member, or an API client of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    pub tenant_status: String,
    pub time_zone: String,
    /// The clock of a company that brings its past in: milliseconds since 1970.
    pub history_at: Option<i64>,
    /// True if the company may use API keys at all.
    pub entitled: bool,
    /// Id of the membership or of the API client.
    pub id: Uuid,
    /// Status of the membership, or of the client and its key together: ACTIVE, or what keeps it from being so.
    pub status: String,
    /// Holds every permission of the active catalog.
    pub owner: bool,
    /// Permissions of a member, scopes of a client.
    pub permissions: Arc<BTreeSet<String>>,
}

impl Opened {
    /// Checks that the credential is still valid: a user's token stated so; for a key only the live rows can.
    pub fn authenticate(&self, caller: &Caller) -> Result<(), Problem> {
        match (caller, &self.standing) {
            (Caller::User(_), _) => Ok(()),
            (Caller::Client(_), Some(standing)) if standing.is_active() => {
                if standing.entitled {
                    Ok(())
                } else {
                    Err(public_api_disabled())
                }
            }
            (Caller::Client(_), standing) => {
                Err(Problem::of_credential(match standing.as_ref().map(|standing| &*standing.status) {
                    Some("REVOKED") => KEY_REVOKED,
                    Some("EXPIRED") => "The key has expired.",
                    _ => "The key is not active now.",
                }))
            }
        }
    }

    /// Checks that the authenticated caller may continue.
    pub fn authorize(&self, caller: &Caller, tenant: Option<Uuid>, access: &Access) -> Result<(), Problem> {
        if tenant.is_none() {
            return Ok(());
        }
        let Some(standing) = &self.standing else { return Err(Problem::new("MEMBERSHIP_REQUIRED")) };
        if standing.status != "ACTIVE" {
            return Err(Problem::new("MEMBERSHIP_REQUIRED"));
        }
        if !standing.is_company_served() {
            return Err(Problem::new("TENANT_SUSPENDED"));
        }
        match caller {
            _ if allows(access, |code| standing.owner || standing.permissions.contains(code)) => Ok(()),
            Caller::User(_) => Err(Problem::new("PERMISSION_DENIED")),
            Caller::Client(_) => Err(Problem::new("SCOPE_DENIED")),
        }
    }

    /// The instant of this request by the company's clock, which is the database's but for a company that brings its past in.
    pub fn company_now(&self) -> i64 {
        self.standing.as_ref().and_then(|standing| standing.history_at).unwrap_or(self.now)
    }

    fn admits(&self, opening: &Opening<'_>) -> bool {
        self.authenticate(opening.caller).is_ok()
            && self.authorize(opening.caller, opening.tenant, opening.access).is_ok()
    }
}

/// Returns whether what a caller holds is what an operation needs.
pub fn allows(access: &Access, holds: impl Fn(&str) -> bool) -> bool {
    match access {
        Access::All(codes) => codes.iter().all(|code| holds(code)),
        Access::Any(codes) => codes.is_empty() || codes.iter().any(|code| holds(code)),
    }
}

impl Standing {
    /// Returns whether an API key with this standing is one at all.
    pub fn is_active(&self) -> bool {
        self.status == "ACTIVE" && self.is_company_served()
    }

    fn is_company_served(&self) -> bool {
        self.tenant_status == "ACTIVE" || self.is_moving()
    }

    /// Returns whether the company is on its way to another place. It is read where it was, and not written.
    pub fn is_moving(&self) -> bool {
        self.tenant_status == MOVING
    }
}

/// 429 of a company that is not entitled to the public API: it costs no quota, and an hour is a fair time to look again.
pub fn public_api_disabled() -> Problem {
    Problem { retry_after: Some(3600), ..Problem::new("PUBLIC_API_DISABLED") }
}

/// The live rows of a user ($2) in a company ($1).
const POSTGRES_MEMBER: &str = "
  select t.status as tenant_status, t.time_zone, true as entitled, m.id as standing, m.status as standing_status,
    coalesce(bool_or(r.system), false) as owner,
    array_to_string(array_remove(array_agg(distinct p.permission), null), ' ') as permissions, t.history_at
  from stoa_membership m
  join stoa_tenant t on t.id = $1
  left join stoa_membership_role a on a.tenant_id = $1 and a.membership_id = m.id
  left join stoa_role r on r.tenant_id = $1 and r.id = a.role_id and r.status = 'ACTIVE'
  left join stoa_role_permission p on p.tenant_id = $1 and p.role_id = r.id
  where m.tenant_id = $1 and m.user_id = $2
  group by t.status, t.time_zone, t.history_at, m.id, m.status";

/// The live rows of an API client ($2) with one of its keys. The instant is the statement's own: expiry needs no job.
fn postgres_client(key: &str) -> String {
    format!(
        "
  select t.status as tenant_status, t.time_zone, t.entitlements::jsonb @> '[\"{PUBLIC_API}\"]' as entitled,
    c.id as standing,
    case when k.revoked_at is not null then 'REVOKED' when k.expires_at <= statement_timestamp() then 'EXPIRED'
      else c.status end as standing_status,
    false as owner, c.scopes as permissions, t.history_at
  from stoa_api_key k
  join stoa_api_client c on c.tenant_id = $1 and c.id = k.client_id
  join stoa_tenant t on t.id = $1
  where k.tenant_id = $1 and k.client_id = $2 and k.id = {key}"
    )
}

/// A transaction that may write takes its instant after it has announced its writes: see [`watermark`].
fn postgres_answer() -> String {
    let begin_writing = watermark::sql_begin_writing("$1");
    format!(
        "select floor(extract(epoch from
    case when current_setting('transaction_read_only') = 'on' then clock_timestamp()
         when {begin_writing} then clock_timestamp() end) * 1000)::bigint, tenant_status, time_zone, entitled,
  standing, standing_status, owner, permissions, floor(extract(epoch from history_at) * 1000)::bigint, set_config('stoa.tenant', $1::text, true)"
    )
}

/// The key's row, before anything else of a write: it waits for the request that holds the row. A statement of its own,
/// with the company as a constant: a distributing server sends it to the company's node. It is taken before the caller
/// is judged; a rejection rolls it back.
const POSTGRES_CLAIM: &str = "prepare stoa_claim(uuid, uuid, text, uuid, bytea) as
insert into stoa_idempotency (tenant_id, actor_id, operation, key, fingerprint, created_at)
values ($1, $2, $3, $4, $5, date_trunc('milliseconds', statement_timestamp()))
on conflict do nothing returning 1";

/// Prepared on every connection: planned once, and short enough to travel in one message with BEGIN.
pub fn postgres_prepared() -> Vec<String> {
    let answer = postgres_answer();
    let read = |name: &str, extra: &str, caller: &str| {
        format!(
            "prepare {name}(uuid, uuid{extra}) as
with caller as ({caller})
{answer}
from (select 1) as one left join caller on true"
        )
    };
    vec![
        read("stoa_member", "", POSTGRES_MEMBER),
        read("stoa_client", ", uuid", &postgres_client("$3")),
        POSTGRES_CLAIM.to_owned(),
    ]
}

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
    let (actor, caller) = match opening.caller {
        Caller::User(user) => (user.id, format!("execute stoa_member('{tenant}', '{}')", user.id)),
        Caller::Client(key) => (key.client, format!("execute stoa_client('{tenant}', '{}', '{}')", key.client, key.id)),
    };
    let sql = match opening.claim {
        None => caller,
        Some(claim) => format!(
            "{caller}; {CLAIM_WAIT}; execute stoa_claim('{tenant}', '{actor}', {}, '{}', '\\x{}'); {ORDINARY_WAIT}",
            quote(opening.operation),
            claim.id,
            hex::encode(claim.fingerprint),
        ),
    };
    let rows = transaction.begin(opening.read_only, &sql).await?;
    let (row, claimed) = rows.split_first().ok_or_else(|| Error::Fault("the opening gave no row".into()))?;
    let text =
        |column: usize| row.get(column).ok_or_else(|| Error::Fault(format!("the opening gave no column {column}")));
    let id = |column| Uuid::parse_str(text(column)?).map_err(|error| Error::Fault(error.to_string()));
    let standing = match row.get(1) {
        None if opening.tenant.is_some()
            && transaction.may_have_moved()
            && !has_company(transaction, tenant).await? =>
        {
            return Err(Error::Moved(tenant));
        }
        None => None,
        Some(status) => Some(Standing {
            tenant_status: status.to_owned(),
            time_zone: text(2)?.to_owned(),
            entitled: text(3)? == "t",
            id: id(4)?,
            status: text(5)?.to_owned(),
            owner: text(6)? == "t",
            permissions: Arc::new(words(text(7)?)),
            history_at: row.get(8).map(instant).transpose()?,
        }),
    };
    // Where a write cannot announce itself at once, a command moves the company and keeps the announcements for itself.
    let now = row.get(0).ok_or_else(|| Error::Unavailable(ON_ITS_WAY.into()))?;
    let now = instant(now)?;
    Ok(Opened { now, standing, claimed: !claimed.is_empty() })
}

/// Returns whether this server has the company.
async fn has_company(transaction: &mut postgres::Transaction, tenant: Uuid) -> Result<bool, Error> {
    let rows = postgres::query(transaction, "select 1 from stoa_tenant where id = $1", &[Cell::Id(tenant)]).await?;
    Ok(!rows.is_empty())
}

fn instant(text: &str) -> Result<i64, Error> {
    text.parse().map_err(|_| Error::Fault("the opening gave no time".into()))
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn words(text: &str) -> BTreeSet<String> {
    text.split_ascii_whitespace().map(str::to_string).collect()
}

fn open_sqlite(connection: &rusqlite::Connection, opening: &Opening<'_>) -> Result<Opened, Error> {
    let now = chrono::Utc::now().timestamp_millis();
    let tenant = tenant_or_nil(opening.tenant);
    let standing = match opening.caller {
        Caller::User(user) => sqlite_member(connection, tenant, user.id)?,
        Caller::Client(key) => sqlite_client(connection, key.tenant, key.client, key.id, now)?,
    };
    let mut opened = Opened { now, standing, claimed: false };
    if let Some(key) = opening.claim
        && opened.admits(opening)
    {
        let claimed = sqlite::query(
            connection,
            "insert into stoa_idempotency (tenant_id, actor_id, operation, key, fingerprint, created_at)
             values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1",
            &[
                Cell::Id(tenant),
                Cell::Id(opening.caller.id()),
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

fn sqlite_member(connection: &rusqlite::Connection, tenant: Uuid, user: Uuid) -> Result<Option<Standing>, Error> {
    let rows = sqlite::query(
        connection,
        "select t.status, t.time_zone, m.id, m.status, r.system, p.permission, t.history_at
         from stoa_membership m
         join stoa_tenant t on t.id = $1
         left join stoa_membership_role a on a.tenant_id = $1 and a.membership_id = m.id
         left join stoa_role r on r.tenant_id = $1 and r.id = a.role_id and r.status = 'ACTIVE'
         left join stoa_role_permission p on p.tenant_id = $1 and p.role_id = r.id
         where m.tenant_id = $1 and m.user_id = $2",
        &[Cell::Id(tenant), Cell::Id(user)],
    )?;
    let mut standing: Option<Standing> = None;
    for row in &rows {
        let standing = match &mut standing {
            Some(standing) => standing,
            None => standing.insert(Standing {
                tenant_status: row.text(0)?,
                time_zone: row.text(1)?,
                entitled: true,
                id: row.id(2)?,
                status: row.text(3)?,
                owner: false,
                permissions: Arc::default(),
                history_at: row.optional(6, Row::instant)?,
            }),
        };
        standing.owner |= row.optional(4, Row::boolean)?.unwrap_or(false);
        Arc::make_mut(&mut standing.permissions).extend(row.optional(5, Row::text)?);
    }
    Ok(standing)
}

fn sqlite_client(
    connection: &rusqlite::Connection,
    tenant: Uuid,
    client: Uuid,
    key: Uuid,
    now: i64,
) -> Result<Option<Standing>, Error> {
    let rows = sqlite::query(
        connection,
        "select t.status, t.time_zone, t.entitlements, c.id,
           case when k.revoked_at is not null then 'REVOKED' when k.expires_at <= $4 then 'EXPIRED' else c.status end,
           c.scopes, t.history_at
         from stoa_api_key k
         join stoa_api_client c on c.tenant_id = $1 and c.id = k.client_id
         join stoa_tenant t on t.id = $1
         where k.tenant_id = $1 and k.client_id = $2 and k.id = $3",
        &[Cell::Id(tenant), Cell::Id(client), Cell::Id(key), Cell::Instant(now)],
    )?;
    let Some(row) = rows.first() else { return Ok(None) };
    let entitlements: Vec<String> = serde_json::from_str(&row.text(2)?).unwrap_or_default();
    Ok(Some(Standing {
        tenant_status: row.text(0)?,
        time_zone: row.text(1)?,
        entitled: entitlements.iter().any(|held| held == PUBLIC_API),
        id: row.id(3)?,
        status: row.text(4)?,
        owner: false,
        permissions: Arc::new(words(&row.text(5)?)),
        history_at: row.optional(6, Row::instant)?,
    }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::identity::api_keys::ApiKey;
    use crate::identity::users::User;

    fn open_with(status: &str, tenant: &str, owner: bool, held: &[&str], entitled: bool) -> Opened {
        let standing = Standing {
            tenant_status: tenant.into(),
            time_zone: "UTC".into(),
            history_at: None,
            entitled,
            id: Uuid::nil(),
            status: status.into(),
            owner,
            permissions: Arc::new(held.iter().map(|code| code.to_string()).collect()),
        };
        Opened { now: 0, standing: Some(standing), claimed: false }
    }

    fn nobody() -> Opened {
        Opened { now: 0, standing: None, claimed: false }
    }

    fn verdict(opened: &Opened, caller: &Caller, access: &Access) -> String {
        let answer = opened.authenticate(caller).and_then(|()| opened.authorize(caller, Some(Uuid::max()), access));
        answer.map_or_else(|problem| problem.code.to_string(), |()| "OK".into())
    }

    fn all() -> Access {
        Access::All(vec!["a.read".into(), "b.read".into()])
    }

    fn any() -> Access {
        Access::Any(vec!["a.read".into(), "b.read".into()])
    }

    #[test]
    fn what_a_user_may_call() {
        let user = Caller::User(Arc::new(User {
            id: Uuid::nil(),
            issuer: String::new(),
            subject: String::new(),
            email: String::new(),
            display_name: None,
            created_at: 0,
            updated_at: 0,
        }));
        let cases = [
            (open_with("ACTIVE", "ACTIVE", false, &["a.read", "b.read"], true), all(), "OK"),
            (open_with("ACTIVE", "ACTIVE", false, &["a.read"], true), all(), "PERMISSION_DENIED"),
            (open_with("ACTIVE", "ACTIVE", false, &["a.read"], true), any(), "OK"),
            (open_with("ACTIVE", "ACTIVE", false, &[], true), any(), "PERMISSION_DENIED"),
            (open_with("ACTIVE", "ACTIVE", true, &[], true), all(), "OK"),
            (open_with("SUSPENDED", "ACTIVE", true, &[], true), all(), "MEMBERSHIP_REQUIRED"),
            (open_with("ACTIVE", "SUSPENDED", true, &[], true), all(), "TENANT_SUSPENDED"),
            (nobody(), all(), "MEMBERSHIP_REQUIRED"),
        ];
        for (opened, access, expected) in cases {
            assert_eq!(verdict(&opened, &user, &access), expected);
        }
    }

    #[test]
    fn what_a_key_may_call() {
        let key = Caller::Client(Arc::new(ApiKey {
            id: Uuid::nil(),
            tenant: Uuid::max(),
            client: Uuid::nil(),
            hash: [0; 32],
            environment: "test".into(),
            requests_per_minute: 1,
            monthly_quota: 1,
        }));
        let cases = [
            (open_with("ACTIVE", "ACTIVE", false, &["a.read", "b.read"], true), all(), "OK"),
            (open_with("ACTIVE", "ACTIVE", false, &["a.read"], true), all(), "SCOPE_DENIED"),
            (open_with("ACTIVE", "ACTIVE", false, &["a.read"], false), all(), "PUBLIC_API_DISABLED"),
            (open_with("REVOKED", "ACTIVE", false, &["a.read"], false), any(), "UNAUTHENTICATED"),
            (open_with("EXPIRED", "ACTIVE", false, &["a.read"], true), any(), "UNAUTHENTICATED"),
            (open_with("SUSPENDED", "ACTIVE", false, &["a.read"], true), any(), "UNAUTHENTICATED"),
            (open_with("ACTIVE", "SUSPENDED", false, &["a.read"], true), any(), "UNAUTHENTICATED"),
            (nobody(), any(), "UNAUTHENTICATED"),
        ];
        for (opened, access, expected) in cases {
            assert_eq!(verdict(&opened, &key, &access), expected);
        }
    }
}
