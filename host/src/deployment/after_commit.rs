//! Modules that receive events after their commit. Each company has a cursor for each of them, which moves over the outbox in the
//! transaction in which the module receives the event: so its rows and the cursor agree, and it receives each event at least once.
//!
//! An event that a module rejects, or at which it fails, is sent again later, and no later event of the company before it. Other
//! companies and other modules go on.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use stoa_descriptor::extension::Moment;
use tokio::time::Instant;
use uuid::Uuid;

use super::background::{BackgroundCompany, BackgroundEntry, Undone, find_pause};
use super::{Deployment, records};
use crate::database::{Cell, Error, Row, Session, Shard, Verdict, work};
use crate::events::body::{COLUMNS, OutboxEvent};
use crate::events::fan_outs::{FanOutEnd, FanOuts};
use crate::ids;
use crate::sandbox::arrangement::AFTER_COMMIT;
use crate::sandbox::call::{self, CallContext};
use crate::sandbox::health::PointOutcome;
use crate::sandbox::{Generation, Limits, Module};
use crate::watchdog::Pulse;
use crate::wit::extension::listener::Event;

/// Between two rounds in memory, and between two looks at the database for what other hosts have written.
const ROUND: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_secs(30);
/// Writes of a company that come so soon after each other are one piece of news.
const BURST: Duration = Duration::from_millis(20);
/// Between two transactions: requests come first.
const BREATH: Duration = Duration::from_millis(5);
/// How long a company is at work until others have their turn.
const TURN: Duration = Duration::from_millis(500);
/// Companies that one look finds, and that are to be called again at a time of their own.
const COMPANIES: usize = 1_000;
const MOST_CALLS: usize = 10_000;
/// Events that one transaction looks at to find one of a kind that the module receives.
const EVENTS: usize = 200;
/// After a failure, in milliseconds.
const FIRST_PAUSE: i64 = 2_000;
const LONGEST_PAUSE: i64 = 300_000;
/// An event is committed, and an older transaction of the company may still emit one before it.
const UNSETTLED: Duration = Duration::from_secs(1);
const ACTOR: &str = "system:listener";

/// When companies are to be called again, whatever the looks find.
type Calls = Arc<Mutex<BTreeMap<Uuid, Instant>>>;

/// The modules of a generation that receive events after their commit, each with where its cursors begin.
struct Receivers {
    generation: Arc<Generation>,
    modules: Vec<(Arc<Module>, Uuid)>,
}

/// The companies whose events are being sent to modules, and where to look for more.
#[derive(Default)]
struct Round {
    fan_outs: FanOuts,
    known: BTreeSet<Uuid>,
    calls: Calls,
    receivers: Option<Arc<Receivers>>,
    next_look: Option<Instant>,
    /// The last company that a look found for a module.
    last: BTreeMap<String, Uuid>,
}

/// One event for one module.
struct Sending {
    generation: Arc<Generation>,
    module: Arc<Module>,
    tenant: Uuid,
    /// Where the cursor begins.
    begin: Uuid,
    /// End of the ids: no transaction can commit an id below it any more.
    end: Uuid,
    limits: Limits,
}

/// The result of one transaction.
enum Step {
    /// Nothing is to be sent, or another host is at it.
    Idle,
    /// The cursor moved. `has_more`: there are events behind it.
    Moved {
        has_more: bool,
    },
    /// A try is due in so many milliseconds.
    Rests(i64),
    Failed {
        tries: i64,
        why: String,
    },
}

/// Returns whether a module receives a kind after its commit.
fn receives(module: &Module, kind: &str) -> bool {
    let receives = &module.descriptor.receives;
    receives.iter().any(|receiving| receiving.moment == Moment::AfterCommit && receiving.kind == kind)
}

/// The modules of a generation that receive events after their commit, by name.
pub fn list_receivers(generation: &Generation) -> Vec<Arc<Module>> {
    let names = generation.arrangement.get(AFTER_COMMIT).into_iter().flatten();
    names.filter_map(|name| generation.module(name).cloned()).collect()
}

