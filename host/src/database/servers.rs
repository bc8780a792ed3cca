//! The PostgreSQL servers of a deployment. The home server has what belongs to no company, and the companies that are at no other
//! place. Each place is a server of its own with a pool, deadlines and a queue of its own. A transaction uses one of them.
//!
//! A place that does not answer, or lacks tables, is out of service: requests of its companies are rejected with 503 at once, and others
//! are served as before.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::directory::{self, Directory};
use super::postgres::Postgres;
use super::standby::Standby;
use super::work::plain_read;
use super::{DatabaseSettings, Destination, Error, Shard, Work};
use crate::watchdog::Pulse;

/// Name of the home server among the places.
pub const HOME: &str = "home";
/// Between two looks at a place.
const LOOK: Duration = Duration::from_millis(300);
/// Longest time in which a place that serves answers a look.
const ANSWER: Duration = Duration::from_millis(600);

/// A server besides the home server, as the settings name it.
#[derive(Debug, Clone)]
pub struct PlaceSettings {
    pub name: String,
    pub url: String,
    /// Certificates, PEM, that the server's is verified against. Absent: those of the home server.
    pub ca: Option<std::path::PathBuf>,
    pub server: ServerSettings,
}

/// Settings that the home server and each place have.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// The server's share of new companies, as a weight relative to the others' weights. At 0 it gets none.
    pub weight: u32,
    /// The address of a standby that runs heavy reads.
    pub standby_url: Option<String>,
}

impl Default for ServerSettings {
    fn default() -> ServerSettings {
        ServerSettings { weight: 1, standby_url: None }
    }
}

/// Checks that a place has what the active generation needs, beyond the host's own tables. It returns what is missing.
pub type CheckPlace = Box<dyn Fn(Shard) -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

pub struct Servers {
    /// The home server, then the places in the settings' order.
    servers: Vec<Server>,
    directory: Directory,
    check: OnceLock<CheckPlace>,
}

struct Server {
    name: String,
    postgres: Arc<Postgres>,
    standby: Option<Standby>,
    settings: DatabaseSettings,
    /// Why the place is out of service. The home server has none: it is always asked.
    refusal: Option<watch::Sender<Option<Arc<str>>>>,
}

/// The server of a transaction.
struct Target<'s> {
    number: usize,
    server: &'s Server,
    /// The home server has just said so: a company without a row there is nowhere.
    is_certain: bool,
}

impl Servers {
    /// Connects to the home server. Places are looked at once: one that cannot serve is looked at again later.
    ///
    /// # Errors
    /// The home server cannot be used, or the address of a place is no address.
    pub async fn open(url: &str, settings: &DatabaseSettings, migrate: bool) -> anyhow::Result<Servers> {
        let home = Arc::new(Postgres::open(HOME, url, settings, migrate).await?);
        let mut servers = vec![Server::new(HOME, home.clone(), settings.clone(), None)?];
        for place in &settings.places {
            let settings = settings.of_place(place);
            let postgres = Arc::new(Postgres::new(&place.name, &place.url, &settings)?.with_home(home.clone()));
            let server = Server::new(&place.name, postgres, settings, Some(watch::Sender::new(None)))?;
            let migrated = if migrate { server.postgres.migrate(&server.settings).await } else { Ok(()) };
            if let Err(error) = migrated.and(server.check().await) {
                server.refuse(&error.to_string());
            }
            servers.push(server);
        }
        Ok(Servers { servers, directory: Directory::default(), check: OnceLock::new() })
    }

    pub fn count(&self) -> usize {
        self.servers.len()
    }

    pub fn home(&self) -> &Arc<Postgres> {
        &self.servers[0].postgres
    }

