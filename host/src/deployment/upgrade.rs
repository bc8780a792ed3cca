//! Backfills: after a module rose to another version, its `upgrade` is called company by company in bounded batches, each in a
//! transaction with the mark of how far it came. So a host that is killed loses at most a batch, and another goes on. Each place has a
//! mark of its own, for the companies there.

use std::sync::Arc;
use std::time::Duration;

use semver::Version;
use uuid::Uuid;

use super::Deployment;
use super::follow::SILENCE;
use super::records;
use crate::database::{Cell, Error, Row, Session, Shard, Verdict, work};
use crate::pipeline::company_clock;
use crate::platform::operators;
use crate::sandbox::call::{self, CallContext};
use crate::sandbox::{Failure, Generation, Limits, Module};
use crate::watchdog::Pulse;

/// Between two looks for work, and between two batches: requests come first.
const PAUSE: Duration = Duration::from_secs(1);
const BREATH: Duration = Duration::from_millis(5);
/// After a batch that failed, in milliseconds.
const RETRY: i64 = 30_000;
const ACTOR: &str = "system:upgrade";

/// A backfill that is not done, and how far it came.
struct Due {
    generation: u64,
    module: String,
    from_version: String,
    /// The company under work, where there is a cursor; else the last that is done.
    tenant: Option<Uuid>,
    cursor: Option<String>,
}

/// The generations of this host.
#[derive(Clone, Copy)]
struct Running {
    active: u64,
    /// The oldest on which a request is under way.
    oldest: u64,
}

/// Result of a look for work.
enum Step {
    /// Nothing is due, or another host is at it.
    Idle,
    /// A batch is done, or a whole backfill.
    Done,
    Failed {
        generation: u64,
        module: String,
        why: String,
    },
}

/// Previous version of a module that was not active before.
const NO_VERSION: Version = Version::new(0, 0, 0);

/// Names and versions of a generation's modules.
pub fn versions(modules: &[Arc<Module>]) -> Vec<(String, String)> {
    modules.iter().map(|module| (module.name.clone(), module.version.clone())).collect()
}

/// In the transaction of an activation: a backfill for each module that rose, and for those that are new: their tables may hold
/// rows of a time when they were active before.
pub async fn schedule(
    session: &mut Session,
    before: u64,
    generation: u64,
    modules: &[(String, String)],
) -> Result<(), Error> {
    let rows = session
        .query(
            "select m.module, a.version from stoa_generation_module m join stoa_artifact a on a.digest = m.digest
             where m.generation = $1",
            &[records::integer(before)?],
        )
        .await?;
    let known = rows.iter().map(|row| Ok((row.text(0)?, row.text(1)?))).collect::<Result<Vec<_>, Error>>()?;
    let read = |text: &str| Version::parse(text).unwrap_or(NO_VERSION);
    for (module, to) in modules {
        let old = known.iter().find(|(name, _)| name == module);
        let from = old.map_or(NO_VERSION, |(_, version)| read(version));
        if read(to) > from {
            session
                .query(
                    "insert into stoa_upgrade (generation, module, from_version, to_version, batches)
                     values ($1, $2, $3, $4, 0)",
                    &[records::integer(generation)?, Cell::text(module), Cell::text(from.to_string()), Cell::text(to)],
                )
                .await?;
        }
    }
    Ok(())
}

impl Deployment {
    /// Runs until it is stopped, for the companies of a shard.
    pub(super) async fn upgrade(self: Arc<Self>, shard: Shard, pulse: Pulse) {
        loop {
            let pause = match self.upgrade_step(shard).await {
                Ok(Step::Idle) => PAUSE,
                Ok(Step::Done) => BREATH,
                Ok(Step::Failed { generation, module, why }) => {
                    tracing::error!(module, why, "a backfill failed and is tried again later");
                    self.put_off(shard, generation, module, why).await;
                    BREATH
                }
                Err(error) => {
                    tracing::warn!(%error, "backfills wait for the database");
                    PAUSE
                }
            };
            pulse.rest(pause).await;
        }
    }

