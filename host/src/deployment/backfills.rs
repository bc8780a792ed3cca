//! The backfills that operators see.

use serde_json::{Value as Json, json};

use super::records::{integer, number};
use crate::calendar::time;
use crate::database::{Database, Error, Row, Session, Shard};

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

/// Adds the companies of all places to the backfills of the home server.
pub async fn add_places(database: &Database, active: u64, mut all: Vec<Json>) -> Result<Vec<Json>, Error> {
    for place in database.places() {
        let read = database.read_plain(place, active, |session, active| Box::pin(list(session, *active)));
        let theirs = match read.await {
            Ok(theirs) => Ok(theirs),
            Err(Error::Unavailable(why)) => Err(why),
            Err(error) => return Err(error),
        };
        for backfill in &mut all {
            let is_same = |other: &&Json| ["module", "generation"].iter().all(|key| other[key] == backfill[key]);
            match theirs.as_ref().map(|theirs| theirs.iter().find(is_same)) {
                Ok(Some(other)) => join(backfill, other),
                // It has not begun there, or that is unknown.
                Ok(None) => backfill["doneAt"] = Json::Null,
                Err(why) => {
                    backfill["doneAt"] = Json::Null;
                    if backfill["trouble"].is_null() {
                        backfill["trouble"] = json!(why);
                    }
                }
            }
        }
    }
    Ok(all)
}

/// One backfill of two servers: done where it is done on both, in trouble where it is on one.
fn join(one: &mut Json, other: &Json) {
    let sum = |one: &Json, other: &Json| json!(one.as_i64().unwrap_or(0) + other.as_i64().unwrap_or(0));
    one["batches"] = sum(&one["batches"], &other["batches"]);
    for member in ["reached", "all"] {
        one["companies"][member] = sum(&one["companies"][member], &other["companies"][member]);
    }
    let done_at = match (one["doneAt"].as_str(), other["doneAt"].as_str()) {
        (Some(one), Some(other)) => json!(one.max(other)),
        _ => Json::Null,
    };
    one["doneAt"] = done_at;
    if other["tries"].as_i64() > one["tries"].as_i64() || one["trouble"].is_null() {
        for member in ["trouble", "tries", "retryAt"] {
            one[member] = other[member].clone();
        }
    }
}

/// Backfills of the modules that are active now and are not done: all, and those whose last batch failed. Those of a place that does
/// not answer are not among them.
pub async fn count_all_pending(database: &Database, active: u64) -> Result<(i64, i64), Error> {
    let (mut pending, mut troubled) = (0, 0);
    for shard in database.shards() {
        let read = database.read_plain(shard, active, |session, active| Box::pin(count_pending(session, *active)));
        match read.await {
            Err(Error::Unavailable(_)) if shard != Shard::Global => {}
            counted => {
                let (more, in_trouble) = counted?;
                pending += more;
                troubled += in_trouble;
            }
        }
    }
    Ok((pending, troubled))
}

async fn count_pending(session: &mut Session, active: u64) -> Result<(i64, i64), Error> {
    let sql = "select count(*), count(u.trouble) from stoa_upgrade u
         join stoa_generation_module theirs on theirs.generation = u.generation and theirs.module = u.module
         join stoa_generation_module active on active.generation = $1 and active.module = u.module
           and active.digest = theirs.digest
         where u.done_at is null";
    let rows = session.query(sql, &[integer(active)?]).await?;
    let row = rows.first().ok_or_else(|| Error::Fault("a count gave no row".into()))?;
    Ok((row.integer(0)?, row.integer(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backfill(done_at: Option<&str>, tries: i64, trouble: Option<&str>) -> Json {
        let companies = json!({ "reached": 2, "all": 3 });
        json!({
            "batches": 4, "doneAt": done_at, "tries": tries, "trouble": trouble, "retryAt": null, "companies": companies
        })
    }

    #[test]
    fn a_backfill_is_done_where_it_is_done_on_every_server() {
        let mut one = backfill(Some("2026-01-02"), 0, None);
        join(&mut one, &backfill(Some("2026-01-03"), 0, None));
        assert_eq!((&one["doneAt"], &one["batches"]), (&json!("2026-01-03"), &json!(8)));
        assert_eq!(one["companies"], json!({ "reached": 4, "all": 6 }));
        join(&mut one, &backfill(None, 2, Some("it failed")));
        assert_eq!([&one["doneAt"], &one["tries"], &one["trouble"]], [&Json::Null, &json!(2), &json!("it failed")]);
        join(&mut one, &backfill(Some("2026-01-04"), 1, None));
        assert_eq!([&one["doneAt"], &one["tries"], &one["trouble"]], [&Json::Null, &json!(2), &json!("it failed")]);
    }
}
