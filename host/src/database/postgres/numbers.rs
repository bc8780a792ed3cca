//! The figures of sequences, taken on a connection of their own. Taken inside a request's transaction, a sequence's row would stay
//! locked until that ends, and all documents of a company would wait for each other's flush.
//!
//! One message serves all that wait. Its commit is not flushed: the log is one sequence, so that a document which survives a crash
//! has its figure's row before it, and no figure is given twice.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::Error;
use super::address::Address;
use super::connection::Connection;
use super::value::{PgStatement, field};
use crate::watchdog;

/// Which sequence, and the lowest figure that will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    pub tenant: Uuid,
    pub module: String,
    pub sequence: String,
    pub at_least: i64,
}

type Answer = oneshot::Sender<Result<i64, Error>>;
type Asked = (Figure, Answer);
/// Company, module and name.
type Sequence = (Uuid, String, String);

/// Requests that may wait at once.
const WAITING: usize = 1_024;
/// Longest wait for an answer: beyond the server's own limit of a statement.
const ANSWER: Duration = Duration::from_secs(6);

/// The way to the task that takes figures. It ends with the last of these.
#[derive(Clone)]
pub struct Numbers(mpsc::Sender<Asked>);

impl Numbers {
    pub fn start(address: Address) -> Numbers {
        let (asks, asked) = mpsc::channel(WAITING);
        watchdog::spawn_vital_task(serve(address, asked));
        Numbers(asks)
    }

    pub async fn next(&self, figure: Figure) -> Result<i64, Error> {
        let gone = || Error::Unavailable("no figures are given any more".into());
        let (answer, answered) = oneshot::channel();
        self.0.send((figure, answer)).await.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

async fn serve(address: Address, mut asked: mpsc::Receiver<Asked>) {
    let mut connection: Option<Connection> = None;
    let mut all = Vec::new();
    while asked.recv_many(&mut all, WAITING).await > 0 {
        if connection.as_mut().is_none_or(Connection::has_ended) {
            connection = match connect(&address).await {
                Ok(connection) => Some(connection),
                Err(error) => {
                    all.drain(..).for_each(|(_, answer)| drop(answer.send(Err(error.clone()))));
                    continue;
                }
            };
        }
        if let Some(open) = &mut connection
            && !take_all(open, &mut all).await
        {
            connection = None;
        }
    }
}

async fn connect(address: &Address) -> Result<Connection, Error> {
    let mut connection = address.connect().await?;
    connection.send_text("set synchronous_commit = off").await?;
    Ok(connection)
}

/// $5 figures from the next or from $4 on, whichever is higher. Answers the figure behind them.
const TAKE: &str = "insert into stoa_sequence (tenant_id, module, name, next) values ($1, $2, $3, $4 + $5)
on conflict (tenant_id, module, name) do update set next = greatest(stoa_sequence.next, $4) + $5 returning next";

/// Answers all that wait, each sequence by one statement. False: the connection is not to be used again.
async fn take_all(connection: &mut Connection, all: &mut Vec<Asked>) -> bool {
    let mut sequences: BTreeMap<Sequence, Vec<(i64, Answer)>> = BTreeMap::new();
    for (figure, answer) in all.drain(..) {
        let Figure { tenant, module, sequence, at_least } = figure;
        sequences.entry((tenant, module, sequence)).or_default().push((at_least.max(1), answer));
    }
    let take = |((tenant, module, name), waiting): (&Sequence, &Vec<(i64, Answer)>)| {
        let count = i64::try_from(waiting.len()).unwrap_or(i64::MAX);
        let floor = waiting.iter().map(|(at_least, _)| *at_least).max().unwrap_or(1);
        PgStatement::new(TAKE)
            .bind(Type::UUID, *tenant)
            .bind(Type::TEXT, module.clone())
            .bind(Type::TEXT, name.clone())
            .bind(Type::INT8, floor)
            .bind(Type::INT8, count)
    };
    let statements: Vec<PgStatement> = sequences.iter().map(take).collect();
    let mut behind: Vec<Result<i64, Error>> =
        vec![Err(Error::Fault("a sequence without a figure".into())); statements.len()];
    let mut take = |nth: usize, row| {
        if let Some(behind) = behind.get_mut(nth) {
            *behind = field(&row, 0);
        }
    };
    let sent = match timeout(ANSWER, connection.send(&statements, &mut take)).await {
        Ok(sent) => sent.map_err(Error::from),
        Err(_) => Err(Error::Unavailable("the database server does not answer".into())),
    };
    let lives = sent.is_ok();
    let outcomes = sent.unwrap_or_else(|error| vec![Err(error); statements.len()]);
    for (((_, waiting), behind), outcome) in sequences.into_iter().zip(behind).zip(outcomes) {
        let count = i64::try_from(waiting.len()).unwrap_or(i64::MAX);
        let first = outcome.and(behind).map(|behind| behind - count);
        for ((_, answer), nth) in waiting.into_iter().zip(0..) {
            // The requester may have gone: its figure is never used.
            let _ = answer.send(first.clone().map(|first| first + nth));
        }
    }
    lives
}