/// Where the cursors of modules begin in a company that has none: at the first generation in which the module received events after
/// their commit.
pub async fn find_begins(session: &mut Session) -> Result<BTreeMap<String, Uuid>, Error> {
    let rows = session
        .query(
            "select p.module, min(g.activated_at) from stoa_generation_point p
             join stoa_generation g on g.number = p.generation where p.point = $1 group by p.module",
            &[Cell::text(AFTER_COMMIT)],
        )
        .await?;
    rows.iter().map(|row| Ok((row.text(0)?, ids::first_of(row.instant(1)?)))).collect()
}

/// Companies with events behind the cursor of a module, in the order of their ids from this one on.
pub async fn find_behind(
    session: &mut Session,
    module: &str,
    begin: Uuid,
    after: Uuid,
    now: i64,
) -> Result<Vec<Uuid>, Error> {
    let sql = format!(
        "select t.id from stoa_tenant t
         where t.id > $1
           and not exists (select 1 from stoa_listener r where r.tenant_id = t.id and r.module = $2 and r.retry_at > $4)
           and (select e.id from stoa_event e where e.tenant_id = t.id and e.id > coalesce(
             (select l.last_event from stoa_listener l where l.tenant_id = t.id and l.module = $2), $3)
             order by e.id limit 1) is not null
         order by t.id limit {COMPANIES}"
    );
    let values = [Cell::Id(after), Cell::text(module), Cell::Id(begin), Cell::Instant(now)];
    session.query_composed(sql, &values).await?.iter().map(|row| row.id(0)).collect()
}

/// The first event of a company behind the cursor of a module.
async fn find_next(session: &mut Session, tenant: Uuid, module: &str, begin: Uuid) -> Result<Option<Uuid>, Error> {
    let rows = session
        .query(
            "select e.id from stoa_event e where e.tenant_id = $1 and e.id > coalesce(
               (select l.last_event from stoa_listener l where l.tenant_id = $1 and l.module = $2), $3)
             order by e.id limit 1",
            &[Cell::Id(tenant), Cell::text(module), Cell::Id(begin)],
        )
        .await?;
    rows.first().map(|row| row.id(0)).transpose()
}

impl Round {
    /// Moves the companies whose time has come to those that have something to do; answers when the next one's comes.
    fn take_calls(&mut self, now: Instant) -> Option<Instant> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let known = &mut self.known;
        calls.retain(|tenant, at| {
            let is_due = *at <= now;
            if is_due {
                known.insert(*tenant);
            }
            !is_due
        });
        calls.values().min().copied()
    }
}

impl Deployment {
    /// Runs until it is stopped.
    pub(super) async fn send_committed(self: Arc<Self>, pulse: Pulse) {
        let mut round = Round::default();
        loop {
            if let Err(error) = self.find_companies(&mut round).await {
                tracing::warn!(%error, "modules that receive committed events wait for the database");
                round.fan_outs.end_rests();
            }
            let now = Instant::now();
            let next_call = round.take_calls(now);
            self.start_sending(&mut round);
            let until = next_call.unwrap_or(now + ROUND).clamp(now + BURST, now + ROUND);
            pulse.excuse();
            let mut has_news = false;
            while !has_news && Instant::now() < until {
                tokio::select! {
                    () = tokio::time::sleep_until(until) => {}
                    () = self.database.news().wait() => has_news = true,
                    Some(ended) = round.fan_outs.join_next() => {
                        let now = Instant::now();
                        round.fan_outs.note_end(&ended, now);
                        round.take_calls(now);
                        self.start_sending(&mut round);
                    }
                }
            }
            if has_news {
                tokio::time::sleep(BURST).await;
            }
            pulse.beat();
        }
    }

