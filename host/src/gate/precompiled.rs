//! Machine code that a release brings, so that a deployment that has never run need not compile its first generation.
//!
//! Machine code runs unchecked. A file is loaded only if the list next to it has its SHA-256, and the list is read only
//! if its own SHA-256 is in the deployment's settings: who can change those can change the binary too. No key is part
//! of it, so none can be read out of a release or an image; the cache's key stays where it was made. The host compiles
//! a module again if its file does not match.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

const LIST: &str = "precompiled.json";
/// Bytes of the largest list; an entry has 150 bytes.
const LARGEST_LIST: u64 = 1 << 20;

/// Compiled code of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    /// `engine::compatibility` of the engine that it was compiled for.
    engine: String,
    /// SHA-256 of a component, and of its machine code, in hex.
    code: BTreeMap<String, String>,
}

/// A folder of machine code that the settings allow.
pub struct Precompiled {
    folder: PathBuf,
    list: List,
}

impl Precompiled {
    /// Opens a folder whose list has the SHA-256 `list` and was made for the engine of this compatibility.
    pub fn open(folder: &Path, list: &[u8; 32], compatibility: &str) -> anyhow::Result<Precompiled> {
        let file = folder.join(LIST);
        let mut text = Vec::new();
        let opened = File::open(&file).with_context(|| format!("cannot read {}", file.display()))?;
        opened.take(LARGEST_LIST).read_to_end(&mut text)?;
        anyhow::ensure!(Sha256::digest(&text)[..] == list[..], "{} is not the one of the settings", file.display());
        let list: List = serde_json::from_slice(&text).with_context(|| format!("{} is no list", file.display()))?;
        anyhow::ensure!(list.engine == compatibility, "{} was made for another engine", file.display());
        Ok(Precompiled { folder: folder.to_path_buf(), list })
    }

    /// The component whose bytes have this SHA-256, if it is in the list and its code is what the list says.
    pub fn read(&self, engine: &Engine, digest: &[u8; 32]) -> Option<Component> {
        let name = hex::encode(digest);
        let listed = self.list.code.get(&name)?;
        let file = self.folder.join(file_name(&name));
        let code = fs::read(&file);
        let code = code.map_err(|error| tracing::warn!(%error, file = %file.display(), "not in the release")).ok()?;
        if hex::encode(Sha256::digest(&code)) != *listed {
            tracing::warn!(file = %file.display(), "machine code was modified: the host compiles the module again");
            return None;
        }
        #[allow(unsafe_code, reason = "how wasmtime loads what it compiled before")]
        // SAFETY: settings and list say that these bytes are what `stoa module precompile` was given by wasmtime's compiler for
        // this very component; wasmtime itself refuses what needs instructions that this processor does not have.
        let component = unsafe { Component::deserialize(engine, code) };
        component.map_err(|error| tracing::warn!("machine code that does not run here: {error:#}")).ok()
    }
}

/// Writes machine code by component, and the list; answers the list's SHA-256, for the settings.
pub fn write(folder: &Path, compatibility: &str, code: &[([u8; 32], Vec<u8>)]) -> anyhow::Result<[u8; 32]> {
    fs::create_dir_all(folder)?;
    anyhow::ensure!(fs::read_dir(folder)?.next().is_none(), "{} is not empty", folder.display());
    let mut list = List { engine: compatibility.to_string(), code: BTreeMap::new() };
    for (digest, code) in code {
        let name = hex::encode(digest);
        fs::write(folder.join(file_name(&name)), code)?;
        list.code.insert(name, hex::encode(Sha256::digest(code)));
    }
    let text = serde_json::to_vec_pretty(&list)?;
    fs::write(folder.join(LIST), &text)?;
    Ok(Sha256::digest(&text).into())
}

fn file_name(component: &str) -> String {
    format!("{component}.code")
}

#[cfg(test)]
mod tests {
    use wasmtime::Config;

    use super::*;
    use crate::sandbox::engine::{self, Sandbox};

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";
    const MEMORY: usize = 64 << 20;

    /// A release of one component, its folder and the digest of its list.
    struct Release {
        folder: PathBuf,
        digest: [u8; 32],
        list: [u8; 32],
        compatibility: String,
    }

    impl Release {
        fn make() -> Release {
            let folder = std::env::temp_dir().join(format!("stoa-release-{}", uuid::Uuid::new_v4().simple()));
            let engine = engine::build_portable(Sandbox::Fast, MEMORY).expect("an engine");
            let code = engine.precompile_component(EMPTY).expect("the empty component");
            let (digest, compatibility) = (Sha256::digest(EMPTY).into(), engine::compatibility(&engine));
            let list = write(&folder, &compatibility, &[(digest, code)]).expect("a release");
            Release { folder, digest, list, compatibility }
        }

