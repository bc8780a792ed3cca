//! Settings: flag over environment over `stoa.toml` over default. Names and defaults are fixed: others rely on them.

mod console;
mod places;
mod shown;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use bytesize::ByteSize;
use figment::Figment;
use figment::providers::{Env, Format as _, Serialized, Toml};
use serde::{Deserialize, Serialize};

use crate::deployment::development;
use crate::events::dialer::Dialer;
use crate::events::resolver::Resolver;
use crate::events::schedule::Schedule;
use crate::gate::admission::{Role, Signer};
use crate::gate::cache::Cache;
use crate::gate::precompiled::Precompiled;
use crate::gate::trust::Trust;
use crate::http::access_log::{AccessLog, LoggedRequests};
use crate::http::cors::Origin;
use crate::http::operator::Operator;
use crate::http::peer::Network;
use crate::http::server;
use crate::identity::sign_in::ConsoleClient;
use crate::identity::{Algorithm, ClaimNames, Environment, Issuer};
use crate::keyring::KeyRing;
use crate::observe::tracer::TraceSettings;
use crate::oci::reference::RegistryName;
use crate::oci::registries::Registries;
use crate::pipeline;
use crate::sandbox::Limits;
use crate::sandbox::engine::{self, Sandbox};
use crate::sandbox::judge::{Breaches, Judge};

pub use console::ConsoleSwitch;
pub use places::Place;

use shown::{whether_set, without_password};

/// Twice the largest body that a module may declare: one caller has half.
const LEAST_BODY_MEMORY: ByteSize = ByteSize::mib(128);

