//! Audit outside a request's own transaction: who was let in and who was not, and reads that disclose identifiers. A
//! task of its own writes them within a second, in batches, so that auditing a read does not make it wait for a write.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::sync::{Mutex, Notify, mpsc, watch};
use uuid::Uuid;

use super::window::Span;
use crate::database::{Cell, Database, Destination, Error, QueueKey, Session};
use crate::ids::Ids;
use crate::watchdog::{Pulse, Watchdog};

/// Entries that may wait. Further entries are counted as lost: no response waits for its audit.
const WAITING: usize = 16_384;
const BATCH: usize = 500;
/// Longest time that an entry waits for company.
const GATHER: Duration = Duration::from_millis(200);
/// Denials by permission written in a minute, of one member or client of a company and of all together; the rest are
/// counted in the metrics only. One member's flood leaves room for the entries of others.
const DENIALS_PER_MINUTE: u32 = 120;
const DENIALS_OF_COMPANY: u32 = 600;
/// Denied admissions of one client written in a minute; `usage` counts all.
const REFUSALS_PER_MINUTE: u32 = 600;
/// A key's last use is written at most so often, milliseconds.
const LAST_USED_MS: i64 = 60_000;
/// Longest wait for the last entries to be written.
const FINISH: Duration = Duration::from_secs(5);
/// Attempts to write a batch while the database is away.
const ATTEMPTS: u32 = 10;

/// One fact to write.
#[derive(Debug, Clone)]
pub struct AccessEntry {
    pub tenant: Uuid,
    pub request_id: Uuid,
    pub actor_type: &'static str,
    pub actor: Uuid,
    pub operation: String,
    pub resource_type: String,
    pub resource: Uuid,
    pub peer: Option<IpAddr>,
    pub user_agent: Option<String>,
    pub what: What,
}

#[derive(Debug, Clone)]
pub enum What {
    /// An API client's request was let in, and answered.
    Admitted { key: Uuid, status: u16 },
    /// An API client's request was refused before anything ran.
    Refused { key: Uuid, status: u16, reason: String },
    /// A caller lacked a permission or scope.
    Denied { status: u16 },
    /// A read that disclosed identifiers.
    Disclosed { status: u16 },
}

impl What {
    fn metadata(&self) -> Json {
        match self {
            What::Admitted { key, status } => json!({ "result": "ADMITTED", "responseCode": status, "keyId": key }),
            What::Refused { key, status, reason } => {
                json!({ "result": "DENIED", "reason": reason, "responseCode": status, "keyId": key })
            }
            What::Denied { status } => json!({ "result": "DENIED", "responseCode": status }),
            What::Disclosed { status } => json!({ "result": "SUCCESS", "responseCode": status }),
        }
    }

    /// The limits within which an entry of its kind is written.
    fn caps(&self, entry: &AccessEntry) -> Vec<(Capped, u32)> {
        match self {
            What::Denied { .. } => vec![
                (Capped::DenialsOf(entry.tenant, entry.actor), DENIALS_PER_MINUTE),
                (Capped::DenialsOfCompany(entry.tenant), DENIALS_OF_COMPANY),
            ],
            What::Refused { .. } => vec![(Capped::Refusals(entry.actor), REFUSALS_PER_MINUTE)],
            What::Admitted { .. } | What::Disclosed { .. } => Vec::new(),
        }
    }
}

/// Entries that are written so often a minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Capped {
    /// Denials of this member or client of this company.
    DenialsOf(Uuid, Uuid),
    DenialsOfCompany(Uuid),
    /// Refusals of this client.
    Refusals(Uuid),
}

/// How many were written in the minute that begins then.
type Caps = HashMap<Capped, (i64, u32)>;

