//! The directory: which companies a user belongs to. It is in the global shard, where a user is looked up first, and
//! every write of a membership writes it, only here. It may name a company too many, never one too few.

use std::collections::HashSet;

use uuid::Uuid;

use crate::database::{Cell, Database, Error, Row, Session, Shard};
use crate::identity::users;

/// Notes in the directory that a user belongs to a company, before the membership is written: a company that the directory
/// does not name is in no user's list. `founded`: the user makes the company, which counts among those of the day.
pub async fn note_company(session: &mut Session, user: Uuid, tenant: Uuid, founded: bool) -> Result<(), Error> {
    session
        .query_home(
            "insert into stoa_user_company (user_id, tenant_id, founded) values ($1, $2, $3) on conflict do nothing",
            &[Cell::Id(user), Cell::Id(tenant), Cell::Boolean(founded)],
        )
        .await?;
    Ok(())
}

/// A user whom the directory lists for the company becomes a member of it, without roles.
pub async fn insert_membership(
    session: &mut Session,
    tenant: Uuid,
    id: Uuid,
    user: Uuid,
    now: i64,
) -> Result<(), Error> {
    users::copy_to_place(session, user).await?;
    session
        .query(
            "insert into stoa_membership (tenant_id, id, user_id, status, created_at, updated_at)
             values ($1, $2, $3, 'ACTIVE', $4, $4)",
            &[Cell::Id(tenant), Cell::Id(id), Cell::Id(user), Cell::Instant(now)],
        )
        .await?;
    Ok(())
}

/// The companies that a user may belong to, each with its place, which has none while it is at home.
pub async fn read_companies(session: &mut Session, user: Uuid) -> Result<Vec<(Uuid, Option<String>)>, Error> {
    let sql = "select c.tenant_id, p.place from stoa_user_company c
               left join stoa_company_place p on p.tenant_id = c.tenant_id where c.user_id = $1";
    let rows = session.query(sql, &[Cell::Id(user)]).await?;
    rows.iter().map(|row| Ok((row.id(0)?, row.optional(1, Row::text)?))).collect()
}

/// Companies that have members and are none of `companies`: their own record is lost. A company that the directory names and that
/// has no member is one whose making was undone.
pub async fn find_lost(database: &Database, companies: &[Uuid]) -> Result<Vec<Uuid>, Error> {
    let named = database.read_plain(Shard::Global, (), |session, ()| {
        Box::pin(async move {
            let rows =
                session.query("select distinct tenant_id from stoa_user_company order by tenant_id", &[]).await?;
            rows.iter().map(|row| row.id(0)).collect::<Result<Vec<Uuid>, Error>>()
        })
    });
    let known: HashSet<&Uuid> = companies.iter().collect();
    let mut lost = Vec::new();
    for tenant in named.await?.into_iter().filter(|tenant| !known.contains(tenant)) {
        if has_members(database, tenant).await? {
            lost.push(tenant);
        }
    }
    Ok(lost)
}

pub async fn has_members(database: &Database, tenant: Uuid) -> Result<bool, Error> {
    let members = database.read_plain(Shard::Company(tenant), tenant, |session, tenant| {
        Box::pin(async move {
            let sql = "select 1 from stoa_membership where tenant_id = $1 limit 1";
            session.query(sql, &[Cell::Id(*tenant)]).await.map(|rows| !rows.is_empty())
        })
    });
    members.await
}

/// Memberships of a company that the directory does not have, for its verification. They are read first: a member who comes
/// meanwhile is in the directory.
pub async fn find_missing(database: &Database, tenant: Uuid) -> Result<Vec<Uuid>, Error> {
    let members = database.read_plain(Shard::Company(tenant), tenant, |session, tenant| {
        Box::pin(async move {
            let sql = "select id, user_id from stoa_membership where tenant_id = $1 order by id";
            let rows = session.query(sql, &[Cell::Id(*tenant)]).await?;
            rows.iter().map(|row| Ok((row.id(0)?, row.id(1)?))).collect::<Result<Vec<(Uuid, Uuid)>, Error>>()
        })
    });
    let members = members.await?;
    let users = database.read_plain(Shard::Global, tenant, |session, tenant| {
        Box::pin(async move {
            let sql = "select user_id from stoa_user_company where tenant_id = $1";
            let rows = session.query(sql, &[Cell::Id(*tenant)]).await?;
            rows.iter().map(|row| row.id(0)).collect::<Result<HashSet<Uuid>, Error>>()
        })
    });
    let users = users.await?;
    Ok(members.into_iter().filter(|(_, user)| !users.contains(user)).map(|(membership, _)| membership).collect())
}