/// Everything that can be set, as `stoa serve --print-config` shows it. There is no secret among them but a password in the
/// database's address, which is not shown.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Settings {
    pub listen: SocketAddr,
    pub private_listen: SocketAddr,
    pub data_dir: PathBuf,
    #[serde(serialize_with = "without_password")]
    pub database_url: Option<String>,
    /// PostgreSQL servers besides `database_url`, over which companies are distributed: `[[places]]` in `stoa.toml`.
    #[serde(default)]
    pub places: Vec<Place>,
    pub modules_dir: Option<PathBuf>,
    /// Where compiled modules are kept. Absent: `compiled` in the data folder, where that exists.
    pub module_cache_dir: Option<PathBuf>,
    /// Machine code that came with the release. Absent: `precompiled` next to the binary.
    pub precompiled_dir: Option<PathBuf>,
    /// SHA-256 of the list in that folder, in hex, as `stoa module precompile --out` prints it. Absent: nothing there is loaded.
    pub precompiled_sha256: Option<String>,
    pub database_connections: u32,
    /// Certificates, PEM, that PostgreSQL's is verified against. Absent: the public authorities'.
    pub database_tls_ca: Option<PathBuf>,
    /// `allow`: plain text to a PostgreSQL server on another machine, where the network encrypts by itself.
    pub database_plaintext: Option<Plaintext>,
    pub sqlite_readers: Option<usize>,
    pub oidc_issuer: Option<String>,
    pub oidc_audience: Option<String>,
    /// Several issuers: `[[oidc]]` in `stoa.toml`.
    #[serde(default)]
    pub oidc: Vec<Oidc>,
    #[serde(with = "humantime_serde")]
    pub oidc_grace: Duration,
    /// Proxies whose word for the caller's address counts: addresses or networks.
    #[serde(deserialize_with = "list")]
    pub trusted_proxies: Vec<Network>,
    /// Connections at once. Absent: as many as there are file descriptors for, at most 16384.
    pub connections: Option<usize>,
    /// Connections at once of one address; requests, of one that a trusted proxy names. Never more than half of all.
    pub connections_per_peer: usize,
    /// The longest wait for a connection's first bytes, for a request's head, and for the client to read a response.
    #[serde(with = "humantime_serde")]
    pub connection_timeout: Duration,
    /// Memory for the bodies of all requests that are read or answered at one time.
    pub body_memory: ByteSize,
    /// Memory for the responses that callers have not read yet.
    pub response_memory: ByteSize,
    /// Names of the private listener besides addresses and `localhost`.
    #[serde(deserialize_with = "list")]
    pub private_names: Vec<HostName>,
    /// Origins whose pages may call. Keys never belong in browsers.
    #[serde(deserialize_with = "list")]
    pub cors_origins: Vec<Origin>,
    pub console: ConsoleSwitch,
    /// Public address of the console, without a path.
    pub console_url: Option<String>,
    /// The console as a client of `oidc_issuer`.
    pub console_client_id: Option<String>,
    #[serde(serialize_with = "whether_set")]
    pub console_client_secret: Option<String>,
    pub console_scopes: Option<String>,
    pub console_parameters: Option<String>,
    pub onboarding: Onboarding,
    /// Environment of the API keys that are issued and taken. Absent: `test` with --dev, else `live`.
    pub environment: Option<Environment>,
    pub user_requests_per_minute: u64,
    pub tenant_requests_per_minute: u64,
    /// Requests of one user in all companies together, on one host.
    pub user_requests_per_minute_total: u64,
    /// Companies that one user may make in a day.
    pub companies_per_user_and_day: u32,
    /// Absent: `fast` where every trusted signer is the deployment's own, `hardened` as soon as one is a partner.
    pub sandbox: Option<Sandbox>,
    /// Signers whose modules may run here: `name:role:key`, as `stoa module keygen` prints it, or
    /// `name:role:key:NAMES`, separated by `+`. Read again on SIGHUP.
    #[serde(deserialize_with = "list")]
    pub trusted_signers: Vec<Signer>,
    /// SHA-256 of an operator's token, in hex; several with commas, each with a name before it: `alice=...`.
    #[serde(deserialize_with = "list")]
    pub operator_token_sha256: Vec<Operator>,
    /// Registries whose modules operators may push by reference, `host` or `host:port`, at public addresses.
    #[serde(deserialize_with = "list")]
    pub registries: Vec<RegistryName>,
    /// The same at any address; on this machine's loopback in plain text.
    #[serde(deserialize_with = "list")]
    pub private_registries: Vec<RegistryName>,
    /// Credentials for registries: the file `config.json` that `docker login` writes.
    pub registry_auth: Option<PathBuf>,
    #[serde(with = "humantime_serde")]
    pub module_deadline: Duration,
    /// Time of a request's store calls, where they are its thread's own (SQLite).
    #[serde(with = "humantime_serde")]
    pub module_host_time: Duration,
    pub module_memory: ByteSize,
    pub module_store_calls: u32,
    pub module_rows: u32,
    pub module_output: ByteSize,
    /// Treatment of answers and events that break what a module declares. Absent: `refuse` with --dev, else `count`.
    pub contract_breaches: Option<Breaches>,
    #[serde(with = "humantime_serde")]
    pub request_timeout: Duration,
    /// The same of heavy reads, as reports are.
    #[serde(with = "humantime_serde")]
    pub heavy_read_timeout: Duration,
    /// Heavy work that is under way at once, of one company at most half of it. Absent: as much as there are processors.
    pub heavy_reads: Option<u32>,
    /// Keys of what is encrypted at rest, 64 hexadecimal digits each: the first encrypts, all decrypt. Absent with --dev: one in the data
    /// folder.
    #[serde(serialize_with = "whether_set")]
    pub encryption_key: Option<String>,
    /// The waits before each attempt of a delivery.
    pub webhook_schedule: String,
    /// Endpoints of webhooks that a company has at most, without the archived ones.
    pub webhook_endpoints: u32,
    /// Receivers of webhooks on this machine, `host:port`, in plain text. Only with --dev.
    #[serde(deserialize_with = "list")]
    pub webhook_dev_targets: Vec<DevTarget>,
    /// The name server that the names of webhooks are asked of, instead of the system's. Only with --dev.
    pub webhook_resolver: Option<SocketAddr>,
    pub log: String,
    pub log_format: LogFormat,
    /// Address of a collector of traces, before `/v1/traces`. Absent: `OTEL_EXPORTER_OTLP_ENDPOINT`, and without it nothing is traced.
    #[serde(serialize_with = "without_password")]
    pub otlp_endpoint: Option<String>,
    /// The share of requests that are traced, 0 to 1.
    pub trace_ratio: f64,
    /// Requests that have a line in the log.
    pub access_log: LoggedRequests,
    /// A request that takes this long is slow.
    #[serde(with = "humantime_serde")]
    pub slow_request: Duration,
    pub dev: bool,
    pub dev_allow_remote: bool,
    /// Former names that the file or the environment uses, each with its name now.
    #[serde(skip)]
    pub former_names: Vec<(&'static str, &'static str)>,
}

