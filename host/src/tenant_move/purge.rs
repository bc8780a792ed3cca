//! The rows that stay behind: of a company that has left, or of a move that was given up. Ledgers have triggers that reject every
//! deletion. The role for moves may run without triggers, which no host may.

use anyhow::Context as _;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::server::Server;
use super::tables;
use crate::database::servers::HOME;

/// Rows of one transaction: short, so that no request waits for it.
const BATCH: u64 = 5_000;

/// Deletes the rows of the company at a place where it is not. Returns their number.
pub async fn purge(server: &mut Server, company: Uuid) -> anyhow::Result<u64> {
    let is_there = server.count_rows("select count(*) from stoa_tenant where id = $1", company).await? > 0;
    anyhow::ensure!(!is_there, "the company is at {}: nothing was purged", server.name);
    let set = server.run("set session_replication_role = replica").await;
    let right = format!("{}: grant set on parameter session_replication_role to the role for moves", server.name);
    set.context(right)?;
    let mut names: Vec<String> = tables::list(server).await?.into_iter().map(|table| table.name).collect();
    names.retain(|name| name != "stoa_tenant");
    names.push(tables::MARKS.to_owned());
    if server.name != HOME {
        // At home a key is found before its company is known.
        names.push("stoa_api_key".to_owned());
    }
    let mut all = 0;
    for name in names {
        loop {
            let sql = format!(
                "delete from {name} where ctid = any(array(select ctid from {name} where tenant_id = $1 limit {BATCH}))"
            );
            let deleted = sqlx::query(AssertSqlSafe(sql)).bind(company).execute(&mut server.connection).await;
            let deleted = deleted.with_context(|| format!("{}: rows of {name}", server.name))?.rows_affected();
            all += deleted;
            if deleted < BATCH {
                break;
            }
        }
    }
    server.run("reset session_replication_role").await?;
    Ok(all)
}
