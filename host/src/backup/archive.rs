//! The file of a backup: a tar archive in a zstd stream, which `tar --zstd` reads. The first member says whose it is, the
//! last one lists all others with their digests: an archive without it was cut off.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

pub const FORMAT: &str = "stoa-backup/1";
const HEADER: &str = "backup.json";
const MANIFEST: &str = "manifest.json";
/// Fast: a backup is written at the speed of a disk.
const LEVEL: i32 = 1;
/// Largest member that is read as JSON.
const LARGEST_JSON: u64 = 64 << 20;

/// The kind of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseKind {
    Sqlite,
    Postgres,
}

impl std::fmt::Display for DatabaseKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            DatabaseKind::Sqlite => "SQLite",
            DatabaseKind::Postgres => "PostgreSQL",
        })
    }
}

/// The first member: whose data this is, and when it was taken.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    pub format: String,
    pub host_version: String,
    pub database: DatabaseKind,
    /// Number of the newest step of the host's tables.
    pub migration: i64,
    /// RFC 3339, UTC. Whatever was acknowledged before it is in the backup.
    pub mark: String,
    /// Keys that the stored secrets are encrypted under: the keys themselves are not part of a backup.
    pub key_ids: Vec<String>,
}

/// The last member.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ArchiveManifest {
    pub members: Vec<ArchiveMember>,
    /// On PostgreSQL.
    pub tables: Vec<ArchiveTable>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveMember {
    pub name: String,
    pub bytes: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

/// A table whose rows are in the members `NAME/0001.copy`, `NAME/0002.copy` ...
#[derive(Debug, Serialize, Deserialize)]
pub struct ArchiveTable {
    pub name: String,
    pub columns: Vec<String>,
    pub rows: u64,
}

/// A file on its way, under a name of its own. It is removed unless it gets its name.
pub struct PendingFile(pub PathBuf);

impl PendingFile {
    /// A new file next to another, which only its owner can read.
    pub fn create(beside: &Path, suffix: &str) -> anyhow::Result<(PendingFile, File)> {
        let mut path = beside.as_os_str().to_owned();
        path.push(suffix);
        let path = PathBuf::from(path);
        let file = match File::options().read(true).write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => anyhow::bail!(
                "{} exists: another run is in progress, or one was interrupted. Remove it if none runs",
                path.display()
            ),
            opened => opened.with_context(|| format!("cannot create {}", path.display()))?,
        };
        Ok((PendingFile(path), file))
    }

    /// Gives the file, which is flushed, its name.
    ///
    /// # Errors
    /// Another file has the name.
    pub fn move_to(self, name: &Path) -> anyhow::Result<()> {
        anyhow::ensure!(!name.exists(), "{} exists", name.display());
        fs::rename(&self.0, name).with_context(|| format!("cannot create {}", name.display()))?;
        let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()?;
        Ok(())
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Writes members one after the other.
pub struct Writer {
    tar: tar::Builder<zstd::Encoder<'static, BufWriter<File>>>,
    part: PendingFile,
    manifest: ArchiveManifest,
}

impl Writer {
    /// Begins a backup that will be this file, which must not exist.
    pub fn create(file: &Path) -> anyhow::Result<Writer> {
        anyhow::ensure!(!file.exists(), "{} exists: choose another name", file.display());
        let (part, opened) = PendingFile::create(file, ".part")?;
        let mut encoder = zstd::Encoder::new(BufWriter::with_capacity(1 << 20, opened), LEVEL)?;
        encoder.include_checksum(true)?;
        Ok(Writer { tar: tar::Builder::new(encoder), part, manifest: ArchiveManifest::default() })
    }

    pub fn add_header(&mut self, header: &Header) -> anyhow::Result<()> {
        self.add(HEADER, &serde_json::to_vec_pretty(header)?)
    }

    pub fn add(&mut self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        self.append(name, bytes.len() as u64, bytes)
    }

    pub fn add_file(&mut self, name: &str, file: &Path) -> anyhow::Result<()> {
        let file = File::open(file)?;
        self.append(name, file.metadata()?.len(), BufReader::with_capacity(1 << 20, file))
    }

    pub fn add_table(&mut self, table: ArchiveTable) {
        self.manifest.tables.push(table);
    }

    fn append(&mut self, name: &str, size: u64, content: impl Read) -> anyhow::Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(size);
        header.set_mode(0o600);
        let mut content = Hashed::new(content);
        self.tar.append_data(&mut header, name, &mut content)?;
        self.manifest.members.push(content.end(name));
        Ok(())
    }

    /// Writes the manifest and gives the file its name, once all of it is on the disk.
    pub fn finish(mut self, file: &Path) -> anyhow::Result<ArchiveManifest> {
        let manifest = std::mem::take(&mut self.manifest);
        self.add(MANIFEST, &serde_json::to_vec_pretty(&manifest)?)?;
        let mut written = self.tar.into_inner()?.finish()?;
        written.flush()?;
        written.get_ref().sync_all()?;
        self.part.move_to(file)?;
        Ok(manifest)
    }
}

/// A backup whose members are all there and as they were written.
pub struct Checked {
    pub header: Header,
    pub manifest: ArchiveManifest,
}

/// The members of a backup, one after the other.
pub type Members = tar::Archive<zstd::Decoder<'static, BufReader<File>>>;

pub fn open(file: &Path) -> anyhow::Result<Members> {
    let opened = File::open(file).with_context(|| format!("cannot open {}", file.display()))?;
    Ok(tar::Archive::new(zstd::Decoder::new(opened)?))
}

/// Name of a member.
pub fn read_name(member: &tar::Entry<'_, impl Read>) -> anyhow::Result<String> {
    Ok(String::from_utf8(member.path_bytes().into_owned())?)
}

/// Reads a whole backup and checks it, before a row of it is restored.
pub fn check(file: &Path) -> anyhow::Result<Checked> {
    let read = || {
        let mut archive = open(file)?;
        let (mut header, mut manifest, mut found) = (None, None, Vec::new());
        for member in archive.entries()? {
            let mut member = member?;
            let name = read_name(&member)?;
            anyhow::ensure!(manifest.is_none(), "the member {name} comes after the manifest");
            if name == MANIFEST {
                manifest = Some(serde_json::from_slice::<ArchiveManifest>(&read_json(&mut member)?)?);
                continue;
            }
            let mut content = Hashed::new(member);
            if header.is_none() {
                anyhow::ensure!(name == HEADER, "the first member is {name}, not {HEADER}");
                header = Some(read_header(&read_json(&mut content)?)?);
            }
            io::copy(&mut content, &mut io::sink())?;
            found.push(content.end(&name));
        }
        // Behind the last member: the checksum of the stream.
        io::copy(&mut archive.into_inner(), &mut io::sink())?;
        let header = header.context("it is empty")?;
        let manifest = manifest.context("it has no manifest: it was cut off")?;
        compare(&manifest.members, &found)?;
        anyhow::Ok(Checked { header, manifest })
    };
    read().with_context(|| format!("{} is no intact backup", file.display()))
}

/// Rejects members that are missing, too many or other than they were written.
fn compare(listed: &[ArchiveMember], found: &[ArchiveMember]) -> anyhow::Result<()> {
    for (nth, member) in listed.iter().enumerate() {
        let name = &member.name;
        let other = found.get(nth).filter(|other| other.name == *name).with_context(|| format!("{name} is missing"))?;
        anyhow::ensure!(other == member, "{name} was changed");
    }
    anyhow::ensure!(found.len() == listed.len(), "there are members that the manifest does not list");
    Ok(())
}

fn read_header(bytes: &[u8]) -> anyhow::Result<Header> {
    /// The one member that every format has.
    #[derive(Deserialize)]
    struct Format {
        format: String,
    }
    let Format { format } = serde_json::from_slice(bytes)?;
    anyhow::ensure!(format == FORMAT, "its format is {format:?}, and this host reads {FORMAT}");
    Ok(serde_json::from_slice(bytes)?)
}

fn read_json(member: &mut impl Read) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = member.take(LARGEST_JSON).read_to_end(&mut bytes)?;
    anyhow::ensure!((read as u64) < LARGEST_JSON, "a description is too long");
    Ok(bytes)
}

/// Takes the digest of what is read.
struct Hashed<R> {
    from: R,
    digest: Sha256,
    bytes: u64,
}

impl<R: Read> Hashed<R> {
    fn new(from: R) -> Hashed<R> {
        Hashed { from, digest: Sha256::new(), bytes: 0 }
    }

    fn end(self, name: &str) -> ArchiveMember {
        ArchiveMember { name: name.to_owned(), bytes: self.bytes, sha256: hex::encode(self.digest.finalize()) }
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.digest.update(buffer.get(..read).unwrap_or_default());
        self.bytes += read as u64;
        Ok(read)
    }
}