/// Settings that had another name: the former name, which still works, and the name now.
const FORMER_NAMES: &[(&str, &str)] = &[
    ("user_total_requests_per_minute", "user_requests_per_minute_total"),
    ("user_companies_per_day", "companies_per_user_and_day"),
];

/// A source of settings in which a former name sets the setting that it now is, unless the source sets that one as well.
fn with_new_names(source: Figment) -> Figment {
    let former = |source: Figment, (former, name): &(&str, &str)| match source.find_value(former) {
        Ok(value) => source.join(Serialized::default(name, value)),
        Err(_) => source,
    };
    FORMER_NAMES.iter().fold(source, former)
}

/// Settings that are texts: figment would read an audience or a folder of digits as a number.
const TEXTS: &[&str] = &[
    "data_dir",
    "database_url",
    "database_tls_ca",
    "modules_dir",
    "module_cache_dir",
    "precompiled_dir",
    "precompiled_sha256",
    "oidc_issuer",
    "oidc_audience",
    "console_url",
    "console_client_id",
    "console_client_secret",
    "console_scopes",
    "console_parameters",
    "registry_auth",
    "encryption_key",
    "webhook_schedule",
    "log",
    "otlp_endpoint",
];

/// A size in memory.
pub fn bytes(size: ByteSize) -> usize {
    usize::try_from(size.0).unwrap_or(usize::MAX)
}

fn texts_of_environment() -> BTreeMap<&'static str, String> {
    let text = |name: &&'static str| Some((*name, std::env::var(format!("STOA_{}", name.to_uppercase())).ok()?));
    TEXTS.iter().filter_map(text).collect()
}

/// One identity provider.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Oidc {
    pub issuer: String,
    pub audience: String,
    pub algorithms: Option<Vec<Algorithm>>,
    pub types: Option<Vec<String>>,
    /// Other names of claims than those of OpenID Connect.
    pub claims: Option<ClaimNames>,
    /// True if the host asks the issuer for an address that a token does not contain.
    pub userinfo: Option<bool>,
    /// The console as a client of this issuer. Absent: its users do not sign in at the console.
    pub console: Option<ConsoleClient>,
}

/// Plain text to a PostgreSQL server on another machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Plaintext {
    Allow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Onboarding {
    Open,
    Closed,
}

/// A list as TOML writes it, or with commas, as the environment does.
fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: FromStr<Err = String>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Commas(String),
        List(Vec<String>),
    }
    let items = match Written::deserialize(deserializer)? {
        Written::Commas(text) => text.split(',').map(|item| item.trim().to_string()).collect(),
        Written::List(items) => items,
    };
    let stated = items.iter().filter(|item| !item.is_empty());
    stated.map(|item| item.parse().map_err(serde::de::Error::custom)).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    Json,
}

impl Default for Settings {
    fn default() -> Settings {
        let limits = Limits::default();
        Settings {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            private_listen: SocketAddr::from(([127, 0, 0, 1], 9464)),
            data_dir: PathBuf::from("./data"),
            database_url: None,
            places: Vec::new(),
            modules_dir: None,
            module_cache_dir: None,
            precompiled_dir: None,
            precompiled_sha256: None,
            database_connections: 16,
            database_tls_ca: None,
            database_plaintext: None,
            sqlite_readers: None,
            oidc_issuer: None,
            oidc_audience: None,
            oidc: Vec::new(),
            oidc_grace: Duration::from_secs(24 * 60 * 60),
            trusted_proxies: Vec::new(),
            connections: None,
            connections_per_peer: 1_024,
            connection_timeout: server::SILENCE,
            body_memory: ByteSize::mib(256),
            response_memory: ByteSize::mib(256),
            private_names: Vec::new(),
            cors_origins: Vec::new(),
            console: ConsoleSwitch::On,
            console_url: None,
            console_client_id: None,
            console_client_secret: None,
            console_scopes: None,
            console_parameters: None,
            onboarding: Onboarding::Open,
            environment: None,
            user_requests_per_minute: 600,
            tenant_requests_per_minute: 6000,
            user_requests_per_minute_total: 1800,
            companies_per_user_and_day: 20,
            sandbox: None,
            trusted_signers: Vec::new(),
            operator_token_sha256: Vec::new(),
            registries: Vec::new(),
            private_registries: Vec::new(),
            registry_auth: None,
            module_deadline: limits.deadline,
            module_host_time: limits.host,
            module_memory: ByteSize(limits.memory as u64),
            module_store_calls: limits.store_calls,
            module_rows: limits.rows,
            module_output: ByteSize(limits.output as u64),
            contract_breaches: None,
            request_timeout: Duration::from_secs(10),
            heavy_read_timeout: limits.heavy,
            heavy_reads: None,
            encryption_key: None,
            webhook_schedule: "0s,30s,5m,30m,4h".into(),
            webhook_endpoints: 50,
            webhook_dev_targets: Vec::new(),
            webhook_resolver: None,
            log: "info".into(),
            log_format: LogFormat::Text,
            otlp_endpoint: None,
            trace_ratio: 0.01,
            access_log: LoggedRequests::Slow,
            slow_request: Duration::from_secs(1),
            dev: false,
            dev_allow_remote: false,
            former_names: Vec::new(),
        }
    }
}

