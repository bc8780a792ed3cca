//! A bystander between the service and PostgreSQL: takes down what is said, message by message that is waited for.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::wire::{self, Prepared};
use super::{Exchange, Statement};

pub struct Proxy {
    pub address: SocketAddr,
    log: Arc<Mutex<Log>>,
}

#[derive(Default)]
struct Log {
    connections: usize,
    /// What was said in each round trip, while recording, and by which connection. A round trip is a message that is sent after
    /// everything before it has been answered.
    exchanges: Vec<(usize, Exchange)>,
    recording: bool,
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

    pub fn record(&self) {
        self.with(|log| {
            log.recording = true;
            log.exchanges.clear();
        });
    }

    /// Ends the recording: what was said since, but for the host's own looks at what it should run.
    pub fn stop_recording(&self) -> Vec<Exchange> {
        let exchanges = self.with(|log| {
            log.recording = false;
            std::mem::take(&mut log.exchanges)
        });
        let mut transactions: Vec<(usize, Vec<Exchange>)> = Vec::new();
        for (connection, exchange) in exchanges {
            let begins = exchange.first().is_some_and(|statement| statement.sql.starts_with("begin"));
            let open = transactions.iter_mut().rev().find(|(of, _)| *of == connection);
            match open {
                Some((_, transaction)) if !begins => transaction.push(exchange),
                _ => transactions.push((connection, vec![exchange])),
            }
        }
        let mut transactions: Vec<Vec<Exchange>> =
            transactions.into_iter().map(|(_, transaction)| transaction).collect();
        transactions.retain(|transaction| !transaction.iter().flatten().any(looks_after_itself));
        transactions.into_iter().flatten().collect()
    }

    fn with<T>(&self, use_log: impl FnOnce(&mut Log) -> T) -> T {
        use_log(&mut self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A statement about generations, backfills and hosts: no request makes it.
fn looks_after_itself(statement: &Statement) -> bool {
    ["stoa_generation", "stoa_upgrade", "stoa_host"].iter().any(|table| statement.sql.contains(table))
}

/// What both directions of a connection know.
struct Talk {
    connection: usize,
    /// The server has answered everything.
    answered: bool,
    prepared: Prepared,
    log: Arc<Mutex<Log>>,
}

async fn connection(client: TcpStream, upstream: String, log: Arc<Mutex<Log>>) -> anyhow::Result<()> {
    let server = TcpStream::connect(&upstream).await.with_context(|| format!("cannot reach {upstream}"))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let number = {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        log.connections += 1;
        log.connections
    };
    let talk = Arc::new(Mutex::new(Talk { connection: number, answered: false, prepared: Prepared::default(), log }));
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let back = tokio::spawn(pass(from_server, to_client, talk.clone(), false));
    let there = pass(from_client, to_server, talk, true).await;
    back.abort();
    there
}

/// Reads every message before it is passed on, so that nobody can answer what was not yet counted.
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
        let mut rest = 0;
        if !begun && let Some(length) = buffer.first_chunk::<4>() {
            // The start-up message has no kind.
            let length = u32::from_be_bytes(*length) as usize;
            if buffer.len() >= length {
                begun = true;
                rest = length;
            }
        }
        let mut used = rest;
        if begun {
            let (messages, size) = wire::messages(&buffer[rest..]);
            let mut talk = talk.lock().unwrap_or_else(PoisonError::into_inner);
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
    fn note_request(&mut self, (kind, payload): wire::Message<'_>) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if kind == b'p' || kind == b'X' {
            return;
        }
        if std::mem::take(&mut self.answered) && log.recording {
            log.exchanges.push((self.connection, Vec::new()));
        }
        let statements = match kind {
            b'Q' => wire::simple(payload),
            b'B' => self.prepared.bind(payload).into_iter().collect(),
            b'P' => {
                let _ = self.prepared.parse(payload);
                return;
            }
            _ => return,
        };
        if log.recording
            && let Some((_, exchange)) = log.exchanges.iter_mut().rev().find(|(of, _)| *of == self.connection)
        {
            exchange.extend(statements);
        }
    }

    fn note_answer(&mut self, (kind, _): wire::Message<'_>) {
        if kind == b'Z' {
            self.answered = true;
        }
    }
}
