//! Files that only their owner can read, and folders that only their owner can enter.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// Writes a new file; refused where there is one.
pub fn write(file: &Path, parts: &[&[u8]]) -> anyhow::Result<()> {
    let mut written = File::options().write(true).create_new(true).mode(0o600).open(file)?;
    for part in parts {
        written.write_all(part)?;
    }
    Ok(())
}

/// A folder, created for its owner only if it does not exist.
pub fn make_folder(folder: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes an empty file where there is none.
pub fn make_empty(file: &Path) -> std::io::Result<()> {
    match File::options().write(true).create_new(true).mode(0o600).open(file) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}

/// Closes a file, where it is there, to those who are neither its owner nor of its group: an older host may have left it open.
pub fn close_to_others(file: &Path) -> std::io::Result<()> {
    match fs::metadata(file) {
        Ok(found) if found.permissions().mode() & 0o007 != 0 => {
            fs::set_permissions(file, fs::Permissions::from_mode(found.permissions().mode() & 0o770))
        }
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The content of a file; made by the first process that comes, of several too.
pub fn read_or_make(file: &Path, make: impl FnOnce() -> anyhow::Result<Vec<u8>>) -> anyhow::Result<Vec<u8>> {
    match fs::read(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        read => return Ok(read?),
    }
    let beside = file.with_extension(uuid::Uuid::new_v4().simple().to_string());
    write(&beside, &[&make()?])?;
    // A link is made whole or not at all, and never over another's.
    let linked = fs::hard_link(&beside, file);
    fs::remove_file(&beside)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error.into()),
        _ => Ok(fs::read(file)?),
    }
}

/// Random bytes, for secrets.
pub fn random<const SIZE: usize>() -> anyhow::Result<[u8; SIZE]> {
    let mut bytes = [0; SIZE];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| anyhow::anyhow!("no randomness"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn of_many_who_come_first_one_is_heard() {
        let folder = std::env::temp_dir().join(format!("stoa-secret-{}", uuid::Uuid::new_v4().simple()));
        fs::create_dir(&folder).expect("a folder");
        let file = folder.join("key");
        let read = || read_or_make(&file, || Ok(random::<32>()?.to_vec())).expect("a secret");
        let all: Vec<Vec<u8>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(read)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(all.iter().all(|one| one.len() == 32 && *one == all[0]), "{all:?}");
        assert_eq!(fs::metadata(&file).expect("the file").permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1, "nothing is left next to it");
        assert!(write(&file, &[b"other"]).is_err(), "never over what is there");
        fs::remove_dir_all(&folder).expect("the folder goes");
    }
}
