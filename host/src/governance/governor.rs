//! Admission: whether a caller may ask at all right now. A user needs a permit of the minute in that company. An API client needs its
//! company's entitlement, then its month, then its minute and the minute of all clients of the company.
//!
//! Permits are leased in blocks, so that most requests are admitted without the database. A block that is half used is followed by
//! the next in the background: a lease is a write, and no request should wait for the writes of others because of it. The host
//! reads again if a key is active and the company is entitled: with each lease, with each refusal, and in each admitted request's own
//! transaction.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use stoa_descriptor::Access;
use tokio::time::timeout;
use uuid::Uuid;

use super::lease;
use super::leasing::Leasing;
use super::permits::{Bucket, Lease, Permits, Subject, Taken, Want};
use super::totals::Totals;
use super::window::{Span, seconds_until};
use crate::database::{Cell, Database, Destination, Error, QueueKey, Session, Shard, Verdict, work};
use crate::pipeline::opening::{Opening, open};
use crate::pipeline::request::Caller;
use crate::problem::Problem;

/// A lease takes this part of a window: a host in full swing leases about once a second, and a crash costs two in a hundred.
const BLOCKS: u64 = 50;
/// Leases until an admission gives up: windows may end while one is under way.
const ATTEMPTS: usize = 8;
/// Longest time of an admission. Callers of a company whose own queue is full receive 503 by then.
const TIME: Duration = Duration::from_secs(5);

/// Requests a minute, by setting.
#[derive(Debug, Clone, Copy)]
pub struct RateLimits {
    /// Limit of one user in one company.
    pub user: u64,
    /// Limit of all API clients of one company together.
    pub tenant: u64,
    /// Limit of one user in all companies together, on this host.
    pub user_total: u64,
}

/// Permits of a request from each window that counts it, or the reason for its refusal; with the values of the headers.
#[derive(Debug)]
pub struct Permit {
    pub refused: Option<Problem>,
    pub headers: Option<Headers>,
    /// The user is no member of the company that the request names. The request costs a permit and is rejected.
    pub is_stranger: bool,
    taken: Vec<Subject>,
}

/// The three `X-RateLimit-*`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Headers {
    pub limit: u64,
    pub remaining: u64,
    /// Unix seconds.
    pub reset: i64,
}

impl Headers {
    /// Those of the window that rejects, where a problem names one.
    pub fn or_of_window(self, problem: &Problem) -> Headers {
        let (Some(limit), Some(seconds)) = (problem.window, problem.retry_after) else { return self };
        let reset = chrono::Utc::now().timestamp().saturating_add(i64::from(seconds));
        Headers { limit: limit.into(), remaining: 0, reset }
    }
}

/// Clones share everything.
#[derive(Clone)]
pub struct Governor {
    limits: RateLimits,
    database: Arc<Database>,
    permits: Arc<Mutex<Permits>>,
    totals: Arc<Mutex<Totals>>,
    leasing: Arc<Leasing>,
    /// The database's clock less this host's, milliseconds: reported by each lease.
    offset: Arc<std::sync::atomic::AtomicI64>,
}

/// Result of leasing.
enum Leased {
    Granted {
        now: i64,
        leases: Vec<(Want, Lease)>,
    },
    Refused(Problem),
    /// A user who is no member of the company.
    Stranger,
}

impl Governor {
    pub fn new(limits: RateLimits, database: Arc<Database>) -> Governor {
        Governor {
            limits,
            database,
            permits: Arc::default(),
            totals: Arc::default(),
            leasing: Arc::default(),
            offset: Arc::default(),
        }
    }

    /// Takes the permits that a request costs. An error: the database does not respond, or not in time.
    pub async fn admit(&self, caller: &Caller, tenant: Option<Uuid>) -> Result<Permit, Problem> {
        timeout(TIME, self.admit_in_time(caller, tenant)).await.unwrap_or_else(|_| {
            metrics::counter!("stoa_admissions_timed_out_total").increment(1);
            tracing::warn!("unavailable: an admission took too long");
            Err(Problem::new("UNAVAILABLE"))
        })
    }

