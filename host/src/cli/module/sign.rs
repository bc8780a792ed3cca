//! `stoa module keygen` and `sign`: they need neither host nor database.

use std::path::{Path, PathBuf};

use crate::cli;
use crate::gate::admission::{Admission, Role, SigningKey};
use crate::gate::artifact::{Artifact, admission_file};
use crate::gate::describe;
use crate::secret_file;
use anyhow::Context as _;
use bytes::Bytes;

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
    /// A component, or a list of checksums.
    file: PathBuf,
    /// The file is the output of `sha256sum`: writes FILE.sig, an Ed25519 signature of its bytes.
    #[arg(long)]
    list: bool,
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
    if args.list {
        return sign_list(args);
    }
    let bytes = Artifact::read(&args.file)?.bytes;
    let admission = admit(&bytes, &args.key)?;
    let beside = admission_file(&args.file);
    std::fs::write(&beside, serde_json::to_vec_pretty(&admission)?)
        .with_context(|| format!("cannot write {}", beside.display()))?;
    println!("{}", beside.display());
    Ok(())
}

fn sign_list(args: &Sign) -> anyhow::Result<()> {
    let list = std::fs::read_to_string(&args.file).with_context(|| format!("cannot read {}", args.file.display()))?;
    let signature = read_key(&args.key)?.sign_list(&list)?;
    let mut beside = args.file.clone().into_os_string();
    beside.push(".sig");
    let beside = PathBuf::from(beside);
    std::fs::write(&beside, signature).with_context(|| format!("cannot write {}", beside.display()))?;
    println!("{}", beside.display());
    Ok(())
}

/// The key in a file.
pub fn read_key(file: &Path) -> anyhow::Result<SigningKey> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    text.parse().with_context(|| file.display().to_string())
}

/// The admission of a component by the key of a file. A host refuses a component whose section is not its own
/// description.
pub fn admit(bytes: &Bytes, key: &Path) -> anyhow::Result<Admission> {
    let descriptor = match stoa_kit::section::read(bytes)? {
        Some(descriptor) => descriptor,
        None => {
            let gate = cli::gate_of_strangers(1)?;
            let artifact = Artifact::new(bytes.clone(), None)?;
            gate.describe(&artifact.digest, &gate.load(&artifact)?)?
        }
    };
    let read = describe::read(&descriptor)?;
    read_key(key)?.sign(bytes, &read.name, &read.version, &descriptor)
}
