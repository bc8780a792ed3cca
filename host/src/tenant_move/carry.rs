//! Rows that go with the switch, by statement: what background work looks at, the company's own row, its API keys, and the records of
//! its members.

use serde_json::{Map, Value as Json};
use uuid::Uuid;

use super::record::Home;
use super::server::Server;
use super::tables::CARRIED;
use super::{NotYet, plan, replication, timers};
use crate::database::servers::HOME;

const MOVING: &str = "MOVING";

/// Reads the rows that background work looks at, and the company's own. Read before the last mark: the copy has then whatever they
/// speak of.
///
/// # Errors
/// [`NotYet`] where background work of one place has come further than that of the other.
pub async fn read(source: &mut Server, target: &mut Server, company: Uuid) -> anyhow::Result<Json> {
    for server in [&mut *source, &mut *target] {
        if plan::has_backfill(server).await? {
            return Err(NotYet(format!("{} has a backfill that goes on", server.name)).into());
        }
    }
    let mut carried = Map::new();
    for table in CARRIED {
        let column = if *table == "stoa_tenant" { "id" } else { "tenant_id" };
        let rows = source.rows_as_json(&format!("select * from {table} where {column} = '{company}'")).await?;
        carried.insert((*table).to_owned(), rows);
    }
    let mut carried = Json::Object(carried);
    timers::add_lags(source, target, company, &mut carried).await?;
    Ok(carried)
}

/// The company's own status, which it has again when the new place opens.
fn status(carried: &Json) -> anyhow::Result<&str> {
    let status = carried["stoa_tenant"][0]["status"].as_str();
    status.ok_or_else(|| anyhow::anyhow!("the company has no row at the old place"))
}

/// Until the new place opens, an active company is read and not written. A suspended one is neither.
fn status_until_open(status: &str) -> &str {
    if status == "ACTIVE" { MOVING } else { status }
}

/// Writes at the new place what a request needs to be judged: the company's row, its keys and its members' records. Nothing is written
/// to the company there yet.
pub async fn announce(
    source: &mut Server,
    target: &mut Server,
    home: &mut Home,
    company: Uuid,
    carried: &Json,
) -> anyhow::Result<()> {
    let members = source.list(format!("select user_id from stoa_membership where tenant_id = '{company}'")).await?;
    let users = home.read_users(&members).await?;
    let keys = source.rows_as_json(&format!("select * from stoa_api_key where tenant_id = '{company}'")).await?;
    let mut tenant = carried["stoa_tenant"].clone();
    let status = status_until_open(status(carried)?).to_owned();
    tenant[0]["status"] = status.into();
    target.run("begin").await?;
    replication::pause(target, company).await?;
    if target.name != HOME {
        let conflict = "on conflict (id) do update set email = excluded.email, display_name = excluded.display_name,
            updated_at = excluded.updated_at where stoa_user.updated_at < excluded.updated_at";
        target.insert_json("stoa_user", &users, conflict).await?;
    }
    let conflict =
        "on conflict (id) do update set expires_at = excluded.expires_at, last_used_at = excluded.last_used_at,
        revoked_at = excluded.revoked_at, revoked_by = excluded.revoked_by";
    target.insert_json("stoa_api_key", &keys, conflict).await?;
    target.insert_json("stoa_tenant", &tenant, "on conflict (id) do nothing").await?;
    target.run("commit").await
}

/// Ends writes at the old place for good, unless the switch does not happen: whatever becomes of this command.
pub async fn close(source: &mut Server, company: Uuid) -> anyhow::Result<()> {
    source.run(format!("update stoa_tenant set status = '{MOVING}' where id = '{company}' and status = 'ACTIVE'")).await
}

/// Undoes `announce` and `close`, and a transaction that one of them left open.
pub async fn reopen(source: &mut Server, target: &mut Server, company: Uuid) -> anyhow::Result<()> {
    target.run("rollback").await?;
    target.run(format!("delete from stoa_tenant where id = '{company}'")).await?;
    source.run(format!("update stoa_tenant set status = 'ACTIVE' where id = '{company}' and status = '{MOVING}'")).await
}

/// Takes the company away from the old place: no request and no background work finds it there from then on. The rest of its rows is
/// purged later.
pub async fn leave(source: &mut Server, company: Uuid) -> anyhow::Result<()> {
    let mut sql = String::from("begin; ");
    for table in CARRIED {
        let column = if *table == "stoa_tenant" { "id" } else { "tenant_id" };
        sql.push_str(&format!("delete from {table} where {column} = '{company}'; "));
    }
    sql.push_str("commit");
    source.run(sql).await
}

/// Opens the new place: the rows that background work looks at, and writes. Deliveries that are under way at the old place are due at
/// once. It is done once: the mark of the copy goes in the same transaction.
pub async fn open(target: &mut Server, company: Uuid, carried: &Json) -> anyhow::Result<()> {
    target.run("begin").await?;
    let marks =
        target.list::<i64>(format!("delete from stoa_move_mark where tenant_id = '{company}' returning mark")).await?;
    if !marks.is_empty() {
        for table in CARRIED.iter().filter(|table| **table != "stoa_tenant") {
            target.insert_json(table, &carried[*table], "on conflict do nothing").await?;
        }
        target
            .run(format!(
                "update stoa_webhook_lane set holder = null, due_at = clock_timestamp()
                 where tenant_id = '{company}' and holder is not null;
                 update stoa_tenant set status = '{}' where id = '{company}'",
                status(carried)?
            ))
            .await?;
    }
    target.run("commit").await
}
