//! `stoa serve`: from settings to a listening host, and back down on a signal.

use std::future::pending;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;

use super::data_flags::DataFlags;
use super::running_host::RunningHost;
use super::{logging, observing};
use crate::deployment::{Deployment, development};
use crate::gate::admission::Role;
use crate::gate::trust::Trust;
use crate::http::connection_limit::ConnectionLimit;
use crate::http::operator::Operator;
use crate::http::starting::Starting;
use crate::http::{answer, cors, open_files, private, server};
use crate::sandbox::engine::Sandbox;
use crate::secret_file;
use crate::settings::Settings;
use crate::watchdog;

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

async fn serve(mut settings: Settings, flags: Flags) -> anyhow::Result<()> {
    let descriptors = open_files::raise_limit();
    // From here on: else a SIGHUP would end a host that starts.
    let hangup = signal(SignalKind::hangup())?;
    secret_file::make_folder(&settings.data_dir)?;
    let listener = listen(settings.listen, "STOA_LISTEN").await?;
    let private_listener = listen(settings.private_listen, "STOA_PRIVATE_LISTEN").await?;
    let starting = Starting::begin(&listener, settings.connection_timeout)?;
    let metrics = observing::install_recorder()?;
    if settings.dev {
        let token_sha256 = Sha256::digest(development::operator_token(&settings.data_dir)?).into();
        settings.operator_token_sha256.push(Operator { name: "dev".into(), token_sha256 });
    }
    let address = listener.local_addr()?;
    let host = RunningHost::start(&settings, &metrics, address).await?;
    let trust = read_trust_again(hangup, host.app.deployment.clone(), settings.sandbox(), flags);
    watchdog::spawn_vital_task(trust);
    starting.end().await;
    // Stdout may be a pipe that its reader has closed: the log has the address too.
    let _ = writeln!(std::io::stdout(), "stoa listening on http://{address}");
    tracing::info!(%address, private = %private_listener.local_addr()?, "listening");

    let operators = serve_operators(&settings, private_listener, metrics, host.app.deployment.clone())?;
    let database_connections = settings.concurrent_requests() as usize;
    let connections = open_files::count_connections(descriptors, settings.connections, database_connections);
    let connection_limit =
        ConnectionLimit::new(connections, settings.connections_per_peer, settings.trusted_proxies.clone());
    tracing::info!(descriptors, connections, "connections at once");
    let (observed, counted) = (host.app.clone(), connection_limit.clone());
    let keep = move |pulse| observing::keep_gauges(observed.clone(), counted.clone(), pulse);
    host.app.watchdog.spawn("gauges", keep);
    let router = cors::allow(answer::router(host.app.clone()), &settings.cors_origins);
    server::serve(listener, router, connection_limit, settings.connection_timeout, stop_signal()).await;
    operators.abort();
    host.stop().await;
    tracing::info!("stopped");
    Ok(())
}

/// Serves metrics and the operators' API, until the task is ended.
fn serve_operators(
    settings: &Settings,
    listener: TcpListener,
    metrics: PrometheusHandle,
    deployment: Arc<Deployment>,
) -> anyhow::Result<JoinHandle<()>> {
    let names = settings.private_names.iter().map(|name| name.0.clone()).collect();
    let (operators, registries) = (settings.operator_token_sha256.clone(), settings.registries()?);
    let router = private::router(metrics, deployment, operators, registries, names);
    let connection_limit = ConnectionLimit::for_private(private::CONNECTIONS);
    let silence = settings.connection_timeout;
    Ok(watchdog::spawn_vital_task(server::serve(listener, router, connection_limit, silence, pending())))
}

/// Listens on the address of a setting, which the error names.
async fn listen(address: SocketAddr, setting: &str) -> anyhow::Result<TcpListener> {
    let refused = |error| anyhow::anyhow!("cannot listen on {address}: {error}. Set {setting} to another address");
    TcpListener::bind(address).await.map_err(refused)
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