    async fn admit_in_time(&self, caller: &Caller, tenant: Option<Uuid>) -> Result<Permit, Problem> {
        let wants = self.wants(caller, tenant);
        if let Caller::User(user) = caller {
            let now = self.now();
            let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
            if !totals.take(user.id, self.limits.user_total, now) {
                drop(totals);
                count_limited("user_total");
                let wait = Some(seconds_until(now, Span::Minute.end(now)));
                return Ok(self.refuse(Problem { retry_after: wait, ..Problem::new("RATE_LIMITED") }, &wants));
            }
        }
        // The nil UUID is no company: every user is a stranger there.
        let permit =
            if tenant.is_some_and(|tenant| tenant.is_nil()) { None } else { self.take(caller, tenant, &wants).await? };
        if let Some(permit) = permit {
            return Ok(permit);
        }
        // A stranger's requests count together, so that no user fills the table with companies of others.
        let permit = self.take(caller, None, &self.wants(caller, None)).await?;
        permit.map(|permit| Permit { is_stranger: true, ..permit }).ok_or_else(|| Problem::new("UNAVAILABLE"))
    }

    /// Gives the permits back: the request was refused for a reason that costs nothing.
    pub fn give_back(&self, permit: &Permit) {
        for subject in &permit.taken {
            self.permits().put_back(*subject, self.now());
        }
    }

    /// Gives back what counts to the month: a replay costs none of it.
    pub fn give_quota_back(&self, permit: &Permit) {
        for subject in permit.taken.iter().filter(|subject| subject.span == Span::Month) {
            self.permits().put_back(*subject, self.now());
        }
    }

    /// Headers for a caller, without taking a permit.
    pub fn headers(&self, caller: &Caller, tenant: Option<Uuid>) -> Headers {
        self.headers_of(&self.wants(caller, tenant), self.now())
    }

    /// How many requests of its month an API client has used. `leased`: what the database says that all hosts have taken of it;
    /// what this host has in hand is not used yet. Never less than the truth: a lease may be younger than what the caller read.
    pub fn used_of_month(&self, tenant: Uuid, client: Uuid, leased: u64) -> u64 {
        let subject = Subject { tenant, id: client, span: Span::Month };
        let permits = self.permits();
        let bucket = permits.bucket(subject, self.now());
        bucket.map_or(leased, |bucket| leased.max(bucket.taken).saturating_sub(bucket.left))
    }

    /// At shutdown: the permits that this host still holds go back, so that a restart costs callers nothing.
    pub async fn stop(&self) {
        let held = self.permits().surrender();
        for (shard, held) in self.database.by_shard(held, |(subject, _)| subject.tenant).await {
            // Permits of many callers: they wait in the queue of no company.
            let destination = shard.with_queue(QueueKey::Global);
            let given = self.database.write_plain(destination, held, |session, held| {
                Box::pin(async move {
                    for (subject, bucket) in held {
                        lease::give_back(session, *subject, bucket).await?;
                    }
                    Ok(())
                })
            });
            if let Err(error) = given.await {
                tracing::warn!(%error, "permits in hand count as used");
            }
        }
    }

    fn wants(&self, caller: &Caller, tenant: Option<Uuid>) -> Vec<Want> {
        let want = |tenant, id, span, limit: u64| Want { subject: Subject { tenant, id, span }, limit: limit.max(1) };
        match caller {
            Caller::User(user) => {
                vec![want(tenant.unwrap_or(Uuid::nil()), user.id, Span::Minute, self.limits.user)]
            }
            Caller::Client(key) => vec![
                want(key.tenant, key.client, Span::Month, key.monthly_quota),
                want(key.tenant, key.client, Span::Minute, key.requests_per_minute),
                want(key.tenant, Uuid::nil(), Span::Minute, self.limits.tenant),
            ],
        }
    }

