//! `stoa serve`: from settings to a listening host, and back down on a signal.

use std::future::pending;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use clap::Args;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use uuid::Uuid;

use super::data_flags::DataFlags;
use super::logging;
use crate::database::Database;
use crate::deployment::{Deployment, HostIdentity, development, first};

use crate::events::{Relay, endpoint};
use crate::gate::admission::Role;
use crate::gate::compiler::Compiler;
use crate::gate::trust::Trust;
use crate::gate::vetting::Gate;
use crate::governance::{self, Governor, HeavyReads, Recorder};
use crate::http::budget::Budget;
use crate::http::connection_limit::ConnectionLimit;
use crate::http::operator::Operator;
use crate::http::readiness::Readiness;
use crate::http::reference::Reference;
use crate::http::starting::Starting;
use crate::http::{answer, body, cors, open_files, private, server};
use crate::identity::api_keys::ApiKeys;
use crate::identity::users::Users;
use crate::identity::{Clock, DevIssuer, Verifier};
use crate::keyring::KeyRing;
use crate::platform::{self, Platform};
use crate::purge;
use crate::sandbox::engine::{self, Sandbox};
use crate::secret_file;
use crate::settings::{self, Onboarding, Settings};
use crate::watchdog::{self, Pulse, Watchdog};

#[derive(Args, Serialize)]
pub struct Flags {
    /// Development mode: an embedded identity provider; the host creates its tables.
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dev: bool,
    /// Allow --dev to listen on an address that other machines can reach.
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dev_allow_remote: bool,
    /// Address of the public API.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    listen: Option<SocketAddr>,
    /// Address of metrics and of the operators' API.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    private_listen: Option<SocketAddr>,
    #[command(flatten)]
    #[serde(flatten)]
    data: DataFlags,
    /// Folder of the modules of the first generation.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    modules_dir: Option<PathBuf>,
    /// Print the settings without secrets and exit.
    #[arg(long)]
    #[serde(skip)]
    print_config: bool,
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let print = flags.print_config;
    let settings = Settings::load(&flags)?;
    settings.check()?;
    if print {
        println!("{}", serde_json::to_string_pretty(&settings)?);
        return Ok(());
    }
    logging::start(&settings.log, settings.log_format)?;
    settings.warn_of_former_names();
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(serve(settings, flags))
}

/// Refuses to serve with a key that this host made for itself where the database has secrets under another one: a second --dev host
/// with a folder of its own. Who states keys may have lost one, and needs a host to replace the secrets under it.
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

