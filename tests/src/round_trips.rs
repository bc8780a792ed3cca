//! A host on PostgreSQL with a proxy between them, which counts round trips.

use std::thread;
use std::time::Duration;

use reqwest::Url;
use stoa_postgres_proxy::{Proxy, RoundTrips};

use crate::host::{RUNTIME, Settings};
use crate::{Database, Stoa, postgres, services};

/// Requests before any is counted: every connection has prepared its statements then.
const WARM: usize = 9;
/// Requests of which the least counts: background work of the host may come in between.
const COUNTED: usize = 6;
/// Requests that a count makes in all.
pub const REQUESTS: usize = WARM + COUNTED;
/// How long a transaction may take to end after its answer.
const END: Duration = Duration::from_millis(100);
/// How long answers of the database are held back where it is asked which of them a request waits for. The host's own work
/// holds connections for several answers: at half a second each, it could hold all three for the four seconds that a request
/// waits for one.
const DELAY: Duration = Duration::from_millis(200);

pub struct Watched {
    pub host: Stoa,
    pub proxy: Proxy,
}

impl Watched {
    pub fn start() -> Watched {
        Watched::start_with(Settings::default())
    }

    /// Every company has its rows in the database `place-1`; the home database has none.
    pub fn start_at_place() -> Watched {
        let no_company = "[[places]]\nname = \"home\"\nweight = 0\n";
        Watched::start_with(Settings::default().places(2).file(no_company))
    }

    fn start_with(settings: Settings) -> Watched {
        let url = Url::parse(&postgres::server().expect(postgres::MISSING)).expect("the server's address is a URL");
        let server = format!("{}:{}", url.host_str().unwrap_or("127.0.0.1"), url.port().unwrap_or(5432));
        let proxy = RUNTIME.block_on(Proxy::start(server)).expect("the proxy cannot listen");
        let port = proxy.address.port();
        let way = move |database: &str| {
            let mut url = Url::parse(database).expect("the database's address is a URL");
            url.set_host(Some("127.0.0.1")).expect("a host");
            url.set_port(Some(port)).expect("a port");
            url.query_pairs_mut().append_pair("sslmode", "disable");
            url.to_string()
        };
        let settings = settings.modules(services::folder().path()).by(way).set("STOA_DATABASE_CONNECTIONS", 3);
        Watched { host: Stoa::start_with(Database::Postgres, settings), proxy }
    }

    /// The least that a request of this kind took, all of it in one database.
    #[track_caller]
    pub fn count(&self, mut request: impl FnMut()) -> usize {
        (0..WARM).for_each(|_| request());
        let count = |_| {
            thread::sleep(END);
            self.proxy.record();
            request();
            thread::sleep(END);
            self.round_trips()
        };
        let least = (0..COUNTED).map(count).min_by_key(|trips| trips.all).expect("a count");
        let name = |url: &str| url.rsplit('/').next().map(str::to_owned);
        let company = self.host.place_url("place-1").or_else(|| self.host.postgres_url()).and_then(name);
        assert!(least.databases.iter().all(|database| Some(database) == company.as_ref()), "{least:?}");
        least.all
    }

    /// The least that were answered when a request of this kind was, with time enough to be far ahead of the others. The host's own
    /// looks are as slow, so that a count may have parts of them.
    pub fn count_awaited(&self, mut request: impl FnMut()) -> usize {
        (0..WARM).for_each(|_| request());
        let count = |_| {
            thread::sleep(END);
            self.proxy.record_slowly(DELAY);
            request();
            let trips = self.round_trips();
            thread::sleep(DELAY + END);
            self.proxy.stop_recording();
            trips.answered
        };
        (0..COUNTED).map(count).min().unwrap_or_default()
    }

    fn round_trips(&self) -> RoundTrips {
        self.proxy.round_trips()
    }
}
