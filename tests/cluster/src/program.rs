//! Running other programs: to their end, or for their output.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Runs to the end; anything but success is an error that names the program.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", words(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", words(command));
    }
    Ok(())
}

/// The program's stdout; its stderr goes where ours goes.
pub fn output(command: &mut Command) -> Result<String> {
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start {}", words(command)))?;
    if !output.status.success() {
        bail!("{} failed ({})", words(command), output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{} wrote no text", words(command)))
}

/// The program's stdout, or nothing where it fails: for questions whose answer may be no.
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
pub fn words(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let mut text = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    for word in command.get_args().take(3) {
        text.push(' ');
        text.push_str(&word.to_string_lossy());
    }
    text
}
