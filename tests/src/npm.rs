//! Programs of Node that the suite needs, with their packages from the npm registry. Where there is no Node, or no way to a
//! registry, an `Err` says why: a test that needs them is not run, and says so.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::host::workspace;

/// The oldest Node that runs them.
const NODE: u32 = 20;

/// Words of npm where there is no way to a registry: the one failure of an install that is no fault of the code.
const NO_REGISTRY: &[&str] =
    &["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "ENOTCACHED", "E503"];

/// Says what this run fetches: `ALL`, or the beginnings of names of parts.
const FETCHED: &str = "STOA_TEST_REGISTRIES";
const ALL: &str = "asked";

/// An `Err` where this run fetches nothing: a whole run without `--all`, which the fault of a registry must not fail.
pub fn may_fetch() -> Result<(), String> {
    may_fetch_for("")
}

/// The same for a part of the suite: a whole run with `--strict=PARTS` fetches what these parts need.
pub fn may_fetch_for(part: &str) -> Result<(), String> {
    let stated = std::env::var(FETCHED).unwrap_or_default();
    let asked = stated.split(',').any(|begin| begin == ALL || (!begin.is_empty() && part.starts_with(begin)));
    if asked { Ok(()) } else { Err("its packages are fetched by `cargo xtask test --all` or with a filter".to_owned()) }
}

/// A program with its packages, in a folder that goes unless it is kept.
pub struct Installed {
    pub folder: PathBuf,
}

impl Installed {
    /// Moves the whole folder. Another run of the suite may have been faster: the installed packages are the same.
    pub fn keep(self, place: &Path) {
        fs::create_dir_all(place.parent().expect("a place in target")).expect("cannot make a folder in target");
        let moved = fs::rename(&self.folder, place);
        assert!(moved.is_ok() || place.is_dir(), "cannot move to {}: {moved:?}", place.display());
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Distinguishes one content of these files of a folder from every other.
pub fn digest(source: &Path, files: &[&str]) -> String {
    let mut hasher = DefaultHasher::new();
    for name in files {
        (name, read(source, name)).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// Copies these files of a folder, a lock file among them, and installs what they need next to the copies. `part` of
/// the suite needs them.
pub fn install(part: &str, source: &Path, files: &[&str]) -> Result<Installed, String> {
    let node = version("node")?;
    let major = node.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < NODE) {
        return Err(format!("it needs Node {NODE} or later, and this is {node}"));
    }
    version("npm")?;
    may_fetch_for(part)?;
    let scratch = format!("target/npm/{}-{}", digest(source, files), std::process::id());
    let installed = Installed { folder: workspace().join(scratch) };
    for name in files {
        let copy = installed.folder.join(name);
        fs::create_dir_all(copy.parent().expect("a file lies in a folder")).expect("cannot make a folder in target");
        fs::write(copy, read(source, name)).expect("cannot write to target");
    }
    let output = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"])
        .current_dir(&installed.folder)
        .output()
        .map_err(|error| format!("npm cannot be run: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return match NO_REGISTRY.iter().find(|code| said.contains(*code)) {
            Some(code) => Err(format!("npm reaches no registry ({code})")),
            None => panic!("npm ci failed for {}: {said}", source.display()),
        };
    }
    Ok(installed)
}

fn read(source: &Path, name: &str) -> String {
    let file = source.join(name);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()))
}

fn version(program: &str) -> Result<String, String> {
    let output = Command::new(program).arg("--version").output().map_err(|_| format!("{program} is not installed"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}
