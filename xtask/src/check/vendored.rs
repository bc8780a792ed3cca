//! Packages taken over whole from another registry: each folder says in `vendored.json` what it holds, bears the licence and the
//! notices, and its packed file is the published one, bit by bit.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::licences::meets;

#[derive(Deserialize)]
pub struct Vendored {
    pub package: String,
    pub version: String,
    /// In the package.
    file: String,
    /// The digest of that file.
    pub sha256: String,
    /// The file here, packed by gzip.
    packed: String,
    pub licence: String,
}

/// Judges every folder in a folder.
pub fn check(folder: &Path, allowed: &BTreeSet<String>) -> Result<()> {
    for folder in folders(folder)? {
        judge(&folder, allowed).with_context(|| folder.display().to_string())?;
    }
    Ok(())
}

/// Every folder in a folder, with what it says that it holds.
pub fn read_all(folder: &Path) -> Result<Vec<(PathBuf, Vendored)>> {
    let read = |folder: PathBuf| {
        let vendored = read(&folder).with_context(|| folder.display().to_string())?;
        Ok((folder, vendored))
    };
    folders(folder)?.into_iter().map(read).collect()
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut folders = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    folders.sort();
    Ok(folders)
}

fn read(folder: &Path) -> Result<Vendored> {
    let text = fs::read(folder.join("vendored.json")).context("no vendored.json")?;
    serde_json::from_slice(&text).context("vendored.json is not as expected")
}

fn judge(folder: &Path, allowed: &BTreeSet<String>) -> Result<()> {
    let reported = read(folder)?;
    if !meets(&reported.licence, allowed) {
        bail!("{} {}: {:?} is not on the list of deny.toml", reported.package, reported.version, reported.licence);
    }
    for name in ["LICENSE", "NOTICES.txt"] {
        let text = fs::read_to_string(folder.join(name)).with_context(|| format!("no {name}"))?;
        if text.trim().is_empty() {
            bail!("{name} is empty");
        }
    }
    if !reported.packed.contains(&reported.version) {
        bail!("{} does not bear the version {}", reported.packed, reported.version);
    }
    let packed = fs::read(folder.join(&reported.packed)).with_context(|| format!("no {}", reported.packed))?;
    let mut plain = Vec::new();
    GzDecoder::new(&*packed).read_to_end(&mut plain).with_context(|| format!("cannot unpack {}", reported.packed))?;
    let digest = hex::encode(Sha256::digest(&plain));
    if digest != reported.sha256 {
        bail!("{} is not {} of {} {}: {digest}", reported.packed, reported.file, reported.package, reported.version);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    fn mit_alone() -> BTreeSet<String> {
        BTreeSet::from(["MIT".to_string()])
    }

    /// A copy of a folder of the project, changed by `change`.
    fn judge_copy(name: &str, change: impl Fn(&Path)) -> Result<()> {
        let source = Workspace::find()?.root.join("host/vendor/scalar");
        let copy: PathBuf = std::env::temp_dir().join(format!("vendored-{}-{name}", std::process::id()));
        fs::create_dir_all(&copy)?;
        for entry in fs::read_dir(source)? {
            let entry = entry?;
            fs::copy(entry.path(), copy.join(entry.file_name()))?;
        }
        change(&copy);
        let outcome = judge(&copy, &mit_alone());
        fs::remove_dir_all(&copy)?;
        outcome
    }

    #[test]
    fn what_was_published_is_taken() {
        judge_copy("whole", |_| {}).unwrap();
    }

    #[test]
    fn another_content_licence_or_a_missing_notice_is_not() {
        let rewrite = |folder: &Path, from: &str, to: &str| {
            let file = folder.join("vendored.json");
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.contains(from), "{text}");
            fs::write(file, text.replace(from, to)).unwrap();
        };
        let refused = |outcome: Result<()>| outcome.unwrap_err().to_string();
        assert!(
            refused(judge_copy("content", |folder| rewrite(folder, "\"sha256\": \"b", "\"sha256\": \"c")))
                .contains("is not dist/")
        );
        assert!(refused(judge_copy("licence", |folder| rewrite(folder, "MIT", "GPL-3.0"))).contains("deny.toml"));
        assert!(
            refused(judge_copy("notices", |folder| fs::remove_file(folder.join("NOTICES.txt")).unwrap()))
                .contains("NOTICES")
        );
    }
}
