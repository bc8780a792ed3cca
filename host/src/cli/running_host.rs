//! The host that `stoa serve` runs: its parts, built from the settings, started, and stopped again.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use futures_util::future::FutureExt as _;
use metrics_exporter_prometheus::PrometheusHandle;
use uuid::Uuid;

use crate::database::Database;
use crate::deployment::{Deployment, HostIdentity, first};
use crate::events::{Relay, Relaying, endpoint};
use crate::gate::compiler::Compiler;
use crate::gate::vetting::Gate;
use crate::governance::{Governor, RateLimits, Recorder, Recording};
use crate::http::app::App;
use crate::http::body::Bodies;
use crate::http::budget::Budget;
use crate::http::readiness::Readiness;
use crate::http::reference::Reference;
use crate::identity::api_keys::ApiKeys;
use crate::identity::users::Users;
use crate::identity::{Clock, DevIssuer, Verifier};
use crate::keyring::KeyRing;
use crate::observe::tracer::Tracer;
use crate::platform::{self, Platform};
use crate::purge;
use crate::sandbox::engine;
use crate::settings::{self, Onboarding, Settings};
use crate::watchdog::{Pulse, Watchdog};

pub struct RunningHost {
    pub app: Arc<App>,
    recording: Recording,
    relaying: Relaying,
}

impl RunningHost {
    /// `address`: where the API is served.
    pub async fn start(
        settings: &Settings,
        metrics: &PrometheusHandle,
        address: SocketAddr,
    ) -> anyhow::Result<RunningHost> {
        let gate = Arc::new(build_gate(settings)?);
        let (keys, dialer, schedule) =
            (Arc::new(settings.key_ring()?), Arc::new(settings.dialer()?), settings.webhook_schedule()?);
        let database = Arc::new(Database::open(&settings.database(), settings.dev).await?);
        check_keys(settings, &database, &keys).await?;
        let edition = first::edition(&database, &gate, &settings.modules_dir()).await?;
        let dev_issuer = if settings.dev { Some(DevIssuer::load_or_create(&settings.data_dir)?) } else { None };
        let verifier = build_verifier(settings, dev_issuer.as_ref())?;

        let watchdog = Watchdog::start()?;
        verifier.keep_keys_fresh(&watchdog);
        if let Database::Postgres(servers) = &*database {
            let servers = servers.clone();
            watchdog.spawn("places", move |pulse| servers.clone().keep(pulse));
        }
        let (purged, gathered) = (database.clone(), metrics.clone());
        watchdog.spawn("purge", move |pulse| purge::keep_small(purged.clone(), pulse));
        watchdog.spawn("metrics", move |pulse| keep_metrics_small(gathered.clone(), pulse));
        let run = Uuid::now_v7();
        let tracer = Tracer::start(&settings.trace_settings(), run, &watchdog)?;
        let identity = HostIdentity { id: run, name: host_name(address) };
        let deployment = Arc::new(Deployment::new(edition, database.clone(), gate, settings.limits(), identity));
        check_places(&database, &deployment).await;
        deployment.keep(&watchdog);
        let (recorder, recording) = Recorder::start(database.clone(), &watchdog);
        let relaying = Relay::new(database.clone(), dialer.clone(), keys.clone(), schedule).start(&watchdog);
        let platform = Platform {
            database: database.clone(),
            limits: settings.limits(),
            onboarding_open: settings.onboarding == Onboarding::Open,
            companies_per_day: settings.companies_per_user_and_day,
            webhook_endpoints: settings.webhook_endpoints,
            dev: settings.dev,
            environment: settings.environment(),
            governor: Governor::new(read_rate_limits(settings), database.clone()),
            recorder,
            keys,
            dialer,
        };
        let app = Arc::new(App {
            deployment,
            database,
            watchdog,
            tracer,
            platform: Arc::new(platform),
            verifier,
            users: Users::default(),
            api_keys: ApiKeys::new(settings.environment()),
            dev_issuer,
            bodies: Bodies::new(settings::bytes(settings.body_memory)),
            response_memory: Budget::new(settings::bytes(settings.response_memory)),
            readiness: Readiness::default(),
            reference: Reference::default(),
            access_log: settings.access_log(),
            trusted_proxies: settings.trusted_proxies.clone(),
            request_timeout: settings.request_timeout,
        });
        Ok(RunningHost { app, recording, relaying })
    }

