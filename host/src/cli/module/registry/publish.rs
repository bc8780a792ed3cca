//! `stoa module publish`: a component and its admission go to a registry.

use std::path::PathBuf;

use anyhow::Context as _;

use super::lock::{LockFile, LockedModule};
use super::{RegistryLogin, read_statement, wait};
use crate::cli::module::sign;
use crate::gate::artifact::{Artifact, admission_file};
use crate::oci::image::Publication;
use crate::oci::layout;
use crate::oci::reference::ModuleReference;

#[derive(clap::Args)]
pub struct Publish {
    /// A component.
    file: PathBuf,
    /// Its address, `oci://HOST/PATH[:TAG]`. Without a tag, the version is the tag.
    reference: ModuleReference,
    /// Sign it with this key first. Without a key, FILE.admission.json must be next to it.
    #[arg(long)]
    key: Option<PathBuf>,
    /// Write it to an OCI layout in this folder instead of the registry.
    #[arg(long)]
    layout: Option<PathBuf>,
    /// Pin it in this lock file.
    #[arg(long)]
    lock: Option<PathBuf>,
    #[command(flatten)]
    login: RegistryLogin,
}

pub fn publish(args: &Publish) -> anyhow::Result<()> {
    anyhow::ensure!(args.reference.digest.is_none(), "the digest of a reference follows from the component");
    let artifact = Artifact::read(&args.file)?;
    let admission = match &args.key {
        Some(key) => sign::admit(&artifact.bytes, key)?,
        None => artifact
            .admission
            .with_context(|| format!("no {}: `stoa module sign`, or --key", admission_file(&args.file).display()))?,
    };
    let statement = read_statement(&admission, &artifact.digest)?;
    let publication = Publication::new(&artifact.bytes, &admission)?;
    let tag = args.reference.tag_for(&statement.version);
    match &args.layout {
        Some(folder) => layout::write(folder, &format!("{}:{tag}", args.reference.path), &publication)?,
        None => wait(args.login.open(&args.reference)?.publish(&tag, &publication))?,
    }
    let image = publication.image.descriptor.digest;
    let reference = ModuleReference { tag: Some(tag), ..args.reference.pin(image) };
    println!("{reference}");
    let Some(file) = &args.lock else { return Ok(()) };
    let mut lock = LockFile::read(file)?;
    lock.put(LockedModule {
        name: statement.name,
        version: statement.version,
        reference,
        digest: statement.artifact,
        admission: publication.admission.descriptor.digest,
    });
    lock.write(file)
}