/// Counts one more entry of each; whether all had room. The first that has none ends it, so that one member's flood
/// does not use up what the company has.
fn count_within(caps: &mut Caps, limits: Vec<(Capped, u32)>, window: i64) -> bool {
    limits.into_iter().all(|(capped, most)| {
        let (_, written) = caps.entry(capped).or_insert((window, 0));
        *written = written.saturating_add(1);
        *written <= most
    })
}

/// Where entries are handed in.
pub struct Recorder {
    sender: mpsc::Sender<AccessEntry>,
}

/// The task that writes them.
pub struct Recording {
    stop: watch::Sender<bool>,
    ended: Arc<Notify>,
}

/// State with which a restarted task continues.
#[derive(Clone)]
struct Queue {
    entries: Arc<Mutex<mpsc::Receiver<AccessEntry>>>,
    stop: watch::Receiver<bool>,
    ended: Arc<Notify>,
}

impl Recording {
    /// Takes no more and writes what was handed in.
    pub async fn finish(self) {
        let _ = self.stop.send(true);
        if tokio::time::timeout(FINISH, self.ended.notified()).await.is_err() {
            tracing::error!("the last admissions were not written");
        }
    }
}

impl Recorder {
    pub fn start(database: Arc<Database>, watchdog: &Watchdog) -> (Recorder, Recording) {
        let (sender, receiver) = mpsc::channel(WAITING);
        let (stop, stopped) = watch::channel(false);
        let ended = Arc::new(Notify::new());
        let queue = Queue { entries: Arc::new(Mutex::new(receiver)), stop: stopped, ended: ended.clone() };
        watchdog.spawn("admissions", move |pulse| write(database.clone(), queue.clone(), pulse));
        (Recorder { sender }, Recording { stop, ended })
    }

    /// Hands an entry in. Never waits: where thousands wait it is lost, and counted.
    pub fn record(&self, entry: AccessEntry) {
        if self.sender.try_send(entry).is_err() {
            metrics::counter!("stoa_audit_lost_total").increment(1);
        }
    }
}

async fn write(database: Arc<Database>, queue: Queue, pulse: Pulse) {
    let Queue { entries: receiver, mut stop, ended } = queue;
    let mut receiver = receiver.lock().await;
    let mut caps = Caps::new();
    let mut used: HashMap<Uuid, i64> = HashMap::new();
    let mut entries = Vec::with_capacity(BATCH);
    loop {
        pulse.excuse();
        tokio::select! {
            received = receiver.recv_many(&mut entries, BATCH) => {
                if received == 0 {
                    ended.notify_one();
                    return;
                }
            }
            _ = stop.wait_for(|stop| *stop), if !receiver.is_closed() => {
                receiver.close();
                continue;
            }
        }
        pulse.beat();
        if entries.len() < BATCH && !receiver.is_closed() {
            tokio::time::sleep(GATHER).await;
            while entries.len() < BATCH
                && let Ok(entry) = receiver.try_recv()
            {
                entries.push(entry);
            }
        }
        let now = chrono::Utc::now().timestamp_millis();
        for (shard, entries) in database.by_shard(std::mem::take(&mut entries), |entry| entry.tenant).await {
            let batch = Arc::new(Batch::new(entries, now, &mut caps, &mut used));
            // Entries of many companies: they wait in the queue of none.
            save(&database, shard.with_queue(QueueKey::Global), batch, &pulse).await;
        }
    }
}

async fn save(database: &Database, destination: Destination, batch: Arc<Batch>, pulse: &Pulse) {
    for attempt in 1..=ATTEMPTS {
        let written = database.write_plain(destination, batch.clone(), |session, batch| Box::pin(batch.write(session)));
        match written.await {
            Ok(()) => return,
            Err(error) => {
                tracing::warn!(%error, attempt, entries = batch.audited.len(), "admissions cannot be written yet");
                pulse.rest(Duration::from_millis(200 * u64::from(attempt))).await;
            }
        }
    }
    metrics::counter!("stoa_audit_lost_total").increment(batch.audited.len() as u64);
    tracing::error!(entries = batch.audited.len(), "admissions were not written");
}