    /// Finds the companies that have something to do: those of which this host committed a write, and at times all others.
    async fn find_companies(&self, round: &mut Round) -> Result<(), Error> {
        let generation = self.current.load().generation.clone();
        let modules = list_receivers(&generation);
        self.database.news().set_wanted(!modules.is_empty());
        if modules.is_empty() {
            round.receivers = None;
            return Ok(());
        }
        let receivers = match &round.receivers {
            Some(receivers) if Arc::ptr_eq(&receivers.generation, &generation) => receivers.clone(),
            _ => {
                let read = self.database.read_plain(Shard::Global, (), |session, ()| Box::pin(find_begins(session)));
                let begins = read.await?;
                let begin = |module: Arc<Module>| begins.get(&module.name).map(|begin| (module, *begin));
                let modules = modules.into_iter().filter_map(begin).collect();
                round.next_look = None;
                round.receivers.insert(Arc::new(Receivers { generation, modules })).clone()
            }
        };
        round.known.extend(self.database.news().take());
        let now = Instant::now();
        if round.next_look.is_some_and(|next| now < next) || !round.fan_outs.is_empty() {
            return Ok(());
        }
        let mut is_full = false;
        let mut is_whole = true;
        for (module, begin) in &receivers.modules {
            let after = round.last.remove(&module.name).unwrap_or_default();
            for shard in self.database.shards() {
                let asked = (module.name.clone(), *begin, after);
                let found = self.database.read_plain(shard, asked, |session, (module, begin, after)| {
                    Box::pin(async move {
                        let now = session.now().await?;
                        find_behind(session, module, *begin, *after, now).await
                    })
                });
                let found = match found.await {
                    // The companies of this place wait, and no others.
                    Err(error) if shard != Shard::Global => {
                        tracing::debug!(place = self.database.place_name(shard), %error, "events of a place wait");
                        is_whole = false;
                        continue;
                    }
                    found => found?,
                };
                if let Some(last) = found.last().filter(|_| found.len() >= COMPANIES) {
                    is_full = true;
                    let least = round.last.entry(module.name.clone()).or_insert(*last);
                    *least = (*least).min(*last);
                }
                round.known.extend(found);
            }
        }
        round.next_look = Some(now + if is_full || !is_whole { ROUND } else { LOOK });
        Ok(())
    }

    fn start_sending(self: &Arc<Self>, round: &mut Round) {
        let Some(receivers) = &round.receivers else { return };
        round.fan_outs.add_known(&mut round.known);
        round
            .fan_outs
            .start(Instant::now(), |tenant| self.clone().send_events(tenant, receivers.clone(), round.calls.clone()));
    }

    /// The events of one company; that they cannot be sent is this company's matter.
    async fn send_events(self: Arc<Self>, tenant: Uuid, receivers: Arc<Receivers>, calls: Calls) -> FanOutEnd {
        let run = AssertUnwindSafe(self.send_to_modules(tenant, &receivers)).catch_unwind();
        let result = run.await.unwrap_or_else(|_| Err(Error::Fault("sending events to modules panicked".into())));
        match &result {
            Ok(None) => {}
            Ok(Some(pause)) => {
                let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
                if calls.len() < MOST_CALLS {
                    calls.insert(tenant, Instant::now() + *pause);
                }
            }
            Err(error) => {
                tracing::warn!(company = %tenant, %error, "modules cannot receive the events of a company now")
            }
        }
        // A turn is short, so a company does not rest for the time that modules take.
        FanOutEnd { tenant, result: result.map(|_| 0), time: Duration::ZERO }
    }

    /// Sends a company's events to each module; answers when the company is to be called again, if that is known.
    async fn send_to_modules(&self, tenant: Uuid, receivers: &Receivers) -> Result<Option<Duration>, Error> {
        let began = Instant::now();
        let mut again: Option<Duration> = None;
        for (module, begin) in &receivers.modules {
            let pause = self.send_to_module(tenant, receivers, (module, *begin), began).await?;
            again = again.into_iter().chain(pause).min();
        }
        Ok(again)
    }

    async fn send_to_module(
        &self,
        tenant: Uuid,
        receivers: &Receivers,
        (module, begin): (&Arc<Module>, Uuid),
        began: Instant,
    ) -> Result<Option<Duration>, Error> {
        let shard = Shard::Company(tenant);
        loop {
            // A look costs a read; only an event takes a writer.
            let asked = (tenant, module.name.clone(), begin);
            let next = self.database.read_plain(shard, asked, |session, (tenant, module, begin)| {
                Box::pin(find_next(session, *tenant, module, *begin))
            });
            let Some(next) = next.await? else { return Ok(None) };
            let end = self.database.watermark(tenant).await?.map_or(Uuid::max(), ids::first_of);
            if next >= end {
                return Ok(Some(UNSETTLED));
            }
            if began.elapsed() >= TURN {
                return Ok(Some(Duration::ZERO));
            }
            let (generation, module, limits) = (receivers.generation.clone(), module.clone(), self.limits);
            let sending = Arc::new(Sending { generation, module, tenant, begin, end, limits });
            let sent = sending.clone();
            let run = work(sent, |session, sending| async move { send(session, &sending).await });
            match self.database.write(shard, run).await? {
                Step::Idle => return Ok(None),
                Step::Rests(pause) => return Ok(Some(milliseconds(pause))),
                Step::Failed { tries, why } => {
                    let pause = find_pause(FIRST_PAUSE, LONGEST_PAUSE, tries);
                    tracing::error!(company = %tenant, module = sending.module.name, why, "a module did not receive an event");
                    self.put_event_off(&sending, why, pause).await?;
                    return Ok(Some(milliseconds(pause)));
                }
                Step::Moved { has_more } => {
                    self.database.note_write(tenant);
                    if !has_more {
                        return Ok(None);
                    }
                }
            }
            tokio::time::sleep(BREATH).await;
        }
    }