    /// Ends the background tasks, when no request runs any more.
    pub async fn stop(self) {
        let app = self.app;
        self.relaying.finish().await;
        self.recording.finish().await;
        app.watchdog.stop();
        app.tracer.stop().await;
        app.deployment.leave().await;
        app.platform.governor.stop().await;
        app.database.close();
    }
}

fn build_gate(settings: &Settings) -> anyhow::Result<Gate> {
    let engine = engine::engine(settings.sandbox(), settings.concurrent_requests(), settings.limits().large_memory)
        .map_err(|error| anyhow::anyhow!("the sandbox cannot be set up: {error:#}"))?;
    Ok(Gate {
        cache: settings.module_cache(),
        precompiled: settings.read_precompiled()?,
        compiler: Compiler::apart(settings.sandbox(), settings.limits().large_memory)?,
        trust: ArcSwap::from_pointee(settings.trust()?),
        judge: settings.judge()?,
        engine,
        host: platform::NAMES,
    })
}

/// The verifier of the configured issuers, and of the development issuer if there is one.
pub(super) fn build_verifier(settings: &Settings, dev_issuer: Option<&DevIssuer>) -> anyhow::Result<Verifier> {
    let mut issuers = settings.issuers()?;
    issuers.extend(dev_issuer.map(DevIssuer::settings));
    anyhow::ensure!(
        !issuers.is_empty(),
        "no identity provider: set STOA_OIDC_ISSUER and STOA_OIDC_AUDIENCE, or use --dev"
    );
    Ok(Verifier::new(issuers, settings.oidc_grace, Clock::system())?)
}

fn read_rate_limits(settings: &Settings) -> RateLimits {
    RateLimits {
        user: settings.user_requests_per_minute,
        tenant: settings.tenant_requests_per_minute,
        // At least the limit of one company.
        user_total: settings.user_requests_per_minute_total.max(settings.user_requests_per_minute),
    }
}

/// Refuses to serve with a key that this host made for itself where the database has secrets under another one: a
/// second --dev host with a folder of its own. An operator who sets keys may have lost one, and needs a host to
/// replace the secrets under it.
async fn check_keys(settings: &Settings, database: &Database, keys: &KeyRing) -> anyhow::Result<()> {
    let missing = endpoint::find_missing_keys(database, keys).await?;
    let Some(id) = missing.first() else { return Ok(()) };
    anyhow::ensure!(
        settings.encryption_key.is_some(),
        "the database has secrets that another host encrypted under the key {id}, and {} has no such key: start with the \
         --data-dir of that host, copy its encryption.key, or set STOA_ENCRYPTION_KEY to the same keys on every host",
        settings.data_dir.display()
    );
    tracing::error!(keys = ?missing, "STOA_ENCRYPTION_KEY lacks keys of stored secrets: webhooks under them are not sent");
    Ok(())
}

/// Takes places that lack tables of the active modules out of service.
async fn check_places(database: &Database, deployment: &Arc<Deployment>) {
    let Database::Postgres(servers) = database else { return };
    // The deployment has the database.
    let deployment = Arc::downgrade(deployment);
    let check = move |place| {
        let deployment = deployment.clone();
        let look = async move {
            match deployment.upgrade() {
                Some(deployment) => deployment.find_gap(place).await,
                None => Err("the host ends".to_owned()),
            }
        };
        look.boxed()
    };
    servers.set_check(Box::new(check)).await;
}

/// Folds the values recorded between two scrapes into their sums, so that the memory of a host without a scraper does not grow.
async fn keep_metrics_small(metrics: PrometheusHandle, pulse: Pulse) {
    loop {
        pulse.rest(Duration::from_secs(5)).await;
        metrics.run_upkeep();
    }
}

/// For people: the machine's name, where it has one, and the address.
fn host_name(address: SocketAddr) -> String {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match machine.trim() {
        "" => address.to_string(),
        machine => format!("{machine} {address}"),
    }
}
