//! A server in a process of its own: the real binary, or one of this program's own. It ends with its owner.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, ChildStdout, Command};

/// Compiling the modules takes seconds on a busy machine.
const START: Duration = Duration::from_secs(120);

pub struct Server {
    pub address: SocketAddr,
    child: Child,
    _stdout: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a program that prints `... listening on http://ADDRESS` as its first line once it serves.
    pub async fn start(mut command: Command, log: &Path) -> anyhow::Result<Server> {
        let log_file = std::fs::File::create(log)?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log_file).kill_on_drop(true);
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let mut stdout = BufReader::new(child.stdout.take().context("a child without stdout")?);
        let mut line = String::new();
        let read = tokio::time::timeout(START, stdout.read_line(&mut line)).await;
        let address = line.trim().rsplit_once("http://").and_then(|(_, address)| address.parse().ok());
        match (read, address) {
            (Ok(Ok(_)), Some(address)) => Ok(Server { address, child, _stdout: stdout }),
            _ => {
                let said = std::fs::read_to_string(log).unwrap_or_default();
                anyhow::bail!("{command:?} did not start: {line}{said}")
            }
        }
    }

    /// Resident memory in MiB; 0 where the system does not report it.
    pub fn resident_mib(&self) -> f64 {
        let path = format!("/proc/{}/status", self.child.id().unwrap_or(0));
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
    }

    /// Ends the process and waits for it.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.child.kill().await?;
        Ok(())
    }

    /// Processor time of all threads so far, of those that have ended too, in seconds; 0 where the system does not
    /// report it. Linux rounds the exact sum to ticks, so a difference is 20 ms wrong at most.
    pub fn processor_seconds(&self) -> f64 {
        let path = format!("/proc/{}/stat", self.child.id().unwrap_or(0));
        let stat = std::fs::read_to_string(path).unwrap_or_default();
        // After the name in parentheses: field 14 and 15 of the whole are user and system time in ticks of 10 ms.
        let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let mut ticks = fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
        (ticks.next().unwrap_or(0.0) + ticks.next().unwrap_or(0.0)) / 100.0
    }
}