    /// `None`: a stranger.
    async fn take(&self, caller: &Caller, tenant: Option<Uuid>, wants: &[Want]) -> Result<Option<Permit>, Problem> {
        for _ in 0..ATTEMPTS {
            let now = self.now();
            let taken = self.permits().take(wants, now);
            match taken {
                Taken::All => {
                    self.lease_ahead(caller, tenant, wants, now);
                    return Ok(Some(self.grant(wants, now)));
                }
                Taken::Drained(index) => {
                    let problem = self.refusal(caller, wants.get(index), now).await?;
                    return Ok(Some(self.refuse(problem, wants)));
                }
                Taken::Lacking(_) => {}
            }
            let Some(first) = wants.first() else { break };
            let ticket = self.leasing.enter(first.subject);
            let _lock = ticket.lock().await;
            // The holder of the lock before may have leased for both.
            let taken = self.permits().take(wants, self.now());
            match taken {
                Taken::All => return Ok(Some(self.grant(wants, self.now()))),
                Taken::Drained(_) => continue,
                Taken::Lacking(lacking) => {
                    // A refusal needs only a read: it never reaches the writer.
                    if matches!(caller, Caller::Client(_))
                        && let Err(problem) = self.check_standing(caller).await?
                    {
                        return Ok(Some(self.refuse(problem, wants)));
                    }
                    if let (Caller::User(user), Some(tenant)) = (caller, tenant)
                        && !self.permits().knows(wants)
                        && !self.is_member(user.id, tenant).await?
                    {
                        return Ok(None);
                    }
                    let lacking: Vec<Want> = lacking.iter().filter_map(|index| wants.get(*index).copied()).collect();
                    match self.lease(caller, tenant, lacking).await? {
                        Leased::Granted { now, leases } => self.add(now, leases),
                        Leased::Refused(problem) => return Ok(Some(self.refuse(problem, wants))),
                        Leased::Stranger => return Ok(None),
                    }
                }
            }
        }
        Err(Problem::new("UNAVAILABLE"))
    }

    /// Leases the next block in the background, where the one in hand is half used and no lease of the caller is under way.
    fn lease_ahead(&self, caller: &Caller, tenant: Option<Uuid>, wants: &[Want], now: i64) {
        let least = self.block(caller) / 2;
        let Some(first) = wants.first() else { return };
        if self.permits().find_low(wants, least, now).is_empty() || self.leasing.is_leasing(first.subject) {
            return;
        }
        let (governor, caller, wants, subject) = (self.clone(), caller.clone(), wants.to_vec(), first.subject);
        tokio::spawn(async move {
            let ticket = governor.leasing.enter(subject);
            let _lock = ticket.lock().await;
            // The holder of the lock before may have leased.
            let low = governor.permits().find_low(&wants, least, governor.now());
            // A lease that is rejected or fails is one that a request asks for again, and reports.
            if !low.is_empty()
                && let Ok(Leased::Granted { now, leases }) = governor.lease(&caller, tenant, low).await
            {
                governor.add(now, leases);
            }
        });
    }

    fn add(&self, now: i64, leases: Vec<(Want, Lease)>) {
        let ours = chrono::Utc::now().timestamp_millis();
        self.offset.store(now - ours, std::sync::atomic::Ordering::Relaxed);
        let mut permits = self.permits();
        for (want, lease) in leases {
            permits.add(want, lease);
        }
    }

    fn grant(&self, wants: &[Want], now: i64) -> Permit {
        Permit {
            refused: None,
            headers: Some(self.headers_of(wants, now)),
            is_stranger: false,
            taken: wants.iter().map(|want| want.subject).collect(),
        }
    }

    /// Refuses a request; a refusal of the credential (401) carries no headers.
    fn refuse(&self, problem: Problem, wants: &[Want]) -> Permit {
        let headers = (problem.status != 401).then(|| self.headers_of(wants, self.now()));
        Permit { refused: Some(problem), headers, is_stranger: false, taken: Vec::new() }
    }

