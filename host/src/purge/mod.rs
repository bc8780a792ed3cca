//! Data that is not kept: answers to idempotency keys after a day, rows of v7 keys once their own time rejects them, permits of past
//! minutes, events and their deliveries after thirty days; each up to a day later, by a time that was seen a day ago. Tombstones of v4 keys
//! stay for good: without them an old key would act a second time.

mod clock;

use std::sync::Arc;
use std::time::Duration;

use crate::database::{Cell, Database, Error, Session, Shard};
use crate::ids;
use crate::watchdog::Pulse;
use clock::{DAY_MS, Look};

const EVERY: Duration = Duration::from_secs(600);
/// Rows of one transaction: short, so that no request waits for it.
const BATCH: i64 = 500;
/// The watermark of v7 keys and, beyond it, the day that a key's time may lie ahead of ours, and a day to spare.
const V7_MS: i64 = 9 * DAY_MS;
/// How long events are kept, and what became of them.
const EVENTS_MS: i64 = 30 * DAY_MS;

/// One kind of row to drop, up to a batch of those before an instant (`$1`; as the least id of that instant where `by_id`);
/// answers a row for each. The batch's size is in the text: PostgreSQL takes a limit that is bound for a tenth of the rows,
/// and would read the table.
struct Rule {
    name: &'static str,
    age_ms: i64,
    by_id: bool,
    sqlite: &'static str,
    postgres: &'static str,
}

const ANSWERS: &str = "update stoa_idempotency set body = null, headers = null, kept = false
    where (tenant_id, actor_id, operation, key) in (
      select tenant_id, actor_id, operation, key from stoa_idempotency
      where kept and created_at < $1 limit BATCH)
    returning 1";

const PERMITS: &str = "delete from stoa_permit
    where (tenant_id, subject_id, scope) in (
      select tenant_id, subject_id, scope from stoa_permit
      where scope = 'MINUTE' and window_start < $1 limit BATCH)
    returning 1";

/// Those of a company are found by its key, company by company: no index on time makes every event dearer.
const EVENTS: &str = "delete from stoa_event
    where (tenant_id, id) in (
      select e.tenant_id, e.id from stoa_tenant t, lateral (
        select tenant_id, id from stoa_event where tenant_id = t.id and id < $1 order by id limit BATCH) e
      limit BATCH)
    returning 1";

const DELIVERIES: &str = "delete from stoa_webhook_delivery
    where (tenant_id, id) in (
      select e.tenant_id, e.id from stoa_webhook_cursor c, lateral (
        select tenant_id, id from stoa_webhook_delivery where tenant_id = c.tenant_id and id < $1 order by id limit BATCH) e
      limit BATCH)
    returning 1";

/// On SQLite rows are numbered as they come: the oldest are the first.
const SQLITE_EVENTS: &str = "delete from stoa_event
    where rowid in (
      select n from (select rowid as n, id from stoa_event order by rowid limit BATCH) where id < $1)
    returning 1";

const SQLITE_DELIVERIES: &str = "delete from stoa_webhook_delivery
    where rowid in (
      select n from (select rowid as n, id from stoa_webhook_delivery order by rowid limit BATCH) where id < $1)
    returning 1";

const RULES: &[Rule] = &[
    Rule { name: "answers", age_ms: DAY_MS, by_id: false, sqlite: ANSWERS, postgres: ANSWERS },
    Rule {
        name: "v7 keys",
        age_ms: V7_MS,
        by_id: false,
        sqlite: "delete from stoa_idempotency
            where (tenant_id, actor_id, operation, key) in (
              select tenant_id, actor_id, operation, key from stoa_idempotency
              where substr(hex(key), 13, 1) = '7' and created_at < $1 limit BATCH)
            returning 1",
        postgres: "delete from stoa_idempotency
            where (tenant_id, actor_id, operation, key) in (
              select tenant_id, actor_id, operation, key from stoa_idempotency
              where get_byte(uuid_send(key), 6) / 16 = 7 and created_at < $1 limit BATCH)
            returning 1",
    },
    Rule { name: "permits", age_ms: DAY_MS, by_id: false, sqlite: PERMITS, postgres: PERMITS },
    Rule { name: "deliveries", age_ms: EVENTS_MS, by_id: true, sqlite: SQLITE_DELIVERIES, postgres: DELIVERIES },
    Rule { name: "events", age_ms: EVENTS_MS, by_id: true, sqlite: SQLITE_EVENTS, postgres: EVENTS },
];

/// Purges now and then, for as long as the host runs. Hosts on one database may do so at once.
pub async fn keep_small(database: Arc<Database>, pulse: Pulse) {
    loop {
        let looked = database.write_plain(Shard::Global, (), |session, ()| Box::pin(clock::look(session))).await;
        match looked {
            Ok(Look::By(time)) => purge_all(&database, time, &pulse).await,
            Ok(Look::TooYoung) => tracing::debug!("nothing was seen a day ago: nothing is purged yet"),
            Ok(Look::Jumped(by)) => {
                let hours = by / (60 * 60 * 1000);
                tracing::warn!(
                    hours,
                    "the clock has jumped, or no host was running for so long: nothing is purged now"
                );
            }
            Err(error) => tracing::warn!(%error, "the purge cannot look at the clock"),
        }
        // Hosts that started together need not purge together.
        let part = rand::random_range(0.5..1.0);
        pulse.rest(EVERY.mul_f64(part)).await;
    }
}

async fn purge_all(database: &Database, time: i64, pulse: &Pulse) {
    for rule in RULES {
        for shard in database.shards() {
            if let Err(error) = purge(database, shard, rule, time, pulse).await {
                tracing::warn!(%error, what = rule.name, "cannot purge now");
            }
        }
    }
}

async fn purge(database: &Database, shard: Shard, rule: &'static Rule, time: i64, pulse: &Pulse) -> Result<(), Error> {
    // The time itself is a day old.
    let before = time + DAY_MS - rule.age_ms;
    let mut all = 0;
    loop {
        let dropped = database
            .write_plain(shard, (rule, before), |session, (rule, before)| Box::pin(batch(session, rule, *before)))
            .await?;
        pulse.beat();
        all += dropped;
        if (dropped as i64) < BATCH {
            break;
        }
    }
    if all > 0 {
        tracing::info!(what = rule.name, rows = all, "purged");
    }
    Ok(())
}

async fn batch(session: &mut Session, rule: &Rule, before: i64) -> Result<usize, Error> {
    let sql = match session {
        Session::Sqlite(_) => rule.sqlite,
        Session::Postgres(_) => rule.postgres,
    };
    let sql = sql.replace("BATCH", &BATCH.to_string());
    let before = if rule.by_id { Cell::Id(ids::first_of(before)) } else { Cell::Instant(before) };
    Ok(session.query_composed(sql, &[before]).await?.len())
}
