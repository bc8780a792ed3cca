//! pgbench as a limit: clients in C that say what the service says to the same server, with the settings of its connections, and
//! do nothing with what they are answered.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use anyhow::Context as _;
use tokio::process::Command;

use crate::bench::Bench;
use crate::capture::Pattern;
use crate::capture::pgbench::{self, Picks};
use crate::postgres::Database;

/// Numbers of transactions that one run can use; every run of the process has its own.
const NUMBERS: u64 = 1_000_000;

pub struct Limit<'a> {
    database: &'a Database,
    file: PathBuf,
    variables: Vec<String>,
}

impl<'a> Limit<'a> {
    /// `name`: the name of the script's file.
    pub fn write(
        bench: &Bench,
        database: &'a Database,
        name: &str,
        pattern: &Pattern,
        picks: Picks<'_>,
    ) -> anyhow::Result<Limit<'a>> {
        let script = pgbench::script(pattern, picks)?;
        let file = bench.file(&format!("{name}.sql"));
        std::fs::write(&file, script.text)?;
        Ok(Limit { database, file, variables: script.variables })
    }

    /// Transactions per second; pgbench counts whole seconds.
    pub async fn run(&self, clients: usize, time: Duration) -> anyhow::Result<f64> {
        self.run_with(&[], clients, time).await
    }

    /// The same, with variables of this run: `name=value`.
    pub async fn run_with(&self, run_variables: &[String], clients: usize, time: Duration) -> anyhow::Result<f64> {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let base = format!("base={}", RUNS.fetch_add(1, Relaxed) * NUMBERS);
        let (clients, seconds) = (clients.to_string(), time.as_secs_f64().ceil().max(1.0).to_string());
        let mut command = Command::new("pgbench");
        command.args(["-n", "-M", "prepared", "-j", "1", "-c", &clients, "-T", &seconds]);
        command.args(["-D", &base, "-D", &format!("clients={clients}")]);
        for variable in self.variables.iter().chain(run_variables) {
            command.args(["-D", variable]);
        }
        if let Some(options) = self.database.options() {
            command.env("PGOPTIONS", options);
        }
        command.arg("-f").arg(&self.file).arg(&self.database.url);
        let output = command.output().await.context("cannot start pgbench")?;
        let said = String::from_utf8_lossy(&output.stdout);
        let tps = said.lines().find_map(|line| line.strip_prefix("tps = ")?.split_whitespace().next()?.parse().ok());
        match tps {
            Some(tps) if output.status.success() => Ok(tps),
            _ => anyhow::bail!("pgbench failed: {said}{}", String::from_utf8_lossy(&output.stderr)),
        }
    }
}