impl Settings {
    /// `flags`: what the command line stated, by the settings' names.
    pub fn load(flags: impl Serialize) -> anyhow::Result<Settings> {
        let file = Figment::from(Toml::file("stoa.toml"));
        let environment = Figment::from(Env::prefixed("STOA_").ignore(&[&["oidc", "places"], TEXTS].concat()));
        let is_used = |(former, _): &&(&str, &str)| file.contains(former) || environment.contains(former);
        let former_names = FORMER_NAMES.iter().filter(is_used).copied().collect();
        // The name that OpenTelemetry gives the setting; ours comes first.
        let standard = std::env::var("OTEL_EXPORTER_OTLP_ENDPOINT").ok().map(|value| ("otlp_endpoint", value));
        let settings: Settings = Figment::from(Serialized::defaults(Settings::default()))
            .merge(Serialized::defaults(BTreeMap::from_iter(standard)))
            .merge(with_new_names(file))
            .merge(with_new_names(environment))
            .merge(Serialized::defaults(texts_of_environment()))
            .merge(Serialized::defaults(flags))
            .extract()?;
        Ok(Settings { former_names, ..settings })
    }

    pub fn sandbox(&self) -> Sandbox {
        let partner = self.trusted_signers.iter().any(|signer| signer.role == Role::Partner);
        self.sandbox.unwrap_or(if partner { Sandbox::Hardened } else { Sandbox::Fast })
    }

    /// Signers whose modules a host takes. With --dev its modules folder as it is, and a key of its own.
    pub fn trust(&self) -> anyhow::Result<Trust> {
        let mut by = self.trusted_signers.clone();
        if self.dev {
            by.push(development::signing_key(&self.data_dir)?.signer().clone());
        }
        Ok(Trust::Signed { by, unsigned: self.dev })
    }

    pub fn environment(&self) -> Environment {
        self.environment.unwrap_or(if self.dev { Environment::Test } else { Environment::Live })
    }

    pub fn judge(&self) -> anyhow::Result<Arc<Judge>> {
        let usual = if self.dev { Breaches::Refuse } else { Breaches::Count };
        Ok(Arc::new(Judge::new(self.contract_breaches.unwrap_or(usual))?))
    }

    /// Logs which settings have a new name.
    pub fn warn_of_former_names(&self) {
        for (former, name) in &self.former_names {
            let (former, name) = (former.to_uppercase(), name.to_uppercase());
            tracing::warn!("STOA_{former} is now called STOA_{name}: rename it in the environment or in stoa.toml");
        }
    }

    /// The development issuer never signs for strangers, and its operator's token lies in a file: off the loopback both take an
    /// explicit word.
    pub fn check(&self) -> anyhow::Result<()> {
        let is_local = [self.listen, self.private_listen].iter().all(|address| address.ip().is_loopback());
        anyhow::ensure!(
            !self.dev || self.dev_allow_remote || is_local,
            "--dev listens on loopback addresses only; --dev-allow-remote lifts that"
        );
        anyhow::ensure!(
            self.dev || (self.webhook_dev_targets.is_empty() && self.webhook_resolver.is_none()),
            "STOA_WEBHOOK_DEV_TARGETS and STOA_WEBHOOK_RESOLVER are only for --dev"
        );
        anyhow::ensure!(self.body_memory >= LEAST_BODY_MEMORY, "STOA_BODY_MEMORY must be at least {LEAST_BODY_MEMORY}");
        anyhow::ensure!(
            self.response_memory.0 / 2 >= self.module_output.0,
            "STOA_RESPONSE_MEMORY must be at least twice STOA_MODULE_OUTPUT"
        );
        anyhow::ensure!(
            self.trace_settings().endpoint.is_none_or(|address| is_http(&address)),
            "STOA_OTLP_ENDPOINT is no address as http://collector:4318 is"
        );
        anyhow::ensure!((0.0..=1.0).contains(&self.trace_ratio), "STOA_TRACE_RATIO must be 0 to 1");
        anyhow::ensure!(self.database_connections > 0, "STOA_DATABASE_CONNECTIONS must be at least 1");
        self.check_places()?;
        self.check_console()
    }