async fn serve(settings: Settings, flags: Flags) -> anyhow::Result<()> {
    let descriptors = open_files::raise_limit();
    // From here on: else a SIGHUP would end a host that starts.
    let hangup = signal(SignalKind::hangup())?;
    secret_file::make_folder(&settings.data_dir)?;
    let listener = listen(settings.listen).await?;
    let private_listener = listen(settings.private_listen).await?;
    let starting = Starting::begin(&listener, settings.connection_timeout)?;
    let metrics = PrometheusBuilder::new().install_recorder()?;
    let engine = engine::engine(settings.sandbox(), settings.concurrent_requests(), settings.limits().large_memory)
        .map_err(|error| anyhow::anyhow!("the sandbox cannot be set up: {error:#}"))?;
    let mut settings = settings;
    if settings.dev {
        let token = development::operator_token(&settings.data_dir)?;
        settings
            .operator_token_sha256
            .push(Operator { name: "dev".into(), token_sha256: Sha256::digest(token).into() });
    }
    let (keys, dialer, schedule) =
        (Arc::new(settings.key_ring()?), Arc::new(settings.dialer()?), settings.webhook_schedule()?);
    let gate = Arc::new(Gate {
        cache: settings.module_cache(),
        precompiled: settings.read_precompiled()?,
        compiler: Compiler::apart(settings.sandbox(), settings.limits().large_memory)?,
        trust: ArcSwap::from_pointee(settings.trust()?),
        judge: settings.judge()?,
        engine,
        host: platform::NAMES,
    });
    let database = Arc::new(Database::open(&settings.database(), settings.dev).await?);
    check_keys(&settings, &database, &keys).await?;
    let release = first::release(&database, &gate, &settings.modules_dir()).await?;

    let dev_issuer = if settings.dev { Some(DevIssuer::load_or_create(&settings.data_dir)?) } else { None };
    let mut issuers = settings.issuers()?;
    issuers.extend(dev_issuer.as_ref().map(DevIssuer::settings));
    anyhow::ensure!(
        !issuers.is_empty(),
        "no identity provider: set STOA_OIDC_ISSUER and STOA_OIDC_AUDIENCE, or use --dev"
    );
    let verifier = Verifier::new(issuers, settings.oidc_grace, Clock::system())?;
    let watchdog = Watchdog::start()?;
    verifier.keep_keys_fresh(&watchdog);

    let address = listener.local_addr()?;
    let limits = governance::RateLimits {
        user: settings.user_requests_per_minute,
        tenant: settings.tenant_requests_per_minute,
        // At least what one company alone may have.
        user_total: settings.user_requests_per_minute_total.max(settings.user_requests_per_minute),
    };
    let (purged, gathered) = (database.clone(), metrics.clone());
    watchdog.spawn("purge", move |pulse| purge::keep_small(purged.clone(), pulse));
    watchdog.spawn("metrics", move |pulse| keep_metrics_small(gathered.clone(), pulse));
    let host = HostIdentity { id: Uuid::now_v7(), name: host_name(address) };
    let deployment = Arc::new(Deployment::new(release, database.clone(), gate, settings.limits(), host));
    deployment.keep(&watchdog);
    watchdog::spawn_vital_task(read_trust_again(hangup, deployment.clone(), settings.sandbox(), flags));
    let (recorder, recording) = Recorder::start(database.clone(), &watchdog);
    let app = Arc::new(answer::App {
        deployment: deployment.clone(),
        database: database.clone(),
        watchdog: watchdog.clone(),
        platform: Arc::new(Platform {
            limits: settings.limits(),
            onboarding_open: settings.onboarding == Onboarding::Open,
            companies_per_day: settings.companies_per_user_and_day,
            webhook_endpoints: settings.webhook_endpoints,
            environment: settings.environment(),
            governor: Governor::new(limits, database.clone()),
            recorder,
            keys: keys.clone(),
            dialer: dialer.clone(),
        }),
        verifier,
        users: Users::default(),
        api_keys: ApiKeys::new(settings.environment()),
        dev_issuer,
        bodies: body::Bodies::new(settings::bytes(settings.body_memory)),
        response_memory: Budget::new(settings::bytes(settings.response_memory)),
        readiness: Readiness::default(),
        reference: Reference::default(),
        heavy_reads: HeavyReads::new(settings.heavy_reads()),
        trusted_proxies: settings.trusted_proxies.clone(),
        request_timeout: settings.request_timeout,
    });
    let relaying = Relay::new(database.clone(), dialer, keys, schedule).start(&watchdog);
    starting.end().await;
    // Stdout may be a pipe that its reader has closed: the log has the address too.
    let _ = writeln!(std::io::stdout(), "stoa listening on http://{address}");
    tracing::info!(%address, private = %private_listener.local_addr()?, "listening");

    let (operators, names) =
        (settings.operator_token_sha256.clone(), settings.private_names.iter().map(|name| name.0.clone()).collect());
    let private = private::router(metrics, deployment.clone(), operators, names);
    let silence = settings.connection_timeout;
    let connection_limit = ConnectionLimit::for_private(private::CONNECTIONS);
    let private =
        watchdog::spawn_vital_task(server::serve(private_listener, private, connection_limit, silence, pending()));
    let database_connections = settings.concurrent_requests() as usize;
    let connections = open_files::count_connections(descriptors, settings.connections, database_connections);
    let connection_limit =
        ConnectionLimit::new(connections, settings.connections_per_peer, settings.trusted_proxies.clone());
    tracing::info!(descriptors, connections, "connections at once");
    let router = cors::allow(answer::router(app.clone()), &settings.cors_origins);
    server::serve(listener, router, connection_limit, silence, stop_signal()).await;
    private.abort();
    relaying.finish().await;
    recording.finish().await;
    watchdog.stop();
    deployment.leave().await;
    app.platform.governor.stop().await;
    database.close();
    tracing::info!("stopped");
    Ok(())
}

/// Folds the values recorded between two scrapes into their sums, so that a host that nobody scrapes does not grow.
async fn keep_metrics_small(metrics: PrometheusHandle, pulse: Pulse) {
    loop {
        pulse.rest(Duration::from_secs(5)).await;
        metrics.run_upkeep();
    }
}

/// For people: the machine's name, where it tells one, and the address.
fn host_name(address: SocketAddr) -> String {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match machine.trim() {
        "" => address.to_string(),
        machine => format!("{machine} {address}"),
    }
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| anyhow::anyhow!("cannot listen on {address}: {error}"))
}

/// On SIGHUP whose modules may run is read again, and nothing else of the settings.
async fn read_trust_again(mut hangup: Signal, deployment: Arc<Deployment>, sandbox: Sandbox, flags: Flags) {
    while hangup.recv().await.is_some() {
        match read_trust(sandbox, &flags) {
            Ok(trust) => deployment.trust(trust),
            Err(error) => tracing::error!(%error, "the settings cannot be read again: trust stays as it was"),
        }
    }
}

/// A partner who comes along hardens the sandbox, which takes a start.
fn read_trust(sandbox: Sandbox, flags: &Flags) -> anyhow::Result<Trust> {
    let mut settings = Settings::load(flags)?;
    if settings.sandbox() != sandbox {
        tracing::warn!("the sandbox is `{}` until the next start: partners' keys are not trusted yet", sandbox.name());
        settings.trusted_signers.retain(|signer| signer.role == Role::Deployment);
    }
    settings.trust()
}

/// SIGTERM or Ctrl-C.
async fn stop_signal() {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return pending().await };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
