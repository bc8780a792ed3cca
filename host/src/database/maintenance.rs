//! Work at a place that may be out of service: the host looks there for what is missing, and makes it. Requests are rejected meanwhile.

use std::time::Duration;

use tokio::time::timeout;

use super::work::{plain_read, unless_refused};
use super::{Database, Error, Plain, Shard, Work};

/// Longest time in which a place that can be worked at answers a look.
const ANSWER: Duration = Duration::from_secs(2);

/// A place that cannot be connected to cannot be worked at, whatever it says.
fn to_unavailable(error: Error) -> Error {
    match error {
        Error::Unavailable(_) => error,
        other => Error::Unavailable(other.to_string()),
    }
}

impl Database {
    /// The shards of all companies that are not at home, one for each place.
    pub fn places(&self) -> Vec<Shard> {
        self.shards().into_iter().filter(|shard| *shard != Shard::Global).collect()
    }

    /// A read of the host's own rows at a place.
    ///
    /// # Errors
    /// The place does not answer.
    pub async fn read_at_place<S, T>(&self, place: Shard, shared: S, read: Plain<S, T>) -> Result<T, Error>
    where
        S: Send + Sync + 'static,
        T: Send + 'static,
    {
        self.run_at_place(place, true, plain_read(shared, read)).await
    }

    /// A write of the host's own rows at a place, undone where it refuses.
    ///
    /// # Errors
    /// The place does not answer, or its tables are in use for too long.
    pub async fn write_at_place<S, T, R>(
        &self,
        place: Shard,
        shared: S,
        write: Plain<S, Result<T, R>>,
    ) -> Result<Result<T, R>, Error>
    where
        S: Send + Sync + 'static,
        T: Send + 'static,
        R: Send + 'static,
    {
        self.run_at_place(place, false, unless_refused(shared, write)).await
    }

    async fn run_at_place<T: Send + 'static>(&self, place: Shard, read_only: bool, work: Work<T>) -> Result<T, Error> {
        let Database::Postgres(servers) = self else {
            return Err(Error::Fault("an embedded database has no places".into()));
        };
        let server = servers.server(place).await?;
        let run = async {
            let answer = timeout(ANSWER, server.ping()).await;
            answer.map_err(|_| Error::Unavailable("it does not answer".into()))?.map_err(to_unavailable)?;
            match read_only {
                true => server.read(place.into(), work, true).await,
                false => server.write(None, place.into(), work, true).await,
            }
        };
        run.await.map_err(|error| match error {
            Error::Unavailable(why) => Error::Unavailable(format!("the place {}: {why}", servers.name(place))),
            error => error,
        })
    }
}
