//! What `--dev` carries along, so that nobody needs to set anything up: an operator's token and a signing key that the host
//! trusts, each a file of the data folder that nobody else can read.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::modules::admission::{Role, SigningKey};

/// The operator's token, for whoever works beside the host.
pub fn operator_token_file(data: &Path) -> PathBuf {
    data.join("operator.token")
}

/// The key that a `--dev` host trusts.
pub fn signing_key_file(data: &Path) -> PathBuf {
    data.join("dev-signer.key")
}

pub fn operator_token(data: &Path) -> anyhow::Result<String> {
    let text = kept(&operator_token_file(data), || {
        let mut token = [0; 32];
        aws_lc_rs::rand::fill(&mut token).map_err(|_| anyhow::anyhow!("no randomness"))?;
        Ok(hex::encode(token) + "\n")
    })?;
    Ok(text.trim().to_string())
}

pub fn signing_key(data: &Path) -> anyhow::Result<SigningKey> {
    kept(&signing_key_file(data), || Ok(SigningKey::generate("dev", Role::Deployment)?.text()))?.parse()
}

/// The secret in a file; made by whoever comes first.
fn kept(file: &Path, make: impl FnOnce() -> anyhow::Result<String>) -> anyhow::Result<String> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        read => return Ok(read?),
    }
    let beside = file.with_extension(uuid::Uuid::new_v4().simple().to_string());
    write_secret(&beside, &make()?)?;
    // A link is made whole or not at all, and never over another's.
    let linked = fs::hard_link(&beside, file);
    fs::remove_file(&beside)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error.into()),
        _ => Ok(fs::read_to_string(file)?),
    }
}

/// A new file that nobody else can read.
pub fn write_secret(file: &Path, text: &str) -> anyhow::Result<()> {
    let mut options = fs::File::options();
    let mut written = options.write(true).create_new(true).mode(0o600).open(file)?;
    Ok(written.write_all(text.as_bytes())?)
}
