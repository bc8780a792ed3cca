//! The backfills that operators see.

use serde_json::{Value as Json, json};

use super::records::{integer, number};
use crate::calendar::time;
use crate::database::{Error, Row, Session};

/// Backfills of the modules that are active now.
pub async fn list(session: &mut Session, active: u64) -> Result<Vec<Json>, Error> {
    let rows = session
        .query(
            "select u.module, u.from_version, u.to_version, u.batches, u.trouble, u.done_at, u.generation, u.tries,
               u.retry_at, (select count(*) from stoa_tenant t where t.id <= u.tenant_id), (select count(*) from stoa_tenant)
             from stoa_upgrade u
             join stoa_generation_module theirs on theirs.generation = u.generation and theirs.module = u.module
             join stoa_generation_module active on active.generation = $1 and active.module = u.module
               and active.digest = theirs.digest
             order by u.generation, u.module",
            &[integer(active)?],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(json!({
                "module": row.text(0)?,
                "from": row.text(1)?,
                "to": row.text(2)?,
                "batches": row.integer(3)?,
                "trouble": row.optional(4, Row::text)?,
                "doneAt": row.optional(5, Row::instant)?.map(time),
                "generation": number(row, 6)?,
                "tries": row.integer(7)?,
                "retryAt": row.optional(8, Row::instant)?.map(time),
                "companies": { "reached": row.integer(9)?, "all": row.integer(10)? },
            }))
        })
        .collect()
}

/// Backfills of the modules that are active now and are not done: all, and those whose last batch failed.
pub async fn count_pending(session: &mut Session, active: u64) -> Result<(i64, i64), Error> {
    let sql = "select count(*), count(u.trouble) from stoa_upgrade u
         join stoa_generation_module theirs on theirs.generation = u.generation and theirs.module = u.module
         join stoa_generation_module active on active.generation = $1 and active.module = u.module
           and active.digest = theirs.digest
         where u.done_at is null";
    let rows = session.query(sql, &[integer(active)?]).await?;
    let row = rows.first().ok_or_else(|| Error::Fault("a count gave no row".into()))?;
    Ok((row.integer(0)?, row.integer(1)?))
}