    /// The deployment's keys. A development host makes one in its data folder.
    pub fn key_ring(&self) -> anyhow::Result<KeyRing> {
        let text = match &self.encryption_key {
            Some(text) => text.clone(),
            None if self.dev || development::encryption_key_file(&self.data_dir).exists() => {
                development::encryption_key(&self.data_dir)?
            }
            None => anyhow::bail!(
                "STOA_ENCRYPTION_KEY is not set: 64 hexadecimal digits, `openssl rand -hex 32` makes them"
            ),
        };
        text.parse().map_err(|error: String| anyhow::anyhow!(error))
    }

    /// Which requests are traced. An empty address is none, so that an environment's can be lifted.
    pub fn trace_settings(&self) -> TraceSettings {
        let endpoint = self.otlp_endpoint.clone().filter(|address| !address.is_empty());
        TraceSettings { endpoint, ratio: self.trace_ratio }
    }

    pub fn access_log(&self) -> AccessLog {
        AccessLog { requests: self.access_log, slow: self.slow_request }
    }

    pub fn webhook_schedule(&self) -> anyhow::Result<Schedule> {
        self.webhook_schedule.parse().map_err(|error: String| anyhow::anyhow!(error))
    }

    /// The sender of webhooks, which also judges where they may point.
    pub fn dialer(&self) -> anyhow::Result<Dialer> {
        Dialer::new(self.resolver()?, self.webhook_dev_targets.iter().map(|target| target.0).collect())
    }

    /// Resolves the targets of outgoing requests that a user chose.
    fn resolver(&self) -> anyhow::Result<Resolver> {
        self.webhook_resolver.map_or_else(Resolver::of_system, Resolver::new)
    }

    /// The registries that modules are taken from.
    pub fn registries(&self) -> anyhow::Result<Registries> {
        Ok(Registries {
            public: self.registries.clone(),
            private: self.private_registries.clone(),
            credentials: self.registry_auth.clone(),
            resolver: self.resolver()?,
        })
    }

    pub fn database_url(&self) -> String {
        self.database_url.clone().unwrap_or_else(|| format!("sqlite:{}", self.data_dir.join("stoa.sqlite").display()))
    }

    pub fn database(&self) -> crate::database::DatabaseSettings {
        crate::database::DatabaseSettings {
            url: self.database_url(),
            postgres_connections: self.database_connections,
            sqlite_readers: self.sqlite_readers(),
            request_timeout: self.request_timeout,
            heavy_read_timeout: self.heavy_read_timeout,
            heavy_work: self.heavy_work(),
            transport: crate::database::Transport {
                ca: self.database_tls_ca.clone(),
                plain_text: self.database_plaintext == Some(Plaintext::Allow),
            },
            plain_role_only: !self.dev,
            prepare: pipeline::prepare(),
            server: self.home_server(),
            places: self.places(),
        }
    }

    pub fn sqlite_readers(&self) -> usize {
        // One company has at most half of them, and may use every core.
        let usual = || 2 * std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        self.sqlite_readers.unwrap_or_else(usual).max(1)
    }

    /// Requests that can run a module at once: each holds a connection.
    pub fn concurrent_requests(&self) -> u32 {
        if self.database_url().starts_with("sqlite:") {
            u32::try_from(self.sqlite_readers()).unwrap_or(1) + 1
        } else {
            self.database_connections
        }
    }

    /// Heavy work that is under way at once: as much as there are processors, on at most half of the connections or of
    /// SQLite's readers. Two companies at least have a seat.
    pub fn heavy_work(&self) -> usize {
        let usual = || {
            let processors = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
            let sessions = if self.database_url().starts_with("sqlite:") {
                self.sqlite_readers()
            } else {
                usize::try_from(self.database_connections).unwrap_or(1)
            };
            processors.min(sessions / 2).max(2)
        };
        self.heavy_reads.map_or_else(usual, |seats| usize::try_from(seats).unwrap_or(1)).max(1)
    }