        fn open(&self) -> anyhow::Result<Precompiled> {
            Precompiled::open(&self.folder, &self.list, &self.compatibility)
        }

        fn code(&self) -> PathBuf {
            self.folder.join(file_name(&hex::encode(self.digest)))
        }

        /// Returns whether the host's engine loads it.
        fn loads(&self) -> bool {
            let host = engine::build_compiling(Sandbox::Fast, MEMORY).expect("an engine");
            self.open().is_ok_and(|opened| opened.read(&host, &self.digest).is_some())
        }
    }

    impl Drop for Release {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }

    #[test]
    fn what_the_settings_vouch_for_is_loaded() {
        let release = Release::make();
        assert!(release.loads());
        let opened = release.open().expect("the release");
        let host = engine::build_compiling(Sandbox::Fast, MEMORY).expect("an engine");
        assert!(opened.read(&host, &[7; 32]).is_none(), "another component");
        assert!(write(&release.folder, "", &[]).is_err(), "never over what is there");
    }

    #[test]
    fn code_that_was_touched_is_not_loaded() {
        let release = Release::make();
        let good = fs::read(release.code()).expect("the code");
        for position in [0, good.len() / 2, good.len() - 1] {
            let mut touched = good.clone();
            touched[position] ^= 1;
            fs::write(release.code(), touched).expect("written");
            assert!(!release.loads(), "byte {position}");
        }
        fs::remove_file(release.code()).expect("removed");
        assert!(!release.loads(), "nothing there");
        fs::write(release.code(), good).expect("written");
        assert!(release.loads());
    }

    #[test]
    fn a_list_that_was_touched_is_not_read() {
        let release = Release::make();
        let file = release.folder.join(LIST);
        // The list as an attacker who also modified the code writes it.
        let forged = [1; 100];
        fs::write(release.code(), forged).expect("written");
        let mut list: List = serde_json::from_slice(&fs::read(&file).expect("the list")).expect("a list");
        list.code.insert(hex::encode(release.digest), hex::encode(Sha256::digest(forged)));
        fs::write(&file, serde_json::to_vec_pretty(&list).expect("a text")).expect("written");
        assert!(release.open().is_err());
        fs::remove_file(&file).expect("removed");
        assert!(release.open().is_err(), "no list");
    }

    #[test]
    fn code_of_another_engine_is_not_loaded() {
        let release = Release::make();
        for other in [
            engine::build_portable(Sandbox::Hardened, MEMORY),
            engine::build_portable(Sandbox::Fast, MEMORY * 2),
            engine::build_compiling(Sandbox::Fast, MEMORY),
            Engine::new(Config::new().module_version(another_version()).expect("a version")),
        ] {
            let compatibility = engine::compatibility(&other.expect("an engine"));
            assert!(Precompiled::open(&release.folder, &release.list, &compatibility).is_err());
        }
        // Even if the list is taken for this engine's own, wasmtime looks at the code itself.
        let opened = release.open().expect("the release");
        let hardened = engine::build_compiling(Sandbox::Hardened, MEMORY).expect("an engine");
        assert!(opened.read(&hardened, &release.digest).is_none());
    }

    fn another_version() -> wasmtime::ModuleVersionStrategy {
        wasmtime::ModuleVersionStrategy::Custom("another".into())
    }

    #[test]
    fn code_that_needs_another_processor_is_not_loaded() {
        let release = Release::make();
        // As if it had been made only for this machine's processor.
        let native = engine::build_compiling(Sandbox::Fast, MEMORY).expect("an engine");
        let code = native.precompile_component(EMPTY).expect("the empty component");
        let folder = release.folder.join("native");
        let list = write(&folder, &release.compatibility, &[(release.digest, code)]).expect("a release");
        let opened = Precompiled::open(&folder, &list, &release.compatibility).expect("the release");
        assert!(opened.read(&native, &release.digest).is_some(), "here it runs");
        let mut config = engine::config(Sandbox::Fast, MEMORY);
        // It compiles nothing: the compiler would look at this machine's processor by itself.
        config.enable_compiler(false);
        #[allow(unsafe_code, reason = "an engine of a lesser processor, which runs nothing")]
        // SAFETY: it says that fewer instructions are there than are.
        unsafe {
            config.detect_host_feature(|_| Some(false));
        }
        let lesser = Engine::new(&config).expect("an engine");
        assert!(opened.read(&lesser, &release.digest).is_none());
        assert!(release.open().expect("the release").read(&lesser, &release.digest).is_some(), "portable code does");
    }
}
