//! Temporary folders that go away with their owner.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A fresh folder under the system's temporary one, removed on drop.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(purpose: &str) -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("stoa-test-{}-{purpose}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap_or_else(|error| panic!("cannot make {}: {error}", path.display()));
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
