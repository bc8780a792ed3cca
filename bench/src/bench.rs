//! The tools of every measure: programs, folders, servers and the report.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use stoa::identity::{DEV_AUDIENCE, DEV_ISSUER, DevIssuer};
use tokio::process::Command;

use crate::child::Server;
use crate::measures::webhooks::Receivers;
use crate::report::Report;
use crate::rounds::Rounds;
use crate::serve;

pub struct Bench {
    pub rounds: Rounds,
    pub report: Report,
    /// `target/release/stoa`.
    pub binary: PathBuf,
    /// Folder of the components.
    pub modules: PathBuf,
    /// Folder of the example modules, and of the suite's guests.
    pub examples: PathBuf,
    pub guests: PathBuf,
    /// Where compiled modules are kept.
    pub compiled: PathBuf,
    /// Thrown away at the end.
    pub folder: Folder,
    pub token: String,
    /// Receivers of webhooks.
    pub receivers: Receivers,
}

/// A temporary folder.
pub struct Folder(pub PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn variable(name: &str) -> anyhow::Result<String> {
    std::env::var(name).with_context(|| format!("{name} is not set: `cargo xtask bench` sets it"))
}

impl Bench {
    /// Programs and modules as `cargo xtask bench` names them.
    pub fn new(rounds: Rounds) -> anyhow::Result<Bench> {
        let folder = Folder(std::env::temp_dir().join(format!("stoa-bench-{}", std::process::id())));
        std::fs::create_dir_all(&folder.0)?;
        let token = mint(&folder.0.join("data"), "bench@example.test")?;
        let compiled =
            std::env::var_os("STOA_TEST_MODULE_CACHE").map_or_else(|| folder.0.join("compiled"), PathBuf::from);
        Ok(Bench {
            rounds,
            report: Report::default(),
            binary: variable("STOA_TEST_BINARY")?.into(),
            modules: variable("STOA_TEST_MODULES")?.into(),
            examples: variable("STOA_TEST_EXAMPLES")?.into(),
            guests: variable("STOA_TEST_GUESTS")?.into(),
            compiled,
            folder,
            token,
            receivers: Receivers::bind()?,
        })
    }

    /// The server of the environment, at its maintenance database.
    pub fn postgres_server() -> anyhow::Result<String> {
        variable("STOA_TEST_POSTGRES_URL")
    }

    /// A token of another person.
    pub fn token_of(&self, email: &str) -> anyhow::Result<String> {
        mint(&self.data(), email)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.0.join(name)
    }

    pub fn data(&self) -> PathBuf {
        self.file("data")
    }

    pub fn sqlite_url(path: &Path) -> String {
        format!("sqlite:{}", path.display())
    }

    /// The real binary on this database; its metrics are at the second address.
    pub async fn stoa(&self, database: &str, connections: u32) -> anyhow::Result<(Server, SocketAddr)> {
        self.stoa_with(database, connections, &[]).await
    }

    /// The same, with these variables.
    pub async fn stoa_with(
        &self,
        database: &str,
        connections: u32,
        variables: &[(&str, &str)],
    ) -> anyhow::Result<(Server, SocketAddr)> {
        let metrics = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let targets: Vec<String> = self.receivers.addresses()?.iter().map(ToString::to_string).collect();
        let mut command = clean(&self.binary);
        command
            .args(["serve", "--dev", "--listen", "127.0.0.1:0", "--private-listen", &metrics.to_string()])
            .args(["--database-url", database])
            .arg("--data-dir")
            .arg(self.data())
            .arg("--modules-dir")
            .arg(&self.modules)
            .env("STOA_MODULE_CACHE_DIR", &self.compiled)
            .env("STOA_DATABASE_CONNECTIONS", connections.to_string())
            .env("STOA_USER_REQUESTS_PER_MINUTE", serve::UNLIMITED.to_string())
            .env("STOA_COMPANIES_PER_USER_AND_DAY", "1000000")
            .env("STOA_TENANT_REQUESTS_PER_MINUTE", serve::UNLIMITED.to_string())
            .env("STOA_WEBHOOK_DEV_TARGETS", targets.join(","))
            .envs(variables.iter().copied())
            .current_dir(&self.folder.0);
        Ok((Server::start(command, &self.file("stoa.log")).await?, metrics))
    }

    /// This program as a host.
    pub async fn own_host(&self, database: &str, flags: &[&str]) -> anyhow::Result<Server> {
        let mut command = clean(&std::env::current_exe()?);
        command.arg("serve").args(["--database", database]).arg("--data").arg(self.data());
        command.arg("--modules").arg(&self.modules).arg("--compiled").arg(&self.compiled).args(flags);
        Server::start(command, &self.file("own-host.log")).await
    }

    /// This program as the bare handler of reads.
    pub async fn bare(&self, database: &str, pattern: &Path) -> anyhow::Result<Server> {
        let mut command = clean(&std::env::current_exe()?);
        command.arg("bare").args(["--database", database]).arg("--pattern").arg(pattern);
        Server::start(command, &self.file("bare.log")).await
    }
}

/// A day's token, as the host with this folder has them.
fn mint(data: &Path, email: &str) -> anyhow::Result<String> {
    let issuer = DevIssuer::load_or_create(data)?;
    Ok(issuer.mint(email, Duration::from_secs(24 * 3600), DEV_AUDIENCE, DEV_ISSUER)?)
}

/// Without the settings in the environment of the person who runs the benchmark.
pub fn clean(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars() {
        if name.starts_with("STOA_") || name.starts_with("RUST_") {
            command.env_remove(name);
        }
    }
    command
}

/// The metrics of the private listener.
pub async fn read_metrics(address: SocketAddr) -> anyhow::Result<String> {
    let mut connection = crate::load::Connection::open(address).await?;
    let status = connection.exchange(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n").await?;
    anyhow::ensure!(status == 200, "/metrics responds {status}: {}", connection.body());
    Ok(connection.body())
}

/// A figure of the private listener: the sum over its labels.
pub async fn metric(address: SocketAddr, name: &str) -> anyhow::Result<f64> {
    let body = read_metrics(address).await?;
    let lines = body.lines().filter_map(|line| line.split_once([' ', '{']));
    let values =
        lines.filter(|(found, _)| *found == name).filter_map(|(_, rest)| rest.rsplit(' ').next()?.parse::<f64>().ok());
    Ok(values.sum())
}