    /// Why a used-up window refuses. A key that is no longer active, or whose company is not entitled, receives that
    /// instead.
    async fn refusal(&self, caller: &Caller, drained: Option<&Want>, now: i64) -> Result<Problem, Problem> {
        if matches!(caller, Caller::Client(_))
            && let Err(problem) = self.check_standing(caller).await?
        {
            return Ok(problem);
        }
        let span = drained.map_or(Span::Minute, |want| want.subject.span);
        let (code, limit) = match span {
            Span::Minute => ("RATE_LIMITED", "minute"),
            Span::Month => ("QUOTA_EXCEEDED", "month"),
        };
        count_limited(limit);
        Ok(Problem { retry_after: Some(seconds_until(now, span.end(now))), ..Problem::new(code) })
    }

    /// Checks by live rows that a key is active and its company is entitled.
    pub async fn check_standing(&self, caller: &Caller) -> Result<Result<(), Problem>, Problem> {
        let work = work(caller.clone(), |mut session, caller| async move {
            match read_key(&mut session, &caller, true).await {
                Ok((_, verdict)) => (Some(session), Verdict::RollBack(verdict)),
                Err(error) => (Some(session), Verdict::Fail(error)),
            }
        });
        let shard = Shard::of_tenant(company_of(caller).unwrap_or_default());
        self.database.read(shard, work).await.map_err(|error| unavailable(&error))
    }

    /// Returns whether a user has a membership of a company, whatever its state. The look-up waits in the user's own queue: a
    /// stranger takes no slot of the company.
    pub async fn is_member(&self, user: Uuid, tenant: Uuid) -> Result<bool, Problem> {
        let destination = Shard::of_tenant(tenant).with_queue(QueueKey::Caller(user));
        let found = self.database.read_plain(destination, (user, tenant), |session, (user, tenant)| {
            Box::pin(has_membership(session, *user, *tenant))
        });
        found.await.map_err(|error| unavailable(&error))
    }

    /// Returns whether the caller may do this in the company now, by live rows.
    pub async fn may(&self, caller: &Caller, tenant: Option<Uuid>, access: &Access) -> Result<bool, Problem> {
        let shared = (caller.clone(), tenant, access.clone());
        let work = work(shared, |mut session, shared| async move {
            let (caller, tenant, access) = &*shared;
            let opening = Opening { tenant: *tenant, caller, operation: "", access, claim: None, read_only: true };
            match open(&mut session, &opening).await {
                Ok(opened) => {
                    let may = opened.authenticate(caller).is_ok() && opened.authorize(caller, *tenant, access).is_ok();
                    (Some(session), Verdict::RollBack(may))
                }
                Err(error) => (Some(session), Verdict::Fail(error)),
            }
        });
        let shard = Shard::of_tenant(tenant.unwrap_or_default());
        self.database.read(shard, work).await.map_err(|error| unavailable(&error))
    }

    async fn lease(&self, caller: &Caller, tenant: Option<Uuid>, lacking: Vec<Want>) -> Result<Leased, Problem> {
        let ask = self.block(caller);
        let destination: Destination = match lacking.first().map(|want| Shard::of_tenant(want.subject.tenant)) {
            Some(company @ Shard::Company(_)) => company.into(),
            Some(Shard::Global | Shard::Place(_)) | None => Shard::Global.with_queue(QueueKey::Caller(caller.id())),
        };
        let work = work((caller.clone(), lacking), move |mut session, shared| async move {
            let (caller, lacking) = &*shared;
            match lease_all(&mut session, caller, tenant, lacking, ask).await {
                Ok(leased @ Leased::Granted { .. }) => (Some(session), Verdict::Commit(leased)),
                Ok(leased) => (Some(session), Verdict::RollBack(leased)),
                Err(error) => (Some(session), Verdict::Fail(error)),
            }
        });
        self.database.write(destination, work).await.map_err(|error| unavailable(&error))
    }

