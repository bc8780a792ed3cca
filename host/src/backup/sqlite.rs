//! SQLite: the database is one member, a file that `sqlite3` opens.

use std::io;
use std::path::Path;

use super::Webhooks;
use super::archive::{self, DatabaseKind, Header, PendingFile, Writer};
use crate::database::DatabaseSettings;
use crate::database::sqlite::copy;
use crate::secret_file;

const MEMBER: &str = "stoa.sqlite";
const HOLD_WEBHOOKS: &str = "update stoa_webhook_endpoint set status = 'DISABLED', version = version + 1,
    disabled_at = cast(unixepoch('subsec') * 1000 as integer), updated_at = cast(unixepoch('subsec') * 1000 as integer)
    where status = 'ACTIVE'";

/// The copy is made next to the file of the backup, so that it needs room there and not in the host's folder.
pub fn write(path: &Path, settings: &DatabaseSettings, file: &Path, writer: &mut Writer) -> anyhow::Result<Header> {
    let (part, _) = PendingFile::create(file, ".part.sqlite")?;
    let copied = copy::copy(path, &part.0, settings)?;
    let header = super::header(DatabaseKind::Sqlite, copied.mark, copied.migration, copied.key_ids)?;
    writer.add_header(&header)?;
    writer.add_file(MEMBER, &part.0)?;
    Ok(header)
}

pub fn restore(file: &Path, path: &Path, settings: &DatabaseSettings, webhooks: Webhooks) -> anyhow::Result<()> {
    for suffix in ["", "-wal", "-journal"] {
        let mut used = path.as_os_str().to_owned();
        used.push(suffix);
        let used = Path::new(&used);
        anyhow::ensure!(!used.exists(), "{} exists: choose another path, or move it away", used.display());
    }
    if let Some(folder) = path.parent() {
        secret_file::make_folder(folder)?;
    }
    let (part, mut restored) = PendingFile::create(path, ".part")?;
    let mut members = archive::open(file)?;
    for member in members.entries()? {
        let mut member = member?;
        if archive::read_name(&member)? == MEMBER {
            io::copy(&mut member, &mut restored)?;
        }
    }
    copy::finish(&part.0, settings, (webhooks == Webhooks::Hold).then_some(HOLD_WEBHOOKS))?;
    restored.sync_all()?;
    part.move_to(path)
}