    /// Each server with its name.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Arc<Postgres>)> {
        self.servers.iter().map(|server| (&*server.name, &server.postgres))
    }

    /// The server that has the rows of a shard.
    ///
    /// # Errors
    /// The home server cannot say where a company is, or no place has the name that it says.
    pub async fn server(&self, shard: Shard) -> Result<&Arc<Postgres>, Error> {
        Ok(&self.target(shard.into()).await?.server.postgres)
    }

    /// The shard of all companies at the place of this one.
    pub async fn shard_of(&self, tenant: Uuid) -> Result<Shard, Error> {
        let target = self.target(Shard::of_tenant(tenant).into()).await?;
        Ok(Shard::of_server(target.number))
    }

    /// Takes note that a company has new rows. Where its place is not known, every place takes the note.
    pub fn note_write(&self, tenant: Uuid) {
        let number = if self.count() == 1 { Some(0) } else { self.directory.find(tenant) };
        let servers = self.servers.iter().enumerate().filter(|(nth, _)| number.is_none_or(|number| number == *nth));
        servers.for_each(|(_, server)| server.postgres.watermark.note_write(tenant));
    }

    /// Name of the place of all companies of a shard.
    pub fn name(&self, shard: Shard) -> &str {
        match shard {
            Shard::Place(number) => self.servers.get(number).map_or("", |server| &server.name),
            Shard::Global | Shard::Company(_) => HOME,
        }
    }

    /// The shard of a place by its name.
    pub fn find(&self, name: &str) -> Option<Shard> {
        self.servers.iter().position(|server| server.name == name).map(Shard::of_server)
    }

    /// Each server by its name, and whether it is in service.
    pub fn states(&self) -> impl Iterator<Item = (&str, bool)> {
        self.servers.iter().map(|server| (&*server.name, server.is_in_service()))
    }

    /// The place with the most room for a new company: the one with the fewest companies for its weight, of those that serve.
    ///
    /// # Errors
    /// The home server does not answer, or no place takes new companies.
    pub async fn choose_place(&self) -> Result<Shard, Error> {
        if self.count() == 1 {
            return Ok(Shard::Global);
        }
        let count = plain_read((), |session, ()| Box::pin(directory::count_companies(session)));
        let (elsewhere, home) = self.read(Shard::Global.into(), count).await?;
        let companies = |name: &str| match elsewhere.iter().find(|(place, _)| place == name) {
            Some((_, count)) => *count,
            None => 0,
        };
        let share = |server: &Server| {
            let (weight, at_home) = (server.settings.server.weight, server.name == HOME);
            let count = if at_home { home } else { companies(&server.name) };
            (weight > 0 && server.is_in_service()).then(|| count as f64 / f64::from(weight))
        };
        let shares = self.servers.iter().enumerate().filter_map(|(number, server)| Some((number, share(server)?)));
        let least = shares.min_by(|(_, one), (_, other)| one.total_cmp(other));
        least
            .map(|(number, _)| Shard::of_server(number))
            .ok_or_else(|| Error::Unavailable("no place takes new companies".into()))
    }

    async fn target(&self, destination: Destination) -> Result<Target<'_>, Error> {
        let (number, is_certain) = match destination.shard {
            Shard::Global => (0, false),
            Shard::Place(number) => (number, false),
            // The only server has every company.
            Shard::Company(_) if self.servers.len() == 1 => (0, true),
            Shard::Company(company) => match self.directory.find(company) {
                Some(number) => (number, false),
                None => (self.look_up(company, destination).await?, true),
            },
        };
        let server = self.servers.get(number).ok_or_else(|| Error::Fault(format!("there is no server {number}")))?;
        Ok(Target { number, server, is_certain })
    }

    /// Asks the home server for a company's place. The question waits in the caller's queue.
    async fn look_up(&self, company: Uuid, destination: Destination) -> Result<usize, Error> {
        let read = plain_read(company, |session, company| Box::pin(directory::read_place(session, *company)));
        let home = Shard::Global.with_queue(destination.queue);
        let place = self.servers[0].postgres.read(home, read, true).await?;
        let number = match place {
            None => 0,
            Some(name) => {
                let number = self.servers.iter().position(|server| server.name == name);
                number.ok_or_else(|| Error::Unavailable(format!("the settings name no place {name}")))?
            }
        };
        self.directory.remember(company, number);
        Ok(number)
    }

    pub async fn write<T: Send + 'static>(
        &self,
        deadline: Option<Instant>,
        destination: Destination,
        work: Work<T>,
    ) -> Result<T, Error> {
        let attempt = |server: Arc<Postgres>, is_certain| {
            let work = work.clone();
            async move { server.write(deadline, destination, work, is_certain).await }
        };
        self.run(destination, attempt, Error::CommitUnknown).await
    }

    pub async fn read<T: Send + 'static>(&self, destination: Destination, work: Work<T>) -> Result<T, Error> {
        let attempt = |server: Arc<Postgres>, is_certain| {
            let work = work.clone();
            async move { server.read(destination, work, is_certain).await }
        };
        self.run(destination, attempt, Error::Unavailable).await
    }

    pub async fn read_heavy<T: Send + 'static>(&self, destination: Destination, work: Work<T>) -> Result<T, Error> {
        let target = self.target(destination).await?;
        if let Some(standby) = &target.server.standby
            && target.server.is_in_service()
        {
            let read = standby.read_heavy(&target.server.postgres, destination, work.clone(), target.is_certain);
            // A company that has moved is found by the primary.
            if let Some(answer) = read.await.filter(|answer| !matches!(answer, Err(Error::Moved(_)))) {
                return answer;
            }
        }
        let attempt = |server: Arc<Postgres>, is_certain| {
            let work = work.clone();
            async move { server.read_heavy(destination, work, is_certain).await }
        };
        self.run(destination, attempt, Error::Unavailable).await
    }

    /// Runs a transaction on the server of its shard, again on another one where the company has moved there. It ends with the server:
    /// no request waits for one that does not answer. `interrupted`: the error of a transaction that had begun by then.
    async fn run<T, F>(
        &self,
        destination: Destination,
        attempt: impl Fn(Arc<Postgres>, bool) -> F,
        interrupted: fn(String) -> Error,
    ) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let target = self.target(destination).await?;
        let ended = target.server.run(attempt(target.server.postgres.clone(), target.is_certain), interrupted).await;
        let Err(Error::Moved(company)) = ended else { return ended };
        self.directory.forget(company);
        let target = self.target(destination).await?;
        target.server.run(attempt(target.server.postgres.clone(), true), interrupted).await
    }

    /// Sets the check of a place beyond the host's own tables, once there is a generation, and refuses the places that fail it.
    pub async fn set_check(&self, check: CheckPlace) {
        let _ = self.check.set(check);
        for (number, server) in self.servers.iter().enumerate().skip(1) {
            if server.is_in_service()
                && let Err(why) = self.check_place(number).await
            {
                server.refuse(&why);
            }
        }
    }

    /// Looks after the places as long as the host runs: whether each serves, and which companies have moved.
    pub async fn keep(self: Arc<Self>, pulse: Pulse) {
        if self.count() == 1 {
            pulse.excuse();
            return;
        }
        loop {
            let mut looks = Vec::with_capacity(self.count());
            for (number, server) in self.servers.iter().enumerate().skip(1) {
                looks.push(self.look(number, server).boxed());
            }
            let (_, moved) = tokio::join!(join_all(looks), self.read_changes());
            if let Err(error) = moved {
                tracing::debug!(%error, "moved companies are looked for again");
            }
            pulse.rest(LOOK).await;
        }
    }

    async fn look(&self, number: usize, server: &Server) {
        let was_in_service = server.is_in_service();
        let found = match was_in_service {
            false => match server.check().await {
                Ok(()) => self.check_place(number).await,
                Err(error) => Err(error.to_string()),
            },
            true => match timeout(ANSWER, server.postgres.ping()).await {
                Ok(answer) => answer.map_err(|error| error.to_string()),
                Err(_) => Err("the server does not answer".to_owned()),
            },
        };
        match found {
            Err(why) => server.refuse(&why),
            Ok(()) if !was_in_service => {
                tracing::info!(place = server.name, "the place is in service again");
                server.accept();
            }
            Ok(()) => {}
        }
    }

    async fn check_place(&self, number: usize) -> Result<(), String> {
        match self.check.get() {
            Some(check) => check(Shard::Place(number)).await,
            None => Err("no generation is known yet".to_owned()),
        }
    }

    async fn read_changes(&self) -> Result<(), Error> {
        let since = self.directory.read_until();
        let read = plain_read(since, |session, since| Box::pin(directory::read_changes(session, *since)));
        let (placed, now) = self.read(Shard::Global.into(), read).await?;
        let until = placed.last().map_or(now.min(since.unwrap_or(now)), |last| last.changed_at);
        for placed in placed {
            match self.servers.iter().position(|server| server.name == placed.place) {
                Some(number) => self.directory.remember(placed.company, number),
                None => self.directory.forget(placed.company),
            }
        }
        self.directory.note_read(until);
        Ok(())
    }

    pub fn close(&self) {
        for server in &self.servers {
            server.postgres.close();
            if let Some(standby) = &server.standby {
                standby.close();
            }
        }
    }
}

