//! ServerGroup with the same database, of which one takes writes: the primary. A failover makes another one the primary, so that each new
//! connection looks for it.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::select_ok;

use super::super::Error;

/// How long the last primary has to respond before the next server is tried as well. A machine that is gone does not respond.
const HEAD_START: Duration = Duration::from_millis(250);
/// More servers than a failover needs. Each one is a try of every connection.
const MOST: usize = 8;

/// The driver's settings for each server. Clones share their knowledge of the primary.
#[derive(Clone)]
pub struct ServerGroup<T> {
    all: Arc<[T]>,
    /// The one that was the primary last.
    primary: Arc<AtomicUsize>,
    /// A server that takes no writes is passed over.
    pub primary_only: bool,
}

impl<T: Clone> ServerGroup<T> {
    pub fn new(all: Vec<T>, primary_only: bool) -> ServerGroup<T> {
        ServerGroup { all: all.into(), primary: Arc::default(), primary_only }
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.all.iter()
    }

    /// The first connection that `connect` makes. It fails for a server that takes no writes if `primary_only`.
    ///
    /// # Errors
    /// The last server's, if each failed.
    pub async fn connect<C, F>(&self, connect: impl Fn(T) -> F) -> Result<C, Error>
    where
        C: Send,
        F: Future<Output = Result<C, Error>> + Send,
    {
        let last = self.primary.load(Relaxed);
        let tries = self.all.iter().cycle().skip(last).take(self.all.len()).zip(0_u32..).map(|(server, nth)| {
            let connecting = connect(server.clone());
            async move {
                if nth > 0 {
                    tokio::time::sleep(HEAD_START * nth).await;
                }
                connecting.await.map(|connection| (nth, connection))
            }
            .boxed()
        });
        let ((nth, connection), _) = select_ok(tries).await?;
        let number = usize::try_from(nth).map_or(0, |nth| (last + nth) % self.all.len().max(1));
        self.primary.store(number, Relaxed);
        Ok(connection)
    }
}

/// The address of each server of `postgres://role@one:5432,two:5432/database?...`.
pub fn split(url: &str) -> anyhow::Result<Vec<String>> {
    let Some((scheme, rest)) = url.split_once("://") else { return Ok(vec![url.to_owned()]) };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (role, servers) = authority.split_at(authority.rfind('@').map_or(0, |at_sign| at_sign + 1));
    let servers: Vec<&str> = servers.split(',').collect();
    anyhow::ensure!(servers.len() <= MOST, "STOA_DATABASE_URL lists more than {MOST} servers");
    anyhow::ensure!(servers.len() == 1 || !servers.contains(&""), "STOA_DATABASE_URL lists a server without a name");
    Ok(servers.into_iter().map(|server| format!("{scheme}://{role}{server}{path}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_lists_servers() {
        for (url, servers) in [
            ("postgres://stoa@db/stoa", vec!["postgres://stoa@db/stoa"]),
            ("postgres:///stoa?host=/run/postgresql", vec!["postgres:///stoa?host=/run/postgresql"]),
            (
                "postgres://stoa:a,b@one:5432,[::1]:5433,three/stoa?x=1,2",
                vec![
                    "postgres://stoa:a,b@one:5432/stoa?x=1,2",
                    "postgres://stoa:a,b@[::1]:5433/stoa?x=1,2",
                    "postgres://stoa:a,b@three/stoa?x=1,2",
                ],
            ),
        ] {
            assert_eq!(split(url).unwrap(), servers, "{url}");
        }
        assert!(split("postgres://one,/stoa").is_err());
        assert!(split(&format!("postgres://{}/stoa", ["db"; MOST + 1].join(","))).is_err());
    }

    /// Connects to the server that is the primary; `silent` never responds. Returns the servers that were asked, in order.
    async fn connect(servers: &ServerGroup<u8>, primary: u8, silent: u8) -> Result<Vec<u8>, Error> {
        let asked = std::sync::Mutex::new(Vec::new());
        let connect = |server| {
            let asked = &asked;
            async move {
                asked.lock().unwrap().push(server);
                match server {
                    _ if server == silent => std::future::pending().await,
                    _ if server == primary => Ok(()),
                    _ => Err(Error::Unavailable(format!("{server} takes no writes"))),
                }
            }
        };
        servers.connect(connect).await?;
        Ok(asked.into_inner().unwrap())
    }

    #[tokio::test]
    async fn the_primary_is_found_and_remembered() {
        let servers = ServerGroup::new(vec![1, 2, 3], true);
        assert_eq!(connect(&servers, 1, 0).await.unwrap(), [1]);
        // The primary falls silent, and the third takes over.
        assert_eq!(connect(&servers, 3, 1).await.unwrap(), [1, 2, 3]);
        assert_eq!(connect(&servers, 3, 1).await.unwrap(), [3], "the last primary is asked first");
        assert_eq!(connect(&servers, 2, 3).await.unwrap(), [3, 1, 2]);
        assert!(connect(&servers, 0, 0).await.is_err());
    }
}
