//! Administration of the database: its checks, the host's own tables and indexes. By sqlx, whose migrations keep the
//! record of what was applied.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection as _, Executor};

use super::Error;
use super::address::{CONNECT, ServerGroup};
use crate::database::{DatabaseSettings, migrations};

/// Key of the advisory lock of the host that builds indexes.
const BUILDING: i64 = 7_310_587;
/// Between two looks whether another builder has ended.
const PAUSE: Duration = Duration::from_millis(200);
const ATTEMPTS: u32 = 150;
const UNDEFINED_COLUMN: &str = "42703";
const UNDEFINED_TABLE: &str = "42P01";

pub(super) async fn connect(members: &ServerGroup<PgConnectOptions>) -> Result<PgConnection, Error> {
    let connect = members.connect(|member| connect_to(member, members.primary_only));
    let late = |_| Error::Unavailable("the database server does not answer".into());
    tokio::time::timeout(CONNECT, connect).await.map_err(late)?
}

async fn connect_to(server: PgConnectOptions, primary_only: bool) -> Result<PgConnection, Error> {
    let mut connection = PgConnection::connect_with(&server).await.map_err(Error::from_sqlx)?;
    if primary_only {
        let read_only = sqlx::query_scalar("select current_setting('transaction_read_only')::bool");
        if read_only.fetch_one(&mut connection).await.map_err(Error::from_sqlx)? {
            return Err(Error::Unavailable("the database server takes no writes".into()));
        }
    }
    Ok(connection)
}

/// Builds indexes on tables in use, each statement by itself and on a connection without the requests' time limits. Answers the
/// unique key that the rows do not have, where one fails for that. A statement about a column that is not there yet is
/// passed over: who adds the column builds it.
pub async fn build_indexes(
    members: &ServerGroup<PgConnectOptions>,
    statements: Vec<String>,
) -> Result<Option<String>, Error> {
    let mut connection = connect(members).await?;
    connection.execute("set statement_timeout = 0; set lock_timeout = '30s'").await.map_err(Error::from_sqlx)?;
    lock_building(&mut connection).await?;
    let mut refused = None;
    drop_half_built(&mut connection).await?;
    for statement in statements {
        let Err(error) = connection.execute(AssertSqlSafe(statement)).await else { continue };
        let code = error.as_database_error().and_then(|error| error.code()).unwrap_or_default().into_owned();
        let error = Error::from_sqlx(error);
        drop_half_built(&mut connection).await?;
        match (code.as_str(), error) {
            (UNDEFINED_COLUMN | UNDEFINED_TABLE, _) => {}
            (_, Error::Unique(key)) => {
                refused = Some(key);
                break;
            }
            (_, error) => return Err(error),
        }
    }
    let _ = connection.close().await;
    Ok(refused)
}

/// One builder at a time: an index under way looks like one that was left half-built. A waiting host asks repeatedly: one that waited
/// inside a statement would hold a snapshot, for which the builder of an index waits as well.
async fn lock_building(connection: &mut PgConnection) -> Result<(), Error> {
    for _ in 0..ATTEMPTS {
        let lock = sqlx::query_scalar("select pg_try_advisory_lock($1)").bind(BUILDING);
        if lock.fetch_one(&mut *connection).await.map_err(Error::from_sqlx)? {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(Error::Unavailable("another host builds indexes".into()))
}

/// Drops the indexes that a stopped builder left half built: such an index counts as made and holds nothing. Only those of tables that
/// were made here, and by the names that indexes are given here: another's index that is being built looks alike.
async fn drop_half_built(connection: &mut PgConnection) -> Result<(), Error> {
    let drops: Vec<String> = sqlx::query_scalar(
        "select format('drop index concurrently if exists %I.%I', n.nspname, c.relname)
         from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
           join pg_class t on t.oid = i.indrelid
         where not i.indisvalid and n.nspname = current_schema() and obj_description(t.oid, 'pg_class') like 'place: %'
           and starts_with(c.relname::text, left(t.relname || '__', 54))",
    )
    .fetch_all(&mut *connection)
    .await
    .map_err(Error::from_sqlx)?;
    for drop in drops {
        connection.execute(AssertSqlSafe(drop)).await.map_err(Error::from_sqlx)?;
    }
    Ok(())
}

/// A wait for a lock ends too where a connection's own settings do not reach. A database that was restored under another
/// name has its steps and lacks the setting: it is set at every migration.
const LIMIT_LOCK_WAITS: &str = "do $$ begin
  execute format('alter role %I in database %I set lock_timeout = %L', current_user, current_database(), '3s');
end $$";

/// Reads whether the database limits waits for locks of this role.
pub const LIMITS_LOCK_WAITS: &str = "select exists (select 1 from pg_db_role_setting s, unnest(s.setconfig) c
         where s.setdatabase = (select oid from pg_database where datname = current_database())
           and s.setrole in (0, (select oid from pg_roles where rolname = current_user))
           and c like 'lock_timeout=%' and c <> 'lock_timeout=0')";

/// Rejects a server that is too old, and a role that row-level security does not bind.
pub(super) async fn check_server(connection: &mut PgConnection, settings: &DatabaseSettings) -> anyhow::Result<()> {
    let version: i32 =
        sqlx::query_scalar("select current_setting('server_version_num')::int").fetch_one(&mut *connection).await?;
    anyhow::ensure!(version >= 150_000, "PostgreSQL 15 or newer is needed, this is {version}");
    let unbound: bool =
        sqlx::query_scalar("select rolsuper or rolbypassrls from pg_roles where rolname = current_user")
            .fetch_one(&mut *connection)
            .await?;
    anyhow::ensure!(
        !unbound || !settings.plain_role_only,
        "the database role is a superuser or has BYPASSRLS: row-level security would not bind it"
    );
    Ok(())
}

/// Makes the host's own tables, or brings them up to date.
pub async fn migrate_database(
    members: &ServerGroup<PgConnectOptions>,
    settings: &DatabaseSettings,
) -> anyhow::Result<()> {
    let mut connection = connect(members).await?;
    check_server(&mut connection, settings).await?;
    migrations::postgres().run(&mut connection).await?;
    connection.execute(LIMIT_LOCK_WAITS).await?;
    connection.close().await?;
    Ok(())
}

/// Checks of the server and the role, and that the host's own tables are there.
pub async fn check_database(
    members: &ServerGroup<PgConnectOptions>,
    settings: &DatabaseSettings,
) -> anyhow::Result<()> {
    let mut connection = connect(members).await?;
    check_server(&mut connection, settings).await?;
    if !sqlx::query_scalar::<_, bool>(LIMITS_LOCK_WAITS).fetch_one(&mut connection).await? {
        tracing::warn!("the database sets no lock_timeout for this role: run `stoa migrate` as this role");
    }
    let applied: Option<i64> = sqlx::query_scalar("select max(version) from _sqlx_migrations where success")
        .fetch_one(&mut connection)
        .await
        .unwrap_or(None);
    anyhow::ensure!(
        applied.unwrap_or(0) >= migrations::newest_postgres(),
        "the database lacks a migration: run `stoa migrate`"
    );
    connection.close().await?;
    Ok(())
}
