//! The proxy itself: passes everything on and takes down what is said, round trip by round trip.
//!
//! A round trip is what a connection says from the moment at which all that it said before has been answered. Counted so, several
//! statements sent before the first answer are one, however many messages they are.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::wire::{self, Prepared};
use super::{Exchange, Shape, Statement};

pub struct Proxy {
    pub address: SocketAddr,
    log: Arc<Mutex<Log>>,
}

/// How many round trips there were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundTrips {
    pub all: usize,
    /// Those whose answer was passed on.
    pub answered: usize,
    /// Names of the databases that were asked.
    pub databases: BTreeSet<String>,
}

#[derive(Default)]
struct Log {
    connections: usize,
    /// The database of each connection.
    databases: BTreeMap<usize, String>,
    trips: Vec<Trip>,
    recording: bool,
    /// How long every answer is held back.
    delay: Duration,
    /// `options` of the last connection that had any.
    options: Option<String>,
    shapes: BTreeSet<Shape>,
}

struct Trip {
    connection: usize,
    said: Exchange,
    answered: bool,
}

impl Proxy {
    /// Listens on a port of its own and passes everything on to the server at `upstream` (host:port).
    pub async fn start(upstream: String) -> anyhow::Result<Proxy> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let log = Arc::new(Mutex::new(Log::default()));
        let shared = log.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(connection(client, upstream.clone(), shared.clone()));
            }
        });
        Ok(Proxy { address, log })
    }

    /// Begins a recording, and drops the one before.
    pub fn record(&self) {
        self.record_slowly(Duration::ZERO);
    }

    /// The same, with every answer held back for so long: a client that does not wait for a response is far ahead of it.
    pub fn record_slowly(&self, delay: Duration) {
        let mut log = lock(&self.log);
        log.recording = true;
        log.delay = delay;
        log.trips.clear();
    }

    /// Round trips of the recording so far, but for the host's own looks at what it should run.
    pub fn round_trips(&self) -> RoundTrips {
        let log = lock(&self.log);
        let trips: Vec<&Trip> = transactions(&log.trips).into_iter().flatten().collect();
        let database = |trip: &&Trip| log.databases.get(&trip.connection).cloned();
        RoundTrips {
            all: trips.len(),
            answered: trips.iter().filter(|trip| trip.answered).count(),
            databases: trips.iter().filter_map(database).collect(),
        }
    }

    /// Ends the recording: what was said since, but for the host's own looks at what it should run.
    pub fn stop_recording(&self) -> Vec<Exchange> {
        let mut log = lock(&self.log);
        log.recording = false;
        log.delay = Duration::ZERO;
        let trips = std::mem::take(&mut log.trips);
        transactions(&trips).into_iter().flatten().map(|trip| trip.said.clone()).collect()
    }

    /// Every statement that was prepared or sent as text since the last of these calls, recorded or not.
    pub fn take_shapes(&self) -> BTreeSet<Shape> {
        std::mem::take(&mut lock(&self.log).shapes)
    }

    /// The settings that a connection was opened with: `-c name=value ...`.
    pub fn options(&self) -> Option<String> {
        lock(&self.log).options.clone()
    }
}

/// The trips by transaction, without those about generations, backfills, hosts and places, and the relay's looks and fan-outs:
/// no request makes them. Messages of a connection outside a transaction, as to prepare a look's statement, belong to
/// its next one. The end of a transaction that had begun before the log was read is no transaction either.
fn transactions(trips: &[Trip]) -> Vec<Vec<&Trip>> {
    let mut transactions: Vec<Vec<&Trip>> = Vec::new();
    for trip in trips {
        let begins = trip.said.first().is_some_and(|statement| begins(&statement.sql));
        let last =
            transactions.iter_mut().rev().find(|last| last.iter().any(|earlier| earlier.connection == trip.connection));
        match last {
            Some(transaction) if !begins && !has_ended(transaction) => transaction.push(trip),
            _ => transactions.push(vec![trip]),
        }
    }
    transactions.retain(|transaction| {
        let mut said = transaction.iter().flat_map(|trip| &trip.said);
        !said.clone().next().is_some_and(|first| ends(&first.sql)) && !said.any(looks_after_itself)
    });
    transactions
}

