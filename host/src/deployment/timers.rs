//! The timers of modules. A round of a timer runs from `since` to `until` and is worked through company by company in bounded batches,
//! each in a transaction with the mark of how far the round came: so a host that is killed loses at most a batch, and another goes on.
//! Each place has rounds of its own, for the companies there.
//!
//! A company whose batch fails does not stop the round. It lags: its own windows are tried again later, one after the other, until it
//! has come as far as the round. Rounds leave it out as long as it lags, so its windows leave no gap and do not overlap.

use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use super::background::{BackgroundCompany, BackgroundEntry, Undone, find_pause};
use super::{Deployment, records};
use crate::database::{Cell, Error, Row, Session, Shard, Verdict, work};
use crate::sandbox::call::{self, CallContext};
use crate::sandbox::{Generation, Limits, Module};
use crate::watchdog::Pulse;
use crate::wit::extension::timer::Window;

/// Between two looks for work, and between two batches: requests come first.
const PAUSE: Duration = Duration::from_secs(1);
const BREATH: Duration = Duration::from_millis(5);
/// After a company's batch that failed, in milliseconds.
const FIRST_PAUSE: i64 = 30_000;
const LONGEST_PAUSE: i64 = 3_600_000;
const MINUTE: i64 = 60_000;
const SUSPENDED: &str = "the company is suspended";
const ACTOR: &str = "system:timer";

/// A timer of a module that is active.
#[derive(Clone)]
pub struct ActiveTimer {
    pub module: Arc<Module>,
    pub code: String,
    pub every_minutes: u32,
}

/// The state that the task keeps between two steps.
#[derive(Default)]
struct Timekeeper {
    /// The generation whose timers have rows.
    prepared: Option<u64>,
    /// The last batch was one of a round: a lagging company is next, where there is one.
    is_lag_next: bool,
}

/// The timers of a generation that are due: positions in their list.
#[derive(Default)]
struct DueWork {
    round: Option<usize>,
    /// The company that has waited longest, since when, and its timer.
    lag: Option<(i64, Uuid, usize)>,
}

/// One batch.
struct TimerBatch {
    generation: Arc<Generation>,
    timer: ActiveTimer,
    /// The company that lags; none: the next one of the round.
    lagging: Option<Uuid>,
    limits: Limits,
}

/// A round that is under way or due.
struct Round {
    since: Option<i64>,
    until: i64,
    /// The company under work, where there is a cursor; else the last that is done.
    mark: Option<Uuid>,
    cursor: Option<String>,
    batches: i64,
    /// As the row has it: `until` is later where rounds were missed.
    recorded_until: i64,
}

/// The window of a company, and how far it came.
#[derive(Clone)]
struct CompanyWindow {
    since: Option<i64>,
    until: i64,
    cursor: Option<String>,
    /// Failures in a row.
    tries: i64,
}

/// The result of one transaction.
enum Step {
    /// Nothing is due, or another host is at it.
    Idle,
    /// A batch is done; of the company, where there was one.
    Done(Option<Uuid>),
    Failed(Box<FailedBatch>),
}

struct FailedBatch {
    tenant: Uuid,
    window: CompanyWindow,
    round: Round,
    why: String,
}

/// The work that a transaction has found.
enum Begun {
    Call(Box<(Round, BackgroundCompany, CompanyWindow)>),
    /// It has nothing to call, and is to be committed.
    Ended(Step),
}

/// The timers of the modules of a generation.
pub fn list_timers(generation: &Generation) -> Vec<ActiveTimer> {
    let timers = generation.modules.iter().flat_map(|module| {
        module.descriptor.timers.iter().map(move |timer| ActiveTimer {
            module: module.clone(),
            code: timer.code.clone(),
            every_minutes: timer.every_minutes,
        })
    });
    timers.collect()
}