    async fn upgrade_step(&self, shard: Shard) -> Result<Step, Error> {
        let generation = self.current.load().generation.clone();
        let mut running = Running { active: generation.number, oldest: self.find_oldest_in_use() };
        // A look costs a read; only what is due takes a writer.
        let due = self.database.read_plain(shard, running, |session, running| {
            Box::pin(async move {
                let now = session.now().await?;
                Ok(next(session, *running, now, false).await?.is_some())
            })
        });
        if !due.await? {
            return Ok(Step::Idle);
        }
        if shard != Shard::Global {
            // Hosts report to the home server. None goes back to an older generation, so that the answer does not age.
            let read =
                self.database.read_plain(Shard::Global, (), |session, ()| Box::pin(find_oldest_reported(session)));
            running.oldest = read.await?.map_or(running.oldest, |oldest| running.oldest.min(oldest));
        }
        let limits = self.limits;
        let work =
            work(
                generation,
                move |session, generation| async move { batch(session, &generation, running, limits).await },
            );
        // The mark is where the companies are, and is committed with their rows.
        self.database.write(shard, work).await
    }

    async fn put_off(&self, shard: Shard, generation: u64, module: String, why: String) {
        let written =
            self.database.write_plain(shard, (generation, module, why), |session, (generation, module, why)| {
                Box::pin(async move {
                    let now = session.now().await?;
                    let sql = "update stoa_upgrade set trouble = $3, retry_at = $4, tries = tries + 1
                               where generation = $1 and module = $2";
                    let generation = records::integer(*generation)?;
                    let values = [generation, Cell::text(module), Cell::text(why), Cell::Instant(now + RETRY)];
                    session.query(sql, &values).await.map(drop)
                })
            });
        if let Err(error) = written.await {
            tracing::warn!(%error, "a backfill's failure cannot be noted");
        }
    }
}

/// The oldest backfill whose module is still the active one, once no host runs an older generation, and no request
/// that began on one is under way: it would write rows behind the backfill. A place has no rows of hosts. `lock`:
/// locked for this transaction; none where another host has it.
async fn next(session: &mut Session, running: Running, now: i64, lock: bool) -> Result<Option<Due>, Error> {
    const NEXT: &str = "select u.generation, u.module, u.from_version, u.tenant_id, u.cursor from stoa_upgrade u
         where u.done_at is null and (u.retry_at is null or u.retry_at <= $2)
           and exists (select 1 from stoa_generation_module theirs
             join stoa_generation_module active on active.module = theirs.module and active.digest = theirs.digest
             where theirs.generation = u.generation and theirs.module = u.module and active.generation = $1)
           and u.generation <= $4
           and not exists (select 1 from stoa_host h where h.seen_at >= $3 and h.generation < u.generation)
         order by u.generation, u.module limit 1";
    // Only one host uses a SQLite file: others in the list are gone.
    let (skip, seen) = match session {
        Session::Postgres(_) => (if lock { " for update skip locked" } else { "" }, now - SILENCE),
        Session::Sqlite(_) => ("", now + 1),
    };
    let (active, oldest) = (records::integer(running.active)?, records::integer(running.oldest)?);
    let values = [active, Cell::Instant(now), Cell::Instant(seen), oldest];
    let rows = session.query_composed(format!("{NEXT}{skip}"), &values).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    Ok(Some(Due {
        generation: records::number(row, 0)?,
        module: row.text(1)?,
        from_version: row.text(2)?,
        tenant: row.optional(3, Row::id)?,
        cursor: row.optional(4, Row::text)?,
    }))
}

/// The oldest generation that a host reports.
async fn find_oldest_reported(session: &mut Session) -> Result<Option<u64>, Error> {
    let seen = session.now().await? - SILENCE;
    let rows = session
        .query(
            "select generation from stoa_host where seen_at >= $1 order by generation limit 1",
            &[Cell::Instant(seen)],
        )
        .await?;
    rows.first().map(|row| records::number(row, 0)).transpose()
}

