//! One connection: its prepared statements, and messages of many statements that are all sent before the first is answered.
//!
//! The driver has its connection run as a task of its own, woken for every message both ways. Here the task that waits
//! for an answer drives it.

use std::future::poll_fn;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::task::Poll;

use futures_util::TryStreamExt as _;
use futures_util::future::{BoxFuture, FutureExt as _, join_all, maybe_done};
use lru::LruCache;
use tokio_postgres::{Client, Row, RowStream, SimpleQueryMessage, SimpleQueryRow};

use super::super::error::is_lost;
use super::Error;
use super::value::PgStatement;

/// Texts of statements that a connection keeps prepared.
const PREPARED: NonZeroUsize = NonZeroUsize::new(512).unwrap();

pub struct Connection {
    client: Client,
    /// Ends with the connection; none once it has.
    driver: Option<BoxFuture<'static, Result<(), tokio_postgres::Error>>>,
    /// By text: one for each list of types that a text was sent with.
    prepared: LruCache<String, Vec<tokio_postgres::Statement>>,
}

/// Why a message was not answered whole.
#[derive(Debug)]
pub enum Unanswered {
    /// The connection ended: it is unknown which of the statements ran.
    Lost(String),
    /// A statement could not be sent; none has run.
    Unsent(Error),
}

impl From<Unanswered> for Error {
    fn from(failure: Unanswered) -> Error {
        match failure {
            Unanswered::Lost(why) => Error::Unavailable(why),
            Unanswered::Unsent(error) => error,
        }
    }
}

impl Connection {
    pub fn new(client: Client, driver: BoxFuture<'static, Result<(), tokio_postgres::Error>>) -> Connection {
        Connection { client, driver: Some(driver), prepared: LruCache::new(PREPARED) }
    }

    /// Returns whether the server has ended it, as far as has arrived here.
    pub fn has_ended(&mut self) -> bool {
        if let Some(driver) = &mut self.driver
            && driver.now_or_never().is_some()
        {
            self.driver = None;
        }
        self.driver.is_none()
    }

    /// Forgets what is prepared: the schema has changed.
    pub fn forget_statements(&mut self) {
        self.prepared.clear();
    }

    /// Sends texts without parameters, as one, and answers all their rows.
    pub async fn send_text(&mut self, text: &str) -> Result<Vec<SimpleQueryRow>, Unanswered> {
        let messages = drive(&mut self.driver, self.client.simple_query(text)).await?.map_err(judge)?;
        let row = |message| if let SimpleQueryMessage::Row(row) = message { Some(row) } else { None };
        Ok(messages.into_iter().filter_map(row).collect())
    }

    /// Sends all statements, then hands every row to `take` with the number of its statement, in order. Answers how each ended:
    /// in a transaction none runs that follows one which failed.
    pub async fn send(
        &mut self,
        statements: &[PgStatement],
        take: &mut (dyn FnMut(usize, Row) + Send),
    ) -> Result<Vec<Result<(), Error>>, Unanswered> {
        let prepared = self.prepare(statements).await?;
        let client = &self.client;
        let outcomes = drive(&mut self.driver, async {
            let mut sent: Vec<_> = prepared
                .iter()
                .zip(statements)
                .map(|(prepared, statement)| {
                    let values: Vec<_> = statement.values.iter().map(super::Value::data).collect();
                    Box::pin(maybe_done(client.query_raw(prepared, values)))
                })
                .collect();
            poll_fn(|context| {
                for one in &mut sent {
                    let _ = one.as_mut().poll(context);
                }
                Poll::Ready(())
            })
            .await;
            let mut outcomes = Vec::with_capacity(sent.len());
            for (nth, mut one) in sent.into_iter().enumerate() {
                one.as_mut().await;
                outcomes.push(match one.as_mut().take_output() {
                    Some(Ok(rows)) => read(rows, |row| take(nth, row)).await,
                    Some(Err(error)) => Err(error),
                    None => Ok(()),
                });
            }
            outcomes
        })
        .await?;
        outcomes
            .into_iter()
            .map(|outcome| match outcome.map_err(judge) {
                Ok(()) => Ok(Ok(())),
                Err(Unanswered::Unsent(error)) => Ok(Err(error)),
                Err(lost) => Err(lost),
            })
            .collect()
    }

    /// The prepared forms; those that are missing are prepared, in one message.
    async fn prepare(&mut self, statements: &[PgStatement]) -> Result<Vec<tokio_postgres::Statement>, Unanswered> {
        let mut found: Vec<Option<tokio_postgres::Statement>> = statements.iter().map(|one| self.find(one)).collect();
        let missing: Vec<usize> = (0..found.len()).filter(|nth| found.get(*nth).is_some_and(Option::is_none)).collect();
        if !missing.is_empty() {
            let client = &self.client;
            let prepare = |statement: &PgStatement| {
                let types: Vec<_> = statement.values.iter().map(|value| value.type_.clone()).collect();
                let text = statement.text.to_string();
                async move { client.prepare_typed(&text, &types).await }
            };
            let all = join_all(missing.iter().filter_map(|nth| statements.get(*nth)).map(prepare));
            for (nth, made) in missing.into_iter().zip(drive(&mut self.driver, all).await?) {
                let made = made.map_err(judge)?;
                if let (Some(slot), Some(statement)) = (found.get_mut(nth), statements.get(nth)) {
                    self.prepared.get_or_insert_mut_ref(&*statement.text, Vec::new).push(made.clone());
                    *slot = Some(made);
                }
            }
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn find(&mut self, statement: &PgStatement) -> Option<tokio_postgres::Statement> {
        let prepared = self.prepared.get(&*statement.text)?;
        prepared.iter().find(|prepared| statement.fits(prepared.params())).cloned()
    }
}

async fn read(rows: RowStream, mut take: impl FnMut(Row)) -> Result<(), tokio_postgres::Error> {
    let mut rows = pin!(rows);
    while let Some(row) = rows.try_next().await? {
        take(row);
    }
    Ok(())
}

fn judge(error: tokio_postgres::Error) -> Unanswered {
    if is_lost(&error) {
        return Unanswered::Lost(error.to_string());
    }
    Unanswered::Unsent(Error::from_postgres(error))
}

/// Waits for `work` and moves the connection's messages meanwhile.
async fn drive<T>(
    driver: &mut Option<BoxFuture<'static, Result<(), tokio_postgres::Error>>>,
    work: impl Future<Output = T>,
) -> Result<T, Unanswered> {
    let mut work = pin!(work);
    poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Ok(done));
        }
        let Some(running) = driver else {
            return Poll::Ready(Err(Unanswered::Lost("the connection is closed".into())));
        };
        if let Poll::Ready(ended) = running.as_mut().poll(context) {
            *driver = None;
            let why = ended.err().map_or_else(|| "the connection was closed".to_owned(), |error| error.to_string());
            // An answer that had arrived before the end is still returned.
            return match work.as_mut().poll(context) {
                Poll::Ready(done) => Poll::Ready(Ok(done)),
                Poll::Pending => Poll::Ready(Err(Unanswered::Lost(why))),
            };
        }
        work.as_mut().poll(context).map(Ok)
    })
    .await
}