fn has_ended(transaction: &[&Trip]) -> bool {
    transaction.iter().flat_map(|trip| &trip.said).any(|statement| ends(&statement.sql))
}

fn begins(sql: &str) -> bool {
    starts_with(sql, "begin")
}

fn ends(sql: &str) -> bool {
    starts_with(sql, "commit") || starts_with(sql, "rollback")
}

fn starts_with(sql: &str, word: &str) -> bool {
    sql.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// The host asks a place whether it serves.
const LOOK_AT_PLACE: &str = "select 1";

fn looks_after_itself(statement: &Statement) -> bool {
    let own_tables = [
        "stoa_generation",
        "stoa_upgrade",
        "stoa_host",
        "stoa_listener",
        "stoa_timer",
        "from stoa_webhook_cursor",
        "stoa_webhook_lane where due_at",
        "from stoa_company_place where changed_at",
    ];
    statement.sql == LOOK_AT_PLACE || own_tables.iter().any(|part| statement.sql.contains(part))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state that both directions of a connection share.
struct Talk {
    connection: usize,
    /// Ends of messages (Sync, Query, the start) that the server has not come to.
    pending: usize,
    /// Something was said since the last of them.
    unfinished: bool,
    /// Everything was answered: the next message is a round trip of its own.
    idle: bool,
    prepared: Prepared,
    log: Arc<Mutex<Log>>,
}

async fn connection(client: TcpStream, upstream: String, log: Arc<Mutex<Log>>) -> anyhow::Result<()> {
    let server = TcpStream::connect(&upstream).await.with_context(|| format!("cannot reach {upstream}"))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let talk = Arc::new(Mutex::new(Talk::new(log)));
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let back = tokio::spawn(pass(from_server, to_client, talk.clone(), false));
    let there = pass(from_client, to_server, talk, true).await;
    back.abort();
    there
}

/// Reads every message before it is passed on, so that no side can answer what was not yet counted.
async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    talk: Arc<Mutex<Talk>>,
    from_client: bool,
) -> anyhow::Result<()> {
    let mut buffer = Vec::with_capacity(64 << 10);
    let mut begun = !from_client;
    loop {
        let known = buffer.len();
        if from.read_buf(&mut buffer).await? == 0 {
            return Ok(());
        }
        let delay = if from_client { Duration::ZERO } else { lock(&lock(&talk).log).delay };
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        let mut rest = 0;
        if !begun && let Some(length) = buffer.first_chunk::<4>() {
            // The start-up message has no kind.
            let length = u32::from_be_bytes(*length) as usize;
            if let Some(start) = buffer.get(4..length) {
                lock(&talk).note_start(start);
                begun = true;
                rest = length;
            }
        }
        let mut used = rest;
        if begun {
            let (messages, size) = wire::messages(&buffer[rest..]);
            let mut talk = lock(&talk);
            messages
                .into_iter()
                .for_each(|message| if from_client { talk.note_request(message) } else { talk.note_answer(message) });
            used += size;
        }
        to.write_all(&buffer[known..]).await?;
        buffer.drain(..used);
    }
}

impl Talk {
    fn new(log: Arc<Mutex<Log>>) -> Talk {
        let connection = {
            let mut log = lock(&log);
            log.connections += 1;
            log.connections
        };
        let prepared = Prepared::default();
        Talk { connection, pending: 1, unfinished: false, idle: false, prepared, log }
    }

    fn note_start(&self, payload: &[u8]) {
        let mut log = lock(&self.log);
        if let Some(options) = wire::start_option(payload, "options") {
            log.options = Some(options);
        }
        if let Some(database) = wire::start_option(payload, "database") {
            log.databases.insert(self.connection, database);
        }
    }

    fn note_request(&mut self, (kind, payload): wire::Message<'_>) {
        let mut log = lock(&self.log);
        if kind == b'p' || kind == b'X' {
            return;
        }
        if std::mem::take(&mut self.idle) && log.recording {
            log.trips.push(Trip { connection: self.connection, said: Vec::new(), answered: false });
        }
        let ends = matches!(kind, b'Q' | b'S');
        self.pending += usize::from(ends);
        self.unfinished = !ends;
        let statements = match kind {
            b'Q' => {
                let statements = wire::simple(payload);
                log.shapes.extend(statements.iter().map(|statement| wire::shape(&statement.sql)));
                statements
            }
            b'B' => self.prepared.bind(payload).into_iter().collect(),
            b'P' => {
                log.shapes.extend(self.prepared.parse(payload));
                return;
            }
            b'D' => {
                let _ = self.prepared.describe(payload);
                return;
            }
            _ => return,
        };
        if log.recording
            && let Some(trip) = log.trips.iter_mut().rev().find(|trip| trip.connection == self.connection)
        {
            trip.said.extend(statements);
        }
    }

    fn note_answer(&mut self, (kind, payload): wire::Message<'_>) {
        match kind {
            b't' => drop(self.prepared.learn_types(payload)),
            b'Z' => {
                self.pending = self.pending.saturating_sub(1);
                self.idle = self.pending == 0 && !self.unfinished;
            }
            _ => return,
        }
        if self.idle {
            let mut log = lock(&self.log);
            if let Some(trip) = log.trips.iter_mut().rev().find(|trip| trip.connection == self.connection) {
                trip.answered = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNC: wire::Message<'static> = (b'S', b"");
    const EXECUTE: wire::Message<'static> = (b'E', b"\0\0\0\0\0");
    const READY: wire::Message<'static> = (b'Z', b"T");

    /// A connection that has started.
    fn talk() -> (Talk, Arc<Mutex<Log>>) {
        let log = Arc::new(Mutex::new(Log { recording: true, ..Log::default() }));
        let mut talk = Talk::new(log.clone());
        talk.note_answer(READY);
        (talk, log)
    }

    fn trips(log: &Mutex<Log>) -> (usize, usize) {
        let log = lock(log);
        (log.trips.len(), log.trips.iter().filter(|trip| trip.answered).count())
    }

    #[test]
    fn what_waits_for_no_answer_is_one_round_trip() {
        let (mut talk, log) = talk();
        talk.note_request((b'Q', b"begin\0"));
        talk.note_request(EXECUTE);
        talk.note_request(SYNC);
        assert_eq!(trips(&log), (1, 0));
        // The answer to the first comes while the second is under way.
        talk.note_answer(READY);
        talk.note_request(EXECUTE);
        assert_eq!(trips(&log), (1, 0));
        talk.note_answer(READY);
        talk.note_request(SYNC);
        assert_eq!(trips(&log), (1, 0), "half a message was under way");
        talk.note_answer(READY);
        assert_eq!(trips(&log), (1, 1));
    }

    #[test]
    fn what_waits_is_another() {
        let (mut talk, log) = talk();
        for trip in 1..=3 {
            talk.note_request((b'Q', b"select 1\0"));
            assert_eq!(trips(&log), (trip, trip - 1));
            talk.note_answer(READY);
        }
        assert_eq!(trips(&log), (3, 3));
    }

    #[test]
    fn what_the_host_does_for_itself_is_no_request() {
        let (mut talk, log) = talk();
        let texts: [&[u8]; 6] = [
            b"begin\0",
            b"select name from catalog_product\0",
            b"BEGIN; select number from stoa_generation\0",
            b"commit\0",
            b"select 1\0",
            b"commit\0",
        ];
        for text in texts {
            talk.note_request((b'Q', text));
            talk.note_answer(READY);
        }
        assert_eq!(transactions(&lock(&log).trips).concat().len(), 2);
    }
}
