//! The host inside this program: the same parts that `stoa serve` puts together, with what a measure varies.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use stoa::database::Database;
use stoa::deployment::{Deployment, Edition, HostIdentity};
use stoa::governance::{self, Governor, Recorder};
use stoa::http::access_log::{AccessLog, LoggedRequests};
use stoa::http::app::App;
use stoa::http::budget::Budget;
use stoa::http::connection_limit::ConnectionLimit;
use stoa::http::readiness::Readiness;
use stoa::http::reference::Reference;
use stoa::http::{answer, body, server};

use stoa::events::dialer::Dialer;
use stoa::events::resolver::Resolver;
use stoa::gate::cache::Cache;
use stoa::gate::vetting::Gate;
use stoa::identity::api_keys::ApiKeys;
use stoa::identity::users::Users;
use stoa::identity::{Clock, DevIssuer, Environment, Verifier};
use stoa::observe::tracer::Tracer;
use stoa::platform::{self, Platform};
use stoa::sandbox::engine::{self, Pool, Sandbox};
use stoa::sandbox::judge::{Breaches, Judge};
use stoa::sandbox::{Arrangement, Limits};
use stoa::watchdog::Watchdog;
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::native;

#[derive(Args, Debug, Clone)]
pub struct Flags {
    #[arg(long)]
    pub database: String,
    #[arg(long)]
    pub data: PathBuf,
    #[arg(long)]
    pub modules: PathBuf,
    /// Where compiled modules are kept.
    #[arg(long)]
    pub compiled: PathBuf,
    /// Modules linked into this program instead of components.
    #[arg(long)]
    pub native: bool,
    /// Address space of each linear memory in MiB.
    #[arg(long, default_value_t = 256)]
    pub memory_mib: usize,
    /// Bytes of a linear memory that a reset keeps and clears, in KiB.
    #[arg(long)]
    pub keep_resident_kib: Option<usize>,
    /// Do not ask the kernel which pages are dirty.
    #[arg(long)]
    pub no_pagemap_scan: bool,
    #[arg(long)]
    pub hardened: bool,
}

impl Flags {
    pub fn pool(&self) -> Pool {
        let mut pool = Pool { memory: self.memory_mib << 20, ..Pool::default() };
        if let Some(kib) = self.keep_resident_kib {
            pool.keep_resident = kib << 10;
        }
        pool.pagemap_scan &= !self.no_pagemap_scan;
        pool
    }
}

/// Requests a minute that no benchmark reaches. One for every host: a larger limit's lease would use up a smaller one's window.
pub const UNLIMITED: u64 = 100_000_000;

/// It relays nothing: nothing reads the values that are encrypted under it.
const KEY: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The parts. Readers of SQLite: one, where statements are taken down, else one per core.
pub async fn app(flags: &Flags, sqlite_readers: usize) -> anyhow::Result<Arc<App>> {
    let settings = stoa::database::DatabaseSettings {
        url: flags.database.clone(),
        postgres_connections: 16,
        sqlite_readers,
        request_timeout: std::time::Duration::from_secs(10),
        heavy_read_timeout: std::time::Duration::from_secs(30),
        heavy_work: 4,
        transport: Default::default(),
        plain_role_only: true,
        server: Default::default(),
        places: Vec::new(),
        prepare: stoa::pipeline::prepare(),
    };
    let requests = if flags.database.starts_with("sqlite:") { sqlite_readers as u32 + 1 } else { 16 };
    let sandbox = if flags.hardened { Sandbox::Hardened } else { Sandbox::Fast };
    let engine = engine::build_pooled(sandbox, requests, flags.pool()).map_err(|error| anyhow::anyhow!("{error:#}"))?;
    // As in production: responses are judged in the background.
    let gate = Gate::open(&engine, platform::NAMES, Some(Cache::open(&flags.compiled)?));
    let gate = Gate { judge: Arc::new(Judge::new(Breaches::Count)?), ..gate };
    let mut generation = gate.link(1, &gate.vet_folder(&flags.modules)?, &Arrangement::new())?;
    if flags.native {
        native::replace(&mut generation)?;
    }
    let edition = Edition::new(generation)?;
    let database = Arc::new(Database::open(&settings, true).await?);
    stoa::gate::tables::bring_up_to_date(&database, &edition.modules).await?;
    let issuer = DevIssuer::load_or_create(&flags.data)?;
    let verifier = Verifier::new(vec![issuer.settings()], std::time::Duration::from_secs(3600), Clock::system())?;
    let limits = Limits { large_memory: flags.memory_mib << 20, ..Limits::default() };
    let unlimited = governance::RateLimits { user: UNLIMITED, tenant: UNLIMITED, user_total: UNLIMITED };
    let watchdog = Watchdog::start()?;
    let (recorder, _) = Recorder::start(database.clone(), &watchdog);
    let host = HostIdentity { id: Uuid::nil(), name: "bench".into() };
    let deployment = Arc::new(Deployment::new(edition, database.clone(), Arc::new(gate), limits, host));
    Ok(Arc::new(App {
        deployment,
        database: database.clone(),
        watchdog,
        tracer: Tracer::off(),
        platform: Arc::new(Platform {
            database: database.clone(),
            limits,
            dev: false,
            onboarding_open: true,
            companies_per_day: u32::MAX,
            webhook_endpoints: u32::MAX,
            environment: Environment::Test,
            governor: Governor::new(unlimited, database),
            recorder,
            keys: Arc::new(KEY.parse().map_err(|error: String| anyhow::anyhow!(error))?),
            dialer: Arc::new(Dialer::new(Resolver::of_system()?, Vec::new())?),
        }),
        verifier,
        users: Users::default(),
        api_keys: ApiKeys::new(Environment::Test),
        dev_issuer: Some(issuer),
        bodies: body::Bodies::new(256 << 20),
        response_memory: Budget::new(256 << 20),
        readiness: Readiness::default(),
        reference: Reference::default(),
        access_log: AccessLog { requests: LoggedRequests::Off, slow: std::time::Duration::from_secs(1) },
        trusted_proxies: Vec::new(),
        request_timeout: std::time::Duration::from_secs(10),
    }))
}

/// Serves on a port of its own until the process is ended.
pub async fn serve(flags: Flags) -> anyhow::Result<()> {
    let readers = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let app = app(&flags, readers).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("stoa-bench listening on http://{}", listener.local_addr()?);
    server::serve(
        listener,
        answer::router(app),
        ConnectionLimit::for_private(usize::MAX),
        server::SILENCE,
        std::future::pending(),
    )
    .await;
    Ok(())
}
