//! The PostgreSQL server that test and bench work on: the one that settings name, else a throw-away cluster of their own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use stoa_cluster::{Cluster, find_or_install};

/// Names the server to the suite: a plain role with CREATEDB, `postgres://role@host:port/postgres`.
pub const URL: &str = "STOA_TEST_POSTGRES_URL";

pub struct Server {
    url: String,
    own_cluster: Option<(PathBuf, Cluster)>,
}

/// The server of the environment, or one that ends with the answer, in a folder under this one.
pub fn provide(under: &Path) -> Result<Server> {
    if let Some(url) = std::env::var(URL).ok().filter(|url| !url.is_empty()) {
        return Ok(Server { url, own_cluster: None });
    }
    let programs = find_or_install()?;
    let cluster = Cluster::start(&programs, under)?;
    Ok(Server { url: cluster.url(), own_cluster: Some((programs, cluster)) })
}

impl Server {
    /// Gives a program the address of the server, also the programs next to it (pgbench).
    pub fn tell(&self, command: &mut Command) -> Result<()> {
        command.env(URL, &self.url);
        if let Some((programs, _)) = &self.own_cluster {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let folders = std::iter::once(programs.clone()).chain(std::env::split_paths(&path));
            let path: OsString = std::env::join_paths(folders)?;
            command.env("PATH", path);
        }
        Ok(())
    }
}
