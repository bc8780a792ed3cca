//! `stoa module keygen` and `sign`: they need neither host nor database.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bytes::Bytes;
use serde_json::json;

use crate::gate::admission::{Admission, Role, SigningKey};
use crate::gate::artifact::{Artifact, admission_file};
use crate::gate::describe;
use crate::secret_file;
use crate::settings::Settings;

#[derive(clap::Args)]
pub struct Keygen {
    /// The signer's name.
    #[arg(long)]
    name: String,
    /// Role of the signer in a deployment.
    #[arg(long, default_value = "partner")]
    role: Role,
    /// New file for the secret, readable only by you.
    #[arg(long)]
    out: PathBuf,
}

#[derive(clap::Args)]
pub struct Sign {
    /// A component.
    file: PathBuf,
    /// A key of `stoa module keygen`.
    #[arg(long)]
    key: PathBuf,
}

pub fn keygen(args: &Keygen) -> anyhow::Result<()> {
    let key = SigningKey::generate(&args.name, args.role)?;
    secret_file::write(&args.out, &[key.text().as_bytes()])
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    println!("{}", key.signer());
    Ok(())
}

pub fn sign(args: &Sign) -> anyhow::Result<()> {
    let bytes = Artifact::read(&args.file)?.bytes;
    let admission = admit(&bytes, &args.key)?;
    let beside = admission_file(&args.file);
    std::fs::write(&beside, serde_json::to_vec_pretty(&admission)?)
        .with_context(|| format!("cannot write {}", beside.display()))?;
    println!("{}", beside.display());
    Ok(())
}

/// The admission of a component by the key of a file.
pub fn admit(bytes: &Bytes, key: &Path) -> anyhow::Result<Admission> {
    let text = std::fs::read_to_string(key).with_context(|| format!("cannot read {}", key.display()))?;
    let key: SigningKey = text.parse().with_context(|| key.display().to_string())?;
    let gate = crate::cli::gate(&Settings::load(json!({}))?)?;
    let artifact = Artifact::new(bytes.clone(), None)?;
    let component = gate.component(&artifact)?;
    let descriptor = describe::text(&gate.engine, &component)?;
    let read = describe::read(&descriptor)?;
    key.sign(bytes, &read.name, &read.version, &descriptor)
}
