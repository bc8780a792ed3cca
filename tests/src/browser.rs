//! Debian's Chromium, driven by `playwright-core` of the npm registry. Where one of them is not, an `Err` says why.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::host::workspace;
use crate::npm;

const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Runs a script of `tests/browser` with these variables for a part of the suite; its pictures go to `target/browser`.
/// A fault that it finds fails the test. `Err` holds why it cannot run on this machine.
pub fn run(part: &str, script: &str, variables: &[(&str, &str)]) -> Result<PathBuf, String> {
    let chromium = find()?;
    let folder = install(part)?;
    let pictures = workspace().join("target/browser/pictures");
    std::fs::create_dir_all(&pictures).expect("cannot make a folder in target");
    let output = Command::new("node")
        .arg(script)
        .current_dir(folder)
        .env("CHROMIUM", chromium)
        .env("PICTURES", &pictures)
        .envs(variables.iter().copied())
        .output()
        .map_err(|error| format!("node cannot be run: {error}"))?;
    let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "pictures: {}\n{printed}\n{said}", pictures.display());
    println!("{script}: {}", printed.trim());
    Ok(pictures)
}

fn find() -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let places = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file()).ok_or_else(|| "no Chromium is installed".to_owned())
}

/// The folder that holds the scripts with their packages, installed once for each content.
fn install(part: &str) -> Result<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("browser");
    let entries = std::fs::read_dir(&source).expect("the folder of the scripts");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let is_needed = |name: &String| name.ends_with(".mjs") || name.starts_with("package");
    let mut files: Vec<String> = names.filter(is_needed).collect();
    files.sort_unstable();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let folder = workspace().join("target/browser").join(npm::digest(&source, &files));
    // Tests of one process wait for each other: the first one installs.
    static INSTALLS: Mutex<()> = Mutex::new(());
    let _turn = INSTALLS.lock().unwrap_or_else(PoisonError::into_inner);
    if !folder.is_dir() {
        npm::install(part, &source, &files)?.keep(&folder);
    }
    Ok(folder)
}