/// Key of a day's request counts: tenant, client, day, result, reason.
type Tally = (Uuid, Uuid, String, &'static str, String);

/// Entries that one transaction writes.
struct Batch {
    audited: Vec<AccessEntry>,
    usage: BTreeMap<Tally, i64>,
    /// Keys whose last use is to be noted.
    used: Vec<Uuid>,
}

impl Batch {
    fn new(entries: Vec<AccessEntry>, now: i64, caps: &mut Caps, last_used: &mut HashMap<Uuid, i64>) -> Batch {
        let window = Span::Minute.start(now);
        caps.retain(|_, (minute, _)| *minute == window);
        last_used.retain(|_, time| now - *time < LAST_USED_MS);
        let day = chrono::DateTime::from_timestamp_millis(now).unwrap_or_default().format("%Y-%m-%d").to_string();
        let mut batch = Batch { audited: Vec::with_capacity(entries.len()), usage: BTreeMap::new(), used: Vec::new() };
        for entry in entries {
            let tally = match &entry.what {
                What::Admitted { key, .. } => {
                    last_used.entry(*key).or_insert_with(|| {
                        batch.used.push(*key);
                        now
                    });
                    Some(("ADMITTED", String::new()))
                }
                What::Refused { reason, .. } => Some(("DENIED", reason.clone())),
                What::Denied { .. } | What::Disclosed { .. } => None,
            };
            if let Some((result, reason)) = tally {
                *batch.usage.entry((entry.tenant, entry.actor, day.clone(), result, reason)).or_default() += 1;
            }
            if !count_within(caps, entry.what.caps(&entry), window) {
                metrics::counter!("stoa_audit_capped_total").increment(1);
                continue;
            }
            batch.audited.push(entry);
        }
        batch
    }

    async fn write(&self, session: &mut Session) -> Result<(), Error> {
        let now = session.now().await?;
        let mut ids = Ids::new(now);
        let rows: Vec<Json> = self.audited.iter().map(|entry| row(entry, ids.make())).collect();
        // One statement for the batch, spelt alike for both databases: its rows are a JSON text.
        let insert = match session {
            Session::Sqlite(_) => {
                "insert into stoa_audit (tenant_id, id, request_id, actor_type, actor_id, operation, resource_type,
                   resource_id, ip_address, user_agent, metadata, created_at)
                 select unhex(e.value ->> 0), unhex(e.value ->> 1), unhex(e.value ->> 2), e.value ->> 3, e.value ->> 4,
                   e.value ->> 5, e.value ->> 6, unhex(e.value ->> 7), e.value ->> 8, e.value ->> 9, e.value ->> 10, $2
                 from json_each($1) as e"
            }
            Session::Postgres(_) => {
                "insert into stoa_audit (tenant_id, id, request_id, actor_type, actor_id, operation, resource_type,
                   resource_id, ip_address, user_agent, metadata, created_at)
                 select (e ->> 0)::uuid, (e ->> 1)::uuid, (e ->> 2)::uuid, e ->> 3, e ->> 4, e ->> 5, e ->> 6,
                   (e ->> 7)::uuid, e ->> 8, e ->> 9, e ->> 10, $2
                 from jsonb_array_elements($1::jsonb) as e"
            }
        };
        session.query(insert, &[Cell::text(Json::Array(rows).to_string()), Cell::Instant(now)]).await?;
        for ((tenant, client, day, result, reason), requests) in &self.usage {
            session
                .query(
                    "insert into stoa_api_usage (tenant_id, client_id, day, result, reason, requests)
                     values ($1, $2, $3, $4, $5, $6)
                     on conflict (tenant_id, client_id, day, result, reason)
                     do update set requests = stoa_api_usage.requests + excluded.requests",
                    &[
                        Cell::Id(*tenant),
                        Cell::Id(*client),
                        Cell::text(day),
                        Cell::text(*result),
                        Cell::text(reason),
                        Cell::Integer(*requests),
                    ],
                )
                .await?;
        }
        for key in &self.used {
            session
                .query(
                    "update stoa_api_key set last_used_at = $2
                     where id = $1 and (last_used_at is null or last_used_at <= $3)",
                    &[Cell::Id(*key), Cell::Instant(now), Cell::Instant(now - LAST_USED_MS)],
                )
                .await?;
        }
        Ok(())
    }
}

