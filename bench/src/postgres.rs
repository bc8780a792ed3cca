//! A database of the benchmark's own on the server of the environment.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

pub struct Database {
    server: String,
    name: String,
    pub url: String,
    /// host:port.
    pub address: String,
    /// Options that the service opens its connections with.
    options: OnceLock<String>,
}

/// How long others may take to leave the database.
const PATIENCE: Duration = Duration::from_secs(30);

impl Database {
    pub async fn create(server: String) -> anyhow::Result<Database> {
        Database::create_named(server, format!("stoa_bench_{}", std::process::id())).await
    }

    /// Another one on a server that may have one already; its name ends so.
    pub async fn create_another(server: String, suffix: &str) -> anyhow::Result<Database> {
        Database::create_named(server, format!("stoa_bench_{}_{suffix}", std::process::id())).await
    }

    async fn create_named(server: String, name: String) -> anyhow::Result<Database> {
        let options: PgConnectOptions = server.parse()?;
        let mut connection = PgConnection::connect_with(&options).await.context("cannot reach PostgreSQL")?;
        connection.execute(AssertSqlSafe(format!("create database {name}"))).await?;
        connection.close().await?;
        let address = format!("{}:{}", options.get_host(), options.get_port());
        let (front, _) = server.rsplit_once('/').context("no database in the server's address")?;
        Ok(Database { url: format!("{front}/{name}"), name, server, address, options: OnceLock::new() })
    }

    /// The same database through a proxy.
    pub fn through(&self, proxy: std::net::SocketAddr) -> String {
        format!("{}?sslmode=disable", self.url.replace(&self.address, &proxy.to_string()))
    }

    /// The settings of the service's connections, `-c name=value ...`: statements are planned by them. The first word counts.
    pub fn set_options(&self, options: String) {
        let _ = self.options.set(options);
    }

    pub fn options(&self) -> Option<&str> {
        self.options.get().map(String::as_str)
    }

    pub async fn setting(&self, name: &'static str) -> anyhow::Result<String> {
        let mut connection = PgConnection::connect(&self.url).await?;
        let sql = "select current_setting($1)";
        let setting = sqlx::query_scalar(sql).bind(name).fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok(setting)
    }

    /// Rows of a table.
    pub async fn count(&self, table: &'static str) -> anyhow::Result<i64> {
        let mut connection = PgConnection::connect(&self.url).await?;
        let sql = AssertSqlSafe(format!("select count(*) from {table}"));
        let count = sqlx::query_scalar(sql).fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok(count)
    }

    /// Size on disk, in 10^9 bytes.
    pub async fn gigabytes(&self) -> anyhow::Result<f64> {
        let mut connection = PgConnection::connect(&self.url).await?;
        let sql = "select pg_database_size(current_database())";
        let bytes: i64 = sqlx::query_scalar(sql).fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok(bytes as f64 / 1e9)
    }

    /// The maintenance that a busy database does by itself from time to time, done at a time without a measurement.
    pub async fn settle(&self) -> anyhow::Result<()> {
        let mut connection = PgConnection::connect(&self.url).await?;
        connection.execute("vacuum analyze").await?;
        connection.close().await?;
        Ok(())
    }

    /// Without force: that ends the server's own workers too, which a plain role may not, while a database that is dropped gently
    /// has them leave. The benchmark's connections are closed by now; those of hosts that were killed take their moment.
    pub async fn drop(self) -> anyhow::Result<()> {
        let begun = Instant::now();
        loop {
            match self.try_drop().await {
                Err(error) if begun.elapsed() < PATIENCE => eprintln!("{} is still in use: {error}", self.name),
                dropped => return Ok(dropped?),
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    async fn try_drop(&self) -> Result<(), sqlx::Error> {
        let mut connection = PgConnection::connect(&self.server).await?;
        connection.execute(AssertSqlSafe(format!("drop database if exists {}", self.name))).await?;
        connection.close().await
    }
}

/// Processor time that the PostgreSQL servers of this machine have used, in seconds; 0 where the system does not report it.
pub fn processor_seconds() -> f64 {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let seconds = processes.filter_map(|process| {
        let name = std::fs::read_to_string(process.path().join("comm")).ok()?;
        let times = std::fs::read_to_string(process.path().join("schedstat")).ok()?;
        let nanoseconds: f64 = times.split_whitespace().next()?.parse().ok()?;
        (name.trim() == "postgres").then_some(nanoseconds / 1e9)
    });
    seconds.sum()
}
