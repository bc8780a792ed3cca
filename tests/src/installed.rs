//! The version of a host: the one under test, or a released one.

use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

use crate::host::binary;

/// A host of some version, as an operator has it on a machine.
#[derive(Clone)]
pub struct Installed {
    pub binary: PathBuf,
    pub modules: PathBuf,
    /// Without `--dev` on PostgreSQL: whether `stoa migrate` runs before it serves.
    pub migrates: bool,
}

/// The version that a host's next start has. Absent: the binary and the modules under test.
#[derive(Default)]
pub(crate) struct Version(RwLock<Option<Installed>>);

impl Version {
    pub fn new(installed: Option<Installed>) -> Version {
        Version(RwLock::new(installed))
    }

    pub fn get(&self) -> Option<Installed> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set(&self, installed: Installed) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(installed);
    }

    pub fn binary(&self) -> PathBuf {
        self.get().map_or_else(binary, |installed| installed.binary)
    }

    pub fn migrates(&self) -> bool {
        self.get().is_none_or(|installed| installed.migrates)
    }
}
