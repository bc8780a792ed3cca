//! Debian's Chromium, driven by `playwright-core` of the npm registry. Where one of them is not, an `Err` says why.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::host::workspace;
use crate::npm;

const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const FILES: &[&str] = &["package.json", "package-lock.json", "reference.mjs"];

/// Runs `tests/browser/reference.mjs` with these variables; its pictures go to `target/browser`. A fault that it finds fails the
/// test. `Err` holds why it cannot run on this machine.
pub fn read_reference(variables: &[(&str, &str)]) -> Result<PathBuf, String> {
    let chromium = find()?;
    let folder = install()?;
    let pictures = workspace().join("target/browser/pictures");
    std::fs::create_dir_all(&pictures).expect("cannot make a folder in target");
    let output = Command::new("node")
        .arg("reference.mjs")
        .current_dir(folder)
        .env("CHROMIUM", chromium)
        .env("PICTURES", &pictures)
        .envs(variables.iter().copied())
        .output()
        .map_err(|error| format!("node cannot be run: {error}"))?;
    let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "pictures: {}\n{printed}\n{said}", pictures.display());
    Ok(pictures)
}

fn find() -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let places = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file()).ok_or_else(|| "no Chromium is installed".to_owned())
}

/// The folder that holds the script with what it needs, installed once for each content.
fn install() -> Result<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("browser");
    let folder = workspace().join("target/browser").join(npm::digest(&source, FILES));
    if !folder.is_dir() {
        npm::install("http::reference", &source, FILES)?.keep(&folder);
    }
    Ok(folder)
}
