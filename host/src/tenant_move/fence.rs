//! The pause of a company's writes. Every transaction that may write shares a lock of its company (see
//! [`watermark`](crate::database::watermark)) and is rejected where it cannot have it at once. This command takes the
//! lock for itself: then no such transaction is under way and none begins. A command that is killed loses its
//! connection, and the company is written again where it was.

use std::time::Duration;

use anyhow::Context as _;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tokio::time::Instant;
use uuid::Uuid;

use super::MovePlace;
use super::server::{self, Server};
use crate::database::watermark;

/// The code of a lock that was not to be had in time.
const LOCK_TIMEOUT: &str = "55P03";
/// Longest wait for statements that began before the company was gone from the old place.
const OLD_STATEMENTS: Duration = Duration::from_secs(10);

pub struct Fence {
    connection: PgConnection,
    company: Uuid,
    /// When writes began to be rejected.
    pub since: Instant,
}

impl Fence {
    /// Waits until the writes under way have ended, for no longer than `limit`. `None`: one of them goes on, and new ones are accepted
    /// again.
    pub async fn take(place: &MovePlace, company: Uuid, limit: Duration) -> anyhow::Result<Option<Fence>> {
        let mut connection = server::connect(place, company).await?;
        connection.execute(AssertSqlSafe(format!("set lock_timeout = {}", limit.as_millis()))).await?;
        let since = Instant::now();
        let (class, number) = watermark::lock_of(company);
        let lock = sqlx::query("select pg_advisory_lock($1, $2)").bind(class).bind(number);
        match lock.execute(&mut connection).await {
            Ok(_) => Ok(Some(Fence { connection, company, since })),
            Err(error) if error.as_database_error().and_then(|error| error.code()).as_deref() == Some(LOCK_TIMEOUT) => {
                Ok(None)
            }
            Err(error) => Err(error).context("the lock of the company's writes"),
        }
    }

    /// Accepts writes again.
    pub async fn release(self) -> anyhow::Result<()> {
        self.connection.close().await.context("the lock of the company's writes")
    }

    /// The same after the company has left: a statement that read the company's row before that would take the lock now and write
    /// behind it. Such statements are waited for.
    pub async fn release_behind_old_statements(self, source: &mut Server) -> anyhow::Result<()> {
        let company = self.company;
        let left: String = source.value("select clock_timestamp()::text").await?;
        let old = format!(
            "select exists (select 1 from pg_stat_activity
             where datname = current_database() and state = 'active' and query_start < '{left}'::timestamptz
               and pid <> pg_backend_pid() and (query like '%{company}%' or query like '%from stoa_tenant%'))"
        );
        let until = Instant::now() + OLD_STATEMENTS;
        while Instant::now() < until && source.value::<bool>(old.as_str()).await? {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.release().await
    }
}