impl ActiveTimer {
    /// The last instant up to this one at which a round is due.
    fn find_last_due(&self, now: i64) -> i64 {
        now - now.rem_euclid(self.period())
    }

    /// The first instant after this one at which a round is due.
    fn find_next_due(&self, now: i64) -> i64 {
        self.find_last_due(now) + self.period()
    }

    fn period(&self) -> i64 {
        i64::from(self.every_minutes.max(1)) * MINUTE
    }

    fn key(&self) -> [Cell; 2] {
        [Cell::text(&self.module.name), Cell::text(&self.code)]
    }

    fn key_with(&self, others: impl IntoIterator<Item = Cell>) -> Vec<Cell> {
        self.key().into_iter().chain(others).collect()
    }
}

impl Round {
    /// How far a company that lags has to come: as far as the round where it has passed the company, which it left out; else to where the
    /// round began, which takes it along.
    fn find_target(&self, tenant: Uuid) -> Option<i64> {
        if self.mark.is_some_and(|mark| tenant <= mark) { Some(self.until) } else { self.since }
    }

    /// Where the window of a company begins that does not lag: none where it is younger than the last round.
    fn find_since(&self, created_at: i64) -> Option<i64> {
        self.since.filter(|since| created_at <= *since)
    }
}

impl CompanyWindow {
    /// The window behind this one; none where the company has come as far as it has to.
    fn follow(&self, target: Option<i64>) -> Option<CompanyWindow> {
        let until = target.filter(|target| *target > self.until)?;
        Some(CompanyWindow { since: Some(self.until), until, cursor: None, tries: 0 })
    }
}

impl Deployment {
    /// Runs until it is stopped, for the companies of a shard.
    pub(super) async fn run_timers(self: Arc<Self>, shard: Shard, pulse: Pulse) {
        let mut keeper = Timekeeper::default();
        loop {
            let pause = match self.timer_step(shard, &mut keeper).await {
                Ok(true) => BREATH,
                Ok(false) => PAUSE,
                Err(error) => {
                    tracing::warn!(%error, "timers wait for the database");
                    PAUSE
                }
            };
            pulse.rest(pause).await;
        }
    }

    /// Answers whether there was something to do.
    async fn timer_step(&self, shard: Shard, keeper: &mut Timekeeper) -> Result<bool, Error> {
        let generation = self.current.load().generation.clone();
        let timers = Arc::new(list_timers(&generation));
        if timers.is_empty() {
            return Ok(false);
        }
        if keeper.prepared != Some(generation.number) {
            let asked = (generation.number, timers.clone());
            let prepared = self.database.write_plain(shard, asked, |session, (generation, timers)| {
                Box::pin(prepare(session, *generation, timers))
            });
            if !prepared.await? {
                return Ok(false);
            }
            keeper.prepared = Some(generation.number);
        }
        // A look costs a read; only what is due takes a writer.
        let due = self.find_due_work(shard, &timers).await?;
        let (position, lagging) = match (due.round, due.lag) {
            (None, None) => return Ok(false),
            (Some(round), None) => (round, None),
            (Some(round), Some(_)) if !keeper.is_lag_next => (round, None),
            (_, Some((_, tenant, timer))) => (timer, Some(tenant)),
        };
        keeper.is_lag_next = lagging.is_none();
        let Some(timer) = timers.get(position).cloned() else { return Ok(false) };
        let batch = Arc::new(TimerBatch { generation, timer, lagging, limits: self.limits });
        let work = work(batch.clone(), |session, batch| async move { run_batch(session, &batch).await });
        // The round is where the companies are, and is committed with their rows.
        match self.database.write(shard, work).await? {
            Step::Idle => return Ok(false),
            Step::Done(tenant) => tenant.into_iter().for_each(|tenant| self.database.note_write(tenant)),
            Step::Failed(failed) => {
                let (company, module, timer) = (failed.tenant, &batch.timer.module.name, &batch.timer.code);
                let why = &failed.why;
                tracing::error!(%company, module, timer, why, "a timer's batch failed, and the company is tried again later");
                let written = self.database.write_plain(shard, (batch, failed), |session, (batch, failed)| {
                    Box::pin(put_company_off(session, batch, failed))
                });
                written.await?;
            }
        }
        Ok(true)
    }