    async fn put_event_off(&self, sending: &Arc<Sending>, why: String, pause: i64) -> Result<(), Error> {
        let asked = (sending.clone(), why, pause);
        let written =
            self.database.write_plain(Shard::Company(sending.tenant), asked, |session, (sending, why, pause)| {
                Box::pin(async move {
                    let now = session.now().await?;
                    session
                        .query(
                            "insert into stoa_listener (tenant_id, module, last_event, tries, trouble, retry_at)
                         values ($1, $2, $3, 1, $4, $5)
                         on conflict (tenant_id, module) do update set tries = stoa_listener.tries + 1,
                           trouble = excluded.trouble, retry_at = excluded.retry_at",
                            &[
                                Cell::Id(sending.tenant),
                                Cell::text(&sending.module.name),
                                Cell::Id(sending.begin),
                                Cell::text(why),
                                Cell::Instant(now + pause),
                            ],
                        )
                        .await
                        .map(drop)
                })
            });
        written.await
    }
}

fn milliseconds(pause: i64) -> Duration {
    Duration::from_millis(u64::try_from(pause).unwrap_or(0))
}

/// One transaction: the next event that the module receives, with all before it that it does not.
async fn send(mut session: Session, sending: &Sending) -> (Option<Session>, Verdict<Step>) {
    let found = match find_event(&mut session, sending).await {
        Ok(Found::Event(found)) => found,
        Ok(Found::Moved { has_more }) => return (Some(session), Verdict::Commit(Step::Moved { has_more })),
        Ok(Found::Nothing(step)) => return (Some(session), Verdict::RollBack(step)),
        Err(error) => return (Some(session), Verdict::Fail(error)),
    };
    let FoundEvent { company, event, tries, has_more } = *found;
    let (generation, module, limits) = (&sending.generation, sending.module.clone(), sending.limits);
    let listeners = generation.listeners.clone();
    let entry = CallContext { module, session, facts: company.facts.clone(), read_only: false, limits, listeners };
    let began = std::time::Instant::now();
    let ran = call::receive(entry, &describe_event(&event)).await;
    let outcome = match &ran.result {
        Ok(Ok(())) => PointOutcome::Answered,
        Ok(Err(_)) => PointOutcome::Rejected,
        Err(_) => PointOutcome::Failed,
    };
    sending.module.health.count_at_point(AFTER_COMMIT, began.elapsed(), outcome);
    let (session, result) = company.judge(generation, &sending.module, ran);
    let Some(mut session) = session else {
        return (None, Verdict::Fail(Error::Fault("the session was lost".into())));
    };
    let result = match result {
        Ok(result) => result,
        Err(Undone::Database(error)) => return (Some(session), Verdict::Fail(error)),
        Err(Undone::Module(why)) => return (Some(session), Verdict::RollBack(Step::Failed { tries, why })),
    };
    let written = async {
        let what = ("kind", event.kind.clone());
        let entry = BackgroundEntry { actor: ACTOR, operation: "receiveEvent", resource: event.resource, what };
        company.record(&mut session, &result, entry).await?;
        move_cursor(&mut session, sending, event.id).await
    };
    let verdict = written.await.map_or_else(Verdict::Fail, |()| Verdict::Commit(Step::Moved { has_more }));
    (Some(session), verdict)
}

/// The result of a look behind the cursor.
enum Found {
    Event(Box<FoundEvent>),
    /// None of the events is of a kind that the module receives: the cursor moved behind them.
    Moved {
        has_more: bool,
    },
    Nothing(Step),
}

