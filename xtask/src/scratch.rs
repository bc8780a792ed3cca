//! Where the databases and folders of a run of the suite lie: in memory, where the system has room for it, so that tens
//! of thousands of commits wait for no disk that is busy with something else. The claims of the suite hold there as on
//! a disk: a process that is killed loses nothing it has written, and full or failing disks are put in by the suite
//! itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::program;

/// A file system in memory, on Linux.
const MEMORY: &str = "/dev/shm";
/// Twice what the suite has taken at most.
const ROOM_KIB: u64 = 6 * 1024 * 1024;

/// A folder that is gone with its owner; the system's temporary one, which stays, where there is no room or the caller names it.
pub struct Scratch {
    folder: PathBuf,
    is_ours: bool,
}

impl Scratch {
    pub fn make() -> Result<Scratch> {
        if std::env::var_os("TMPDIR").is_some() || room(MEMORY) < ROOM_KIB {
            return Ok(Scratch { folder: std::env::temp_dir(), is_ours: false });
        }
        let folder = Path::new(MEMORY).join(format!("stoa-suite-{}", std::process::id()));
        std::fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Scratch { folder, is_ours: true })
    }

    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.is_ours {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// KiB that are free there; none if there is no such folder.
fn room(folder: &str) -> u64 {
    let reported = program::output(Command::new("df").args(["-Pk", folder])).unwrap_or_default();
    let free = reported.lines().last().and_then(|line| line.split_whitespace().nth(3));
    free.and_then(|free| free.parse().ok()).unwrap_or_default()
}
