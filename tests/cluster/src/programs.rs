//! Finds PostgreSQL's server programs, or installs them where this program may.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::cluster::is_root;
use crate::program;

/// The oldest version that the platform supports: architecture and store are written for 15 and later.
const OLDEST: u32 = 15;

pub const MISSING: &str = "no PostgreSQL 15 or later here: install the server (Debian: apt-get install postgresql; Homebrew: brew install \
     postgresql@17) or set STOA_TEST_POSTGRES_URL";

/// The folder with `initdb`, `pg_ctl` and `postgres`; the newest of several.
pub fn find_or_install() -> Result<PathBuf> {
    if let Some(folder) = find() {
        return Ok(folder);
    }
    if is_root()? && program::in_path("apt-get").is_some() {
        eprintln!("installing PostgreSQL with apt-get");
        apt_get(&["update", "-qq"])?;
        apt_get(&["install", "-y", "-qq", "--no-install-recommends", "postgresql"])?;
        if let Some(folder) = find() {
            return Ok(folder);
        }
    }
    bail!("{MISSING}")
}

fn apt_get(words: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    // Its output goes to stderr: stdout belongs to the verb.
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).stdout(std::io::stderr());
    program::run(&mut command)
}

/// The same, where it is there.
pub fn find() -> Option<PathBuf> {
    let in_path = program::in_path("initdb").and_then(|file| file.canonicalize().ok());
    let mut folders: Vec<PathBuf> = in_path.and_then(|file| file.parent().map(PathBuf::from)).into_iter().collect();
    for (parent, prefix) in [
        ("/usr/lib/postgresql", ""),
        ("/usr", "pgsql-"),
        ("/opt/homebrew/opt", "postgresql"),
        ("/usr/local/opt", "postgresql"),
    ] {
        folders.extend(versions(Path::new(parent), prefix));
    }
    let found = folders.into_iter().filter_map(|folder| Some((version(&folder)?, folder)));
    found.filter(|(version, _)| *version >= OLDEST).max_by_key(|(version, _)| *version).map(|(_, folder)| folder)
}

/// `parent/prefix*/bin`.
fn versions(parent: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
    named.map(|entry| entry.path().join("bin")).collect()
}

/// The major version of a folder that holds all of the programs.
pub fn version(folder: &Path) -> Option<u32> {
    if !["initdb", "pg_ctl", "pg_isready", "postgres"].iter().all(|name| folder.join(name).is_file()) {
        return None;
    }
    let output = Command::new(folder.join("postgres")).arg("--version").output().ok()?;
    major(&String::from_utf8(output.stdout).ok()?)
}

/// The major version in `postgres (PostgreSQL) 15.18 (Debian ...)` or `... 18beta1`: 15, 18.
fn major(text: &str) -> Option<u32> {
    let version = text.split_whitespace().nth(2)?;
    let digits = version.find(|character: char| !character.is_ascii_digit()).unwrap_or(version.len());
    version.get(..digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn the_major_version_is_read_from_what_the_server_says() {
        assert_eq!(major("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some(15));
        assert_eq!(major("postgres (PostgreSQL) 18beta1\n"), Some(18));
        assert_eq!(major("postgres"), None);
    }
}