async fn batch(
    mut session: Session,
    generation: &Arc<Generation>,
    running: Running,
    limits: Limits,
) -> (Option<Session>, Verdict<Step>) {
    let begun = async {
        session.begin_plain(false).await?;
        let now = session.now().await?;
        let Some(due) = next(&mut session, running, now, true).await? else { return Ok(None) };
        let tenant = match (due.tenant, &due.cursor) {
            (Some(tenant), Some(_)) => Some(tenant),
            (last, _) => next_company(&mut session, last).await?,
        };
        Ok::<_, Error>(Some((now, due, tenant)))
    };
    let (now, due, tenant) = match begun.await {
        Ok(Some(found)) => found,
        Ok(None) => return (Some(session), Verdict::RollBack(Step::Idle)),
        Err(error) => return (Some(session), Verdict::Fail(error)),
    };
    let (Some(tenant), Some(module)) = (tenant, generation.module(&due.module)) else {
        let done = finish(&mut session, &due, now).await;
        return (Some(session), done.map_or_else(Verdict::Fail, |()| Verdict::Commit(Step::Done)));
    };
    let instant = async {
        session.stand_for(tenant).await?;
        let now = session.now().await?;
        Ok::<_, Error>((now, company_clock::hold(&mut session, tenant).await?))
    };
    let (now, clock) = match instant.await {
        Ok(read) => read,
        Err(error) => return (Some(session), Verdict::Fail(error)),
    };
    let request = Uuid::now_v7();
    let facts = company_clock::system_facts(ACTOR, tenant, request, now, clock);
    let listeners = generation.listeners.clone();
    let entry = CallContext { module: module.clone(), session, facts, read_only: false, limits, listeners };
    let ran = call::upgrade(entry, &due.from_version, due.cursor.as_deref()).await;
    let Some(mut session) = ran.session else {
        return (None, Verdict::Fail(Error::Fault("the session was lost".into())));
    };
    let failed =
        |why: String| Verdict::RollBack(Step::Failed { generation: due.generation, module: due.module.clone(), why });
    if let Some((listener, problem)) = ran.refusal {
        return (Some(session), failed(format!("{} rejected an event with {}", listener.name, problem.code)));
    }
    let cursor = match ran.result {
        Ok(Ok(cursor)) => cursor,
        Ok(Err(problem)) => return (Some(session), failed(format!("upgrade answered {}", problem.code))),
        Err(Failure::Database(error)) => return (Some(session), Verdict::Fail(error)),
        Err(failure) => {
            ran.blamed.health.count_failure(&failure);
            return (Some(session), failed(failure.to_string()));
        }
    };
    let events: Vec<_> = ran.emitted.into_iter().map(|(_, event)| event).collect();
    let written = async {
        operators::emit(&mut session, now, tenant, request, &events).await?;
        mark(&mut session, &due, tenant, cursor).await
    };
    let verdict = written.await.map_or_else(Verdict::Fail, |()| Verdict::Commit(Step::Done));
    (Some(session), verdict)
}

/// The company after this one, in the order of their ids.
async fn next_company(session: &mut Session, last: Option<Uuid>) -> Result<Option<Uuid>, Error> {
    let rows = session
        .query("select id from stoa_tenant where id > $1 order by id limit 1", &[Cell::Id(last.unwrap_or(Uuid::nil()))])
        .await?;
    rows.first().map(|row| row.id(0)).transpose()
}

async fn mark(session: &mut Session, due: &Due, tenant: Uuid, cursor: Option<String>) -> Result<(), Error> {
    session
        .query(
            "update stoa_upgrade set tenant_id = $3, cursor = $4, batches = batches + 1, trouble = null, retry_at = null
             where generation = $1 and module = $2",
            &[
                records::integer(due.generation)?,
                Cell::text(&due.module),
                Cell::Id(tenant),
                Cell::optional(cursor, Cell::Text),
            ],
        )
        .await
        .map(drop)
}

async fn finish(session: &mut Session, due: &Due, now: i64) -> Result<(), Error> {
    session
        .query(
            "update stoa_upgrade set done_at = $3, trouble = null, retry_at = null where generation = $1 and module = $2",
            &[records::integer(due.generation)?, Cell::text(&due.module), Cell::Instant(now)],
        )
        .await
        .map(drop)
}
