//! SHA-256 of every file of a release, as `sha256sum --check` reads them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest as _, Sha256};

pub const LIST: &str = "SHA256SUMS";
pub const SIGNATURE: &str = "SHA256SUMS.sig";

/// Writes the list of these files and folders; returns the listed files, sorted, and those of the list itself.
pub fn write(folder: &Path, parts: impl Iterator<Item = &'static str>) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for part in parts {
        find_files(folder, Path::new(part), &mut files)?;
    }
    files.sort();
    let mut list = String::new();
    for file in &files {
        let bytes = fs::read(folder.join(file)).with_context(|| format!("cannot read {}", file.display()))?;
        writeln!(list, "{}  {}", hex::encode(Sha256::digest(bytes)), file.display())?;
    }
    fs::write(folder.join(LIST), list)?;
    files.extend([LIST, SIGNATURE].map(PathBuf::from));
    Ok(files)
}

fn find_files(folder: &Path, part: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let path = folder.join(part);
    if !path.is_dir() {
        files.push(part.to_path_buf());
        return Ok(());
    }
    for entry in fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))? {
        find_files(folder, &part.join(entry?.file_name()), files)?;
    }
    Ok(())
}