impl Server {
    /// `refusal`: of a place. The standby that the settings name is connected to when a heavy read comes.
    fn new(
        name: &str,
        postgres: Arc<Postgres>,
        settings: DatabaseSettings,
        refusal: Option<watch::Sender<Option<Arc<str>>>>,
    ) -> anyhow::Result<Server> {
        let url = settings.server.standby_url.as_ref();
        let standby = url.map(|url| Postgres::new(&format!("{name}-standby"), url, &settings)).transpose()?;
        let standby = standby.map(|standby| Standby::new(standby.with_places_of(&postgres)));
        Ok(Server { name: name.to_owned(), postgres, standby, settings, refusal })
    }

    /// Checks the server, its role and the host's own tables.
    async fn check(&self) -> anyhow::Result<()> {
        self.postgres.check(&self.settings).await
    }

    fn is_in_service(&self) -> bool {
        self.refusal.as_ref().is_none_or(|refusal| refusal.borrow().is_none())
    }

    fn accept(&self) {
        if let Some(refusal) = &self.refusal {
            refusal.send_replace(None);
        }
    }

    fn refuse(&self, why: &str) {
        let Some(refusal) = &self.refusal else { return };
        let is_new = refusal.send_replace(Some(why.into())).is_none_or(|before| &*before != why);
        if is_new {
            tracing::error!(place = self.name, why, "the place has no service");
        }
    }

    async fn run<T>(
        &self,
        attempt: impl Future<Output = Result<T, Error>>,
        interrupted: fn(String) -> Error,
    ) -> Result<T, Error> {
        let Some(refusal) = &self.refusal else { return attempt.await };
        let explain = |why: &str| format!("the place {}: {why}", self.name);
        let mut refusals = refusal.subscribe();
        if let Some(why) = &*refusals.borrow() {
            return Err(Error::Unavailable(explain(why)));
        }
        tokio::select! {
            ended = attempt => ended,
            refused = refusals.wait_for(Option::is_some) => {
                let why = refused.ok().and_then(|refused| refused.clone()).unwrap_or_default();
                Err(interrupted(explain(&why)))
            }
        }
    }
}
