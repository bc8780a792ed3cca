//! The relay: a task of each host that makes deliveries of events and sends them. Idle, it costs one cheap look a second.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{FutureExt as _, future};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use uuid::Uuid;

use super::dialer::Dialer;
use super::endpoint::Secrets;
use super::fan_outs::{self, FanOuts};
use super::lane::{self, Attempt, Claimed, Ended, Lane, LaneStep, Share, TakenLanes, Wave};
use super::schedule::Schedule;
use super::{fan_out, headers};
use crate::database::{Database, Error, Session, Shard};
use crate::keyring::KeyRing;
use crate::watchdog::{Pulse, Watchdog};

/// Between two looks of a relay that has nothing to do, and of one that has.
const IDLE: Duration = Duration::from_secs(1);
const BUSY: Duration = Duration::from_millis(20);
/// Lanes at work on a host at a time, and of one company. The last ones are for companies that have none at work.
const LANES: usize = 64;
const LANES_OF_COMPANY: usize = 4;
const FIRST_LANES: usize = 16;
/// Transactions of its lanes at a time: requests need connections too.
const TRANSACTIONS: usize = 4;
/// Rounds of deliveries before a lane goes to the end of the line; one, while others are due that find no slot.
const WAVES: usize = 8;
/// How often a step is repeated while the database is away, and the pause before.
const TRIES: u32 = 10;
const AGAIN: Duration = Duration::from_secs(1);
/// How long the end of a host waits for what is under way.
const FINISH: Duration = Duration::from_secs(5);

pub struct Relay {
    database: Arc<Database>,
    dialer: Arc<Dialer>,
    keys: Arc<KeyRing>,
    schedule: Schedule,
    transactions: Semaphore,
    /// Lanes are due that find no slot.
    is_crowded: AtomicBool,
}

/// The task that relays.
pub struct Relaying {
    stop: watch::Sender<bool>,
    ended: Arc<Notify>,
}

impl Relaying {
    /// Takes nothing more and writes down what is under way.
    pub async fn finish(self) {
        let _ = self.stop.send(true);
        let _ = tokio::time::timeout(FINISH, self.ended.notified()).await;
    }
}

/// Result of a round.
#[derive(Default)]
struct Round {
    /// There was something, so that there may be more.
    is_busy: bool,
    /// Lanes were due, of which some may have found no slot.
    is_crowded: bool,
    /// Lanes are due that found no slot.
    leaves_others: bool,
}

/// Fan-outs that run, and lanes that are worked on, by company.
#[derive(Default)]
struct Workers {
    fan_outs: FanOuts,
    tasks: JoinSet<Uuid>,
    of_company: HashMap<Uuid, usize>,
}

impl Workers {
    fn note_end(&mut self, tenant: Uuid) {
        if let Some(count) = self.of_company.get_mut(&tenant) {
            *count -= 1;
            if *count == 0 {
                self.of_company.remove(&tenant);
            }
        }
    }

    fn share(&self) -> Share {
        Share {
            lanes: LANES.saturating_sub(self.tasks.len()),
            of_company: LANES_OF_COMPANY,
            first: FIRST_LANES,
            at_work: self.of_company.iter().map(|(tenant, count)| (*tenant, *count)).collect(),
        }
    }
}

impl Relay {
    pub fn new(database: Arc<Database>, dialer: Arc<Dialer>, keys: Arc<KeyRing>, schedule: Schedule) -> Relay {
        let transactions = Semaphore::new(TRANSACTIONS);
        Relay { database, dialer, keys, schedule, transactions, is_crowded: AtomicBool::new(false) }
    }

    pub fn start(self, watchdog: &Watchdog) -> Relaying {
        let (relay, ended) = (Arc::new(self), Arc::new(Notify::new()));
        let (stop, stopped) = watch::channel(false);
        let reported = ended.clone();
        watchdog.spawn("webhooks", move |pulse| {
            let (relay, stopped, reported) = (relay.clone(), stopped.clone(), reported.clone());
            async move {
                relay.run(stopped, pulse).await;
                reported.notify_one();
            }
        });
        Relaying { stop, ended }
    }

