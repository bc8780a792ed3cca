//! Running other programs until this one is asked to stop.

use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};
pub use stoa_cluster::program::{output, output_quietly, run, words};
use tokio::process::Child;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Ctrl-C, SIGTERM and a closed terminal, from the moment this is made: none of them ends this program by itself then.
pub struct Stop {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Stop {
    pub fn listen() -> Result<Stop> {
        Ok(Stop {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits until one arrives.
    pub async fn wait_for_request(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}

/// Starts a program in a process group of its own, so that Ctrl-C reaches it only through us, and once.
pub fn start(command: Command) -> Result<Child> {
    let text = words(&command);
    let mut command = tokio::process::Command::from(command);
    command.stdin(Stdio::null()).process_group(0).kill_on_drop(true);
    command.spawn().with_context(|| format!("cannot start {text}"))
}

/// Waits for the program's end; passes a request to stop on to its whole group and goes on waiting.
pub async fn wait(child: &mut Child, stop: &mut Stop) -> Result<ExitStatus> {
    loop {
        tokio::select! {
            status = child.wait() => return Ok(status?),
            () = stop.wait_for_request() => terminate(child),
        }
    }
}

/// SIGTERM to the program's group, if it still runs.
pub fn terminate(child: &Child) {
    if let Some(id) = child.id() {
        // A failure means that it has just ended: the wait that follows reports it.
        let _ = Command::new("kill").args(["-TERM", "--", &format!("-{id}")]).stderr(Stdio::null()).status();
    }
}

/// A program that is stopped with us: for verbs that clean up after it.
pub async fn run_until_stopped(command: Command, stop: &mut Stop) -> Result<()> {
    let text = words(&command);
    let mut child = start(command)?;
    let status = wait(&mut child, stop).await?;
    if !status.success() {
        bail!("{text} failed ({status})");
    }
    Ok(())
}