struct FoundEvent {
    company: BackgroundCompany,
    event: OutboxEvent,
    /// Failures in a row at this event.
    tries: i64,
    has_more: bool,
}

async fn find_event(session: &mut Session, sending: &Sending) -> Result<Found, Error> {
    let (tenant, module) = (sending.tenant, &sending.module);
    session.begin_plain(false).await?;
    // Code that is no longer active moves no cursor.
    if records::newest(session).await? != Some(sending.generation.number) {
        return Ok(Found::Nothing(Step::Idle));
    }
    let company = BackgroundCompany::enter(session, tenant, ACTOR).await?;
    let sql = "insert into stoa_listener (tenant_id, module, last_event) values ($1, $2, $3)
               on conflict (tenant_id, module) do nothing";
    session.query(sql, &[Cell::Id(tenant), Cell::text(&module.name), Cell::Id(sending.begin)]).await?;
    let lock = if matches!(session, Session::Postgres(_)) { " for update skip locked" } else { "" };
    let sql =
        format!("select last_event, tries, retry_at from stoa_listener where tenant_id = $1 and module = $2{lock}");
    let rows = session.query_composed(sql, &[Cell::Id(tenant), Cell::text(&module.name)]).await?;
    let Some(row) = rows.first() else { return Ok(Found::Nothing(Step::Idle)) };
    let (last, tries) = (row.id(0)?, row.integer(1)?);
    let rests = row.optional(2, Row::instant)?.map_or(0, |retry_at| retry_at - company.facts.instant);
    if rests > 0 {
        return Ok(Found::Nothing(Step::Rests(rests)));
    }
    let behind = list_behind(session, sending, last).await?;
    for ((id, kind), position) in behind.iter().zip(1..) {
        if !receives(module, kind) {
            continue;
        }
        let sql = format!("select {COLUMNS} from stoa_event e where e.tenant_id = $1 and e.id = $2");
        let events = session.query_composed(sql, &[Cell::Id(tenant), Cell::Id(*id)]).await?;
        let event = events.first().ok_or_else(|| Error::Fault("an event is gone".into()))?;
        let event = OutboxEvent::read(tenant, event, 0)?;
        let has_more = position < behind.len() || behind.len() >= EVENTS;
        return Ok(Found::Event(Box::new(FoundEvent { company, event, tries, has_more })));
    }
    let Some((id, _)) = behind.last() else { return Ok(Found::Nothing(Step::Idle)) };
    move_cursor(session, sending, *id).await?;
    Ok(Found::Moved { has_more: behind.len() >= EVENTS })
}

/// Ids and kinds of the first events behind the cursor and before the watermark. The statement has no upper bound: with one, PostgreSQL
/// expects few rows and would read and sort all that are behind the cursor.
async fn list_behind(session: &mut Session, sending: &Sending, last: Uuid) -> Result<Vec<(Uuid, String)>, Error> {
    let sql = format!(
        "select e.id, e.kind from stoa_event e where e.tenant_id = $1 and e.id > $2 order by e.id limit {EVENTS}"
    );
    let rows = session.query_composed(sql, &[Cell::Id(sending.tenant), Cell::Id(last)]).await?;
    let mut behind = Vec::with_capacity(rows.len());
    for row in &rows {
        let id = row.id(0)?;
        if id >= sending.end {
            break;
        }
        behind.push((id, row.text(1)?));
    }
    Ok(behind)
}

async fn move_cursor(session: &mut Session, sending: &Sending, last: Uuid) -> Result<(), Error> {
    let sql = "update stoa_listener set last_event = $3, tries = 0, trouble = null, retry_at = null
               where tenant_id = $1 and module = $2";
    let values = [Cell::Id(sending.tenant), Cell::text(&sending.module.name), Cell::Id(last)];
    session.query(sql, &values).await.map(drop)
}

fn describe_event(event: &OutboxEvent) -> Event {
    Event {
        id: Some(event.id.as_u64_pair()),
        kind: event.kind.clone(),
        resource_type: event.resource_type.clone(),
        resource: event.resource.as_u64_pair(),
        version: event.version,
        data: event.data.clone(),
        occurred_at: event.occurred_at,
        request: event.request.as_u64_pair(),
    }
}
