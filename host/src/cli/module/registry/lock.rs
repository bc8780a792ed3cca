//! The lock file: which bytes of which module a deployment runs, and by whose word. It is made to be reviewed and
//! committed.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::oci::digest::OciDigest;
use crate::oci::reference::ModuleReference;

const HEAD: &str =
    "# Written by `stoa module pull` and `publish`: `stoa module pull --locked` fetches exactly this.\n\n";

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockFile {
    #[serde(default, rename = "module")]
    pub modules: Vec<LockedModule>,
}

/// A module that is pinned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedModule {
    pub name: String,
    pub version: String,
    /// With the digest of the image.
    pub reference: ModuleReference,
    /// SHA-256 of the component, in hex: the digest by which hosts identify it.
    pub digest: String,
    /// The manifest of its admission.
    pub admission: OciDigest,
}

impl LockFile {
    /// A file that is not there locks nothing.
    pub fn read(file: &Path) -> anyhow::Result<LockFile> {
        let text = match std::fs::read_to_string(file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(LockFile::default()),
            read => read.with_context(|| format!("cannot read {}", file.display()))?,
        };
        toml::from_str(&text).with_context(|| format!("{} is no lock file", file.display()))
    }

    pub fn write(&self, file: &Path) -> anyhow::Result<()> {
        let text = format!("{HEAD}{}", toml::to_string(self)?);
        std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
    }

    /// Pins a module in the place of what its name had.
    pub fn put(&mut self, module: LockedModule) {
        self.modules.retain(|other| other.name != module.name);
        self.modules.push(module);
        self.modules.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// The entry of an image.
    pub fn find(&self, image: OciDigest) -> Option<&LockedModule> {
        self.modules.iter().find(|module| module.reference.digest == Some(image))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_comes_back_as_it_was_written() {
        let image = OciDigest::from_content(b"an image");
        let module = |name: &str, version: &str| LockedModule {
            name: name.to_owned(),
            version: version.to_owned(),
            reference: format!("oci://registry.example/{name}@{image}").parse().expect("a reference"),
            digest: "00".repeat(32),
            admission: OciDigest::from_content(b"an admission"),
        };
        let mut lock = LockFile::default();
        for (name, version) in [("pricing", "1.0.0"), ("catalog", "1.0.0"), ("pricing", "1.1.0")] {
            lock.put(module(name, version));
        }
        let file = std::env::temp_dir().join(format!("stoa-lock-{}.toml", uuid::Uuid::new_v4().simple()));
        assert!(LockFile::read(&file).expect("no file").modules.is_empty());
        lock.write(&file).expect("a file");
        let read = LockFile::read(&file).expect("a lock file");
        assert_eq!(read.modules, [module("catalog", "1.0.0"), module("pricing", "1.1.0")]);
        assert!(std::fs::read_to_string(&file).expect("a text").contains("[[module]]\nname = \"catalog\""));
        std::fs::write(&file, "[[module]]\nname = \"pricing\"\n").expect("a file");
        assert!(LockFile::read(&file).is_err());
        std::fs::remove_file(&file).expect("a file that goes");
    }
}
