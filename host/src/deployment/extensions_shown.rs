//! Modules that receive events after their commit, and timers, as operators see them.

use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::after_commit::{find_begins, find_behind, list_receivers};
use super::records;
use super::timers::{ActiveTimer, list_timers};
use crate::calendar::time;
use crate::database::{Cell, Database, Error, Row, Session, Shard};
use crate::sandbox::Generation;
use crate::sandbox::arrangement::AFTER_COMMIT;

/// Operators receive a list of the rounds that are late by so many milliseconds.
const LATE: i64 = 10 * 60_000;
/// The end of the year 9999, in milliseconds since 1970: no company rests so long.
const FOREVER: i64 = 253_402_300_799_999;

/// The backlog of all modules together, for metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExtensionBacklog {
    /// Companies with events that a module has not received, at most 1,000 of each module.
    pub listeners_behind: i64,
    /// Companies at which a module failed.
    pub listeners_in_trouble: i64,
    /// Rounds of timers that are due for more than ten minutes.
    pub timers_late: i64,
    /// Companies in which a timer failed.
    pub timers_in_trouble: i64,
}

/// Companies in trouble, and the one with the most failures in a row.
#[derive(Default)]
struct Trouble {
    companies: i64,
    tries: i64,
    trouble: Option<String>,
    retry_at: Option<i64>,
}

/// A round of a timer, milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ShownRound {
    now: i64,
    since: Option<i64>,
    until: i64,
    done_at: Option<i64>,
    /// Companies up to the one under work, and all.
    reached: i64,
    all: i64,
}

/// The modules that receive events after their commit, with the companies that wait.
pub async fn list_listeners(database: &Database, generation: &Generation) -> Result<Vec<Json>, Error> {
    let modules = list_receivers(generation);
    if modules.is_empty() {
        return Ok(Vec::new());
    }
    let begins = database.read_plain(Shard::Global, (), |session, ()| Box::pin(find_begins(session))).await?;
    let mut listed = Vec::with_capacity(modules.len());
    for module in modules {
        let Some(begin) = begins.get(&module.name) else { continue };
        let (mut behind, mut troubles) = (0, Trouble::default());
        for shard in database.shards() {
            let asked = (module.name.clone(), *begin);
            let read = database.read_plain(shard, asked, |session, (module, begin)| {
                Box::pin(async move {
                    // A company that rests is behind too.
                    let found = find_behind(session, module, *begin, Uuid::nil(), FOREVER).await?;
                    Ok((found.len(), read_listener_trouble(session, module).await?))
                })
            });
            let Some((found, trouble)) = unless_absent(database, shard, read.await)? else { continue };
            behind += found;
            troubles = troubles.join(trouble);
        }
        listed.push(json!({
            "module": module.name,
            "companiesBehind": behind,
            "companiesInTrouble": troubles.companies,
            "tries": troubles.tries,
            "retryAt": troubles.retry_at.map(time),
            "trouble": troubles.trouble,
        }));
    }
    Ok(listed)
}

/// The timers of a generation, with the round that is under way or next and the companies that lag.
pub async fn list_rounds(database: &Database, generation: &Generation) -> Result<Vec<Json>, Error> {
    let mut listed = Vec::new();
    for timer in list_timers(generation) {
        let (mut rounds, mut lagging, mut troubles) = (None::<ShownRound>, 0, Trouble::default());
        for shard in database.shards() {
            let read = database.read_plain(shard, timer.clone(), |session, timer| {
                Box::pin(async move { read_round(session, timer).await })
            });
            // A timer that no host has prepared yet has no row.
            let Some(Some(round)) = unless_absent(database, shard, read.await)? else { continue };
            rounds = Some(match rounds {
                Some(rounds) => rounds.join(round),
                None => round,
            });
            let read = database.read_plain(shard, timer.clone(), |session, timer| {
                Box::pin(async move { read_lag(session, timer).await })
            });
            let Some((companies, trouble)) = unless_absent(database, shard, read.await)? else { continue };
            lagging += companies;
            troubles = troubles.join(trouble);
        }
        let Some(round) = rounds else { continue };
        listed.push(json!({
            "module": timer.module.name,
            "timer": timer.code,
            "everyMinutes": timer.every_minutes,
            "since": round.since.map(time),
            "until": time(round.until),
            "isDue": round.until <= round.now,
            "isLate": round.until < round.now - LATE,
            "doneAt": round.done_at.map(time),
            "companies": { "reached": round.reached, "all": round.all },
            "lagging": lagging,
            "companiesInTrouble": troubles.companies,
            "tries": troubles.tries,
            "retryAt": troubles.retry_at.map(time),
            "trouble": troubles.trouble,
        }));
    }
    Ok(listed)
}

/// Nothing of a place that does not answer: its state is listed elsewhere, and the others' rows are shown.
fn unless_absent<T>(database: &Database, shard: Shard, read: Result<T, Error>) -> Result<Option<T>, Error> {
    match read {
        Err(error @ Error::Unavailable(_)) if shard != Shard::Global => {
            tracing::debug!(place = database.place_name(shard), %error, "the rows of a place are not shown");
            Ok(None)
        }
        read => read.map(Some),
    }
}

