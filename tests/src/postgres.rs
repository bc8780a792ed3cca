//! One fresh PostgreSQL database per started host, dropped with it.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use reqwest::Url;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use crate::host::RUNTIME;

pub const MISSING: &str = "STOA_TEST_POSTGRES_URL is not set: run the suite by `cargo xtask test`, which provides a server, or point the \
     variable at a role with CREATEDB (postgres://role@host/postgres)";

/// `STOA_TEST_POSTGRES_URL`: a plain role that may create databases.
pub fn server() -> Option<String> {
    std::env::var("STOA_TEST_POSTGRES_URL").ok().filter(|url| !url.is_empty())
}

/// A database of this test process.
pub struct Disposable {
    server: String,
    name: String,
    url: String,
}

impl Disposable {
    pub fn create() -> Disposable {
        Disposable::create_at(server().unwrap_or_else(|| panic!("{MISSING}")))
    }

    /// On this server.
    pub fn create_at(server: String) -> Disposable {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        static SWEEP: Once = Once::new();
        SWEEP.call_once(|| sweep(&server));
        let name = format!("stoa_test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        run(&server, &format!("create database {name}"))
            .unwrap_or_else(|error| panic!("cannot create a database at {server}: {error}"));
        let mut url = Url::parse(&server).expect("the server's address is no URL");
        url.set_path(&name);
        Disposable { server, name, url: url.to_string() }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address of the database of this name on another server.
    pub fn url_at(&self, server: &str) -> String {
        let mut url = Url::parse(server).expect("the server's address is no URL");
        url.set_path(&self.name);
        url.to_string()
    }

    /// The address with the role for moves, which may subscribe here from now on.
    pub fn url_for_moves(&self) -> String {
        run(&self.url, &format!("grant create on database {} to stoa_move", self.name)).expect("the role for moves");
        let mut url = Url::parse(&self.url).expect("an address");
        url.set_username("stoa_move").and_then(|()| url.set_password(Some("move"))).expect("a role in an address");
        url.to_string()
    }
}

impl Drop for Disposable {
    fn drop(&mut self) {
        if let Err(error) = run(&self.server, &format!("drop database if exists {} with (force)", self.name)) {
            eprintln!("cannot drop {}: {error}", self.name);
        }
    }
}

/// Drops what test processes that are gone left behind. One whose host still runs has connections, and stays.
fn sweep(server: &str) {
    let left: Vec<String> = RUNTIME.block_on(async {
        let Ok(mut connection) = PgConnection::connect(server).await else { return Vec::new() };
        sqlx::query_scalar("select datname::text from pg_database where datname like 'stoa\\_test\\_%'")
            .fetch_all(&mut connection)
            .await
            .unwrap_or_default()
    });
    for name in left {
        let owner = name.split('_').nth(2).and_then(|pid| pid.parse::<u32>().ok());
        let alive = owner.is_some_and(|pid| std::path::Path::new(&format!("/proc/{pid}")).exists());
        if !alive {
            let _ = run(server, &format!("drop database {name}"));
        }
    }
}

/// Runs a statement at a server.
pub fn run(server: &str, statement: &str) -> Result<(), sqlx::Error> {
    RUNTIME.block_on(async {
        let mut connection = PgConnection::connect(server).await?;
        connection.execute(AssertSqlSafe(statement.to_string())).await?;
        connection.close().await
    })
}
