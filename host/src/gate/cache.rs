//! Compiled modules, their descriptions, and which of these passed, kept so that a start does nothing of this again. Machine code runs
//! unchecked: a file is used only with a valid MAC under a key that only the host's user can read. Otherwise it is made again.
//!
//! The code is mapped, not read: the system loads the pages that run, and hosts of one folder share them. A file is written once,
//! under another name, and never changes.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::sandbox::engine;
use crate::secret_file;

const KEY: &str = "key";
const KEY_BYTES: usize = 32;
/// HMAC-SHA256, after the code, which begins with the file so that it can be mapped.
const MAC_BYTES: usize = 32;
/// The file of the program that runs, also where another one has taken its place.
const PROGRAM: &str = "/proc/self/exe";
/// Bytes that are verified at once.
const BLOCK: usize = 1 << 16;

pub struct Cache {
    folder: PathBuf,
    key: hmac::Key,
    /// This program, by the file that it was started from: another build may judge otherwise. None where there is no such file, so
    /// that no verdict is kept.
    program: Option<String>,
}

impl Cache {
    /// Opens a folder that no other user can enter; makes it, and its key, where there is none.
    pub fn open(folder: &Path) -> anyhow::Result<Cache> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let shown = folder.display();
        let mode = fs::metadata(folder)?.permissions().mode();
        anyhow::ensure!(
            mode & 0o077 == 0,
            "others can enter {shown} (mode {:o}): compiled code is not kept there; chmod 700 {shown}",
            mode & 0o777
        );
        let key = key(&folder.join(KEY))?;
        let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
        Ok(Cache { folder: folder.to_path_buf(), key, program: name_of_program(Path::new(PROGRAM)) })
    }

    /// Opens a folder as [`Cache::open`]. A folder that cannot be used is logged, and nothing is kept.
    pub fn open_if_usable(folder: &Path) -> Option<Cache> {
        Cache::open(folder).map_err(|error| tracing::warn!(%error, "compiled modules are not kept")).ok()
    }

    /// The component whose bytes have this SHA-256, if it is kept for this engine and was not touched.
    pub fn read(&self, engine: &Engine, digest: &[u8; 32]) -> Option<Component> {
        let name = name(engine, digest);
        self.read_compiled(engine, &name, &self.folder.join(&name))
    }

    /// Machine code of such a component, for an engine that need not run here.
    pub fn read_code(&self, engine: &Engine, digest: &[u8; 32]) -> Option<Vec<u8>> {
        self.read_verified(&name(engine, digest))
    }

    /// Keeps what was compiled.
    pub fn write(&self, engine: &Engine, digest: &[u8; 32], component: &Component) -> anyhow::Result<()> {
        self.write_code(engine, digest, &component.serialize().map_err(|error| anyhow::anyhow!("{error:#}"))?)
    }

    /// Keeps machine code that the compiler of this engine made.
    pub fn write_code(&self, engine: &Engine, digest: &[u8; 32], code: &[u8]) -> anyhow::Result<()> {
        self.write_signed(&name(engine, digest), code)
    }

    /// The description of the component whose bytes have this SHA-256, if it is kept and was not touched.
    pub fn read_description(&self, digest: &[u8; 32]) -> Option<String> {
        let name = name_of_description(digest);
        String::from_utf8(self.read_verified(&name)?).ok()
    }

    /// Keeps a description.
    pub fn write_description(&self, digest: &[u8; 32], text: &str) -> anyhow::Result<()> {
        self.write_signed(&name_of_description(digest), text.as_bytes())
    }

    /// Returns whether this program has judged the description of the component with this SHA-256, and it passed.
    pub fn has_verdict(&self, digest: &[u8; 32]) -> bool {
        self.name_of_verdict(digest).is_some_and(|name| self.read_verified(&name).is_some())
    }

    /// Keeps that it passed.
    pub fn write_verdict(&self, digest: &[u8; 32]) -> anyhow::Result<()> {
        self.name_of_verdict(digest).map_or(Ok(()), |name| self.write_signed(&name, &[]))
    }

    fn name_of_verdict(&self, digest: &[u8; 32]) -> Option<String> {
        self.program.as_ref().map(|program| format!("{}-{program}.passed", hex::encode(digest)))
    }

    /// Removes files that were written longer ago, which nothing else would remove. A failure means that another process
    /// was faster.
    pub fn drop_older(&self, age: Duration) {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for file in files.filter(|file| file.file_name() != KEY) {
            let written = file.metadata().and_then(|file| file.modified()).ok();
            if written.and_then(|time| time.elapsed().ok()).is_some_and(|elapsed| elapsed > age) {
                let _ = fs::remove_file(file.path());
            }
        }
    }

    fn read_verified(&self, name: &str) -> Option<Vec<u8>> {
        let file = self.folder.join(name);
        let mut bytes = fs::read(&file).ok()?;
        self.verify(name, &file, bytes.len() as u64, bytes.as_slice())?;
        bytes.truncate(bytes.len() - MAC_BYTES);
        Some(bytes)
    }

    fn write_signed(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let mut signing = self.begin(name);
        signing.update(bytes);
        let mac = signing.sign();
        // Hosts that start together write files of their own; the last one stays, and all are the same.
        let beside = self.folder.join(format!("{name}.{}", uuid::Uuid::new_v4().simple()));
        secret_file::write(&beside, &[bytes, mac.as_ref()])?;
        fs::rename(&beside, self.folder.join(name))?;
        Ok(())
    }

    /// Begins a MAC with the name, so that no file passes for another's.
    fn begin(&self, name: &str) -> hmac::Context {
        let mut signing = hmac::Context::with_key(&self.key);
        [name.as_bytes(), b"\0"].into_iter().for_each(|part| signing.update(part));
        signing
    }

    /// Returns none, and logs it, for a file that was modified. `length`: of the code and its MAC.
    fn verify(&self, name: &str, path: &Path, length: u64, file: impl Read) -> Option<()> {
        let is_whole = self.has_mac(name, length, file).unwrap_or(false);
        if !is_whole {
            tracing::warn!(file = %path.display(), "a file of the cache was modified: the host makes it again");
        }
        is_whole.then_some(())
    }

    fn has_mac(&self, name: &str, length: u64, mut file: impl Read) -> std::io::Result<bool> {
        let Some(mut left) = length.checked_sub(MAC_BYTES as u64) else { return Ok(false) };
        let (mut signing, mut block) = (self.begin(name), vec![0; BLOCK]);
        while left > 0 {
            let part = &mut block[..BLOCK.min(usize::try_from(left).unwrap_or(BLOCK))];
            file.read_exact(part)?;
            signing.update(part);
            left -= part.len() as u64;
        }
        let mut mac = [0; MAC_BYTES];
        file.read_exact(&mut mac)?;
        Ok(verify_slices_are_equal(signing.sign().as_ref(), &mac).is_ok())
    }

    fn read_compiled(&self, engine: &Engine, name: &str, file: &Path) -> Option<Component> {
        let opened = File::open(file).ok()?;
        self.verify(name, file, opened.metadata().ok()?.len(), opened)?;
        #[allow(unsafe_code, reason = "how wasmtime loads what it compiled before")]
        // SAFETY: the MAC says that these bytes are what `Component::serialize` gave a process with our key, for this very
        // component; wasmtime itself refuses what another version or another configuration compiled. Only processes of the
        // host's user can enter the folder, and they replace files as a whole.
        let component = unsafe { Component::deserialize_file(engine, file) };
        component.map_err(|error| tracing::debug!(%error, "a compiled module of another engine")).ok()
    }
}

