//! The data folder: who can read its secrets, and how much room its disk has.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{Diagnosis, Notes};
use crate::database::Location;
use crate::deployment::development;
use crate::settings::Settings;

const MIB: f64 = 1024.0 * 1024.0;
/// Free MiB below which writes are about to fail.
const FULL: f64 = 100.0;
/// Free MiB, and free share of the disk, below which an operator should look.
const NEARLY_FULL: (f64, f64) = (1024.0, 0.05);

pub fn examine(settings: &Settings, notes: &Notes) {
    notes.note("files.rights", rights(settings));
    notes.note("files.room", room(settings));
}

/// The SQLite file, where that is the database.
fn sqlite_file(settings: &Settings) -> Option<PathBuf> {
    match settings.database().location() {
        Ok(Location::Sqlite(path)) => Some(path),
        _ => None,
    }
}

fn rights(settings: &Settings) -> Diagnosis {
    let folder = &settings.data_dir;
    let keys = [development::encryption_key_file, development::signing_key_file, development::operator_token_file];
    let mut files: Vec<PathBuf> = keys.map(|file| file(folder)).into();
    files.extend(sqlite_file(settings));
    files.extend(settings.registry_auth.clone());
    let open: Vec<String> = files.iter().filter(|file| is_open_to_others(file)).map(|file| name(file)).collect();
    Diagnosis::fail_if_any(&open, "files can be read by every user", "no file with secrets is open to other users")
}

fn is_open_to_others(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o007 != 0)
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn room(settings: &Settings) -> Diagnosis {
    let folder = sqlite_file(settings).and_then(|file| file.parent().map(Path::to_owned));
    let folder = folder.unwrap_or_else(|| settings.data_dir.clone());
    let Some((free, all)) = read_room(&folder) else { return Diagnosis::skip("there is no data folder") };
    let (least, share) = NEARLY_FULL;
    let says = format!("{free:.0} MiB of {all:.0} MiB are free on the disk of the data folder");
    if free < FULL {
        Diagnosis::fail(says)
    } else if free < least || free < all * share {
        Diagnosis::warn(says)
    } else {
        Diagnosis::pass(says)
    }
}

/// MiB that are free on a folder's disk, and all that it has.
fn read_room(folder: &Path) -> Option<(f64, f64)> {
    let path = CString::new(folder.as_os_str().as_bytes()).ok()?;
    #[allow(unsafe_code, reason = "no library of the workspace asks a disk for its room")]
    // SAFETY: zeros are a value of the struct. statvfs reads the path, which ends with a zero, and writes the struct.
    let disk = unsafe {
        let mut disk: libc::statvfs = std::mem::zeroed();
        (libc::statvfs(path.as_ptr(), &raw mut disk) == 0).then_some(disk)
    }?;
    let size = disk.f_frsize as f64 / MIB;
    Some((disk.f_bavail as f64 * size, disk.f_blocks as f64 * size))
}
