//! A database of the benchmark's own on the server of the environment.

use anyhow::Context as _;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

pub struct Database {
    server: String,
    name: String,
    pub url: String,
    /// host:port.
    pub address: String,
}

impl Database {
    pub async fn create(server: String) -> anyhow::Result<Database> {
        let name = format!("stoa_bench_{}", std::process::id());
        let options: PgConnectOptions = server.parse()?;
        let mut connection = PgConnection::connect_with(&options).await.context("cannot reach PostgreSQL")?;
        connection.execute(AssertSqlSafe(format!("create database {name}"))).await?;
        connection.close().await?;
        let address = format!("{}:{}", options.get_host(), options.get_port());
        let (front, _) = server.rsplit_once('/').context("no database in the server's address")?;
        Ok(Database { url: format!("{front}/{name}"), name, server, address })
    }

    /// The same database through another door.
    pub fn through(&self, door: std::net::SocketAddr) -> String {
        format!("{}?sslmode=disable", self.url.replace(&self.address, &door.to_string()))
    }

    pub async fn setting(&self, name: &'static str) -> anyhow::Result<String> {
        let mut connection = PgConnection::connect(&self.url).await?;
        let sql = "select current_setting($1)";
        Ok(sqlx::query_scalar(sql).bind(name).fetch_one(&mut connection).await?)
    }

    /// What a busy database does by itself from time to time, done at a time that nobody measures.
    pub async fn settle(&self) -> anyhow::Result<()> {
        let mut connection = PgConnection::connect(&self.url).await?;
        connection.execute("vacuum analyze").await?;
        Ok(())
    }

    pub async fn drop(self) -> anyhow::Result<()> {
        let mut connection = PgConnection::connect(&self.server).await?;
        connection.execute(AssertSqlSafe(format!("drop database {} with (force)", self.name))).await?;
        Ok(())
    }
}