fn name(engine: &Engine, digest: &[u8; 32]) -> String {
    format!("{}-{}.code", hex::encode(digest), engine::compatibility(engine))
}

fn name_of_description(digest: &[u8; 32]) -> String {
    format!("{}.json", hex::encode(digest))
}

/// A program's file by its size and the time of its last change; none where it cannot be read.
fn name_of_program(file: &Path) -> Option<String> {
    let file = fs::metadata(file).ok()?;
    let changed = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{:x}-{:x}", file.len(), changed.as_nanos()))
}

fn key(file: &Path) -> anyhow::Result<Vec<u8>> {
    let key = secret_file::read_or_make(file, || Ok(secret_file::random::<KEY_BYTES>()?.to_vec()))?;
    anyhow::ensure!(key.len() == KEY_BYTES, "{} is no key", file.display());
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> PathBuf {
        std::env::temp_dir().join(format!("stoa-cache-{}", uuid::Uuid::new_v4().simple()))
    }

    #[test]
    fn a_description_is_read_as_it_was_kept() {
        let folder = folder();
        let cache = Cache::open(&folder).expect("a cache");
        assert_eq!(cache.read_description(&[7; 32]), None, "nothing is kept yet");
        cache.write_description(&[7; 32], "{}").expect("kept");
        assert_eq!(cache.read_description(&[7; 32]).as_deref(), Some("{}"));
        let file = |digest: &[u8; 32]| folder.join(name_of_description(digest));
        fs::copy(file(&[7; 32]), file(&[8; 32])).expect("copied");
        assert_eq!(cache.read_description(&[8; 32]), None, "another component's");
        let mut forged = fs::read(file(&[7; 32])).expect("the file");
        forged[0] ^= 1;
        fs::write(file(&[7; 32]), forged).expect("written");
        assert_eq!(cache.read_description(&[7; 32]), None);
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn a_verdict_is_of_a_program_and_a_component() {
        let folder = folder();
        let mut cache = Cache::open(&folder).expect("a cache");
        assert!(!cache.has_verdict(&[7; 32]), "nothing is kept yet");
        cache.write_verdict(&[7; 32]).expect("kept");
        assert_eq!([7, 8].map(|digest| cache.has_verdict(&[digest; 32])), [true, false]);
        let file = |cache: &Cache, digest: u8| folder.join(cache.name_of_verdict(&[digest; 32]).expect("a name"));
        fs::copy(file(&cache, 7), file(&cache, 8)).expect("copied");
        assert!(!cache.has_verdict(&[8; 32]), "another component's");
        let program = folder.join("program");
        let mut builds = Vec::new();
        for (content, time) in [("a", 1), ("b", 2), ("bc", 2)] {
            fs::write(&program, content).expect("written");
            let built = File::options().write(true).open(&program).expect("the program");
            built.set_modified(UNIX_EPOCH + Duration::from_secs(time)).expect("a time");
            cache.program = name_of_program(&program);
            assert!(!cache.has_verdict(&[7; 32]), "another build");
            builds.push(cache.program.clone());
        }
        builds.dedup();
        assert_eq!(builds.len(), 3);
        cache.program = name_of_program(&folder.join("none"));
        cache.write_verdict(&[7; 32]).expect("nothing is kept");
        assert!(!cache.has_verdict(&[7; 32]), "of a program without a file");
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn only_what_was_kept_here_is_loaded() {
        let folder = folder();
        let engine = Engine::default();
        let bytes = b"\0asm\x0d\0\x01\0";
        let digest = [7; 32];
        let cache = Cache::open(&folder).expect("a cache");
        let component = Component::from_binary(&engine, bytes).expect("the empty component");
        assert!(cache.read(&engine, &digest).is_none(), "nothing is kept yet");
        cache.write(&engine, &digest, &component).expect("kept");
        let name = name(&engine, &digest);
        let file = folder.join(&name);
        let again = Cache::open(&folder).expect("the same cache");
        assert!(again.read_compiled(&engine, &name, &file).is_some());
        // One bit of the code, another component's name, another key, nothing at all.
        let good = fs::read(&file).expect("the file");
        for position in [0, MAC_BYTES, good.len() - 1] {
            let mut forged = good.clone();
            forged[position] ^= 1;
            fs::write(&file, forged).expect("written");
            assert!(again.read_compiled(&engine, &name, &file).is_none(), "byte {position}");
        }
        fs::write(&file, &good).expect("written");
        assert!(again.read_compiled(&engine, "another", &file).is_none());
        fs::write(folder.join(KEY), [1; KEY_BYTES]).expect("written");
        assert!(Cache::open(&folder).expect("a cache").read_compiled(&engine, &name, &file).is_none());
        fs::write(&file, b"").expect("written");
        assert!(again.read_compiled(&engine, &name, &file).is_none());
        again.write(&engine, &digest, &component).expect("kept");
        assert!(again.read(&engine, &digest).is_some());
        again.drop_older(Duration::from_secs(3_600));
        assert!(again.read(&engine, &digest).is_some(), "it is new");
        again.drop_older(Duration::ZERO);
        assert!(again.read(&engine, &digest).is_none(), "it is older");
        assert!(folder.join(KEY).exists(), "the key stays");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o750)).expect("a mode");
        let refused = Cache::open(&folder).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains("chmod 700"), "others could write there: {refused}");
        fs::remove_dir_all(&folder).expect("removed");
    }
}
