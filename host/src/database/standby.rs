//! The standby of a server, for heavy reads. It reads for a request only if it has replayed everything that the primary had written when
//! the request asked: a report misses no row that its caller has seen. Else the primary reads.

use std::time::Duration;

use tokio::time::sleep;

use super::postgres::Postgres;
use super::work::plain_read;
use super::{Cell, Destination, Error, Row, Session, Shard, Work};

/// How often a standby is asked whether it has come far enough, and the pause between.
const LOOKS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(50);

pub struct Standby(Postgres);

impl Standby {
    pub fn new(postgres: Postgres) -> Standby {
        Standby(postgres)
    }

    /// Runs a heavy read, or returns nothing where the primary has to.
    pub async fn read_heavy<T: Send + 'static>(
        &self,
        primary: &Postgres,
        destination: Destination,
        work: Work<T>,
        is_certain: bool,
    ) -> Option<Result<T, Error>> {
        let outcome = match self.has_replayed(primary).await {
            Ok(true) => match self.0.read_heavy(destination, work, is_certain).await {
                // Replay cancels a statement that reads what it removes, and a standby may end at any time.
                Err(Error::Conflict(_) | Error::Unavailable(_)) => "failed",
                read => {
                    count("standby");
                    return Some(read);
                }
            },
            Ok(false) => "behind",
            Err(_) => "failed",
        };
        count(outcome);
        None
    }

    async fn has_replayed(&self, primary: &Postgres) -> Result<bool, Error> {
        let position =
            primary.read(Shard::Global.into(), plain_read((), |session, ()| Box::pin(position(session))), true);
        let position = position.await?;
        for look in 0..LOOKS {
            if look > 0 {
                sleep(PAUSE).await;
            }
            let read = plain_read(position.clone(), |session, position| Box::pin(has_replayed(session, position)));
            if self.0.read(Shard::Global.into(), read, true).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub fn close(&self) {
        self.0.close();
    }
}

fn count(outcome: &'static str) {
    metrics::counter!("stoa_standby_reads_total", "outcome" => outcome).increment(1);
}

/// How far the primary has written.
async fn position(session: &mut Session) -> Result<String, Error> {
    let rows = session.query("select pg_current_wal_insert_lsn()::text", &[]).await?;
    rows.first().map_or_else(|| Err(Error::Fault("the primary has no position".into())), |row| row.text(0))
}

/// Returns whether a standby has replayed that. A server that is no standby any more has a history of its own.
async fn has_replayed(session: &mut Session, position: &String) -> Result<bool, Error> {
    let sql = "select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::text::pg_lsn";
    let rows = session.query(sql, &[Cell::text(position)]).await?;
    Ok(rows.first().map_or(Ok(None), |row| row.optional(0, Row::boolean))?.unwrap_or(false))
}