fn row(entry: &AccessEntry, id: Uuid) -> Json {
    json!([
        entry.tenant.simple(),
        id.simple(),
        entry.request_id.simple(),
        entry.actor_type,
        entry.actor.to_string(),
        entry.operation,
        entry.resource_type,
        entry.resource.simple(),
        entry.peer.map(|peer| peer.to_string()),
        entry.user_agent,
        entry.what.metadata().to_string(),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(what: What) -> AccessEntry {
        AccessEntry {
            tenant: Uuid::from_u128(1),
            request_id: Uuid::nil(),
            actor_type: "API_CLIENT",
            actor: Uuid::from_u128(2),
            operation: "read".into(),
            resource_type: "API_REQUEST".into(),
            resource: Uuid::from_u128(2),
            peer: None,
            user_agent: None,
            what,
        }
    }

    #[test]
    fn floods_are_counted_and_not_written() {
        let refused = || entry(What::Refused { key: Uuid::nil(), status: 429, reason: "RATE_LIMITED".into() });
        let denied = || entry(What::Denied { status: 403 });
        let (mut caps, mut used) = (HashMap::new(), HashMap::new());
        let mut flood: Vec<AccessEntry> = (0..1000).map(|_| refused()).collect();
        flood.extend((0..1000).map(|_| denied()));
        let batch = Batch::new(flood, 0, &mut caps, &mut used);
        assert_eq!(batch.audited.len() as u32, REFUSALS_PER_MINUTE + DENIALS_PER_MINUTE);
        assert_eq!(batch.usage.values().sum::<i64>(), 1000);
        assert_eq!(Batch::new(vec![denied()], 59_999, &mut caps, &mut used).audited.len(), 0);
        assert_eq!(Batch::new(vec![denied()], 60_000, &mut caps, &mut used).audited.len(), 1);
    }

    #[test]
    fn one_members_denials_leave_room_for_those_of_others() {
        let denied = |actor: u128| AccessEntry { actor: Uuid::from_u128(actor), ..entry(What::Denied { status: 403 }) };
        let (mut caps, mut used) = (HashMap::new(), HashMap::new());
        let mut write = |entries| Batch::new(entries, 0, &mut caps, &mut used).audited;
        write((0..1000).map(|_| denied(2)).collect());
        assert_eq!(write(vec![denied(3)]).iter().map(|entry| entry.actor).collect::<Vec<_>>(), [Uuid::from_u128(3)]);
        // All members together have a limit as well.
        let others = write((0..20).flat_map(|actor| (0..100).map(move |_| 10 + actor)).map(denied).collect());
        assert_eq!(others.len() as u32, DENIALS_OF_COMPANY - DENIALS_PER_MINUTE - 1);
    }

    #[test]
    fn every_admission_is_written_and_a_keys_use_once_a_minute() {
        let admitted = || entry(What::Admitted { key: Uuid::from_u128(7), status: 200 });
        let (mut caps, mut used) = (HashMap::new(), HashMap::new());
        let batch = Batch::new(vec![admitted(), admitted()], 0, &mut caps, &mut used);
        assert_eq!((batch.audited.len(), batch.used.len()), (2, 1));
        assert!(Batch::new(vec![admitted()], 1000, &mut caps, &mut used).used.is_empty());
        assert_eq!(Batch::new(vec![admitted()], 60_000, &mut caps, &mut used).used.len(), 1);
    }
}
