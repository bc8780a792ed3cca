//! Running other programs: to their end, for their output, or until this program is asked to stop.

use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};
use tokio::process::Child;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Runs to the end; anything but success is an error that names the program.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", words(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", words(command));
    }
    Ok(())
}

/// What the program writes to stdout; its stderr goes where ours goes.
pub fn output(command: &mut Command) -> Result<String> {
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start {}", words(command)))?;
    if !output.status.success() {
        bail!("{} failed ({})", words(command), output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{} wrote no text", words(command)))
}

/// What the program writes to stdout, or nothing where it fails: for questions whose answer may be no.
pub fn output_quietly(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// The first program of this name in PATH.
pub fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The program and its first words, for messages: the rest may be long.
fn words(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let mut text = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    for word in command.get_args().take(3) {
        text.push(' ');
        text.push_str(&word.to_string_lossy());
    }
    text
}

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

/// Starts a program in a process group of its own, so that Ctrl-C reaches it through us alone, and once.
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
        // A failure means that it has just ended: the wait that follows tells.
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
