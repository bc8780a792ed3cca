//! Licences and notices of all packages whose code is in a release, as those licences demand.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::shipped::Shipped;

/// Names of files that hold a licence or a notice begin so, in any case.
const NAMES: &[&str] = &["license", "licence", "copying", "copyright", "notice", "unlicense"];

/// Each package with the numbers of its texts, then the texts, each once.
pub fn write(shipped: &Shipped) -> Result<String> {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut texts = Vec::new();
    let mut notices =
        String::from("Stoa contains code of these packages. The numbers are those of the texts below.\n\n");
    let packages = shipped.packages.iter().filter(|package| package.checksum.is_some());
    let packages = packages.map(|package| (&package.name, &package.version, &package.licence, &package.folder));
    let vendored = shipped.vendored.iter().map(|(folder, file)| (&file.package, &file.version, &file.licence, folder));
    for (name, version, licence, folder) in packages.chain(vendored) {
        let mut text_numbers = Vec::new();
        for file in find_texts(folder)? {
            let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let text = String::from_utf8_lossy(&bytes).trim().replace("\r\n", "\n");
            let number = *numbers.entry(text.clone()).or_insert_with(|| {
                texts.push(text);
                texts.len()
            });
            text_numbers.push(number.to_string());
        }
        // A package without a text of its own is used by the licence that it states.
        let references =
            if text_numbers.is_empty() { "no text of its own".to_owned() } else { text_numbers.join(", ") };
        writeln!(notices, "{name} {version} ({licence}): {references}")?;
    }
    for (number, text) in (1..).zip(&texts) {
        write!(notices, "\n{}\n{number}\n\n{text}\n", "=".repeat(78))?;
    }
    Ok(notices)
}

fn find_texts(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let is_text = |file: &PathBuf| {
        let name = file.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        file.is_file() && NAMES.iter().any(|begin| name.starts_with(begin))
    };
    files.retain(is_text);
    files.sort();
    Ok(files)
}