    pub fn modules_dir(&self) -> PathBuf {
        self.modules_dir.clone().unwrap_or_else(|| beside_the_binary("modules"))
    }

    /// `None`: nothing is kept, and each start compiles.
    pub fn module_cache(&self) -> Option<Cache> {
        if self.module_cache_dir.is_none() && !self.data_dir.is_dir() {
            return None;
        }
        Cache::open_if_usable(&self.module_cache_dir())
    }

    pub fn module_cache_dir(&self) -> PathBuf {
        self.module_cache_dir.clone().unwrap_or_else(|| self.data_dir.join("compiled"))
    }

    /// `None`: the release has no machine code that was made for this engine and that these settings allow.
    pub fn read_precompiled(&self) -> anyhow::Result<Option<Precompiled>> {
        let Some(sha256) = &self.precompiled_sha256 else { return Ok(None) };
        let list = hex::decode(sha256).ok().and_then(|bytes| bytes.try_into().ok());
        let list: [u8; 32] = list.ok_or_else(|| anyhow::anyhow!("STOA_PRECOMPILED_SHA256 is no SHA-256 in hex"))?;
        let engine = engine::build_portable(self.sandbox(), self.limits().large_memory)
            .map_err(|error| anyhow::anyhow!("the sandbox cannot be set up: {error:#}"))?;
        let folder = self.precompiled_dir.clone().unwrap_or_else(|| beside_the_binary("precompiled"));
        let opened = Precompiled::open(&folder, &list, &engine::compatibility(&engine));
        Ok(opened.map_err(|error| tracing::warn!("the release's machine code is not used: {error:#}")).ok())
    }

    pub fn limits(&self) -> Limits {
        let size = bytes;
        let defaults = Limits::default();
        Limits {
            deadline: self.module_deadline,
            host: self.module_host_time,
            whole: self.request_timeout,
            heavy: self.heavy_read_timeout,
            memory: size(self.module_memory),
            large_memory: defaults.large_memory.max(size(self.module_memory)),
            store_calls: self.module_store_calls,
            rows: self.module_rows,
            output: size(self.module_output),
            ..defaults
        }
    }

    /// The configured identity providers; the development issuer is not among them.
    pub fn issuers(&self) -> anyhow::Result<Vec<Issuer>> {
        let single = match (&self.oidc_issuer, &self.oidc_audience) {
            (Some(issuer), Some(audience)) => Some(Oidc {
                issuer: issuer.clone(),
                audience: audience.clone(),
                algorithms: None,
                types: None,
                claims: None,
                userinfo: None,
                console: None,
            }),
            (None, None) => None,
            _ => anyhow::bail!("STOA_OIDC_ISSUER and STOA_OIDC_AUDIENCE are set together"),
        };
        Ok(single.iter().chain(&self.oidc).map(issuer).collect())
    }
}

/// A name by which a listener is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostName(pub String);

impl FromStr for HostName {
    type Err = String;

    fn from_str(text: &str) -> Result<HostName, String> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
        let known = !text.is_empty() && text.bytes().all(plain);
        known.then(|| HostName(text.to_owned())).ok_or_else(|| format!("`{text}` is no name of a host"))
    }
}

/// A receiver on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DevTarget(SocketAddr);

impl FromStr for DevTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<DevTarget, String> {
        let address =
            text.strip_prefix("localhost:").map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
        let address: Option<SocketAddr> =
            address.parse().ok().filter(|address: &SocketAddr| address.ip().is_loopback());
        address.map(DevTarget).ok_or_else(|| format!("{text:?} is no host:port of this machine's loopback"))
    }
}

fn is_http(address: &str) -> bool {
    reqwest::Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

fn beside_the_binary(name: &str) -> PathBuf {
    let binary = std::env::current_exe().ok();
    binary.as_deref().and_then(Path::parent).map_or_else(|| PathBuf::from(name), |folder| folder.join(name))
}

fn issuer(oidc: &Oidc) -> Issuer {
    let mut issuer = Issuer::new(&oidc.issuer, &oidc.audience);
    if let Some(algorithms) = &oidc.algorithms {
        issuer.algorithms.clone_from(algorithms);
    }
    if let Some(types) = &oidc.types {
        issuer.types.clone_from(types);
    }
    if let Some(claims) = &oidc.claims {
        issuer.claims.clone_from(claims);
    }
    issuer.userinfo = oidc.userinfo.unwrap_or(issuer.userinfo);
    issuer
}

#[cfg(test)]
mod tests;
