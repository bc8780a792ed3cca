//! Checks of PostgreSQL only: its version, the host's role and its rights, and settings of the server.

use super::{Diagnosis, Notes};
use crate::database::postgres::LIMITS_LOCK_WAITS;
use crate::database::{Cell, Error, Session};
use crate::deployment::follow::SILENCE;
use crate::settings::Settings;

const OLDEST: i64 = 150_000;

pub async fn examine(session: &mut Session, settings: &Settings, notes: &Notes) {
    notes.note("database.version", version(session).await);
    notes.note("database.role", role(session, settings.dev).await);
    notes.note("database.rights", rights(session).await);
    notes.note("database.lock_timeout", lock_timeout(session).await);
    notes.note("database.indexes", indexes(session).await);
    notes.note("database.connections", connections(session, settings.database_connections).await);
}

/// For SQLite, which has none of it.
pub fn skip(notes: &Notes) {
    notes.note("database.version", Diagnosis::pass(format!("SQLite {}, part of the binary", rusqlite::version())));
    for id in ["database.role", "database.rights", "database.lock_timeout", "database.indexes", "database.connections"]
    {
        notes.note(id, Diagnosis::skip("SQLite has none"));
    }
}

/// The figure of a statement that has one row of one column.
async fn read_figure(session: &mut Session, sql: &'static str, values: &[Cell]) -> Result<i64, Error> {
    let rows = session.query(sql, values).await?;
    rows.first().ok_or_else(|| Error::Fault("a figure has no row".into()))?.integer(0)
}

/// The same of a yes or no.
async fn read_flag(session: &mut Session, sql: &'static str) -> Result<bool, Error> {
    let rows = session.query(sql, &[]).await?;
    rows.first().ok_or_else(|| Error::Fault("a flag has no row".into()))?.boolean(0)
}

async fn version(session: &mut Session) -> Result<Diagnosis, Error> {
    let version = read_figure(session, "select current_setting('server_version_num')::bigint", &[]).await?;
    let says = format!("PostgreSQL {}", version / 10_000);
    Ok(if version < OLDEST { Diagnosis::fail(says) } else { Diagnosis::pass(says) })
}

/// Checks whether row-level security binds the role.
pub async fn role(session: &mut Session, dev: bool) -> Result<Diagnosis, Error> {
    let sql = "select rolsuper or rolbypassrls from pg_roles where rolname = current_user";
    let says = "the role is a superuser or has BYPASSRLS: row-level security does not bind it";
    Ok(match read_flag(session, sql).await? {
        true if dev => Diagnosis::warn(says),
        true => Diagnosis::fail(says),
        false => Diagnosis::pass("row-level security binds the role"),
    })
}

async fn rights(session: &mut Session) -> Result<Diagnosis, Error> {
    let may_create = "select coalesce(has_schema_privilege(current_schema(), 'create'), false)";
    if !read_flag(session, may_create).await? {
        return Ok(Diagnosis::fail("the role may not make tables in its schema"));
    }
    let sql = "select count(*) from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace
               and obj_description(oid, 'pg_class') like 'place: %' and not pg_has_role(relowner, 'usage')";
    Ok(match read_figure(session, sql, &[]).await? {
        0 => Diagnosis::pass("the role owns every table and may make others"),
        count => Diagnosis::fail(format!("{count} tables have another owner")),
    })
}

async fn lock_timeout(session: &mut Session) -> Result<Diagnosis, Error> {
    Ok(match read_flag(session, LIMITS_LOCK_WAITS).await? {
        true => Diagnosis::pass("the database limits waits for locks"),
        false => Diagnosis::warn("the database sets no lock_timeout for this role"),
    })
}

async fn indexes(session: &mut Session) -> Result<Diagnosis, Error> {
    let sql = "select c.relname::text from pg_index i join pg_class c on c.oid = i.indexrelid
               where not i.indisvalid and c.relnamespace = current_schema()::regnamespace
                 and not exists (select 1 from pg_stat_progress_create_index p where p.index_relid = i.indexrelid)
               order by 1 limit 20";
    let rows = session.query(sql, &[]).await?;
    let invalid = rows.iter().map(|row| row.text(0)).collect::<Result<Vec<String>, Error>>()?;
    Ok(Diagnosis::fail_if_any(&invalid, "indexes are half built", "every index is valid"))
}

async fn connections(session: &mut Session, of_a_host: u32) -> Result<Diagnosis, Error> {
    let sql = "select current_setting('max_connections')::bigint
                 - current_setting('superuser_reserved_connections')::bigint";
    let available = read_figure(session, sql, &[]).await?;
    let since = session.now().await? - SILENCE;
    let hosts =
        read_figure(session, "select count(*) from stoa_host where seen_at > $1", &[Cell::Instant(since)]).await?;
    // One more of each host allocates document numbers.
    let wanted = hosts.max(1) * (i64::from(of_a_host) + 1);
    let says = format!("hosts open up to {wanted} connections, and the server accepts {available}");
    Ok(if wanted > available { Diagnosis::fail(says) } else { Diagnosis::pass(says) })
}