    /// Permits of a lease. The month follows the minute's pace: a crash must not cost a good part of it.
    fn block(&self, caller: &Caller) -> u64 {
        let minute = match caller {
            Caller::User(_) => self.limits.user,
            Caller::Client(key) => key.requests_per_minute,
        };
        minute / BLOCKS
    }

    /// The most restrictive of the minutes; a window not known of is whole.
    fn headers_of(&self, wants: &[Want], now: i64) -> Headers {
        let permits = self.permits();
        let minutes = wants.iter().filter(|want| want.subject.span == Span::Minute);
        let (limit, remaining) = minutes
            .map(|want| {
                let bucket = permits.bucket(want.subject, now);
                (want.limit, bucket.map_or(want.limit, Bucket::count_remaining))
            })
            .reduce(|one, other| (one.0.min(other.0), one.1.min(other.1)))
            .unwrap_or((1, 0));
        Headers { limit, remaining, reset: Span::Minute.end(now) / 1000 }
    }

    fn permits(&self) -> std::sync::MutexGuard<'_, Permits> {
        // Bookkeeping by plain arithmetic: a panic elsewhere leaves it whole.
        self.permits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The database's clock, as far as this host knows it.
    fn now(&self) -> i64 {
        chrono::Utc::now().timestamp_millis() + self.offset.load(std::sync::atomic::Ordering::Relaxed)
    }
}

async fn lease_all(
    session: &mut Session,
    caller: &Caller,
    tenant: Option<Uuid>,
    lacking: &[Want],
    ask: u64,
) -> Result<Leased, Error> {
    let now = match (caller, tenant) {
        (Caller::Client(_), _) => {
            let (now, verdict) = read_key(session, caller, false).await?;
            if let Err(problem) = verdict {
                return Ok(Leased::Refused(problem));
            }
            now
        }
        (Caller::User(user), Some(tenant)) => {
            session.begin_plain(false).await?;
            if !has_membership(session, user.id, tenant).await? {
                return Ok(Leased::Stranger);
            }
            session.now().await?
        }
        (Caller::User(_), None) => {
            session.begin_plain(false).await?;
            session.now().await?
        }
    };
    let mut leases = Vec::with_capacity(lacking.len());
    for want in lacking {
        leases.push((*want, lease::lease(session, *want, ask, now).await?));
    }
    Ok(Leased::Granted { now, leases })
}

async fn has_membership(session: &mut Session, user: Uuid, tenant: Uuid) -> Result<bool, Error> {
    let sql = "select 1 from stoa_membership where tenant_id = $1 and user_id = $2";
    Ok(!session.query(sql, &[Cell::Id(tenant), Cell::Id(user)]).await?.is_empty())
}

/// Counts a request that a limit rejects.
fn count_limited(limit: &'static str) {
    metrics::counter!("stoa_rate_limited_total", "limit" => limit).increment(1);
}

/// The company that a key belongs to; a user belongs to none in particular.
fn company_of(caller: &Caller) -> Option<Uuid> {
    match caller {
        Caller::User(_) => None,
        Caller::Client(key) => Some(key.tenant),
    }
}

/// Opens the transaction as any request of the caller would, and returns the database's time and whether the key is
/// active.
async fn read_key(
    session: &mut Session,
    caller: &Caller,
    read_only: bool,
) -> Result<(i64, Result<(), Problem>), Error> {
    let access = Access::Any(Vec::new());
    let opening =
        Opening { tenant: company_of(caller), caller, operation: "", access: &access, claim: None, read_only };
    let opened = open(session, &opening).await?;
    Ok((opened.now, opened.authenticate(caller)))
}

fn unavailable(error: &Error) -> Problem {
    tracing::warn!(%error, "the admission cannot be read");
    Problem::new("UNAVAILABLE")
}