/// The backlog of a generation.
pub async fn count_waiting(database: &Database, generation: &Generation) -> Result<ExtensionBacklog, Error> {
    let count = |items: &[Json], member: &str| items.iter().filter_map(|item| item[member].as_i64()).sum::<i64>();
    let listeners = list_listeners(database, generation).await?;
    let rounds = list_rounds(database, generation).await?;
    Ok(ExtensionBacklog {
        listeners_behind: count(&listeners, "companiesBehind"),
        listeners_in_trouble: count(&listeners, "companiesInTrouble"),
        timers_late: rounds.iter().map(|round| i64::from(round["isLate"] == true)).sum(),
        timers_in_trouble: count(&rounds, "companiesInTrouble"),
    })
}

/// Modules and timers of active modules in trouble, for those who examine a database without a host.
pub async fn find_troubled(session: &mut Session, generation: u64) -> Result<Vec<String>, Error> {
    let listeners = session
        .query(
            "select distinct r.module from stoa_listener r
             where r.trouble is not null and exists (select 1 from stoa_generation_point p
               where p.generation = $1 and p.point = $2 and p.module = r.module)",
            &[records::integer(generation)?, Cell::text(AFTER_COMMIT)],
        )
        .await?;
    let timers = session
        .query(
            "select distinct r.module, r.code from stoa_timer_lag r
             where r.tries > 0 and exists (select 1 from stoa_generation_module m
               where m.generation = $1 and m.module = r.module)",
            &[records::integer(generation)?],
        )
        .await?;
    let listeners = listeners.iter().map(|row| Ok(format!("events of {}", row.text(0)?)));
    let timers = timers.iter().map(|row| Ok(format!("timer {} of {}", row.text(1)?, row.text(0)?)));
    listeners.chain(timers).collect()
}

impl ShownRound {
    /// The rounds of two places as one: as far as the one that is behind.
    fn join(self, other: ShownRound) -> ShownRound {
        let behind = if other.until < self.until { &other } else { &self };
        ShownRound {
            now: self.now,
            since: behind.since,
            until: behind.until,
            done_at: self.done_at.zip(other.done_at).map(|(one, other)| one.min(other)),
            reached: self.reached + other.reached,
            all: self.all + other.all,
        }
    }
}

impl Trouble {
    fn read(rows: &[Row]) -> Result<Trouble, Error> {
        let Some(row) = rows.first() else { return Ok(Trouble::default()) };
        Ok(Trouble {
            companies: row.integer(0)?,
            tries: row.integer(1)?,
            trouble: row.optional(2, Row::text)?,
            retry_at: row.optional(3, Row::instant)?,
        })
    }

    fn join(self, other: Trouble) -> Trouble {
        let companies = self.companies + other.companies;
        let worst = if other.tries > self.tries { other } else { self };
        Trouble { companies, ..worst }
    }
}

async fn read_listener_trouble(session: &mut Session, module: &str) -> Result<Trouble, Error> {
    let rows = session
        .query(
            "select (select count(*) from stoa_listener c where c.module = $1 and c.trouble is not null),
               r.tries, r.trouble, r.retry_at
             from stoa_listener r where r.module = $1 and r.trouble is not null
             order by r.tries desc, r.tenant_id limit 1",
            &[Cell::text(module)],
        )
        .await?;
    Trouble::read(&rows)
}

async fn read_round(session: &mut Session, timer: &ActiveTimer) -> Result<Option<ShownRound>, Error> {
    let now = session.now().await?;
    let rows = session
        .query(
            "select r.since, r.until, r.done_at,
               (select count(*) from stoa_tenant t where t.id <= r.tenant_id), (select count(*) from stoa_tenant)
             from stoa_timer r where r.module = $1 and r.code = $2",
            &[Cell::text(&timer.module.name), Cell::text(&timer.code)],
        )
        .await?;
    let Some(row) = rows.first() else { return Ok(None) };
    Ok(Some(ShownRound {
        now,
        since: row.optional(0, Row::instant)?,
        until: row.instant(1)?,
        done_at: row.optional(2, Row::instant)?,
        reached: row.integer(3)?,
        all: row.integer(4)?,
    }))
}

async fn read_lag(session: &mut Session, timer: &ActiveTimer) -> Result<(i64, Trouble), Error> {
    let key = [Cell::text(&timer.module.name), Cell::text(&timer.code)];
    let sql = "select count(*) from stoa_timer_lag where module = $1 and code = $2";
    let rows = session.query(sql, &key).await?;
    let lagging = rows.first().map_or(Ok(0), |row| row.integer(0))?;
    let rows = session
        .query(
            "select (select count(*) from stoa_timer_lag c where c.module = $1 and c.code = $2 and c.tries > 0),
               r.tries, r.trouble, r.retry_at
             from stoa_timer_lag r where r.module = $1 and r.code = $2 and r.tries > 0
             order by r.tries desc, r.tenant_id limit 1",
            &key,
        )
        .await?;
    Ok((lagging, Trouble::read(&rows)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_places_are_shown_as_the_one_behind() {
        let ahead = ShownRound { now: 50, since: Some(20), until: 40, done_at: Some(22), reached: 2, all: 2 };
        let behind = ShownRound { now: 51, since: None, until: 20, done_at: None, reached: 1, all: 5 };
        let joined = ShownRound { now: 50, since: None, until: 20, done_at: None, reached: 3, all: 7 };
        assert_eq!(ahead.clone().join(behind.clone()), joined);
        assert_eq!(behind.join(ahead), ShownRound { now: 51, ..joined });
    }
}