    async fn run(self: Arc<Self>, mut stop: watch::Receiver<bool>, pulse: Pulse) {
        self.release_own().await;
        let mut workers = Workers::default();
        while !*stop.borrow() {
            let round = self.round(&mut workers, &stop).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "webhooks cannot be relayed now");
                workers.fan_outs.end_rests();
                Round::default()
            });
            let mut until = Instant::now() + if round.is_busy { BUSY } else { IDLE };
            pulse.excuse();
            loop {
                tokio::select! {
                    () = tokio::time::sleep_until(until) => break,
                    _ = stop.wait_for(|stop| *stop) => break,
                    Some(ended) = workers.fan_outs.join_next() => {
                        let now = Instant::now();
                        workers.fan_outs.note_end(&ended, now);
                        self.start_fan_outs(&mut workers);
                        if ended.result.is_ok_and(|events| events > 0) {
                            // There may be more of it, and there are deliveries that are due.
                            until = until.min(now + BUSY);
                        }
                    }
                    Some(Ok(tenant)) = workers.tasks.join_next() => {
                        workers.note_end(tenant);
                        // Another lane may take its slot.
                        if round.is_crowded {
                            break;
                        }
                    }
                }
            }
            pulse.beat();
        }
        pulse.excuse();
        while workers.tasks.join_next().await.is_some() {}
    }

    /// An embedded database has one host: a claimed delivery is of a host that is gone.
    async fn release_own(&self) {
        if let Database::Sqlite(_) = *self.database {
            let released =
                self.database.write_plain(Shard::Global, (), |session, ()| Box::pin(lane::release_all(session))).await;
            if let Err(error) = released {
                tracing::warn!(%error, "deliveries of the last run wait for their leases to end");
            }
        }
    }

    /// Begins to turn what is new into deliveries, and to send what is due.
    async fn round(self: &Arc<Self>, workers: &mut Workers, stop: &watch::Receiver<bool>) -> Result<Round, Error> {
        let mut round = Round::default();
        let is_next_wanted = workers.fan_outs.is_empty();
        for shard in self.database.shards() {
            let after = is_next_wanted.then(|| workers.fan_outs.last(shard));
            match self.round_at(shard, after, workers, stop).await {
                Ok(there) => {
                    round.is_busy |= there.is_busy;
                    round.is_crowded |= there.is_crowded;
                    round.leaves_others |= there.leaves_others;
                }
                Err(error) if shard == Shard::Global => return Err(error),
                // Its companies wait, and those of other servers do not.
                Err(error) => {
                    let place = self.database.place_name(shard);
                    tracing::warn!(place, %error, "webhooks of a place cannot be relayed now");
                }
            }
        }
        self.is_crowded.store(round.leaves_others, Ordering::Relaxed);
        self.start_fan_outs(workers);
        Ok(round)
    }

    /// The round's part on one server. `after`: the last company whose news were found, where the next are wanted.
    async fn round_at(
        self: &Arc<Self>,
        shard: Shard,
        after: Option<Uuid>,
        workers: &mut Workers,
        stop: &watch::Receiver<bool>,
    ) -> Result<Round, Error> {
        let read = self.database.read_plain(shard, after, |session, after| Box::pin(look(session, *after)));
        let (news, is_due) = read.await?;
        if let Some(news) = news {
            workers.fan_outs.add(shard, news);
        }
        let share = workers.share();
        if !is_due || share.lanes == 0 {
            return Ok(Round { is_busy: false, is_crowded: is_due, leaves_others: is_due });
        }
        let taken = self.database.write_plain(shard, share, |session, share| Box::pin(share.take(session))).await?;
        let TakenLanes { lanes, leaves_others } = taken;
        let round = Round { is_busy: !lanes.is_empty(), is_crowded: is_due, leaves_others };
        for lane in lanes {
            *workers.of_company.entry(lane.tenant).or_default() += 1;
            let (relay, stop) = (self.clone(), stop.clone());
            workers.tasks.spawn(async move {
                match AssertUnwindSafe(relay.work(lane, &stop)).catch_unwind().await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => {
                        tracing::warn!(endpoint = %lane.endpoint, %error, "deliveries wait for their lease to end");
                    }
                    Err(_) => tracing::error!(endpoint = %lane.endpoint, "a delivery of webhooks panicked"),
                }
                lane.tenant
            });
        }
        Ok(round)
    }

    /// Begins the fan-outs that there is room for.
    fn start_fan_outs(self: &Arc<Self>, workers: &mut Workers) {
        workers.fan_outs.start(Instant::now(), |tenant| self.clone().fan_out(tenant));
    }

    /// The fan-out of one company; that it failed is this company's matter.
    async fn fan_out(self: Arc<Self>, tenant: Uuid) -> fan_outs::FanOutEnd {
        let began = Instant::now();
        let run = AssertUnwindSafe(fan_out::fan_out(&self.database, tenant, &self.schedule)).catch_unwind();
        let result = run.await.unwrap_or_else(|_| Err(Error::Fault("the fan-out of events panicked".into())));
        if let Err(error) = &result {
            tracing::warn!(company = %tenant, %error, "the events of a company cannot be turned into deliveries now");
        }
        fan_outs::FanOutEnd { tenant, result, time: began.elapsed() }
    }

    /// Sends what is due of a lane, a few deliveries at a time, and leaves it.
    async fn work(&self, lane: Lane, stop: &watch::Receiver<bool>) -> Result<(), Error> {
        let mut ended = Vec::new();
        for wave in 0.. {
            let waves = if self.is_crowded.load(Ordering::Relaxed) { 1 } else { WAVES };
            let goes_on = wave < waves && !*stop.borrow();
            let step = LaneStep { lane, ended, goes_on, schedule: self.schedule.clone(), keys: self.keys.clone() };
            let next = self.step(lane, Arc::new(step)).await?;
            let Some(Wave { url, secrets, claimed, now }) = next else { return Ok(()) };
            let attempts = claimed.into_iter().map(|claimed| self.attempt(&url, &secrets, claimed, now));
            ended = future::join_all(attempts).await;
        }
        Ok(())
    }

    /// One step on a lane; where the database is away for a while, what ended is not forgotten.
    async fn step(&self, lane: Lane, step: Arc<LaneStep>) -> Result<Option<Wave>, Error> {
        let _permit = self.transactions.acquire().await;
        let mut tries = 0;
        loop {
            let stepped = self
                .database
                .write_plain(Shard::Company(lane.tenant), step.clone(), |session, step| Box::pin(step.run(session)))
                .await;
            match stepped {
                Err(Error::Unavailable(why)) if tries < TRIES => {
                    tries += 1;
                    tracing::warn!(why, "attempts cannot be written down yet");
                    tokio::time::sleep(AGAIN).await;
                }
                stepped => return stepped,
            }
        }
    }

    async fn attempt(&self, url: &str, secrets: &Secrets, claimed: Claimed, now: i64) -> Ended {
        let Claimed { id, begun, mut attempts, event } = claimed;
        if begun == 1 {
            metrics::histogram!("stoa_webhook_lag_seconds")
                .record(now.saturating_sub(event.occurred_at) as f64 / 1000.0);
        }
        let body = event.render();
        let headers = headers::list(secrets, now, &body, &event);
        let began = Instant::now();
        let answer = self.dialer.send(url, headers, Bytes::from(body)).await;
        let duration_ms = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
        let outcome = match answer {
            Ok(answer) if (200..300).contains(&answer.status) => "taken",
            Ok(_) => "refused",
            Err(failure) => failure.as_str(),
        };
        metrics::counter!("stoa_webhook_attempts_total", "outcome" => outcome).increment(1);
        attempts.push(Attempt {
            at: now,
            duration_ms,
            response_status: answer.ok().map(|answer| answer.status),
            error: answer.err().map(|failure| failure.as_str().to_owned()),
        });
        Ended { id, begun, attempts, patience: answer.ok().and_then(|answer| answer.retry_after) }
    }
}

/// The next companies with news behind one, where they are wanted, and whether a lane is due.
async fn look(session: &mut Session, after: Option<Uuid>) -> Result<(Option<Vec<Uuid>>, bool), Error> {
    let news = match after {
        Some(after) => Some(fan_out::find_news(session, after).await?),
        None => None,
    };
    Ok((news, lane::is_any_due(session).await?))
}