    async fn find_due_work(&self, shard: Shard, timers: &Arc<Vec<ActiveTimer>>) -> Result<DueWork, Error> {
        let read = self
            .database
            .read_plain(shard, timers.clone(), |session, timers| Box::pin(find_due_round(session, timers)));
        let round = read.await?;
        let read = self
            .database
            .read_plain(shard, timers.clone(), |session, timers| Box::pin(find_due_company(session, timers)));
        Ok(DueWork { round, lag: read.await? })
    }
}

/// Gives each timer its row. False: another generation is the active one.
async fn prepare(session: &mut Session, generation: u64, timers: &[ActiveTimer]) -> Result<bool, Error> {
    if records::newest(session).await? != Some(generation) {
        return Ok(false);
    }
    let now = session.now().await?;
    for timer in timers {
        // A shorter period counts at once.
        let sql = "insert into stoa_timer (module, code, until) values ($1, $2, $3)
                   on conflict (module, code) do update set until = excluded.until
                   where stoa_timer.until > excluded.until";
        session.query(sql, &timer.key_with([Cell::Instant(timer.find_next_due(now))])).await?;
    }
    Ok(true)
}

/// The round that is due longest.
async fn find_due_round(session: &mut Session, timers: &[ActiveTimer]) -> Result<Option<usize>, Error> {
    let now = session.now().await?;
    let sql = "select module, code from stoa_timer where until <= $1 order by until, module, code";
    for row in session.query(sql, &[Cell::Instant(now)]).await? {
        let (module, code) = (row.text(0)?, row.text(1)?);
        let found = timers.iter().position(|timer| timer.module.name == module && timer.code == code);
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The company that lags and has waited longest, since when, and its timer.
async fn find_due_company(session: &mut Session, timers: &[ActiveTimer]) -> Result<Option<(i64, Uuid, usize)>, Error> {
    let now = session.now().await?;
    let mut first = None;
    for (timer, position) in timers.iter().zip(0..) {
        let sql = "select retry_at, tenant_id from stoa_timer_lag where module = $1 and code = $2 and retry_at <= $3
                   order by retry_at limit 1";
        let rows = session.query(sql, &timer.key_with([Cell::Instant(now)])).await?;
        let found = rows.first().map(|row| Ok::<_, Error>((row.instant(0)?, row.id(1)?, position))).transpose()?;
        first = first.into_iter().chain(found).min();
    }
    Ok(first)
}

async fn run_batch(mut session: Session, batch: &TimerBatch) -> (Option<Session>, Verdict<Step>) {
    let begun = match batch.lagging {
        None => begin_round(&mut session, batch).await,
        Some(tenant) => begin_lag(&mut session, batch, tenant).await,
    };
    let (round, company, window) = match begun {
        Ok(Begun::Call(found)) => *found,
        Ok(Begun::Ended(step)) => return (Some(session), Verdict::Commit(step)),
        Err(error) => return (Some(session), Verdict::Fail(error)),
    };
    let ActiveTimer { module, code, .. } = &batch.timer;
    let generation = &batch.generation;
    let entry = CallContext {
        module: module.clone(),
        session,
        facts: company.facts.clone(),
        read_only: false,
        limits: batch.limits,
        listeners: generation.listeners.clone(),
    };
    let asked = Window { since: window.since, until: window.until };
    let ran = call::run_timer(entry, code, asked, window.cursor.as_deref()).await;
    let (session, result) = company.judge(generation, module, ran);
    let Some(mut session) = session else {
        return (None, Verdict::Fail(Error::Fault("the session was lost".into())));
    };
    let result = match result {
        Ok(result) => result,
        Err(Undone::Database(error)) => return (Some(session), Verdict::Fail(error)),
        Err(Undone::Module(why)) => {
            let failed = FailedBatch { tenant: company.id, window, round, why };
            return (Some(session), Verdict::RollBack(Step::Failed(Box::new(failed))));
        }
    };
    let written = async {
        let what = ("timer", code.clone());
        let entry = BackgroundEntry { actor: ACTOR, operation: "runTimer", resource: company.id, what };
        company.record(&mut session, &result, entry).await?;
        let cursor = result.value.clone();
        match batch.lagging {
            None => mark(&mut session, &batch.timer, &round, company.id, cursor).await,
            Some(_) => mark_lag(&mut session, batch, &round, &company, &window, cursor).await,
        }
    };
    let verdict = written.await.map_or_else(Verdict::Fail, |()| Verdict::Commit(Step::Done(Some(company.id))));
    (Some(session), verdict)
}

/// The round of a timer, locked; none where another host has it. `None` too where this host's code is
/// no longer active.
async fn lock_round(session: &mut Session, batch: &TimerBatch) -> Result<Option<Round>, Error> {
    session.begin_plain(false).await?;
    if records::newest(session).await? != Some(batch.generation.number) {
        return Ok(None);
    }
    let lock = if matches!(session, Session::Postgres(_)) { " for update skip locked" } else { "" };
    let sql = format!(
        "select since, until, tenant_id, cursor, batches from stoa_timer where module = $1 and code = $2{lock}"
    );
    let rows = session.query_composed(sql, &batch.timer.key()).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let until = row.instant(1)?;
    Ok(Some(Round {
        since: row.optional(0, Row::instant)?,
        until,
        mark: row.optional(2, Row::id)?,
        cursor: row.optional(3, Row::text)?,
        batches: row.integer(4)?,
        recorded_until: until,
    }))
}

/// The next company of a round.
async fn begin_round(session: &mut Session, batch: &TimerBatch) -> Result<Begun, Error> {
    let timer = &batch.timer;
    let Some(mut round) = lock_round(session, batch).await? else { return Ok(Begun::Ended(Step::Idle)) };
    let now = session.now().await?;
    if round.until > now {
        return Ok(Begun::Ended(Step::Idle));
    }
    if round.mark.is_none() {
        // Rounds that passed while no host ran are one window.
        round.until = round.until.max(timer.find_last_due(now));
    }
    let tenant = match (round.mark, &round.cursor) {
        (Some(tenant), Some(_)) => Some(tenant),
        (last, _) => next_company(session, timer, last, round.until).await?,
    };
    let Some(tenant) = tenant else {
        finish(session, timer, round.until, now).await?;
        return Ok(Begun::Ended(Step::Done(None)));
    };
    let company = BackgroundCompany::enter(session, tenant, ACTOR).await?;
    let cursor = round.cursor.clone();
    let window = CompanyWindow { since: round.find_since(company.created_at), until: round.until, cursor, tries: 0 };
    if !company.is_active {
        add_lag(session, timer, tenant, &window, SUSPENDED, now + LONGEST_PAUSE).await?;
        mark(session, timer, &round, tenant, None).await?;
        return Ok(Begun::Ended(Step::Done(None)));
    }
    Ok(Begun::Call(Box::new((round, company, window))))
}

/// The window of a company that lags.
async fn begin_lag(session: &mut Session, batch: &TimerBatch, tenant: Uuid) -> Result<Begun, Error> {
    let timer = &batch.timer;
    let Some(round) = lock_round(session, batch).await? else { return Ok(Begun::Ended(Step::Idle)) };
    let company = BackgroundCompany::enter(session, tenant, ACTOR).await?;
    let now = company.facts.instant;
    let sql = "select since, until, cursor, tries from stoa_timer_lag
               where module = $1 and code = $2 and tenant_id = $3 and retry_at <= $4";
    let rows = session.query(sql, &timer.key_with([Cell::Id(tenant), Cell::Instant(now)])).await?;
    let Some(row) = rows.first() else { return Ok(Begun::Ended(Step::Idle)) };
    let window = CompanyWindow {
        since: row.optional(0, Row::instant)?,
        until: row.instant(1)?,
        cursor: row.optional(2, Row::text)?,
        tries: row.integer(3)?,
    };
    if !company.is_active {
        let sql = "update stoa_timer_lag set trouble = $4, retry_at = $5
                   where module = $1 and code = $2 and tenant_id = $3";
        let values = [Cell::Id(tenant), Cell::text(SUSPENDED), Cell::Instant(now + LONGEST_PAUSE)];
        session.query(sql, &timer.key_with(values)).await?;
        return Ok(Begun::Ended(Step::Done(None)));
    }
    Ok(Begun::Call(Box::new((round, company, window))))
}

/// The company after this one, in the order of their ids, that is not younger than the window and does not lag.
async fn next_company(
    session: &mut Session,
    timer: &ActiveTimer,
    last: Option<Uuid>,
    until: i64,
) -> Result<Option<Uuid>, Error> {
    let sql = "select t.id from stoa_tenant t where t.id > $3 and t.created_at <= $4 and not exists (
                 select 1 from stoa_timer_lag l where l.tenant_id = t.id and l.module = $1 and l.code = $2)
               order by t.id limit 1";
    let values = timer.key_with([Cell::Id(last.unwrap_or(Uuid::nil())), Cell::Instant(until)]);
    let rows = session.query(sql, &values).await?;
    rows.first().map(|row| row.id(0)).transpose()
}

async fn mark(
    session: &mut Session,
    timer: &ActiveTimer,
    round: &Round,
    tenant: Uuid,
    cursor: Option<String>,
) -> Result<(), Error> {
    let sql = "update stoa_timer set until = $3, tenant_id = $4, cursor = $5, batches = batches + 1
               where module = $1 and code = $2";
    let values = [Cell::Instant(round.until), Cell::Id(tenant), Cell::optional(cursor, Cell::Text)];
    session.query(sql, &timer.key_with(values)).await.map(drop)
}

/// The company came further; it no longer lags where it has come far enough.
async fn mark_lag(
    session: &mut Session,
    batch: &TimerBatch,
    round: &Round,
    company: &BackgroundCompany,
    window: &CompanyWindow,
    cursor: Option<String>,
) -> Result<(), Error> {
    let timer = &batch.timer;
    let next = match cursor {
        Some(cursor) => Some(CompanyWindow { cursor: Some(cursor), ..window.clone() }),
        None => window.follow(round.find_target(company.id)),
    };
    let Some(next) = next else {
        let sql = "delete from stoa_timer_lag where module = $1 and code = $2 and tenant_id = $3";
        return session.query(sql, &timer.key_with([Cell::Id(company.id)])).await.map(drop);
    };
    let sql = "update stoa_timer_lag set since = $4, until = $5, cursor = $6, tries = 0, retry_at = $7
               where module = $1 and code = $2 and tenant_id = $3";
    let values = [
        Cell::Id(company.id),
        Cell::optional(next.since, Cell::Instant),
        Cell::Instant(next.until),
        Cell::optional(next.cursor, Cell::Text),
        Cell::Instant(company.facts.instant),
    ];
    session.query(sql, &timer.key_with(values)).await.map(drop)
}

/// The round is done; the next one is due at the next multiple of the period.
async fn finish(session: &mut Session, timer: &ActiveTimer, until: i64, now: i64) -> Result<(), Error> {
    let sql = "update stoa_timer set since = $3, until = $4, tenant_id = null, cursor = null, batches = 0, done_at = $5
               where module = $1 and code = $2";
    let values = [Cell::Instant(until), Cell::Instant(timer.find_next_due(now)), Cell::Instant(now)];
    session.query(sql, &timer.key_with(values)).await.map(drop)
}

async fn add_lag(
    session: &mut Session,
    timer: &ActiveTimer,
    tenant: Uuid,
    window: &CompanyWindow,
    trouble: &str,
    retry_at: i64,
) -> Result<(), Error> {
    let sql = "insert into stoa_timer_lag (module, code, tenant_id, since, until, cursor, tries, trouble, retry_at)
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (tenant_id, module, code) do nothing";
    let values = [
        Cell::Id(tenant),
        Cell::optional(window.since, Cell::Instant),
        Cell::Instant(window.until),
        Cell::optional(window.cursor.clone(), Cell::Text),
        Cell::Integer(window.tries),
        Cell::text(trouble),
        Cell::Instant(retry_at),
    ];
    session.query(sql, &timer.key_with(values)).await.map(drop)
}

/// After a batch that was undone: the company lags from now on, and the round goes on behind it. Nothing where another host was at it since.
async fn put_company_off(session: &mut Session, batch: &TimerBatch, failed: &FailedBatch) -> Result<(), Error> {
    let (timer, FailedBatch { tenant, window, round, why }) = (&batch.timer, failed);
    let now = session.now().await?;
    let retry_at = now + find_pause(FIRST_PAUSE, LONGEST_PAUSE, window.tries);
    if batch.lagging.is_some() {
        let sql = "update stoa_timer_lag set tries = tries + 1, trouble = $4, retry_at = $5
                   where module = $1 and code = $2 and tenant_id = $3 and tries = $6";
        let values = [Cell::Id(*tenant), Cell::text(why), Cell::Instant(retry_at), Cell::Integer(window.tries)];
        return session.query(sql, &timer.key_with(values)).await.map(drop);
    }
    let sql = "update stoa_timer set until = $3, tenant_id = $4, cursor = null, batches = batches + 1
               where module = $1 and code = $2 and until = $5 and batches = $6 returning 1";
    let values = [
        Cell::Instant(round.until),
        Cell::Id(*tenant),
        Cell::Instant(round.recorded_until),
        Cell::Integer(round.batches),
    ];
    if session.query(sql, &timer.key_with(values)).await?.is_empty() {
        return Ok(());
    }
    let window = CompanyWindow { tries: 1, ..window.clone() };
    add_lag(session, timer, *tenant, &window, why, retry_at).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(since: Option<i64>, until: i64, mark: Option<u128>) -> Round {
        let mark = mark.map(Uuid::from_u128);
        Round { since, until, mark, cursor: None, batches: 0, recorded_until: until }
    }

    #[test]
    fn a_company_that_lags_comes_as_far_as_the_round_that_left_it_out() {
        let tenant = Uuid::from_u128(5);
        for (mark, expected) in [(None, Some(20)), (Some(4), Some(20)), (Some(5), Some(30)), (Some(9), Some(30))] {
            assert_eq!(round(Some(20), 30, mark).find_target(tenant), expected, "{mark:?}");
        }
        assert_eq!(round(None, 30, None).find_target(tenant), None);
    }

    #[test]
    fn windows_of_a_company_that_lags_follow_each_other() {
        let window = CompanyWindow { since: Some(10), until: 20, cursor: Some("x".into()), tries: 3 };
        let follow = |target| window.follow(target).map(|next| (next.since, next.until, next.cursor, next.tries));
        assert_eq!(follow(Some(30)), Some((Some(20), 30, None, 0)));
        assert_eq!([follow(Some(20)), follow(Some(10)), follow(None)], [None, None, None]);
    }

    #[test]
    fn a_company_that_is_younger_than_the_last_round_has_no_window_before() {
        let round = round(Some(20), 30, None);
        assert_eq!([19, 20, 21].map(|created_at| round.find_since(created_at)), [Some(20), Some(20), None]);
    }
}
